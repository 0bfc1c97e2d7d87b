"""The names that tables, figures and the report share: methods, people, models, verdicts."""

GS, AR, C_CHVAE = "GS", "AR", "C-CHVAE"
MINIMAL, UNANIMOUS = "minimal cost", "unanimous"
NOTHING, RECONSTRUCTION = "do nothing", "reconstruction only"
INVARIANT, TARGETED = "invariant", "invariant, same target for all"
BOTH = "invariant, both classes"
RAISED, TOGETHER = "raised threshold", "unanimous over fresh models"
ROAR, BETA_RCE = "ROAR", "BetaRCE"
PUBLISHED = ", as published"  # after the name of a method as published

SPARSE = (GS, AR)
# the methods in the order of every table and figure; the controls make no recommendation
ADVISING = (*SPARSE, C_CHVAE, MINIMAL, UNANIMOUS)
CONTROLS = (NOTHING, RECONSTRUCTION)
METHODS = (*ADVISING, *CONTROLS)
INVARIANTS = (INVARIANT, TARGETED, BOTH)
FRONTIER = (*INVARIANTS, RAISED, TOGETHER, ROAR, BETA_RCE)  # only the frontier has these
# whose promises a simulated year follows, the cheapest advice before what is to outlast it
YEAR = (AR, MINIMAL, C_CHVAE, TOGETHER, INVARIANT)
GLOSSARY = {
    GS: "Growing Spheres: the nearest accepted point, found by sampling. Sparse.",
    AR: "Actionable Recourse: the cheapest change on its action grid, for linear and additive "
    "models only. Sparse.",
    C_CHVAE: "Search in the latent space of an autoencoder: advice with data support.",
    MINIMAL: "The exact search: the cheapest change, over everything the schema admits, that the "
    "reference accepts. Sparse.",
    UNANIMOUS: "The exact search under the reference and all rivals at once.",
    NOTHING: "No advice: where the person stands. What any advice must improve on.",
    RECONSTRUCTION: "C-CHVAE’s autoencoder without a search. What the search must improve on.",
    INVARIANT: "Our search for advice of least expected cost under unseen models; the setting is "
    "what a broken promise costs.",
    TARGETED: "The same search for advice that a given share of such models accepts, the same for "
    "every person; the setting is that share.",
    BOTH: "Invariant with models of both classes to search with and to choose by, half of each; "
    "the setting is what a broken promise costs.",
    RAISED: "The exact search for advice that clears the reference’s threshold by a margin; the "
    "setting is the margin.",
    TOGETHER: "The exact search under the reference and some fresh models at once; the setting is "
    "how many.",
    ROAR: "Robust algorithmic recourse: advice that survives changes of the model’s weights; the "
    "setting δ is their size.",
    BETA_RCE: "Moves given advice until enough resampled models accept it; the setting δ is the "
    "share it aims at.",
}

# the grids of rivals, and which of them holds the reference's own class
LINEAR, FORESTS = "linear", "forests"
GRID_OF = {"linear": LINEAR, "forest": FORESTS}

# groups of rivals, and of fresh models that judge
SAME, OTHER, LATER, ALL = "same class", "other class", "later data", "all"
# the kind of Invariant that is made for fresh models of each group
INVARIANT_FOR = {SAME: INVARIANT, OTHER: BOTH, LATER: INVARIANT}

# how the data drift in a simulated year ("drift by 0.5"), and whose promises are counted
NO_DRIFT, DRIFT, BY_YEAR = "no drift", "drift by", "by fiscal year"
AT_START, ALL_OPEN = "advised at the start", "all with an open promise"

GOOD, REFUSED = "accepted and favourable", "refused"  # H_f^+ ∩ D^+ and H_f^-, groups of people
WITHOUT_SUPPORT, WITH_SUPPORT = "sparse", "support"  # advice without and with data support
PERVERSE, SENSIBLE = "perverse", "sensible"  # advice: a move against the data or a law, no odd one
AMBIGUOUS, INCONSISTENT = "ambiguous", "inconsistent"  # doubts about a value

# what bounds the mean cost of advice that both models accept
EXACT, LEMMA_1 = "exact", "lemma 1"
PROPOSITION_2, TIGHTER, SLACK = "proposition 2", "proposition 2'", "proposition 2' + slack"

VERDICTS = HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "undecided"  # on the paper's claims
