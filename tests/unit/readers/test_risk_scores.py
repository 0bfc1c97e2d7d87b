"""FasterRisk's risk scores, from the model and from what it shows of it."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from samples.cheapest import assert_cheapest

import standfast as sf
from standfast.errors import InputError
from standfast.readers import read_risk_score

SCHEMA = sf.Schema(
    (
        sf.Feature("age", "count"),
        sf.Feature("late", "binary"),
        sf.Feature("home", "nominal", categories=("rent", "own", "family")),
        sf.Feature("debt", step=0.5, when_missing="keep"),
    )
)
NAMES = ["age<=25", "age<=40", "late", "home_own", "debt>1.5"]
WEIGHTS = np.array([2.0, 1.0, 4.0, -3.0, 2.0])


def classifier():
    """The public fields of FasterRisk's RiskScoreClassifier."""
    return SimpleNamespace(multiplier=1.7, intercept=-3.0, coefficients=WEIGHTS, featureNames=NAMES)


def shown():
    """What FasterRisk's get_models_in_dict holds of the model."""
    scores = sorted({sum(s) for s in itertools.product(*((0.0, w) for w in WEIGHTS))})
    scale = [[s, 1.0 / (1.0 + np.exp(-(s - 3.0) / 1.7))] for s in scores]
    return {"feature_data": [[w, n] for w, n in zip(WEIGHTS, NAMES, strict=True)],
            "risk_scale": scale}  # fmt: skip


def printed():
    """What FasterRisk's print_model_card prints of it."""
    scale = shown()["risk_scale"]
    lines = ["The Risk Score is:"]
    lines += [
        f"{i + 1}. {name:>12}     {int(w):>2} point(s) | + ..."
        for i, (name, w) in enumerate(zip(NAMES, WEIGHTS, strict=True))
    ]
    lines.append(" " * 26 + "SCORE | =    ")
    half = (len(scale) + 1) // 2
    for part in (scale[:half], scale[half:]):
        lines.append("SCORE |" + "".join(f"  {s:>4}  |" for s, _ in part))
        lines.append("RISK  |" + "".join(f" {round(100 * p, 1):>5}% |" for _, p in part))
    return "\n".join(lines)


def rows():
    ages, debts = [18.0, 25.0, 26.0, 40.0, 41.0], [0.0, 1.5, np.nextafter(1.5, 2), 2.0]
    return np.array(list(itertools.product(ages, [0.0, 1.0], [0.0, 1.0, 2.0], debts)))


def risk(X):
    own = X[:, 2] == 1.0  # family, own, rent
    binary = np.column_stack((X[:, 0] <= 25, X[:, 0] <= 40, X[:, 1] == 1, own, X[:, 3] > 1.5))
    return 1.0 / (1.0 + np.exp(-(binary @ WEIGHTS - 3.0) / 1.7))


@pytest.mark.parametrize("favourable", [1, -1])
def test_the_model_gives_its_own_probability(favourable):
    score = read_risk_score(classifier(), SCHEMA, favourable=favourable, threshold=0.7)
    own = risk(rows()) if favourable == 1 else 1.0 - risk(rows())
    assert np.abs(score.score(rows()) - (own - 0.7)).max() <= 1e-12


@pytest.mark.parametrize("favourable", [1, -1])
@pytest.mark.parametrize("card", [shown(), printed()], ids=["dictionary", "text"])
def test_what_it_shows_of_itself_gives_its_own_decisions(card, favourable):
    score = read_risk_score(card, SCHEMA, favourable=favourable, threshold=0.6)
    own = risk(rows()) if favourable == 1 else 1.0 - risk(rows())
    assert np.array_equal(score.accepts(rows()), own > 0.6)


def test_a_missing_value_that_a_condition_reads_is_refused():
    score = read_risk_score(classifier(), SCHEMA, favourable=-1, threshold=0.01)
    assert score.accepts(np.array([[50.0, 0.0, 1.0, -np.inf], [50.0, 0.0, 1.0, 0.0]])).tolist() == [
        False,
        True,
    ]


def test_the_cheapest_advice_under_a_risk_score_is_the_cheapest_there_is():
    score = read_risk_score(classifier(), SCHEMA, favourable=-1, threshold=0.8)
    table = pd.DataFrame(
        {
            "age": [20, 30, 45, 24, 50, 38],
            "late": [1, 1, 0, 0, 1, 0],
            "home": ["rent", "own", "family", "rent", "own", "family"],
            "debt": [2.0, 1.5, 0.5, 3.0, 2.5, 0.0],
        }
    )
    refused = table[~score.accepts(SCHEMA.matrix(table))]
    assert assert_cheapest(score, SCHEMA, table, refused) >= 3


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"featureNames": None}, "does not know its features' names; call its reset_featureNames"),
        ({"featureNames": ["Age_22_to_29", *NAMES[1:]]}, "'Age_22_to_29' is neither a column of"),
        ({"featureNames": ["age<=old", *NAMES[1:]]}, "'age<=old' compares with 'old'; it must be"),
        ({"featureNames": ["home<=own", *NAMES[1:]]}, "the categories of 'home' have no order"),
        ({"featureNames": ["home=boat", *NAMES[1:]]}, "'boat', which is not a category"),
        ({"featureNames": ["debt", *NAMES[1:]]}, "'debt' itself has points, and so it must be a"),
    ],
)
def test_a_name_that_says_nothing_is_refused(change, sentence):
    card = SimpleNamespace(**{**vars(classifier()), **change})
    with pytest.raises(InputError, match=sentence):
        read_risk_score(card, SCHEMA, favourable=-1)


@pytest.mark.parametrize(
    ("card", "ways", "sentence"),
    [
        ("nothing of the kind", {"favourable": 1}, "no points or no risks were found; pass a Risk"),
        (printed(), {"favourable": 0}, "favourable is 0; a FasterRisk model separates 1"),
        (printed(), {"favourable": 1, "threshold": 1.0}, "the threshold is 1, but a probability"),
        (printed(), {"favourable": 1, "threshold": 0.9999}, "no score of the risk scale has a fav"),
        (printed() + "\nSCORE |  9.0  |", {"favourable": 1}, "scores and .* risks; copy both rows"),
        (7, {"favourable": 1}, "no points or no risks were found"),
    ],
)
def test_what_is_no_risk_score_is_refused(card, ways, sentence):
    with pytest.raises(InputError, match=sentence):
        read_risk_score(card, SCHEMA, **ways)
