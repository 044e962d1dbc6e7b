"""Questions to the kernel for suggestions without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Facts(Protocol):
    """Facts about the kernel."""

    def columns(self, name: str) -> Sequence[str]:
        """The columns of the table of that name; none where there is no such table."""

    def kind(self, name: str) -> str:
        """Return the type of a dotted name: ``"DataFrame"``, ``"Series"``, ``"pandas"`` for the module of that name, else the name of its
        class; empty where that is not known."""

    def members(self, name: str) -> Sequence[str]:
        """The public attributes of what a dotted name stands for."""

    def names(self) -> Sequence[str]:
        """The variables that cells have made."""

    def has_gaps(self, name: str) -> bool:
        """Return whether values are missing in the table of that name."""

    def files(self) -> Sequence[str]:
        """The data files in the working folder."""

    def texts(self, name: str, column: str) -> Sequence[str]:
        """The different texts in a column, where they are few."""

    def keywords(self, function: str) -> Sequence[str]:
        """The keyword arguments of a function, by its dotted name."""

    def flag(self, function: str, keyword: str) -> bool | None:
        """Return the default of a keyword argument, if it is True or False."""

    def is_defined(self, name: str) -> bool:
        """Return whether the kernel knows the name."""

    def has_module(self, name: str) -> bool:
        """Return whether it can be imported."""
