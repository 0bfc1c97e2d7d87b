"""What categories are called in a language: declared, kept in files, and refused."""

import re

import pytest

from standfast import Feature, InputError, Schema

HOME = Feature(
    "home",
    "nominal",
    categories=("own", "rent", 3),
    category_labels={"de": {"rent": "zur Miete", "3": "drei"}, "fr": {"own": "propriétaire"}},
)


def test_they_are_kept_by_language_and_category():
    assert HOME.category_words("de") == {"rent": "zur Miete", "3": "drei"}
    assert HOME.category_words("fr") == {"own": "propriétaire"}
    assert HOME.category_words("es") == {}


def test_toml_brings_them_back():
    schema = Schema((HOME, Feature("age")))
    again = Schema.from_toml(schema.to_toml())
    assert again == schema
    assert again.digest == schema.digest
    assert "category_labels" not in Schema((Feature("age"),)).to_toml()


def test_a_schema_without_them_keeps_its_digest_of_before():
    assert "category_labels" not in repr(Feature("home", "nominal", categories=("own", "rent")))


def test_labels_of_another_schema_include_them():
    bare = Schema((Feature("home", "nominal", categories=("own", "rent", 3)),))
    assert bare.with_labels(Schema((HOME,)))["home"].category_labels == HOME.category_labels


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"de": {"hotel": "Hotel"}}, "names 'hotel', which is not a category"),
        ({"de": {"rent": " "}}, "the text for 'rent' is empty; leave it out"),
        ({"de": {"rent": 3}}, "the text for 'rent' is 3; it must be a text"),
        ({"German": {"rent": "Miete"}}, "must be a code such as de"),
        ({"de": "Miete"}, "'de' needs a text per category"),
        ("Miete", "write a text per language and category"),
    ],
)
def test_what_cannot_be_used_is_refused(given, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        Feature("home", "nominal", categories=("own", "rent"), category_labels=given)


def test_numbers_have_no_categories_to_name():
    with pytest.raises(InputError, match="'age': category_labels is for inputs with named"):
        Feature("age", category_labels={"de": {"3": "drei"}})
