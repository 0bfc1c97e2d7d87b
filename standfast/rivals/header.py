"""The header of a folder of models: what it must hold, and its reading."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from standfast.digests import digest_of_values
from standfast.errors import InputError, listing
from standfast.files import read_text
from standfast.structure import (
    FILE_NAME,
    FINGERPRINT,
    TEXT,
    YES_OR_NO,
    Columns,
    Record,
    Several,
    Structure,
    check,
    check_format,
    nullable,
    number,
    one_of,
    parse,
    reading,
    whole,
)

HEADER = "models.json"
FORMAT = 2  # in the first one, as version 0.1.0 writes it, every table is called "members"
MOST = 2**28  # bytes; a member takes a few hundred
REMEDY = "build and save it again"

_JUDGED = {
    "name": TEXT,
    "parameters": TEXT,
    "risk": number(0, odd=True),
    "accuracy": number(0, 1, odd=True),
    "auc": number(0, 1, odd=True),
    "inside": YES_OR_NO,
    "why": TEXT,
}
_ORIGIN = {
    **dict.fromkeys(("standfast", "data", "data_digest", "schema_digest"), TEXT),
    "seed": whole(0, 2**128),
}
# a model file of a folder
MODEL = Record(
    {
        "file": FILE_NAME,
        "sha256": FINGERPRINT,
        "position": whole(0, 10**6),
        "threshold": number(),
        "score": nullable(FINGERPRINT),
    }
)
# by kind of folder: what its table is called, and the files of it
TABLES = {"a level set": "candidates", "fresh models": "draws"}
# by kind of folder: its models, its table, and what else it says of itself
KINDS: Mapping[str, Mapping[str, Structure]] = {
    "a level set": {
        "models": Several("model", MODEL, least=1),
        "table": Columns("candidate", {**_JUDGED, "family": TEXT}, {"stands_for": whole()}),
        "about": Record(
            {
                "names": Several("name", TEXT, least=1),
                "epsilon": number(0),
                "provenance": Record({}, {**_ORIGIN, "risk": TEXT, "risk_on": TEXT}),
            }
        ),
    },
    "fresh models": {
        "models": Several("model", MODEL),  # every part may be empty
        "table": Columns("draw", {**_JUDGED, "part": TEXT, "digest": TEXT}),
        "about": Record(
            {
                "sizes": Record(dict.fromkeys(("search", "choose", "certify"), whole(0, 10**6))),
                "epsilon": number(0),
                "provenance": Record({}, _ORIGIN),
            }
        ),
    },
}


def with_digest(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with its format and its fingerprint, as it is written."""
    signed = {"format": FORMAT, **content}
    return {**signed, "digest": digest_of_values(signed)}


def read_header(folder: Path, kind: str) -> dict[str, Any]:
    """What the header of a folder says, every field checked, if nothing was changed."""
    header = folder / HEADER
    try:
        text = read_text(header, MOST, "the header")
    except InputError as error:
        raise InputError(
            f"'{folder}' is not a folder of models as standfast saves them: it has no readable "
            f"{HEADER} ({error})"
        ) from error
    with reading(header, REMEDY):
        content = parse(text)
    check_format(content, FORMAT, header)
    with reading(header, REMEDY):
        signature = {"kind": one_of(*KINDS), "digest": FINGERPRINT}
        check(content, Record(signature, {"format": whole(1)}))
    stated, found = content.pop("digest"), content["kind"]
    if found != kind:
        raise InputError(f"'{folder}' holds {found}, not {kind}; name a folder of {kind}")
    with reading(header, REMEDY):
        fields = dict(KINDS[kind])
        name = TABLES[kind] if content.get("format", 1) > 1 else "members"
        check(content, Record({"schema": TEXT, name: fields.pop("table"), **fields}))
        _check_counts(content)
    if stated != digest_of_values(content):
        raise InputError(f"'{header}' was changed after it was saved; {REMEDY}")
    return {**content, "table": content[name]}


def _check_counts(content: Mapping[str, Any]) -> None:
    """Refuse what each field alone allows and all together do not."""
    about, files = content["about"], [model["file"] for model in content["models"]]
    for what, names in (("file", files), ("name", about.get("names", []))):
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise InputError(f"the {what} {listing(twice)} stands for more than one model")
    wanted = 1 + len(about["names"]) if "names" in about else sum(about["sizes"].values())
    if len(files) != wanted:
        raise InputError(f"it lists {len(files)} models and says that there are {wanted}")
    said = about["provenance"]
    if "names" in about and said and not {"risk", "risk_on"} <= said.keys():
        raise InputError("'risk' or 'risk_on' of 'provenance' is missing")
