"""Comparison of providers: the same turns and the same tasks."""

from __future__ import annotations

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
from spark_jupyter.protocol.proposal_messages import AttemptChanged
from spark_jupyter.protocol.values import Attempts, NotebookCell, Target
from spark_jupyter.providers.profiles import Settings
from spark_jupyter.routing.link import linker
from spark_jupyter.sandbox import unavailable
from spark_jupyter.sandbox.notebook_trials import FileTrials
from spark_jupyter.typed_decoders import decode_json
from spark_jupyter.ui.cli.bench.bench_results import Passed, Provider, TaskResult
from spark_jupyter.ui.cli.bench.bench_tasks import Task
from spark_jupyter.ui.cli.bench.measurement import measure
from spark_jupyter.ui.cli.notebook_files import replace_file


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
