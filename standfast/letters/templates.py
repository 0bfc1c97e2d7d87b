"""The templates of letters: shipped ones, a user's own, and what is wrong with those."""

import shutil
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from standfast.errors import InputError, listing
from standfast.files import visible, write_folder
from standfast.letters.content import FIELDS, Content
from standfast.letters.language import Language
from standfast.schema.values import as_language

if TYPE_CHECKING:
    import jinja2

SHIPPED = Path(__file__).parent / "templates"
WORDS = "words.jinja"  # the sentences of one language
MARKS = "language.toml"


def copy_templates(folder: Path | str) -> None:
    """Write the shipped templates into a new folder, to be changed there.

    `letter.html`, `letter.txt` and `style.css` are what all letters look like; a folder per
    language holds its sentences, `words.jinja`, and how it writes numbers, `language.toml`.
    """
    write_folder(folder, partial(shutil.copytree, SHIPPED, dirs_exist_ok=True))


@dataclass(frozen=True, eq=False)
class Templates:
    """The templates of one language, read and checked: a page's and a text's."""

    folder: Path
    language: Language
    html: "jinja2.Template"
    text: "jinja2.Template"

    @classmethod
    def read(cls, folder: Path | str | None, language: str) -> "Templates":
        """Templates from a folder, or the shipped ones."""
        code = as_language(language, "the language")
        place = SHIPPED if folder is None else Path(folder)
        if not place.is_dir():
            raise InputError(
                f"there is no folder '{place}' of templates; copy the shipped ones: "
                "standfast letter --copy-template FOLDER"
            )
        if not (place / code).is_dir():
            known = sorted(path.parent.name for path in place.glob(f"*/{MARKS}"))
            where = "the shipped templates are" if folder is None else f"'{place}' is"
            raise InputError(
                f"the language is {code!r}, and {where} in {listing(known) or 'none'}; choose one "
                "of these, or copy the templates (--copy-template FOLDER) and add your own"
            )
        return _shipped(code) if folder is None else cls._of(place, code)

    @classmethod
    def _of(cls, place: Path, code: str) -> "Templates":
        spoken = Language.read(place / code / MARKS, code)
        return cls(place, spoken, _template(place, code, "html"), _template(place, code, "txt"))

    def rendered(self, content: Content) -> tuple[str, str]:
        """A letter as a page and as plain text."""
        from markupsafe import Markup

        facts = {name: getattr(content, name) for name in FIELDS}
        page = facts | {"picture": Markup(content.picture)}
        return self._fill(self.html, page), self._fill(self.text, facts)

    def _fill(self, template: "jinja2.Template", facts: dict[str, Any]) -> str:
        try:
            return template.render(facts)
        except Exception as error:  # whatever a template does
            raise _wrong(self.folder, template.name or "", error) from error


@cache
def _shipped(code: str) -> Templates:
    """Our own templates, which nobody changes meanwhile: turned into code once."""
    return Templates._of(SHIPPED, code)


def _template(folder: Path, code: str, ending: str) -> "jinja2.Template":
    """A template that knows nothing but its fields; pages escape what they are given."""
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    # macros escape as the file does that defines them, not as the one that calls them; so pages
    # and texts each have an environment
    environment = ImmutableSandboxedEnvironment(
        loader=jinja2.FileSystemLoader([folder / code, folder]),
        autoescape=ending == "html",
        undefined=jinja2.StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    name = f"letter.{ending}"
    for file in (WORDS, name):
        try:
            template = environment.get_template(file)
            _check_fields(environment, file)
        except Exception as error:  # a file that is no text, too
            raise _wrong(folder, file, error) from error
    return template


def _check_fields(environment: "jinja2.Environment", file: str) -> None:
    """Refuse names that no letter knows, also where no letter would have come upon them."""
    from jinja2 import BaseLoader, meta

    loader = environment.loader
    assert isinstance(loader, BaseLoader)
    source, _, _ = loader.get_source(environment, file)
    used = meta.find_undeclared_variables(environment.parse(source))
    unknown = sorted(used - FIELDS - set(environment.globals))
    if unknown:
        raise InputError(f"unknown field {listing(unknown)}; there are {', '.join(sorted(FIELDS))}")


def _visible(value: object) -> object:
    """Text without what no page can hold, or what would turn the words around a name around."""
    plain = isinstance(value, str) and not hasattr(value, "__html__")
    return visible(str(value)) if plain else value


def _wrong(folder: Path, file: str, error: Exception) -> InputError:
    """One sentence about a template, naming the file and, where it is known, the line."""
    from jinja2 import TemplateNotFound

    if isinstance(error, TemplateNotFound):
        return InputError(f"'{folder}' has no template {error.name!r}; copy the shipped ones anew")
    line = getattr(error, "lineno", None)
    said = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
    return InputError(f"the template '{file}' in '{folder}'{f', line {line}' * bool(line)}: {said}")
