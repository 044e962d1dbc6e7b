"""Where the line of a kernel is, that :mod:`spark_jupyter.host.line` opens and :mod:`spark_jupyter.serverline` finds. Pure."""

from __future__ import annotations


def line_of(connection_file: str) -> str:
    """The path of the socket that belongs to a kernel's connection file: in Jupyter's runtime folder, which is its user's alone."""
    return connection_file.removesuffix(".json") + ".spark"
