"""Every kind of model that is read, fitted on a table with categories and gaps, with its own judge.

A judge is what the model's user would run on a table that was read back from a file: the
estimator's own prediction, or a second evaluation of the file. It never asks a score.
"""

import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import standfast as sf
from samples.bank import NEVER, World
from samples.pmml_evaluator import Evaluator
from standfast.readers import read_points

Judge = Callable[[pd.DataFrame], "np.ndarray[Any, np.dtype[np.bool_]]"]


@dataclass(frozen=True)
class Kept:
    """A model as a score, and its own word about a table as it was fitted on."""

    name: str
    score: Any
    accepts: Judge


def front(world: World, words: Any = None, numbers: Any = None) -> ColumnTransformer:
    """What stands before a model: an encoder for text, a filler for numbers."""
    usual = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    rest = [f.name for f in world.schema if f.name not in (*world.texts, *world.numbers)]
    return ColumnTransformer(
        [
            ("words", hot if words is None else words, world.texts),
            ("numbers", usual if numbers is None else numbers, world.numbers),
            ("rest", "passthrough", rest),
        ]
    )


def _filled(encoder: Any) -> Any:
    return make_pipeline(SimpleImputer(strategy="constant", fill_value="unknown"), encoder)


CODES = OrdinalEncoder(
    handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2
)
FOREST = RandomForestClassifier(5, max_depth=5, random_state=0)
MORE = ExtraTreesClassifier(5, max_depth=5, random_state=1)
LOGISTIC = LogisticRegression(max_iter=3000)


def estimators(world: World) -> dict[str, tuple[Any, float | None]]:
    """Unfitted scikit-learn models that read the table as it is, and their thresholds."""
    bins = make_pipeline(
        SimpleImputer(), KBinsDiscretizer(4, encode="onehot-dense", strategy="uniform")
    )
    curves = make_pipeline(SimpleImputer(), StandardScaler(), SplineTransformer(4))
    coded = front(world, CODES, "passthrough")
    hot = front(world)

    def behind(model: Any, before: Any = hot) -> Any:
        return make_pipeline(clone(before), clone(model))

    def steps() -> Any:
        return make_pipeline(clone(coded), clone(FOREST))

    grown = [("f", behind(FOREST)), ("g", behind(MORE, coded))]
    sums = [
        ("s", behind(LinearSVC())),
        ("l", behind(LOGISTIC, front(world, _filled(TargetEncoder(cv=2))))),
    ]
    return {
        "logistic, one-hot": (behind(LOGISTIC), None),
        "logistic, ordinal codes": (behind(LOGISTIC, front(world, CODES)), 0.37),
        "logistic, target codes": (behind(LOGISTIC, front(world, _filled(TargetEncoder(cv=2)))), 0.6180339887498949),
        "logistic, bins": (behind(LOGISTIC, front(world, None, bins)), 0.51),
        "logistic, splines": (behind(LOGISTIC, front(world, None, curves)), None),
        "linear support vectors": (behind(LinearSVC()), 0.1),
        "tree, ordinal codes": (behind(DecisionTreeClassifier(max_depth=6, random_state=0), coded), 1 / 3),
        "forest, one-hot": (behind(FOREST), None),
        "forest, ordinal codes": (steps(), 0.6),
        "extra trees, target codes": (behind(MORE, front(world, _filled(TargetEncoder(cv=2)))), 0.55),
        "boosting, one-hot": (behind(GradientBoostingClassifier(n_estimators=12, random_state=0)), None),
        "vote of forests": (VotingClassifier(grown, voting="soft", weights=[2, 1]), None),
        "stack of sums": (StackingClassifier(sums, LogisticRegression(), stack_method="decision_function", cv=2), None),
        "stack of forests": (StackingClassifier(grown, LogisticRegression(), cv=2), 0.45),
        "forest, threshold of its own": (FixedThresholdClassifier(steps(), threshold=0.37, pos_label="yes"), None),
        "calibrated forest, sigmoid": (Calibrated(steps(), "sigmoid"), None),
        "calibrated forest, isotonic": (Calibrated(steps(), "isotonic"), 0.6),
        "calibrated logistic, isotonic": (Calibrated(behind(LOGISTIC), "isotonic"), None),
        "neural network": (behind(MLPClassifier((8,), max_iter=60, random_state=0)), None),
    }  # fmt: skip


@dataclass(frozen=True)
class Calibrated:
    """A fitted model with one calibrator, once it is fitted."""

    inside: Any
    method: str

    def fit(self, table: pd.DataFrame, labels: Any) -> Any:
        fitted = FrozenEstimator(self.inside.fit(table, labels))
        return CalibratedClassifierCV(fitted, method=self.method, ensemble=False).fit(table, labels)


def _own(model: Any, favourable: object, threshold: float | None, table: Any) -> Any:
    """A classifier's own word: its class, and its number against the threshold."""
    if not hasattr(model, "predict_proba"):
        towards = 1.0 if list(model.classes_).index(favourable) == 1 else -1.0
        return towards * model.decision_function(table) > (threshold or 0.0)
    classes = list(model.classes_)
    several = favourable if isinstance(favourable, set) else {favourable}
    share = np.asarray(model.predict_proba(table))[:, [classes.index(c) for c in several]].sum(
        axis=1
    )
    if threshold is None and len(several) == 1:  # of two classes, or with a threshold of its own
        return np.asarray(model.predict(table)).ravel() == favourable
    return share > (0.5 if threshold is None else threshold)


def keep(
    name: str,
    model: Any,
    world: World,
    favourable: Any = "yes",
    threshold: float | None = None,
    as_fitted: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table,
) -> Kept:
    """A fitted classifier as a score, judged by itself on the table it was fitted on."""
    score = sf.as_score(model, world.schema, favourable=favourable, threshold=threshold)
    return Kept(name, score, lambda table: _own(model, favourable, threshold, as_fitted(table)))


def boosted(world: World) -> Iterator[Kept]:
    """Libraries with categories and gaps of their own."""
    import catboost
    import lightgbm
    import xgboost

    numbers = (world.labels == "yes").astype(int)
    kinds = {
        c: pd.CategoricalDtype(sorted(world.table[c].dropna().astype(str).unique()))
        for c in world.texts
    }
    kinds = {
        c: world.table[c].dtype if isinstance(world.table[c].dtype, pd.CategoricalDtype) else k
        for c, k in kinds.items()
    }

    def sorts(table: pd.DataFrame) -> pd.DataFrame:
        return table.astype(kinds)

    def words(table: pd.DataFrame) -> pd.DataFrame:
        plain = {c: table[c].astype(object).fillna("unknown") for c in world.texts}
        return table.assign(**plain)

    own = sorts(world.table)
    histogram = HistGradientBoostingClassifier(
        max_iter=12, categorical_features="from_dtype", random_state=0
    )
    yield keep("histogram boosting", histogram.fit(own, world.labels), world, as_fitted=sorts)
    fixed = FixedThresholdClassifier(clone(histogram), threshold=0.7, pos_label="no").fit(
        own, world.labels
    )
    yield keep(
        "histogram boosting, threshold towards the other class", fixed, world, as_fitted=sorts
    )
    light = {
        "n_estimators": 12,
        "n_jobs": 1,
        "verbose": -1,
        "min_data_per_group": 5,
        "cat_smooth": 1,
    }
    yield keep(
        "LightGBM",
        lightgbm.LGBMClassifier(**light).fit(own, world.labels),
        world,
        threshold=0.55,
        as_fitted=sorts,
    )
    calibrated = Calibrated(lightgbm.LGBMClassifier(**light), "isotonic").fit(own, world.labels)
    yield keep("calibrated LightGBM", calibrated, world, as_fitted=sorts)
    for most in (1, 100):
        boost = xgboost.XGBClassifier(
            n_estimators=12, max_depth=4, n_jobs=1, enable_categorical=True, max_cat_to_onehot=most
        )
        yield keep(f"XGBoost, {most}", boost.fit(own, numbers), world, 1, 0.45, sorts)
    cat = {
        "iterations": 15,
        "depth": 4,
        "verbose": False,
        "allow_writing_files": False,
        "thread_count": 1,
    }
    spoken = catboost.CatBoostClassifier(**cat, max_ctr_complexity=1, cat_features=world.texts)
    if all(f.when_missing == "refuse" or f.missing for f in world.schema if f.name in world.texts):
        yield keep("CatBoost", spoken.fit(words(world.table), world.labels), world, as_fitted=words)
    yield from machines(world, words)


def machines(world: World, words: Any) -> Iterator[Kept]:
    """Explainable boosting machines."""
    from interpret.glassbox import ExplainableBoostingClassifier

    few = {"max_rounds": 80, "outer_bags": 2, "n_jobs": 1, "max_bins": 32, "random_state": 1}
    types = [
        "nominal" if c in (*world.texts, "phone", "branch") else "continuous" for c in world.table
    ]
    for pairs in (0, 3):
        machine = ExplainableBoostingClassifier(interactions=pairs, feature_types=types, **few)

        def plain(table: pd.DataFrame) -> pd.DataFrame:
            return table.astype(dict.fromkeys(world.texts, object))

        machine.fit(plain(world.table), world.labels)
        yield keep(
            f"explainable boosting, {pairs} pairs", machine, world, threshold=0.43, as_fitted=plain
        )


def several_classes(world: World) -> Kept:
    """A forest of four grades, of which two are favourable."""
    rng = np.random.default_rng(0)
    better = rng.random(len(world.labels)) < 0.4
    grades = np.where(world.labels == "yes", np.where(better, "A", "B"), np.where(better, "C", "D"))
    model = make_pipeline(front(world), RandomForestClassifier(5, max_depth=5, random_state=0))
    return keep("forest, two of four classes", model.fit(world.table, grades), world, {"A", "B"})


def forests(world: World, count: int) -> list[Any]:
    """Forests of other seeds, as the next training run might grow them."""
    before = front(world, CODES, "passthrough")
    models = [RandomForestClassifier(4, max_depth=4, random_state=k) for k in range(count)]
    fitted = [make_pipeline(clone(before), m).fit(world.table, world.labels) for m in models]
    return [sf.as_score(model, world.schema, favourable="yes") for model in fitted]


# what has no estimator


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
    from xml.sax.saxutils import quoteattr

    fields, mined, parts = [], [], []
    for f in world.schema:
        words = f.coder is not None
        kind = (
            'optype="categorical" dataType="string"'
            if words
            else 'optype="continuous" dataType="double"'
        )
        if f.name in ("phone", "branch"):
            continue
        fields.append(
            f"<DataField name={quoteattr(f.name)} {kind}>"
            + "".join(f"<Value value={quoteattr(str(c))}/>" for c in (f.categories or ()))
            + "".join(f'<Value value={quoteattr(str(c))} property="missing"/>' for c in f.missing)
            + "</DataField>"
        )
        mined.append(f"<MiningField name={quoteattr(f.name)}/>")
        bins = []
        if f.when_missing != "refuse":
            bins.append(
                f'<Attribute partialScore="2"><SimplePredicate field={quoteattr(f.name)} operator="isMissing"/></Attribute>'
            )
        if words:
            bins += [
                f'<Attribute partialScore="{(5 * k) % 7 * 3}"><SimplePredicate field={quoteattr(f.name)} operator="equal" value={quoteattr(str(c))}/></Attribute>'
                for k, c in enumerate(f.categories or ())
            ]
        else:
            at = float(world.table[f.name].median())
            bins += [
                f'<Attribute partialScore="3.25"><SimplePredicate field={quoteattr(f.name)} operator="lessOrEqual" value="{at!r}"/></Attribute>',
                '<Attribute partialScore="17"><True/></Attribute>',
            ]
        parts.append(f"<Characteristic name={quoteattr(f.name)}>{''.join(bins)}</Characteristic>")
    text = (
        f'<PMML version="4.4"><DataDictionary>{"".join(fields)}</DataDictionary>'
        '<Scorecard functionName="regression" initialScore="100" useReasonCodes="false">'
        f"<MiningSchema>{''.join(mined)}</MiningSchema>"
        f"<Characteristics>{''.join(parts)}</Characteristics></Scorecard></PMML>"
    )
    file = folder / "card.pmml"
    file.write_text(text, encoding="utf-8")
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


def policies(world: World, some: dict[str, Kept]) -> Iterator[Kept]:
    """Rules, segments and several models together."""
    if world.name == "bank":
        text = "income >= 1500 and (home != rent or load < 0.4) and not job in ('NA', none)"

        def follows(t: pd.DataFrame) -> Any:
            load, home = t["load"].astype(float), t["home"].astype(object)
            lives = (~home.isin(["rent", "unknown"])) | (load < 0.4)
            works = t["job"].notna() & ~t["job"].isin(["NA", "none"])
            return ((t["income"].astype(float) >= 1500) & lives & works).to_numpy()

        column, first, others = "branch", 7, [3, 11]
    else:
        text = (
            "amount <= 4000 and (savings >= 'below 500 DM' or missing(savings)) and housing != rent"
        )

        def follows(t: pd.DataFrame) -> Any:
            low = t["savings"].isin(["below 100 DM"])
            return (
                (t["amount"].astype(float) <= 4000) & ~low & (t["housing"] != "rent")
            ).to_numpy()

        column, first, others = "housing", "own", ["rent", "for free"]
    rule = Kept("rule", sf.Rule(text, world.schema), follows)
    yield rule
    a, b, c = (
        some[name] for name in ("logistic, one-hot", "forest, ordinal codes", "histogram boosting")
    )
    divided = sf.Segmented(column, {first: a.score, **dict.fromkeys(others, b.score)}, world.schema)

    def by_segment(t: pd.DataFrame) -> Any:
        return np.where((t[column] == first).to_numpy(), a.accepts(t), b.accepts(t))

    yield Kept("segmented", divided, by_segment)
    together = sf.Unanimous([a.score, b.score, c.score], margin=0.01)
    yield Kept("three models", together, lambda t: a.accepts(t) & b.accepts(t) & c.accepts(t))
    governed = sf.Unanimous([c.score, rule.score])
    yield Kept("a model and a rule", governed, lambda t: c.accepts(t) & follows(t))


def zoo(world: World, folder: Path | None = None) -> Iterator[Kept]:
    """All models on this table, one by one."""
    place = Path(tempfile.mkdtemp()) if folder is None else folder
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries, while fitting
        some: dict[str, Kept] = {}
        for name, (model, threshold) in estimators(world).items():
            some[name] = keep(name, model.fit(world.table, world.labels), world, "yes", threshold)
            yield some[name]
        for kept in boosted(world):
            some[kept.name] = kept
            yield kept
        yield several_classes(world)
        yield points(world, place)
        yield card(world, place)
        yield graph(world, place, "forest", clone(FOREST), 0.0)
        yield graph(world, place, "logistic regression", clone(LOGISTIC), 1e-4)
        yield from policies(world, some)
