"""What standfast study can be asked: its options, and which of them contradict each other."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from standfast.cli import numbers, options
from standfast.cli.command import flag, option, options_class
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.studies import Settings

DEFAULT = ("twin:heloc", "twin:give_me_some_credit")
ENDINGS = (".csv", ".parquet", ".gz")


@options_class
class StudyOptions:
    """The options of standfast study."""

    data: list[str] = option(
        "heloc, give_me_some_credit, german_credit, their twins (twin:heloc, …), sba_case, "
        "or a table of your own (CSV, Parquet) with --schema, --label and "
        "--favourable. May be repeated; twin:heloc and twin:give_me_some_credit unless given.",
        "NAME|FILE",
        default=(),
        also="--table",
    )
    schema: Path | None = option("What the columns of your table mean (TOML).")
    label: str | None = option("The column that says how each person turned out.", "COLUMN")
    favourable: str | None = option("The label people want: 1, Good, …", "VALUE")
    later: Path | None = option(
        "A later table with the columns of your own: with --frontier, models of these people "
        "judge the advice too. sba_case and german_credit bring theirs."
    )
    drop: list[str] = options.drop()
    index: str | None = option(
        "The column of your table that labels the people, such as a customer's number; it is "
        "not an input. The report and its tables then name them by it.",
        "COLUMN",
    )
    model: Path | None = option(
        "Your own fitted model, which advice is then made under instead of a model of ours: "
        ".skops, .json or .ubj (XGBoost), .txt or .lgb (LightGBM). Goes with one --data; with "
        "--reference both are studied."
    )
    trust: list[str] = options.trust()
    reference: Literal["linear", "forest", "both"] | None = option(
        "The model of ours that advice is made under: linear, forest or both; both unless "
        "given, none beside --model.",
        "linear|forest|both",
    )
    people: int | None = option(
        "How many refused people to advise in each scene.", allowed=(1, numbers.MANY)
    )
    variant: options.Variant | None = option(
        "The schema of heloc, give_me_some_credit and their twins: sensible directions and "
        "relations, or the paper's schema without directions; published with --as-published, "
        "else sensible.",
        "sensible|published",
    )
    as_published: bool = flag(
        "The paper's choices where ours differ: methods and schemas as published, no class "
        "weights, training mistakes as the risk."
    )
    quick: bool = flag("Few people and few rivals: a first impression in a minute.")
    full: bool = flag("Everybody and the paper's sizes: an hour or more.")
    frontier: bool = flag(
        "Also the frontier of cost against validity under fresh models; takes longer than all "
        "the rest."
    )
    promises: bool = flag(
        "Also a simulated year: the model is fitted again every quarter on data that drift (for "
        "sba_case every fiscal year), and promises are counted as kept, topped up or exceptions."
    )
    complete: bool = flag(
        "Also complete level sets: who has advice that every nearly-as-good sparse tree accepts, "
        "and how much of the advice for the grids they refuse."
    )
    drift: float | None = option(
        "With --promises: how far the data drift in the year, 0 (not at all) to 5; 0.5 unless "
        "given.",
        "SIZE",
        allowed=numbers.drift,
    )
    out: Path = option("The folder for the report.", "FOLDER", default=Path("study"))
    jobs: int | None = option(
        "How many workers; all cores unless given.", allowed=(1, numbers.WORKERS)
    )
    seed: int = options.seed("tables")

    @property
    def names(self) -> list[str]:
        """The data sets and tables asked for, each once."""
        return list(dict.fromkeys(self.data or DEFAULT))

    @property
    def schema_variant(self) -> options.Variant:
        """Which schema the built-in sets have."""
        return self.variant or ("published" if self.as_published else "sensible")

    def check(self) -> None:
        """Refuse options that contradict each other, or speak of what is not there."""
        names = self.names
        if self.quick and self.full:
            raise InputError("--quick and --full contradict each other; leave one out")
        if self.later is not None and (len(names) > 1 or not is_own(names[0])):
            raise InputError(
                "--later goes with one table of your own: give exactly one --data FILE, or leave "
                "it out"
            )
        if self.later is not None and not self.frontier:
            raise InputError(
                "--later is used by the frontier only: add --frontier, or leave it out"
            )
        if self.index is not None and not any(map(is_own, names)):
            raise InputError(
                f"--index {self.index} goes with a table of your own: give --data FILE, or leave "
                "it out"
            )
        if self.promises and self.as_published:
            raise InputError(
                "--promises is not in the paper, so nothing of it is as published: leave out "
                "--as-published, or --promises"
            )
        if self.drift is not None and not self.promises:
            raise InputError("--drift goes with --promises: add it, or leave --drift out")
        if self.model is None and self.trust:
            raise InputError("--trust goes with --model: add --model FILE, or leave it out")
        if self.model is not None and len(names) > 1:
            raise InputError(
                "--model goes with the one table it was fitted for: give exactly one --data, or "
                "leave it out"
            )

    @property
    def settings(self) -> "Settings":
        """The settings of the study."""
        from standfast.studies import SIZES, Settings
        from standfast.studies.settings import DRIFT

        sizes = SIZES["quick" if self.quick else "full" if self.full else "usual"]
        if self.people is not None:
            sizes = replace(sizes, people=self.people, joint=self.people)
        both = ("linear", "forest")
        references: tuple[str, ...] = both if self.model is None else ()
        if self.reference is not None:
            references = both if self.reference == "both" else (self.reference,)
        jobs = self.jobs or len(os.sched_getaffinity(0))
        return Settings(
            references,
            sizes,
            self.as_published,
            self.frontier,
            seed=self.seed,
            jobs=jobs,
            promises=self.promises,
            drift=DRIFT if self.drift is None else self.drift,
            complete=self.complete,
        )


def is_own(name: str) -> bool:
    """Whether a name is a file's, and no built-in set's."""
    from standfast.studies.people import REAL, TWINS

    return name not in (*REAL, *TWINS) and Path(name).suffix in ENDINGS
