"""Answers to questions about tables, read by a declarative grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.server.engines.answer import Answer
    from spark_jupyter.server.engines.namespace import Namespace

__all__ = ["amend", "answer"]


def answer(text: str, namespace: Namespace) -> Answer | None:
    """The answer to a prompt that asks something of the tables in ``namespace``: code, or a question without cells where the prompt means
    several things. None where the grammar can't read all of it."""
    from spark_jupyter.server.engines.tables import answers

    return answers.answer(text, namespace)


def amend(before: str | Sequence[str], text: str, namespace: Namespace) -> Answer | None:
    """The answer to ``before`` as ``text`` changes it ("only for January", "as a bar chart"). ``before`` is a prompt, or one with the
    follow-ups that came after it. None where either can't be read."""
    from spark_jupyter.server.engines.tables import answers

    return answers.amend(before, text, namespace)
