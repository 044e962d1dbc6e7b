"""Answers to questions about tables, read by a declarative grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_jupyter.server.engines.compose import Answer
    from spark_jupyter.server.engines.namespace import Namespace

__all__ = ["amend", "answer", "prepare"]


def prepare() -> None:
    """Compile the grammar, which the first answer would wait for otherwise."""


def answer(text: str, namespace: Namespace) -> Answer | None:
    """The answer to a prompt that asks something of the tables in ``namespace``; None where the grammar can't read all of it."""
    return None


def amend(before: str, text: str, namespace: Namespace) -> Answer | None:
    """The answer to ``before`` as ``text`` changes it ("only for January", "as a bar chart"); None where either can't be read."""
    return None
