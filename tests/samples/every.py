"""Every combination of some values: what brute force tries."""

from collections.abc import Iterable
from typing import Any

import numpy as np


def every(axes: Iterable[Any]) -> Any:
    """One combination per row, the last input turning fastest, as itertools.product gives them."""
    columns = np.meshgrid(*axes, indexing="ij")
    return np.stack(columns, axis=-1).reshape(-1, len(columns))
