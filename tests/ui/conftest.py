"""A notebook file for the command line."""

from __future__ import annotations

import nbformat
import pytest


@pytest.fixture
def notebook(tmp_path):
    path = tmp_path / "work.ipynb"
    cells = [nbformat.v4.new_code_cell("x = 1", id="first"), nbformat.v4.new_code_cell("y = x + 1", id="second")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path
