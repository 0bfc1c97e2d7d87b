"""Advice that a run has written, read back part by part."""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from standfast.digests import digest_of_file
from standfast.errors import InputError
from standfast.portfolio.manifest import Manifest, lines_of
from standfast.portfolio.summary import Summary
from standfast.recommendations import Provenance, Recommendations
from standfast.schema import Schema


@dataclass(frozen=True, eq=False)
class Advice:
    """The folder that `run` wrote: recommendations part by part, in the order of the people.

    `for part in Advice("advice/")` reads one part after the other, each checked against its
    fingerprint, so that memory holds one of them.
    """

    folder: Path | str

    @cached_property
    def manifest(self) -> Manifest:
        """What the run was about."""
        return Manifest.read(Path(self.folder))

    @cached_property
    def lines(self) -> list[Mapping[str, Any]]:
        """What the log says of every finished part, in the order of the people."""
        order = {one["name"]: (k, one["sha256"]) for k, one in enumerate(self.manifest.files)}
        found = {
            line["part"]: line
            for line in lines_of(Path(self.folder))
            if "part" in line and order.get(line["file"], (0, ""))[1] == line["source"]
        }
        return sorted(found.values(), key=lambda line: (order[line["file"]][0], line["block"]))

    @property
    def summary(self) -> Summary:
        """How everybody's search ended."""
        rows = self.manifest.held["rows"]
        of = sum(-(-one["rows"] // rows) for one in self.manifest.files)
        failed = {one["name"]: one["why"] for one in self.manifest.files if one["why"]}
        return Summary.of_lines(self.lines, of=of, people=0, seconds=0.0, failed=failed)

    def __iter__(self) -> Iterator[Recommendations]:
        found = self.summary
        if not self.lines:
            raise InputError(f"no part of '{self.folder}' is finished; run it to its end")
        if not found.complete:
            warnings.warn(f"'{self.folder}' is not complete: {found.sentence}", stacklevel=2)
        for line in self.lines:
            yield self._part(line)

    def _part(self, line: Mapping[str, Any]) -> Recommendations:
        file = Path(self.folder) / line["part"]
        if not file.is_file() or digest_of_file(file) != line["sha256"]:
            raise InputError(
                f"'{file}' is missing or not as it was written; the same run again mends it"
            )
        return Recommendations.read(file)

    @cached_property
    def first(self) -> Recommendations:
        """The first part."""
        if not self.lines:
            raise InputError(f"no part of '{self.folder}' is finished; run it to its end")
        return self._part(self.lines[0])

    @property
    def schema(self) -> Schema:
        """The schema that judged the advice."""
        return self.first.schema

    @property
    def provenance(self) -> Provenance:
        """What the advice was computed from."""
        return self.first.provenance

    @property
    def advised(self) -> int:
        """How many people got advice."""
        return self.summary.advised

    def __len__(self) -> int:
        return sum(self.summary.outcomes.values())

    def __repr__(self) -> str:
        return repr(self.summary)
