"""``pytest --spark-replay``, as somebody who has lessons runs it."""

from __future__ import annotations

import subprocess
import sys

import nbformat

from spark_jupyter.providers.base import Message
from spark_jupyter.recordings.exchange_recorder import ExchangeRecorder
from spark_jupyter.recordings.recording_file import End, Header, encode
from tests.servers import python_module

PLUGIN = "spark_jupyter.ui.cli.pytest_plugin"


def run(folder, *arguments):
    command = python_module("pytest", "-q", "-p", PLUGIN, "-p", "no:cacheprovider", *arguments)
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240)


def lesson(folder, name, source):
    """A recording of one answer, and a notebook whose cells are a prompt that gets it and this source."""
    exchange = ExchangeRecorder((Message("user", "make seven"),), model="m", redact=str, clock=lambda: 0.0)
    exchange.add_text("```python\nseven = 7\n```\n")
    exchange.ending = End(outcome="completed")
    header = Header(version=1, made="2026-11-27", package="1")
    (folder / f"{name}.spark.jsonl").write_bytes(encode(header, [exchange.exchange()]))
    cells = ["%load_ext spark_jupyter", "%spark --run Make seven.", source]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(one) for one in cells])
    nbformat.write(book, folder / f"{name}.ipynb")


def test_lessons_are_replayed_where_that_is_asked_for_and_only_then(tmp_path, forked_kernels):
    lesson(tmp_path, "good", "assert seven == 7")
    lesson(tmp_path, "bad", "assert seven == 8")
    stale = (tmp_path / "bad.spark.jsonl").read_text().replace("make seven", "make eight")
    (tmp_path / "stale.spark.jsonl").write_text(stale)
    assert run(tmp_path).returncode == 5  # nothing is collected
    done = run(tmp_path, "--spark-replay")
    assert "2 failed, 3 passed" in done.stdout, done.stdout + done.stderr
    assert "A cell fails: AssertionError" in done.stdout
    assert "Request 1 ('make eight') is no longer found." in done.stdout


def test_the_plugin_brings_nothing_of_the_package_in():
    code = f"import sys, pytest, {PLUGIN}; print([name for name in sys.modules if name.startswith('spark_jupyter.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "['spark_jupyter.ui', 'spark_jupyter.ui.cli', 'spark_jupyter.ui.cli.pytest_plugin']"
