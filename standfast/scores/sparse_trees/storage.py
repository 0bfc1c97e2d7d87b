"""A level set of trees in a file: JSON with everybody's answers as bits."""

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from standfast.errors import InputError
from standfast.files import read_text, write_whole
from standfast.schema import Schema
from standfast.schema.categories import MISSING
from standfast.scores.sparse_trees.all_trees import AllTrees
from standfast.scores.sparse_trees.cuts import Cut, Cuts
from standfast.scores.sparse_trees.sample import Sample, Units
from standfast.scores.sparse_trees.tables import DEEPEST, Words
from standfast.structure import (
    FINGERPRINT,
    TEXT,
    YES_OR_NO,
    Record,
    Row,
    Several,
    check,
    check_format,
    nullable,
    number,
    one_of,
    parse,
    reading,
    whole,
)

if TYPE_CHECKING:
    from standfast.scores.tree_level_set import TreeLevelSet

KIND = "a level set of trees"
FORMAT = 1
MOST = 2**30  # bytes; a million people with 120 cuts take 20 million
REMEDY = "fit and save it again"
PEOPLE = whole(1, 2**31)

SETTINGS = {
    "leaf_price": number(0.0),
    "balanced": YES_OR_NO,
    "smallest_leaf": whole(1),
    "majority": YES_OR_NO,
}
STRUCTURE = Record(
    {
        "kind": one_of(KIND),
        "schema": TEXT,
        "cuts": Several(
            "cut", Row({"input": whole(0), "value": nullable(number()), "equal": YES_OR_NO}), 1
        ),
        "depth": whole(1, DEEPEST),
        "epsilon": number(0.0),
        "settings": Record(SETTINGS),
        "favourable": Record({"people": PEOPLE, "bits": TEXT}),
        "others": Record({"people": PEOPLE, "bits": TEXT}),
        "digest": FINGERPRINT,
    }
)


def write(level_set: "TreeLevelSet", path: Path) -> None:
    """Write the file whole, or not at all."""
    trees = level_set.trees
    sample = trees.sample
    content = {
        "format": FORMAT,
        "kind": KIND,
        "schema": trees.cuts.schema.to_toml(),
        "cuts": [
            [j, None if value == MISSING else value, equal] for j, value, equal in trees.cuts.cuts
        ],
        "depth": trees.depth,
        "epsilon": level_set.epsilon,
        "settings": dict(level_set.settings),
        "favourable": {"people": sample.sizes[0], "bits": _text(sample.favourable)},
        "others": {"people": sample.sizes[1], "bits": _text(sample.others)},
        "digest": level_set.digest,
    }
    text = json.dumps(content, indent=1)
    write_whole(path, lambda part: part.write_text(text + "\n", encoding="utf-8"))


def read(path: Path) -> "TreeLevelSet":
    """The level set in a file, if nothing in it was changed."""
    from standfast.scores.tree_level_set import TreeLevelSet

    text = read_text(path, MOST, KIND)
    with reading(path, REMEDY):
        content = parse(text)
    check_format(content, FORMAT, path)
    with reading(path, REMEDY):
        check(content, STRUCTURE)
        cuts = _cuts(content)
        classes = [content["favourable"], content["others"]]
        sizes = classes[0]["people"], classes[1]["people"]
        good, others = (_bits(one["bits"], len(cuts), one["people"]) for one in classes)
        settings = {name: content["settings"][name] for name in SETTINGS}
        if settings["smallest_leaf"] > sum(sizes):
            raise InputError("a leaf must hold more people than there are")
        units = Units.of(sizes, *settings.values())
        trees = AllTrees(cuts, Sample(good, others, sizes), units, content["depth"])
        found = TreeLevelSet(trees, float(content["epsilon"]), settings)
        if found.digest != content["digest"]:
            raise InputError("it was changed after it was saved")
    return found


def _cuts(content: dict[str, Any]) -> Cuts:
    schema = Schema.from_toml(content["schema"])
    cuts = tuple(
        Cut(j, MISSING if value is None else float(value), equal)
        for j, value, equal in content["cuts"]
    )
    if len(set(cuts)) < len(cuts):
        raise InputError("a cut appears twice")
    for cut in cuts:
        if cut.input >= len(schema):
            raise InputError(f"a cut asks for input {cut.input} of {len(schema)}")
        feature = schema.features[cut.input]
        if cut.equal != (feature.kind == "nominal" and cut.value != MISSING):
            raise InputError(f"a cut of '{feature.name}' does not fit its kind")
        known = None if feature.coder is None else range(len(feature.coder.names))
        if known is not None and cut.value != MISSING and cut.value not in known:
            raise InputError(f"a cut of '{feature.name}' asks for a category that there is not")
    return Cuts(schema, cuts)


def _text(words: Words) -> str:
    return base64.b64encode(words.astype("<u8").tobytes()).decode("ascii")


def _bits(text: str, cuts: int, people: int) -> Words:
    try:
        content = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise InputError("the bits are not base64") from error
    words = -(-people // 64)
    if len(content) != 8 * words * cuts:
        raise InputError(
            f"there are {len(content)} bytes of bits, and {cuts} cuts of {people} people need "
            f"{8 * words * cuts}"
        )
    found = np.frombuffer(content, "<u8").astype(np.uint64).reshape(cuts, words)
    if people % 64 and (found[:, -1] >> np.uint64(people % 64)).any():
        raise InputError("there are bits of more people than are said")
    return found
