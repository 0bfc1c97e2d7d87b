"""How much of C-CHVAE's advice is search, and how much is the autoencoder's blur."""

import pandas as pd

from standfast.methods.cchvae import CCHVAE
from standfast.recommendations import Outcome, Recommendations
from standfast.scores import Score
from standfast.scores.score import surely_accepts


def mere_reconstruction(method: CCHVAE, model: Score, advice: Recommendations) -> pd.Series:
    """The part of advice that encoding and decoding alone explain, under the model it is made for.

    An autoencoder that blurs everybody into an average good customer seems robust and costs much:
    its reconstructions are `accepted` before anything is searched, and `share`, the cost of moving
    people to their own reconstructions over the cost of the advice, is near or above 1. Counts say
    how many people are behind each mean: all refused ones, and those with advice. Left out are
    people whom the model accepts already and people `outside_schema`, whose values contradict it.
    """
    refused = ~advice.outcome.isin([Outcome.ALREADY_FAVOURABLE, Outcome.OUTSIDE_SCHEMA])
    X = method.schema.matrix(advice.factual[refused])
    own = method.reconstruction(X)
    found = advice.found[refused].to_numpy()
    Y = advice.matrices()[1][advice.found.to_numpy()]
    paid, blur = method.price(X[found], Y), method.price(X[found], own[found])
    return pd.Series(
        {
            "outside_schema": int((advice.outcome == Outcome.OUTSIDE_SCHEMA).sum()),
            "already_favourable": int((advice.outcome == Outcome.ALREADY_FAVOURABLE).sum()),
            "refused": len(X),
            "accepted": float(surely_accepts(model, own).mean()) if len(X) else float("nan"),
            "advised": int(found.sum()),
            "cost": float(paid.mean()) if len(paid) else float("nan"),
            "reconstruction_cost": float(blur.mean()) if len(paid) else float("nan"),
            "share": float(blur.sum() / paid.sum()) if paid.sum() > 0 else float("nan"),
        },
        name=method.name,
    )
