"""The command line, started as a process."""

from __future__ import annotations

import subprocess

import nbformat

from tests.nursery import commands

CELL = {"answer": "Here.\n\n```python\ndef double(x):\n    return 2 * x\n\nprint(double(21))\n```\n", "repeat": True}


def spark(*arguments, **options):
    return subprocess.run(
        commands().spark(*arguments),
        capture_output=True,
        text=True,
        timeout=120,
        stdin=options.pop("stdin", subprocess.DEVNULL),
        **options,
    )


def start(*arguments, **options):
    return subprocess.Popen(
        commands().spark(*arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def cells(path):
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    return [(cell.id, cell.source) for cell in book.cells]
