"""Fits OptBinning's scorecard and asks its Counterfactual, in an interpreter of its own.

OptBinning loads OR-Tools, which cannot share a process with highspy. This knows nothing of
standfast.

python optbinning_worker.py table.csv people answers.json
"""

import json
import sys
import time
import warnings

import pandas as pd


def main(table: str, people: str, answers: str) -> None:
    """The card's bins and weights, and the answer for each of the first people it refuses."""
    from optbinning import BinningProcess, Scorecard
    from optbinning.scorecard import Counterfactual
    from sklearn.linear_model import LogisticRegression

    warnings.simplefilter("ignore")
    data = pd.read_csv(table, keep_default_na=False)
    bad = (data.pop("label") < 0).astype(int)
    names = list(data)
    named = [name for name in names if data[name].dtype == object or "str" in str(data[name].dtype)]
    card = Scorecard(BinningProcess(names, categorical_variables=named), LogisticRegression())
    card.fit(data, bad)
    asked = Counterfactual(card).fit(data)
    bins = card.table(style="detailed")
    refused = data[card.predict(data) == 1].iloc[: int(people)]
    found = []
    for i in range(len(refused)):
        person, began = refused.iloc[i : i + 1], time.process_time()
        asked.generate(
            person,
            y=0,
            outcome_type="binary",
            n_cf=1,
            objectives={"proximity": 1.0},
            max_changes=len(names),
        )
        spent = time.process_time() - began
        moved = asked._optimizer.solver_.Objective().Value()
        stands = card.binning_process_.transform(person).to_numpy()[0].tolist()
        found.append({"stands": stands, "status": asked.status, "cost": moved, "seconds": spent})
    report = {
        "names": names,
        # the last two bins are those of special codes and of gaps
        "woe": [bins.loc[bins["Variable"] == name, "WoE"].tolist()[:-2] for name in names],
        "weights": card.estimator_.coef_.ravel().tolist(),
        "intercept": float(card.estimator_.intercept_[0]),
        "prices": asked._wrange.tolist(),
        "people": found,
    }
    with open(answers, "w") as file:
        json.dump(report, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
