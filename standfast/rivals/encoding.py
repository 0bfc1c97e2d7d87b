"""Categories and gaps made numbers in front of a model, so that it can be fitted on any table."""

from typing import Any

from standfast.schema import Schema


def encoded(model: Any, schema: Schema | None, *, scaled: bool = False) -> Any:
    """The unfitted model behind what the schema's columns need; as it is if they need nothing.

    Nominal inputs become one column per category, ordinal ones the place of their category, and
    gaps in numbers their column's median with a mark beside it. What was not seen in training
    counts as no category at all.

    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from standfast.schema import Feature
    >>> schema = Schema((Feature("job", "nominal", categories=("clerk", "nurse")), Feature("age")))
    >>> encoded(RandomForestClassifier(), schema).steps[0][1].transformers[0][2]
    ['job']
    """
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    steps = [] if schema is None else _columns(schema)
    steps += [StandardScaler()] if scaled else []
    return make_pipeline(*steps, model) if steps else model


def _columns(schema: Schema) -> list[Any]:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

    gapped = {f.name for f in schema if f.when_missing != "refuse"}
    ordered = [f for f in schema if f.kind == "ordinal" and f.categories and f.name not in gapped]
    places = {f.name for f in ordered}
    named = [f.name for f in schema if f.coder is not None and f.name not in places]
    numbers = [f.name for f in schema if f.coder is None and f.name in gapped]
    parts: list[tuple[str, Any, list[str]]] = []
    if named:
        one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        parts.append(("named", one_hot, named))
    if ordered:
        encoder = OrdinalEncoder(categories=[list(f.categories or ()) for f in ordered])
        parts.append(("ordered", encoder, [f.name for f in ordered]))
    if numbers:
        imputer = SimpleImputer(strategy="median", add_indicator=True)
        parts.append(("gaps", imputer, numbers))
    return [ColumnTransformer(parts, remainder="passthrough")] if parts else []
