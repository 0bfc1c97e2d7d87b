"""What a schema provides for and a model refuses to answer about, in a sentence."""

from collections.abc import Sequence

from standfast.errors import InputError, listing


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
