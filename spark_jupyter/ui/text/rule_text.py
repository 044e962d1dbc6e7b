"""Text of a project's rules and skills."""

from __future__ import annotations

from spark_jupyter.protocol.rule_messages import ProjectRules
from spark_jupyter.source.invisible_text import printable

PROBLEMS = {
    "cut": "only its beginning goes along: it is too long",
    "changeable": "not read: other users can change it; make it and its folder yours alone with chmod go-w",
    "outside": "not read: it is a link that leads out of the project",
    "unreadable": "not read: it can't be opened",
}


def rules_text(rules: ProjectRules) -> str:
    """The files and the skills, a line each."""
    lines = [
        f"  {printable(file.path)}: {PROBLEMS.get(file.problem) or f'{file.characters:,} characters'}"
        for file in rules.files
    ]
    skills = [printable(f"  /{skill.name}  {skill.description}") for skill in rules.skills]
    if not rules.on:
        first = "The project's rules are off: %spark rules on sends them along again."
    elif lines:
        first = "These rules go along with every prompt:"
    else:
        first = "No rules: there is no AGENTS.md in this project."
    return "\n".join([first, *lines, *(["Skills, at the beginning of a prompt:", *skills] if skills else [])])
