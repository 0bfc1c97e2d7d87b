"""The options that choose a method and its settings, and the method that they ask for."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from standfast.cli import numbers, options
from standfast.cli.command import option, options_class
from standfast.cli.options import SEARCH
from standfast.cli.scores import LINEAR_ONLY, MethodName
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.cli.method_files import MethodFiles
    from standfast.methods import Method
    from standfast.percentiles import Percentiles
    from standfast.schema import Schema

EXACT = "Proven searches (minimal-cost, actionable-recourse)"
UNSEEN = "Models nobody has seen (invariant)"

MINIMAL_COST = ("minimal-cost",)
RECOURSE = ("actionable-recourse",)
PROVEN = (*MINIMAL_COST, *LINEAR_ONLY)
LATENT = ("c-chvae", "c-chvae-as-published")
INVARIANT = ("invariant",)

# which methods take an option that not all of them take, and how a sentence calls them
TAKEN_BY = {
    "support": (MINIMAL_COST, "--method minimal-cost"),
    "alternatives": (PROVEN, "minimal-cost and actionable-recourse"),
    "alternatives_by": (MINIMAL_COST, "--method minimal-cost"),
    "boxes": (PROVEN, "minimal-cost and actionable-recourse"),
    "actions": (RECOURSE, "--method actionable-recourse"),
    "per_change": (MINIMAL_COST, "--method minimal-cost"),
    "within": (MINIMAL_COST, "--method minimal-cost"),
    "waiting": (MINIMAL_COST, "--method minimal-cost"),
    "autoencoder": (LATENT, "--method c-chvae"),
    "fresh": (INVARIANT, "--method invariant"),
    "validity": (INVARIANT, "--method invariant"),
    "breach_cost": (INVARIANT, "--method invariant"),
}


@options_class
class MethodOptions:
    """A method by its name, with those options that only some methods take; None if not given."""

    method: MethodName = option(
        f"The way to search: {', '.join(get_args(MethodName))}.", "METHOD", panel=SEARCH
    )
    cost: options.Cost = option(
        "What a change costs: the sum of percentile shifts, the largest, the log shift. "
        "Growing spheres only reports it, c-chvae chooses among candidates by it; the others "
        "minimise it.",
        default="total",
        panel=SEARCH,
    )
    alternatives: int | None = option(
        "How many ways to offer each person, cheapest first.",
        "K",
        allowed=(1, numbers.WAYS),
        panel=EXACT,
    )
    alternatives_by: Literal["inputs", "changes"] | None = option(
        "inputs: no way's changed inputs contain another's; changes: the cheapest way, the "
        "cheapest with one change, with two, … (minimal-cost only).",
        "inputs|changes",
        panel=EXACT,
    )
    within: list[float] = option(
        "Advice this many months from now, by the schema's drift and pace; repeat it, as in "
        "--within 0 --within 6, for several (minimal-cost only).",
        "MONTHS",
        allowed=numbers.price,
        default=(),
        panel=EXACT,
    )
    waiting: float | None = option(
        "What a month of waiting costs; 0 unless given (minimal-cost only).",
        "PRICE",
        allowed=numbers.price,
        panel=EXACT,
    )
    boxes: int | None = option(
        "How many boxes a search may open per person; 1,000,000 unless given.",
        allowed=(1, numbers.BOXES),
        panel=EXACT,
    )
    actions: int | None = option(
        "How many steps each input's grid of actions has; 100 unless given "
        "(actionable-recourse only).",
        allowed=(1, numbers.MANY),
        panel=EXACT,
    )
    per_change: float | None = option(
        "What every changed input costs on top, in the units of the cost; unless given 0.01 with "
        "--cost total and log, 0 with max (minimal-cost only).",
        allowed=numbers.price,
        panel=EXACT,
    )
    support: Path | None = option(
        "An isolation forest that must find the advice usual (.skops; minimal-cost only).",
        panel=EXACT,
    )
    autoencoder: Path | None = option(
        "The fitted autoencoder that c-chvae searches (.npz, from: standfast autoencoder fit).",
        panel=SEARCH,
    )
    fresh: list[Path] = option(
        "A folder written by: standfast fresh draw. May be repeated, one for each class that "
        "the next model may be of.",
        "FOLDER",
        default=(),
        panel=UNSEEN,
    )
    validity: float | None = option(
        "The share of fresh models that is to accept each person's advice; 0.9 unless given.",
        "SHARE",
        allowed=numbers.share,
        panel=UNSEEN,
    )
    breach_cost: float | None = option(
        "Instead of a share: what a broken promise costs, in the units of the cost.",
        allowed=numbers.price,
        panel=UNSEEN,
    )
    trust: list[str] = options.trust()

    def check_method(self) -> None:
        """Refuse options that the method does not take, and a method without what it needs."""
        for name, (methods, words) in TAKEN_BY.items():
            if getattr(self, name) not in (None, [], ()) and self.method not in methods:
                raise InputError(
                    f"--{name.replace('_', '-')} goes with {words}, not with {self.method}"
                    f"{self._remedy(name)}"
                )
        if self.per_change is not None and self.cost == "max":
            raise InputError(
                "--per-change is added to a sum, and --cost max has none; use --cost total or log, "
                "or leave it out"
            )
        if self.within and (self.alternatives or 1) > 1:
            raise InputError(
                "--alternatives and --within both ask for several ways for each person; give one "
                "of them"
            )
        if self.waiting is not None and not self.within:
            raise InputError(
                "--waiting is the price of a month, and no month is asked about; add --within, as "
                "in --within 0 --within 6, or leave it out"
            )
        if self.method in LATENT and self.autoencoder is None:
            raise InputError(
                f"--method {self.method} searches a fitted autoencoder: fit one with 'standfast "
                "autoencoder fit' and name its file with --autoencoder"
            )
        if self.method in INVARIANT and not self.fresh:
            raise InputError(
                "--method invariant searches with fresh models: draw them with 'standfast fresh "
                "draw' and name their folder with --fresh"
            )
        if self.validity is not None and self.breach_cost is not None:
            raise InputError(
                "--validity asks for the same share of models for everybody, --breach-cost says "
                "what a broken promise costs; give one of them"
            )

    def _remedy(self, name: str) -> str:
        if name == "support":
            return "; add the isolation forest as one more --model instead, or change the method"
        why = ", which searches every admissible value"
        exhaustive = name == "actions" and self.method in MINIMAL_COST
        return f"{why if exhaustive else ''}; leave it out or change the method"

    def prepared(
        self, schema: "Schema", percentiles: "Percentiles", files: "MethodFiles"
    ) -> "Method":
        """The method with its settings and what was read from files."""
        from standfast.methods import (
            CCHVAE,
            ActionableRecourse,
            GrowingSpheres,
            Invariant,
            MinimalCost,
        )

        latent: dict[str, Any] = {"autoencoder": files.autoencoder}
        fresh: dict[str, Any] = {
            part: [score for models in files.fresh for score in getattr(models, part)]
            for part in ("search", "choose")
        }
        makers: dict[str, Any] = {
            "minimal-cost": MinimalCost,
            "actionable-recourse": ActionableRecourse,
            "actionable-recourse-as-published": ActionableRecourse.as_published,
            "growing-spheres": GrowingSpheres,
            "growing-spheres-as-published": GrowingSpheres.as_published,
            "c-chvae": partial(CCHVAE, **latent),
            "c-chvae-as-published": partial(CCHVAE.as_published, **latent),
            "invariant": partial(Invariant, **fresh),
        }
        given = {name: getattr(self, name) for name in TAKEN_BY if name not in (*latent, "fresh")}
        given |= {"support": files.support, "within": tuple(sorted(set(self.within))) or None}
        settings = {name: value for name, value in given.items() if value is not None}
        made: Method = replace(makers[self.method](schema, percentiles), cost=self.cost, **settings)
        return made
