"""Commands of plug-ins: verbs of ``%spark``, and ``/name`` at the beginning of a prompt."""

from __future__ import annotations

import functools
from collections.abc import Collection

from spark_jupyter.plugins import SlashCommand, load_plugins, report_fault
from spark_jupyter.prompting.skill_text import called_skill
from spark_jupyter.ui.text.magic_line import Verb


def plugin_verbs(taken: Collection[str]) -> dict[str, Verb]:
    """The verbs by name, without those that would take the place of one that is ``taken``."""
    verbs = {name: found for name, found in _commands().items() if isinstance(found[1], Verb)}
    for name in verbs.keys() & set(taken):
        report_fault("commands", name, verbs.pop(name)[0], ValueError("there is one of that name already"))
    return {name: verb for name, (_, verb) in verbs.items() if isinstance(verb, Verb)}


def slash_commands() -> dict[str, SlashCommand]:
    return {name: command for name, (_, command) in _commands().items() if isinstance(command, SlashCommand)}


@functools.cache
def _commands() -> dict[str, tuple[str, Verb | SlashCommand]]:
    def command(name: str, found: object) -> Verb | SlashCommand:
        if called_skill(f"/{name}") != name:
            raise ValueError("its name may only have small letters, digits and hyphens")
        made = getattr(found, "verb", found)
        if not isinstance(made, Verb | SlashCommand):
            raise TypeError("it is neither a function that @verb marks, nor a SlashCommand")
        return made

    return load_plugins("commands", command)
