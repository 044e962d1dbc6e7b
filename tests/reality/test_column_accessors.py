"""``.str``, ``.dt`` and ``.cat`` of columns in the kernel, whose types have them or not."""

from __future__ import annotations

import pandas as pd
import pytest

from spark_jupyter.reality import check

WRONG = r"""
df["text"].dt.month
df.text.dt.month
df["number"].str.upper()
df["date"].str[:3]
df["text"].cat.codes
df["object"].dt.hour
df["whole"].dt.year
df["flag"].str.len()
df.query("number > 0").text.dt.year
df.rename(columns={"text": "when"})["when"].dt.year
df["month"] = df["text"].dt.month
late = df.copy()\nlate.text.dt.year
"""
RIGHT = r"""
df["date"].dt.month, df.zone.dt.hour, df.period.dt.year, df.span.dt.days, df.text.str[:4], df.kind.cat.codes, df.kind.str.upper()
df["text"] = pd.to_datetime(df["text"])\ndf["text"].dt.year
df = df.assign(text=pd.to_datetime(df.text))\ndf.text.dt.year
df = df.astype({"text": "datetime64[ns]", "number": str})\ndf.text.dt.year, df.number.str.len()
df[["text"]] = df[["text"]].apply(pd.to_datetime)\ndf.text.dt.year
for name in ["text"]:\n    df[name] = pd.to_datetime(df[name])\ndf.text.dt.year
if pd.api.types.is_datetime64_any_dtype(df["text"]):\n    df["text"].dt.year
if df["text"].dtype != object:\n    df["text"] = pd.to_datetime(df["text"])\ndf["text"].dt.year
df["text"].dt.year if hasattr(df["text"], "dt") else df["text"].str[:4]
try:\n    df.text.dt.year\nexcept AttributeError:\n    pass
df.number.astype(str).str.len(), df.number.map("{:.1f}".format).str.len(), df.text.apply(pd.Timestamp).dt.year
df.groupby("text").agg({"date": "max"}).rename(columns={"date": "number"}).number.dt.year
df.rename(columns={"date": "text", "text": "date"}).text.dt.year
df.drop(columns="text").join(df[["date"]].rename(columns={"date": "text"})).text.dt.year
"""


def lines(text: str) -> list[str]:
    return [line.replace("\\n", "\n") for line in text.strip().splitlines()]


@pytest.fixture
def kernel() -> dict[str, object]:
    date = pd.to_datetime(["2024-05-01"])
    columns = {
        "text": ["2024-05-01"], "number": [1.5], "whole": pd.array([1], dtype="Int64"), "flag": [True], "date": date,
        "zone": date.tz_localize("UTC"), "period": date.to_period("M"), "span": date - date, "kind": pd.Categorical(["x"]),
        "object": pd.Series([date[0]], dtype=object),
    }  # fmt: skip
    return {"pd": pd, "df": pd.DataFrame(columns)}


@pytest.mark.parametrize("source", lines(WRONG))
def test_what_the_type_of_a_column_refuses_is_missing(kernel: dict[str, object], source: str) -> None:
    with pytest.raises(AttributeError):
        exec(source, dict(kernel))
    assert [finding.rule for finding in check(source, kernel)] == ["missing-attribute"]


@pytest.mark.parametrize("source", lines(RIGHT))
def test_what_a_column_has_or_may_have_is_not_missing(kernel: dict[str, object], source: str) -> None:
    assert check(source, kernel) == []
    exec(source, kernel)
