"""The complete level set of sparse trees, against every tree listed one by one."""

import base64
import json
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from samples.sparse_trees import Enumeration, people, points

import standfast as sf
from standfast.scores.sparse_trees import counting
from standfast.scores.sparse_trees.cuts import Cuts
from standfast.scores.sparse_trees.tables import NEVER

CASES = [
    # inputs, people, depth, leaf price, and balanced, smallest leaf, majority
    (5, 40, 1, "0.01", (False, 1, False)),
    (5, 60, 2, "0", (True, 1, False)),
    (5, 60, 2, "0.01", (False, 4, False)),
    (4, 50, 3, "0.005", (True, 1, False)),
    (4, 50, 3, "0.005", (False, 1, True)),
    (4, 17, 3, "0.02", (False, 2, False)),
    (3, 30, 4, "0.01", (True, 1, True)),
    (3, 30, 4, "0.01", (True, 1, False)),
]


def level_set(data, depth, price, leaves=(False, 1, False), epsilon=0.0):
    balanced, least, majority = leaves
    return sf.TreeLevelSet.fit(
        data,
        depth=depth,
        leaf_price=float(price),
        epsilon=epsilon,
        balanced=balanced,
        smallest_leaf=least,
        majority=majority,
        cuts={name: [0] for name in data.table.columns},
    )


@pytest.mark.parametrize(("q", "n", "depth", "price", "leaves"), CASES)
@pytest.mark.parametrize("seed", [0, 1])
def test_every_point_is_judged_as_by_all_trees_one_by_one(q, n, depth, price, leaves, seed):
    data = people(q, n, seed)
    listed = Enumeration(data, price, *leaves)
    every = sorted(listed.trees(depth))
    X = points(q)
    never = NEVER * Fraction(listed.scale)
    V = [next((t.objective for t in every if not t.accepts >> k & 1), never) for k in range(2**q)]
    best, constant = every[0].objective, next((t.objective for t in every if not t.accepts), never)
    found = level_set(data, depth, price, leaves)
    assert found.objective == pytest.approx(best / listed.scale, abs=1e-12)
    if constant < never:
        assert found.void_epsilon == pytest.approx((constant - best) / listed.scale, abs=1e-12)
    else:
        assert found.void_epsilon == np.inf
    # in whole units, so that nothing is lost: our units are coarser by a whole factor
    factor = Fraction(listed.scale, found.trees.units.scale)
    costs = found.trees.paths.costs[found.trees.refusals(X)]
    assert [int(cost) * factor if cost < NEVER else never for cost in costs] == V


def test_members_cost_at_most_best_plus_epsilon_and_exactly_so_much_belongs():
    # 20 people, no leaf price: objectives are multiples of 1/20, ε of 0.05 is one of them
    data = people(3, 20, seed=3)
    listed = Enumeration(data, "0")
    every = listed.trees(2)
    best = min(tree.objective for tree in every)
    X = points(3)
    for epsilon in ("0.05", "0.1", "0.15"):
        limit = best + Fraction(epsilon) * listed.scale
        inside = [tree.accepts for tree in every if tree.objective <= limit]
        accepted = [all(mask >> k & 1 for mask in inside) for k in range(len(X))]
        found = level_set(data, 2, "0", epsilon=float(epsilon))
        assert found.accepts(X).tolist() == accepted
        assert (found.score(X) > 0).tolist() == accepted
        assert found.refusals.accepts(X).tolist() == accepted


@pytest.mark.parametrize(("q", "n", "depth", "price", "leaves"), CASES)
def test_trees_are_counted_as_they_are_listed(q, n, depth, price, leaves, monkeypatch):
    data = people(q, n, seed=5)
    listed = Enumeration(data, price, *leaves)
    every = listed.trees(depth)
    X = points(q)
    best = min(t.objective for t in every)
    constant = min((t.objective for t in every if not t.accepts), default=max(every).objective)
    for share in (0.0, 0.3, 0.9):
        epsilon = round(share * (constant - best) / listed.scale, 4)
        limit = best + Fraction(str(epsilon)) * listed.scale
        inside = [t.accepts for t in every if t.objective <= limit]
        yes = [sum(mask >> k & 1 for mask in inside) for k in range(len(X))]
        found = level_set(data, depth, price, leaves, epsilon)
        assert found.size == (len(inside), len(inside))
        assert found.shares(X) == pytest.approx(
            np.repeat(np.array(yes)[:, None] / len(inside), 2, axis=1)
        )
        assert ((found.shares(X)[:, 0] == 1.0) == found.accepts(X)).all()
        # with rounded objectives the number lies between the two that are given
        monkeypatch.setattr(counting, "MOST_SUMS", 0)
        lower, upper = found.at(epsilon).size
        low, high = found.at(epsilon).shares(X).T
        monkeypatch.undo()
        assert lower <= len(inside) <= upper
        assert (low <= np.array(yes) / len(inside) + 1e-12).all()
        assert (high >= np.array(yes) / len(inside) - 1e-12).all()


@pytest.mark.parametrize("balanced", [False, True])
def test_the_worst_tree_refuses_and_has_the_objective_it_says(balanced):
    data = sf.datasets.twin("heloc", n=700, seed=1)
    found = sf.TreeLevelSet.fit(data, epsilon=0.01, leaf_price=0.004, balanced=balanced, cuts=2)
    X, good = data.schema.matrix(data.table), data.labels.to_numpy() > 0

    def objective(model):
        wrong = model.accepts(X) != good
        shares = [wrong[c].mean() for c in (good, ~good)] if balanced else [wrong.mean()]
        return np.mean(shares) + 0.004 * model.trees.leaf.sum()

    assert objective(found.best) == pytest.approx(found.objective, abs=1e-12)
    for i in range(30):
        worst = found.worst(X[i])
        assert not worst.model.accepts(X[i : i + 1])[0]
        assert objective(worst.model) == pytest.approx(worst.objective, abs=1e-12)
        assert worst.objective - found.objective == pytest.approx(found.epsilon_max(X[[i]])[0])
    assert found.best.accepts(X)[found.accepts(X)].all()


def test_a_wider_set_accepts_less_and_shares_the_tables():
    data = sf.datasets.twin("heloc", n=500, seed=0)
    X = data.schema.matrix(data.table)
    narrow = sf.TreeLevelSet.fit(data, depth=2, epsilon=0.002)
    wide = narrow.at(0.02)
    assert wide.trees is narrow.trees
    assert not (wide.accepts(X) & ~narrow.accepts(X)).any()
    assert (wide.accepts(X) == narrow.accepts(X, margin=0.018)).all()
    assert wide.score(X) == pytest.approx(narrow.score(X) - 0.018, abs=1 / 400)
    assert wide.digest != narrow.digest
    assert pickle.loads(pickle.dumps(wide)).digest == wide.digest


def mixed(n=300, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "job": rng.choice(["clerk", "nurse", "none"], n),
            "income": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n).round(1)),
            "late": rng.integers(0, 5, n),
        }
    )
    hidden = (table["job"] == "nurse") + table["income"].fillna(-1.0) - 0.4 * table["late"]
    schema = sf.Schema(
        (
            sf.Feature("job", "nominal", categories=("clerk", "nurse", "none")),
            sf.Feature("income", "real", step=0.1, when_missing="keep"),
            sf.Feature("late", "count"),
        )
    )
    y = pd.Series(np.where(hidden + rng.normal(size=n) > 0, 1, -1))
    return sf.Dataset(table, y, schema, "mixed")


def test_categories_and_missing_values_are_cut_off_one_by_one():
    data = mixed()
    found = sf.TreeLevelSet.fit(data, depth=3, epsilon=0.01, cuts=2)
    cuts = found.trees.cuts
    said = [cuts.words(k, True) for k in range(len(cuts))]
    assert {"job is clerk", "job is nurse", "job is none", "income missing"} <= set(said)
    X, good = data.schema.matrix(data.table), data.labels.to_numpy() > 0
    for model in (found.best, *(found.worst(x).model for x in X[:40])):
        # both sides of a category's cut may be repeated in a plain tree, so only verdicts count
        assert np.isfinite(model.score(X)).all()
    assert (found.refusals.accepts(X) == found.accepts(X)).all()
    worst = found.worst(X[0])
    mistakes = (worst.model.accepts(X) != good).mean()
    leaves = (worst.objective - mistakes) / 0.005
    assert leaves == pytest.approx(round(leaves), abs=1e-9)
    assert 1 <= round(leaves) <= 8


def test_categories_and_missing_values_are_judged_as_by_all_trees_one_by_one():
    data = mixed(90)
    t, cuts = data.table, {"job": ["clerk", "nurse"], "income": [0.2], "late": [2]}
    # the questions answered without the package: a missing value is at most every value
    low = t["income"].isna() | (t["income"] <= 0.2)
    answers = pd.DataFrame(
        {"x0": t["job"] == "clerk", "x1": t["job"] == "nurse", "x2": low, "x3": t["late"] <= 2}
    )
    bits = (~answers).astype(int)
    schema = sf.Schema(tuple(sf.Feature(name, "binary") for name in bits))
    listed = Enumeration(sf.Dataset(bits, data.labels, schema, "bits"), "0.01", True)
    every = sorted(listed.trees(2))
    cells = [int("".join(map(str, row)), 2) for row in bits.to_numpy()]
    V = [next(tree.objective for tree in every if not tree.accepts >> k & 1) for k in range(16)]
    found = sf.TreeLevelSet.fit(
        data, depth=2, leaf_price=0.01, epsilon=0.0, balanced=True, cuts=cuts
    )
    excess = [(V[k] - every[0].objective) / listed.scale for k in cells]
    X = data.schema.matrix(t)
    assert found.objective == pytest.approx(every[0].objective / listed.scale, abs=1e-12)
    assert found.epsilon_max(X) == pytest.approx(excess, abs=1e-12)


@pytest.mark.parametrize("make", [mixed, lambda: people(3, 70, 2)])
def test_a_saved_set_comes_back_the_same(make, tmp_path):
    data = make()
    found = sf.TreeLevelSet.fit(data, depth=2, epsilon=0.015, cuts=2, smallest_leaf=3)
    found.save(tmp_path / "trees.json")
    again = sf.TreeLevelSet.load(tmp_path / "trees.json")
    X = data.schema.matrix(data.table)
    assert again.digest == found.digest
    assert again.score(X).tolist() == found.score(X).tolist()
    assert again.void(data.table).equals(found.void(data.table))
    assert repr(again) == repr(found)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "a cat"}, "'kind' is \"a cat\" and must be one of a level set of trees"),
        ({"depth": 9}, "'depth' is 9 and must be a whole number from 1 to 4"),
        ({"epsilon": -1}, "'epsilon' is -1 and must be a number of at least 0"),
        ({"epsilon": 0.9}, "the tree that refuses everybody is only"),
        ({"epsilon": 0.01}, "it was changed after it was saved"),
        ({"cuts": []}, "'cuts' is a list of 0 and must hold at least 1"),
        ({"cuts": [[7, 0.0, False]] * 3}, "a cut appears twice"),
        ({"cuts": [[k, 0.0, False] for k in (0, 1, 7)]}, "a cut asks for input 7 of 3"),
        ({"cuts": [[k, 0.0, k == 2] for k in (0, 1, 2)]}, "a cut of 'x2' does not fit its kind"),
        ({"others": {"people": 35, "bits": "!"}}, "the bits are not base64"),
        ({"others": {"people": 35, "bits": "AAAA"}}, "there are 3 bytes of bits, and 3 cuts of 35"),
        ({"others": {"people": 0, "bits": ""}}, "'people' of 'others' is 0 and must be"),
        ({"favourable": {"people": 2}}, "'bits' of 'favourable' is missing"),
        ({"format": 2}, "it was written by a later version"),
    ],
)
def test_a_changed_file_is_refused_with_a_sentence(change, sentence, tmp_path):
    file = tmp_path / "trees.json"
    sf.TreeLevelSet.fit(people(3, 70, 2), depth=2, epsilon=0.015).save(file)
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content | change))
    with pytest.raises(sf.InputError, match=sentence):
        sf.TreeLevelSet.load(file)


def test_bits_of_people_that_there_are_not_are_refused(tmp_path):
    file = tmp_path / "trees.json"
    sf.TreeLevelSet.fit(people(3, 70, 2), depth=2).save(file)
    content = json.loads(file.read_text())
    bits = np.full(3, ~np.uint64(0))
    content["others"]["bits"] = base64.b64encode(bits.tobytes()).decode()
    file.write_text(json.dumps(content))
    with pytest.raises(sf.InputError, match="there are bits of more people than are said"):
        sf.TreeLevelSet.load(file)
    with pytest.raises(sf.InputError, match="there is no such file"):
        sf.TreeLevelSet.load(tmp_path / "other.json")


def test_transfer_gives_t_over_the_complete_level_set():
    data = people(4, 80, seed=4)
    listed = Enumeration(data, "0.01")
    every = listed.trees(2)
    limit = min(every).objective + Fraction("0.03") * listed.scale
    inside = [tree.accepts for tree in every if tree.objective <= limit]
    rivals = level_set(data, 2, "0.01", epsilon=0.03)
    best = sf.MinimalCost(data.schema, sf.Percentiles.fit(data.table))
    recs = sf.recommend(best, rivals.best, data.table)
    found = sf.transfer(recs, rivals)
    cells = [
        int("".join(map(str, row)), 2)
        for row in recs.counterfactual[recs.found].astype(int).to_numpy()
    ]
    T = [np.mean([mask >> cell & 1 for cell in cells]) for mask in inside]
    assert found.mean == pytest.approx(np.mean(T))
    assert found.rivals.index.tolist() == [f"all {len(inside)} trees"]
    shares = [np.mean([mask >> cell & 1 for mask in inside]) for cell in cells]
    assert found.people["share"].dropna().tolist() == pytest.approx(shares)
    assert found.people["share_upper"].dropna().tolist() == pytest.approx(shares)
    assert found.kept.iloc[:, 0].dropna().tolist() == [share == 1.0 for share in shares]


def test_a_set_whose_every_tree_accepts_everybody_refuses_nobody():
    data = people(3, 40, 0)
    labels = pd.Series(1, index=data.labels.index)
    labels.iloc[0] = -1
    kind = sf.Dataset(data.table, labels, data.schema, "kind")
    found = sf.TreeLevelSet.fit(kind, depth=2, leaf_price=0.2, epsilon=0.0)
    X = points(3)
    assert found.accepts(X).all()
    assert found.refusals.accepts(X).all()
    assert found.size == (1, 1)
    best = sf.MinimalCost(data.schema, sf.Percentiles.fit(data.table))
    assert set(sf.recommend(best, found, data.table).outcome) == {"already_favourable"}


def test_void_names_the_tree_that_decides_on_what_cannot_change():
    data = sf.datasets.twin("heloc", n=700, seed=1)
    found = sf.TreeLevelSet.fit(data, epsilon=0.01, balanced=True)
    people = data.table.head(60)
    shown = found.void(people)
    assert shown.index.equals(people.index)
    assert shown["void"].any()
    assert not shown["void"].all()
    assert ((shown["epsilon"] <= 0.01 + 1e-9) == shown["void"]).all()
    assert (shown["path"].ne("") == shown["void"]).all()
    # whoever is void is refused wherever they may go
    rng = np.random.default_rng(0)
    schema = data.schema.complete(data.table)
    X = schema.matrix(people)
    everywhere = schema.matrix(data.table)
    for i in np.flatnonzero(shown["void"])[:10]:
        goals = schema.project(
            np.repeat(X[[i]], 200, axis=0), everywhere[rng.integers(0, len(everywhere), 200)]
        )
        assert not found.accepts(goals).any()


def test_cuts_by_a_reference_are_its_most_used_splits():
    from sklearn.ensemble import RandomForestClassifier

    data = sf.datasets.twin("heloc", n=700, seed=1)
    forest = RandomForestClassifier(10, max_depth=3, random_state=0).fit(data.table, data.labels)
    f = sf.as_score(forest, data.schema, favourable=1)
    cuts = Cuts.used_by(f, data, most=12)
    assert len(cuts) == 12
    splits = {(int(j), float(v)) for j, v in zip(f.trees.feature, f.trees.split, strict=True)}
    assert {(cut.input, cut.value) for cut in cuts.cuts} <= splits
    found = sf.TreeLevelSet.fit(data, depth=3, cuts=cuts)
    assert len(found.trees.cuts) == 12
    assert len(sf.TreeLevelSet.fit(data, depth=2, cuts=f).trees.cuts) <= 60


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"epsilon": -0.1}, "epsilon is -0.1; it must be a finite number of at least 0"),
        ({"epsilon": np.nan}, "epsilon is nan; it must be a finite number of at least 0"),
        ({"epsilon": "0.1"}, "epsilon is '0.1'; it must be a finite number of at least 0"),
        ({"epsilon": 0.9}, "the tree that refuses everybody is only .* nobody could be promised"),
        ({"leaf_price": -1}, "leaf_price is -1; it must be a finite number of at least 0"),
        ({"leaf_price": 1e-9}, "leaf_price is 1e-09; give 0 or at least 0.000001"),
        ({"depth": 0}, "depth is 0; it must be a whole number, 1 or above"),
        ({"depth": 5}, "depth is 5; complete level sets go up to depth 4"),
        ({"depth": 2.0}, "depth is 2.0; it must be a whole number"),
        ({"smallest_leaf": 0}, "smallest_leaf is 0; it must be a whole number, 1 or above"),
        ({"smallest_leaf": 99}, "smallest_leaf is 99 and there are 40 people"),
        ({"balanced": "yes"}, "balanced is 'yes'; it must be True or False"),
        ({"cuts": 0}, "cuts is 0; it must be a whole number, 1 or above"),
        ({"cuts": 2.5}, "cuts is a float; give how many per input"),
        ({"cuts": {"age": [1]}}, "there are cuts of 'age', but the inputs are 'x0', 'x1'"),
        ({"cuts": {"x0": [7]}}, "'x 0 at most 7' holds for all of the 40 training people"),
        ({"cuts": {"x0": [-7]}}, "holds for none of the 40 training people.*give cuts that divide"),
        ({"cuts": {"x0": ["a"]}}, "there is a cut of 'x0' at 'a'; it must be a finite number"),
        ({"cuts": {"x0": 0}}, "the cuts of 'x0' are 0; give a list of values"),
        ({"cuts": {"x0": [0, 0]}}, "the cut 'x 0 at most 0' is given twice"),
        ({"cuts": {}}, "there is no cut; give values for at least one input"),
    ],
)
def test_bad_settings_are_refused_with_a_sentence(options, sentence):
    with pytest.raises(sf.InputError, match=sentence):
        sf.TreeLevelSet.fit(people(3, 40, 0), **options)


def test_bad_people_are_refused_with_a_sentence():
    data = people(3, 40, 0)
    with pytest.raises(sf.InputError, match=r"train is a DataFrame; pass a standfast\.Dataset"):
        sf.TreeLevelSet.fit(data.table)
    same = sf.Dataset(data.table * 0, data.labels, data.schema, "constant")
    with pytest.raises(sf.InputError, match="no input of the 40 training people takes two values"):
        sf.TreeLevelSet.fit(same)
    one = sf.Dataset(data.table, data.labels.abs(), data.schema, "one class")
    with pytest.raises(sf.InputError, match="the 40 training people are all of one class"):
        sf.TreeLevelSet.fit(one)
    with pytest.raises(sf.InputError, match="there is a cut of 'job' at 'king'"):
        sf.TreeLevelSet.fit(mixed(), cuts={"job": ["king"]})
    found = sf.TreeLevelSet.fit(data, depth=1)
    with pytest.raises(sf.InputError, match="the model reads 3 inputs"):
        found.score(np.zeros((2, 4)))
    with pytest.raises(sf.InputError, match="2 points are given; ask for the worst tree of one"):
        found.worst(np.zeros((2, 3)))
    with pytest.raises(sf.InputError, match="the people are a list; give a table"):
        found.void([1])
    with pytest.raises(sf.InputError, match="the cuts are those of other inputs"):
        sf.TreeLevelSet.fit(people(4, 40, 0), cuts=Cuts.quantiles(data, 1))


def test_missing_values_that_the_schema_does_not_explain_are_refused():
    data = people(3, 40, 0)
    holes = data.table.astype(float)
    holes.iloc[4, 1] = np.nan
    with pytest.raises(sf.InputError, match="column 'x1' holds 1 missing value"):
        sf.TreeLevelSet.fit(sf.Dataset(holes, data.labels, data.schema, "holes"))


@pytest.mark.parametrize(("depth", "each", "cuts"), [(3, 12, 120), (4, 6, 60)])
def test_many_cuts_are_within_what_is_allowed(depth, each, cuts):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(400, 10)).round(4), columns=list("abcdefghij"))
    y = pd.Series(np.where(table["a"] + rng.normal(size=400) > 0, 1, -1))
    data = sf.Dataset(table, y, sf.Schema.infer(table), "wide")
    found = sf.TreeLevelSet.fit(data, depth=depth, cuts=each, epsilon=0.0)
    assert len(found.trees.cuts) == cuts
    X = data.schema.matrix(table)
    # the worst tree says of a point what the table of paths says of it
    for x in X[:3]:
        worst = found.worst(x)
        assert not worst.model.accepts(x[None])[0]
        mistakes = (worst.model.accepts(X) != (y > 0)).mean()
        assert worst.objective == pytest.approx(mistakes + 0.005 * worst.model.trees.leaf.sum())


def test_too_many_cuts_are_refused_before_any_work_with_the_number_that_fits():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(500, 10)).round(4), columns=list("abcdefghij"))
    y = pd.Series(np.where(table["a"] > 0, 1, -1))
    data = sf.Dataset(table, y, sf.Schema.infer(table), "wide")
    with pytest.raises(sf.InputError, match=r"\d+ cuts at depth 4 need .* GiB.*give at most \d+"):
        sf.TreeLevelSet.fit(data, depth=4, cuts=40)
