"""What of a model cannot be read, and what of a schema it refuses, in sentences."""

from collections.abc import Sequence

from standfast.errors import InputError, listing


class UnreadableError(Exception):
    """A model's structure cannot be read; the text says why, as the part of a sentence."""


def left_out(named: str) -> InputError:
    """What is to be said of a part of a model file that is not read."""
    return InputError(
        f"{named} is not read; export the model without it, or ask the model itself through a "
        "function of a table"
    )


def refused_names(names: Sequence[object], column: str) -> InputError:
    """Categories of the schema's that the model was fitted without."""
    return InputError(
        f"the model was fitted without {listing(names)} of '{column}' and refuses it; remove it "
        "from the schema's categories, or fit the model again so that it takes unknown categories "
        "(an encoder with handle_unknown='ignore')"
    )


def refused_gaps(column: str) -> InputError:
    """Missing values that the schema has a place for."""
    return InputError(
        f"the schema provides for missing values of '{column}', which the model refuses; fit it "
        "behind a SimpleImputer, declare the word that stands for them in the table (missing), or "
        "set when_missing to 'refuse'"
    )
