"""Cuts: the yes-or-no questions about people's inputs that sparse trees may ask."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from standfast.datasets import Dataset
from standfast.datasets.dataset import check_training
from standfast.errors import InputError, check_whole, listing, type_of
from standfast.schema import Feature, Schema
from standfast.schema.bounds import Bounds
from standfast.schema.categories import MISSING
from standfast.scores.score import Bools, Matrix, Vector, checked
from standfast.scores.tree_ensemble import TreeEnsemble

# cuts of one input by quantiles, and of all inputs by a reference's splits, unless it is said
USUAL, MOST_USED = 4, 60


class Cut(NamedTuple):
    """One question: is the input at most `value`, or, if `equal`, is it this very category?

    A missing value is at most every value, and a cut at minus infinity asks whether it is missing.
    """

    input: int
    value: float
    equal: bool = False


@dataclass(frozen=True)
class Cuts:
    """The questions trees may ask, in order, each of which divides the training people.

    >>> from standfast.datasets import twin
    >>> people = twin("heloc", n=500, seed=0)
    >>> cuts = Cuts.given(people, {"ExternalRiskEstimate": [60, 75]})
    >>> [cuts.words(0, True), cuts.words(1, False)]
    ['external risk estimate at most 60', 'external risk estimate above 75']
    """

    schema: Schema
    cuts: tuple[Cut, ...]

    @classmethod
    def quantiles(cls, train: Dataset, most: int = USUAL) -> "Cuts":
        """At most so many cuts of every input, at evenly spaced quantiles of the training people.

        A category has one cut of its own, and so have missing values.
        """
        check_whole(cuts=most)
        X = _matrix(train)
        shares = np.arange(1, most + 1) / (most + 1)
        wanted = []
        for j, feature in enumerate(train.schema):
            column = X[:, j]
            known = column[column > MISSING]
            if feature.kind == "nominal":
                wanted += [Cut(j, code, True) for code in np.unique(known).tolist()]
            elif len(known):
                values = np.quantile(known, shares, method="inverted_cdf")
                wanted += [Cut(j, value) for value in np.unique(values).tolist()]
            wanted.append(Cut(j, MISSING))
        return cls._dividing(train, X, wanted)

    @classmethod
    def used_by(cls, model: TreeEnsemble, train: Dataset, most: int = MOST_USED) -> "Cuts":
        """The splits that an ensemble of trees uses most often, at most so many of them.

        A good ensemble knows where the data ask to be cut (McTavish et al. 2022). Splits that
        divide nobody are left out; of categories every one is a cut.
        """
        check_whole(cuts=most)
        if not isinstance(model, TreeEnsemble) or model.width != len(train.schema):
            raise InputError(
                f"the reference of the cuts is {type_of(model)}; give a tree ensemble of the "
                f"{len(train.schema)} inputs: as_score(forest, schema, favourable=...)"
            )
        X, t = _matrix(train), model.trees
        named = np.array([feature.kind == "nominal" for feature in train.schema])
        asks = ~t.leaf & ~named[t.feature]
        pairs = np.column_stack([t.feature[asks].astype(np.float64), t.split[asks]])
        splits, times = np.unique(pairs, axis=0, return_counts=True)
        divided = [0 < int((X[:, int(j)] <= value).sum()) < len(X) for j, value in splits]
        splits, times = splits[divided], times[divided]
        kept = splits[np.sort(np.argsort(-times, kind="stable")[:most])]
        wanted = [Cut(int(j), float(value)) for j, value in kept]
        wanted += [
            Cut(j, code, True)
            for j in np.flatnonzero(named).tolist()
            for code in np.unique(X[:, j][X[:, j] > MISSING]).tolist()
        ]
        return cls._dividing(train, X, wanted)

    @classmethod
    def given(cls, train: Dataset, values: Mapping[str, Iterable[Any]]) -> "Cuts":
        """Cuts by input: an input is at most each of the values, or is each of the categories."""
        X, wanted = _matrix(train), []
        for name, several in values.items():
            if name not in train.schema.names:
                raise InputError(
                    f"there are cuts of '{name}', but the inputs are {listing(train.schema.names)}"
                )
            if isinstance(several, str) or not isinstance(several, Iterable):
                raise InputError(f"the cuts of '{name}' are {several!r}; give a list of values")
            j = train.schema.names.index(name)
            wanted += [_cut(train.schema.features[j], j, value) for value in several]
        if not wanted:
            raise InputError("there is no cut; give values for at least one input")
        wanted.sort()
        for cut in wanted:
            divided = int(_holds(cut, X).sum())
            if not 0 < divided < len(X):
                known = X[:, cut.input][X[:, cut.input] > MISSING]
                feature = train.schema.features[cut.input]
                ends = f"{known.min():g} to {known.max():g}" if len(known) else "missing for all"
                ends = "some of the categories" if cut.equal else ends
                raise InputError(
                    f"the cut '{_words(feature, cut, True)}' holds for "
                    f"{'all' if divided else 'none'} of the {len(X)} training people; their values "
                    f"are {ends}: give cuts that divide them"
                )
        if len(set(wanted)) < len(wanted):
            again = next(cut for k, cut in enumerate(wanted) if cut in wanted[:k])
            feature = train.schema.features[again.input]
            raise InputError(
                f"the cut '{_words(feature, again, True)}' is given twice; give it once"
            )
        return cls._dividing(train, X, wanted)

    @classmethod
    def of(cls, train: Dataset, given: Any) -> "Cuts":
        """The cuts that a user asked for: a number per input, values by input, or an ensemble."""
        if isinstance(given, Cuts):
            if given.schema.names != train.schema.names:
                raise InputError("the cuts are those of other inputs; make them with this data set")
            return given
        if isinstance(given, Mapping):
            return cls.given(train, given)
        if isinstance(given, TreeEnsemble):
            return cls.used_by(given, train)
        if isinstance(given, int) and not isinstance(given, bool):
            return cls.quantiles(train, given)
        raise InputError(
            f"cuts is {type_of(given)}; give how many per input, values by input such as "
            "{'age': [25, 40]}, or a tree ensemble whose splits to take"
        )

    @classmethod
    def _dividing(cls, train: Dataset, X: Matrix, wanted: list[Cut]) -> "Cuts":
        found = [cut for cut in wanted if 0 < int(_holds(cut, X).sum()) < len(X)]
        if not found:
            raise InputError(
                f"no input of the {len(X)} training people takes two values, so no tree can "
                "divide them; check the table"
            )
        return cls(train.schema.complete(train.table), tuple(found))

    def __len__(self) -> int:
        return len(self.cuts)

    def holds(self, X: Matrix) -> Bools:
        """Whether each cut holds for each row: rows by cuts."""
        X = checked(X, len(self.schema))
        found = np.empty((len(X), len(self.cuts)), dtype=bool)
        for k, cut in enumerate(self.cuts):
            found[:, k] = _holds(cut, X)
        return found

    def words(self, k: int, holds: bool) -> str:
        """What a cut says where it holds, or where it does not."""
        cut = self.cuts[k]
        return _words(self.schema.features[cut.input], cut, holds)

    def fixed(self, X: Matrix, bounds: Bounds | None = None) -> Bools:
        """Which cuts no admissible change of one input alters: people by cuts."""
        low, high, _, _ = self.schema.bounds(X) if bounds is None else bounds
        own = low > high
        low, high = np.where(own, X, np.minimum(low, X)), np.where(own, X, np.maximum(high, X))
        found = np.empty((len(X), len(self.cuts)), dtype=bool)
        for k, cut in enumerate(self.cuts):
            ends: tuple[Vector, Vector] = low[:, cut.input], high[:, cut.input]
            if cut.equal:
                found[:, k] = (ends[0] == ends[1]) | (cut.value < ends[0]) | (cut.value > ends[1])
            else:
                found[:, k] = (ends[0] > cut.value) == (ends[1] > cut.value)
        return found


def _matrix(train: Dataset) -> Matrix:
    check_training(train)
    return train.schema.matrix(train.table)


def _cut(feature: Feature, j: int, value: Any) -> Cut:
    if feature.coder is not None:
        known = list(feature.coder.names)
        if value not in known:
            raise InputError(
                f"there is a cut of '{feature.name}' at {value!r}; its categories are "
                f"{listing(known)}"
            )
        return Cut(j, float(known.index(value)), feature.kind == "nominal")
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise InputError(
            f"there is a cut of '{feature.name}' at {value!r}; it must be a finite number"
        )
    return Cut(j, number)


def _holds(cut: Cut, X: Matrix) -> Bools:
    column = X[:, cut.input]
    return np.asarray(column == cut.value if cut.equal else column <= cut.value)


def _words(feature: Feature, cut: Cut, holds: bool) -> str:
    if cut.value == MISSING:
        return f"{feature.words} {'missing' if holds else 'known'}"
    value = f"{cut.value:.6g}" if feature.coder is None else feature.shown(cut.value)
    if cut.equal:
        return f"{feature.words} {'is' if holds else 'is not'} {value}"
    return f"{feature.words} {'at most' if holds else 'above'} {value}"
