"""The ways of a prompt and of a delta on the page on the structure, held against a turn that really runs."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import spark_jupyter
from tests.engine.test_comm import Tab
from tests.engine.test_engine import until

ROOT = Path(spark_jupyter.__file__).parent
REPOSITORY = Path(__file__).parents[1]
PAGE = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
MOST_FILES_OF_A_PROMPT = 15
MOST_FILES_OF_A_DELTA = 20
ANSWER = "```python\nx = 1\ny = 2\n```\n"


class Arrow(NamedTuple):
    start: str
    end: str
    is_hop: bool


def arrows(heading: str) -> list[Arrow]:
    """The arrows of the diagram below a heading, between the paths of files."""
    text = PAGE.partition(f"## {heading}\n")[2].partition("```mermaid\n")[2].partition("```")[0]
    paths = dict(re.findall(r'(\w+)\["([^"]+)"\]', text))
    plain = re.sub(r'\["[^"]+"\]', "", text)
    found = re.findall(r"(?m)^\s*(\w+) (-->|-\. \w+ \.->) (\w+)$", plain)
    return [Arrow(paths[start], paths[end], kind != "-->") for start, kind, end in found]


PROMPT = arrows("The way of a prompt")
DELTA = arrows("The way of a delta")


def files(way: list[Arrow]) -> set[str]:
    return {name for arrow in way for name in arrow[:2]}


class Calls:
    """Which file of the package called into which, on every thread."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str]] = set()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        name = event == "call" and self._name(frame)
        if not name:
            return
        caller = frame.f_back
        while caller is not None and self._name(caller) in ("", name):
            caller = caller.f_back
        if caller is not None:
            self.seen.add((self._name(caller), name))

    @staticmethod
    def _name(frame: FrameType) -> str:
        file = frame.f_code.co_filename
        return Path(file).relative_to(ROOT).as_posix() if file.startswith(f"{ROOT}/") else ""


@pytest.fixture
def calls(script_environment, monkeypatch) -> Iterator[set[tuple[str, str]]]:
    """The calls of a turn by magic, with a browser attached, on a provider over HTTP."""
    info = script_environment([{"answer": ANSWER, "repeat": True}])
    monkeypatch.setenv("SPARK_BASE_URL", info.url.replace("ws://", "http://").removesuffix("/responses"))
    monkeypatch.setenv("SPARK_DIALECT", "responses-sse")
    found = Calls()
    threading.setprofile(found)
    shell = InteractiveShell(config=Config({"HistoryManager": {"hist_file": ":memory:"}}))
    try:
        shell.run_line_magic("load_ext", "spark_jupyter")
        pair = shell.find_line_magic("spark").pair
        tab = Tab(pair.hub, "tab")
        tab.attach()
        sys.setprofile(found)
        shell.run_cell("%spark two numbers --wait")
        sys.setprofile(None)
        until(lambda: any(type(event).__name__ == "TurnEnded" for event in tab.said))
        yield found.seen
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        shell.run_line_magic("unload_ext", "spark_jupyter")


def test_the_ways_are_short():
    assert len(PROMPT) >= 10
    assert len(files(PROMPT)) <= MOST_FILES_OF_A_PROMPT
    assert len(DELTA) >= 15
    assert len(files(DELTA)) <= MOST_FILES_OF_A_DELTA


def test_every_arrow_in_python_is_a_call_of_a_turn_that_runs(calls):
    python = [arrow for arrow in (*PROMPT, *DELTA) if not arrow.is_hop and arrow.end.endswith(".py")]
    missing = [arrow for arrow in python if not {(arrow.start, arrow.end), (arrow.end, arrow.start)} & calls]
    assert not missing


def test_every_arrow_in_the_browser_is_an_import():
    browser = [arrow for arrow in DELTA if not arrow.is_hop and arrow.end.endswith(".ts")]
    assert browser
    for arrow in browser:
        ends = [REPOSITORY / arrow.start, REPOSITORY / arrow.end]
        text = {end.stem: end.read_text(encoding="utf-8") for end in ends}
        names = [f"from './{end.stem}'" for end in ends]
        assert any(name in said for name in names for said in text.values()), arrow


def test_each_way_leads_from_its_first_file_to_its_last():
    for way in (PROMPT, DELTA):
        reached, ahead = set(), [way[0].start]
        while ahead:
            reached.add(name := ahead.pop())
            ahead += [arrow.end for arrow in way if arrow.start == name and arrow.end not in reached]
        assert reached == files(way)
