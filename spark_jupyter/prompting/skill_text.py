"""Parser of skills: a prompt's ``/name``, and the text of a SKILL.md.

The format is that of https://agentskills.io/specification (read in November 2026): YAML front matter with ``name`` and ``description``,
then instructions in Markdown. Of YAML only plain, quoted and folded texts are read.
"""

from __future__ import annotations

import re

_CALL = re.compile(r"\s*/([a-z0-9]+(?:-[a-z0-9]+)*)(?=\s|$)")
_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_DESCRIPTION = re.compile(r"^description:[ \t]*(?:[>|][+-]?[ \t]*$)?(.*(?:\n[ \t]+.*)*)", re.MULTILINE)
LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1_024
"""Characters; both limits are the specification's."""


def called_skill(prompt: str) -> str:
    """The name of the skill that a prompt begins with; empty where it begins with none."""
    found = _CALL.match(prompt)
    return found[1] if found and len(found[1]) <= LONGEST_NAME else ""


def description(text: str) -> str:
    """What a SKILL.md says it is for, in one line; empty where it does not say."""
    front = _FRONT.match(text)
    found = _DESCRIPTION.search(front[1]) if front else None
    words = " ".join(found[1].split()) if found else ""
    return words.strip("\"'")[:LONGEST_DESCRIPTION]


def instructions(text: str) -> str:
    """A SKILL.md without its front matter."""
    return _FRONT.sub("", text).strip()
