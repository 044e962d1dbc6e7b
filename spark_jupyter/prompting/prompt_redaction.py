"""Redaction of a prompt and its surroundings before they are sent."""

from __future__ import annotations

from msgspec import structs

from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.redaction.redactor import Redactor


def withheld_prompt(redactor: Redactor, prompt: Prompt, surroundings: Surroundings) -> tuple[Prompt, Surroundings]:
    """The same, with a placeholder for every credential; what was withheld, and where, is then in ``redactor.withheld``."""
    with redactor.at_once(surroundings.secrets):
        # what one place gives away as a secret is one in those before it, too
        _replaced(redactor, prompt, surroundings)
        return _replaced(redactor, prompt, surroundings)


def _replaced(redactor: Redactor, prompt: Prompt, surroundings: Surroundings) -> tuple[Prompt, Surroundings]:
    hide = redactor.withhold
    cells = tuple(_cell(redactor, number, cell) for number, cell in enumerate(prompt.cells, 1))
    known = Surroundings(
        variables=hide(surroundings.variables, where="the variables"),
        versions=surroundings.versions,
        files=hide(surroundings.files, where="a file that the prompt names"),
        rules=hide(surroundings.rules, where="the project's rules"),
        skill=hide(surroundings.skill, where="the skill"),
        tried=surroundings.tried,
        last_error=hide(surroundings.last_error, where="the last traceback"),
        mentioned=hide(surroundings.mentioned, where="what the prompt points at"),
        images=surroundings.images,
    )
    checks = tuple(hide(check, where="the prompt") for check in prompt.attempts.checks)
    attempts = structs.replace(prompt.attempts, checks=checks)
    return structs.replace(prompt, text=hide(prompt.text, where="the prompt"), cells=cells, attempts=attempts), known


def _cell(redactor: Redactor, number: int, cell: NotebookCell) -> NotebookCell:
    where = f"cell {number}"
    return structs.replace(
        cell,
        source=redactor.withhold(cell.source, where=where),
        outputs=redactor.withhold(cell.outputs, where=f"the output of {where}"),
        error=redactor.withhold(cell.error, where=f"the traceback of {where}"),
    )
