from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import standfast as sf
from standfast.promises import Promises
from standfast.promises.gate import GateSettings
from standfast.promises.gate.judging import Judge
from standfast.promises.gate.writing import as_json, junit, page
from standfast.promises.verdict import GateRecord, Verdict

HOMES = ("own", "rent")
SCHEMA = sf.Schema(
    (
        sf.Feature("late", "count", lower=0, upper=9, step=1),
        sf.Feature("income", "positive", lower=0, upper=40, step=1),
        sf.Feature("home", "nominal", categories=HOMES, mutable=False),
    )
).complete({"late": [0, 9], "income": [0, 40], "home": [0.0, 1.0]})
RNG = np.random.default_rng(0)
ROWS = np.column_stack(
    [RNG.integers(0, 10, 300), RNG.integers(0, 41, 300), RNG.integers(0, 2, 300)]
).astype(float)
TABLE = SCHEMA.table(ROWS)
F = sf.Linear([-1.0, 0.2, 0.0], -1.0)
G = sf.Linear([-1.0, 0.2, -1.5], -1.0)  # those who rent are judged harder
Q = sf.Percentiles.fit(TABLE)
LABELS = pd.Series(np.where(F.score(ROWS) + RNG.normal(0, 2, 300) > 0, 1, -1))
PEOPLE = sf.Dataset(TABLE, LABELS, SCHEMA, "people", "made up")


@pytest.fixture(scope="module")
def advice():
    return sf.recommend(sf.MinimalCost(SCHEMA, Q), F, TABLE)


@pytest.fixture(scope="module")
def promised(advice):
    return Promises.of(advice, sf.region(advice, F, Q))


class Notebook:
    """A ledger in memory: what a gate asks of one."""

    def __init__(self, promises):
        self.promises, self.records = promises, []

    def blocks(self, on=None, size=50_000):
        yield from self.promises.in_parts(70)

    def record_gate(self, record: GateRecord) -> str:
        self.records.append(record)
        return "0123"


def test_shares_add_up_and_segments_show_who_is_hit(promised):
    report = sf.gate(promised, G, segment="home", require="worst_segment(kept) >= 0.5")
    assert report.kept + report.at_risk + report.broken == pytest.approx(1.0)
    by_home = report.segments.set_index("segment")
    assert by_home.loc["own", "kept_share"] == 1.0
    assert by_home.loc["rent", "broken"] > 0
    assert not report.passed
    assert report.conditions[0].value == by_home.loc["rent", "kept_share"]
    assert report.segments["promises"].sum() == len(promised)


def test_blocks_jobs_and_sources_do_not_change_verdicts(promised):
    whole = Judge.of(G, promised.schema).judge(promised).verdicts
    ledger = Notebook(promised)
    report = sf.gate(ledger, G, settings=GateSettings(jobs=2), require="broken <= 1")
    assert report.promises["verdict"].tolist() == whole.tolist()
    assert report.root == "0123"
    (record,) = ledger.records
    assert record.passed
    assert record.verdicts.tolist() == whole.tolist()
    assert record.model == G.digest
    assert record.summary["conditions"] == ["broken <= 1"]


def test_a_run_that_is_not_recorded_leaves_no_trace(promised):
    ledger = Notebook(promised)
    assert sf.gate(ledger, G, settings=GateSettings(record=False)).root == ""
    assert not ledger.records


def test_promises_that_have_ended_do_not_count(promised):
    facts = promised.facts.assign(valid_until=pd.Timestamp("2026-01-01", tz="UTC"))
    ended = replace(promised, facts=facts)
    report = sf.gate(ended, G, on="2026-06-01", require=["kept >= 1", "promises >= 1"])
    assert report.n == 0
    assert [met.holds for met in report.conditions] == [True, False]
    assert "There are no open promises" in report.sentence
    assert "There are no open promises" in page(report)
    assert sf.gate(ended, G, on="2025-12-31").n == len(promised)


def test_champion_and_candidate_are_compared_on_people(promised):
    report = sf.gate(promised, G, champion=F, people=PEOPLE, require="newly_refused <= 0.5")
    swap, old, new = report.swap, F.accepts(ROWS), G.accepts(ROWS)
    assert swap.newly_refused == int((old & ~new).sum())
    assert swap.newly_accepted == 0
    from sklearn.metrics import roc_auc_score

    assert swap.auc == pytest.approx(roc_auc_score(LABELS, G.score(ROWS)))
    assert swap.champion_auc == pytest.approx(roc_auc_score(LABELS, F.score(ROWS)))
    assert swap.psi > 0


def test_inputs_are_counted_by_what_the_advice_changes(promised):
    report = sf.gate(promised, G)
    moved = promised.point != promised.factual
    for j, name in enumerate(SCHEMA.names):
        row = report.inputs.set_index("input").loc[name]
        assert row["changed"] == moved[:, j].sum()
        bad = report.promises["verdict"].to_numpy()[moved[:, j]] != Verdict.KEPT
        if moved[:, j].any():
            assert row["not_kept_if_changed"] == pytest.approx(bad.mean())


def test_certified_promises_are_compared_with_what_was_certified(promised):
    facts = promised.facts.assign(certified=0.92, confidence=0.95, method="invariant")
    report = sf.gate(replace(promised, facts=facts), G)
    (row,) = report.certified.to_dict("records")
    assert row["certified"] == pytest.approx(0.92)
    assert row["accepted"] == pytest.approx(1 - report.broken)
    assert "certified ≥ 92 %" in page(report)


def test_repairs_are_made_of_the_promises_that_are_not_kept(promised):
    seen = []

    def repairs(broken, some):
        seen.append(len(broken))
        assert len(some) == len(promised)
        return pd.DataFrame({"way": ["top up", "honour"], "mean_cost": [0.25, 0.0]})

    report = sf.gate(
        promised, G, require="repair_cost <= 0.2", settings=GateSettings(repairs=repairs)
    )
    assert seen == [int((report.promises["verdict"] != Verdict.KEPT).sum())]
    assert report.conditions[0].value == 0.25
    assert not report.passed
    assert "What repair would cost" in page(report)


def test_a_black_box_is_judged_by_the_point_and_the_report_says_why(promised, advice):
    model = sf.BlackBox(lambda X: F.score(X), 0.0, 3)
    report = sf.gate(promised, model)
    assert report.broken == 0.0
    assert report.undecided == report.count(Verdict.AT_RISK) > 0
    assert "whose structure cannot be read" in report.causes[0]
    points = Promises.of(advice)
    assert sf.gate(points, model).kept == 1.0  # a box of one point is decided by the point


def test_markup_in_names_is_escaped_everywhere(promised):
    named = GateSettings(name="<script>x</script>", approver='"><img>', address="a&b")
    report = sf.gate(promised, G, require="kept >= 0.5", settings=named)
    text = page(report)
    assert "<script>" not in text
    assert "<img>" not in text
    assert ElementTree.fromstring(junit(report)).attrib["name"].endswith("<script>x</script>")
    assert "NaN" not in as_json(report)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"source": TABLE}, "holds no promises"),
        ({"model": "challenger"}, "not a score"),
        ({"model": sf.Linear([1.0], 0.0)}, "the model reads 1 inputs and the promises have 3"),
        ({"champion": F}, "give people="),
        ({"people": TABLE}, "pass a Dataset"),
        ({"segment": "job"}, "is not an input of the promises"),
        ({"on": "soon"}, "is not a date"),
        ({"on": float("nan")}, "is not a date"),
        ({"require": "kept >= 2"}, "a share lies between"),
        ({"require": "psi <= 0.1", "people": PEOPLE}, "champion"),
    ],
)
def test_misuse_is_said_in_one_sentence(given, sentence, promised):
    with pytest.raises(sf.InputError, match=sentence):
        sf.gate(given.pop("source", promised), given.pop("model", G), **given)


@pytest.mark.parametrize("given", [{"jobs": 0}, {"nodes": 0}, {"confidence": 1.0}])
def test_settings_that_make_no_sense_are_refused(given):
    with pytest.raises(sf.InputError):
        GateSettings(**given)


def test_some_promises_stand_for_all_at_even_distances(promised):
    from standfast.promises.gate.tally import Gathering

    numbered = replace(promised, facts=promised.facts.set_axis(range(len(promised))))
    for size in (1, 7, len(promised)):
        gathered = Gathering(most=10)
        for block in numbered.in_parts(size):
            gathered.add(block, np.zeros(len(block), dtype=np.uint8))
        some = Promises.joined(gathered.some).facts.index
        assert 5 <= len(some) <= 10
        assert some.tolist() == list(range(0, len(promised), gathered.stride))
        assert sum(map(len, gathered.not_kept)) == 0
