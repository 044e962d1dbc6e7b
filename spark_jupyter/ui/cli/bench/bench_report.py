"""Report of a comparison, as text and as a notebook."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import msgspec

from spark_jupyter.protocol.notebook import Json, Notebook
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.cli.bench.bench_results import Provider, Spread, Summary, summary, verdicts

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
