"""What is asked of arrays and lists of numbers by their names, of files in folders, and of arrays that are made of nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.conversation import Question
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.prompting.request_text import question_text
from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines import recipes, request
from tests.server.engines.test_pictures import code

T = np.arange(6.0)
NUMBERS: dict[str, object] = {
    "t": T,
    "v": 2 * T,
    "A": np.array([[2.0, 1.0], [1.0, 3.0]]),
    "ext": [1.0, 2.0, 3.0],
    "forces": [2.0, 4.0, 6.5],
    "y_test": [0, 1, 1, 0],
    "y_pred": [0, 1, 0, 0],
}


def value(prompt: str) -> object:
    """What the cell gives, as a list where it is an array."""
    space = dict(NUMBERS)
    *lines, last = code(prompt, **NUMBERS).split("\n")
    exec("\n".join(lines), space)
    found = eval(last, space)
    return found.tolist() if isinstance(found, np.ndarray) else found


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("every second element of t", [0, 2, 4]),
        ("reverse t", [5, 4, 3, 2, 1, 0]),
        ("v from index 1 to 3", [2, 4, 6]),
        ("values of v where t is greater than 3", [8, 10]),
        ("v between t = 2 and t = 4", [4, 6, 8]),
        ("index of the maximum of v", 5),
        ("position of the smallest value in forces", 0),
        ("mean of the first 3 values of v", 2),
        ("reshape t to 2 columns", [[0, 1], [2, 3], [4, 5]]),
        ("multiply A with its transpose", [[5, 5], [5, 10]]),
        ("element wise product of A and A", [[4, 1], [1, 9]]),
        ("dot product of forces and ext", 29.5),
        ("stack v and t as rows", [[0, 2, 4, 6, 8, 10], [0, 1, 2, 3, 4, 5]]),
        ("concatenate t and v", [0, 1, 2, 3, 4, 5, 0, 2, 4, 6, 8, 10]),
        ("interpolate forces at ext = 1.5", 3),
        ("where does v cross 5", [2]),
        ("is v sorted?", True),
        ("what ext gives the largest forces", 3),
        ("the top left 1x2 corner of A", [[2, 1]]),
        ("how many cells in A are above 1", 2),
        ("numbers from 0 to 1 in steps of 0.25", [0, 0.25, 0.5, 0.75, 1]),
        ("5 evenly spaced values between 0 and 2", [0, 0.5, 1, 1.5, 2]),
        ("array of zeros with 2 rows and 3 columns", [[0, 0, 0], [0, 0, 0]]),
        ("make a 2x2 identity matrix", [[1, 0], [0, 1]]),
    ],
)
def test_arrays_and_lists_are_asked_by_their_names(prompt: str, expected: object) -> None:
    assert value(prompt) == expected


def test_random_numbers_are_as_many_as_asked_and_within_their_limits() -> None:
    found = value("array of 50 random numbers between 2 and 3")
    assert isinstance(found, list)
    assert len(found) == 50
    assert all(2 <= one <= 3 for one in found)


@pytest.mark.parametrize(
    ("prompt", "line"),
    [
        ("accuracy of y_pred compared to y_test", "accuracy_score(y_test, y_pred)"),
        ("confusion matrix of y_test and y_pred", "confusion_matrix(y_test, y_pred)"),
        ("fit a quadratic polynomial to v over t", "np.polyfit(t, v, 2)"),
        ("fit a line to ext vs forces and plot it together with the points", "ax.scatter(forces, ext"),
        ("smooth v with a moving average of 3 points and plot both", 'ax.plot(smooth, label="moving average of 3")'),
        ("show A as an image", 'ax.imshow(A, cmap="gray")'),
        ("fit an exponential decay to v over t", "curve_fit(exponential, x, y, p0=first)"),
        ("split ext and forces into train and test sets", "train_test_split(ext, forces, test_size=0.25"),
        ("train a logistic regression on A and y_test and print the test accuracy", "model.score(X_test, y_test)"),
        ("combine t and v into a dataframe", 'pd.DataFrame({"t": t, "v": v})'),
        ("linear fit of forces over ext", 'print("slope:", fit.slope)'),
    ],
)
def test_lists_and_arrays_are_measured_fitted_and_put_together(prompt: str, line: str) -> None:
    assert line in code(prompt, **NUMBERS)


def test_no_recipe_on_example_data_answers_what_is_asked_of_a_variable_of_one_letter() -> None:
    prompt = "numerical derivative of v"
    told = describe(gather(NUMBERS, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt)
    asked = question_text(Question(request=prompt, variables=told))
    reply = recipes.RecipeEngine().reply(request.read([Message("user", asked)]))
    assert all("np.sin(x)" not in cell.source for cell in reply.cells)


def test_files_of_a_folder_become_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    for number in (1, 2):
        pd.DataFrame({"temp": [number]}).to_csv(f"runs/{number}.csv", index=False)
    space: dict[str, object] = {}
    *lines, last = code("read all csv files in the folder runs and combine them").split("\n")
    exec("\n".join(lines), space)
    assert list(eval(last, space)["temp"]) == [1, 2]


def test_rows_are_appended_to_a_file_once_with_its_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = pd.DataFrame({"run": [1]})
    for _ in range(2):
        exec(code("append the results to log.csv", results=results), {"results": results})
    assert Path("log.csv").read_text(encoding="utf-8").split() == ["run", "1", "1"]
