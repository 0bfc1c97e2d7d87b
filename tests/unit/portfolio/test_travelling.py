import json
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lightgbm import LGBMClassifier
from samples import applicants, lender, tenants
from samples.applicants import SCHEMA, known, models, percentiles
from samples.methods import METHODS, first_of_two
from samples.portfolio import forest_advisor, people
from sklearn.ensemble import IsolationForest
from sklearn.naive_bayes import GaussianNB
from xgboost import XGBClassifier

import standfast as sf
from standfast.portfolio.block import Block, Request
from standfast.portfolio.travelling.folder import HEADER, travelled


def advice(advisor: sf.Advisor, people: pd.DataFrame) -> pd.DataFrame:
    return advisor.recommend(people).to_frame().drop(columns="seconds")


def assert_advises_alike(advisor: sf.Advisor, people: pd.DataFrame, folder: object) -> sf.Advisor:
    """The advisor that comes back, which must advise alike; and somebody must be advised."""
    identity = sf.portfolio.save(advisor, folder)
    back = travelled(folder)
    assert back.identity == identity
    given = advice(advisor, people)
    assert (given["cost"] > 0).any()
    pd.testing.assert_frame_equal(given, advice(back.advisor, people), check_exact=True)
    assert back.origin == advisor.origin
    return back.advisor


def asked() -> pd.DataFrame:
    return applicants.people(25, seed=9)[0]


OURS = [name for name in METHODS if name not in ("roar", "beta rce", "first of two exact methods")]


@pytest.mark.parametrize("name", OURS)
def test_every_method_advises_alike_after_travelling(name, tmp_path):
    model = models()["linear" if name == "actionable recourse" else "forest"]
    made = METHODS[name](SCHEMA)
    assert_advises_alike(sf.prepare(made, model), asked(), tmp_path / "advisor")


@pytest.mark.parametrize("name", ["linear", "forest", "isolation forest", "linear and forest"])
def test_every_model_with_an_estimator_travels(name, tmp_path):
    advisor = sf.prepare(sf.MinimalCost(SCHEMA, percentiles()), models()[name])
    back = assert_advises_alike(advisor, asked(), tmp_path / "advisor")
    assert back.model.digest == advisor.model.digest


@pytest.mark.parametrize(
    "estimator",
    [
        GaussianNB(),
        XGBClassifier(n_estimators=5, max_depth=3),
        LGBMClassifier(n_estimators=5, num_leaves=4, verbose=-1),
    ],
    ids=["black box", "xgboost", "lightgbm"],
)
def test_estimators_travel_in_their_own_formats(estimator, tmp_path):
    table, labels = known()
    model = sf.as_score(estimator.fit(table, labels > 0), SCHEMA, favourable=1)
    spheres = sf.GrowingSpheres(SCHEMA, percentiles(), candidates=100)
    assert_advises_alike(sf.prepare(spheres, model), asked(), tmp_path / "advisor")


def test_models_together_rules_and_support_travel(tmp_path):
    table, _ = known()
    usual = sf.as_score(
        IsolationForest(n_estimators=10, random_state=0).fit(table), SCHEMA, favourable=1
    )
    first = SCHEMA.names[0]
    rule = sf.Rule(f"{first} >= {table[first].median():g}", SCHEMA)
    together = sf.Unanimous(
        [models()["forest"], models()["linear"], rule], (0.01, 0.0, 0.0), ("f", "g", "policy")
    )
    units = np.full(len(SCHEMA), 2.0)
    method = sf.MinimalCost(SCHEMA, percentiles(), support=usual, cost="l1", units=units)
    back = assert_advises_alike(sf.prepare(method, together), asked(), tmp_path / "advisor")
    assert back.model.digest == together.digest
    assert back.model.names == ("f", "g", "policy")


def test_a_model_per_segment_travels_with_its_thresholds(tmp_path):
    schema, (table, _) = lender.schema(), lender.lender()
    cards = {"rent": sf.Linear([0.0] * 6 + [1.0], -2.0), "own": sf.Linear([0.0] * 6 + [1.0], -1.0)}
    rest = sf.Linear([0.0] * 6 + [1.0], -3.0)
    whole = sf.Segmented("housing", cards, schema, {"rent": 0.5}, rest)
    spheres = sf.GrowingSpheres(schema, sf.Percentiles.fit(table), candidates=100)
    assert_advises_alike(sf.prepare(spheres, whole), table.head(30), tmp_path / "advisor")


def test_categories_gaps_and_tokens_travel_bit_by_bit(tmp_path):
    method = sf.MinimalCost(tenants.SCHEMA, tenants.percentiles())
    advisor = sf.prepare(method, tenants.forest(0))
    back = assert_advises_alike(advisor, tenants.people(40, 2), tmp_path / "advisor")
    assert back.method.percentiles.digest == method.percentiles.digest
    assert back.method.percentiles.deviations == method.percentiles.deviations


def test_two_folders_of_one_advisor_have_one_identity(tmp_path):
    first, second = (sf.portfolio.save(forest_advisor(), tmp_path / one) for one in "ab")
    assert first == second


@pytest.mark.parametrize(
    ("advisor", "sentence"),
    [
        (
            lambda: sf.prepare(
                sf.GrowingSpheres(SCHEMA, percentiles()),
                sf.BlackBox(lambda X: X[:, 0], 0.5, len(SCHEMA)),
            ),
            "a BlackBox that was made from a function cannot travel in a folder",
        ),
        (
            lambda: sf.prepare(first_of_two(SCHEMA), models()["forest"]),
            "a FirstOfTwo cannot travel in a folder: standfast knows how to write down its own",
        ),
        (
            lambda: sf.prepare(sf.MinimalCost(SCHEMA, percentiles()), models()["linear level set"]),
            "a LinearLevelSet holds its training people and does not travel",
        ),
        (
            lambda: sf.prepare(sf.MinimalCost(SCHEMA, percentiles()), models()["additive"]),
            "an Additive that was made from a function",
        ),
        (lambda: "an advisor", "the advisor is a str; make one with prepare"),
    ],
    ids=["function", "own method", "level set", "scorecard of functions", "no advisor"],
)
def test_what_cannot_travel_is_refused_and_nothing_is_left_behind(advisor, sentence, tmp_path):
    with pytest.raises(sf.InputError, match=sentence):
        sf.portfolio.save(advisor(), tmp_path / "advisor")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "advisor"
    sf.portfolio.save(forest_advisor(), folder)
    return folder


@pytest.mark.parametrize("file", ["percentiles.npz", "numbers.npz", "000.skops", HEADER])
@pytest.mark.parametrize("how", ["missing", "changed"])
def test_a_damaged_folder_is_refused(saved, tmp_path, file, how):
    folder = shutil.copytree(saved, tmp_path / "advisor")
    if how == "missing":
        (folder / file).unlink()
    elif file == HEADER:
        held = json.loads((folder / file).read_text())
        held["method"]["settings"]["boxes"] = 7
        (folder / file).write_text(json.dumps(held))
    else:
        content = bytearray((folder / file).read_bytes())
        content[len(content) // 2] ^= 1
        (folder / file).write_bytes(bytes(content))
    with pytest.raises(sf.InputError, match=r"changed|missing|no readable advisor\.json"):
        sf.portfolio.load(folder)


def test_a_folder_of_something_else_is_refused(tmp_path):
    with pytest.raises(sf.InputError, match="holds no advisor as standfast saves it"):
        sf.portfolio.load(tmp_path)


def block(saved, **asked) -> Block:
    return Block(travelled(saved), Request(**asked))


def test_the_types_of_advice_do_not_depend_on_the_block(tmp_path):
    method = sf.MinimalCost(tenants.SCHEMA, tenants.percentiles())
    sf.portfolio.save(sf.prepare(method, tenants.forest(0)), tmp_path / "advisor")
    asked = block(tmp_path / "advisor", index="tenant", seed=3)
    table = pa.Table.from_pandas(tenants.people(60, 2).reset_index(), preserve_index=False)
    whole = asked(table)
    parts = [asked(table.slice(k, 7)) for k in range(0, 60, 7)]
    assert {part.schema for part in parts} == {whole.schema} == {asked.schema(pa.string())}
    assert pa.concat_tables(parts).equals(whole)
    assert asked(table.slice(0, 0)).schema == whole.schema
    said = sf.recommend(method, tenants.forest(0), tenants.people(60, 2), seed=3).to_frame()
    assert whole["sentence"].to_pylist() == said["sentence"].tolist()
    np.testing.assert_array_equal(whole["cost"].to_numpy(), said["cost"])
    assert (
        whole["home"].to_pylist()
        == said["home"].astype(object).where(said["home"].notna(), None).tolist()
    )


def test_a_file_of_a_block_reads_as_recommendations(saved, tmp_path):
    asked = block(saved, index="id")
    table, made = asked.written(pa.Table.from_pandas(people(40), preserve_index=False))
    file = tmp_path / "part.parquet"
    pq.write_table(table.replace_schema_metadata(asked.metadata(made)), file)
    back = sf.Recommendations.read(file)
    assert back.index.tolist() == people(40)["id"].tolist()
    assert back.index.name == "id"
    for frame in ("factual", "counterfactual"):
        left, right = (getattr(one, frame).astype(float) for one in (made, back))
        pd.testing.assert_frame_equal(left, right, check_exact=True, check_index_type=False)
    assert back.provenance == made.provenance
    assert back.sentences().tolist() == made.sentences().tolist()


def test_everybody_or_each_person_may_keep_inputs(saved):
    table = pa.Table.from_pandas(people(40), preserve_index=False)
    all_keep = block(saved, index="id", keep=["debt"])(table)
    column = table.append_column("fixed", pa.array(["debt"] * 40))
    each_keeps = block(saved, index="id", keep_column="fixed")(column)
    only = block(saved, index="id", only=["income"])(table)
    assert all_keep.equals(each_keeps)
    assert all_keep.drop_columns("kept_inputs").equals(only.drop_columns("kept_inputs"))
    assert set(all_keep["kept_inputs"].to_pylist()) == {"debt"}


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"keep": ["debt"], "only": ["income"]}, "give one of keep, only and keep_column"),
        ({"index": "age"}, "index is 'age', an input of the schema"),
        ({"drop": ["debt"]}, "drop names 'debt', which the schema needs"),
        ({"keep": ["size"]}, "names 'size', which is not an input"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_requests_that_contradict_themselves_are_refused(saved, asked, sentence):
    with pytest.raises(sf.InputError, match=sentence):
        block(saved, **asked)
