"""Chooses the autoencoder's defaults by held-out likelihood, never by the advice they lead to.

    STANDFAST_DATA=folder python scripts/choose_autoencoder.py            # both real sets
    STANDFAST_DATA=folder python scripts/choose_autoencoder.py --name heloc --s 3 12 --epochs 60

For every combination of components s, latent numbers z and epochs: the mean bound (nats per
person) on training people and on people held out. Deterministic on one machine.
"""

import argparse
import itertools
import time

from rich.console import Console
from rich.table import Table

from standfast import datasets
from standfast.autoencoder import fit

NAMES = ("give_me_some_credit", "heloc")


def main() -> None:
    """Fit every combination and print both bounds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--name", choices=NAMES, action="append")
    parser.add_argument("--s", type=int, nargs="+", default=[1, 3, 6, 12, 24])
    parser.add_argument("--z", type=int, nargs="+", default=[3, 6, 10])
    parser.add_argument("--epochs", type=int, nargs="+", default=[30])
    parser.add_argument("--seed", type=int, nargs="+", default=[0])
    asked = parser.parse_args()
    console = Console()
    for name in asked.name or NAMES:
        data = getattr(datasets, name)(variant="published")
        train, _ = data.split(0.8, seed=0)  # the test people stay out of every choice
        learn, check = train.split(0.8, seed=1)
        X, Y = (data.schema.matrix(part.table) for part in (learn, check))
        table = Table(
            "s", "z", "epochs", "seed", "training", "held out", "seconds", title=str(data)
        )
        for s, z, epochs, seed in itertools.product(asked.s, asked.z, asked.epochs, asked.seed):
            began = time.perf_counter()
            fitted = fit(data.schema, learn.table, s=s, z=z, epochs=epochs, seed=seed)
            took = time.perf_counter() - began
            bounds = (f"{fitted.bound(part).mean():.3f}" for part in (X, Y))
            table.add_row(*map(str, (s, z, epochs, seed)), *bounds, f"{took:.1f}")
        console.print(table)


if __name__ == "__main__":
    main()
