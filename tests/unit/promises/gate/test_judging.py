import numpy as np
import pytest
from samples import judged

import standfast as sf
from standfast.promises import Promises
from standfast.promises.gate.judging import Judge
from standfast.promises.verdict import Verdict


def check_against_brute_force(seed):
    """Every verdict equals what asking the model about every point says; the number undecided."""
    rng = np.random.default_rng(seed)
    schema = judged.schema(rng)
    model, promises = judged.model(rng, schema), judged.promises(rng, schema, 6)
    found = Judge.of(model, schema, nodes=5000).judge(promises)
    undecided = 0
    for i in range(len(promises)):
        points = judged.points_of(promises, i)
        accepted = model.accepts(points)
        verdict, good = Verdict(found.verdicts[i]), bool(model.accepts(promises.point[[i]])[0])
        assert (verdict is Verdict.BROKEN) == (not good)
        if verdict is Verdict.KEPT:
            assert accepted.all()
        if found.shown[i]:
            worst = found.evidence[[i]]
            assert verdict is Verdict.AT_RISK
            assert not model.accepts(worst)[0]
            assert (points == worst).all(axis=1).any()
        undecided += verdict is Verdict.AT_RISK and not found.shown[i]
        if found.void[i]:
            assert not accepted.any()
        elif not good and not isinstance(model, sf.Unanimous | sf.Segmented):
            assert accepted.any()
    return undecided


@pytest.mark.parametrize("seed", range(60))
def test_verdicts_equal_brute_force_over_every_point_of_the_box(seed):
    assert check_against_brute_force(seed) == 0


@pytest.mark.parametrize("seed", range(25))
def test_a_model_keeps_in_full_what_it_promised_itself(seed):
    rng = np.random.default_rng(seed)
    schema = judged.schema(rng)
    model = judged.member(rng, schema)
    people = schema.table(np.array([judged.person(rng, schema) for _ in range(12)]))
    q = sf.Percentiles.fit(people)
    advice = sf.recommend(sf.MinimalCost(schema, q), model, people)
    promises = Promises.of(advice, sf.region(advice, model, q))
    found = Judge.of(model, promises.schema).judge(promises)
    assert (found.verdicts == Verdict.KEPT).all()
