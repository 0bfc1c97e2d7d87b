"""What all commands share of the terminal: one sentence per error, a progress bar, Ctrl-C."""

import os
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, cast

import typer
from typer.core import TyperGroup

from standfast.errors import InputError, first_line, typed_line

MISUSE = 2
STOPPED = 130  # what shells give for Ctrl-C: 128 + SIGINT
LARGE = 5_000_000  # bytes of a table that is not read at once

# typer's own class for usage errors has no public path that all its versions share
UsageError = cast(type[Exception], typer.BadParameter.__bases__[0])


def say(text: str) -> None:
    """A sentence on standard error, where it does not mix with results."""
    typer.echo(text, err=True)


def spelled(*words: object) -> str:
    """A command of ours as the shell takes it, names with blanks in quotes.

    >>> spelled("certify", "my advice.csv", "--fresh", "drawn")
    "standfast certify 'my advice.csv' --fresh drawn"
    """
    return shlex.join(["standfast", *map(str, words)])


def say_reading(path: Path) -> None:
    """At a terminal, say so before a large table is read: that takes a while."""
    if not sys.stderr.isatty():
        return
    if path.is_dir():
        say(f"reading {path} …")
    elif path.is_file() and path.stat().st_size >= LARGE:
        say(f"reading {path} ({path.stat().st_size / 1e6:,.0f} MB) …")


class Commands(TyperGroup):
    """Commands whose errors are one sentence and an exit code, a traceback only with --debug."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; see CONVENTIONS for what its exit code says."""
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            try:
                result = super().invoke(ctx)
                sys.stdout.flush()  # a full disk or a closed pipe shows here, not at the exit
                return result
            except (typer.Exit, typer.Abort, UsageError):
                raise
            except KeyboardInterrupt as stop:
                say("stopped; nothing was written")
                raise typer.Exit(STOPPED) from stop
            except BrokenPipeError as closed:
                # who reads has seen enough; files were written before anything was printed
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                raise typer.Exit(0) from closed
            except Exception as error:
                if ctx.params.get("debug"):
                    raise
                say(f"error: {_sentence(error)}")
                raise typer.Exit(MISUSE) from error


def _sentence(error: Exception) -> str:
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, OSError):
        return error.strerror or first_line(error)
    # most likely the user's model, asked by us; possibly a slip of ours
    return (
        f"{typed_line(error)}; the model or standfast raised this: 'standfast --debug …' shows "
        "where"
    )


def _show_warning(message: Warning | str, *place: object, **more: object) -> None:
    lines = [line.strip() for line in str(message).strip().splitlines()]
    say(f"warning: {' '.join(lines)}")


class Report(Protocol):
    """How a bar learns what is done, of how many, and what else there is to say."""

    def __call__(self, done: float, total: float, note: str = "") -> None:
        """Move the bar."""
        ...


@contextmanager
def progress_bar(what: str, *, counted: bool = True) -> Iterator[Report | None]:
    """A bar on standard error to report (done, total) to; None where standard error is no screen.

    Where what is done cannot be counted, as for the steps of a study, it is shown as a percentage.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn() if counted else progress.TaskProgressColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("elapsed,"),
        progress.TimeRemainingColumn(),
        progress.TextColumn("left"),
        progress.TextColumn("{task.fields[note]}"),
    )
    with progress.Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=None, note="")

        def report(done: float, total: float, note: str = "") -> None:
            bar.update(task, completed=done, total=total, note=note)

        yield report


@contextmanager
def stoppable() -> Iterator[None]:
    """Ctrl-C says what it does before it does it; a second one is taken at its word."""
    usual = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or usual is not signal.default_int_handler:  # who started us wants it otherwise
        yield
        return

    def stop(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, usual)
        # no print: the signal may have come in the middle of one
        os.write(2, b"\nstopping: what is finished will be kept; Ctrl-C again gives it up\n")
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ctrl-C waits: the moment in which results are written is a bad one to lose them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
