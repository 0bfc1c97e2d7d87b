"""Growing spheres on Give Me Some Credit: CPU per person, 1,000 candidates per shell."""

import standfast as sf
from benchmarks.blocks import timed
from benchmarks.sets import real_or_twin


def run() -> list[dict[str, object]]:
    whole = real_or_twin("give_me_some_credit")
    train, test = whole.split(0.8, seed=0)
    method = sf.GrowingSpheres(whole.schema, sf.Percentiles.fit(train.table))
    title = f"growing spheres, {{}}, {whole.name}{' (twin)' * whole.is_twin}"
    return timed(title, method, train, test, (2.0, 8.0))
