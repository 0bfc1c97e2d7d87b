"""Why a model's structure cannot be read, so that it must be asked."""


class UnreadableError(Exception):
    """The model is known, but what it adds up is no plain sum; the message says why."""
