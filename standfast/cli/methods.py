"""The method that the options of a command ask for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from standfast.cli.options import CostName, MethodName
from standfast.cli.scores import check_readable
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.methods import CCHVAE, Invariant, Method
    from standfast.percentiles import Percentiles
    from standfast.rivals import FreshModels
    from standfast.schema import Schema
    from standfast.scores import Score

PROVEN = (
    MethodName.MINIMAL_COST,
    MethodName.ACTIONABLE_RECOURSE,
    MethodName.ACTIONABLE_RECOURSE_AS_PUBLISHED,
)
LATENT = (MethodName.C_CHVAE, MethodName.C_CHVAE_AS_PUBLISHED)


@dataclass(frozen=True)
class Wish:
    """A method by its name, with those options that only some methods take; None if not given."""

    name: MethodName
    cost: CostName
    alternatives: int | None
    boxes: int | None
    actions: int | None
    per_change: float | None
    support: Path | None
    autoencoder: Path | None
    fresh: Sequence[Path]
    validity: float | None
    surprise: float | None

    def __post_init__(self) -> None:
        self._check_proven()
        self._check_actions()
        self._check_autoencoder()
        self._check_fresh()

    def method(
        self,
        schema: "Schema",
        percentiles: "Percentiles",
        support: "Score | None",
        trust: Sequence[str],
    ) -> "Method":
        """The method; `support` is the isolation forest in its file."""
        from standfast.methods import ActionableRecourse, GrowingSpheres, MinimalCost

        if self.name in LATENT:
            return self._latent(schema, percentiles)
        if self.name is MethodName.INVARIANT:
            return self._invariant(schema, percentiles, trust)
        makers: dict[MethodName, Any] = {
            MethodName.MINIMAL_COST: MinimalCost,
            MethodName.ACTIONABLE_RECOURSE: ActionableRecourse,
            MethodName.ACTIONABLE_RECOURSE_AS_PUBLISHED: ActionableRecourse.as_published,
            MethodName.GROWING_SPHERES: GrowingSpheres,
            MethodName.GROWING_SPHERES_AS_PUBLISHED: GrowingSpheres.as_published,
        }
        given = {
            "alternatives": self.alternatives,
            "boxes": self.boxes,
            "actions": self.actions,
            "per_change": self.per_change,
            "support": support,
        }
        settings = {name: value for name, value in given.items() if value is not None}
        made: Method = replace(
            makers[self.name](schema, percentiles), cost=self.cost.value, **settings
        )
        return made

    def _latent(self, schema: "Schema", percentiles: "Percentiles") -> "CCHVAE":
        from standfast.autoencoder import Autoencoder
        from standfast.methods import CCHVAE

        assert self.autoencoder is not None
        learnt = Autoencoder.read(self.autoencoder)
        chosen = CCHVAE if self.name is MethodName.C_CHVAE else CCHVAE.as_published
        return replace(chosen(schema, percentiles, learnt), cost=self.cost.value)

    def _invariant(
        self, schema: "Schema", percentiles: "Percentiles", trust: Sequence[str]
    ) -> "Invariant":
        from standfast.methods import Invariant

        lots = [fresh_of(path, schema, trust) for path in self.fresh]
        for path, lot in zip(self.fresh, lots, strict=True):
            for part in (lot.search, lot.choose):
                if not len(part):
                    raise InputError(
                        f"'{path}' holds no models to {part.name} with; draw some: standfast fresh "
                        f"draw … --{part.name} 100"
                    )
            check_readable(self.name, [path] * len(lot.search), list(lot.search))
        asked: dict[str, Any] = {"validity": self.validity, "breach_cost": self.surprise}
        return Invariant(
            schema,
            percentiles,
            search=[score for lot in lots for score in lot.search],
            choose=[score for lot in lots for score in lot.choose],
            cost=self.cost.value,
            **{name: value for name, value in asked.items() if value is not None},
        )

    # what does not go together

    def _check_proven(self) -> None:
        """Refuse what is asked of a proven search from a method that proves nothing."""
        if self.support is not None and self.name is not MethodName.MINIMAL_COST:
            raise InputError(
                f"--support goes with --method minimal-cost, not with {self.name}; add the "
                "isolation forest as one more --model instead, or change the method"
            )
        for option, given in (("alternatives", self.alternatives), ("boxes", self.boxes)):
            if given is not None and self.name not in PROVEN:
                raise InputError(
                    f"--{option} goes with minimal-cost and actionable-recourse, not with "
                    f"{self.name}; leave it out or change the method"
                )

    def _check_actions(self) -> None:
        """Refuse what only one of the proven searches takes from the others."""
        if self.actions is not None and self.name is MethodName.MINIMAL_COST:
            raise InputError(
                "--actions goes with --method actionable-recourse, not with minimal-cost, which "
                "searches every admissible value; leave it out or change the method"
            )
        if self.actions is not None and self.name is not MethodName.ACTIONABLE_RECOURSE:
            raise InputError(
                f"--actions goes with --method actionable-recourse, not with {self.name}; leave it "
                "out or change the method"
            )
        if self.per_change is None:
            return
        if self.name is not MethodName.MINIMAL_COST:
            raise InputError(
                f"--per-change goes with --method minimal-cost, not with {self.name}; leave it out "
                "or change the method"
            )
        if self.cost is CostName.MAX:
            raise InputError(
                "--per-change is added to a sum, and --cost max has none; use --cost total or log, "
                "or leave it out"
            )

    def _check_autoencoder(self) -> None:
        """Refuse a method without the autoencoder it searches, or one that searches none."""
        if self.name in LATENT and self.autoencoder is None:
            raise InputError(
                f"--method {self.name} searches a fitted autoencoder: fit one with 'standfast "
                "autoencoder fit' and name its file with --autoencoder"
            )
        if self.autoencoder is not None and self.name not in LATENT:
            raise InputError(
                f"--autoencoder goes with --method c-chvae, not with {self.name}; leave it out or "
                "change the method"
            )

    def _check_fresh(self) -> None:
        """Refuse invariant advice without fresh models, and their options with other methods."""
        options = (("fresh", self.fresh), ("validity", self.validity), ("surprise", self.surprise))
        for option, given in options:
            if given not in (None, []) and self.name is not MethodName.INVARIANT:
                raise InputError(
                    f"--{option} goes with --method invariant, not with {self.name}; leave it out "
                    "or change the method"
                )
        if self.name is not MethodName.INVARIANT:
            return
        if not self.fresh:
            raise InputError(
                "--method invariant searches with fresh models: draw them with 'standfast fresh "
                "draw' and name their folder with --fresh"
            )
        if self.validity is not None and self.surprise is not None:
            raise InputError(
                "--validity asks for the same share of models for everybody, --surprise says what "
                "a broken promise costs; give one of them"
            )


def fresh_of(path: Path, schema: "Schema", trust: Sequence[str]) -> "FreshModels":
    """The fresh models in a folder, which must read the schema's inputs."""
    from standfast.rivals import FreshModels

    found = FreshModels.load(path, trust=trust)
    if found.schema.names != schema.names:
        raise InputError(
            f"'{path}' was drawn for other inputs than these people have; draw it with the same "
            "schema"
        )
    return found
