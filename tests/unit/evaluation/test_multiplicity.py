import numpy as np
import pandas as pd
import pytest

import standfast as sf

SCHEMA = sf.Schema((sf.Feature("a", "real"),))
PEOPLE = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0]}, index=list("pqrs"))


def above(cut):
    return sf.Linear([1.0], -cut)


def test_ambiguity_discrepancy_and_delta_are_what_counting_says():
    found = sf.multiplicity(
        {"stricter": above(2.5), "milder": above(0.5)}, PEOPLE, SCHEMA, reference=above(1.5)
    )
    # the reference accepts r, s; the stricter s alone; the milder q, r, s
    assert found.ambiguity == 0.5
    assert found.discrepancy == 0.25
    assert found.rivals["newly_refused"].tolist() == [1, 0]
    assert found.rivals["newly_accepted"].tolist() == [0, 1]
    assert found.rivals["n_A"].tolist() == [3, 2]
    assert found.rivals["delta"].tolist() == pytest.approx([1.0, 1.0])
    assert found.people["refusing"].tolist() == [2, 1, 1, 0]
    assert found.people["share_refusing"].tolist() == [1.0, 0.5, 0.5, 0.0]
    assert found.pairwise.loc["stricter", "milder"] == 0.5
    assert (found.pairwise.to_numpy().diagonal() == 0).all()
    assert "ambiguity 0.500" in repr(found)


def test_pairwise_disagreement_agrees_with_brute_force(world):
    models = {"reference": world.f, **world.rivals}
    found = sf.multiplicity(world.rivals, world.test.table, world.test.schema, reference=world.f)
    X = world.test.schema.matrix(world.test.table)
    for one, f in models.items():
        for other, g in models.items():
            expected = (f.accepts(X) != g.accepts(X)).mean()
            assert found.pairwise.loc[one, other] == pytest.approx(expected, abs=1e-12)
    refused = ~world.f.accepts(X) | ~world.g.accepts(X)
    expected = np.abs(world.f.score(X) - world.g.score(X))[refused].mean()
    assert found.rivals.loc["forest", "delta"] == pytest.approx(expected)


def test_scores_that_share_no_unit_have_no_delta(world):
    other = sf.Linear(np.ones(len(world.test.schema)), 0.0)
    found = sf.multiplicity({"sum": other}, world.test.table, world.test.schema, reference=world.f)
    assert np.isnan(found.rivals.loc["sum", "delta"])
    assert not found.rivals.loc["sum", "one_scale"]


def test_where_nobody_is_refused_delta_is_missing_and_counted():
    found = sf.multiplicity({"g": above(-2)}, PEOPLE, SCHEMA, reference=above(-1))
    assert found.rivals.loc["g", "n_A"] == 0
    assert np.isnan(found.rivals.loc["g", "delta"])


def test_a_mapping_needs_its_reference_and_the_same_inputs():
    with pytest.raises(sf.InputError, match="a mapping names no reference"):
        sf.multiplicity({"g": above(1)}, PEOPLE, SCHEMA)
    with pytest.raises(sf.InputError, match="the reference reads 2 inputs and the people have 1"):
        sf.multiplicity({"g": above(1)}, PEOPLE, SCHEMA, reference=sf.Linear([1.0, 1.0], 0.0))
