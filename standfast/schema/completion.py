"""What a feature leaves open, filled in from its column of a reference table."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.schema.decimals import inferred_step
from standfast.schema.kinds import NOT_NEGATIVE, WHOLE

if TYPE_CHECKING:
    from standfast.schema.feature import Feature

Vector = NDArray[np.float64]


def completed(feature: "Feature", values: Vector) -> "Feature":
    """The feature with bounds and a step; the column's range and decimals where it names none."""
    if feature.categories is not None:
        return replace(feature, lower=0.0, upper=len(feature.categories) - 1.0, step=1.0)
    lower, upper, step = feature.lower, feature.upper, feature.step
    if lower is None or upper is None or step is None:
        known = _known(feature, values)
        if feature.kind == "binary":
            (least, greatest), usual = feature.possible, 1.0
        else:
            least, greatest = float(known.min()), float(known.max())
            usual = 1.0 if feature.kind in WHOLE else inferred_step(known)
        if lower is None and least < 0 and feature.kind in NOT_NEGATIVE:
            raise InputError(
                f"feature '{feature.name}': the reference table holds {feature.shown(least)}, but "
                f"a {feature.kind} is never negative; use kind 'real', or say valid = [0, inf] if "
                "such values are errors"
            )
        lower = least if lower is None else lower
        upper = greatest if upper is None else upper
        step = usual if step is None else step
        if lower > upper:
            raise InputError(
                f"feature '{feature.name}': the bound given lies outside the reference table "
                f"({known.min():g} to {known.max():g}); give both lower and upper"
            )
    return replace(feature, lower=float(lower), upper=float(upper), step=float(step))


def _known(feature: "Feature", values: Vector) -> Vector:
    """The column's values without what is missing or, where `valid` is given, impossible."""
    values = values[np.isfinite(values) & ~feature.is_missing(values)]
    if not len(values):
        raise InputError(
            f"feature '{feature.name}': every value of the reference table is missing; give "
            "lower, upper and step, or leave the column out"
        )
    if feature.valid is not None:
        low, high = feature.possible
        values = values[(values >= low) & (values <= high)]
        if not len(values):
            raise InputError(
                f"feature '{feature.name}': the reference table holds no valid value "
                f"({low:g} to {high:g}); correct the table or valid"
            )
    return values
