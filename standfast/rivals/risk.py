"""How wrong a model is, by which risk, and how much worse another one may be."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from standfast.datasets import Dataset
from standfast.errors import InputError, listing
from standfast.scores.score import Bools, Vector

Risk = Literal["error", "balanced_error", "log_loss", "auc"]
RISKS: tuple[Risk, ...] = get_args(Risk)
# what sentences call them
WORDS: dict[str, str] = {
    "error": "error",
    "balanced_error": "balanced error",
    "log_loss": "log-loss",
    "auc": "1 − AUC",
}
# risks are sums of n-ths: R̂(g) = R̂(f) + ε must not fail in the last bit
ROUNDING = 1e-12


@dataclass(frozen=True)
class Tolerance:
    """How much worse a model may be than another: ε, in the units of a risk measured on people.

    Parameters
    ----------
    epsilon : float
        How much more than the reference's own risk is allowed.
    risk : {"error", "balanced_error", "log_loss", "auc"}
        The share of mistakes; the mean of both classes' shares; the mean log-loss, for models with
        probabilities; or one minus the area under the curve.
    on : str or Dataset, optional
        Who judges: "cross-validation" or "training" for a level set, "validation" for fresh models,
        or people that no model has seen.

    Examples
    --------
    >>> Tolerance(0.02, risk="auc").compared(0.25, 0.24)
    'its risk 0.2500 is at most 0.2600 = 0.2400 + 0.02'
    """

    epsilon: float = 0.05
    risk: Risk = "error"
    on: str | Dataset | None = None

    def __post_init__(self) -> None:
        epsilon = self.epsilon
        is_number = isinstance(epsilon, Real) and not isinstance(epsilon, bool)
        if not is_number or not 0 <= float(epsilon) < float("inf"):
            raise InputError(f"epsilon is {epsilon!r}; it must be a finite number of at least 0")
        if self.risk not in RISKS:
            raise InputError(f"risk is {self.risk!r}; allowed are {listing(RISKS)}")
        object.__setattr__(self, "epsilon", float(epsilon))

    @classmethod
    def of(cls, epsilon: "float | Tolerance", on: str, *others: str) -> "Tolerance":
        """The tolerance, judged `on` these people unless it says otherwise; or there, or there."""
        found = epsilon if isinstance(epsilon, cls) else cls(epsilon)  # type: ignore[arg-type]
        if found.on is None:
            return replace(found, on=on)
        if not isinstance(found.on, Dataset) and found.on not in (on, *others):
            allowed = ", ".join(map(repr, (on, *others)))
            raise InputError(
                f"the risk is measured on {found.on!r}; allowed are {allowed} and a Dataset of "
                "held-out people"
            )
        return found

    @property
    def where(self) -> str:
        """On whom the risk is measured, in words."""
        if isinstance(self.on, Dataset):
            return f"on {self.on.table.attrs['origin']} ({self.on.digest[:12]})"
        words = {"cross-validation": "by cross-validation", "training": "on the training people"}
        return words.get(str(self.on), "on people set aside")

    def admits(self, risk: float, own: float) -> bool:
        """Whether a risk is at most ε above the reference's own."""
        return bool(risk <= own + self.epsilon + ROUNDING)

    def compared(self, risk: float, own: float) -> str:
        """Why a risk is inside or not, in words."""
        limit = f"{own + self.epsilon:.4f} = {own:.4f} + {self.epsilon:g}"
        if self.admits(risk, own):
            return f"its risk {risk:.4f} is at most {limit}"
        least = needed(risk, own)
        return f"its risk {risk:.4f} is above {limit}; an epsilon of {least} would admit it"


def needed(risk: float, own: float) -> str:
    """The least ε, in four digits, that admits a risk: rounded up, so that it really does.

    >>> needed(0.30001, 0.28)
    '0.0201'
    """
    return f"{np.ceil(max(risk - own, 0.0) * 1e4 - 1e-7) / 1e4:.4f}"


@dataclass(frozen=True)
class Answered:
    """A model's scores of some people: their probabilities minus the threshold, if it has any."""

    scores: Vector
    threshold: float = 0.5
    probability: bool = True


class Quality(NamedTuple):
    """How well scores separate favourable people: risk, accuracy, area under the curve."""

    risk: float
    accuracy: float
    auc: float


def quality(favourable: Sequence[Bools], answered: Sequence[Answered], risk: Risk) -> Quality:
    """The risk over all groups of people, with the share decided rightly and the area.

    Groups are folds: the area is averaged over them, for the scores of one fold's model are not
    compared with those of another's.

    >>> y, s = np.array([True, True, True, False]), np.array([0.3, 0.2, -0.1, 0.1])
    >>> quality([y], [Answered(s)], "error")
    Quality(risk=0.5, accuracy=0.5, auc=0.6666666666666666)
    >>> [round(quality([y], [Answered(s)], one).risk, 3) for one in RISKS]
    [0.5, 0.667, 0.603, 0.333]
    """
    from sklearn.metrics import log_loss

    truth = np.concatenate(list(favourable))
    wrong = truth != (np.concatenate([one.scores for one in answered]) > 0.0)
    error = float(wrong.mean())
    pairs = zip(favourable, answered, strict=True)
    auc = float(np.mean([area_under_curve(one.scores, y) for y, one in pairs]))
    if risk == "error":
        found = error
    elif risk == "balanced_error":
        found = float((wrong[truth].mean() + wrong[~truth].mean()) / 2)
    elif risk == "auc":
        found = 1.0 - auc
    else:
        p = np.concatenate([one.scores + one.threshold for one in answered])
        found = float(log_loss(truth, np.clip(p, 0.0, 1.0)))
    return Quality(found, 1.0 - error, auc)


def area_under_curve(scores: Vector, good: Bools) -> float:
    """The chance that a favourable person scores above another one, ties counting half.

    Missing where one of the two kinds of people is: there is no pair to compare.

    >>> area_under_curve(np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, False, True, True]))
    0.875
    """
    from scipy.stats import rankdata

    n = int(good.sum())
    pairs = n * (len(good) - n)
    if not pairs:
        return float("nan")
    # Mann and Whitney's U: a rank counts who is below, and n (n + 1) / 2 are favourable themselves
    return float((rankdata(scores)[good].sum() - n * (n + 1) / 2) / pairs)


def check_probable(estimator: Any, what: str, risk: str) -> None:
    """Refuse a model without probabilities where the risk needs them; it may be unfitted."""
    if risk == "log_loss" and not hasattr(estimator, "predict_proba"):
        raise without_probabilities(what)


def without_probabilities(what: str) -> InputError:
    """The sentence about a model that the log-loss cannot judge."""
    return InputError(
        f"the log-loss needs probabilities, and {what} gives none; choose the risk "
        "'error', 'balanced_error' or 'auc', or calibrate the model so that it gives probabilities"
    )
