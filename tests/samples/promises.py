"""The simulated year of an invented study: promises, quarter by quarter, and the whole year."""

import numpy as np

# method: share kept after each of four retrainings, cost of the advice, of all top-ups
METHODS = {
    "AR": ((0.6, 0.5, 0.4, 0.3), 0.55, 0.35),
    "minimal cost": ((0.6, 0.5, 0.4, 0.25), 0.5, 0.4),
    "C-CHVAE": ((0.8, 0.75, 0.7, 0.6), 1.4, 0.1),
    "unanimous over fresh models": ((0.95, 0.85, 0.8, 0.7), 0.8, 0.1),
    "invariant": ((1.0, 0.95, 0.9, 0.85), 0.9, 0.05),
}
DRIFTS = {"drift by 0.5": 0.0, "no drift": 0.1}
GROUPS = {"advised at the start": (20, 20, 20, 20), "all with an open promise": (20, 40, 60, 80)}
CHEAPEST = 0.9


def add_promises(rows, scene) -> None:
    """The three tables of one scene."""
    for drift, better in DRIFTS.items():
        for method, (kept, first, later) in METHODS.items():
            if method == "AR" and scene["reference"] != "linear":
                continue
            about = scene | {"drift": drift, "method": method}
            shares = [min(share + better, 1.0) for share in kept]
            for people, open_ in GROUPS.items():
                if drift == "no drift" and people != "advised at the start":
                    continue
                _year(rows, about | {"people": people}, shares, open_, first, later)
            _total(rows, about, shares[-1], first, later)
            _people(rows, about, first)


def _year(rows, about, shares, open_, first, later) -> None:
    for period, (share, n) in enumerate(zip(shares, open_, strict=True), 1):
        total = first + later * period / 4
        rows["promises_year"].append(
            about
            | {"period": period, "when": f"quarter {period}", "answered": n + 2, "n": n}
            | {"kept": share, "lower": share - 0.1, "upper": min(share + 0.1, 1.0)}
            | {"unbroken": 0.9 * share, "exceptions": round((1 - share) * n)}
            | {"top_ups": 3, "beyond": 1, "paid": n - 1, "top_up": later / 4}
            | {"total": total, "total_lower": 0.9 * total, "total_upper": 1.1 * total}
        )


def _total(rows, about, kept, first, later) -> None:
    row = about | {"asked": 24, "answered": 22, "n": 20, "paid": 19}
    row |= {"kept": kept, "lower": kept - 0.1, "upper": min(kept + 0.1, 1.0), "topped": 1 - kept}
    numbers = {"first": first, "top_ups": later, "total": first + later}
    numbers |= {"first_ratio": first / 0.5, "ratio": (first + later) / CHEAPEST}
    for name, value in numbers.items():
        row |= {name: value, f"{name}_lower": 0.9 * value, f"{name}_upper": 1.1 * value}
    rows["promises_total"].append(row)


def _people(rows, about, first) -> None:
    for period in (0, 1):
        rows["promises"].append(
            about
            | {"history": 0, "issued": 0, "period": period, "person": "4", "outcome": "found"}
            | {"cost": first, "kept": period == 0, "top_up": np.nan if period else 0.0}
            | {"proven": period == 0}
        )
