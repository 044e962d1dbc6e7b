"""Figures of plotly and of polars' data are judged as matplotlib's are; a figure of an earlier cell is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.express as px
import plotly.graph_objects as go
import pytest

from spark_jupyter.sandbox.surprises.cell_change import CellRun, Change, Moment
from spark_jupyter.sandbox.surprises.detection import look
from spark_jupyter.sandbox.surprises.surprise_sentences import surprises_of

DAY = np.arange(30)
SALES = pd.DataFrame({"day": DAY, "revenue": 9e4 + 9e3 * np.sin(DAY), "rate": 0.5 + 0.3 * np.cos(DAY), "gap": np.nan})
CODES = pd.DataFrame({"code": [f"code {n}" for n in range(80)], "n": range(80)})
TEXTS = ["03/01/2024", "01/01/2024", "09/02/2024", "07/05/2024"]


def said(figure: object, *, source: str = "", **before: object) -> list[str]:
    namespace: dict[str, Any] = {"df": SALES, **before}
    moment = Moment(namespace)
    namespace["fig"] = figure
    change = Change(moment, namespace, changed=["fig"], run=CellRun(source), figures=[])
    return [one.rule for one in surprises_of(look(change))]


@pytest.mark.parametrize(
    ("figure", "rule"),
    [
        (px.line(SALES[SALES["day"] > 99], x="day", y="rate"), "empty-figure"),
        (px.scatter(SALES, x="day", y="gap"), "empty-figure"),
        (px.scatter(SALES.head(1), x="day", y="rate"), "one-point"),
        (px.line(SALES, x="day", y=["revenue", "rate"]), "flat-series"),
        (px.bar(CODES, x="code", y="n"), "labels-crowded"),
        (px.pie(CODES.head(20), names="code", values="n"), "labels-crowded"),
        (px.bar(CODES.head(4), x="code", y="n", range_y=[1, 4]), "bars-cut"),
        (px.bar(CODES.head(4), y="code", x="n", range_x=[1, 4], orientation="h"), "bars-cut"),
        (go.Figure(go.Scatter(x=TEXTS, y=[1, 2, 3, 4])), "dates-as-text"),
        (px.scatter(SALES, x="day", y="rate", color=SALES["day"].mod(3).astype(str)).update_layout(legend={"x": 0.35, "y": 0.95}),
         "legend-over-data"),
    ],
)  # fmt: skip
def test_faults_of_plotly_are_found(figure: object, rule: str) -> None:
    assert said(figure) == [rule]


@pytest.mark.parametrize(
    "figure",
    [
        px.line(SALES, x="day", y="rate"),
        px.line(SALES, x="day", y=["revenue", "rate"], log_y=True),
        px.bar(CODES.head(4), x="code", y="n"),
        px.bar(CODES, y="n"),
        px.histogram(SALES, x="rate"),
        px.imshow(np.eye(3)),
        px.box(SALES, y="rate"),
        go.Figure(),
        go.Figure(go.Scatter(x=["2024-01-03", "2024-01-01", "2024-02-09", "2024-05-07"], y=[1, 2, 3, 4])),
        px.scatter(SALES, x="day", y="rate", facet_col=SALES["day"] % 2),
    ],
)
def test_right_figures_of_plotly_are_left_alone(figure: object) -> None:
    assert said(figure) == []


def test_plotlys_title_is_compared_with_what_is_drawn() -> None:
    source = 'fig = px.line(df, x="day", y="rate", title="Revenue per day")'
    assert said(px.line(SALES, x="day", y="rate", title="Revenue per day"), source=source, px=px) == ["title-mismatch"]


def test_a_result_that_is_no_variable_is_judged_once_and_an_earlier_one_not() -> None:
    empty = px.scatter(SALES, x="day", y="gap")
    namespace: dict[str, Any] = {"_": empty}
    moment = Moment(namespace)
    assert look(Change(moment, namespace, changed=[], run=CellRun())) == []
    fresh = {"_": px.scatter(SALES, x="day", y="gap")}
    assert [one.rule for one in look(Change(moment, fresh, changed=[], run=CellRun()))] == ["empty-figure"]
