"""The Python code that does what the page did: it runs by itself and gives the same answer."""

import math

from standfast.schema.categories import MISSING
from standfast.workbench.question import Question
from standfast.workbench.world import HORIZONS, World

METHODS = {
    "reference": "method = sf.MinimalCost(schema, percentiles)",
    "all": "method = sf.MinimalCost(schema, percentiles)",
    "later": f"method = sf.MinimalCost(schema, percentiles, within={HORIZONS})",
    "recourse": "method = sf.ActionableRecourse(schema, percentiles)",
    "spheres": "method = sf.GrowingSpheres(schema, percentiles)",
}


def program(world: World, question: Question) -> str:
    """A program whose `advice` is the recommendation that the page shows."""
    parts = [world.recipe.rstrip(), _person(world, question)]
    if question.only:
        parts.append(_limits(world, question))
    if question.method == "lasting":
        parts.append(world.fresh_recipe.rstrip())
        parts.append(
            "method = sf.Invariant(\n    schema, percentiles, search=fresh.search, "
            f"choose=fresh.choose, validity={question.validity}\n)"
        )
    else:
        parts.append(METHODS[question.method])
    parts.append(_model(world, question))
    keep = f", keep={set(question.keep)!r}" if question.keep else ""
    parts.append(f"advice = sf.recommend(method, model, person{keep})")
    parts.append("print(advice.sentences().iloc[0])")
    return "\n".join(parts) + "\n"


def _person(world: World, question: Question) -> str:
    """The one row that was asked about, as the schema's table has it."""
    table = question.table(world.schema)
    row = {
        name: None if value == MISSING else table[name].iloc[0]
        for name, value in zip(world.schema.names, question.x.tolist(), strict=True)
    }
    cells = ", ".join(f"{name!r}: [{_literal(value)}]" for name, value in row.items())
    return f"import pandas as pd\n\nperson = pd.DataFrame({{{cells}}}, index=[{question.label!r}])"


def _literal(value: object) -> str:
    plain = getattr(value, "item", lambda: value)()
    return repr(plain)


def _limits(world: World, question: Question) -> str:
    """The schema with what goes only so far."""
    lines = ["from dataclasses import replace", "", "limits = {"]
    for limit in question.only:
        complete = world.strips.schema.features[limit.column]
        assert complete.lower is not None
        assert complete.upper is not None
        lower, upper = max(complete.lower, limit.lower), min(complete.upper, limit.upper)
        how = f"dict(lower={lower!r}, upper={upper!r}, step={complete.step!r})"
        if math.isnan(lower) or lower > upper:
            how = "dict(mutable=False, direction='any')"
        lines.append(f"    {complete.name!r}: {how},")
    lines += ["}", "features = tuple(replace(f, **limits.get(f.name, {})) for f in schema)"]
    lines.append("schema = replace(schema, features=features)")
    return "\n".join(lines)


def _model(world: World, question: Question) -> str:
    which = question.members if question.method == "all" else (0,)
    names = [world.members[k].name for k in which]
    if len(names) == 1:
        return f"model = models[{names[0]!r}]"
    return (
        f"together = {names!r}\n"
        "model = sf.Unanimous([models[name] for name in together], names=together)"
    )
