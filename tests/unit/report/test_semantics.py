import numpy as np
import pandas as pd

from standfast.report.semantics import semantics
from standfast.studies.tables import TIDY


def table(*rows):
    about = {"data": "heloc", "reference": "linear", "person": "4"}
    return pd.DataFrame([about | row for row in rows], columns=list(TIDY["semantics"].columns))


def row(method, feature, value, mark="", why=""):
    return {
        "method": method,
        "feature": feature,
        "label": f"the {feature}",
        "value": value,
        "mark": mark,
        "why": why,
    }


def test_changes_and_doubts_are_marked_and_explained():
    shown = semantics(
        table(
            row("GS, as published", "late", 2.766, "ambiguous", "a count that is not whole"),
            row("", "late", 3.0),
            row("", "debt", 0.19),
            row("AR", "late", 3.0, "inconsistent", "less late, yet later"),
            row("AR", "debt", np.nan),
        )
    )
    assert shown.person == "4"
    assert shown.methods == ["", "AR", "GS, as published"]
    label, feature, (own, ar, gs) = shown.rows[0]
    assert (label, feature) == ("the late", "late")
    assert (own.text, own.changed, own.sign) == ("3", False, "")
    assert (ar.text, ar.changed, ar.sign) == ("3", False, "‡")
    assert (gs.text, gs.exact, gs.changed, gs.sign) == ("2.77", "2.766", True, "†")
    assert [cell.text for cell in shown.rows[1][2]] == ["0.19", "–", "–"]
    assert [(n.mark, n.why, n.where) for n in shown.notes] == [
        ("ambiguous", "a count that is not whole", "GS, as published: late"),
        ("inconsistent", "less late, yet later", "AR: late"),
    ]


def test_a_scene_without_a_person_has_no_table():
    assert semantics(table()) is None
