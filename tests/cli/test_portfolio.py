"""standfast recommend with folders of people."""

import json
import signal
import subprocess
import sys
import time

import pandas as pd
import pyarrow.parquet as pq
import pytest
from sklearn.tree import DecisionTreeClassifier

import standfast as sf


@pytest.fixture
def book(sandbox):
    """The sandbox's people as a data set in partitions, with a label each."""
    table = pd.read_csv(sandbox.path("people.csv"))
    table.insert(0, "id", range(1000, 1000 + len(table)))
    for k, region in enumerate(("north", "south")):
        folder = sandbox.path("people") / f"region={region}"
        folder.mkdir(parents=True)
        table.iloc[30 * k : 30 * (k + 1)].to_parquet(folder / "x.parquet", index=False)
    return sandbox


def folders(sandbox, **changes):
    given = {"people": sandbox.path("people"), "out": sandbox.path("advice"), "index": "id"}
    return sandbox.recommend(**{**given, "method": "actionable-recourse", **changes})


def test_a_folder_of_people_becomes_a_folder_of_advice(book):
    done = folders(book, part_rows=20)
    assert done.exit_code == 0, done.output
    assert "60 people in 4 of 4 parts." in done.stdout
    assert "mean cost" in done.stdout
    assert f"written to {book.path('advice')}" in done.stdout
    table = pq.read_table(book.path("advice")).to_pandas()
    assert table["id"].tolist() == list(range(1000, 1060))
    alone = pd.read_csv(book.path("people.csv"))
    alone.insert(0, "id", range(1000, 1060))
    alone.to_csv(book.path("alone.csv"), index=False)
    one = {"people": book.path("alone.csv"), "out": book.path("alone_advice.csv"), "index": "id"}
    book.recommend(method="actionable-recourse", **one)
    said = sf.Recommendations.read(book.path("alone_advice.csv")).to_frame()
    assert table["sentence"].tolist() == said["sentence"].tolist()
    assert folders(book, part_rows=20).exit_code == 0  # once more: nothing to do


def test_shards_together_do_everything(book):
    for k in (1, 2):
        assert folders(book, part_rows=20, shard=f"{k}/2").exit_code == 0
    assert len(pq.read_table(book.path("advice"))) == 60


def test_the_reference_table_may_be_a_data_set_and_csv_files_become_parts(book):
    train = pd.read_csv(book.path("train.csv"))
    book.path("train").mkdir()
    train.to_parquet(book.path("train") / "a.parquet", index=False)
    people = book.path("people.csv")
    done = folders(book, table=book.path("train"), people=people, index=None)
    assert done.exit_code == 0, done.output
    assert pq.read_table(book.path("advice"))["person"].to_pylist()[0] == "people.csv:0"


def test_a_file_that_cannot_be_read_is_named_and_the_command_says_no(book):
    (book.path("people") / "region=north" / "y.parquet").write_bytes(b"PAR1 no table PAR1")
    done = folders(book)
    assert done.exit_code == 1
    assert "not done: 'region=north/y.parquet': cannot read" in done.stderr
    assert "60 people in 2 of 2 parts; 1 file could not be done" in done.stdout


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"out": "advice.csv"}, "is a data set, so --out names a folder"),
        ({"time_limit": 3}, "--time-limit makes answers depend on the machine"),
        ({"shard": "3/2"}, "--shard 3/2: write which of how many"),
        ({"shard": "half"}, "--shard half: write which of how many"),
        ({"index": None}, "holds 'id', which the schema does not know"),
        ({"drop": ["label", "size"]}, "--drop size: there is no such column; there are"),
    ],
)
def test_what_folders_do_not_take_is_refused_in_a_sentence(book, changes, sentence):
    if "out" in changes:
        changes = {"out": book.path(changes["out"])}
    assert sentence in book.sentence(folders(book, **changes))


@pytest.mark.parametrize("kind", ["csv", "parquet", "folder"])
def test_a_reference_column_that_the_schema_does_not_know_is_refused_as_for_a_file(book, kind):
    train = pd.read_csv(book.path("train.csv"))
    table = book.path({"csv": "train.csv", "parquet": "train.parquet", "folder": "train"}[kind])
    if kind == "folder":
        table.mkdir()
        train.drop(columns="label").to_parquet(table / "a.parquet", index=False)
        train.to_parquet(table / "b.parquet", index=False)
    elif kind == "parquet":
        train.rename_axis("id").to_parquet(table)  # labels as pandas writes an index
    said = book.sentence(folders(book, table=table, drop=None))
    assert "holds 'label', which the schema does not know; leave out what is not an" in said
    assert "(--drop label)" in said
    if kind != "folder":
        people = {"people": book.path("people.csv"), "out": book.path("advice.csv")}
        assert book.sentence(book.recommend(table=table, drop=None, **people)) == said
    assert folders(book, table=table).exit_code == 0


def test_a_shard_of_a_file_is_refused(sandbox):
    assert "--shard goes with a folder" in sandbox.sentence(sandbox.recommend(shard="1/2"))


def test_the_folder_of_another_run_is_refused(book):
    folders(book)
    assert "holds advice by other questions" in book.sentence(folders(book, seed=1))


def test_ctrl_c_keeps_what_is_finished(book):
    given = {"people": book.path("people"), "out": book.path("advice"), "index": "id"}
    words = book.options(**{**given, "method": "growing-spheres", "part_rows": 1})
    command = [sys.executable, "-c", "from standfast.cli import app; app()", "recommend", *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not list(book.path("advice").rglob("part-*.parquet")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    if process.returncode == 130:  # else it was finished before
        assert "finished parts are kept, and the same command continues the run" in said
    assert folders(book, method="growing-spheres", part_rows=1).exit_code == 0


def test_transfer_reads_a_folder(book):
    folders(book, part_rows=20)
    rival = {"model": book.path("model.skops"), "favourable": 1}
    words = [w for name, value in rival.items() for w in (f"--{name}", value)]
    out, people = book.path("rivals.csv"), book.path("judged.parquet")
    done = book.run("transfer", book.path("advice"), *words, "--out", out, "--people-out", people)
    assert done.exit_code == 0, done.output
    assert pd.read_csv(out)["transfer"].tolist() == [1.0]
    assert pd.read_parquet(people)["kept"].all()
    for name in ("advice", "people"):
        refused = book.run(
            "transfer", book.path(name), *words, "--out", book.path("advice") / "x.csv"
        )
        assert refused.exit_code == 2


def both_ways(book):
    """The same advice as a folder of parts and as one file."""
    assert folders(book, part_rows=20).exit_code == 0
    alone = pd.read_csv(book.path("people.csv"))
    alone.insert(0, "id", range(1000, 1060))
    alone.to_csv(book.path("alone.csv"), index=False)
    one = {"people": book.path("alone.csv"), "out": book.path("alone.parquet"), "index": "id"}
    assert book.recommend(method="actionable-recourse", **one).exit_code == 0
    return book.path("advice"), book.path("alone.parquet")


def test_certify_says_of_a_folder_what_it_says_of_a_file(book):
    train = pd.read_csv(book.path("train.csv"))
    schema = sf.Schema.read(book.path("schema.toml"))
    data = sf.Dataset(train[list(schema.names)], train["label"], schema, "train")
    sf.fresh_models(
        DecisionTreeClassifier(max_depth=4, random_state=0),
        data,
        draws={"max_depth": [3, 4, 5]},
        sizes={"search": 0, "choose": 0, "certify": 9},
        epsilon=0.2,
    ).save(book.path("fresh"))
    stated = []
    for k, advice in enumerate(both_ways(book)):
        out = book.path(f"certificate{k}.csv")
        done = book.run("certify", advice, "--fresh", book.path("fresh"), "--out", out)
        assert done.exit_code == 0, done.output
        sentence = next(line for line in done.stdout.splitlines() if "confidence" in line)
        stated.append((pd.read_csv(out), sentence))
    (parts, said), (whole, as_said) = stated
    assert said == as_said
    promised = whole[whole["lower"].notna()]
    assert len(promised)
    assert parts["lower"].notna().sum() == len(promised)
    assert sorted(parts["lower"].dropna()) == sorted(promised["lower"])


def test_a_folder_is_issued_and_gated_as_a_file_is(book):
    opened = []
    for k, advice in enumerate(both_ways(book)):
        place = ("--ledger", book.path(f"{k}.db"), "--key", book.path(f"key{k}.txt"))
        assert book.run("ledger", "init", *place).exit_code == 0
        done = book.run("ledger", "issue", *place, advice)
        assert done.exit_code == 0, done.output
        opened.append(book.run("ledger", "show", *place).stdout.splitlines()[0])
        again = book.run("ledger", "issue", *place, advice)
        assert "Issued 0 promises" in again.stdout or "in the ledger already" in again.stdout
    assert opened[0] == opened[1]
    assert "open promises" in opened[0]

    gated = []
    for advice in (book.path("advice"), book.path("alone.parquet")):
        model = (
            "--model",
            book.path("model.skops"),
            "--favourable",
            1,
            "--require",
            "kept >= 0.98",
        )
        done = book.run("gate", "--recommendations", advice, *model, "--out", book.path("gate"))
        assert done.exit_code == 0, done.output
        gated.append(json.loads((book.path("gate") / "gate.json").read_text())["promises"])
    assert gated[0] == gated[1]
    inside = book.run(
        "gate", "--recommendations", book.path("advice"), *model, "--out", book.path("advice") / "x"
    )
    assert "would write into" in book.sentence(inside)


def test_a_folder_of_advice_takes_the_place_of_the_same_peoples_promises(book):
    place = ("--ledger", book.path("promises.db"), "--key", book.path("key.txt"))
    assert book.run("ledger", "init", *place).exit_code == 0
    shown = []
    for out, method in (("advice", "actionable-recourse"), ("later", "growing-spheres")):
        assert folders(book, out=book.path(out), method=method, part_rows=20).exit_code == 0
        done = book.run("ledger", "issue", *place, book.path(out), "--supersede")
        assert done.exit_code == 0, done.output
        assert done.stdout.count("Issued ") == 4
        shown.append(book.run("ledger", "show", *place).stdout.split(" open promises")[0])
    assert shown[0] == shown[1]
