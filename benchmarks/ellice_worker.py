"""Runs ellice on arrays, in an interpreter of its own: it knows nothing of standfast.

python ellice_worker.py problem.npz answers.npz
"""

import sys
import time
import warnings

import numpy as np
import pandas as pd


def main(problem: str, answers: str) -> None:
    """Continuous counterfactuals for every query, with ellice's own settings."""
    import ellice
    import torch
    from sklearn.linear_model import LogisticRegression

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    given = np.load(problem)
    names = [f"x{j}" for j in range(given["train"].shape[1])]
    table = pd.DataFrame(given["train"], columns=names)
    table["target"] = given["favourable"].astype(int)
    model = LogisticRegression()
    model.classes_ = np.array([0, 1])
    model.coef_, model.intercept_ = given["weights"][None], given["offset"]
    explainer = ellice.Explainer(
        model=model, data=ellice.Data(dataframe=table, target_column="target"), device="cpu"
    )
    free = [name for name, mutable in zip(names, given["mutable"], strict=True) if mutable]
    bounds = {n: [float(a), float(b)] for n, a, b in zip(names, *given["bounds"], strict=True)}
    allowed = None
    if given["whole"]:  # the values of whole numbers, in ellice's standardised units
        allowed = {
            n: list(np.arange(round(a), round(b) + 1) * given["step"][j] + given["zero"][j])
            for j, n in enumerate(names)
            if n in free
            for a, b in [given["range"][:, j]]
        }
    found, seconds = np.full_like(given["queries"], np.nan), []
    for i, query in enumerate(given["queries"]):
        began = time.perf_counter()
        answer = explainer.generate_counterfactuals(
            pd.DataFrame([query], columns=names),
            method="continuous",
            features_to_vary=free,
            permitted_range={name: bounds[name] for name in free},
            allowed_values=allowed,
            robustness_epsilon=float(given["epsilon"]),
            regularization_coefficient=0.0,
            target_class=1,
            progress_bar=False,
            optimization_params={"proximity_weight": float(given["proximity"])},
        )
        seconds.append(time.perf_counter() - began)
        if len(answer):
            found[i] = answer[names].to_numpy()[0]
    np.savez(answers, found=found, seconds=np.array(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
