"""``spark-jupyter bench`` with several providers or with tasks."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Checks, Kernel
from spark_jupyter.exceptions import ConfigurationError, ProviderError
from spark_jupyter.ids import new_turn_id
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.protocol.notebook import Json, Notebook
from spark_jupyter.protocol.proposal_messages import AttemptChanged
from spark_jupyter.protocol.values import Attempts, NotebookCell, Target
from spark_jupyter.providers.profiles import Settings
from spark_jupyter.routing.link import linker
from spark_jupyter.sandbox import unavailable
from spark_jupyter.sandbox.notebook_trials import FileTrials
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.typed_decoders import decode_json
from spark_jupyter.ui.cli.bench.bench_results import Passed, Provider, Spread, Summary, TaskResult, summary, verdicts
from spark_jupyter.ui.cli.bench.bench_tasks import TASKS, Task
from spark_jupyter.ui.cli.bench.measurement import measure
from spark_jupyter.ui.cli.notebook_files import check_writable, replace_file, write_notebook


def run(
    settings: Settings,
    *,
    against: tuple[str, ...],
    tasks: int,
    turns: int,
    prompt: str,
    save: Path | None,
    report_to: Path | None,
    budget: float | None,
    as_json: bool,
) -> str:
    """Measure, keep, write the report. Returns what is to be printed. Raises :class:`~spark_jupyter.exceptions.SparkError`."""
    if report_to is not None:
        check_writable(report_to)
    plan = Plan(providers=_providers(settings, against), prompt=prompt, turns=turns, tasks=TASKS[:tasks], budget=budget)
    known = read_kept(save) if save is not None else []

    def keep(providers: list[Provider]) -> None:
        if save is not None:
            write_kept(save, providers)

    found = compare(plan, known=known, tell=lambda line: print(printable(line), file=sys.stderr, flush=True), keep=keep)
    if report_to is not None:
        write_notebook(report_to, notebook(found))
    if as_json:
        figures = [{**msgspec.to_builtins(each), "summary": msgspec.to_builtins(summary(each))} for each in found]
        return json.dumps(figures, indent=2)
    return text(found)


def _providers(settings: Settings, against: tuple[str, ...]) -> tuple[tuple[str, Settings], ...]:
    """The chosen one, then the others in their order, each by a name of its own."""
    chosen = (settings.profile, settings.base_url, os.environ.get("SPARK_PROFILE"), os.environ.get("SPARK_BASE_URL"))
    first = next(filter(None, chosen), "the default")
    named = [(f"{first}={settings.model}" if settings.model else first, settings)]
    for each in against:
        profile, _, model = each.partition("=")
        named.append((each, Settings(profile=profile, model=model)))
    names = [name for name, _ in named]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ConfigurationError(f"{twice!r} is named twice.", remedy="Name each provider and model once.")
    return tuple(named)


# --- Report of a comparison, as text and as a notebook ---
_PLOTS = """\
import matplotlib.pyplot as plt

names = [each["name"] for each in summaries]
panels = [("first", "first token, s"), ("rate", "tokens/s"), ("end_to_end", "end to end, s")]
figure, axes = plt.subplots(1, len(panels), figsize=(4 * len(panels), 3), layout="constrained")
for axis, (field, label) in zip(axes, panels):
    spreads = [each[field] or {"median": 0, "least": 0, "most": 0} for each in summaries]
    medians = [spread["median"] for spread in spreads]
    ranges = [[spread["median"] - spread["least"] for spread in spreads], [spread["most"] - spread["median"] for spread in spreads]]
    axis.barh(names, medians, xerr=ranges)
    axis.set_xlabel(label)"""
_TASKS = """\
import pandas as pd

pd.DataFrame({each["name"]: {task["task"]: task["passed"] for task in each.get("tasks", [])} for each in providers})"""


def text(providers: Sequence[Provider]) -> str:
    """The figures side by side, medians with their ranges, and what they say in plain words."""
    summaries = [summary(provider) for provider in providers]
    blocks = ["\n".join(_lines(each)) for each in summaries]
    said = verdicts(summaries)
    return printable("\n\n".join([*blocks, *(["\n".join(said)] if said else [])]))


def notebook(providers: Sequence[Provider]) -> Notebook:
    """The same as a notebook of four cells, which runs anywhere: the figures stand in it."""
    summaries = [summary(provider) for provider in providers]
    plain = json.dumps(msgspec.to_builtins(summaries), indent=1)
    raw = json.dumps(msgspec.to_builtins(list(providers)))
    figures = text(providers)
    # a provider names its models
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", figures)), default=0))
    said = [f"- {line}" for line in verdicts(summaries)]
    heading = "\n".join(["# Providers, measured", "", *said, "", fence, figures, fence])
    sources = [
        ("markdown", heading),
        ("code", f"import json\n\nsummaries = json.loads({plain!r})\nproviders = json.loads({raw!r})"),
        ("code", _PLOTS),
        ("code", _TASKS),
    ]
    cells = [_cell(kind, source, f"bench-{number}") for number, (kind, source) in enumerate(sources)]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "python"}}, "cells": cells}


def _cell(kind: str, source: str, cell_id: str) -> Json:
    cell: dict[str, Json] = {"cell_type": kind, "id": cell_id, "metadata": {}, "source": source}
    return cell if kind == "markdown" else {**cell, "execution_count": None, "outputs": []}


def _lines(each: Summary) -> list[str]:
    model = f" ({each.model})" if each.model and each.model != each.name else ""
    lines = [f"{each.name}{model}", f"  connection: open after {each.cold * 1000:.0f} ms"]
    cold = "" if each.first_cold is None else f"cold {each.first_cold * 1000:.0f} ms, "
    lines.append(f"  first token: {cold}warm {_spread(each.first, 1000, ' ms')}")
    lines.append(f"  tokens in the first second: {_spread(each.first_second, 1, '')}")
    lines.append(f"  tokens/s: {_spread(each.rate, 1, '')}")
    lines.append(f"  end to end: {_spread(each.end_to_end, 1, ' s', places=2)}")
    if each.tasks:
        after = each.at_first + each.corrected
        lines.append(f"  passed: {each.at_first} of {each.tasks} at first, {after} after one correction")
    lines.append(f"  cost: {'unknown' if each.cost is None else f'${each.cost:.4f}'}")
    return lines


def _spread(spread: Spread | None, scale: float, unit: str, *, places: int = 0) -> str:
    if spread is None:
        return "not measured"
    median, least, most = (f"{value * scale:,.{places}f}" for value in (spread.median, spread.least, spread.most))
    return f"{median}{unit} ({least} to {most})"


# --- Comparison of providers: the same turns and the same tasks ---
class Plan(Struct, frozen=True, kw_only=True):
    """Plan of a measurement: of each of ``providers`` (a name and how to reach it) so many ``turns`` of ``prompt``, and ``tasks``.
    ``budget`` is in US dollars for all of it, None where there is none."""

    providers: tuple[tuple[str, Settings], ...]
    prompt: str
    turns: int
    tasks: tuple[Task, ...]
    budget: float | None = None


def compare(
    plan: Plan, *, known: Sequence[Provider], tell: Callable[[str], None], keep: Callable[[list[Provider]], None]
) -> list[Provider]:
    """Measure what is not ``known`` yet. ``tell`` hears how it goes, ``keep`` is given all that is known after each step.

    Raises :class:`~spark_jupyter.exceptions.ProviderError` where a provider can't be reached, and
    :class:`~spark_jupyter.exceptions.ConfigurationError` where the budget is used up, or could not be held; what was measured was kept.
    """
    if plan.tasks and unavailable():
        raise ConfigurationError(
            f"Tasks are checked by running them in a copy. {unavailable()}", remedy="Leave out --tasks."
        )
    found = {provider.name: provider for provider in known}
    for name, settings in plan.providers:
        if name not in found:
            tell(f"{name}: {plan.turns} turns")
            measured = measure(settings, prompt=plan.prompt, turns=plan.turns)
            found[name] = Provider(
                name=name, banner=measured.banner, model=measured.model, cold=measured.connected, turns=measured.turns
            )
            keep(list(found.values()))
            _hold_budget(plan, found)
        done = {result.task for result in found[name].tasks}
        for task in plan.tasks:
            if task.name not in done:
                result = run_task(settings, task)
                tell(f"{name}: {task.name}: {_said(result)} in {result.seconds:.1f} s")
                found[name] = structs.replace(found[name], tasks=(*found[name].tasks, result))
                keep(list(found.values()))
                _hold_budget(plan, found)
    return list(found.values())


def run_task(settings: Settings, task: Task) -> TaskResult:
    """Have one task answered, run in a copy, and written once more where it failed."""
    cells = (NotebookCell(id="setup", source=task.setup),) if task.setup else ()
    prompt = Prompt(
        turn_id=new_turn_id(),
        text=task.prompt,
        cells=cells,
        target=Target(after="setup" if cells else None),
        attempts=Attempts(checks=task.checks, until_green=1),
    )
    with tempfile.TemporaryDirectory(prefix="spark-bench-") as folder:
        trials = FileTrials(folder=Path(folder))
        trials.begin_with(prompt)
        engine = Engine(linker(settings), kernel=Kernel(checks=Checks(try_answer=trials.try_answer)))
        try:
            engine.models()  # the connection is warm, as it is in a notebook
            return _follow(engine, prompt, task)
        finally:
            engine.close()


def _follow(engine: Engine, prompt: Prompt, task: Task) -> TaskResult:
    following = engine.follow(prompt.turn_id)
    meter, standing = Meter(turn_id=prompt.turn_id), None
    begun = time.perf_counter()
    for events in following.through(lambda: engine.say(prompt)):
        for event in events:
            if isinstance(event, Meter):
                meter = event
            elif isinstance(event, AttemptChanged):
                standing = event
    seconds, ended = time.perf_counter() - begun, following.subject.ended
    if ended is None or ended.outcome != "completed":
        raise ProviderError(f"The task {task.name} failed: {ended.reason if ended else ''}")
    again = any(extra.kind == "attempt" for extra in meter.extra)
    passed: Passed = "no"
    if standing is not None and standing.state == "passed":
        passed = "corrected" if again else "at first"
    return TaskResult(
        task=task.name, passed=passed, seconds=seconds, meter=meter, reason=standing.reason if standing else ""
    )


def read_kept(path: Path) -> list[Provider]:
    """Read the results of an earlier run; nothing if there is no file. Raises :class:`ConfigurationError` for another one."""
    try:
        return decode_json(path.read_bytes(), list[Provider])
    except FileNotFoundError:
        return []
    except (OSError, msgspec.MsgspecError) as error:
        raise ConfigurationError(
            f"{path} can't be continued: {error}.", remedy="Name another file with --save."
        ) from None


def write_kept(path: Path, providers: list[Provider]) -> None:
    """Keep what is known, whole or not at all."""
    try:
        replace_file(path, msgspec.json.format(msgspec.json.encode(providers)))
    except OSError as error:
        raise ConfigurationError(
            f"{path} can't be written: {error.strerror}.", remedy="Name another file with --save."
        ) from None


def _hold_budget(plan: Plan, found: dict[str, Provider]) -> None:
    if plan.budget is None:
        return
    costs = [
        meter.cost
        for provider in found.values()
        for meter in (*provider.turns, *(task.meter for task in provider.tasks))
    ]
    if any(cost is None for cost in costs):
        raise ConfigurationError(
            "A price is not known, so the budget can't be held.",
            remedy="Give the prices in the profile, or leave out --budget.",
        )
    spent = sum(cost for cost in costs if cost is not None)
    if spent >= plan.budget:
        raise ConfigurationError(
            f"The budget of ${plan.budget:.2f} is used up (${spent:.4f}).",
            remedy="With --save FILE the same command continues from here.",
        )


def _said(result: TaskResult) -> str:
    return {"at first": "passed", "corrected": "passed after a correction", "no": "did not pass"}[result.passed]
