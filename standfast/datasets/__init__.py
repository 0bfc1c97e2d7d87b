"""The paper's two data sets and twins of them that need no download; two more with later data.

Examples
--------
>>> from standfast import datasets
>>> datasets.twin("heloc", n=200, seed=0)
Dataset heloc: 200 people, 20 inputs, ... % favourable (twin of heloc, n=200, seed=0)
"""

from standfast.datasets.catalogue import available
from standfast.datasets.dataset import Dataset
from standfast.datasets.german_credit import german_credit
from standfast.datasets.give_me_some_credit import give_me_some_credit
from standfast.datasets.heloc import heloc
from standfast.datasets.sba_case import sba_case
from standfast.datasets.twin import twin

__all__ = [
    "Dataset",
    "available",
    "german_credit",
    "give_me_some_credit",
    "heloc",
    "sba_case",
    "twin",
]
