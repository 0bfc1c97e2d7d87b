"""What a way of retraining must offer."""

from typing import Any, Protocol, runtime_checkable

from standfast.promises.repair.task import Task


@runtime_checkable
class Scheme(Protocol):
    """A way to retrain so that promises hold."""

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    def reads(self, task: Task) -> bool:
        """Whether it knows how to retrain this estimator."""
        ...

    def retrained(self, task: Task, keep: float) -> Any:
        """A fitted estimator of the same kind that keeps the share, or comes as near as it can."""
        ...
