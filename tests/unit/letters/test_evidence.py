"""Reasons and certificates beside advice: read from files, and refused where they do not fit."""

import numpy as np
import pandas as pd
import pytest

from standfast import InputError, letters
from standfast.letters import evidence


@pytest.fixture
def certificate(advice):
    advised = advice.found
    return pd.DataFrame(
        {
            "outcome": advice.outcome,
            "advised": advised,
            "models": 59,
            "kept": pd.Series(59, advice.index).astype("Int64").where(advised),
            "lower": np.where(advised, 0.9505, np.nan),
            "confidence": 0.95,
            "simultaneous": False,
        }
    )


@pytest.fixture
def reasons():
    rows = {"rank": [1, 2], "feature": ["late", "income"], "blocking": [2, 2]}
    return pd.DataFrame(rows, ["minimal", "minimal"])


def said(advice, person, **settings):
    return " ".join(letters.compose(advice, **settings)[person].text.split())


def test_a_certificate_is_said_in_words(advice, certificate):
    english = said(advice, "minimal", certificate=certificate)
    assert "confidence of 95 %, at least 95 % of the models" in english
    assert "59 of 59 such models did" in english
    once = certificate.assign(simultaneous=True, kept=57, lower=0.8763)
    german = said(advice, "minimal", certificate=once, language="de")
    assert "für alle Empfänger zugleich, würden mindestens 87,6 % der Modelle" in german
    assert "57 von 59" in german
    assert "59" not in said(advice, "infeasible", certificate=certificate)


def test_without_a_certificate_none_is_claimed(advice):
    assert "has not been examined" in said(advice, "minimal")


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_files_say_the_same_as_tables(advice, certificate, reasons, tmp_path, ending):
    def through_a_file(frame, name):
        path = tmp_path / f"{name}{ending}"
        table = frame.rename_axis("person").reset_index()
        table.to_csv(path, index=False) if ending == ".csv" else table.to_parquet(path)
        return evidence.read(path, advice, "write it again")

    given = {"certificate": certificate, "reasons": reasons}
    read = {name: through_a_file(frame, name) for name, frame in given.items()}
    assert list(letters.compose(advice, **given)) == list(letters.compose(advice, **read))


def test_a_file_of_reasons_may_hold_none(advice, reasons, tmp_path):
    path = tmp_path / "reasons.csv"
    reasons.head(0).rename_axis("person").reset_index().to_csv(path, index=False)
    found = evidence.read(path, advice, "")
    assert "could not be established" in said(advice, "minimal", reasons=found)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"person,rank\nMrs Meier,1\n", "its first column 'person' names people who are not in"),
        (b"", "it is empty"),
        (b"\xff", "byte 0 is not UTF-8"),
    ],
)
def test_a_file_about_others_is_refused_without_naming_them(advice, tmp_path, content, sentence):
    path = tmp_path / "reasons.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=sentence) as shown:
        evidence.read(path, advice, "write it again")
    assert "Meier" not in str(shown.value)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda t: t.iloc[:3], "not about this advice"),
        (lambda t: pd.concat([t, t.iloc[:1]]), "not about this advice"),
        (lambda t: t.assign(outcome="minimal"), "not about this advice"),
        (lambda t: t.drop(columns="confidence"), "the column 'confidence' is missing"),
        (lambda t: t.assign(lower=1.5), "'lower' in row 1 is 1.5 and must be empty or a share"),
        (lambda t: t.rename(index={"found": "somebody"}), "names people who are not in the advice"),
        (lambda t: "table", "certificate is str; it must be a table"),
    ],
)
def test_a_certificate_of_other_advice_is_refused(advice, certificate, spoil, sentence):
    with pytest.raises(InputError, match=sentence):
        letters.compose(advice, certificate=spoil(certificate))


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda t: t.assign(feature="wealth"), "the reasons name 'wealth'"),
        (lambda t: t.assign(rank=0.5), "'rank' in row 1 is 0.5"),
        (lambda t: t.drop(columns="blocking"), "the column 'blocking' is missing"),
        (lambda t: t.rename(index={"minimal": "x"}), "names people who are not in the advice"),
    ],
)
def test_reasons_that_do_not_fit_are_refused(advice, reasons, spoil, sentence):
    with pytest.raises(InputError, match=sentence):
        letters.compose(advice, reasons=spoil(reasons))
