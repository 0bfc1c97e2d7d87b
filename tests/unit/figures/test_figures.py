"""draw and write: every exhibit of every scene, the same bytes each time, nothing from nothing."""

import subprocess
import sys

import pytest
from samples.study import SCENES, sample_tables

from standfast.figures import draw, write
from standfast.studies.tables import TIDY

PER_SCENE = (
    "transfer",
    "costs",
    "histograms",
    "components",
    "sense",
    "surprise",
    "bounds",
    "invariance",
    "complete",
    "frontier",
    "promises",
)


def test_every_exhibit_of_every_scene_is_drawn(figures):
    expected = {(exhibit, *scene) for exhibit in PER_SCENE for scene in SCENES}
    expected.add(("support_costs", "twin:heloc", ""))
    assert {(one.exhibit, one.data, one.reference) for one in figures} == expected
    assert len({one.name for one in figures}) == len(figures) == len(expected)


def test_names_are_plain_file_stems(figures):
    assert "transfer-twin_heloc-linear" in {one.name for one in figures}


def test_the_same_tables_give_the_same_bytes(figures):
    again = sample_tables()
    few = {
        name: again[name][again[name]["reference"] == "linear"]
        for name in ("scenes", "transfer", "components", "bounds")
    }
    drawn = draw(few)
    assert len(drawn) == 3
    assert all(one in figures for one in drawn)


def test_readers_settings_are_left_alone_and_do_not_show(tables):
    import matplotlib as mpl

    few = {"support_costs": tables["support_costs"]}
    plain = draw(few)
    with mpl.rc_context({"font.size": 30.0, "axes.facecolor": "black", "svg.fonttype": "path"}):
        before = dict(mpl.rcParams)
        assert draw(few) == plain
        assert dict(mpl.rcParams) == before


def test_tables_without_rows_give_no_figure(tables):
    assert draw({name: table.iloc[:0] for name, table in tables.items()}) == []


@pytest.mark.parametrize("exhibit", ["bounds", "support_costs", "frontier"])
def test_an_exhibit_stands_without_the_others(tables, exhibit):
    one = tables[exhibit]
    drawn = draw({exhibit: one[one["reference"] == "linear"]})
    assert [figure.exhibit for figure in drawn] == [exhibit]


def test_write_leaves_two_whole_files_per_figure(figures, tmp_path):
    write(figures[:2], tmp_path / "new" / "folder")
    found = {path.name: path.read_bytes() for path in (tmp_path / "new" / "folder").iterdir()}
    assert found == {
        **{f"{one.name}.svg": one.svg.encode() for one in figures[:2]},
        **{f"{one.name}.png": one.png for one in figures[:2]},
    }


def test_importing_the_package_does_not_import_matplotlib():
    code = "import sys, standfast; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_drawing_never_starts_pyplot():
    code = (
        "import sys; from standfast.figures import draw; draw({}); "
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_tables_are_not_changed(tables):
    fresh = sample_tables()
    for name in TIDY:
        assert tables[name].equals(fresh[name])
