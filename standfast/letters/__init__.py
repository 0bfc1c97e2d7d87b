"""Letters: what each person reads, one document per person, from templates that users change.

Examples
--------
>>> import pandas as pd
>>> import standfast as sf
>>> table = pd.DataFrame({"late": [0, 0, 1, 2, 3]})
>>> best = sf.MinimalCost(sf.Schema((sf.Feature("late", "count"),)), sf.Percentiles.fit(table))
>>> recs = sf.recommend(best, sf.Linear([-1.0], 1.5), table.tail(1))
>>> "Lower late from 3 to 1" in sf.letters.compose(recs)[4].text
True
"""

from standfast.letters.compose import Letter, Letters, compose
from standfast.letters.templates import copy_templates

__all__ = ["Letter", "Letters", "compose", "copy_templates"]
