"""standfast certify: how surely a model nobody has seen keeps each promise."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from standfast.cli import folders, numbers, options, outputs
from standfast.cli.advice import AdviceOptions
from standfast.cli.command import command, flag, option, options_class
from standfast.errors import InputError

if TYPE_CHECKING:
    from standfast.certificate import Certificate
    from standfast.rivals import Part
    from standfast.schema import Schema

SHARES = (0.95, 0.9, 0.8, 0.5)  # for which the summary counts people
SHOWN = 3  # of the weakest promises
SCOPE = (
    "This is about models drawn as these were; it says nothing about another class or about later "
    "data."
)


@options_class
class CertifyOptions(AdviceOptions):
    """The options of standfast certify."""

    fresh: Path = option(
        "A folder written by: standfast fresh draw. Its part 'certify' judges.", "FOLDER"
    )
    confidence: float = option(
        "Of every certificate.", "SHARE", allowed=numbers.share, default=0.95
    )
    tau: float = option(
        "The share of promises that a fresh model is to keep.",
        "SHARE",
        allowed=numbers.largest_share,
        default=0.9,
    )
    simultaneous: bool = flag("Certify everybody at once, not each person by themselves.")
    trust: list[str] = options.trust()
    out: Path | None = option("Where to write each person's certificate: .csv or .parquet.")


@command
def run(given: CertifyOptions) -> None:
    """Certify advice by models that neither its search nor its choice has seen.

    Says how surely a fresh model keeps a share of all promises, and for each person the least share
    of such models that would keep theirs. Models that were used before are refused.
    """
    from standfast.certificate import certify

    given.check()
    files, whole = given.sources()
    outputs.check_tables({"--out": given.out}, files, [given.fresh, *whole])
    if given.is_folder:
        _run_folder(given)
        return
    advice = given.advice()
    drawn = _certifying(given, advice.schema)
    with given.named():
        found = certify(
            advice,
            drawn,
            given.confidence,
            tau=given.tau,
            simultaneous=given.simultaneous,
        )
    outputs.write((given.out, lambda: found.to_frame().reset_index()))
    _summarise(found, given.out)


def _certifying(given: CertifyOptions, schema: "Schema") -> "Part":
    drawn = folders.fresh_models(given.fresh, schema, given.trust)
    if not len(drawn.certify):
        raise InputError(
            f"--fresh '{given.fresh}': there is no model to certify with; draw some: "
            "standfast fresh draw … --certify 59"
        )
    return drawn.certify


def _run_folder(given: CertifyOptions) -> None:
    """The same of a folder of parts, which are read one after the other."""
    from standfast import portfolio
    from standfast.cli.portfolio import appending

    assert given.recommendations is not None
    advice = portfolio.Advice(given.recommendations)
    models = _certifying(given, advice.schema)
    with given.named(), appending(given.out) as each:
        found = portfolio.certify(
            advice,
            models,
            given.confidence,
            tau=given.tau,
            simultaneous=given.simultaneous,
            each=each,
        )
    typer.echo(
        f"{len(advice):,} people, {found.provenance.get('method', '')}; n_E = {advice.advised:,} "
        f"got a recommendation, judged by {len(found.models)} models that nobody has used before\n"
    )
    lower, count = found.people["lower"], found.people["count"]
    for share in SHARES:
        typer.echo(
            f"{int(count[lower >= share].sum()):>12,} of {advice.advised:,} promises are certified "
            f"at {100 * share:g} % or more"
        )
    typer.echo(f"\n{found.sentence}\n\n{SCOPE}")
    outputs.say_written(given.out)


def _summarise(found: "Certificate", out: Path | None) -> None:
    method = found.provenance.get("method", "")
    typer.echo(
        f"{len(found.people)} people, {method}; n_E = {found.n} got a recommendation, judged by "
        f"{len(found.models)} models that nobody has used before\n\n{found.sentence}\n"
    )
    if found.note:
        typer.echo(f"{found.note}\n")
    certified = found.people["lower"].dropna()
    for share in SHARES:
        count = int((certified >= share).sum())
        typer.echo(f"{count:>7} of {found.n} promises are certified at {100 * share:g} % or more")
    weakest = found.to_frame().dropna(subset="lower").sort_values("lower", kind="stable")
    typer.echo("\nthe weakest:")
    for person, sentence in weakest["sentence"].head(SHOWN).items():
        typer.echo(f"{person}: {sentence}")
    typer.echo(f"\n{SCOPE}")
    outputs.say_written(out)
