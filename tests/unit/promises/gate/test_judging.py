import numpy as np
import pytest
from samples import judged

import standfast as sf
from standfast.promises import Promises
from standfast.promises.gate.judging import Judge
from standfast.promises.verdict import Verdict


@pytest.mark.parametrize("seed", range(60))
def test_verdicts_equal_brute_force_over_every_point_of_the_box(seed):
    assert judged.faults(seed) == ([], [])


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
