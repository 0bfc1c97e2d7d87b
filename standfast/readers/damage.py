"""The one error that says what is wrong with a model file that its library would not survive."""


class DamageError(ValueError):
    """A model file is not what its library wrote; the message says what is wrong with it."""
