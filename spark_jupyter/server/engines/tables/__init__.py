"""Answers to questions about tables, read by a declarative grammar."""

from spark_jupyter.server.engines.tables.answers import amend, answer

__all__ = ["amend", "answer"]
