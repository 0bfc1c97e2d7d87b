"""The boxes around advice as commands are asked for them: by models that must accept all of it."""

from pathlib import Path
from typing import TYPE_CHECKING

from standfast.cli import options, tables
from standfast.cli.command import option, options_class
from standfast.cli.scores import score_asked, together
from standfast.errors import InputError, listing

if TYPE_CHECKING:
    from standfast.methods.region import Regions
    from standfast.recommendations import Recommendations

BOXES = "Boxes instead of points"


@options_class
class RegionOptions:
    """What boxes need: the models that the advice was made under, and a reference table."""

    model: list[Path] = option(
        "The model that the advice was made under; may be repeated. A promise then covers every "
        "value that all of them accept around the advice, proven, not the advised values alone.",
        default=(),
        panel=BOXES,
    )
    favourable: str | None = option(
        "The class people want, as the model calls it.", "CLASS", panel=BOXES
    )
    threshold: float | None = options.threshold()
    table: Path | None = option(
        "The reference table: boxes grow where its people are (CSV, Parquet).", panel=BOXES
    )
    trust: list[str] = options.trust()

    def around(self, advice: "Recommendations") -> "Regions | None":
        """The boxes around this advice, if models are given."""
        if not self.model:
            if self.table is not None or self.favourable is not None:
                raise InputError("--table and --favourable go with --model, for boxes; give all")
            return None
        if self.table is None or self.favourable is None:
            raise InputError("--model needs --table and --favourable, to make boxes around advice")
        from standfast.methods.region import region

        scores = [score_asked(self, path, advice.schema) for path in self.model]
        percentiles = tables.percentiles(self.table, advice.schema)
        found = region(advice, together(self.model, scores, ()), percentiles)
        without = advice.index[advice.found.to_numpy() & ~found.found.to_numpy()]
        if len(without):
            raise InputError(
                f"the model refuses the advice for {listing(without, 3)}; give the models that "
                "the advice was made under"
            )
        return found
