"""Features by their names: no two share one, and none has the name of a result column."""

from collections import Counter
from collections.abc import Iterable

from standfast.errors import InputError, listing
from standfast.schema.feature import Feature

# columns of the result table; a feature of that name would be shadowed there
RESULT_COLUMNS = (
    *("outcome", "sentence", "remark", "cost", "lower_bound", "gap", "seconds", "binding"),
    *("accepted_by", "kept_inputs", "after_months", "person", "rank"),
)


def as_features(given: object) -> tuple[Feature, ...]:
    """The features that were given, at least one, each with a name of its own."""
    features = tuple(given) if isinstance(given, Iterable) else ()
    if not features or not all(isinstance(f, Feature) for f in features):
        raise InputError("a schema needs at least one Feature, and nothing but features")
    names = [f.name for f in features]
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise InputError(f"the schema names {listing(twice)} more than once; names are unique")
    taken = [name for name in names if name in RESULT_COLUMNS]
    if taken:
        raise InputError(
            f"the feature {listing(taken)} has the name of a result column; rename the column"
        )
    return features
