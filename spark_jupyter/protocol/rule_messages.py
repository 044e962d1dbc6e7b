"""Messages about the rules and skills of a project."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Problem = Literal["", "cut", "changeable", "outside", "unreadable"]


class ListRules(Struct, frozen=True, tag=True):
    """Ask for the rules that go along with prompts; answered by :class:`ProjectRules`, to this client only."""


class RuleFile(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An ``AGENTS.md``, by its path from the project's folder. ``problem`` is why it is not read, or only its beginning."""

    path: str
    characters: int = 0
    problem: Problem = ""


class Skill(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A skill: instructions that ``/name`` at the beginning of a prompt adds to it."""

    name: str
    description: str = ""


class ProjectRules(Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """The files whose rules go along with every prompt, as long as they are ``on``, and the skills that there are."""

    on: bool = True
    files: tuple[RuleFile, ...] = ()
    skills: tuple[Skill, ...] = ()
