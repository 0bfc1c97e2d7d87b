"""Templates of letters: copied, changed, and refused where they ask for what no letter knows."""

import pytest

from standfast import InputError, letters


@pytest.fixture
def own(tmp_path):
    letters.copy_templates(tmp_path / "own")
    return tmp_path / "own"


def change(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_copied_template_writes_the_same_letters(advice, own):
    shipped, copied = letters.compose(advice), letters.compose(advice, template=own)
    assert list(shipped) == list(copied)


def test_a_changed_template_is_used(advice, own):
    change(own / "de" / "words.jinja", "Unsere Entscheidung", "Die Entscheidung der Bank")
    assert (
        "Die Entscheidung der Bank"
        in letters.compose(advice, template=own, language="de")["minimal"].html
    )


def test_another_language_is_another_folder(advice, own):
    (own / "de").rename(own / "pt-BR")
    change(own / "pt-BR" / "language.toml", 'thousands = "."', 'thousands = " "')
    with pytest.warns(UserWarning, match="no label in 'pt-BR'"):
        found = letters.compose(advice, template=own, language="pt-BR")
    assert "von 1 234,5 auf 2 500" in found["minimal"].text


@pytest.mark.parametrize(
    ("file", "new", "named"),
    [
        ("letter.html", "{{ persson }}", "unknown field 'persson'; there are all_reasons"),
        ("letter.txt", "{% if false %}{{ incomme }}{% endif %}", "unknown field 'incomme'"),
        ("en/words.jinja", "{{ salutation }}", "unknown field 'salutation'"),
        ("letter.html", "{{ way.chnages }}", "has no attribute 'chnages'"),
        ("letter.html", "{{ say.greeting() }}", "no attribute 'greeting'"),
        ("letter.html", "{% if %}", r"line \d+: TemplateSyntaxError"),
        ("letter.html", "{% include 'logo.html' %}", "has no template 'logo.html'"),
        ("letter.txt", "{{ 1 / 0 }}", "ZeroDivisionError"),
        ("letter.txt", "{{ person.__class__.__mro__ }}", "SecurityError"),
    ],
)
def test_a_template_with_an_unknown_field_is_named_and_nothing_is_written(
    advice, own, tmp_path, file, new, named
):
    with (own / file).open("a", encoding="utf-8") as template:
        template.write(new)
    with pytest.raises(InputError, match=named):
        letters.compose(advice, template=own).write(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["own"]


def test_a_language_that_there_is_not_is_refused_with_those_there_are(advice, tmp_path):
    with pytest.raises(InputError, match="the language is 'fr', and the shipped templates are in"):
        letters.compose(advice, language="fr")
    with pytest.raises(InputError, match="there is no folder"):
        letters.compose(advice, template=tmp_path / "none")
    with pytest.raises(InputError, match=r"the language is '\.\./de'; it must be a code"):
        letters.compose(advice, language="../de")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("decimal = ", "not valid TOML"),
        ("decimal = 3", "'thousands' is missing|'decimal' is 3"),
        ('decimal=","\nthousands="."\ndate="{day}"\nmonths=["a"]', "must hold at least 12"),
    ],
)
def test_a_damaged_language_is_refused(advice, own, text, named):
    (own / "en" / "language.toml").write_text(text)
    with pytest.raises(InputError, match=named):
        letters.compose(advice, template=own)


def test_a_template_that_is_no_text_is_refused(advice, own):
    (own / "letter.html").write_bytes(b"\xff\xfe{{ person }}")
    with pytest.raises(InputError, match=r"'letter\.html'"):
        letters.compose(advice, template=own)


def test_templates_are_not_copied_over_something(own):
    with pytest.raises(InputError, match="there is something already"):
        letters.copy_templates(own)
