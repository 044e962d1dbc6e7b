"""How a method of the magics says that it is what ``%spark VERB`` does.

In it ``self._say(command)`` waits until the session has taken the command in; ``self.pair.engine.read(lambda session: …)`` reads what
came of that. Its test is in ``tests/kernel/test_magics.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from spark_jupyter.ui.text.magic_line import Takes, Verb

Do = TypeVar("Do", bound=Callable[..., None])


def verb(what: str, takes: Takes = "text") -> Callable[[Do], Do]:
    """Marks a method ``_do_NAME`` as what ``%spark NAME`` does. ``what`` is its line in the help."""

    def mark(method: Do) -> Do:
        method.verb = Verb(what, takes)  # type: ignore[attr-defined]  # read by verbs_of
        return method

    return mark


def verbs_of(*owners: type) -> dict[str, Verb]:
    """The verbs that these classes have, in their order."""
    methods = ((name, method) for owner in owners for name, method in vars(owner).items())
    return {name.removeprefix("_do_"): method.verb for name, method in methods if hasattr(method, "verb")}
