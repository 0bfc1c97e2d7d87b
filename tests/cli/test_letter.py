"""standfast letter on the command line."""

import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest


@pytest.fixture
def advised(sandbox: Any) -> Any:
    """A sandbox with advice and its reasons, everybody known by a name."""
    people = pd.read_csv(sandbox.path("people.csv")).head(12)
    people["name"] = [f"Mx <b>{k}</b>" for k in range(len(people))]
    people.to_csv(sandbox.path("people.csv"), index=False)
    labels = {"income": "Monatseinkommen", "debt": "Schulden", "age": "Alter"}
    text = sandbox.path("schema.toml").read_text()
    for name, label in labels.items():
        head = f"[features.{name}]"
        text = text.replace(head, f'{head}\nlabels = {{de = "{label}"}}')
    sandbox.path("schema.toml").write_text(text)
    made = sandbox.recommend(
        method="minimal-cost", index="name", out=sandbox.path("advice.parquet")
    )
    assert made.exit_code == 0, made.output
    words = sandbox.options(method=None, index="name", out=sandbox.path("reasons.csv"))
    assert sandbox.run("reasons", *words).exit_code == 0
    return sandbox


def write(sandbox: Any, *more: Any) -> Any:
    out = sandbox.path("letters")
    return sandbox.run("letter", sandbox.path("advice.parquet"), "--out", out, *more)


def test_everybody_gets_a_letter_and_nobody_is_named_on_the_terminal(advised: Any) -> None:
    more = ["--reasons", advised.path("reasons.csv"), "--valid-until", "2999-05-31"]
    result = write(advised, "--language", "de", *more)
    assert result.exit_code == 0, result.output
    assert "12 letters written to" in result.stdout
    assert "Mx" not in result.output
    listed = pd.read_csv(advised.path("letters") / "letters.csv")
    assert listed["person"].tolist() == [f"Mx <b>{k}</b>" for k in range(12)]
    pages = [(advised.path("letters") / name).read_text("utf-8") for name in listed["html"]]
    assert all('<html lang="de">' in page and "<b>" not in page for page in pages)
    refused = [page for page in pages if "abgelehnt" in page]
    assert refused
    assert all("Gründe" in page and "31. Mai 2999" in page for page in refused)
    assert any("Monatseinkommen von" in page for page in refused)


def test_pages_show_a_picture_on_request(advised: Any) -> None:
    made = write(advised, "--picture", advised.path("train.csv"))
    assert made.exit_code == 0, made.output
    pages = [path.read_text("utf-8") for path in advised.path("letters").glob("*.html")]
    assert any("<svg" in page and "after the change" in page for page in pages)
    assert all(("<svg" in page) == ('class="changes"' in page) for page in pages)
    shutil.rmtree(advised.path("letters"))
    short = pd.read_csv(advised.path("train.csv")).drop(columns="age")
    short.to_csv(advised.path("short.csv"), index=False)
    sentence = advised.sentence(write(advised, "--picture", advised.path("short.csv")))
    assert "short.csv" in sentence
    assert "'age'" in sentence


def test_labels_can_be_added_after_the_advice_was_made(advised: Any) -> None:
    later = advised.path("later.toml")
    later.write_text(advised.path("schema.toml").read_text().replace("Monatsein", "Jahresein"))
    assert write(advised, "--language", "de", "--schema", later).exit_code == 0
    texts = [path.read_text("utf-8") for path in advised.path("letters").glob("*.txt")]
    assert any("Jahreseinkommen von" in text for text in texts)
    later.write_text('[features.income]\nkind = "positive"\n')
    shutil.rmtree(advised.path("letters"))
    sentence = advised.sentence(write(advised, "--schema", later))
    assert "later.toml': there are no labels for 'debt', 'age'" in sentence


def test_templates_can_be_copied_changed_and_used(advised: Any) -> None:
    own = advised.path("own")
    copied = advised.run("letter", "--copy-template", own)
    assert copied.exit_code == 0
    assert f"templates written to {own}" in copied.stdout
    words = own / "en" / "words.jinja"
    words.write_text(
        words.read_text("utf-8").replace("Our decision", "News from the bank:"), "utf-8"
    )
    assert write(advised, "--template", own).exit_code == 0
    assert "News from the bank" in next(advised.path("letters").glob("*.txt")).read_text("utf-8")


def test_an_unknown_field_is_named_and_nothing_is_written(advised: Any) -> None:
    own = advised.path("own")
    advised.run("letter", "--copy-template", own)
    with (own / "letter.txt").open("a") as template:
        template.write("{{ way.chnages }}")
    before = advised.listing()
    sentence = advised.sentence(write(advised, "--template", own))
    assert "letter.txt" in sentence
    assert "chnages" in sentence
    assert advised.listing() == before
    assert not advised.path("letters").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--valid-until", "31.5.2027"], ["valid_until is '31.5.2027'"]),
        (["--language", "fr"], ["'fr'", "'de', 'en'", "--copy-template"]),
        (["--reasons", "nowhere.csv"], ["nowhere.csv", "no such file"]),
        (["--template", "nowhere"], ["there is no folder 'nowhere'"]),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(
    advised: Any, more: list[str], words: list[str]
) -> None:
    sentence = advised.sentence(write(advised, *more))
    assert all(word in sentence for word in words)
    assert not advised.path("letters").exists()


def test_reasons_of_others_are_refused_without_a_name(advised: Any) -> None:
    table = pd.read_csv(advised.path("reasons.csv"))
    table.assign(name="Mx Somebody").to_csv(advised.path("others.csv"), index=False)
    sentence = advised.sentence(write(advised, "--reasons", advised.path("others.csv")))
    assert "names people who are not in the advice" in sentence
    assert "Somebody" not in sentence


def test_letters_need_advice_and_a_new_folder(advised: Any, tmp_path: Path) -> None:
    assert "name the recommendations and the folder" in advised.sentence(advised.run("letter"))
    full = advised.run("letter", advised.path("advice.parquet"), "--out", advised.folder)
    assert full.exit_code == 2
    past = write(advised, "--valid-until", "2001-01-01")
    assert past.exit_code == 0
    assert "has passed" in past.stderr
