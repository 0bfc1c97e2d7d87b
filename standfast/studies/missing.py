"""What a study could not do: every fault but a full disk is written down, and the rest goes on."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from standfast.errors import InputError
from standfast.studies.steps import UnwritableError


@dataclass
class Missing:
    """A list of what is missing, scene by scene, with the reason in a sentence."""

    rows: list[dict[str, str]] = field(default_factory=list)

    def add(self, scene: tuple[str, str], what: str, why: str) -> None:
        """One more thing that is missing."""
        data, reference = scene
        self.rows.append({"data": data, "reference": reference, "what": what, "why": why})

    @contextmanager
    def tolerated(self, scene: tuple[str, str], what: str) -> Iterator[None]:
        """What goes wrong inside costs this part of the study, not the whole."""
        try:
            yield
        except UnwritableError:
            raise
        except InputError as error:
            self.add(scene, what, str(error))
        except Exception as error:  # a slip of ours or of a library
            said = next(iter(str(error).strip().splitlines()), "")
            self.add(scene, what, f"{type(error).__name__}{': ' * bool(said)}{said}")
