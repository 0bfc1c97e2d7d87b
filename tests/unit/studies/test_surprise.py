"""The bounds of the study: how many people they are about, and what their note says."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import standfast as sf
from standfast.studies.surprise import _bounds

SCHEMA = sf.Schema((sf.Feature("a", "count"), sf.Feature("b", "count")))


def rows(unknown):
    """The study's table of bounds for 200 refused people, 5 without an answer."""
    values = np.random.default_rng(0).integers(0, 9, size=(200, 2))
    people = pd.DataFrame(values, columns=["a", "b"])
    f, g = sf.Linear([1.0, 1.0], -20.0), sf.Linear([2.0, 1.0], -30.0)
    cost = (20.0 - values.sum(axis=1)) / 20.0
    cost[:5], cost[5 : 5 + unknown] = np.inf, np.nan
    costs = pd.DataFrame({"cost_f": cost, "cost_joint": cost})
    scene = SimpleNamespace(data=SimpleNamespace(schema=SCHEMA), f=f)
    return list(_bounds(scene, g, people, np.full(200, -1.0), costs))


@pytest.mark.parametrize("unknown", [0, 1, 4])
def test_the_note_and_the_count_leave_out_the_same_people(unknown):
    found = rows(unknown)
    assert len(found) == 5
    for row in found[1:]:
        out, refused, *more = map(
            int, re.findall(r"(?<![.])\b\d+(?= (?:of|refused|more)|$)", row["note"])
        )
        named = out + (more[0] if unknown else 0)
        assert (out, refused) == (5, 200)
        assert row["n"] == refused - named, row["note"]
        assert unknown == 0 or row["note"].endswith(
            f"the mean cost is that of the other {row['n']}"
        )
