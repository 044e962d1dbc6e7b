"""What a column that is made is to be called. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import CONNECTS

if TYPE_CHECKING:
    from spark_jupyter.server.engines.phrases.shapes.shape import Said


def plain(name: str) -> str:
    """The words of a name, joined by underscores."""
    return re.sub(r"\W+", "_", name).strip("_")


def name_of(said: Said, group: str = "name") -> str:
    """What stands in a place ``{called:…}``, as a label. Raises :class:`UnknownError` where it can be none."""
    parts = said.found[group].split()
    while "column" in parts[:-1]:  # "new column change"
        parts = parts[parts.index("column") + 1 :]
    parts = [one for one in parts if one.lower() not in ("called", "named", "column")]
    words = [said.marked.said.get(one, said.marked.value(one)) for one in parts]
    if not words or any(one.lower() in CONNECTS - {"per"} or one.isdigit() for one in words):
        raise UnknownError
    return words[0] if parts[0].startswith("⟨q") else plain("_".join(words))
