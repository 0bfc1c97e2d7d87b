"""Letters: what each person is told, one document per person, from templates that users change."""

from standfast.letters.compose import Letter, Letters, compose
from standfast.letters.templates import copy_templates

__all__ = ["Letter", "Letters", "compose", "copy_templates"]
