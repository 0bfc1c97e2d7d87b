"""What a worker does with a block, and how blocks are sent to it: lines of JSON, and Arrow."""

import hashlib
import io
import json
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from standfast.errors import InputError, first_line
from standfast.portfolio.block import Block
from standfast.portfolio.manifest import write_durably


def served(block: Block, people: pa.Table, part: Path) -> dict[str, Any]:
    """Advise a block and write its part; what the log is to know of it, or why there is none."""
    began = time.monotonic()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default")
        try:
            table, advice = block.written(people)
        except InputError as error:
            return {"refused": str(error)}
        except Exception as error:  # of a model, most likely, that cannot answer for somebody
            return {"refused": f"{type(error).__name__}: {first_line(error)}"}
    stream = io.BytesIO()
    pq.write_table(
        table.replace_schema_metadata(block.metadata(advice)), stream, write_page_checksum=True
    )
    content = stream.getvalue()
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        write_durably(part, content)
    except (InputError, OSError) as error:
        return {"unwritten": str(error)}
    return {
        "rows": len(table),
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "outcomes": {str(name): int(n) for name, n in advice.counts().items()},
        "cost": float(advice.cost[advice.found].sum()),
        "seconds": round(time.monotonic() - began, 3),
        "warnings": sorted({str(one.message) for one in heard}),
    }


def packed(message: Mapping[str, Any], people: pa.Table | None = None) -> bytes:
    """A message as a worker reads it."""
    body = b""
    if people is not None:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, people.schema) as writer:
            writer.write_table(people)
        body = sink.getvalue().to_pybytes()
    return json.dumps({**message, "bytes": len(body)}).encode() + b"\n" + body


def unpacked(stream: BinaryIO) -> tuple[dict[str, Any], pa.Table | None] | None:
    """The next message; None at the end."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    message = json.loads(line)
    body = stream.read(message["bytes"])
    if len(body) < message["bytes"]:
        return None
    return message, pa.ipc.open_stream(body).read_all() if body else None
