"""Provenance: typed for programs, plain values for files, and readable as a mapping."""

import json

from standfast import Feature, Linear, MinimalCost, Percentiles, Schema, Unanimous, recommend
from standfast.recommendations import Model, Provenance


def advised(tmp_path):
    import pandas as pd

    table = pd.DataFrame({"late": range(10)})
    schema = Schema((Feature("late", "count"),))
    usual, rivals = Linear([0.0], 1.0), [Linear([-1.0], 5.5), Linear([-1.0], 4.5)]
    method = MinimalCost(schema, Percentiles.fit(table), support=usual)
    model = Unanimous(rivals, names=("bank A", "bank B"))
    return recommend(method, model, table, seed=5), rivals, usual


def test_every_model_used_is_listed_with_its_role_and_its_name(tmp_path):
    recs, rivals, usual = advised(tmp_path)
    assert recs.provenance.models == (
        Model(rivals[0].digest, "model", "bank A"),
        Model(rivals[1].digest, "model", "bank B"),
        Model(usual.digest, "support"),
    )
    assert recs.provenance.names == ("bank A", "bank B", "the data support")
    assert recs.provenance.settings["support"] == usual.digest


def test_plain_values_give_the_provenance_back(tmp_path):
    origin = advised(tmp_path)[0].provenance
    assert Provenance.from_json(json.loads(json.dumps(origin.to_json()))) == origin


def test_a_provenance_reads_as_a_mapping_of_plain_values(tmp_path):
    origin = advised(tmp_path)[0].provenance
    assert origin["seed"] == origin.seed == 5
    assert origin.get("rivals") is None
    assert dict(origin) == origin.to_json()
    assert len({**origin, "rivals": 3}) == len(origin) + 1


def test_the_models_of_version_0_1_0_were_in_its_settings():
    parts = {name: {"part": f"{name} them", "models": [name * 3]} for name in ("search", "choose")}
    found = Provenance.from_json({"models": ["a", "b"], "settings": {"validity": 0.9, **parts}})
    assert found.models[:2] == (Model("a"), Model("b"))
    assert found.role("choose") == (Model("choosechoosechoose", "choose"),)
    assert found.settings == {"validity": 0.9, "search": "search them", "choose": "choose them"}
