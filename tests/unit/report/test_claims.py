import numpy as np
import pandas as pd

from standfast.report.claims import claims


def test_checks_are_gathered_claim_by_claim_and_tallied(tables):
    row = tables["claims"].iloc[0]
    rows = [
        {**row, "claim": claim, "verdict": verdict, "value": value}
        for claim, verdict, value in (
            ("a", "undecided", 0.25),
            ("b", "holds", np.nan),
            ("a", "holds", 1.5),
            ("a", "holds", 2.0),
        )
    ]
    a, b = claims(pd.DataFrame(rows, columns=row.index))
    assert (a.name, a.tally) == ("a", "2 hold and 1 is undecided")
    assert [row[2].text for row in a.table.rows] == ["0.25", "1.50", "2.00"]
    assert [row[4].sort for row in a.table.rows] == ["2", "0", "0"]
    assert [verdict for verdict, _ in a.signs] == ["holds", "holds", "undecided"]
    assert (b.tally, b.table.rows[0][2].text, b.table.rows[0][2].sort) == ("1 holds", "–", "")
    assert a.rules == [row["rule"]]


def test_a_claim_about_all_scenes_says_so(tables):
    table = tables["claims"].head(1).assign(data="", reference="")
    assert claims(table)[0].table.rows[0][0].text == "all scenes"


def test_no_claims_are_none(tables):
    assert claims(tables["claims"].iloc[:0]) == []


def test_a_heading_has_a_capital_unless_it_is_a_formula(tables):
    table = tables["claims"].head(2).assign(claim=["support costs more", "c_S ≤ c_D"])
    assert [claim.heading for claim in claims(table)] == ["Support costs more", "c_S ≤ c_D"]
