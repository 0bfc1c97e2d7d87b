"""The notebooks run from top to bottom, say something sensible, and hold nothing private."""

import asyncio
import json
import re
import shlex
from pathlib import Path

import nbformat
import pytest
from ipykernel.kernelspec import write_kernel_spec
from nbclient import NotebookClient
from typer.testing import CliRunner

import standfast as sf
from standfast.cli import app

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
PRIVATE = re.compile(r"/(work|home|tmp|root|Users|private)/|[A-Z]:\\|seconds|Traceback")


def printed(cell):
    """What a cell printed, and its last value as text."""
    texts = [out.get("text") or out.get("data", {}).get("text/plain", "") for out in cell.outputs]
    return "".join(texts)


def outputs(notebook):
    return {cell.id: printed(cell) for cell in notebook.cells if cell.cell_type == "code"}


def executed(path, folder, monkeypatch):
    """A notebook run from top to bottom in a folder, by the interpreter that runs the tests."""
    write_kernel_spec(folder / "jupyter" / "kernels" / "python3")
    monkeypatch.setenv("JUPYTER_PATH", str(folder / "jupyter"))
    here = folder / "here"
    here.mkdir()
    notebook = nbformat.read(path, as_version=4)
    settings = {"metadata": {"path": str(here)}}
    client = NotebookClient(notebook, kernel_name="python3", timeout=600, resources=settings)
    asyncio.run(client.async_execute())
    return notebook, here


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_the_notebook_is_kept_as_it_came_out_of_one_run_from_top_to_bottom(path):
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata.kernelspec.name == "python3"
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    kinds = [out.output_type for cell in cells for out in cell.outputs]
    assert "error" not in kinds
    assert not [out for cell in cells for out in cell.outputs if out.get("name") == "stderr"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_no_path_of_a_machine_and_no_time_is_kept(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        assert "execution" not in cell["metadata"]
        for out in cell.get("outputs", []):
            out.get("data", {}).pop("image/png", None)  # letters and slashes at random
            assert not PRIVATE.search(json.dumps(out))


# one test, so that several workers do not run the notebook several times
def test_the_credit_notebook_runs_and_what_it_says_and_writes_is_so(tmp_path, monkeypatch):
    notebook, here = executed(EXAMPLES / "credit.ipynb", tmp_path, monkeypatch)
    shown = outputs(notebook)
    assert_it_tells_how_the_advice_fares(shown)
    assert sum("<Figure" in text for text in shown.values()) == 2
    assert "advice as written: True" in shown["write"]
    assert "model as saved: True" in shown["write"]
    assert "twin of give_me_some_credit" in shown["write"]
    monkeypatch.chdir(here / "credit_files")
    assert_the_advice_written_is_accepted()
    assert_the_command_runs(notebook.cells[-1].source)


def assert_it_tells_how_the_advice_fares(shown):
    assert "5,000 applications" in shown["read-file"]
    assert 0 < int(re.search(r"(\d+) of them are refused", shown["fit-model"])[1]) < 1000
    assert float(re.search(r"AUC (0\.\d+)", shown["fit-model"])[1]) > 0.7
    assert re.search(r"^(Lower|Raise) ", shown["ways"], re.MULTILINE)
    assert "no admissible" in shown["without-advice"]
    assert 0 < int(re.search(r"\((\d+)%\) are accepted by all", shown["transfer-cheapest"])[1]) < 90
    times, kept, of = re.search(
        r"which is ([\d.]+) times.*?(\d+) of (\d+) pieces", shown["unanimous-advice"], re.DOTALL
    ).groups()
    assert float(times) > 1
    assert kept == of
    assert "Keep " in shown["one-person-read"]
    alone, everyone = re.findall(r"minimal cost, .*: ([\d.]+)% on average", shown["fresh-models"])
    assert float(alone) < float(everyone)


def assert_the_advice_written_is_accepted():
    schema = sf.Schema.read("schema.toml")
    model = sf.load_model("scorecard.skops")
    recs = sf.Recommendations.read("advice.csv")
    assert recs.found.any()
    goals = recs.counterfactual[recs.found].astype(float)
    assert (model.predict(goals) == 1).all()
    own = schema.matrix(recs.factual[recs.found])
    assert recs.schema.admits(own, schema.matrix(goals)).all()


def assert_the_command_runs(markdown):
    """The shell block at the notebook's end, of which the first line changes the folder."""
    block = re.search(r"```sh\n(.*?)```", markdown, re.DOTALL)[1]
    change, command = block.replace("\\\n", " ").strip().splitlines()
    assert change == "cd credit_files"
    program, *arguments = shlex.split(command)
    assert program == "standfast"
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert sf.Recommendations.read("tonight.csv").found.any()
