"""TreeModel: a tree of predicates, its ways with missing values, its leaves' classes or numbers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from standfast.errors import InputError
from standfast.readers.piecewise.cells import Cells, Lack
from standfast.readers.piecewise.growth import Ask, Known, Tree, grown, settled
from standfast.readers.pmml.document import Element, not_read
from standfast.readers.pmml.predicates import (
    JOINED,
    PREDICATES,
    Condition,
    Truth,
    condition,
    together,
)
from standfast.readers.pmml.scope import Scope

STRATEGIES = ("none", "lastPrediction", "nullPrediction", "defaultChild")
# a leaf's own number: of its element, what it is worth; None if it says nothing
Worth = Callable[[Element], float | None]


@dataclass(frozen=True, eq=False)
class Node:
    """A node: when it is entered, what it is worth, and where it leads."""

    element: Element
    asked: Condition
    worth: float | None
    children: tuple["Node", ...]
    names: tuple[str, ...]  # of the children
    choice: Cells["int | str | Ask"] | None  # which child, where all ask about one input


def tree(model: Element, scope: Scope, worth: Worth) -> Tree:
    """The tree in plain questions, each leaf with what it is worth."""
    missing = model.get("missingValueStrategy", "none")
    nothing = model.get("noTrueChildStrategy", "returnNullPrediction")
    if missing not in STRATEGIES and scope.schema.gapped:
        raise not_read(model, f"the strategy {missing!r} for missing values")
    if nothing not in ("returnNullPrediction", "returnLastPrediction"):
        raise not_read(model, f"the strategy {nothing!r}")
    if model.get("splitCharacteristic") not in ("", "binarySplit", "multiSplit"):
        raise not_read(model, f"the split characteristic {model.get('splitCharacteristic')!r}")
    ways = _Ways(missing, nothing == "returnLastPrediction")
    root = _node(model.needed("Node"), scope, worth, ways)
    outside = Node(
        model, True, None, (root,), ("",), None
    )  # for a root with a predicate of its own
    start = root if root.asked is True else outside
    return grown(start, lambda node, known: _follow(node, known, ways), scope.schema)


@dataclass(frozen=True)
class _Ways:
    """What happens where a predicate is unknown, and where no child is entered."""

    missing: str
    last: bool

    def entered(
        self, node: Element, children: Sequence[str], truths: Iterable[Truth | Ask]
    ) -> "int | str | Ask":
        """Which child is entered by the answers of their predicates, or what must be asked."""
        for k, truth in enumerate(truths):
            if isinstance(truth, Ask):
                return truth
            if truth:
                return k
            if truth is None and self.missing != "none":
                return self._unknown(node, children)
        return LAST if self.last else NULL

    def _unknown(self, node: Element, children: Sequence[str]) -> "int | str":
        """Where an unknown predicate of a child leads."""
        if self.missing == "lastPrediction":
            return LAST
        if self.missing == "nullPrediction":
            return NULL
        default = node.get("defaultChild")
        if default not in children:
            raise InputError(
                f"{node.place} has no default child for missing values; export the model again"
            )
        return children.index(default)


LAST, NULL = "last", "null"  # the node's own worth; no result


def _node(element: Element, scope: Scope, worth: Worth, ways: _Ways) -> Node:
    """A node with all below it, built from the deepest on."""
    order: list[Element] = []
    waiting = [element]
    while waiting:
        order.append(waiting.pop())
        if order[-1].child("Regression", "DecisionTree") is not None:
            raise not_read(order[-1].needed("Regression", "DecisionTree"))
        waiting += order[-1].all("Node")
    made: dict[int, Node] = {}
    for one in reversed(order):
        children = tuple(made.pop(id(child)) for child in one.all("Node"))
        asked = condition(one.needed(*PREDICATES), scope)
        names = tuple(child.get("id") for child in one.all("Node"))
        choice = together([c.asked for c in children], partial(ways.entered, one, names))
        kept = choice if isinstance(choice, Cells) else None
        made[id(one)] = Node(one, asked, worth(one), children, names, kept)
    return made[id(element)]


def _follow(node: Node, known: Known, ways: _Ways) -> tuple[Node, Ask] | float | Lack:
    """From a node on as far as what is known leads: to a question, or to the end."""
    while node.children:
        found = _chosen(node, known, ways)
        if isinstance(found, Ask):
            return node, found
        if found == NULL:
            return Lack.REFUSED
        if found == LAST:
            break
        node = node.children[int(found)]
    if node.worth is None:
        return Lack.REFUSED
    return node.worth


def _chosen(node: Node, known: Known, ways: _Ways) -> "int | str | Ask":
    """Which child is entered, its predicates asked one after the other."""
    if node.choice is not None:
        return settled(node.choice, known)
    truths = (truth_of(child.asked, known) for child in node.children)
    return ways.entered(node.element, node.names, truths)


def truth_of(asked: Condition, known: Known) -> Truth | Ask:
    """Whether a condition holds by what is known, or what must be asked first."""
    if isinstance(asked, bool):
        return asked
    if isinstance(asked, Cells):
        return settled(asked, known)
    found: list[Truth] = []
    for part in asked.parts:
        truth = truth_of(part, known)
        if isinstance(truth, Ask):
            return truth
        found.append(truth)
        if asked.operator in DECIDES and truth is DECIDES[asked.operator]:
            return truth
        if asked.operator == "surrogate" and truth is not None:
            return truth
    return JOINED[asked.operator](found)


DECIDES = {"and": False, "or": True}  # what needs no further part
