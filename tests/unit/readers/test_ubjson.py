from pathlib import Path
from typing import Any

import numpy as np
import pytest

from standfast.readers.ubjson import decoded

xgboost = pytest.importorskip("xgboost")

rng = np.random.default_rng(0)
X = rng.random((200, 3))
Y = (X[:, 0] + X[:, 1] > 1).astype(int)

KINDS: dict[str, dict[str, Any]] = {
    "trees": {"n_estimators": 3},
    "dart": {"n_estimators": 3, "booster": "dart", "rate_drop": 0.5},
    "linear": {"n_estimators": 3, "booster": "gblinear"},
    "shallow": {"n_estimators": 1, "max_depth": 1},
    "exact": {"n_estimators": 2, "tree_method": "exact", "base_score": 0.3},
}


def is_whole(data: bytes) -> bool:
    try:
        decoded(data)
    except ValueError:
        return False
    return True


def saved(path: Path, settings: dict[str, Any]) -> bytes:
    xgboost.XGBClassifier(**settings).fit(X, Y).save_model(path / "model.ubj")
    return (path / "model.ubj").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_every_model_xgboost_writes_is_whole(kind: str, tmp_path: Path) -> None:
    assert is_whole(saved(tmp_path, KINDS[kind]))


def test_categories_three_classes_and_names_are_whole_too(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X, columns=["a", "b", "ü"]).assign(kind=pd.Categorical(list("xyzx") * 50))
    model = xgboost.XGBClassifier(n_estimators=2, enable_categorical=True)
    model.fit(table, np.arange(200) % 3).save_model(tmp_path / "model.ubj")
    assert is_whole((tmp_path / "model.ubj").read_bytes())


def test_no_beginning_of_a_model_is_whole_wherever_it_was_cut(tmp_path: Path) -> None:
    data = saved(tmp_path, KINDS["trees"])
    assert not any(is_whole(data[:n]) for n in range(len(data)))
    assert not is_whole(data + b"}")


@pytest.mark.parametrize(
    "data",
    [b"", b"hello", b"[$d#L\xff\xff\xff\xff\xff\xff\xff\xff", b"[$d]", b"[" * 5000, b"{U\x01a"],
)
def test_other_bytes_are_not_whole(data: bytes) -> None:
    assert not is_whole(data)
