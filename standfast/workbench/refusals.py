"""Why a question has no answer yet."""


class NotYetError(Exception):
    """What was asked for is still being prepared."""


class BusyError(Exception):
    """More requests wait than the server answers in time."""
