"""What the recipe books answer to a prompt over some tables, and what the answer gives."""

from __future__ import annotations

import pandas as pd

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.conversation import Question
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.prompting.request_text import question_text
from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines import request
from spark_jupyter.server.engines.recipes import RecipeEngine


def sources(prompt: str, **tables: object) -> list[str]:
    """The cells that answer a prompt."""
    told = describe(gather(tables, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    asked = request.read([Message("user", question_text(Question(request=prompt, variables=told)))])
    return [cell.source for cell in RecipeEngine().reply(asked).cells if cell.cell_type == "code"]


def result(prompt: str, **tables: pd.DataFrame) -> object:
    """What the last line of the answer gives."""
    found = sources(prompt, **tables)
    assert found, prompt
    space: dict[str, object] = {name: table.copy() for name, table in tables.items()}
    *lines, last = "\n".join(found).split("\n")
    exec("\n".join(lines), space)
    return eval(last, space)


def listed(prompt: str, **tables: pd.DataFrame) -> dict[object, object]:
    found = result(prompt, **tables)
    assert isinstance(found, pd.Series), found
    return found.to_dict()
