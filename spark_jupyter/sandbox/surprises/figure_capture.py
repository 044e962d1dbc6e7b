"""Figures of a cell, taken before Jupyter's inline backend closes them."""

from __future__ import annotations

import sys
from typing import Any


class FigureCapture:
    """Collects the figures of one copy of this shell. Make it in the copy: the kernel's own shell is left alone."""

    def __init__(self, shell: Any) -> None:
        self._figures: list[Any] = []
        shell.events.callbacks["post_execute"].insert(0, self._look)
        self._known = {id(figure) for figure in _open()}

    def taken(self) -> list[Any]:
        """The figures since the last time, those of before left out."""
        self._look()
        figures, self._figures = self._figures, []
        self._known |= {id(figure) for figure in _open()}
        return figures

    def _look(self) -> None:
        self._figures += [figure for figure in _open() if id(figure) not in self._known and figure not in self._figures]


def _open() -> list[Any]:
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    return [manager.canvas.figure for manager in helpers.Gcf.get_all_fig_managers()] if helpers is not None else []
