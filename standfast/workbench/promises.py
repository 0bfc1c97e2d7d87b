"""The promises screen: what the ledger holds, what a candidate would do to it, and repair."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from standfast.errors import InputError
from standfast.person_view.facts import Facts, plain
from standfast.structure import check
from standfast.workbench.question import BODY
from standfast.workbench.service import SECONDS, Service
from standfast.workbench.world import Member

if TYPE_CHECKING:
    from standfast.promises.ledger import Ledger
    from standfast.promises.promise import Promises

SHOWN = 50  # promises listed
JUDGED = 5000  # promises judged while somebody waits
REPAIRED = 30  # broken promises whose repair is searched for while somebody waits


def promises(service: Service, body: Any) -> Facts:
    """How many promises are open, by method and by when they end, and the first of them."""
    with _ledger(service) as ledger:
        first, more = _first(ledger)
        facts = first.facts
        until = first.ends.dt.strftime("%Y-%m-%d")
        rows = facts.assign(until=until).head(SHOWN)
        return {
            "where": ledger.where.rsplit("/", 1)[-1],
            "open": len(first),
            "more": more,
            "methods": {str(k): int(n) for k, n in facts["method"].value_counts().items()},
            "rows": [
                {
                    "number": int(str(number)),
                    "method": str(row["method"]),
                    "outcome": str(row["outcome"]).replace("_", " "),
                    "cost": plain(row["cost"]),
                    "until": str(row["until"]),
                    "state": str(row["state"]),
                }
                for number, row in rows.iterrows()
            ],
        }


def gated(service: Service, body: Any) -> Facts:
    """What a candidate model would do to the open promises; nothing is recorded."""
    from standfast.promises.gate import gate
    from standfast.promises.gate.settings import GateSettings
    from standfast.promises.verdict import Verdict

    candidate = _candidate(service, body)
    require = [one.strip() for one in body.get("require", "").split(",") if one.strip()]
    with _ledger(service) as ledger:
        first, more = _first(ledger)
    settings = GateSettings(name=candidate.name, record=False)
    report = gate(first, candidate.score, require=require, settings=settings)
    return {
        "candidate": candidate.name,
        "sentence": report.sentence,
        "passed": report.passed,
        "judged": report.n,
        "more": more,
        "kept": report.count(Verdict.KEPT),
        "at_risk": report.count(Verdict.AT_RISK),
        "broken": report.count(Verdict.BROKEN),
        "conditions": [
            {"text": str(met.condition), "found": plain(met.value), "holds": met.holds}
            for met in report.conditions
        ],
    }


def repaired(service: Service, body: Any) -> Facts:
    """What the promises that a candidate breaks would cost to repair, way by way."""
    from standfast.promises.repair.broken import broken_by
    from standfast.promises.repair.compare import compare_repairs

    candidate = _candidate(service, body)
    with _ledger(service) as ledger:
        first, more = _first(ledger)
    broken = broken_by(candidate.score, first, "the candidate")
    some = first[broken][:REPAIRED]
    known: Facts = {"candidate": candidate.name, "broken": int(broken.sum()), "more": more}
    if not len(some):
        return known | {"searched": 0, "ways": []}
    reference = service.world.members[0].score
    champion = None if candidate.score is reference else reference
    table = compare_repairs(
        some, champion, candidate.score, service.world.percentiles, time_limit=SECONDS / 10
    )
    ways = [
        {
            "way": str(row["way"]),
            "start": _text(row["start"]),
            "under": _text(row["under"]),
            "repaired": plain(row["repaired"]),
            "cost": plain(row["mean_cost"]),
        }
        for row in table.to_dict("records")
    ]
    return known | {"searched": len(some), "ways": ways}


def _candidate(service: Service, body: Any) -> Member:
    check(body, BODY, "the request")
    members, k = service.world.members, int(body.get("candidate", 0))
    if k >= len(members):
        raise InputError(f"there is no model {k}; there are {len(members)}, counted from 0")
    return members[k]


@contextmanager
def _ledger(service: Service) -> Iterator["Ledger"]:
    if service.ledger is None:
        raise InputError("no ledger was given; start the workbench with --ledger and --key")
    with service.ledger() as ledger:
        yield ledger


def _first(ledger: "Ledger") -> tuple["Promises", bool]:
    """The first open promises, as many as can be judged while somebody waits; whether more are."""
    blocks = ledger.blocks(size=JUDGED)
    found = next(blocks, None)
    if found is None:
        return ledger.open_promises(), False
    return found, next(blocks, None) is not None


def _text(value: object) -> str:
    return "" if value is None or value != value else str(value)
