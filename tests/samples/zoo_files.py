"""Models that are files: a table of points, PMML, ONNX; each is evaluated a second way."""

from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import standfast as sf
from samples.bank import NEVER, World
from samples.pmml_evaluator import Evaluator
from samples.zoo_estimators import Kept
from standfast.readers import read_points


def points(world: World, folder: Path) -> Kept:
    """A table of points, added up by hand."""
    rows, adders = [], []
    for f in world.schema:
        if f.coder is not None:
            worth = {c: float((7 * k) % 5 * 6) for k, c in enumerate(f.categories or ())}
            rows += [(f.name, "", "", str(c), p) for c, p in worth.items()]
            other = 3.0
            adders.append(
                lambda t, n=f.name, w=worth, o=other: (
                    t[n].astype(object).map(w).astype(float).fillna(o)
                )
            )
        else:
            at = float(world.table[f.name].median())
            rows += [(f.name, "", at, "", 4.0), (f.name, at, "", "", 15.5)]
            special = {} if NEVER not in f.missing else {NEVER: 1.0}
            rows += [(f.name, "", "", str(v), p) for v, p in special.items()]

            def add(t: Any, n: str = f.name, at: float = at, special: Any = special) -> Any:
                x = t[n].astype(float)
                found = np.where(x.isna(), 3.0, np.where(x < at, 4.0, 15.5))
                for value, p in special.items():
                    found = np.where(x == value, p, found)
                return found

            adders.append(add)
        if f.when_missing != "refuse":
            rows.append((f.name, "", "", "missing", 3.0))
    file = folder / "points.csv"
    frame = pd.DataFrame(rows, columns=["feature", "lower", "upper", "category", "points"])
    frame.to_csv(file, index=False)
    total = sum(np.asarray(add(world.table)) for add in adders)
    cut = float(np.quantile(total, 0.6))
    score = read_points(file, world.schema, cutoff=cut)
    return Kept("points", score, lambda t: sum(np.asarray(add(t)) for add in adders) >= cut - 1e-9)


def card(world: World, folder: Path) -> Kept:
    """A scorecard in PMML, evaluated from its XML row by row."""
    root = Element("PMML", version="4.4")
    fields = SubElement(root, "DataDictionary")
    model = SubElement(root, "Scorecard", functionName="regression", initialScore="100")
    model.set("useReasonCodes", "false")
    mined, parts = SubElement(model, "MiningSchema"), SubElement(model, "Characteristics")

    def bin_of(part: Element, worth: float, **asked: str) -> None:
        attribute = SubElement(part, "Attribute", partialScore=str(worth))
        SubElement(attribute, "SimplePredicate" if asked else "True", asked)

    for f in world.schema:
        if f.name in ("phone", "branch"):
            continue
        kind = ("categorical", "string") if f.coder is not None else ("continuous", "double")
        known = SubElement(fields, "DataField", name=f.name, optype=kind[0], dataType=kind[1])
        for category in f.categories or ():
            SubElement(known, "Value", value=str(category))
        for token in f.missing:
            SubElement(known, "Value", value=str(token), property="missing")
        SubElement(mined, "MiningField", name=f.name)
        part = SubElement(parts, "Characteristic", name=f.name)
        if f.when_missing != "refuse":
            bin_of(part, 2, field=f.name, operator="isMissing")
        for k, category in enumerate(f.categories or ()):
            bin_of(part, (5 * k) % 7 * 3, field=f.name, operator="equal", value=str(category))
        if f.coder is None:
            at = repr(float(world.table[f.name].median()))
            bin_of(part, 3.25, field=f.name, operator="lessOrEqual", value=at)
            bin_of(part, 17)
    file = folder / "card.pmml"
    file.write_bytes(tostring(root))
    referee = Evaluator(file)

    def worth(table: pd.DataFrame) -> Any:
        rows = table.astype(object).where(table.notna(), None).to_dict("records")
        return np.array([np.nan if v is None else v for v in map(referee, rows)], dtype=float)

    cut = float(np.nanquantile(worth(world.table.head(300)), 0.6)) + 0.125
    score = sf.as_score(sf.load_model(file), world.schema, favourable="above", threshold=cut)
    return Kept("PMML scorecard", score, lambda table: worth(table) > cut)


def graph(world: World, folder: Path, name: str, final: Any, margin: float) -> Kept:
    """A pipeline in ONNX, run by onnxruntime; what it adds up in 32 bits needs a little margin."""
    import onnxruntime
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType

    texts = [f.name for f in world.schema if f.name in world.texts and f.when_missing == "refuse"]
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    before = ColumnTransformer([("w", encoder, texts), ("n", numbers, world.numbers)])
    own = world.table[[*texts, *world.numbers]].astype(dict.fromkeys(texts, object))
    own = own.astype(dict.fromkeys(world.numbers, float))
    model = make_pipeline(before, final).fit(own, world.labels)
    types = [(c, (StringTensorType if c in texts else FloatTensorType)([None, 1])) for c in own]
    data = convert_sklearn(
        model, initial_types=types, options={"zipmap": False}
    ).SerializeToString()
    file = folder / f"{name}.onnx"
    file.write_bytes(data)
    session = onnxruntime.InferenceSession(data)

    def share(table: pd.DataFrame) -> Any:
        feeds = {c: table[c].to_numpy(object if c in texts else np.float32)[:, None] for c in own}
        return np.asarray(session.run(None, feeds)[-1])[:, 1]

    score = sf.as_score(sf.load_model(file), world.schema, favourable="yes")
    score = sf.Unanimous([score], margin=margin) if margin else score
    return Kept(f"ONNX {name}", score, lambda table: share(table) > 0.5)
