"""The rows of the table "How to add", walked on a copy of the package: so many files, and what was added is there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

import spark_jupyter

PAGE = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")

RULE = '''
"""Calls of the function that this test is about."""

from spark_jupyter.guardrail.rule import Hit, Rule, on

RULE = Rule(
    id="frobnication",
    cwe=1,
    severity="block",
    message="It frobnicates.",
    remedy="Do not.",
    bad=("frobnicate(1)",),
    good=("x = 1",),
    calls=on("frobnicate", lambda call, state: Hit(call.node)),
)
'''

DIALECT = '''
"""Dialect that says all it has to say in one event."""

from typing import ClassVar

from spark_jupyter.providers.chat_completions import ChatCompletions


class Frob(ChatCompletions):
    """The dialect ``frob``."""

    path: ClassVar[str] = "/frob"
'''

PROFILE = """
[frob]
title = "Frob"
base_url = "https://frob.example/v1"
dialect = "frob"
key_env = "FROB_API_KEY"
model = "frob-1"
"""

USES_THE_DIALECT = """
from spark_jupyter.connection import connect
from spark_jupyter.connection.http_connection import HTTPConnection
from spark_jupyter.providers import dialects
from spark_jupyter.providers.profiles import Settings, choose, load_profiles

choice = choose(profiles=load_profiles(), settings=Settings(profile="frob"), environ={})
connection = connect(choice)
while not isinstance(connection, HTTPConnection):
    connection = connection._connection
print(dialects.dialect(choice.dialect).path, type(connection._provider).__name__)
"""

CHECKS = "import sys; from spark_jupyter.guardrail import check; print([one.rule for one in check(sys.argv[1])])"
ASKS = "import sys; from spark_jupyter.ui.cli.main import main; main(['ask', sys.argv[1]])"


def files_of(row: str) -> int:
    """So many files the page says."""
    found = re.search(rf"(?m)^\| {re.escape(row)} \| (\d+) \|", PAGE)
    assert found is not None
    return int(found[1])


class Copy:
    """A copy of the package, and which of its files were touched."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "spark_jupyter"
        leave = shutil.ignore_patterns("labextension", "__pycache__")
        shutil.copytree(Path(spark_jupyter.__file__).parent, self.folder, ignore=leave)
        self.touched: set[str] = set()

    def write(self, name: str, text: str) -> None:
        """A new file."""
        assert not (self.folder / name).exists()
        self._put(name, text)

    def change(self, name: str, edit: Callable[[str], str]) -> None:
        """Another text for a file."""
        before = (self.folder / name).read_text(encoding="utf-8")
        after = edit(before)
        assert after != before
        self._put(name, after)

    def run(self, program: str, *arguments: str) -> str:
        """The output of a program that has this copy, and no other."""
        environ = {**os.environ, "PYTHONPATH": str(self.folder.parent)}
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env=environ,
            cwd=self.folder.parent,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _put(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text.lstrip("\n"), encoding="utf-8")
        self.touched.add(name)


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_a_rule_of_the_guardrail(copy):
    copy.write("guardrail/rules/frobnication.py", RULE)
    said = copy.run(CHECKS, "frobnicate(1)")
    assert "frobnication" in said
    assert len(copy.touched) == files_of("a rule of the guardrail")


def test_a_recipe(copy, monkeypatch):
    def with_a_section(text: str) -> str:
        book = nbformat.reads(text, 4)
        title = "## Frobnicate the grommet\n\n- frobnicate the grommet\n- grommet frobnication"
        book.cells += [nbformat.v4.new_markdown_cell(title), nbformat.v4.new_code_cell("grommet = 42\ngrommet")]
        return str(nbformat.writes(book))

    copy.change("server/recipes/05-python.ipynb", with_a_section)
    monkeypatch.setenv("SPARK_PROFILE", "embedded")
    assert "grommet = 42" in copy.run(ASKS, "frobnicate the grommet")
    assert len(copy.touched) == files_of("a recipe")


def test_a_dialect(copy):
    copy.write("providers/frob.py", DIALECT)
    copy.change("providers/profiles.toml", lambda text: text + PROFILE)

    def with_an_entry(text: str) -> str:
        imported = "from spark_jupyter.providers.frob import Frob\n"
        text = text.replace("from spark_jupyter.providers.gemini", f"{imported}from spark_jupyter.providers.gemini", 1)
        return text.replace('    "gemini": Gemini,\n', '    "gemini": Gemini,\n    "frob": Frob,\n', 1)

    copy.change("providers/dialects.py", with_an_entry)
    assert copy.run(USES_THE_DIALECT).split() == ["/frob", "Frob"]
    assert len(copy.touched) == files_of("a dialect")
