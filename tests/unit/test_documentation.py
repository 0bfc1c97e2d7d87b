"""What the documentation shows is what runs."""

import doctest
import inspect
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import matplotlib as mpl
import pytest
from typer.testing import CliRunner

import standfast
from standfast.cli import app

ROOT = Path(__file__).parents[2]
# "py" is for fragments that need a cluster, which do not run here
BLOCK = re.compile(r"```(python|sh|\{code-cell\} ipython3)\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
PAGES = sorted(
    str(page.relative_to(ROOT))
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    if "_build" not in page.parts
)

# on these pages a block goes on where the one before ended, and commands are typed in between
STORIES = ("docs/start.md", "docs/tutorials/")
PRINTED = {
    "README.md": ("minimal",),
    "docs/autoencoder.md": ("found",),
    "docs/coming_from/actionable_recourse.md": ("cost", "Lower"),
    "docs/coming_from/carla.md": ("found",),
    "docs/coming_from/dice.md": ("Raise income",),
    "docs/coming_from/treecf.md": ("Keep ",),
    "docs/extending.md": ("found",),
    "docs/gate.md": ("False The candidate is held back",),
    "docs/index.md": ("minimal",),
    "docs/lasting.md": ("At 95 % confidence",),
    "docs/letters.md": ("Monatseinkommen von 1.200 auf", "bis zum 31. Mai 2027"),
    "docs/models.md": ("Additive [False  True]",),
    "docs/portfolio.md": ("minimal",),
    "docs/promises.md": ("is fulfilled: every input lies in its box", "The ledger is sound"),
    "docs/reasons.md": ("Name: people",),
    "docs/repair.md": ("promises are kept", "f and g", "retrain"),
    "docs/rivals.md": ("LevelSet", "n_E"),
    "docs/schema.md": (
        "True False",
        "Change job from none to",
        "Wait 12 months; nothing else",
    ),
    "docs/scorecards.md": ("Raise income from 1200 to 2000.",),
    "docs/start.md": ("income positive may change up", "lasting"),
    "docs/tutorials/keeping_promises.md": ("is held back", "The ledger is sound"),
    "docs/tutorials/lenders_table.md": ("Refused because of", "What would change the decision"),
    "docs/tutorials/portfolio.md": ("the same rows: True", "another advisor"),
    "docs/tutorials/the_paper.md": ("LevelSet", "under all"),
    "docs/unanimous.md": ("minimal", "Keep "),
    "docs/workbench.md": ("ower ",),
}


def blocks(page):
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


def shown(page):
    """The pages' Python, without commands."""
    return [block for kind, block in blocks(page) if kind != "sh"]


def typed(block):
    """Type the commands of a block, each of which must succeed."""
    for line in block.replace("\\\n", " ").strip().splitlines():
        program, *arguments = shlex.split(line, comments=True) or [""]
        if program == "standfast":
            ended = CliRunner().invoke(app, arguments)
            assert ended.exit_code == 0, (line, ended.output)


@pytest.mark.parametrize("page", PRINTED)
def test_every_python_example_of_a_page_runs(page, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # examples may write files
    mpl.use("agg")
    story, names = page.startswith(STORIES), {"__name__": "example"}
    for kind, block in blocks(page):
        if kind != "sh":
            exec(compile(block, page, "exec"), names if story else {"__name__": "example"})
        elif story:
            typed(block)
    out = capsys.readouterr().out
    assert [word for word in PRINTED[page] if word not in out] == []


def test_no_page_with_python_is_left_out():
    assert {page for page in PAGES if shown(page)} == set(PRINTED)


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file(page):
    here = (ROOT / page).parent
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert [link for link in LINK.findall(text) if not (here / link).exists()] == []


def test_the_readme_opens_with_ten_lines_and_two_commands():
    example = shown("README.md")[0]
    assert len([line for line in example.splitlines() if line.strip()]) == 10
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.index("```python") < text.index("make study") < text.index("make test")


def test_every_public_name_exists_and_is_documented():
    for name in standfast.__all__:
        assert getattr(standfast, name).__doc__, name
    assert {"Dataset", "Part", "Tolerance"} <= set(standfast.__all__)
    assert len(standfast.__all__) <= 62


def test_the_command_line_is_there_before_the_library():
    code = (
        "import sys, standfast.cli as cli, standfast as sf; "
        "assert not {'numpy', 'pandas', 'scipy', 'sklearn', 'numba'} & set(sys.modules); "
        "assert set(sf.__all__) <= set(dir(sf)); "
        "assert sf.scores.Linear is sf.Linear; assert not hasattr(sf, 'lineal'); "
        "print(sf.recommend.__name__)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (shown.stdout, shown.stderr) == ("recommend\n", "")


def test_the_release_has_one_number_and_one_date():
    number = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    heading = re.search(r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    cited = dict(re.findall(r"^(\S+): (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.M))
    assert heading.groups() == (number, cited["date-released"])
    assert cited["version"] == number


@pytest.mark.parametrize("name", standfast.__all__)
def test_every_public_name_has_an_example_among_those_that_pytest_runs(name):
    thing = getattr(standfast, name)
    module = thing if inspect.ismodule(thing) else inspect.getmodule(thing)
    assert Path(module.__file__).is_relative_to(ROOT / "standfast")  # one of the testpaths
    full = module.__name__ if thing is module else f"{module.__name__}.{thing.__qualname__}"
    found = {test.name: test for test in doctest.DocTestFinder().find(module)}
    assert found[full].examples, f"{full} has no example"
    assert re.search(r"^ *Examples\n *--------\n *>>> ", found[full].docstring, re.MULTILINE), full


def test_the_reference_lists_every_public_name():
    text = (ROOT / "docs/api/index.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^   (\w+)$", text, re.MULTILINE)) == set(standfast.__all__)
