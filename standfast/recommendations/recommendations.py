"""The table of recommendations: who stands where, where the advice sends them, and how it ended."""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from standfast.errors import InputError
from standfast.recommendations.outcome import Outcome
from standfast.recommendations.provenance import SEPARATOR, Provenance
from standfast.recommendations.sentences import advice, explain, with_kept, with_stuck
from standfast.recommendations.target import Shortfall, Target
from standfast.schema import Feature, Schema
from standfast.schema.border import coded
from standfast.schema.bounds import stuck
from standfast.schema.categories import MISSING

if TYPE_CHECKING:  # of what explore() shows beside the advice
    from standfast.methods.region import Regions
    from standfast.percentiles import Percentiles
    from standfast.scores import Score


@dataclass(frozen=True)
class Recommendations:
    """One row per person, found or not; made by `recommend`.

    Parameters
    ----------
    schema : Schema
        What the columns mean.
    factual, counterfactual : DataFrame
        Where people stand and where advice sends them, empty (NaN) where there is none.
    results : DataFrame
        outcome, cause, cost, lower_bound, seconds and binding; where it applies also `accepted_by`,
        how many choosing models accept, `kept`, the inputs that each person left as they are, and
        `after_months`. A cause is a fact of `recommendations.causes`, or None; binding models are
        positions in `provenance.models`; `explanations` says causes in words and `binding` names
        models.
    provenance : Provenance
        What it was computed from.
    alternatives : DataFrame, optional
        Where several ways were asked for, all of them, person by person in order of cost.

    Examples
    --------
    >>> import standfast as sf
    >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3]})
    >>> best = sf.MinimalCost(sf.Schema((sf.Feature("late", "count"),)), sf.Percentiles.fit(table))
    >>> recs = sf.recommend(best, sf.Linear([-1.0], 1.5), table)
    >>> recs.counts().to_dict()
    {'minimal': 2, 'already_favourable': 3}
    >>> recs.changes()[["factual", "counterfactual"]].to_numpy().tolist()
    [[2.0, 1.0], [3.0, 1.0]]
    """

    schema: Schema
    factual: pd.DataFrame
    counterfactual: pd.DataFrame
    results: pd.DataFrame
    provenance: Provenance
    alternatives: pd.DataFrame | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.provenance, Provenance):
            object.__setattr__(self, "provenance", Provenance.from_json(self.provenance))

    def __len__(self) -> int:
        return len(self.results)

    @property
    def index(self) -> pd.Index:
        """The people."""
        return self.results.index

    @property
    def outcome(self) -> pd.Series:
        """How each person's search ended."""
        return self.results["outcome"]

    @property
    def cost(self) -> pd.Series:
        """What each advice costs; 0 for people already accepted, NaN without an answer."""
        return self.results["cost"]

    @property
    def gap(self) -> pd.Series:
        """How far each cost may be above the cheapest, as a share of it; 0 where proven."""
        cost, bound = self.cost, self.results["lower_bound"]
        return ((cost - bound) / cost.where(cost > 0, 1.0)).rename("gap")

    @property
    def found(self) -> pd.Series:
        """Whether each person got advice."""
        return pd.Series(self._advised.copy(), self.index, name="outcome")

    @cached_property
    def _advised(self) -> NDArray[np.bool_]:
        """Looked up once: text is slow, and this is asked for wherever people are gone through."""
        advises = {value: Outcome(value).advises for value in self.outcome.unique()}
        return np.array([advises[value] for value in self.outcome], dtype=bool)

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped by the user before everybody was served."""
        return self.provenance.interrupted

    @property
    def origin(self) -> str:
        """Which data the people came from, as far as the table said; twins say that they are."""
        return self.provenance.data

    @property
    def shortfall(self) -> Shortfall | None:
        """For how many people the target is missed: by count, and by estimate for unseen models.

        None where advice was not made for a share of models, as `Invariant` with a validity is.
        """
        target = Target.of(self.provenance)
        if target is None or "accepted_by" not in self.results:
            return None
        return Shortfall.counted(target, self.results["accepted_by"].dropna().to_numpy(float))

    @property
    def months(self) -> Any:
        """In how many months each advice is to be followed; 0 for now."""
        if "after_months" not in self.results:
            return np.zeros(len(self))
        return self.results["after_months"].fillna(0.0).to_numpy(dtype=np.float64)

    def counts(self) -> pd.Series:
        """How many people ended with each outcome."""
        counts = self.outcome.value_counts().reindex([str(o) for o in Outcome], fill_value=0)
        return counts[counts > 0].rename("people")

    def sentences(self) -> pd.Series:
        """For each person the advice in plain words, or why there is none."""
        X, Y = self.matrices()
        rows = zip(self.found, self.outcome, self.explanations(), X, Y, self.months, strict=True)
        texts = [
            advice(self.schema, x, y, months)
            if found
            else f"{Outcome(outcome).sentence} {why}".strip()
            for found, outcome, why, x, y, months in rows
        ]
        return pd.Series(texts, index=self.index, name="sentence", dtype=object)

    def explanations(self) -> pd.Series:
        """For each person the cause in plain words: why there is no advice, or a remark on it."""
        names, pairs = self.provenance.names, zip(self.results["cause"], self.found, strict=True)
        texts = [explain(cause, self.schema, names, advised=found) for cause, found in pairs]
        without = self.outcome.isin([Outcome.INFEASIBLE, Outcome.EXHAUSTED]).to_numpy()
        if without.any():
            X, _ = self.matrices()
            held = stuck(self.schema, X) & without[:, None]
            for i in np.flatnonzero(held.any(axis=1)):
                texts[i] = with_stuck(texts[i], X[i], np.flatnonzero(held[i]), self.schema)
        if "kept_inputs" in self.results:
            columns = zip(texts, self.results["kept_inputs"], without, strict=True)
            texts = [
                with_kept(text, kept if none else (), self.schema) for text, kept, none in columns
            ]
        return pd.Series(texts, index=self.index, name="explanation", dtype=object)

    @property
    def binding(self) -> pd.Series:
        """For each person the names of the models that shaped the answer, where that is known."""
        names = dict(enumerate(self.provenance.names))
        texts = [
            SEPARATOR.join(names.get(m, f"model {m}") for m in found)
            for found in self.results["binding"]
        ]
        return pd.Series(texts, index=self.index, name="binding", dtype=object)

    def changes(self) -> pd.DataFrame:
        """A long table of every change: person, feature, factual, counterfactual, difference."""
        X, Y = self.matrices()
        people, columns = np.nonzero((X != Y) & ~np.isnan(Y))
        a, b = X[people, columns], Y[people, columns]
        ordered = np.array([f.kind != "nominal" for f in self.schema])[columns]
        counted = ordered & np.isfinite(a) & np.isfinite(b)
        named = any(f.coder is not None for f in self.schema) or np.isinf(a).any()
        start, goal = (self._shown(columns, values) if named else values for values in (a, b))
        return pd.DataFrame(
            {
                "person": self.index[people],
                "feature": np.array(self.schema.names)[columns],
                "factual": start,
                "counterfactual": goal,
                "difference": np.subtract(b, a, out=np.full(len(a), np.nan), where=counted),
            }
        )

    def _shown(self, columns: Any, values: Any) -> Any:
        """Values of several columns as people read them: names as names, gaps as None."""
        features = self.schema.features
        found = [
            None if v == MISSING else coder.names[int(v)] if (coder := features[j].coder) else v
            for j, v in zip(columns.tolist(), values.tolist(), strict=True)
        ]
        return pd.Series(found, dtype=object).to_numpy()

    def matrices(self) -> tuple[Any, Any]:
        """Where people stand and where advice sends them, in codes; NaN where there is none.

        Where advice is for a time to come, where people will stand by then.
        """
        X = coded(self.factual, self.schema.features)
        if "after_months" in self.results:
            X = self.schema.moved_on(X, self.months)
        Y = np.full(X.shape, np.nan)
        found = self.found.to_numpy()
        if found.any():
            Y[found] = coded(self.counterfactual[found], self.schema.features)
        return X, Y

    def flipset(self, person: Any) -> pd.DataFrame:
        """One person's ways in order of cost, or by the months they take, each as a sentence."""
        if self.alternatives is None:
            raise InputError("only one way was asked for; make the method with alternatives=3, say")
        ways = self.alternatives[self.alternatives["person"] == person]
        x = coded(self.factual.loc[[person]], self.schema.features)[0]
        goals: Any = coded(ways[list(self.schema.names)], self.schema.features) if len(ways) else []
        timed = "after_months" in ways
        months = ways["after_months"].to_numpy() if timed else np.zeros(len(ways))
        then = self.schema.moved_on(np.tile(x, (len(ways), 1)), months)
        rows = zip(then, goals, months, strict=True)
        sentences = [advice(self.schema, *row) for row in rows]
        columns = ["rank", *["after_months"] * timed, "outcome", "cost"]
        listed = ways[columns].assign(sentence=sentences)
        return pd.DataFrame(listed).set_index("rank")

    def remarks(self) -> pd.Series:
        """What there is to say of each person's advice: a gap left open, models that accept it."""
        return self.explanations().where(self.found, "").rename("remark")

    def to_frame(self) -> pd.DataFrame:
        """The people with outcome, sentence, remark, costs, seconds and the advised values."""
        results = self.results.drop(columns="cause").assign(binding=self.binding)
        if "kept_inputs" in results:
            results["kept_inputs"] = results["kept_inputs"].map(SEPARATOR.join)
        results.insert(1, "sentence", self.sentences())
        results.insert(2, "remark", self.remarks())
        results.insert(5, "gap", self.gap)
        frame = pd.concat([results, self.counterfactual], axis=1)
        frame.attrs["origin"] = self.origin
        return frame

    def write(self, path: Path | str) -> None:
        """Write a Parquet or CSV file, by the path's ending, provenance included."""
        from standfast.recommendations.storage import write

        write(self, Path(path))

    @classmethod
    def read(cls, path: Path | str) -> "Recommendations":
        """Recommendations from a file that `write` made."""
        from standfast.recommendations.storage import read

        return read(Path(path))

    def explore(
        self,
        percentiles: "Percentiles | None" = None,
        *,
        models: "Mapping[str, Score] | None" = None,
        region: "Regions | None" = None,
    ) -> Any:
        """A widget for notebooks: one person after another among all others, with their advice.

        It needs anywidget: pip install 'standfast[notebook]'. To try values and to rule changes
        out, explore an advisor instead: `Advisor.explore`.

        Parameters
        ----------
        percentiles : Percentiles, optional
            Of the reference table, among whose people each person is placed; among the people of
            this table unless given, and the widget says so.
        models : mapping of str to Score, optional
            Models by name: what each says of a person and of the advice.
        region : Regions, optional
            The room around the advice, as `region` found it.

        Returns
        -------
        anywidget.AnyWidget
            To be shown as the last line of a cell.

        Examples
        --------
        >>> import standfast as sf
        >>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3]})
        >>> schema, q = sf.Schema((sf.Feature("late", "count"),)), sf.Percentiles.fit(table)
        >>> recs = sf.recommend(sf.MinimalCost(schema, q), sf.Linear([-1.0], 1.5), table.tail(2))
        >>> recs.explore(q).first["advice"]["sentence"]
        'Lower late from 2 to 1.'
        """
        from standfast.workbench.notebook import explore_advice

        return explore_advice(self, percentiles, models, region)

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {outcome}" for outcome, n in self.counts().items())
        origin = f" on {self.origin}" if self.origin else ""
        return f"<Recommendations: {len(self)} people{origin}: {counts}>"

    def _repr_html_(self) -> str:
        frame = self.to_frame().drop(columns=["seconds"])
        note = html.escape(repr(self)[1:-1])
        written = {f.name: partial(_written, f) for f in self.schema if f.coder is None}
        table = frame.to_html(
            max_rows=20, float_format=lambda v: f"{v:.4g}", formatters=written, border=0
        )
        short = f"<p>{html.escape(self.shortfall.sentence)}</p>" if self.shortfall else ""
        return f"<p><b>{note}</b></p>{short}{table}"


def _written(feature: Feature, value: Any) -> str:
    """An advised number as sentences have it; NaN without advice."""
    return "NaN" if pd.isna(value) else feature.shown(float(value))


def check_recommendations(given: object) -> None:
    """Refuse what are no recommendations."""
    if not isinstance(given, Recommendations):
        raise InputError(
            f"expected Recommendations, got {type(given).__name__}; make them with "
            "recommend(method, model, people)"
        )
