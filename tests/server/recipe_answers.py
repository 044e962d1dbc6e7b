"""Requests to the recipe engine, and what its answers do."""

from __future__ import annotations

import re
from typing import Any

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.conversation import Question
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.prompting.request_text import question_text
from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines.recipes import RecipeEngine

ENGINE = RecipeEngine()

SALES = """
import pandas as pd
sales = pd.DataFrame({
    "Order Date": pd.to_datetime(["2024-01-03", "2024-01-20", "2024-02-02", "2024-03-14"]),
    "city": ["Bonn", "Ulm", "Bonn", "Kiel"],
    "Unit price": [10.0, 12.5, 9.0, 30.0],
    "quantity": [1, 2, 9, 1],
})
"""
TRIPS = """
import pandas as pd
days = pd.date_range("2024-01-01", periods=3)
trips = pd.DataFrame({"started": days, "took": pd.to_timedelta([1, 2, 3], "D")})
"""


def question_of(prompt: str, world: str = "", **parts: Any) -> Question:
    space: dict[str, Any] = {}
    exec(world, space)
    users = {name: value for name, value in space.items() if not name.startswith("__")}
    return Question(request=prompt, variables=describe(gather(users, prompt=prompt), budget_tokens=4000), **parts)


def text_of(prompt: str, world: str = "", **parts: Any) -> str:
    return question_text(question_of(prompt, world, **parts))


def ask(prompt: str, world: str = "", *, engine: RecipeEngine = ENGINE, **parts: Any) -> str:
    message = Message("user", text_of(prompt, world, **parts))
    return "".join(engine.answer((message,), instructions="", model="recipe-book"))


def code_of(answer: str) -> list[str]:
    return re.findall(r"(?ms)^```python[^\n]*\n(.*?)\n?^```$", answer)


def run(answer: str, world: str = "") -> dict[str, Any]:
    """Run the answer's cells as a notebook would; ``_`` is the last expression's value."""
    import ast

    import matplotlib

    matplotlib.use("Agg")
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(world, space)
    for source in code_of(answer):
        tree = ast.parse(source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<cell>", "exec"), space)
        if isinstance(last, ast.Expr):
            space["_"] = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)
    return space
