"""``spark-jupyter bench`` with several providers or with tasks."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import msgspec

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.providers.profiles import Settings
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.cli.bench import bench_report
from spark_jupyter.ui.cli.bench.bench_results import Provider, summary
from spark_jupyter.ui.cli.bench.bench_tasks import TASKS
from spark_jupyter.ui.cli.bench.comparison import Plan, compare, read_kept, write_kept
from spark_jupyter.ui.cli.notebook_files import check_writable, write_notebook


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
        write_notebook(report_to, bench_report.notebook(found))
    if as_json:
        figures = [{**msgspec.to_builtins(each), "summary": msgspec.to_builtins(summary(each))} for each in found]
        return json.dumps(figures, indent=2)
    return bench_report.text(found)


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
