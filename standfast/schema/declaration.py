"""What a feature says about itself: every part checked against the others and made plain."""

import math
from typing import TYPE_CHECKING, get_args

from standfast.errors import InputError, listing, with_article
from standfast.schema.categories import (
    as_categories,
    as_category,
    as_category_labels,
    as_price,
    as_transitions,
)
from standfast.schema.decimals import MOST_DECIMALS, MOST_STEPS, decimals_in
from standfast.schema.kinds import NOT_NEGATIVE, WHOLE, Direction, Kind, WhenMissing
from standfast.schema.values import (
    as_choice,
    as_labels,
    as_number,
    as_range,
    as_text,
    as_truth,
    described,
)

if TYPE_CHECKING:
    from standfast.schema.feature import Feature


def declare(feature: "Feature") -> None:
    """Put plain values in place of what was given; a contradiction is refused with a sentence."""
    name = as_text(feature.name, "a feature's name")
    if not name.strip():
        raise InputError(f"a feature's name must be a non-empty text, not {described(name)}")
    here = f"feature '{name}'"
    plain: dict[str, object] = {
        "name": name,
        "kind": as_choice(feature.kind, get_args(Kind), f"{here}: kind"),
        "mutable": as_truth(feature.mutable, f"{here}: mutable"),
        "direction": as_choice(feature.direction, get_args(Direction), f"{here}: direction"),
        "label": as_text(feature.label, f"{here}: label"),
        "labels": as_labels(feature.labels, f"{here}: labels"),
        "valid": as_range(feature.valid, f"{here}: valid"),
    }
    for what in ("lower", "upper", "step", "least", "drift", "pace"):
        value = getattr(feature, what)
        plain[what] = None if value is None else as_number(value, f"{here}: {what}")
    for what, found in plain.items():
        _put(feature, what, found)
    _check_categories(feature, here)
    _check_transitions(feature, here)
    _check_missing(feature, here)
    _check_category_labels(feature, here)
    _check_least(feature, here)
    _check_months(feature, here)
    if feature.categories is None:
        _check_bounds(feature, here)
        _check_step(feature, here)


def _put(feature: "Feature", what: str, value: object) -> None:
    object.__setattr__(feature, what, value)


def _check_categories(feature: "Feature", here: str) -> None:
    if feature.kind == "nominal" and feature.categories is None:
        raise InputError(
            f"{here} is nominal and needs its categories: list them, or draft the schema from "
            "a table"
        )
    if feature.categories is not None and feature.kind not in ("nominal", "ordinal"):
        raise InputError(
            f"{here}: {with_article(feature.kind)} has no categories; use nominal or ordinal"
        )
    if feature.categories is not None:
        ordered = feature.kind == "ordinal"
        where = f"{here}: categories"
        found = as_categories(feature.categories, where, in_order=ordered)
        if not found:
            raise InputError(f"{where} is empty; list at least one")
        _put(feature, "categories", found)
        # what a completed feature holds: the range of its codes
        codes = {"lower": 0, "upper": len(found) - 1, "step": 1, "valid": None}
        given = [w for w in codes if getattr(feature, w) not in (None, codes[w])]
        if given:
            raise InputError(f"{here} has named categories and takes no {listing(given)}")
        if not ordered and feature.direction != "any":
            raise InputError(
                f"{here} is nominal, so it has no direction; say transitions, or make it an "
                "ordinal with its categories from the lowest to the highest"
            )


def _check_transitions(feature: "Feature", here: str) -> None:
    if feature.kind != "nominal":
        for what in ("transitions", "price"):
            if getattr(feature, what) is not None:
                raise InputError(
                    f"{here}: {what} is for nominal inputs; this one is {feature.kind}"
                )
        return
    if feature.price is not None:
        _put(feature, "price", as_price(feature.price, f"{here}: price"))
    where, known = f"{here}: transitions", feature.categories or ()
    allowed = as_transitions(feature.transitions, known, feature.price, where)
    _put(feature, "transitions", allowed)


def _check_missing(feature: "Feature", here: str) -> None:
    when = as_choice(feature.when_missing, get_args(WhenMissing), f"{here}: when_missing")
    _put(feature, "when_missing", when)
    where = f"{here}: missing"
    if isinstance(feature.missing, str) or not isinstance(feature.missing, list | tuple):
        raise InputError(f"{where} is {described(feature.missing)}; it must be a list of values")
    tokens = tuple(as_category(token, f"{where}: an entry") for token in feature.missing)
    _put(feature, "missing", tuple(dict.fromkeys(tokens)))
    both = [token for token in tokens if token in (feature.categories or ())]
    if both:
        raise InputError(f"{here}: {listing(both)} is both a category and missing; choose one")
    if feature.fill_price is not None:
        _put(feature, "fill_price", as_price(feature.fill_price, f"{here}: fill_price"))
        if when != "fill":
            raise InputError(f"{here}: fill_price goes with when_missing = 'fill'")


def _check_bounds(feature: "Feature", here: str) -> None:
    lower, upper = feature.lower, feature.upper
    if lower is not None and upper is not None and lower > upper:
        raise InputError(f"{here}: lower {lower:g} is above upper {upper:g}; correct them")
    for what, bound, nowhere in (("lower", lower, math.inf), ("upper", upper, -math.inf)):
        if bound == nowhere:
            raise InputError(f"{here}: {what} is {bound}, which leaves no number; correct it")
    low, high = feature.valid or (None, None)
    ends = {"lower": lower, "upper": upper, "valid from": low, "valid up to": high}
    for what, end in ends.items():
        if end is None:
            continue
        if feature.kind in NOT_NEGATIVE and end < 0:
            raise InputError(
                f"{here}: {what} {end:g} contradicts the kind {feature.kind}, which is "
                "never negative; correct the bound or use kind 'real'"
            )
        if feature.kind == "binary" and end > 1:
            raise InputError(f"{here}: a binary is 0 or 1; {what} {end:g} contradicts that")
    for what, bound in (("lower", lower), ("upper", upper)):
        beyond = bound is not None and not feature.possible[0] <= bound <= feature.possible[1]
        if feature.valid is not None and beyond:
            raise InputError(
                f"{here}: {what} {bound:g} would let advice propose what is not valid "
                f"({feature.possible[0]:g} to {feature.possible[1]:g}); correct {what} or valid"
            )


def _check_step(feature: "Feature", here: str) -> None:
    step = 1 if feature.step is None and feature.kind in WHOLE else feature.step
    if step is None:
        return
    if step < 0 or math.isinf(step):
        raise InputError(f"{here}: step is {step:g}; it must be positive (0: any number)")
    if feature.kind in WHOLE and (step == 0 or step % 1):
        raise InputError(
            f"{here}: {with_article(feature.kind)} moves in whole steps, not by {step:g}"
        )
    if step == 0:
        return
    if decimals_in(step) > MOST_DECIMALS:
        raise InputError(
            f"{here}: step is {step:g}, too small to calculate with; choose a larger one, or 0 "
            "for any number"
        )
    for what, bound in (("lower", feature.lower), ("upper", feature.upper)):
        if bound is not None and math.isfinite(bound) and abs(bound) / step > MOST_STEPS:
            raise InputError(
                f"{here}: {what} {bound:g} is more than 2^50 steps of {step:g} away from zero, "
                "too many to distinguish; choose a larger step or a narrower bound"
            )


def _check_category_labels(feature: "Feature", here: str) -> None:
    where = f"{here}: category_labels"
    given = feature.category_labels
    if given and feature.categories is None:
        raise InputError(f"{where} is for inputs with named categories; this one has none")
    known = feature.categories or ()
    _put(feature, "category_labels", as_category_labels(given, known, where))


def _check_least(feature: "Feature", here: str) -> None:
    if feature.least is None:
        return
    if feature.categories is not None:
        raise InputError(f"{here} has named categories, between which no move is too small")
    if not 0 < feature.least < math.inf:
        raise InputError(
            f"{here}: least is {feature.least:g}; it must be positive (left out: any change)"
        )


def _check_months(feature: "Feature", here: str) -> None:
    for what, odd in (("drift", feature.mutable), ("pace", not feature.mutable)):
        value = getattr(feature, what)
        if value is None:
            continue
        if feature.categories is not None:
            raise InputError(f"{here} has named categories and takes no {what} per month")
        if not math.isfinite(value) or value == 0 or (what == "pace" and value < 0):
            must = "positive" if what == "pace" else "a number other than 0"
            raise InputError(f"{here}: {what} is {value:g}; it must be {must}, per month")
        if odd and what == "drift":
            raise InputError(
                f"{here} has a drift, so it changes by itself; say mutable = false, as advice "
                "does not move it"
            )
        if odd:
            raise InputError(
                f"{here} may not change, so it has no pace; say drift for what changes by itself"
            )
