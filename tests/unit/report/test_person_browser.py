import json

import numpy as np
import pandas as pd

from standfast.report import person_browser
from standfast.report.person_browser import people_json, shown


def test_every_person_has_their_values_advice_and_verdicts(tables):
    scene = json.loads(people_json(tables, {}))["scenes"][1]
    assert (scene["label"], scene["slug"]) == (
        "Twin of HELOC, forest reference",
        "twin-heloc-forest",
    )
    values = tables["values"].query("reference == 'forest' and method == ''")
    advice = tables["advice"].query("reference == 'forest'")
    verdicts = tables["verdicts"].query("reference == 'forest'")
    assert [person["person"] for person in scene["people"]] == list(advice["person"].unique())
    for person in scene["people"]:
        own = values[values["person"] == person["person"]].set_index("feature")["value"]
        assert person["values"] == list(own[scene["features"]])
        ranks = values[values["person"] == person["person"]].set_index("feature")["percentile"]
        assert person["ranks"] == list(ranks[scene["features"]])
        rows = advice[advice["person"] == person["person"]].set_index("method")
        assert [stated["method"] for stated in person["advice"]] == list(rows.index)
        for stated in person["advice"]:
            row = rows.loc[stated["method"]]
            assert (stated["found"], stated["sentence"]) == (row["found"], row["sentence"])
            if stated["found"]:
                assert (stated["total"], stated["kept"]) == (row["total"], row["kept"])
                assert len(stated["ranks"]) in (0, len(scene["features"]))
                judged = verdicts.query(
                    "person == @person['person'] and method == @stated['method']"
                )
                kept = judged.set_index("rival")["kept"][scene["rivals"]]
                assert stated["judged"] == "".join("01"[int(k)] for k in kept)
            else:
                assert "total" not in stated


def test_only_so_many_people_are_embedded(one_scene):
    few = one_scene["advice"].head(1)
    many = pd.concat([few.assign(person=str(k)) for k in range(person_browser.MOST + 5)])
    study = one_scene | {"advice": many}
    assert shown(study) == [("Twin of HELOC, linear reference", 200, 205)]
    assert len(json.loads(people_json(study, {}))["scenes"][0]["people"]) == 200


def test_what_is_missing_or_endless_is_valid_json(one_scene):
    values = one_scene["values"].assign(value=np.nan)
    advice = one_scene["advice"].assign(found=True, total=np.inf, kept=np.nan)
    person = json.loads(people_json(one_scene | {"values": values, "advice": advice}, {}))
    stated = person["scenes"][0]["people"][0]["advice"][0]
    assert (stated["total"], stated["kept"]) == (None, None)


def test_no_name_can_end_the_script_element(one_scene):
    bad = "</script><b>&"
    values = one_scene["values"].assign(feature=bad)
    text = people_json(one_scene | {"values": values}, {})
    assert not set("<>&") & set(text)
    assert json.loads(text)["scenes"][0]["features"] == [bad]


def test_a_study_without_people_is_an_empty_browser(empty):
    assert json.loads(people_json(empty, {})) == {"colours": {}, "scenes": []}
    assert shown(empty) == []
