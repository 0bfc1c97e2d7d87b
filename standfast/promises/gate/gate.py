"""gate(): what a candidate model would do to every open promise, and whether it may."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

from standfast.datasets import Dataset
from standfast.errors import InputError, type_of
from standfast.promises.gate import condition
from standfast.promises.gate.condition import Condition
from standfast.promises.gate.judging import Judge, Judgement
from standfast.promises.gate.numbers import numbers_of
from standfast.promises.gate.report import GateReport
from standfast.promises.gate.settings import BLOCK, USUAL, GateSettings, Ledger
from standfast.promises.gate.swap import Swap
from standfast.promises.gate.tally import Gathering, Tally, certified_of, shares_by
from standfast.promises.promise import Promises
from standfast.promises.verdict import NAMES, GateRecord
from standfast.scores import Score

RETRAINED = "retraining: the estimator's own random state, or seed 0; otherwise nothing is drawn"
AHEAD = 8  # parts per thread that wait while the next ones are read and decrypted


def gate(
    source: Ledger | Promises,
    model: Score,
    *,
    on: Any = None,
    require: str | Iterable[str] = (),
    champion: Score | None = None,
    people: Dataset | None = None,
    segment: "str | pd.Series[Any] | None" = None,
    settings: GateSettings = USUAL,
) -> GateReport:
    """Judge every open promise under a candidate model, and say whether it passes.

    A promise is kept where the candidate accepts every admissible point of its box, proven; at risk
    where it accepts the advice but refuses a point of the box, or where that could not be decided;
    broken where it refuses the advice itself. Without open promises there is nothing to break:
    conditions about promises hold, and the report says so. A ledger keeps a record of the run.

    Parameters
    ----------
    source : Ledger or Promises
        Where the promises are.
    model : Score
        The candidate.
    on : date, optional
        The day for which promises count as open, now unless given.
    require : str or iterable of str
        Conditions such as "kept >= 0.98", all of which must hold; see docs/gate.md.
    champion, people : Score, Dataset, optional
        The model in use and labelled people bring the swap set, AUC and PSI.
    segment : str or Series, optional
        The input by which the report shows who is hit, or each person's segment, labelled by
        subject as the promises are (in a ledger, `ledger.pseudonym(subject)`).
    settings : GateSettings
        Threads, limits, names, and what repair would cost.

    Returns
    -------
    GateReport
        `passed`, `kept`, `at_risk`, `broken`; `write(folder)` makes the page and the files.

    Examples
    --------
    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, Schema, recommend
    >>> people = pd.DataFrame({"late": [0, 1, 2, 3]})
    >>> best = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(people))
    >>> promised = Promises.of(recommend(best, Linear([-1.0], 1.5), people))
    >>> report = gate(promised, Linear([-1.0], 0.5), require="kept >= 0.98")
    >>> report.passed, report.kept, report.broken
    (False, 0.0, 1.0)
    """
    conditions = condition.all_of(require)
    _check(source, model, champion, people)
    _check_segment(segment)
    condition.check_available(conditions, _available(champion, people, segment, settings))
    day = _day(on)
    swap = None if people is None else Swap.of(people, model, champion)
    tally, gathered, causes = _judged(source, model, day, segment, settings)
    table = tally.table()
    segments = tally.segments(settings.confidence)
    repairs = settings.repairs
    if callable(repairs):
        both = gathered.not_kept, gathered.some
        repairs = repairs(*map(Promises.joined, both)) if gathered.seen else None
    numbers = numbers_of(table, segments, swap, repairs, settings.confidence)
    report = GateReport(
        day,
        table,
        tuple(one.judged(numbers) for one in conditions),
        numbers,
        tally.inputs(),
        shares_by(
            table["method"].astype(str).reset_index(drop=True),
            table["verdict"].to_numpy(),
            settings.confidence,
            "method",
        ),
        segments,
        certified_of(table, settings.confidence),
        swap,
        repairs,
        causes,
        _provenance((model, champion), people, tally, repairs, settings),
    )
    if isinstance(source, Promises) or not settings.record:
        return report
    return _recorded(source, report, conditions)


def _check(source: object, model: object, champion: object, people: object) -> None:
    if not isinstance(source, Promises | Ledger):
        raise InputError(
            f"{type_of(source)} holds no promises; open a ledger with Ledger.open(url, key=…), or "
            "make promises of advice with Promises.of(recommendations, regions)"
        )
    for score, name in ((model, "model"), (champion, "champion")):
        if (score is not None or name == "model") and not isinstance(score, Score):
            raise InputError(
                f"the {name} is {type_of(score)}, not a score; turn it into one with as_score(...)"
            )
    if people is not None and not isinstance(people, Dataset):
        raise InputError(
            f"people is {type_of(people)}; pass a Dataset: a table with labels (+1 favourable, "
            "-1 not) and a schema"
        )
    if champion is not None and people is None:
        raise InputError(
            "a champion is compared on people: give people=… as well (--table, --label, "
            "--favourable), or leave the champion out"
        )


def _check_segment(segment: object) -> None:
    if segment is not None and not isinstance(segment, str | pd.Series):
        raise InputError(
            f"segment is {type_of(segment)}; name an input, or give a Series of segments by subject"
        )
    if isinstance(segment, pd.Series) and not segment.index.is_unique:
        raise InputError("the segments name somebody twice; give one segment per person")


def _available(
    champion: object, people: object, segment: object, settings: GateSettings
) -> set[str]:
    """What the options given bring."""
    found = set()
    if people is not None:
        found.add("auc")
        if champion is not None:
            found |= {"newly_refused", "newly_accepted", "psi", "auc_loss"}
    if segment is not None:
        found.add("worst_segment")
    if settings.repairs is not None:
        found.add("repair_cost")
    return found


def _day(on: Any) -> pd.Timestamp:
    if on is None:
        return pd.Timestamp.now(tz="UTC")
    try:
        day: Any = pd.Timestamp(on)
    except (ValueError, TypeError):
        day = None
    if not isinstance(day, pd.Timestamp):  # nor a date that is missing
        raise InputError(f"on is {on!r}, which is not a date; write it like 2026-11-20")
    found: pd.Timestamp = day.tz_localize("UTC") if day.tzinfo is None else day.tz_convert("UTC")
    return found


def _judged(
    source: Ledger | Promises,
    model: Score,
    day: pd.Timestamp,
    segment: "str | pd.Series[Any] | None",
    settings: GateSettings,
) -> tuple[Tally, Gathering, tuple[str, ...]]:
    """Judge block after block in threads; what repair is about is gathered where asked for."""
    tally, judges = Tally(segment=segment), dict[str, Judge]()
    wanted, gathered = callable(settings.repairs), Gathering()

    def judge_of(block: Promises) -> Judge:
        if block.schema.digest not in judges:
            judges[block.schema.digest] = Judge.of(model, block.schema, settings.nodes)
        return judges[block.schema.digest]

    def count(block: Promises, found: Judgement) -> None:
        tally.add(block, found)
        if wanted:
            gathered.add(block, found.verdicts)

    waiting: deque[tuple[Promises, Future[Judgement]]] = deque()
    with ThreadPoolExecutor(settings.jobs) as pool:
        for block in _blocks(source, day, settings.jobs):
            waiting.append((block, pool.submit(judge_of(block).judge, block)))
            while len(waiting) > AHEAD * settings.jobs:
                first, future = waiting.popleft()
                count(first, future.result())
        while waiting:
            first, future = waiting.popleft()
            count(first, future.result())
    causes = dict.fromkeys(cause for judge in judges.values() for cause in judge.causes)
    return tally, gathered, tuple(causes)


def _blocks(source: Ledger | Promises, day: pd.Timestamp, jobs: int) -> Iterator[Promises]:
    if isinstance(source, Promises):
        still = source[source.lasting(day)]
        size = max(1, min(BLOCK, -(-len(still) // jobs)))
        yield from still.in_parts(size)
        return
    for block in source.blocks(on=day, size=BLOCK):
        # smaller parts keep both threads busy to the end, and their numbers in the cache
        yield from block.in_parts(max(1000, BLOCK // (4 * jobs)))


def _retrains(repairs: pd.DataFrame | None) -> bool:
    return repairs is not None and "way" in repairs and bool((repairs["way"] == "retrain").any())


def _provenance(
    models: tuple[Score, Score | None],
    people: Dataset | None,
    tally: Tally,
    repairs: pd.DataFrame | None,
    settings: GateSettings,
) -> dict[str, Any]:
    """Fingerprints and settings, as the report prints them."""
    model, champion = models
    return {
        "standfast": version("standfast"),
        "candidate": settings.name,
        "address": settings.address,
        "candidate_fingerprint": model.digest,
        "champion_fingerprint": "" if champion is None else champion.digest,
        "schema_fingerprint": "" if tally.schema is None else tally.schema.digest,
        "people": "" if people is None else f"{people.name} ({people.digest})",
        "approver": settings.approver,
        "confidence": settings.confidence,
        "nodes": settings.nodes,
        "segment": tally.segment_name,
        "segment_is_input": isinstance(tally.segment, str),
        "seeds": RETRAINED if _retrains(repairs) else "nothing is drawn at random",
    }


def _recorded(source: Ledger, report: GateReport, conditions: Iterable[Condition]) -> GateReport:
    """The report with the root that the ledger gave it."""
    from standfast.promises.gate.writing import plain

    about = report.provenance
    record = GateRecord(
        about["candidate_fingerprint"],
        about["candidate"],
        about["address"],
        report.on,
        report.passed,
        report.promises.index.to_numpy(dtype=np.int64),
        report.promises["verdict"].to_numpy(dtype=np.uint8),
        plain(
            {
                "conditions": [str(one) for one in conditions],
                "holds": [met.holds for met in report.conditions],
                **{name: report.numbers[name].value for name in NAMES},
                "approver": about["approver"],
                "nodes": about["nodes"],
                "standfast": about["standfast"],
            }
        ),
    )
    return replace(report, root=source.record_gate(record))
