from types import SimpleNamespace

import pytest

from standfast import datasets
from standfast.cli.study import StudyOptions
from standfast.studies.people import named


@pytest.mark.parametrize("name", ["heloc", "give_me_some_credit"])
def test_a_set_comes_with_the_schema_of_the_variant(name: str) -> None:
    ours, theirs = (named(f"twin:{name}", 50, 0, v) for v in ("sensible", "published"))
    assert ours.digest == theirs.digest
    assert named(f"twin:{name}", 50, 0).schema == ours.schema == datasets.twin(name, 5).schema
    assert theirs.schema == datasets.twin(name, 5, variant="published").schema != ours.schema


@pytest.mark.parametrize(
    ("variant", "as_published", "expected"),
    [
        (None, False, "sensible"),
        (None, True, "published"),
        ("published", False, "published"),
        ("sensible", True, "sensible"),
    ],
)
def test_the_schema_is_the_papers_where_the_choices_are(variant, as_published, expected) -> None:
    given = SimpleNamespace(variant=variant, as_published=as_published)
    assert StudyOptions.schema_variant.fget(given) == expected
