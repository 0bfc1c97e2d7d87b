"""A person's own value is shown as it is, also where it lies between the schema's steps."""

import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import standfast as sf
from standfast.person_view.facts import Strips

TABLE = pd.DataFrame(
    {
        "debt": [10.0, 20.0, 40.0, 80.0, 94.5, 120.0],
        "income": [900.0, 1200.0, 2000.5, 1500.0, 1234567.25, 800.0],
        "home": ["own", "rent", "own", "rent", "rent", "own"],
    }
)
SCHEMA = sf.Schema(
    (
        sf.Feature("debt", "positive", direction="down", step=1),
        sf.Feature("income", "positive", mutable=False, step=50),
        sf.Feature("home", "nominal", categories=("own", "rent"), mutable=False),
    )
)
MODEL = sf.Linear([-1.0, 0.0, 0.0], 50.5)
PERCENTILES = sf.Percentiles.fit(TABLE)


@pytest.fixture(scope="module")
def advice() -> sf.Recommendations:
    return sf.recommend(sf.MinimalCost(SCHEMA, PERCENTILES), MODEL, TABLE.iloc[[4]])


@pytest.mark.parametrize(
    ("step", "value", "text"),
    [
        (1, 94.5, "94.5"),
        (1, 94.0, "94"),
        (50, 1234567.25, "1234567.25"),
        (50, 1234.0, "1234"),
        (0.01, 0.613, "0.613"),
        (0.1, 0.1 + 0.2, "0.3"),  # the noise of a sum is nothing that a person has
        (0.01, -0.0, "0"),
        (1, 12345678901.75, "12345678901.75"),
        (0.5, 1e22, "10000000000000000000000"),
    ],
)
def test_values_are_shown_with_their_own_decimals(step: float, value: float, text: str) -> None:
    assert sf.Feature("x", step=step).shown(value) == text


def test_sentences_changes_and_tables_have_the_value_itself(advice: sf.Recommendations) -> None:
    sentence = advice.sentences().item()
    assert sentence.startswith("Lower debt from 94.5 to ")
    assert advice.changes()["factual"].tolist() == [94.5]
    goal = advice.counterfactual["debt"].item()
    assert goal == round(goal)
    assert "1234567.25" in advice._repr_html_()  # not 1.235e+06


def test_letters_have_the_value_in_their_language(advice: sf.Recommendations) -> None:
    for language, text in (("en", "94.5"), ("de", "94,5")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # there are no German labels
            letter = sf.letters.compose(advice, language=language)[4]
        assert text in letter.text
        assert text in letter.html


def test_pictures_and_pages_have_the_value(advice: sf.Recommendations) -> None:
    drawn = sf.plot_person(advice, 4, PERCENTILES)
    said = {text.get_text() for text in drawn.findobj(Text)}
    goal = advice.counterfactual["debt"].item()
    assert f"94.5 → {goal:.0f}" in said
    assert "1234567.25" in said
    strips = Strips(SCHEMA.complete(TABLE), PERCENTILES)
    assert strips.standing(SCHEMA.matrix(TABLE)[4])["shown"] == ["94.5", "1234567.25", "rent"]


def test_objections_name_the_value_itself() -> None:
    schema = sf.Schema((sf.Feature("income", "positive", valid=(0, 1000000), step=50),))
    doubt = schema.doubts(np.array([[1234567.25]]))[0]
    assert doubt == "income is 1234567.25, above 1000000, the greatest value that is valid"
    fixed = sf.Schema((sf.Feature("income", "positive", mutable=False, step=50),))
    (said,) = fixed.complete(TABLE[["income"]]).objections([1234567.25], [1234550.0])
    assert said == "income may not change, but goes from 1234567.25 to 1234550"
