"""Saving an advisor as a folder and loading it: no pickle, every file checked."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from standfast.autoencoder import Autoencoder
from standfast.digests import digest_of_values
from standfast.errors import InputError, first_line, type_of
from standfast.files import read_text, write_folder
from standfast.methods import CCHVAE, Advisor
from standfast.portfolio.travelling import methods, models, reference
from standfast.recommendations import Provenance, provenance
from standfast.rivals.header import MODEL
from standfast.schema import Schema
from standfast.structure import (
    FINGERPRINT,
    TEXT,
    Record,
    Several,
    check,
    check_format,
    number,
    one_of,
    parse,
    reading,
    whole,
)

HEADER = "advisor.json"
AUTOENCODER = "autoencoder.npz"
FORMAT = 1
MOST = 2**28  # bytes
REMEDY = "save the advisor again"

HELD = Record(
    {
        "schema": TEXT,
        "method": Record(
            {"kind": one_of(*methods.KINDS), "settings": Record({}), "models": Record({})}
        ),
        "model": Record({"kind": TEXT}),
        "models": Several("model", MODEL),
        "structures": Record({}),
        "numbers": Record({"sha256": FINGERPRINT, "models": Several("model", Record({}))}),
        "percentiles": Record(
            {
                "sha256": FINGERPRINT,
                "digest": FINGERPRINT,
                "rows": whole(0),
                "origin": TEXT,
                "deviations": Several("deviation", number(0.0)),
                "known": Several("count", whole(0)),
            }
        ),
        "origin": provenance.STRUCTURE,
        "identity": FINGERPRINT,
        "digest": FINGERPRINT,
    }
)


@dataclass(frozen=True, eq=False)
class Travelled:
    """An advisor from a folder, with the origin it was saved with and its fingerprint.

    `identity` is the same for every folder that the same advisor is saved in. The origin is kept:
    an estimator without a structure has another fingerprint once it comes from a file, and is the
    same model.
    """

    advisor: Advisor
    origin: Provenance
    identity: str


def save(advisor: Advisor, path: Path | str) -> str:
    """Write an advisor into a new folder, for other processes and machines; its fingerprint.

    Models are kept in their own safe formats (skops, XGBoost, LightGBM), the rest as plain numbers
    and text. What cannot be written that way is refused: functions, methods of your own, models of
    types that skops does not know.

    >>> import tempfile
    >>> import pandas as pd
    >>> from standfast import Feature, Linear, MinimalCost, Percentiles, prepare
    >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3]})
    >>> method = MinimalCost(Schema((Feature("late", "count"),)), Percentiles.fit(table))
    >>> folder = Path(tempfile.mkdtemp()) / "advisor"
    >>> _ = save(prepare(method, Linear([-1.0], 1.5)), folder)
    >>> load(folder).recommend(table.tail(1)).sentences().item()
    'Lower late from 3 to 1.'
    """
    if not isinstance(advisor, Advisor):
        raise InputError(f"the advisor is {type_of(advisor)}; make one with prepare(method, model)")
    leaves = models.Leaves()
    method = methods.described(advisor.method, leaves.described)
    model = leaves.described(advisor.model)
    written: dict[str, str] = {}

    def fill(part: Path) -> None:
        held: dict[str, Any] = {
            "format": FORMAT,
            "schema": advisor.method.schema.to_toml(),
            "method": method,
            "model": model,
            **leaves.write(part, advisor.method.schema),
            "percentiles": reference.write(advisor.method.percentiles, part),
            "origin": advisor.origin.to_json(),
        }
        held["identity"] = written["identity"] = _identity(held)
        if isinstance(advisor.method, CCHVAE):
            advisor.method.autoencoder.write(part / AUTOENCODER)
        held["digest"] = digest_of_values(held)
        (part / HEADER).write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")

    write_folder(path, fill)
    return written["identity"]


def load(path: Path | str, *, trust: Sequence[str] = ()) -> Advisor:
    """The advisor in a folder; a changed or missing file is refused.

    `trust` names types that a model's file may hold beyond those that standfast trusts by itself,
    as in `load_model`.
    """
    return travelled(path, trust).advisor


def travelled(path: Path | str, trust: Sequence[str] = ()) -> Travelled:
    """The advisor in a folder with what the folder says of it."""
    folder = Path(path)
    held = read_header(folder)
    header = folder / HEADER
    with reading(header, REMEDY):
        schema = Schema.from_toml(held["schema"])
    leaves = models.read_leaves(folder, held, schema, trust)
    percentiles = reference.read(folder, held["percentiles"], schema)
    further = {}
    if held["method"]["kind"] == "c-chvae":
        further["autoencoder"] = Autoencoder.read(folder / AUTOENCODER)

    def model(about: Mapping[str, Any]) -> Any:
        return models.restored(about, leaves, schema)

    origin = Provenance.from_json(held["origin"])
    try:
        method = methods.restored(held["method"], schema, percentiles, model, further)
        found = Advisor(method, model(held["model"]))
    except Exception as error:  # a header that was written by us and sealed, and does not fit
        raise InputError(
            f"'{header}' does not describe an advisor that this version of standfast can make "
            f"({first_line(error)}); {REMEDY}"
        ) from error
    if (found.origin.schema, found.origin.reference) != (origin.schema, origin.reference):
        raise InputError(f"'{folder}' does not give the advisor that was saved; {REMEDY}")
    return Travelled(found, origin, held["identity"])


def read_header(folder: Path) -> dict[str, Any]:
    """What a folder says of the advisor in it, every field checked, if nothing was changed."""
    header = folder / HEADER
    try:
        text = read_text(header, MOST, "the header")
    except InputError as error:
        raise InputError(
            f"'{folder}' holds no advisor as standfast saves it: it has no readable {HEADER} "
            f"({error})"
        ) from error
    with reading(header, REMEDY):
        held: dict[str, Any] = parse(text)
    check_format(held, FORMAT, header)
    with reading(header, REMEDY):
        check(held, HELD)
    if held["digest"] != digest_of_values(held):
        raise InputError(f"'{header}' was changed after it was saved; {REMEDY}")
    return held


def _identity(held: Mapping[str, Any]) -> str:
    """The fingerprint of the advisor, whatever bytes its files happen to have."""
    names = ("schema", "method", "model", "origin")
    return digest_of_values({name: held[name] for name in names})
