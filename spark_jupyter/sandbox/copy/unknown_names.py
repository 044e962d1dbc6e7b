"""Names whose value is unknown after a refused statement.

Statements that use none of them can run all the same; one that does is skipped, and what it binds is unknown, too.
"""

from __future__ import annotations

import ast
import re

from spark_jupyter.source.changed_names import bound_or_changed
from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.python_parser import tree_of

_WRITES = re.compile(
    r"(?:to|save|write|dump|export|print|show|log|close|flush|plot|send)(?:_\w*)?|savefig|savez|savetxt"
)
"""Methods that hand out what an object holds, and leave it as it is."""


class UnknownNames:
    """Unknown names in one copy, as far as its statements have come."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def add(self, text: str) -> None:
        """This statement did not run, or not to its end."""
        self._names |= _bound_or_changed(text)

    def add_name(self, name: str) -> None:
        self._names.add(name)

    def are_used_by(self, text: str) -> bool:
        """True if a statement reads one of them. Those that it binds again without reading any are known again."""
        if not self._names:
            return False
        tree = tree_of(python_only(text))
        if tree is None:
            return any(word in self._names for word in re.findall(r"\w+", text))
        read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        if read & self._names:
            return True
        self._names -= _bound_at_top(tree)
        return False


def _bound_at_top(tree: ast.Module) -> set[str]:
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _bound_or_changed(text: str) -> set[str]:
    """The names that a statement binds, and those whose values it may change. Of what does not parse all words are taken."""
    tree = tree_of(python_only(text))
    if tree is None:
        return set(re.findall(r"[A-Za-z_]\w*", text))
    return bound_or_changed(
        tree,
        only_reads=lambda call: isinstance(call.func, ast.Attribute) and _WRITES.fullmatch(call.func.attr) is not None,
    )
