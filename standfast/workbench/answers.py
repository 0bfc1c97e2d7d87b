"""What the page may ask, by name. The server loads it with the world, after the page is there."""

from collections.abc import Callable, Mapping
from typing import Any

from standfast.workbench import exports, models, person, price, promises
from standfast.workbench.service import Service

ANSWERS: Mapping[str, Callable[[Service, Any], Any]] = {
    "world": lambda service, _: person.world_facts(service),
    "person": person.person,
    "try": person.tried,
    "advise": person.advise,
    "reasons": person.reasons,
    "models": models.models,
    "members": models.members,
    "price": price.price,
    "everybody": price.everybody,
    "promises": promises.promises,
    "gate": promises.gated,
    "repair": promises.repaired,
    "advice.csv": exports.csv,
    "letter.html": exports.letter,
    "advice.py": exports.code,
}
