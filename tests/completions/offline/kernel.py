"""A kernel that says what a test wants it to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct


class Kernel(Struct, frozen=True, kw_only=True):
    """Implements :class:`~spark_jupyter.completions.offline.kernel_facts.Facts`. ``kinds`` are what names stand for,
    ``attributes`` what they have, ``given`` the keyword arguments of functions with what each is where nobody says
    so, ``tables`` the columns of tables."""

    kinds: Mapping[str, str] = {}
    attributes: Mapping[str, Sequence[str]] = {}
    given: Mapping[str, Mapping[str, bool | None]] = {}
    tables: Mapping[str, Sequence[str]] = {}
    modules: Sequence[str] = ()
    lying: Sequence[str] = ()
    gaps: bool = False

    def columns(self, name: str) -> Sequence[str]:
        return self.tables.get(name, ())

    def kind(self, name: str) -> str:
        return self.kinds.get(name, "")

    def members(self, name: str) -> Sequence[str]:
        return self.attributes.get(name, ())

    def names(self) -> Sequence[str]:
        return tuple(name for name in self.kinds if "." not in name)

    def has_gaps(self, name: str) -> bool:
        return self.gaps

    def files(self) -> Sequence[str]:
        return self.lying

    def texts(self, name: str, column: str) -> Sequence[str]:
        return ()

    def keywords(self, function: str) -> Sequence[str]:
        return tuple(self.given.get(function, ()))

    def flag(self, function: str, keyword: str) -> bool | None:
        return self.given.get(function, {}).get(keyword)

    def is_defined(self, name: str) -> bool:
        return name in self.kinds

    def has_module(self, name: str) -> bool:
        return name in self.modules
