"""Why a model cannot be taken apart: kept, so that whoever needs its structure can say so."""

from standfast.errors import InputError


class UnreadableError(Exception):
    """A model's structure cannot be read; the text says why, as the part of a sentence."""


def left_out(named: str) -> InputError:
    """What is to be said of a part of a model file that is not read."""
    return InputError(
        f"{named} is not read; export the model without it, or ask the model itself through a "
        "function of a table"
    )
