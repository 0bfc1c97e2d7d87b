import numpy as np
import pandas as pd
import pytest
from scipy import stats

from standfast import Feature, InputError, Recommendations, Schema
from standfast.recommendations.causes import AcceptedBy
from standfast.recommendations.sentences import explain
from standfast.recommendations.target import Shortfall, Target

SCHEMA = Schema((Feature("debt", "count", lower=0, upper=9, step=1),))
ASKED = {"validity": 0.9, "choose": {"part": "choose", "models": [f"m{i}" for i in range(50)]}}


def advice(counts, settings=None):
    index = pd.Index([f"p{i}" for i in range(len(counts))], name="person")
    yes = pd.Series(counts, index, dtype="Int64")
    results = pd.DataFrame(
        {
            "outcome": np.where(yes.isna(), "exhausted", "found"),
            "cause": None,
            "cost": 1.0,
            "lower_bound": np.nan,
            "seconds": 0.0,
            "binding": [()] * len(counts),
            "accepted_by": yes,
        },
        index=index,
    )
    own = SCHEMA.table(np.full((len(counts), 1), 5.0), index)
    goal = SCHEMA.table(np.where(yes.isna(), np.nan, 3.0)[:, None], index)
    about = {"settings": ASKED if settings is None else settings}
    return Recommendations(SCHEMA, own, goal, results, about)


@pytest.mark.parametrize(
    ("m", "validity", "needed"), [(50, 0.9, 48), (100, 0.9, 93), (25, 0.9, 24), (5, 0.95, 5)]
)
def test_one_standard_error_more_than_the_share_is_needed(m, validity, needed):
    target = Target(validity, m)
    assert target.needed == needed
    assert target.error == pytest.approx(np.sqrt(m * validity * (1 - validity)))


def said(yes, most=None, **more):
    return explain(AcceptedBy(yes, 50, 0.9, most, **more), SCHEMA, [], advised=True)


def test_the_remark_on_a_missed_target_says_why_94_per_cent_are_too_few():
    assert said(47, 49) == (
        "The target of 90 % asks for 48 of the 50 choosing models: 45, and one standard error "
        "(2.1) more because the same models choose the advice. It could not be reached: 47 of the "
        "50 choosing models accept this advice, the most that was found; no more than 49 could."
    )
    assert "It was not reached: 47 of" in said(47, 50, ended=True)
    assert "could." not in said(47, 50)
    assert "It cannot be reached: 5 of them refuse all advice" in said(40, 45)


def test_advice_that_passes_has_its_count_in_the_remark_too():
    assert said(49) == (
        "49 of the 50 choosing models accept this advice; the target of 90 % asks for 48."
    )


def test_the_chance_to_be_below_is_the_binomial_tail():
    target, k = Target(0.9, 50), np.arange(51)
    np.testing.assert_allclose(target.chance_below(k), stats.binom.sf(k - 1, 50, 0.9))


def test_the_summary_counts_the_missed_and_estimates_those_below_the_share():
    recs = advice([48] * 200 + [50] * 87 + [47] * 6 + [None] * 7)
    short = recs.shortfall
    assert (short.advised, short.missed) == (293, 6)
    expected = 200 * stats.binom.sf(47, 50, 0.9) + 6 * stats.binom.sf(46, 50, 0.9) + 87 * 0.9**50
    assert short.expected == pytest.approx(expected)
    assert short.sentence == (
        "The target of 90 % is missed for 6 of 293 people, as counted by the models that chose the "
        "advice. Of models that nobody has seen, fewer than 90 % accept the advice of an estimated "
        "24 of 293 people. A certificate gives a bound for each person."
    )
    assert "an estimated 24 of 293 people" in recs._repr_html_()


def test_without_a_target_or_counts_there_is_no_shortfall():
    assert advice([48], {"breach_cost": 1.0, "choose": ASKED["choose"]}).shortfall is None
    assert advice([48], {}).shortfall is None
    recs = advice([48])
    older = Recommendations(
        *(recs.schema, recs.factual, recs.counterfactual),
        recs.results.drop(columns="accepted_by"),
        recs.provenance,
    )
    assert older.shortfall is None
    assert Shortfall.counted(Target(0.9, 50), []).advised == 0


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_counts_are_a_column_of_the_table_and_of_the_file(tmp_path, ending):
    recs = advice([48, None, 50])
    assert recs.to_frame()["accepted_by"].tolist() == [48, pd.NA, 50]
    recs.write(tmp_path / f"advice.{ending}")
    again = Recommendations.read(tmp_path / f"advice.{ending}")
    pd.testing.assert_series_equal(
        again.results["accepted_by"], recs.results["accepted_by"], check_index_type=False
    )
    assert again.shortfall == recs.shortfall


def test_a_feature_cannot_have_the_name_of_the_counts():
    with pytest.raises(InputError, match="has the name of a result column"):
        Schema((Feature("accepted_by"),))
