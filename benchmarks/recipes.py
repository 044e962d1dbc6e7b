"""Benchmark of the answers without a model: ``python benchmarks/recipes.py [--json] [--verbose]``.

The prompts are in tests/server/prompts/*.jsonl, each with the world it is asked in (worlds.json: code that makes the variables and files)
and an expression that has to hold afterwards, where ``_`` is the value of the last expression, ``code`` the cells and ``shown`` what a
reader sees; ``after`` is the prompt whose answer was run when this one is asked. Each answer's cells are run, in a folder of
their own. people.jsonl also says which recipes would be right (``none``: a No is right). The other lists are strangers', of 100 prompts
each about tables of their own, and newcomers.jsonl; they are judged by the result alone.

What it prints of a list that the books and the grammar were improved on is more flattering than new prompts will find it.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import contextlib
import inspect
import io
import json
import os
import re
import sys
import tempfile
import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from msgspec import Struct

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.observed import Observed
from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.conversation import Question
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.prompting.request_text import question_text
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines import request
from spark_jupyter.server.engines.answer import Answer
from spark_jupyter.server.engines.recipes import RecipeEngine

PROMPTS = Path(__file__).parents[1] / "tests" / "server" / "prompts"
LISTS = ("people.jsonl", "newcomers.jsonl")
BY_RESULT = (
    "beginners.jsonl",
    "swimmers.jsonl",
    "readers.jsonl",
    "twentieth.jsonl",
    "twenty-first.jsonl",
    "twenty-second.jsonl",
)
"""Lists that are judged by what the cells do alone: no case says which entry is right."""
REFUSED = "refused"
"""The check of a prompt that nobody could do with code here: right is an answer without cells."""


class Outcome(Struct, frozen=True, kw_only=True):
    """What became of a prompt: ``done``, ``honest no`` (right), ``missed`` (a no where an entry was expected), ``wrong``
    (another recipe than one of the expected), ``failed`` (the right recipe, but it does not run or not do it).

    By result: ``done`` (the check holds), ``no`` (there is no code), ``wrong`` (it does not hold or does not run).
    """

    prompt: str
    verdict: str
    expected: list[str]
    got: str
    why: str = ""
    seconds: float = 0.0


class Earlier(Struct, frozen=True, kw_only=True):
    """A prompt, its answer as it was said, and its cell."""

    said: tuple[Message, Message]
    cell: NotebookCell


def ask(engine: RecipeEngine, prompt: str, variables: str, earlier: Earlier | None = None) -> Answer:
    """The engine's answer to a prompt with these variables, behind an ``earlier`` one."""
    cells = (earlier.cell,) if earlier is not None else ()
    asked = Question(request=prompt, variables=variables, cells=cells)
    said = earlier.said if earlier else ()
    return engine.reply(request.read([*said, Message("user", question_text(asked))]))


def _earlier(engine: RecipeEngine, prompt: str, space: dict[str, Any]) -> Earlier | None:
    """What there is after the answer to a prompt; None where it has no code."""
    variables = _variables(space, prompt)
    answer = ask(engine, prompt, variables)
    sources = [cell.source for cell in answer.cells if cell.cell_type == "code"]
    if not sources:
        return None
    asked = Message("user", question_text(Question(request=prompt, variables=variables)))
    said = (asked, Message("assistant", answer.text()))
    return Earlier(said=said, cell=NotebookCell(id="c1", source=sources[-1]))


def _variables(space: dict[str, Any], prompt: str) -> str:
    return describe(gather(_users(space), prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)


def run_cells(sources: list[str], space: dict[str, Any]) -> Any:
    """Run cells in ``space`` as a notebook would, ``await`` included; the value of the last expression."""
    value: Any = None
    for source in sources:
        tree = ast.parse("\n".join("" if line.startswith("%") else line for line in source.split("\n")))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        parts: list[ast.Module | ast.Expression] = [tree]
        if isinstance(last, ast.Expr):
            parts.append(ast.Expression(last.value))
        for part in parts:
            kind = "exec" if isinstance(part, ast.Module) else "eval"
            value = eval(compile(part, "<cell>", kind, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), space)
            if inspect.iscoroutine(value):
                value = asyncio.run(value)
    return value


def judge(engine: RecipeEngine, case: dict[str, Any], world: str) -> Outcome:
    """Ask, run and judge one prompt."""
    from matplotlib import pyplot

    space = _world(world)
    earlier = _earlier(engine, case["after"], space) if "after" in case else None
    if earlier is not None:
        run_cells([earlier.cell.source], space)
        pyplot.close("all")  # a notebook closes the figures of a cell
    variables = _variables(space, case["prompt"])
    started = time.perf_counter()
    answer = ask(engine, case["prompt"], variables, earlier)
    seconds = time.perf_counter() - started
    found = re.search(r"From the recipe “(.+?)”", answer.notes)
    got = found[1] if found else "none"
    if "expect" not in case:
        verdict, why = _by_result(answer, space, world, case["check"])
        return Outcome(prompt=case["prompt"], verdict=verdict, expected=[], got=got, why=why, seconds=seconds)
    if found is None and answer.cells:
        got = "made"
    verdict, why = _verdict(case, got), ""
    if verdict == "done":
        try:
            why = _run(answer, space, case.get("check"))
        except Exception as error:  # whatever generated code raises is a result
            why = f"{type(error).__name__}: {error}"
        verdict = "failed" if why else "done"
    return Outcome(prompt=case["prompt"], verdict=verdict, expected=case["expect"], got=got, why=why, seconds=seconds)


def _verdict(case: dict[str, Any], got: str) -> str:
    if case["expect"] == ["none"]:
        return "honest no" if got == "none" else "wrong"
    return "done" if got in (*case["expect"], "made") else "missed" if got == "none" else "wrong"


def _world(source: str) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(source, space)
    return space


def _users(space: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in space.items() if not name.startswith("__")}


def _by_result(answer: Answer, space: dict[str, Any], world: str, check: str) -> tuple[str, str]:
    """The verdict on an answer of which only the result counts, and why it is not done."""
    sources = [cell.source for cell in answer.cells if cell.cell_type == "code"]
    if check == REFUSED:
        return ("wrong", "cells for what cannot be done") if sources else ("done", "")
    if not sources:
        return "no", ""
    try:
        held = holds(check, sources, space, world)
    except Exception as error:  # whatever generated code raises is a result
        return "wrong", f"{type(error).__name__}: {error}"
    return ("done", "") if held else ("wrong", f"does not hold: {check}")


def holds(check: str, sources: list[str], space: dict[str, Any], world: str) -> bool:
    """Whether the check holds once the cells were run in ``space``, which ``world`` had made."""
    before = dict(space)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        value = run_cells(sources, space)
    was = SimpleNamespace(**_world(world))
    seen = Observed(value, f"{printed.getvalue()}\n{value!r}", _users(space), before, was)
    try:
        return bool(eval(check, {**space, **seen.words(), "code": "\n".join(sources), "Path": Path}))
    except Exception:  # a check may ask for what is not there
        return False


def _run(answer: Answer, space: dict[str, Any], check: str | None) -> str:
    from matplotlib import pyplot

    sources = [cell.source for cell in answer.cells if cell.cell_type == "code"]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        space["_"] = run_cells(sources, space)
    if check is None:
        return ""
    shown = f"{printed.getvalue()}\n{space['_']!r}"
    names = {**space, "plt": pyplot, "Path": Path, "shown": shown, "code": "\n".join(sources)}
    return "" if eval(check, names) else f"does not hold: {check}"


def run(prompts: str = "people.jsonl") -> list[Outcome]:
    """The outcome of every prompt in a file."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    from matplotlib import pyplot

    engine = RecipeEngine()
    worlds: dict[str, str] = json.loads((PROMPTS / "worlds.json").read_text(encoding="utf-8"))
    cases = [json.loads(line) for line in (PROMPTS / prompts).read_text(encoding="utf-8").splitlines() if line]
    outcomes = []
    home = Path.cwd()
    for case in cases:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            os.chdir(folder)
            try:
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    outcomes.append(judge(engine, case, worlds[case["world"]]))
            finally:
                os.chdir(home)
                pyplot.close("all")
    return outcomes


def summary(outcomes: list[Outcome]) -> dict[str, float]:
    """Counts of the verdicts, how many prompts there are of both kinds, and the time to an answer in seconds."""
    verdicts = ("done", "failed", "missed", "no", "wrong", "honest no")
    counts: dict[str, float] = {verdict: sum(one.verdict == verdict for one in outcomes) for verdict in verdicts}
    counts["asked"] = sum(one.expected != ["none"] for one in outcomes)
    counts["unanswerable"] = sum(one.expected == ["none"] for one in outcomes)
    times = sorted(one.seconds for one in outcomes)
    counts["seconds p50"] = round(times[len(times) // 2], 4)
    counts["seconds max"] = round(times[-1], 4)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", action="append", help="one list, such as third.jsonl (all of them)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--verbose", action="store_true", help="print what is neither done nor an honest no")
    options = parser.parse_args()
    outcomes = {name: run(name) for name in options.prompts or (*LISTS, *BY_RESULT)}
    if options.json:
        print(json.dumps({"recipes": {name: summary(found) for name, found in outcomes.items()}}))
        return 0
    for name, found in outcomes.items():
        report(name, found, verbose=options.verbose)
    return 0


def report(name: str, outcomes: list[Outcome], *, verbose: bool) -> None:
    """Print what became of a list of prompts."""
    counts = summary(outcomes)
    milliseconds = {key: counts[f"seconds {key}"] * 1000 for key in ("p50", "max")}
    print(f"{name}: {counts['done']:.0f} of {counts['asked']:.0f} prompts get a cell that runs and does it")
    if name in BY_RESULT:
        print("   ", ", ".join(f"{counts[one]:.0f} {one}" for one in ("wrong", "no")))
    else:
        report_recipes(counts)
    print(f"    time to an answer: p50 {milliseconds['p50']:.1f} ms, max {milliseconds['max']:.1f} ms")
    for one in outcomes:
        if verbose and one.verdict not in ("done", "honest no"):
            print(f"  {one.verdict}: {one.prompt!r} expected {one.expected}, got {one.got!r} {one.why}")


def report_recipes(counts: dict[str, float]) -> None:
    """Print how often the right recipe was found."""
    print(
        f"    {counts['wrong']:.0f} get a wrong recipe, {counts['missed']:.0f} an honest no, {counts['failed']:.0f} fail"
    )
    print(f"    {counts['honest no']:.0f} of {counts['unanswerable']:.0f} that no book knows get an honest no")


if __name__ == "__main__":
    sys.exit(main())
