"""What the component draws, as JSON: inputs with their strips, people, advice, reasons."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from standfast.certificate.certify import Certificate
from standfast.evaluation.reasons import Reasons
from standfast.methods.region import Regions
from standfast.percentiles import Percentiles
from standfast.recommendations import Outcome, Recommendations
from standfast.recommendations.boxes import Boxes
from standfast.schema import Feature, Schema
from standfast.search.region.units import share_below

Vector = NDArray[np.float64]
Facts = dict[str, Any]
Places = list[float | None]

STOPS = 101  # values that a slider stops at


@dataclass(frozen=True, eq=False)
class Strips:
    """The inputs of a complete schema as strips: where each value lies among all people.

    A place is the share of people with at most that value, of a category the middle of those who
    have it. Values travel as numbers, categories as their codes, and what is missing as None.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"late": [0, 0, 1, 4]})
    >>> schema = Schema((Feature("late", "count"),)).complete(table)
    >>> Strips(schema, Percentiles.fit(table)).standing(np.array([1.0]))
    {'values': [1], 'shown': ['1'], 'places': [0.75]}
    """

    schema: Schema
    percentiles: Percentiles

    @cached_property
    def ranks(self) -> Percentiles:
        """The percentiles of the schema's inputs, in their order."""
        return self.percentiles.of(self.schema)

    @cached_property
    def inputs(self) -> list[Facts]:
        """What the component has to know of each input."""
        return [self._input(j, feature) for j, feature in enumerate(self.schema)]

    def standing(self, x: Vector) -> Facts:
        """A row of codes: its values, as people read them, and their places."""
        return {
            "values": [plain(value) for value in x],
            "shown": [feature.shown(v) for feature, v in zip(self.schema, x, strict=True)],
            "places": self.places(x),
        }

    def places(self, x: Vector) -> Places:
        """Where each value of a row lies; None for what is missing."""
        return [
            None if not np.isfinite(v) or feature.is_missing(v) else self._place(j, float(v))
            for j, (feature, v) in enumerate(zip(self.schema, x, strict=True))
        ]

    def bands(self, boxes: Boxes, row: int) -> list[list[list[float]]]:
        """For each input the stretches of its strip that a person's box holds."""
        found = []
        for j, feature in enumerate(self.schema):
            if j in boxes.inside:
                codes = np.flatnonzero(boxes.inside[j][row, 1:])
                inner = [code for code in codes if not feature.is_missing(float(code))]
                found.append([list(self._ends(j, float(code))) for code in inner])
                continue
            low, high = boxes.lower[row, j], boxes.upper[row, j]
            known = not np.isnan([low, high]).any() and high > -np.inf
            found.append([[self._ends(j, low)[0], self._ends(j, high)[1]]] if known else [])
        return found

    def _input(self, j: int, feature: Feature) -> Facts:
        own: Facts = {"name": feature.name, "words": feature.words, "kind": feature.kind}
        own |= {"mutable": feature.movable, "direction": feature.direction}
        own |= {"gaps": feature.when_missing != "refuse"}
        if feature.coder is not None:
            names = feature.coder.names[: len(feature.categories or ())]
            ends = [self._ends(j, float(code)) for code in range(len(names))]
            listed = zip(names, ends, strict=True)
            return own | {"categories": [{"name": str(n), "ends": list(e)} for n, e in listed]}
        bounds = {"lower": plain(feature.lower), "upper": plain(feature.upper)}
        stops = [[plain(v), self._place(j, v)] for v in self._stops(feature)]
        return own | bounds | {"step": plain(feature.step), "stops": stops}

    def _stops(self, feature: Feature) -> list[float]:
        """At most so many values that advice may propose, as many people between each two."""
        values, shares = (d[feature.name] for d in (self.ranks.values, self.ranks.shares))
        if len(values) > STOPS:
            at = np.searchsorted(shares, np.linspace(0.0, 1.0, STOPS) - 1e-12)
            values = values[np.minimum(at, len(values) - 1)]
        values = np.clip(values, feature.lower, feature.upper)
        if feature.step:
            values = np.round(np.round(values / feature.step) * feature.step, feature.decimals)
        return [float(v) for v in np.unique(values)]

    def _ends(self, j: int, value: float) -> tuple[float, float]:
        """The shares of people below a value, and up to it."""
        at = np.array([value])
        return float(share_below(self.ranks, j, at)[0]), float(self.ranks.rank_of(j, at)[0])

    def _place(self, j: int, value: float) -> float:
        below, upto = self._ends(j, value)
        return (below + upto) / 2 if self.schema.features[j].coder is not None else upto


def advised(
    recommendations: Recommendations,
    row: int,
    strips: Strips,
    *,
    region: Regions | None = None,
    certificate: Certificate | None = None,
    verdicts: Sequence[bool] = (),
) -> Facts:
    """One person's advice: how the search ended, what it says, where it goes, who accepts."""
    person = recommendations.index[row]
    result = recommendations.results.iloc[row]
    outcome = Outcome(result["outcome"])
    facts: Facts = {
        "outcome": str(outcome),
        "found": outcome.advises,
        "proof": outcome.sentence,
        "sentence": recommendations.sentences().iloc[row],
        "remark": recommendations.remarks().iloc[row],
        "binding": [int(m) for m in result["binding"]],
        "cost": plain(result["cost"]),
        "lower": plain(result["lower_bound"]),
        "seconds": plain(result["seconds"]),
        "ways": _ways(recommendations, person),
    }
    if not outcome.advises:
        return facts
    goal = recommendations.matrices()[1][row]
    facts |= strips.standing(goal) | {"verdicts": [bool(yes) for yes in verdicts]}
    if region is not None and region.found.iloc[row]:
        place = int(region.found.iloc[:row].sum())
        facts["region"] = region.sentences().iloc[row]
        facts["bands"] = strips.bands(region.boxes, place)
    if certificate is not None:
        facts["certificate"] = certificate.sentences().iloc[row]
        facts["certified"] = plain(certificate.people["share"].iloc[row])
    return facts


def _ways(recommendations: Recommendations, person: Any) -> list[Facts]:
    """Several ways for one person, where they were asked for; by months where these differ."""
    if recommendations.alternatives is None:
        return []
    return [
        {"sentence": way["sentence"], "cost": plain(way["cost"])}
        | ({"months": plain(way["after_months"])} if "after_months" in way else {})
        for way in recommendations.flipset(person).to_dict("records")
    ]


def reasons_facts(reasons: Reasons, row: int) -> Facts:
    """Why one person is refused: the sentence, and each input of the blocking set."""
    refusal = reasons.refusals[row]
    rows = [
        {
            "words": reasons.schema.features[one.column].words,
            "necessity": plain(one.necessity),
            "sufficiency": plain(one.sufficiency),
            "goal": ""
            if np.isnan(one.goal)
            else reasons.schema.features[one.column].shown(one.goal),
        }
        for one in refusal.principal
    ]
    ending = {"ending": refusal.ending, "sentence": reasons.sentences().iloc[row]}
    return ending | {"inputs": rows}


def plain(given: Any) -> float | int | None:
    """A number as JSON writes it: whole ones without a point; None for what is no number."""
    number = float("nan") if given is None else float(given)
    if not np.isfinite(number):
        return None
    return int(number) if number == int(number) and abs(number) < 2**53 else number
