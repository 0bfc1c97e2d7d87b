"""What the documentation shows is what runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def blocks(page):
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("page", "printed"),
    [
        ("README.md", ("found", "minimal", "Keep ")),
        ("docs/extending.md", ("found",)),
        (
            "docs/schema.md",
            ("True False", "Change job from none to", "Wait 12 months; nothing else"),
        ),
        ("docs/letters.md", ("Monatseinkommen von 1.200 auf", "bis zum 31. Mai 2027")),
        ("docs/gate.md", ("False The candidate is held back",)),
        ("docs/models.md", ("Additive [False  True]",)),
        ("docs/repair.md", ("promises are kept", "f and g", "retrain")),
        ("docs/scorecards.md", ("Raise income from 1200 to 2000.",)),
        ("docs/workbench.md", ("ower ",)),
        ("docs/promises.md", ("is fulfilled: every input lies in its box", "The ledger is sound")),
    ],
)
def test_every_python_example_of_a_page_runs(page, printed, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # examples may write files
    examples = blocks(page)
    assert examples
    for example in examples:
        exec(compile(example, page, "exec"), {"__name__": "example"})
    out = capsys.readouterr().out
    assert all(word in out for word in printed)


def test_the_readme_opens_with_ten_lines_and_two_commands():
    example = blocks("README.md")[0]
    assert len([line for line in example.splitlines() if line.strip()]) == 10
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.index("```python") < text.index("make study") < text.index("make test")


def test_every_public_name_exists_and_is_documented():
    import standfast

    for name in standfast.__all__:
        assert getattr(standfast, name).__doc__, name
    assert {"Dataset", "Part", "Tolerance"} <= set(standfast.__all__)
    assert len(standfast.__all__) <= 58
