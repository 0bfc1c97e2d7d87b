"""The paper's two data sets, and statistical twins of them that need no download."""

from standfast.datasets.catalogue import available
from standfast.datasets.dataset import Dataset
from standfast.datasets.give_me_some_credit import give_me_some_credit
from standfast.datasets.heloc import heloc
from standfast.datasets.twin import twin

__all__ = ["Dataset", "available", "give_me_some_credit", "heloc", "twin"]
