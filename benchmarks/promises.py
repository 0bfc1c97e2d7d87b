"""What a ledger of many promises costs: issuing, reading all, checking one person, verifying."""

import resource
import tempfile
import time
from pathlib import Path
from typing import Any

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


def run(size: int = MANY) -> list[dict[str, Any]]:
    """Rows for a SQLite file with so many promises; bars are for a million."""
    recs = _repeated(_advice(), size)
    with tempfile.TemporaryDirectory() as folder:
        ledger = sf.Ledger.create(Path(folder) / "promises.db", new_key())
        issued, _ = _timed(lambda: ledger.issue(recs))
        bytes_each = (Path(folder) / "promises.db").stat().st_size / size
        read, count = _timed(lambda: sum(len(block) for block in ledger.blocks()))
        assert count == size
        checked = _checking(ledger, recs)
        verified, sound = _timed(ledger.verify)
        assert sound
        again, done = _timed(lambda: ledger.issue(recs))
        assert done.already == size
    share = MANY / size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return [
        _row(f"issue {size:,} promises", issued, 120 / share, f"{bytes_each:.0f} bytes each"),
        _row(f"read {size:,} open promises", read, 15 / share, f"peak {peak:.1f} GB in all"),
        {
            "benchmark": f"check one person among {size:,} promises, SQLite",
            "measured": f"{checked:.1f} ms, median of {CHECKS}",
            "bar": "≤ 5 ms",
            "met": bool(checked <= 5.0),
        },
        _row(f"verify {size:,} promises", verified, None),
        _row(f"issue {size:,} promises again, all there", again, None),
    ]


def _row(name: str, seconds: float, bar: float | None, note: str = "") -> dict[str, Any]:
    row: dict[str, Any] = {
        "benchmark": f"{name}, SQLite",
        "measured": f"{seconds:.1f} s{'; ' * bool(note)}{note}",
    }
    if bar is not None:
        row |= {"bar": f"≤ {bar:g} s", "met": bool(seconds <= bar)}
    return row


def _timed(call: Any) -> tuple[float, Any]:
    began = time.perf_counter()
    found = call()
    return time.perf_counter() - began, found


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


def _checking(ledger: sf.Ledger, recs: sf.Recommendations) -> float:
    """Milliseconds to check one person, at the median."""
    spent = []
    for person in np.random.default_rng(0).integers(0, len(recs), CHECKS):
        row = recs.counterfactual.iloc[int(person)].to_dict()
        seconds, found = _timed(lambda person=person, row=row: ledger.check(int(person), row))
        assert found.fulfilled
        spent.append(1000 * seconds)
    return float(np.median(spent))
