"""Trees as GOSDT, TreeFARMS, PRAXIS and their kin give them: questions about yes-or-no columns."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from standfast.errors import InputError, listing
from standfast.readers.risk_scores import Condition, condition_of
from standfast.schema import Schema
from standfast.scores.tree_ensemble import TreeEnsemble
from standfast.scores.unfolding import Branching, Question, unfold

TRUE = (True, 1, "1", "true", "True")


def is_tree_document(model: object) -> bool:
    """Whether something is, or holds as its `source`, a tree of nested questions."""
    source = _source(model)
    return isinstance(source, Mapping) and ("prediction" in source or "feature" in source)


def read_tree_document(
    model: Any, schema: Schema, *, favourable: object, columns: Sequence[str] = ()
) -> TreeEnsemble:
    """A nested tree as a model; `favourable` is the prediction that people want.

    A node has a `feature`, the place of a yes-or-no column, perhaps that column's `name`, and the
    subtrees `true` and `false`; a leaf has a `prediction`. The columns are conditions on inputs:
    'age<=30', 'home=own', 'home_own', or a binary input itself. Where nodes have no names,
    `columns` gives them by place.
    """
    questions: list[Question | None] = []
    values: list[float] = []

    def place(node: Any) -> int:
        here = len(questions)
        questions.append(None)
        if not isinstance(node, Mapping) or ("prediction" in node) == ("feature" in node):
            raise InputError(
                "a node of the tree is neither a leaf with a 'prediction' nor a question with a "
                "'feature', 'true' and 'false'"
            )
        if "prediction" in node:
            values.append(float(str(node["prediction"]) == str(favourable)))
            return here
        values.append(0.0)
        yes, no = place(node.get("true")), place(node.get("false"))
        questions[here] = _question(_condition(node, schema, columns), yes, no, schema)
        return here

    place(_source(model))
    return TreeEnsemble(
        unfold(Branching(questions, values, [0]), frozenset(schema.gapped)), len(schema)
    )


def tree_of_paths(paths: Sequence[Sequence[int]], predictions: Sequence[Any]) -> dict[str, Any]:
    """A tree given by its leaves, as PRAXIS gives them, as nested questions.

    Each path lists signed columns counted from 1: 3 where column 2 is true, -3 where it is not.

    >>> tree_of_paths([[1], [-1, 2], [-1, -2]], [0, 1, 0])["false"]["true"]
    {'prediction': 1}
    """
    if not len(paths) or len(paths) != len(predictions):
        raise InputError(
            f"a tree has {len(paths)} paths and {len(predictions)} predictions; it needs one for "
            "each leaf"
        )
    if len(paths) == 1 and not len(paths[0]):
        return {"prediction": predictions[0]}
    asked = {abs(path[0]) if len(path) else 0 for path in paths}
    sides = {
        way: [k for k, path in enumerate(paths) if len(path) and (path[0] > 0) == way]
        for way in (True, False)
    }
    if len(asked) > 1 or 0 in asked or not all(sides.values()):
        raise InputError("the paths of a tree do not begin with one question and both its answers")
    yes, no = (
        tree_of_paths([paths[k][1:] for k in sides[way]], [predictions[k] for k in sides[way]])
        for way in (True, False)
    )
    return {"feature": asked.pop() - 1, "true": yes, "false": no}


def _source(model: object) -> object:
    return model if isinstance(model, Mapping) else getattr(model, "source", None)


def _condition(
    node: Mapping[str, Any], schema: Schema, columns: Sequence[str]
) -> tuple[int, Condition]:
    if node.get("relation", "==") != "==" or node.get("reference", True) not in TRUE:
        raise InputError(
            f"a node asks whether column {node['feature']} {node.get('relation')} "
            f"{node.get('reference')!r}; only yes-or-no columns are read"
        )
    name = node.get("name")
    if name is None:
        place = node["feature"]
        if not isinstance(place, int) or not 0 <= place < len(columns):
            raise InputError(
                f"a node asks for column {place!r} and {len(columns)} columns have names; give "
                "columns=, the names of the yes-or-no columns in order"
            )
        name = columns[place]
    if name in schema.names and schema[name].coder is None:
        if schema[name].kind != "binary":
            raise InputError(
                f"a node asks whether {name!r} is true, and it is not a binary in the schema; name "
                f"the yes-or-no columns by conditions such as '{name}<=30'"
            )
        return schema.names.index(name), Condition("=", 1.0)
    return condition_of(str(name), schema)


def _question(asked: tuple[int, Condition], yes: int, no: int, schema: Schema) -> Question:
    """The node's condition as a question; a missing value fails every condition."""
    j, condition = asked
    coder = schema.features[j].coder
    if coder is not None:
        members = condition.holds(np.arange(len(coder.names), dtype=np.float64))
        return Question(j, yes, no, False, members=members)
    sign, split = condition.sign, condition.value
    if sign in ("=", "==", "!="):
        if schema.features[j].kind != "binary" or split not in (0.0, 1.0):
            raise InputError(
                f"'{schema.names[j]}{sign}{split:g}' asks for one number of many; only "
                "categories and binary inputs are asked like that"
            )
        low, split = (split == 0.0) == (sign != "!="), 0.0
    else:
        low = sign in ("<=", "<")
        split = float(np.nextafter(split, -np.inf)) if sign in ("<", ">=") else split
    return Question(j, yes, no, False, split) if low else Question(j, no, yes, True, split)


def check_columns(columns: object) -> None:
    """Refuse names of columns that are no texts."""
    if not isinstance(columns, list | tuple) or not all(isinstance(one, str) for one in columns):
        raise InputError(f"columns are {listing([columns])}; give a list of names")
