"""Profile of a table's columns: missing and distinct values, categories, samples.

As in :mod:`spark_jupyter.prompting.kernel_context` no code of the user's runs: of a column of objects only the strings are looked at. A
column whose name says that it holds credentials is counted, but none of its values is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from spark_jupyter.class_identity import class_module
from spark_jupyter.prompting.column_profile import kind_of_texts, quoted, sample, words_found
from spark_jupyter.prompting.variables import column_label, dtype_name, knows_dtype, without_attrs
from spark_jupyter.source.credential_names import kind_of

EXACT_ROWS = 20_000
"""A table with more rows is profiled by about so many, taken from all over it; its counts are marked with a tilde."""
MOST_CATEGORIES = 12
_LONGEST_CATEGORIES = 240
"""Characters of a column's categories together."""
_SAMPLED = 3
_MOST_READ = 2_000
"""Different texts of a column that are looked at for dates, numbers and words of the prompt."""
_TEXTS = frozenset({"str", "object", "string", "category", "String", "Categorical", "Enum"})
_NUMBERS = ("int", "uint", "float", "Int", "UInt", "Float", "bool", "Bool", "decimal", "Decimal")
_DATES = ("datetime", "Datetime", "Date", "timedelta", "Duration", "period")


def profile(
    frame: Any, columns: int, said: frozenset[str], *, in_time: Callable[[], bool]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A line for each of the first ``columns`` columns of a pandas or polars table, and the words of the prompt that are values, by column.

    ``said`` are the prompt's words (:func:`~spark_jupyter.prompting.column_profile.phrases`). Both are empty where time runs out: half a
    profile would differ from the one of the next prompt.
    """
    lines: list[str] = []
    found: list[str] = []
    frame = without_attrs(frame)
    step = max(1, -(-frame.shape[0] // EXACT_ROWS))
    labels = list(frame.columns)[:columns]
    for place, label in enumerate(labels):
        if not in_time():
            return (), ()
        series = _series(frame, place, step)
        private = type(label) is str and kind_of(label) is not None
        counts = Counter(_strings(series))
        note, facts = _facts(series, counts, frame.shape[0], private=private, about="~" if step > 1 else "")
        name = column_label(label)
        dtype = dtype_name(series.dtype) + (f"({note})" if note else "")
        lines.append(", ".join([f"{name} {dtype}", *facts]))
        if said and not private and (words := words_found(list(counts)[:_MOST_READ], said)):
            found.append(f"{name} {words}")
    return tuple(lines), tuple(found)


def _series(frame: Any, place: int, step: int) -> Any:
    if class_module(type(frame)).startswith("polars"):
        return frame.to_series(place)[::step]
    return frame.iloc[::step, place]


def _facts(series: Any, counts: Counter[str], rows: int, *, private: bool, about: str) -> tuple[str, list[str]]:
    """Return the kind of a column's texts, and its facts in the order in which they are told."""
    dtype = dtype_name(series.dtype)
    if not knows_dtype(series.dtype):
        return "", []
    missing = int(series.isna().sum() if hasattr(series, "isna") else series.null_count())
    shown = [f"{about}{missing * rows // max(1, len(series)):,} missing"] if missing else []
    if dtype.split("(")[0] in _TEXTS:
        return _text_facts(counts, len(series), missing, shown, private=private, about=about)
    if dtype.startswith((*_NUMBERS, *_DATES)):
        return "", [*shown, *_range_facts(series, missing, private=private, about=about)]
    return "", shown


def _text_facts(
    counts: Counter[str], count: int, missing: int, shown: list[str], *, private: bool, about: str
) -> tuple[str, list[str]]:
    if counts.total() + missing < count:
        return "", [*shown, "not only texts"] if counts else shown
    shown = [*shown, _distinct(len(counts), count, missing, about)] if counts else shown
    if private:
        return "", shown
    named = [quoted(text) for text, _ in counts.most_common(MOST_CATEGORIES)]
    few = len(counts) <= MOST_CATEGORIES and (len(counts) < count or count <= _SAMPLED)
    if counts and few and sum(map(len, named)) <= _LONGEST_CATEGORIES:
        shown[-1] += f": {', '.join(named)}"
    elif counts:
        shown.append(f"e.g. {', '.join(map(quoted, sample(counts, _SAMPLED)))}")
    return kind_of_texts(list(counts)[:_MOST_READ]), shown


def _range_facts(series: Any, missing: int, *, private: bool, about: str) -> Iterator[str]:
    """Yield the number of distinct values, the least and the greatest."""
    distinct = int(series.nunique() if hasattr(series, "nunique") else series.drop_nulls().n_unique())
    if not distinct:
        return
    yield _distinct(distinct, len(series), missing, about)
    if not private:
        low, high = _written(series.min()), _written(series.max())
        yield low if low == high else f"{low} … {high}"


def _distinct(distinct: int, count: int, missing: int, about: str) -> str:
    if distinct == count - missing and distinct > 1:
        return "unique" if not about else "unique in a sample"
    return f"{about}{distinct:,} distinct"


def _written(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value).removesuffix(" 00:00:00")


def _strings(series: Any) -> list[str]:
    """The values that are exactly of Python's ``str``; none of a column that is known to have no texts."""
    if dtype_name(series.dtype).split("(")[0] not in _TEXTS:
        return []
    values = series.tolist() if hasattr(series, "tolist") else series.to_list()
    return [value for value in values if type(value) is str]
