import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from samples.portfolio import book, forest_advisor, linear_advisor, people, trees_advisor

import standfast as sf
from standfast.portfolio.manifest import Shard, locked

run = sf.portfolio.run


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "advisor"
    sf.portfolio.save(forest_advisor(), folder)
    return folder


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """For runs with processes of their own, which load it in half the time."""
    folder = tmp_path_factory.mktemp("trees") / "advisor"
    sf.portfolio.save(trees_advisor(), folder)
    return folder


def parts(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*.parquet"))
    }


def asked(saved, source, out, **more):
    return run(saved, source, out, index="id", rows=30, **more)


def test_parts_hold_everybody_in_order_as_recommend_advises_them(saved, tmp_path):
    everybody = book(tmp_path / "people").set_index("id")
    found = asked(saved, tmp_path / "people", tmp_path / "advice")
    table = pq.read_table(tmp_path / "advice").to_pandas()
    said = forest_advisor().recommend(everybody).to_frame()
    assert table["id"].tolist() == everybody.index.tolist()
    assert table["sentence"].tolist() == said["sentence"].tolist()
    np.testing.assert_array_equal(table["cost"], said["cost"])
    assert found.complete
    assert found.counts().to_dict() == said["outcome"].value_counts().to_dict()
    assert found.mean_cost == pytest.approx(said["cost"][said["cost"] > 0].mean())


def test_workers_shards_and_patterns_give_the_same_bytes(saved, tmp_path):
    book(tmp_path / "people")
    asked(saved, tmp_path / "people", tmp_path / "one")
    asked(saved, tmp_path / "people", tmp_path / "two", jobs=2)
    for k in (3, 1, 2):
        found = asked(saved, tmp_path / "people" / "*.parquet", tmp_path / "three", shard=(k, 3))
        assert found.complete
        assert found.of == 3
    first = parts(tmp_path / "one")
    assert len(first) == 9
    assert parts(tmp_path / "two") == first
    assert parts(tmp_path / "three") == first


def test_an_advisor_and_its_folder_give_the_same_bytes(tmp_path, saved):
    book(tmp_path / "people", parts=1)
    asked(saved, tmp_path / "people", tmp_path / "one")
    asked(forest_advisor(), tmp_path / "people" / "00.parquet", tmp_path / "two")
    assert parts(tmp_path / "one") == parts(tmp_path / "two")


def test_a_finished_run_does_nothing_again_and_lost_parts_are_made_again(saved, tmp_path):
    book(tmp_path / "people")
    asked(saved, tmp_path / "people", tmp_path / "advice")
    first = parts(tmp_path / "advice")
    assert asked(saved, tmp_path / "people", tmp_path / "advice").people == 0
    names = list(first)
    (tmp_path / "advice" / names[2]).unlink()
    (tmp_path / "advice" / names[4]).write_bytes(b"something else")
    again = asked(saved, tmp_path / "people", tmp_path / "advice")
    assert again.people == 10 + 30
    assert len(again.notes) == 2
    assert "was not as it was written, and was made again" in again.notes[0]
    assert parts(tmp_path / "advice") == first


def test_partitions_are_kept_unless_they_are_inputs(saved, tmp_path):
    for region in ("north", "south"):
        book(tmp_path / "people" / f"region={region}", parts=1)
    tables = [people(40, seed=7), people(40, seed=8)]
    for region, table in zip(("north", "south"), tables, strict=True):
        table.to_parquet(tmp_path / "people" / f"region={region}" / "00.parquet", index=False)
    asked(saved, tmp_path / "people", tmp_path / "advice")
    back = pq.read_table(tmp_path / "advice").to_pandas()
    assert back["region"].astype(str).tolist() == ["north"] * 40 + ["south"] * 40
    assert back["id"].tolist() == [*tables[0]["id"], *tables[1]["id"]]


def test_a_partition_may_be_an_input(saved, tmp_path):
    table = people(60, seed=3).assign(age=lambda t: np.where(t["age"] < 50, 30, 60))
    for age, group in table.groupby("age"):
        folder = tmp_path / "people" / f"age={age}"
        folder.mkdir(parents=True)
        group.drop(columns="age").to_parquet(folder / "x.parquet", index=False)
    asked(saved, tmp_path / "people", tmp_path / "advice")
    back = pq.read_table(tmp_path / "advice").to_pandas().set_index("id")
    said = forest_advisor().recommend(table.set_index("id")).to_frame().loc[back.index]
    assert back["sentence"].tolist() == said["sentence"].tolist()
    assert sorted(back["factual age"].unique()) == [30.0, 60.0]


def test_people_without_labels_are_called_by_their_file_and_row(saved, tmp_path):
    book(tmp_path / "people", parts=2, rows=40)
    run(saved, tmp_path / "people", tmp_path / "advice", drop=["id"], rows=30)
    names = pq.read_table(tmp_path / "advice")["person"].to_pylist()
    assert names[:2] == ["00.parquet:0", "00.parquet:1"]
    assert names[-1] == "01.parquet:39"


def test_csv_files_money_and_dictionaries_are_read(saved, tmp_path):
    table = people(50)
    folder = tmp_path / "people"
    folder.mkdir()
    table.to_csv(folder / "a.csv", index=False)
    asked(saved, folder, tmp_path / "one")
    money = pa.table(
        {
            "id": pa.array(table["id"]).dictionary_encode(),
            "income": pa.array(table["income"]).cast(pa.decimal128(18, 2)),
            "debt": pa.array(table["debt"]).cast(pa.float64()),
            "age": pa.array(table["age"]).cast(pa.int16()),
        }
    )
    pq.write_table(money, tmp_path / "money.parquet", row_group_size=7)
    asked(saved, tmp_path / "money.parquet", tmp_path / "two")
    assert pq.read_table(tmp_path / "one").equals(pq.read_table(tmp_path / "two"))


def test_progress_counts_people(saved, tmp_path):
    book(tmp_path / "people")
    heard = []
    asked(saved, tmp_path / "people", tmp_path / "advice", progress=lambda *at: heard.append(at))
    assert heard[0] == (0, 210)
    assert heard[-1] == (210, 210)
    assert heard == sorted(heard)


# what cannot be used


def wrong(tmp_path, name, table):
    book(tmp_path / "people", parts=2)
    table.to_parquet(tmp_path / "people" / name, index=False)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda t: t.drop(columns="debt"),
            r"'02\.parquet' lacks 'debt', which '00\.parquet' has",
        ),
        (lambda t: t.assign(size=1), r"'02\.parquet' holds 'size', which the schema does not know"),
        (
            lambda t: t.assign(income=t["income"].astype(str)),
            r"'02\.parquet' holds 'income' as string and '00\.parquet' as double",
        ),
        (
            lambda t: t.assign(id=range(len(t))),
            r"'02\.parquet' holds 'id' as int64 and '00\.parquet' as string",
        ),
        (
            lambda t: t.assign(id=[*t["id"][:-1], "p1-00003"]),
            r"column 'id' holds 'p1-00003' more than once \('p1-00003' in '00\.parquet' and "
            r"'02\.parquet'\)",
        ),
        (lambda t: t.assign(id=[*t["id"][:-1], None]), r"column 'id' of '02\.parquet' .* is empty"),
    ],
    ids=["lacks", "extra", "text", "label type", "twice", "no label"],
)
def test_files_that_do_not_fit_are_named_before_any_work(saved, tmp_path, change, sentence):
    wrong(tmp_path, "02.parquet", change(people(40, seed=3)))
    with pytest.raises(sf.InputError, match=sentence):
        asked(saved, tmp_path / "people", tmp_path / "advice")
    assert parts(tmp_path / "advice") == {}


def test_whole_numbers_beside_fractions_are_numbers(saved, tmp_path):
    wrong(tmp_path, "02.parquet", people(40, seed=3).astype({"income": "int32"}))
    assert asked(saved, tmp_path / "people", tmp_path / "advice").complete


def test_an_empty_file_is_said_and_left(saved, tmp_path):
    wrong(tmp_path, "02.parquet", people(40, seed=3).head(0))
    found = asked(saved, tmp_path / "people", tmp_path / "advice")
    assert found.complete
    assert found.notes == ("'02.parquet' holds no rows",)


def test_only_empty_files_are_refused(saved, tmp_path):
    folder = tmp_path / "people"
    folder.mkdir()
    people(3).head(0).to_parquet(folder / "x.parquet", index=False)
    with pytest.raises(sf.InputError, match="holds no people"):
        asked(saved, folder, tmp_path / "advice")


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("where", ["footer", "pages"])
def test_a_corrupt_file_is_named_and_the_others_are_done(trees, tmp_path, where, jobs):
    book(tmp_path / "people")
    asked(trees, tmp_path / "people", tmp_path / "sound")
    file = tmp_path / "people" / "01.parquet"
    sound = file.read_bytes()
    content = bytearray(sound)
    if where == "footer":
        content = content[: len(content) // 2]
    else:
        content[30:60] = bytes(30)
    file.write_bytes(bytes(content))
    found = asked(trees, tmp_path / "people", tmp_path / "advice", jobs=jobs)
    assert not found.complete
    assert list(found.failed) == ["01.parquet"]
    assert "cannot read" in found.failed["01.parquet"]
    whole, now = parts(tmp_path / "sound"), parts(tmp_path / "advice")
    assert {n: c for n, c in whole.items() if "-00001-" not in n}.items() <= now.items()
    file.write_bytes(sound)  # mended, the rest is done in the same folder
    assert asked(trees, tmp_path / "people", tmp_path / "advice").complete
    assert parts(tmp_path / "advice") == whole


def test_people_who_cannot_be_asked_about_are_named_and_the_others_are_done(saved, tmp_path):
    wrong(tmp_path, "02.parquet", people(40, seed=3).assign(income=[*[100.0] * 39, np.inf]))
    found = asked(saved, tmp_path / "people", tmp_path / "advice")
    assert "column 'income' holds 1 infinite value (row 'p3-00039')" in found.failed["02.parquet"]
    assert (found.parts, found.of) == (7, 8)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seed": 1}, "holds advice by other questions"),
        ({"keep": ["debt"]}, "holds advice by other questions"),
        ({"rows": 40}, "holds advice by parts of another size"),
        ({"advisor": "linear"}, "holds advice by another advisor"),
    ],
    ids=["seed", "keep", "rows", "advisor"],
)
def test_the_folder_of_another_run_is_refused(saved, tmp_path, change, sentence):
    book(tmp_path / "people", parts=1)
    asked(saved, tmp_path / "people", tmp_path / "advice")
    before = parts(tmp_path / "advice")
    given = {"index": "id", "rows": 30, **change}
    advisor = linear_advisor() if given.pop("advisor", "") else saved
    with pytest.raises(sf.InputError, match=sentence):
        run(advisor, tmp_path / "people", tmp_path / "advice", **given)
    assert parts(tmp_path / "advice") == before


def test_a_folder_of_something_else_is_refused(saved, tmp_path):
    book(tmp_path / "people", parts=1)
    (tmp_path / "advice").mkdir()
    (tmp_path / "advice" / "notes.txt").write_text("mine")
    with pytest.raises(sf.InputError, match=r"holds something else \('notes.txt'\)"):
        asked(saved, tmp_path / "people", tmp_path / "advice")
    with pytest.raises(sf.InputError, match="would be written into"):
        asked(saved, tmp_path / "people", tmp_path / "people")


@pytest.mark.parametrize(
    ("name", "old", "new", "sentence"),
    [
        ("_manifest.json", '"rows": 30', '"rows": 31', "_manifest.json' was changed"),
        ("_manifest.json", '"rows": 30', '"rows": "many"', "_manifest.json' is damaged: 'rows'"),
        ("_manifest.json", "{", "[", "_manifest.json' is damaged"),
        ("_finished.jsonl", '"block": 1', '"block": 0', "line 2 of .* was changed"),
        ("_finished.jsonl", '"rows": ', '"rows": -', "is damaged: 'rows' of line 1"),
    ],
)
def test_an_edited_manifest_is_refused(saved, tmp_path, name, old, new, sentence):
    book(tmp_path / "people", parts=1)
    asked(saved, tmp_path / "people", tmp_path / "advice")
    file = tmp_path / "advice" / name
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(sf.InputError, match=sentence):
        asked(saved, tmp_path / "people", tmp_path / "advice")


def test_a_lost_manifest_is_named(saved, tmp_path):
    book(tmp_path / "people", parts=1)
    asked(saved, tmp_path / "people", tmp_path / "advice")
    (tmp_path / "advice" / "_manifest.json").unlink()
    with pytest.raises(sf.InputError, match=r"lists finished parts but has no _manifest\.json"):
        asked(saved, tmp_path / "people", tmp_path / "advice")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda f: people(70, seed=9).to_parquet(f / "00.parquet"), "'00.parquet' held something"),
        (lambda f: people(70, seed=9).to_parquet(f / "07.parquet"), "'07.parquet' has come"),
        (lambda f: (f / "02.parquet").unlink(), "'02.parquet' is gone"),
    ],
    ids=["changed", "new", "gone"],
)
def test_people_who_changed_since_are_refused(saved, tmp_path, change, sentence):
    book(tmp_path / "people")
    asked(saved, tmp_path / "people", tmp_path / "advice")
    change(tmp_path / "people")
    with pytest.raises(sf.InputError, match=f"the people changed since .*{sentence}"):
        asked(saved, tmp_path / "people", tmp_path / "advice")


def test_two_runs_do_not_share_a_folder_but_shards_do(saved, tmp_path):
    book(tmp_path / "people", parts=1)
    (tmp_path / "advice").mkdir()
    with (
        locked(tmp_path / "advice", Shard()),
        pytest.raises(sf.InputError, match="another run is writing into"),
    ):
        asked(saved, tmp_path / "people", tmp_path / "advice")
    with locked(tmp_path / "advice", Shard(1, 2)):
        for shard in ((1, 1), (1, 2)):
            with pytest.raises(sf.InputError, match="another run is writing into"):
                asked(saved, tmp_path / "people", tmp_path / "advice", shard=shard)
        asked(saved, tmp_path / "people", tmp_path / "advice", shard=(2, 2))


@pytest.mark.parametrize("shard", [(0, 2), (3, 2), (1, 0)])
def test_shards_are_counted_from_one(saved, tmp_path, shard):
    with pytest.raises(sf.InputError, match="shard"):
        asked(saved, tmp_path, tmp_path / "advice", shard=shard)


def test_a_folder_without_tables_is_refused(saved, tmp_path):
    with pytest.raises(sf.InputError, match="there is no table in"):
        asked(saved, tmp_path, tmp_path / "advice")
    with pytest.raises(sf.InputError, match="there is no file or folder"):
        asked(saved, tmp_path / "nobody", tmp_path / "advice")
    with pytest.raises(sf.InputError, match="no file is called"):
        asked(saved, tmp_path / "*.parquet", tmp_path / "advice")


# runs that are ended


SCRIPT = """
import sys, standfast as sf
advisor, source, out, jobs = sys.argv[1:]
sf.portfolio.run(advisor, source, out, jobs=int(jobs), rows=30, index="id")
"""


def started(*arguments, script=SCRIPT):
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def seen(folder: Path, count: int) -> None:
    """Wait until so many parts are finished."""
    while len(list(folder.glob("part-*.parquet"))) < count:
        time.sleep(0.005)


@pytest.mark.parametrize(("jobs", "after"), [(1, 0), (1, 3), (2, 1), (2, 6)])
def test_a_killed_run_goes_on_and_ends_with_the_same_bytes(trees, tmp_path, jobs, after):
    book(tmp_path / "people", parts=4)
    asked(trees, tmp_path / "people", tmp_path / "whole")
    process = started(trees, tmp_path / "people", tmp_path / "advice", jobs)
    seen(tmp_path / "advice", after)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert asked(trees, tmp_path / "people", tmp_path / "advice").complete
    assert parts(tmp_path / "advice") == parts(tmp_path / "whole")
    assert list((tmp_path / "advice").rglob(".*.tmp")) == []


def test_a_half_written_line_is_cut_off(saved, tmp_path):
    book(tmp_path / "people")
    asked(saved, tmp_path / "people", tmp_path / "advice")
    first = parts(tmp_path / "advice")
    log = tmp_path / "advice" / "_finished.jsonl"
    log.write_bytes(log.read_bytes()[:-20])
    found = asked(saved, tmp_path / "people", tmp_path / "advice")
    assert found.complete
    assert 0 < found.people <= 30
    assert parts(tmp_path / "advice") == first
    for line in log.read_text().splitlines():
        json.loads(line)


def test_a_worker_that_dies_is_said_and_the_run_goes_on_later(trees, tmp_path):
    book(tmp_path / "people", parts=6)
    process = started(trees, tmp_path / "people", tmp_path / "advice", 2)
    seen(tmp_path / "advice", 1)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGKILL)
    _, said = process.communicate()
    assert "a worker process ended unexpectedly (exit code -9)" in said
    assert asked(trees, tmp_path / "people", tmp_path / "advice").complete


def test_ctrl_c_is_heard_by_the_run_alone_even_while_its_workers_start(trees, tmp_path):
    book(tmp_path / "people")
    quiet = SCRIPT.replace("sf.portfolio.run", "try: sf.portfolio.run")
    command = [sys.executable, "-c", f"{quiet}except KeyboardInterrupt: sys.exit(130)\n"]
    process = subprocess.Popen(
        [*command, *map(str, (trees, tmp_path / "people", tmp_path / "advice", 2))],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a terminal's Ctrl-C goes to a whole group of processes
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while len(children.read_text().split()) < 2:
        time.sleep(0.005)
    time.sleep(0.5)  # Python starts
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate()
    assert (process.returncode, said) == (130, "")


def test_a_disk_without_room_stops_the_run_with_a_sentence(trees, tmp_path):
    book(tmp_path / "people", parts=1, rows=300)
    # no file may grow beyond: what a full disk does to a write
    small = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, 9_000))\n"
    command = (trees, tmp_path / "people", tmp_path / "advice", 1)
    process = started(*command, script=small + SCRIPT)
    _, said = process.communicate()
    assert process.returncode == 1
    assert "cannot write" in said
    assert "File too large; 0 parts are finished: make room" in said
    assert parts(tmp_path / "advice") == {}
    assert asked(trees, tmp_path / "people", tmp_path / "advice").complete
