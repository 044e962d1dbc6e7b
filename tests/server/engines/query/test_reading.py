"""What sentences about tables, lists and files become: parts of the code, and what is rather not answered."""

from __future__ import annotations

import pytest

from spark_jupyter.server.engines import namespace, sentences

SPACE = namespace.read(
    "stays: DataFrame (10 × 6): guest str, arrival date64, departure date64, rate float64, room str(has 'suite'), nights int64\n"
    "days: list (3) of str\n"
    "temps: list (3) of float\n"
    "points: dict (3) of str to list\n"
    "A: ndarray float64 (2, 2)\n"
    "b: ndarray float64 (2,)"
)


def code(prompt: str) -> str:
    """The code that the prompt is answered with; empty where it is not understood whole."""
    made = sentences.attempt(prompt, SPACE)
    return "\n".join(cell.source for cell in made.answer.cells) if made is not None and not made.left else ""


@pytest.mark.parametrize(
    ("prompt", "parts"),
    [
        ("days between arrival and departure", ['stays["departure"] - stays["arrival"]', ".dt.days"]),
        ("stays with a rate above the average of their room", ['groupby("room")["rate"].transform("mean")', ">"]),
        ("difference between the highest and the lowest rate", ['["rate"].max() - stays["rate"].min()']),
        ("best guest per room by rate", ["idxmax()", '["room", "guest", "rate"]']),
        ("fill missing rate with the median of the same room", ['fillna(stays.groupby("room")["rate"].transform("median"))']),
        ("mean rate in March or April 2024", [".month.isin([3, 4])", ".year == 2024", '["rate"].mean()']),
        ("stays on a Friday or Saturday", ['isin(["Friday", "Saturday"])']),
        ("cumulative rate over time as a line", ['["rate"].cumsum()', "sort_values", "plot("]),
        (
            "predict rate from nights with a random forest, 80/20 split, show the mae",
            ["RandomForestRegressor", "test_size=0.2", "mean_absolute_error"],
        ),
        ("which day was the warmest", ["days[temps.index(max(temps))]"]),
        ("mean points of every pupil", ["points.items()"]),
        ("solve A x = b", ["np.linalg.solve(A, b)"]),
        ("read all csv files in data into one table", ['Path("data").glob("*.csv")', "pd.concat"]),
        ("what weekday is 24 December 2023", ['"2023-12-24"', "%A"]),
    ],
)  # fmt: skip
def test_a_sentence_becomes_code(prompt: str, parts: list[str]) -> None:
    assert [part for part in parts if part not in code(prompt)] == []


def test_what_goes_from_row_to_row_is_of_the_rows_that_are_wanted() -> None:
    lines = code("cumulative rate for the suite").splitlines()
    assert next(i for i, line in enumerate(lines) if "suite" in line) < next(
        i for i, line in enumerate(lines) if "cumsum" in line
    )


@pytest.mark.parametrize("prompt", ["stays within a day", "percentage of ages", "the first stay"])
def test_what_is_not_understood_whole_is_not_made_of_its_half(prompt: str) -> None:
    assert code(prompt) == ""


def test_nights_are_a_span_and_no_part_of_a_rate() -> None:
    space = namespace.read(
        "stays: DataFrame (10 × 3): Rate/night (£) str(numbers), Arrival str(dates), Departure str(dates)"
    )
    made = sentences.attempt("number of nights of every stay", space)
    assert made is not None
    assert 'pd.to_datetime(stays["Departure"]) - pd.to_datetime(stays["Arrival"])' in made.answer.cells[0].source


def test_another_word_is_not_taken_for_a_typing_mistake() -> None:
    assert "nunique" in code("number of different guests per room")
