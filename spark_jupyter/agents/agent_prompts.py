"""Prompts for agents: how to work in a notebook, by task.

Their texts are what the lessons teach a person. A client shows them by name, such as ``/mcp__spark__clean_data``.
"""

from __future__ import annotations

_HABITS = (
    "Work in my live notebook{where}. Read its outline and the kernel's variables first. Look at data with try_code, which keeps nothing. "
    "Propose small cells, one step each, and read the findings and surprises that come back: correct what they name before you go on. "
    "Edit a cell instead of adding a second version of it. Run nothing that I have not agreed to. "
)


def _with_habits(notebook: str, task: str) -> str:
    return _HABITS.format(where=f" {notebook}" if notebook else "") + task


def clean_data(table: str, notebook: str = "") -> str:
    """Clean a table: types, missing values, duplicates."""
    return _with_habits(
        notebook,
        f"Clean the table {table}: types, missing values, duplicate rows. Say of each step how many rows it changes, and leave out what "
        "the data gives no reason for.",
    )


def plot_data(question: str, notebook: str = "") -> str:
    """Answer a question with one figure."""
    return _with_habits(
        notebook,
        f"Answer with one figure: {question} Look at the figure that the copy draws before you propose the cell. Label axes with units.",
    )


def fix_cell(cell_id: str, notebook: str = "") -> str:
    """Repair a cell that failed."""
    return _with_habits(
        notebook,
        f"Cell {cell_id} failed. Find the cause, also in the cells above it, and propose the smallest edit where the cause is.",
    )


def refactor_cells(goal: str, notebook: str = "") -> str:
    """Change code without changing its results, and prove it."""
    return _with_habits(
        notebook,
        f"Refactor without changing results: {goal} Propose all edits as one turn, then call prove on each and report what differs.",
    )


def write_tests(function: str, notebook: str = "") -> str:
    """Write tests of a function of the notebook."""
    return _with_habits(
        notebook,
        f"Write tests of {function} as assertions in one new cell, with the edge cases of its arguments. Try them in a copy first.",
    )


PROMPTS = (clean_data, plot_data, fix_cell, refactor_cells, write_tests)
