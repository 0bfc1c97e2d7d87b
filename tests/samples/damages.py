"""Seeded damages to model files, and a child process that reads them: a crash is an answer, too."""

import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NUMBERS = (
    *(b"99999999999", b"-99999999999", b"2147483648", b"4294967295", b"1000000", b"1e308"),
    *(b"-1", b"-5", b"0", b"3", b"7", b"00", b"1.5", b"nan", b"-inf", b"", b"x"),
)
HANGS = 300  # seconds after which a child process is taken for one that never ends

READ = """
import sys, warnings
import numpy as np
from pathlib import Path
from standfast.errors import InputError
from standfast.readers.files import load_model
warnings.simplefilter("ignore")
for name in sys.stdin.read().split("\\n"):
    print(name, end=" ", flush=True)
    try:
        model = load_model(Path(name))
        ask = getattr(model, "predict_proba", None) or model.predict
        for width in range(1, 6):
            try:
                ask(np.linspace(-1.0, 2.0, 40 * width).reshape(40, width))
            except Exception:
                pass
        print("read", flush=True)
    except InputError as error:
        assert "\\n" not in str(error)
        print("refused", flush=True)
"""


def damaged(data: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Cut off, lines gone or doubled or swapped, numbers replaced, bytes flipped or dropped."""
    draw = random.Random(seed)
    lines = data.split(b"\n")
    places = [m.span() for m in re.finditer(rb"-?\d+(\.\d+)?([eE]-?\d+)?", data)]
    for k in range(count):
        kind = k % 6
        at = draw.randrange(len(data))
        if kind == 0:
            yield data[:at]
        elif kind == 1 and len(lines) > 3:
            here = draw.randrange(len(lines))
            there = draw.randrange(len(lines))
            doubled = [[], [lines[here]] * 2, [lines[there]]][draw.randrange(3)]
            yield b"\n".join([*lines[:here], *doubled, *lines[here + 1 :]])
        elif kind in (1, 2, 3):
            changed = data
            for start, end in sorted(draw.sample(places, draw.choice([1, 1, 3])), reverse=True):
                changed = changed[:start] + draw.choice(NUMBERS) + changed[end:]
            yield changed
        elif kind == 4:
            broken = bytearray(data)
            for _ in range(draw.choice([1, 1, 5])):
                broken[draw.randrange(len(data))] = draw.randrange(256)
            yield bytes(broken)
        else:
            length = draw.choice([1, 4, 40, 400])
            yield data[:at] + data[at + length :]


def resized(text: bytes) -> bytes:
    """LightGBM's text with its trees' sizes put right, so that only the damage itself is wrong."""
    trees = text.partition(b"\nend of trees")[0].split(b"\nTree=")[1:]
    sizes = b" ".join(b"%d" % (len(tree) + 6) for tree in trees)
    return re.sub(rb"(?m)^tree_sizes=.*$", b"tree_sizes=" + sizes, text, count=1)


def outcomes(files: list[Path]) -> dict[str, list[Path]]:
    """Which files a child process reads, which it refuses, and which bring it down."""
    found: dict[str, list[Path]] = {"read": [], "refused": [], "crashed": []}
    waiting = list(files)
    while waiting:
        shown = subprocess.run(
            [sys.executable, "-c", READ],
            input="\n".join(map(str, waiting)),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=HANGS,
        )
        ends = [line.rsplit(" ", 1)[-1] for line in shown.stdout.splitlines()]
        for file, end in zip(waiting, ends, strict=False):
            found[end if end in found else "crashed"].append(file)
        waiting = waiting[len(ends) :] if ends else []
    return found
