"""What counts of what is configured: the kernel's own configuration, and above it what the user's settings in a browser say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import structs

from spark_jupyter.wire.choosing import Configure
from spark_jupyter.wire.deep import ChooseDeep

NAMES = tuple(field.name for field in msgspec.structs.fields(Configure))


class Configuring:
    """Has it count. ``own`` is the kernel's configuration as it begins, which counts already; ``do`` has for each field of a
    :class:`~spark_jupyter.wire.choosing.Configure` what makes a value of it count. Only used on the engine's loop."""

    def __init__(self, own: Configure, do: Mapping[str, Callable[[Any], object]]) -> None:
        self._own = own
        self._said = Configure()
        self._do = do

    def own_says(self, news: Configure) -> None:
        """The kernel's own configuration has changed: that counts from now on. None: as it is."""
        changed = {name: value for name in NAMES if (value := getattr(news, name)) is not None}
        for name, value in changed.items():
            new = _above(value, getattr(self._own, name))
            self._own = structs.replace(self._own, **{name: new})
            self._do[name](value)

    def settings_say(self, wish: Configure) -> None:
        """All that the user's settings say now. What they say as before is left alone: something else may have been chosen since. Of what
        they no longer speak, the kernel's own configuration counts again."""
        before, self._said = self._said, wish
        for name in NAMES:
            said, own = getattr(wish, name), getattr(self._own, name)
            if said != getattr(before, name):
                self._do[name](_above(said, own))


def _above(said: object, own: object) -> object:
    """What counts of a value that is said above another one; of who does deep work each part for itself."""
    if isinstance(said, ChooseDeep) and isinstance(own, ChooseDeep):
        parts = {name: value for name, value in structs.asdict(said).items() if value is not None}
        return structs.replace(own, **parts)
    return own if said is None else said
