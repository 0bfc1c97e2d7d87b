"""What recommendations were computed from: data, schema, method, seed, and every model used."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from standfast.structure import TEXT, YES_OR_NO, Record, Several, Value

ASKED = "model"  # the role of the models that the advice was made under
SUPPORT = "support"  # that of the score that must find the advice usual
SEPARATOR = "; "  # between the names of binding models; a name may hold commas


@dataclass(frozen=True)
class Model:
    """A model that was used: its fingerprint, its role, and its name if it has one.

    The roles are "model", for those the advice was made under, and otherwise the name of the
    method's setting: "support", "search" and "choose".
    """

    digest: str
    role: str = ASKED
    name: str = ""


@dataclass(frozen=True)
class Provenance(Mapping[str, Any]):
    """Where recommendations come from; also a mapping of plain values, as files hold it.

    `model` is the fingerprint of the score that was given, `models` are its members in their order
    and then all models among the method's settings. `data` and `reference_data` say in words where
    the people and the reference table came from; `people`, `reference` and `schema` are
    fingerprints.
    """

    standfast: str = ""
    method: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    data: str = ""
    people: str = ""
    reference: str = ""
    reference_data: str = ""
    schema: str = ""
    model: str = ""
    models: tuple[Model, ...] = ()
    interrupted: bool = False

    def role(self, role: str) -> tuple[Model, ...]:
        """The models of one role, in their order."""
        return tuple(model for model in self.models if model.role == role)

    @property
    def names(self) -> tuple[str, ...]:
        """What sentences call each of the models: its name, or model 0, model 1, …."""
        return tuple(
            "the data support" if model.role == SUPPORT else model.name or f"model {k}"
            for k, model in enumerate(self.models)
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        plain = {one.name: getattr(self, one.name) for one in fields(self)}
        return plain | {
            "settings": dict(self.settings),
            "models": [asdict(model) for model in self.models],
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "Provenance":
        """From plain values, also those of version 0.1.0, which knew models only by fingerprint."""
        known = {one.name: found[one.name] for one in fields(cls) if one.name in found}
        models = [
            Model(one) if isinstance(one, str) else Model(one["digest"], one["role"], one["name"])
            for one in known.get("models", ())
        ]
        settings = dict(known.get("settings", {}))
        for role, used in settings.items():
            if isinstance(used, Mapping) and isinstance(used.get("models"), list):
                models += [Model(str(digest), role) for digest in used["models"]]
                settings[role] = used.get("part", role)
        if all(isinstance(one, str) for one in known.get("models", ())) and settings.get(SUPPORT):
            models.append(Model(str(settings[SUPPORT]), SUPPORT))
        return cls(**{**known, "models": tuple(models), "settings": settings})

    def __getitem__(self, name: str) -> Any:
        return self.to_json()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.to_json())

    def __len__(self) -> int:
        return len(fields(self))


def _is_model(found: Any) -> bool:
    return isinstance(found, str) or (
        isinstance(found, dict)
        and all(isinstance(found.get(name), str) for name in ("digest", "role", "name"))
    )


# what a file must hold of it; those of version 0.1.0 have bare fingerprints
STRUCTURE = Record(
    {},
    {
        **dict.fromkeys(("standfast", "method", "data", "people", "model", "schema"), TEXT),
        **dict.fromkeys(("reference", "reference_data"), TEXT),
        "settings": Record({}),
        "seed": Value(
            "a whole number of at least 0, or null",
            lambda found: found is None or (type(found) is int and found >= 0),
        ),
        "models": Several("model", Value("a digest with a role and a name", _is_model)),
        "interrupted": YES_OR_NO,
    },
)
