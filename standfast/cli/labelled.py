"""Tables of people with labels as the commands read them."""

from pathlib import Path
from typing import TYPE_CHECKING

from standfast.cli import tables
from standfast.cli.scores import value_called
from standfast.errors import InputError, listing

if TYPE_CHECKING:
    import pandas as pd

    from standfast.datasets import Dataset
    from standfast.schema import Schema


def people(
    path: Path,
    schema: "Schema",
    label: str,
    favourable: str,
    drop: list[str],
    index: str | None = None,
) -> "Dataset":
    """The table's people with their labels as +1 and -1; `index` names the column they go by."""
    import numpy as np
    import pandas as pd

    from standfast.datasets import Dataset

    if label in schema.names:
        raise InputError(f"--label {label}: this is an input of the schema; name another column")
    if index is not None and (index in schema.names or index == label):
        what = "the column of labels" if index == label else "an input of the schema"
        raise InputError(f"--index {index}: this is {what}; name another column")
    found = tables.from_file(path, index=index, names=schema.category_names)
    (whole,) = tables.without(drop, found)
    if label not in whole.columns:
        raise InputError(
            f"--label {label}: '{path}' has no such column; it has {listing(whole.columns, 30)}"
        )
    inputs = whole.drop(columns=label)
    tables.check(inputs, schema, path)
    good = _wanted(whole[label], favourable, path)
    labels = pd.Series(np.where(good, 1, -1), index=whole.index)
    origin = str(whole.attrs.get("origin", f"from {path.name}"))
    return Dataset(inputs, labels, schema, path.stem, origin)


def _wanted(labels: "pd.Series", favourable: str, path: Path) -> "pd.Series":
    values = labels.unique().tolist()
    missing = int(labels.isna().sum())
    if missing:
        raise InputError(
            f"'{path}': the column '{labels.name}' is empty in {missing} rows; drop or fill them"
        )
    if len(values) != 2:
        raise InputError(
            f"'{path}': the column '{labels.name}' holds {len(values)} different value"
            f"{'s' * (len(values) > 1)} ({listing(values)}); labels are two: one that people want, "
            "and another"
        )
    wanted = value_called(favourable, values)
    if wanted not in values:
        raise InputError(
            f"--favourable {favourable}: the column '{labels.name}' of '{path}' holds "
            f"{listing(values)}; name one of them"
        )
    return labels == wanted
