"""A worker: a process that loads an advisor from its folder and advises the blocks it is sent.

It reads lines of JSON from its input, each followed by as many bytes of Arrow as it says, and
answers with a line of JSON. It ends when its input does, so that no worker outlives the run that
started it.
"""

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

from standfast.errors import InputError
from standfast.portfolio.block import Block, Request
from standfast.portfolio.serving import served, unpacked
from standfast.portfolio.travelling.folder import travelled


def main() -> None:
    """Serve until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not look like an answer
    first = unpacked(sys.stdin.buffer)
    if first is None:
        return
    asked, _ = first
    try:
        block = Block(travelled(asked["folder"], asked["trust"]), Request(**asked["request"]))
        block.warm()
        answer: dict[str, Any] = {"ready": True}
    except InputError as error:
        answer = {"refused": str(error)}
    gc.freeze()  # what is loaded by now stays until the end
    gc.enable()
    while True:
        try:
            answers.write(json.dumps(answer).encode() + b"\n")
            answers.flush()
        except BrokenPipeError:  # who started us was killed
            os._exit(1)
        following = unpacked(sys.stdin.buffer)
        if following is None:
            return
        message, people = following
        answer = served(block, people, Path(message["part"]))
