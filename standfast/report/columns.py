"""The columns that readers want of each tidy table, and how their values are written."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """A column: its name in the tidy table, its heading, and how its values are written.

    `written` is text, method, verdict, number, count, fine, share, points or yes; `between` names
    the columns of its interval.
    """

    name: str
    head: str
    written: str = "text"
    between: tuple[str, str] | None = None


INTERVAL = ("lower", "upper")
METHOD, RIVAL = Column("method", "Method", "method"), Column("rival", "Rival")
JUDGES, DIAL = Column("judges", "Judges"), Column("dial", "Setting")
N, DRIFT = Column("n", "People", "count"), Column("drift", "Drift")
FIRST_RATIO = ("first_ratio_lower", "first_ratio_upper")
SHARE, LEVEL = Column("share", "Share", "share"), Column("level", "Validity", "share")
DIFFERENCE = Column("difference", "Difference, points", "points", INTERVAL)
RATIO = Column("ratio", "Ratio", "number", INTERVAL)
COLUMNS = {
    "claims": (
        Column("reference", "Scene"),
        Column("measured", "Measured"),
        Column("value", "Value", "number", INTERVAL),
        N,
        Column("verdict", "Verdict", "verdict"),
    ),
    "transfer_means": (
        METHOD,
        Column("rivals", "Rivals"),
        Column("count", "How many", "count"),
        N,
        Column("transfer", "Transfer", "share", INTERVAL),
        Column("below_cchvae", "Below C-CHVAE, points", "points", ("below_lower", "below_upper")),
        Column("paired_n", "People with both", "count"),
    ),
    "members": (
        Column("rival", "Model"),
        Column("grid", "Grid"),
        Column("parameters", "Settings"),
        Column("risk", "Risk", "fine"),
        Column("auc", "AUC", "fine"),
        Column("test_accuracy", "Test accuracy", "fine"),
        Column("inside", "Inside", "yes"),
        Column("why", "Why"),
    ),
    "sense": (
        METHOD,
        Column("kind", "Kind"),
        N,
        Column("people", "of whom", "count"),
        Column("share", "Share", "share", INTERVAL),
        Column("moves", "Moves", "count"),
        Column("all_moves", "of all", "count"),
        Column("changed", "Inputs changed", "number"),
    ),
    "sense_transfer": (
        METHOD,
        Column("kind", "Kind"),
        Column("kept_without", "Kept without", "share"),
        Column("n_without", "People", "count"),
        Column("kept_with", "Kept with", "share"),
        Column("n_with", "People", "count"),
        DIFFERENCE,
        Column("verdict", "Transfers better without", "verdict"),
    ),
    "surprise": (
        Column("advice", "Advice"),
        RIVAL,
        Column("cost_f", "c*(f)", "number"),
        Column("cost_g", "c*(g)", "number"),
        Column("cost_joint", "c*(f, g)", "number"),
        Column("ratio", "c*(f) / c*(f, g)", "number"),
        Column("n_ratio", "People", "count"),
        Column("published", "As published", "number"),
        Column("asked", "Asked about", "count"),
        Column("n_joint", "Answered", "count"),
        Column("impossible", "Impossible", "count"),
        Column("unanswered", "Not answered", "count"),
        Column("outside", "Outside the schema", "count"),
        Column("unproven", "Unproven", "count"),
        Column("broken", "Broken", "count"),
        Column("advised", "of advised", "count"),
        Column("from_advice", "Repair from advice", "number"),
        Column("from_start", "Repair from start", "number"),
    ),
    "bounds": (
        RIVAL,
        Column("bound", "Bound"),
        Column("total", "Bound’s cost", "number"),
        Column("exact", "Exact cost", "number"),
        Column("tightness", "Tightness", "number"),
        Column("alpha", "α", "number"),
        Column("gamma", "γ", "number"),
        N,
        Column("note", "Note"),
    ),
    "binding": (
        Column("rival", "Model"),
        Column("times", "Binds for", "count"),
        N,
        SHARE,
    ),
    "frontier": (
        JUDGES,
        METHOD,
        DIAL,
        Column("cost", "Cost", "number", ("cost_lower", "cost_upper")),
        Column("validity", "Validity", "share", INTERVAL),
        N,
        Column("answered", "Answered", "count"),
    ),
    "frontier_gaps": (
        JUDGES,
        METHOD,
        DIAL,
        Column("validity", "Validity", "share"),
        Column("cost", "Cost", "number"),
        Column("difference", "Invariant’s minus this", "number", INTERVAL),
        N,
    ),
    "complete": (
        Column("set", "All"),
        Column("epsilon", "ε", "number"),
        Column("trees", "Trees, at least", "count"),
        Column("people", "People", "count"),
        Column("accepted", "Accepted", "count"),
        Column("advised", "Advised", "count"),
        Column("infeasible", "No advice exists", "count"),
        Column("decided", "One tree decides", "count"),
        Column("cost", "Cost", "number"),
        Column("compared", "With both", "count"),
        Column("own_cost", "Their cost", "number"),
        Column("grid_cost", "For the grids", "number"),
        Column("transfer", "Grids’ advice kept", "share", INTERVAL),
        N,
    ),
    "promises_total": (
        DRIFT,
        METHOD,
        Column("kept", "Kept", "share", INTERVAL),
        Column("n", "of people", "count"),
        Column("topped", "Topped up", "share"),
        Column("first", "Advice", "number", ("first_lower", "first_upper")),
        Column("top_ups", "Top-ups", "number", ("top_ups_lower", "top_ups_upper")),
        Column("total", "In all", "number", ("total_lower", "total_upper")),
        Column("first_ratio", "Advice, times the cheapest", "number", FIRST_RATIO),
        Column("ratio", "In all, times the cheapest", "number", ("ratio_lower", "ratio_upper")),
        Column("paid", "People with all top-ups", "count"),
        Column("answered", "Answered", "count"),
        Column("asked", "of asked", "count"),
    ),
    "promises_year": (
        DRIFT,
        Column("people", "People"),
        Column("when", "When"),
        METHOD,
        Column("n", "Open", "count"),
        Column("kept", "Kept", "share", INTERVAL),
        Column("unbroken", "Always kept", "share"),
        Column("exceptions", "Exceptions", "count"),
        Column("top_ups", "Topped up", "count"),
        Column("beyond", "None found", "count"),
        Column("top_up", "Mean top-up", "number"),
        Column("total", "Cost so far", "number", ("total_lower", "total_upper")),
    ),
}
