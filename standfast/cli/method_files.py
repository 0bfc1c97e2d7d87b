"""What a method reads from files: a fault in one is told apart from those of schema and table."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from standfast.cli import folders
from standfast.cli.console import say
from standfast.cli.methods import MethodOptions
from standfast.cli.scores import check_readable, check_support, score_of
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.autoencoder import Autoencoder
    from standfast.rivals import FreshModels
    from standfast.schema import Schema
    from standfast.scores import Score


@dataclass(frozen=True)
class MethodFiles:
    """An isolation forest, an autoencoder and fresh models, as far as they were named."""

    support: "Score | None"
    autoencoder: "Autoencoder | None"
    fresh: "list[FreshModels]"

    @classmethod
    def read(cls, given: MethodOptions, schema: "Schema") -> "MethodFiles":
        """What the options name; an error says which option and what to do next."""
        return cls(_support(given, schema), _autoencoder(given), _fresh(given, schema))

    def warn_of_thresholds(self, threshold: float | None) -> None:
        """Say so if the fresh models decide at another threshold than the one that was given."""
        if threshold is None:
            return
        parts = [part for models in self.fresh for part in (models.search, models.choose)]
        theirs = [float(getattr(score, "threshold", 0.0)) for part in parts for score in part]
        other = [one for one in theirs if not math.isclose(one, threshold)]
        if other:
            say(
                f"warning: --threshold {threshold:g} holds for --model alone; the fresh models "
                f"accept above {other[0]:g}, and the advice is made to satisfy them there; for one "
                "threshold, put scikit-learn's FixedThresholdClassifier around the model before "
                "fresh models are drawn, and leave --threshold out"
            )


def _support(given: MethodOptions, schema: "Schema") -> "Score | None":
    if given.support is None:
        return None
    check_support(given.support, given.trust)
    forest = score_of(given.support, schema, given.trust, "1", None)
    check_readable(given.method, [given.support], [forest])
    return forest


def _autoencoder(given: MethodOptions) -> "Autoencoder | None":
    path = given.autoencoder
    if path is None:
        return None
    from standfast.autoencoder import Autoencoder

    if not path.is_file():
        what = "this is a folder" if path.is_dir() else "there is no such file"
        raise InputError(
            f"--autoencoder '{path}': {what}; name a file that 'standfast autoencoder fit' wrote"
        )
    return Autoencoder.read(path)


def _fresh(given: MethodOptions, schema: "Schema") -> "list[FreshModels]":
    drawn = [folders.fresh_models(path, schema, given.trust) for path in given.fresh]
    for path, models in zip(given.fresh, drawn, strict=True):
        for part in (models.search, models.choose):
            if not len(part):
                raise InputError(
                    f"--fresh '{path}': there are no models to {part.name} with; draw some: "
                    f"standfast fresh draw … --{part.name} 100"
                )
        check_readable(given.method, [path] * len(models.search), list(models.search))
    return drawn
