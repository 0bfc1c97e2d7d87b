"""What is odd about a person's advice, in plain words."""

from standfast.evaluation.advised import Vector
from standfast.evaluation.evidence import AGAINST, BROKEN, SMALL, UNSEEN, Evidence, Marked
from standfast.recommendations.sentences import move
from standfast.schema import Schema

# what people are asked for, by the kind of the move
WORDS = {
    AGAINST: "to move an input against its favourable direction",
    BROKEN: "to break what practically always holds",
    SMALL: "to make a move that passes less than one percent of the people",
    UNSEEN: "to take a value that nobody in the data has",
}


def remark(
    schema: Schema, evidence: Evidence, marked: Marked, i: int, ends: tuple[Vector, Vector]
) -> str:
    """All that is odd about the i-th person's moves between two ends; '' if nothing is."""
    x, y = ends
    invariants = evidence.near_invariants
    said = []
    for j, feature in enumerate(schema):
        if not marked.moved[i, j]:
            continue
        step = f"The advice to {move(feature, x[j], y[j])}"
        if marked.kinds[AGAINST][i, j]:
            said.append(f"{step} goes against {_source(evidence, j)}.")
        if marked.kinds[SMALL][i, j]:
            said.append(f"{step} is a small move: it passes less than one percent of the people.")
        if marked.kinds[UNSEEN][i, j]:
            said.append(_unseen(schema, evidence, y, j))
    for k in marked.laws[i].nonzero()[0]:
        held = invariants.held[k]
        whom = "everybody" if held == 1 else f"{min(round(100 * held, 1), 99.9):g} % of the people"
        said.append(f"'{invariants.names[k]}' would no longer hold, as it does for {whom}.")
    return " ".join(said)


def _source(evidence: Evidence, j: int) -> str:
    way, source, correlation, _ = evidence.directions.iloc[j]
    if source == "schema":
        return f"the schema, by which it may only go {way}"
    amount = "more" if way == "up" else "less"
    number = f"{correlation:+.2f}".replace("-", "−")
    return f"the data, where favourable people have {amount} of it (rank correlation {number})"


def _unseen(schema: Schema, evidence: Evidence, y: Vector, j: int) -> str:
    partners = evidence.seen.partners(y[None])[0, j].nonzero()[0]
    shown = [f"{schema.features[k].words} {schema.features[k].shown(y[k])}" for k in (j, *partners)]
    if len(shown) > 1:
        return f"Nobody in the data has {shown[0]} together with {' or '.join(shown[1:])}."
    near = " or near it" if schema.features[j].coder is None else ""
    return f"Nobody in the data has {shown[0]}{near}."
