"""What a ledger of many promises costs: issuing, reading all, checking one person, verifying."""

import resource
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import standfast as sf
from standfast.promises.ledger import new_key

MANY = 1_000_000
ADVISED = 300  # people whose advice is repeated for everybody else
CHECKS = 200


def run(size: int = MANY, address: str | None = None) -> list[dict[str, Any]]:
    """Rows for so many promises in a SQLite file, or in an empty database at an address."""
    recs = _repeated(_advice(), size)
    where = "SQLite" if address is None else "PostgreSQL"
    bar = 5.0 if address is None else 10.0
    with tempfile.TemporaryDirectory() as folder:
        ledger = sf.Ledger.create(address or Path(folder) / "promises.db", new_key())
        issued = _timed(lambda: ledger.issue(recs))
        bytes_each = sum(file.stat().st_size for file in Path(folder).iterdir()) / size
        read = _timed(lambda: sum(len(block) for block in ledger.blocks()))
        checked = _checking(ledger, recs)
        verified = _timed(ledger.verify)
        again = _timed(lambda: ledger.issue(recs))
    assert (read.found, verified.found.sound, again.found.already) == (size, True, size)
    share = MANY / size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    milliseconds, cpu = np.median([(1000 * t.seconds, 1000 * t.cpu) for t in checked], axis=0)
    each = f"{bytes_each:.0f} bytes each" if address is None else ""
    rows = [
        _row(f"issue {size:,} promises", issued, 120 / share, each),
        _row(f"read {size:,} open promises", read, 15 / share, f"peak {peak:.1f} GB in all"),
        {
            "benchmark": f"check one person among {size:,} promises",
            "measured": f"{milliseconds:.1f} ms ({cpu:.1f} ms of CPU), median of {CHECKS}",
            "bar": f"≤ {bar:g} ms",
            "met": bool(milliseconds <= bar),
        },
        _row(f"verify {size:,} promises", verified, None),
        _row(f"issue {size:,} promises again, all there", again, None),
    ]
    return [{**row, "benchmark": f"{row['benchmark']}, {where}"} for row in rows]


class Timed(NamedTuple):
    """What a call gave, its seconds, and those of the processor."""

    found: Any
    seconds: float
    cpu: float


def _timed(call: Any) -> Timed:
    began, busy = time.perf_counter(), time.process_time()
    found = call()
    return Timed(found, time.perf_counter() - began, time.process_time() - busy)


def _row(name: str, timed: Timed, bar: float | None, note: str = "") -> dict[str, Any]:
    row: dict[str, Any] = {
        "benchmark": name,
        "measured": f"{timed.seconds:.1f} s ({timed.cpu:.1f} s of CPU){'; ' * bool(note)}{note}",
    }
    if bar is not None:
        row |= {"bar": f"≤ {bar:g} s", "met": bool(timed.seconds <= bar)}
    return row


def _advice() -> sf.Recommendations:
    data = sf.datasets.twin("give_me_some_credit", 4000, seed=0)
    linear = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
    model = sf.as_score(linear.fit(data.table, data.labels), data.schema, favourable=1)
    method = sf.ActionableRecourse(data.schema, sf.Percentiles.fit(data.table))
    refused = ~model.accepts(data.schema.matrix(data.table))
    return sf.recommend(method, model, data.table[refused].head(ADVISED))


def _repeated(recs: sf.Recommendations, size: int) -> sf.Recommendations:
    rows = np.resize(np.flatnonzero(recs.found.to_numpy()), size)
    index = pd.RangeIndex(size)

    def taken(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.iloc[rows].set_axis(index)

    frames = (taken(frame) for frame in (recs.factual, recs.counterfactual, recs.results))
    return sf.Recommendations(recs.schema, *frames, recs.provenance)


def _checking(ledger: sf.Ledger, recs: sf.Recommendations) -> list[Timed]:
    """People who come back as they were advised to, one by one."""
    chosen = np.random.default_rng(0).integers(0, len(recs), CHECKS).tolist()
    rows = [recs.counterfactual.iloc[person].to_dict() for person in chosen]
    asked = [partial(ledger.check, *pair) for pair in zip(chosen, rows, strict=True)]
    timed = [_timed(call) for call in asked]
    assert all(one.found.fulfilled for one in timed)
    return timed
