"""Why a model cannot be taken apart: kept, so that whoever needs its structure can say so."""


class UnreadableError(Exception):
    """A model's structure cannot be read; the text says why, as the part of a sentence."""
