"""How the documentation site is built: `make docs`, offline; warnings are errors."""

import importlib.metadata
from typing import Any

project = "standfast"
author = "the standfast developers"
copyright = "2026, the standfast developers"
release = importlib.metadata.version("standfast")

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "literal"  # docstrings put names between single backticks, as Markdown does

# pages are Markdown, and each heading can be linked to
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "deflist"]

# a tutorial runs from top to bottom whenever it has changed
nb_execution_mode = "cache"
nb_execution_in_temp = True  # tutorials write files
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_output_stderr = "remove"  # that kernels are compiled, on the first run

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autosummary_generate = True
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "standfast"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "header_links_before_dropdown": 8,  # all sections
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
}


def without_substitutions(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Formulas in docstrings have bars, |Q(y) − Q(x)|, which mean substitutions to Sphinx."""
    lines[:] = [line if ">>>" in line else line.replace("|", "\\|") for line in lines]


def setup(app: Any) -> None:
    """What Sphinx calls when it starts."""
    app.connect("autodoc-process-docstring", without_substitutions)
