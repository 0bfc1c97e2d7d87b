"""An advisor on its way to the workers of an engine: its folder as bytes, or where they find it."""

import atexit
import io
import shutil
import tempfile
import threading
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from standfast.errors import InputError, listing
from standfast.files.data_sets import plain
from standfast.methods import Advisor
from standfast.portfolio.block import Block, Request
from standfast.portfolio.run import at_hand
from standfast.portfolio.travelling.folder import travelled

_blocks: dict["Shipped", Block] = {}  # of this process, each prepared once
_preparing = threading.Lock()


@dataclass(frozen=True)
class Shipped:
    """What a task carries: no object of a model, but the bytes of the folder that holds it.

    With `at`, workers find the folder there themselves, and check that it is the same advisor's.
    """

    identity: str
    request: Request
    trust: tuple[str, ...] = ()
    at: str = ""
    content: bytes = field(default=b"", repr=False)

    def advised(self, people: pa.Table) -> pa.Table:
        """Everybody's advice, by an advisor that this process prepares once."""
        return self.block()(people)

    @property
    def ready(self) -> bool:
        """Whether this process has prepared its advisor."""
        return self in _blocks

    def block(self) -> Block:
        """The advisor of this process."""
        with _preparing:
            if self not in _blocks:
                found = travelled(self.at or _unpacked(self.content), self.trust)
                if found.identity != self.identity:
                    raise InputError(
                        f"'{self.at}' holds another advisor than the one that was asked for; copy "
                        "the same folder to all machines"
                    )
                _blocks[self] = Block(found, self.request)
            return _blocks[self]


def ship(
    advisor: Advisor | Path | str, request: Request, trust: Sequence[str], at: str | None
) -> tuple[Shipped, Block]:
    """An advisor ready for its way, and as it is here."""
    with at_hand(advisor) as folder:
        here = Block(travelled(folder, trust), request)
        content = b"" if at else _packed(folder)
    # the folder may be a temporary one: its models must not be read from it later
    shipped = Shipped(here.travelled.identity, request, tuple(trust), str(at or ""), content)
    return shipped, here


def _packed(folder: Path) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            # the same bytes every time: an engine knows its tasks by them
            archive.writestr(zipfile.ZipInfo(file.name), file.read_bytes(), zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _unpacked(content: bytes) -> Path:
    """A folder of this process; models are read from it as they are needed."""
    place = Path(tempfile.mkdtemp(prefix="standfast-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            (place / Path(name).name).write_bytes(archive.read(name))
    return place


def check_columns(names: Iterable[str], block: Block) -> list[str]:
    """The columns that are read of a table; refuses one that lacks some, or holds others."""
    schema = block.advisor.method.schema
    given, needed = list(names), block.request.columns(schema)
    missing = [name for name in needed if name not in given]
    if missing:
        raise InputError(f"the people lack {listing(missing)}; they have {listing(given, 30)}")
    block.request.check_known(given, schema, "the people have")
    return needed


def label_type(column: pa.DataType) -> pa.DataType:
    """The type that labels of such a column have in the advice."""
    return plain(pa.schema([("label", column)]).empty_table()).schema.field(0).type
