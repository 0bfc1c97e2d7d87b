"""Tables to draw: the invented study as it is, and with as many rivals as a real one has."""

import numpy as np
import pandas as pd
import pytest
from samples.study import SCENES, sample_figures, sample_tables

from standfast.rivals import grids
from standfast.studies.names import METHODS


@pytest.fixture(scope="session")
def tables():
    return sample_tables()


@pytest.fixture(scope="session")
def figures():
    return sample_figures()


@pytest.fixture(scope="session")
def few(tables):
    """One scene with few methods and inputs, for tests that draw all of it many times."""
    left_out = ["AR", "minimal cost", "unanimous", "BetaRCE", "raised threshold"]
    found = {}
    for name, table in tables.items():
        table = table[table["reference"] == "linear"]
        for column in ("method", "group"):
            if column in table:
                table = table[~table[column].isin(left_out)]
        if "judges" in table:
            table = table[table["judges"] != "later data"]
        if name in ("histograms", "distances"):
            table = table[table["feature"] != table["feature"].iloc[-1]]
        found[name] = table
    return found


@pytest.fixture(scope="session")
def crowded(tables):
    """Fifty linear and twelve forest rivals wherever rivals are shown."""
    rivals = [(name, "linear", k) for k, name in enumerate(grids.linear())]
    rivals += [(name, "forests", k) for k, name in enumerate(grids.forests())]
    rng = np.random.default_rng(0)
    rows = {name: [] for name in ("transfer", "surprise", "bounds", "binding")}
    for data, reference in SCENES:
        scene = {"data": data, "reference": reference}
        for rival, grid, position in rivals:
            about = scene | {"rival": rival, "grid": grid, "position": position}
            for name in rows:
                first = tables[name].iloc[0].to_dict()
                rows[name] += [
                    first | {key: value for key, value in (about | own).items() if key in first}
                    for own in _variants(name, rng)
                ]
    return tables | {name: pd.DataFrame(found) for name, found in rows.items()}


def _variants(name, rng):
    """What tells the rows of one rival apart."""
    if name == "transfer":
        return [{"method": method, "transfer": rng.random()} for method in METHODS]
    if name == "surprise":
        return [
            {"advice": kind, "cost_joint": rng.gamma(3), "unproven": 3}
            for kind in ("sparse", "support")
        ]
    if name == "bounds":
        return [
            {"bound": bound, "total": 10.0**power, "tightness": 1.2 / 10.0**power}
            for bound, power in (("proposition 2", 6), ("proposition 2'", 2), ("lemma 1", 0))
        ]
    return [{"times": 5, "share": rng.random()}]
