"""Laws of level sets, for people and candidates nobody thought of."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import standfast as sf
from standfast.rivals.risk import needed

SCHEMA = sf.Schema((sf.Feature("a"), sf.Feature("b")))


def people(seed: int, n: int = 60) -> sf.Dataset:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    noisy = table["a"] + rng.normal(size=n) > 0
    noisy.iloc[:10] = [True, False] * 5
    return sf.Dataset(table, noisy.map({True: 1, False: -1}), SCHEMA, "drawn")


def names(train: sf.Dataset, epsilon: float, on: str, risk: str) -> set[str]:
    f = DecisionTreeClassifier(max_depth=2, random_state=0).fit(train.table, train.labels)
    grid = {f"depth {d}": DecisionTreeClassifier(max_depth=d) for d in (1, 3, None)}
    try:
        found = sf.level_set(
            grid,
            train,
            reference=f,
            epsilon=sf.Tolerance(epsilon, risk, on),  # type: ignore[arg-type]
            merge=None,
        )
    except sf.InputError as error:
        if "no candidate is at most" in str(error):
            return set()
        raise
    assert set(found.candidates.query("inside")["name"]) == {"reference", *found.names}
    return set(found.names)


@settings(max_examples=15)
@given(
    seed=st.integers(0, 10**6),
    epsilons=st.lists(st.floats(0, 0.5), min_size=2, max_size=2),
    on=st.sampled_from(["cross-validation", "training"]),
    risk=st.sampled_from(["error", "balanced_error", "log_loss", "auc"]),
)
def test_a_larger_epsilon_never_shrinks_a_level_set(
    seed: int, epsilons: list[float], on: str, risk: str
) -> None:
    train, (small, large) = people(seed), sorted(epsilons)
    assert names(train, small, on, risk) <= names(train, large, on, risk)


@given(risk=st.floats(0, 1), own=st.floats(0, 1))
def test_the_epsilon_a_sentence_names_admits(risk: float, own: float) -> None:
    assert sf.Tolerance(float(needed(risk, own)) + 1e-9).admits(risk, own)
