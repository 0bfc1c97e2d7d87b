"""Laws of the measures, for models and people nobody thought of."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import standfast as sf

SCHEMA = sf.Schema((sf.Feature("a", "count"), sf.Feature("b", "count")))
TABLE = pd.DataFrame({"a": np.arange(12), "b": np.arange(12)[::-1]})
Q = sf.Percentiles.fit(TABLE)
BEST = sf.MinimalCost(SCHEMA, Q)

weight = st.floats(-2, 2).map(lambda w: round(w, 2))
linear = st.builds(
    lambda a, b, c: sf.Linear([a, b], c),
    weight,
    weight,
    st.floats(-9, 9).map(lambda c: round(c, 2)),
)


@settings(max_examples=60)
@given(f=linear, rivals=st.lists(linear, min_size=1, max_size=4))
def test_shares_counts_and_disagreements_hang_together(f, rivals):
    named = {f"g{k}": g for k, g in enumerate(rivals)}
    found = sf.multiplicity(named, TABLE, SCHEMA, reference=f)
    assert (
        0
        <= found.discrepancy
        <= found.ambiguity
        <= min(1.0, found.rivals["conflict"].sum() + 1e-12)
    )
    assert (found.rivals["newly_refused"] + found.rivals["newly_accepted"]).tolist() == (
        (found.rivals["conflict"] * len(TABLE)).round().astype(int).tolist()
    )
    D = found.pairwise.to_numpy()
    assert np.allclose(D, D.T)
    assert (D[:, :, None] <= D[:, None, :] + D.T[None, :, :] + 1e-9).all()  # a metric
    refused = found.people["refusing"].sum()
    assert refused == found.rivals["refused"].sum()


@settings(max_examples=40)
@given(f=linear, rivals=st.lists(linear, min_size=1, max_size=3))
def test_joint_advice_is_kept_by_all_it_was_made_for(f, rivals):
    named = {f"g{k}": g for k, g in enumerate(rivals)}
    recs = sf.recommend(BEST, sf.Unanimous([f, *rivals]), TABLE)
    if not recs.found.any():
        return
    found = sf.transfer(recs, {"f": f, **named})
    assert (found.rivals["transfer"] == 1.0).all()
    assert ((found.rivals["lower"] <= 1) & (found.rivals["upper"] == 1)).all()
    assert (found.people["share"].dropna() == 1.0).all()


@settings(max_examples=40)
@given(f=linear, g=linear)
def test_the_surprise_of_each_person_lies_between_zero_and_one(f, g):
    if f.accepts(SCHEMA.matrix(TABLE)).all():
        return
    found = sf.surprise(f, g, TABLE, BEST)
    table = found.advice("sparse")
    assert table["ratio"].dropna().between(0, 1).all()
    joint = table["cost_joint"]
    assert (np.maximum(table["cost_f"], table["cost_g"]) <= joint + 1e-9).all()
    row = found.summary.loc["sparse"]
    assert row["answered_joint"] + row["infeasible_joint"] == row["n_joint"]
    for mended in found.repairs.values():
        shown = mended.summary
        assert shown["kept"] + shown["broken"] == shown["n_E"]
        parts = [shown[f"{what}_from_start"] for what in ("n", "beyond", "unknown")]
        assert sum(parts) == shown["broken"]
        # who has not moved pays no more than c*(g) says
        start = mended.people["from_start"].dropna()
        assert np.allclose(start, table.loc[start.index, "cost_g"])
