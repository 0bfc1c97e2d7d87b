"""The tables of an invented study: two scenes, a few people, every column filled."""

from functools import cache

import numpy as np
import pandas as pd

from samples.complete import add_complete
from samples.frontier import add_frontier
from samples.promises import add_promises
from standfast.evaluation.evidence import KINDS
from standfast.figures import Figure, draw
from standfast.studies.names import GOOD, METHODS, PERVERSE, REFUSED, SENSIBLE
from standfast.studies.tables import TIDY, tidy

SCENES = (("twin:heloc", "linear"), ("twin:heloc", "forest"))
FEATURES = ("NumInqLast6M", "NumInqLast6Mexcl7days", "NetFractionRevolvingBurden")
RIVALS = tuple(
    [(f"logistic regression, C = {C}", "linear") for C in (0.01, 0.1, 1, 10)]
    + [(f"forest, depth {depth}", "forests") for depth in (3, 5, 7)]
)
PEOPLE = tuple(str(17 * k + 4) for k in range(12))


def sample_tables(seed: int = 0) -> dict[str, pd.DataFrame]:
    """Every table of a study, with invented numbers of the right kind; a copy for each caller."""
    return {name: table.copy() for name, table in _invented(seed).items()}


@cache
def sample_figures() -> tuple[Figure, ...]:
    """Every figure of the invented study; drawing them takes long."""
    return tuple(draw(_invented(0)))


@cache
def _invented(seed: int) -> dict[str, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    rows: dict[str, list[dict[str, object]]] = {name: [] for name in TIDY}
    for data, reference in SCENES:
        scene = {"data": data, "reference": reference}
        _scene(rows, scene, rng)
    for scene in ({"data": d, "reference": r} for d, r in SCENES):
        for claim in ("support transfers better", "support costs more"):
            value = float(rng.normal(0.05, 0.1))
            rows["claims"].append(
                scene
                | {
                    "claim": claim,
                    "statement": "Data-supported advice is more often invariant.",
                    "measured": "C-CHVAE's transfer minus that of the best sparse method",
                    "value": value,
                    "lower": value - 0.05,
                    "upper": value + 0.05,
                    "n": 12,
                    "verdict": str(rng.choice(["holds", "does not hold", "undecided"])),
                    "rule": "holds if the interval lies above 0, does not hold if below",
                }
            )
    rows["missing"].append(
        {
            "data": "twin:heloc",
            "reference": "forest",
            "what": "AR",
            "why": "actionable recourse reads linear models only",
        }
    )
    return {
        name: tidy(name, pd.DataFrame(rows[name], columns=list(TIDY[name].columns)))
        for name in TIDY
    }


def _scene(rows, scene, rng) -> None:
    methods = [m for m in METHODS if not (m == "AR" and scene["reference"] == "forest")]
    published = ["GS, as published", *(["AR, as published"] if "AR" in methods else [])]
    rows["scenes"].append(
        scene
        | {
            "origin": "twin of heloc, n=600, seed=0",
            "twin": True,
            "model": f"a {scene['reference']} model",
            "train": 480,
            "test": 120,
            "refused": 60,
            "people": len(PEOPLE),
            "accuracy": 0.71,
            "auc": 0.78,
            "risk": 0.29,
            "epsilon": 0.05,
            "candidates": len(RIVALS) + 1,
            "rivals": len(RIVALS),
            "seed": 0,
        }
    )
    members = [("the reference", "reference"), *RIVALS, ("forest, depth 1", "forests")]
    for k, (rival, grid) in enumerate(members):
        rows["members"].append(
            scene
            | {
                "rival": rival,
                "grid": grid,
                "position": k,
                "parameters": "C=1",
                "risk": 0.28 + 0.005 * k,
                "auc": 0.78 - 0.002 * k,
                "test_accuracy": 0.7 + 0.002 * k,
                "inside": k <= len(RIVALS),
                "why": "its risk 0.2900 is at most 0.3300 = 0.2800 + 0.05",
            }
        )
    own = {p: rng.integers(0, 9, 3) for p in PEOPLE}
    for person in PEOPLE:
        for feature, value in zip(FEATURES, own[person], strict=True):
            about = {"method": "", "person": person, "feature": feature}
            rows["values"].append(scene | about | {"value": float(value), "percentile": value / 10})
    for m, method in enumerate(methods):
        kept = {}
        found = {p: method in METHODS[-2:] or rng.random() < 0.9 for p in PEOPLE}
        for rival, _ in RIVALS:
            kept[rival] = {p: bool(rng.random() < 0.3 + 0.1 * m) for p in PEOPLE if found[p]}
        for person in PEOPLE:
            _person(rows, scene, rng, method, person, found[person], kept, own[person])
        n = sum(found.values())
        for k, (rival, grid) in enumerate(RIVALS):
            hits = sum(kept[rival].values())
            rows["transfer"].append(
                scene
                | {
                    "method": method,
                    "rival": rival,
                    "grid": grid,
                    "position": k if grid == "linear" else k - 4,
                    "same_class": grid.startswith(scene["reference"]),
                    "test_accuracy": 0.7 + 0.002 * k,
                    "n": n,
                    "kept": hits,
                    "transfer": hits / n,
                    "lower": max(hits / n - 0.2, 0.0),
                    "upper": min(hits / n + 0.2, 1.0),
                }
            )
        for group, count in (("same class", 4), ("other class", 3), ("all", 7)):
            share = min(0.3 + 0.1 * m, 0.95)
            rows["transfer_means"].append(
                scene
                | {
                    "method": method,
                    "rivals": group,
                    "count": count,
                    "n": n,
                    "transfer": share,
                    "lower": share - 0.05,
                    "upper": share + 0.05,
                    "paired_n": n,
                    "below_cchvae": 0.5 - share,
                    "below_lower": 0.4 - share,
                    "below_upper": 0.6 - share,
                }
            )
    for group in (GOOD, REFUSED, *methods):
        for feature in FEATURES:
            shares = rng.dirichlet(np.ones(6))
            for value, share in enumerate(shares):
                rows["histograms"].append(
                    scene
                    | {
                        "group": group,
                        "feature": feature,
                        "label": f"inquiries ({feature})",
                        "value": float(value),
                        "until": float(value),
                        "name": "",
                        "share": float(share),
                        "n": 40,
                    }
                )
            if group != GOOD:
                far = float(rng.random())
                rows["distances"].append(
                    scene
                    | {
                        "group": group,
                        "feature": feature,
                        "n": 40,
                        "distance": far,
                        "lower": max(far - 0.1, 0.0),
                        "upper": min(far + 0.1, 1.0),
                    }
                )
        for point in rng.normal(0, 1, (25, 2)):
            rows["components"].append(
                scene
                | {
                    "group": group,
                    "first": float(point[0]),
                    "second": float(point[1]),
                    "explained_first": 0.31,
                    "explained_second": 0.17,
                }
            )
    for method in ("", *methods[:-2], *published):
        for feature, value in zip(FEATURES, own[PEOPLE[0]], strict=True):
            odd = method == "GS, as published"
            rows["semantics"].append(
                scene
                | {
                    "person": PEOPLE[0],
                    "method": method,
                    "feature": feature,
                    "label": f"inquiries ({feature})",
                    "value": float(value) - 0.13 * odd,
                    "mark": "ambiguous" if odd else "",
                    "why": "a count that is not whole" if odd else "",
                }
            )
    for method in (*methods[:-2], *published):
        for rule in ("NumInqLast6Mexcl7days <= NumInqLast6M", "whole counts, nothing negative"):
            rows["consistency"].append(
                scene
                | {
                    "method": method,
                    "rule": rule,
                    "n": 12,
                    "broken": 8 * ("published" in method),
                    "share": 8 / 12 * ("published" in method),
                    "lower": 0.0,
                    "upper": 0.9,
                }
            )
    _sense(rows, scene, rng, methods[:-2])
    _costs(rows, scene, rng)
    add_frontier(rows, scene)
    add_promises(rows, scene)
    add_complete(rows, scene)


def _person(rows, scene, rng, method, person, found, kept, own) -> None:
    shift = float(rng.gamma(2.0, 0.3)) if found else np.nan
    hits = sum(verdicts[person] for verdicts in kept.values()) if found else np.nan
    rows["advice"].append(
        scene
        | {
            "method": method,
            "person": person,
            "outcome": "found" if found else "exhausted",
            "found": found,
            "total": shift,
            "max": shift / 2,
            "log": shift * 2,
            "changed": 2.0 if found else np.nan,
            "lower_bound": np.nan,
            "gap": np.nan,
            "kept": hits,
            "share": hits / len(RIVALS),
            "sentence": f"Lower inquiries from {own[0] + 2} to {own[0]}."
            if found
            else "No accepted point was found. Ask for more time.",
        }
    )
    if found:
        for feature, value in zip(FEATURES, own, strict=True):
            about = {"method": method, "person": person, "feature": feature}
            rows["values"].append(
                scene | about | {"value": float(value) + 1.0, "percentile": (value + 1) / 10}
            )
        for rival, verdicts in kept.items():
            about = {"method": method, "person": person, "rival": rival}
            rows["verdicts"].append(scene | about | {"kept": verdicts[person]})


def _sense(rows, scene, rng, methods) -> None:
    for method in methods:
        for kind in (*KINDS, PERVERSE, SENSIBLE):
            odd = int(rng.integers(0, 12))
            share = odd / 12
            about = scene | {"method": method, "kind": kind}
            ends = {"lower": max(share - 0.2, 0.0), "upper": min(share + 0.2, 1.0)}
            moves = np.nan if kind in (PERVERSE, SENSIBLE) else float(odd)
            counts = {"n": 12, "people": odd, "moves": moves, "all_moves": 30, "changed": 2.5}
            rows["sense"].append(about | counts | {"share": share} | ends)
            if kind == SENSIBLE:
                continue
            kept = float(rng.random()) if odd else np.nan
            difference = 0.6 - kept
            rows["sense_transfer"].append(
                about
                | {
                    "n_with": odd,
                    "kept_with": kept,
                    "n_without": 12 - odd,
                    "kept_without": 0.6,
                    "difference": difference,
                    "lower": difference - 0.1,
                    "upper": difference + 0.1,
                    "verdict": "holds" if difference > 0.1 else "undecided",
                }
            )


def _costs(rows, scene, rng) -> None:
    for kind in ("sparse", "support"):
        for rival, grid in (RIVALS[0], RIVALS[-1]):
            rows["surprise"].append(
                scene
                | {
                    "advice": kind,
                    "rival": rival,
                    "grid": grid,
                    "n_f": 12,
                    "cost_f": 0.8,
                    "n_g": 10,
                    "cost_g": 0.9,
                    "n_joint": 11,
                    "cost_joint": 1.2,
                    "ratio": 0.7,
                    "n_ratio": 11,
                    "published": 0.75,
                    "asked": 12,
                    "impossible": 1,
                    "unanswered": 0,
                    "outside": 0,
                    "unproven": 0,
                    "advised": 11,
                    "broken": 6,
                    "from_advice": 0.2,
                    "from_start": 0.9,
                }
            )
    for rival, _ in (RIVALS[0], RIVALS[-1]):
        for bound, total in (("proposition 2", 9.0), ("proposition 2'", 2.0), ("lemma 1", 1.5)):
            rows["bounds"].append(
                scene
                | {
                    "rival": rival,
                    "bound": bound,
                    "total": total,
                    "exact": 1.2,
                    "tightness": 1.2 / total,
                    "alpha": 3.1,
                    "gamma": 0.6,
                    "n": 12,
                    "note": "",
                }
            )
    for person in PEOPLE:
        sparse = float(rng.gamma(2.0, 0.3))
        extra, price = float(rng.gamma(1.0, 0.2)), float(rng.gamma(1.0, 0.4))
        impossible = person == PEOPLE[3]
        rows["support_costs"].append(
            scene
            | {
                "person": person,
                "sparse": sparse,
                "supported": sparse + extra,
                "ratio": 1 + extra / sparse,
                "proven": True,
            }
        )
        rows["invariance"].append(
            scene
            | {
                "person": person,
                "alone": sparse,
                "unanimous": np.nan if impossible else sparse + price,
                "ratio": np.nan if impossible else 1 + price / sparse,
                "outcome": "infeasible" if impossible else "minimal",
                "lower_bound": np.inf if impossible else sparse + price,
            }
        )
    for rival, times in ((RIVALS[0][0], 9), (RIVALS[-1][0], 4), ("the reference", 2)):
        about = {"rival": rival, "times": times, "n": 11, "share": times / 11}
        rows["binding"].append(scene | about)
    for step in ("level set", "advice"):
        rows["timings"].append(scene | {"step": step, "seconds": 1.5, "resumed": False})
