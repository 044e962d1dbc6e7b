"""API keys of single people, each used for that person's prompts only.

A person's key is kept where the kernel's keys are (:mod:`spark_jupyter.connection.kept_keys`), under the provider's address and the
person's id. It is looked up for each request, as another kernel may have changed it.
"""

from __future__ import annotations

import asyncio

from msgspec import structs

from spark_jupyter.connection.base import Connection
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.provider_messages import OwnKeyChanged, SetOwnKey
from spark_jupyter.protocol.values import Person
from spark_jupyter.records.spending_log import known_id
from spark_jupyter.routing.link import Link


class OwnKeys:
    """The persons' keys, and the connections that were made with them. Only used on the engine's loop."""

    def __init__(self) -> None:
        self._connections: dict[tuple[str, str, str], Connection] = {}

    async def link_of(self, person: Person | None, link: Link) -> Link:
        """``link`` with the key of this person, where one is kept; else as it is. Raises what connecting raised."""
        key = await self._kept(person, link) if known_id(person) else ""
        if not key or link.with_key is None:
            return link
        from spark_jupyter.providers.profiles import Secret

        place = (link.provider, link.address, key)
        if place not in self._connections:
            self._connections[place] = link.with_key(Secret(key))
        await self._connections[place].open()
        return structs.replace(link, connection=self._connections[place])

    async def change(self, command: SetOwnKey, link: Link) -> OwnKeyChanged:
        """Keep the person's key or forget it, or only say what is kept. Raises :class:`ConfigurationError` where that is not possible."""
        from spark_jupyter.connection.kept_keys import checked_key, kept_keys

        if not known_id(command.by):
            raise ConfigurationError(
                "This Jupyter server does not know its users.", remedy="Connect a model with the key instead."
            )
        if link.with_key is None:
            raise ConfigurationError(
                f"{link.provider or 'The provider'} takes no key.", remedy="Connect another model."
            )
        keys, name = kept_keys(), _name(command.by, link)
        if key := checked_key(command.key or ""):
            await asyncio.to_thread(keys.keep, name, key)
        elif command.key is not None:
            await asyncio.to_thread(keys.forget, name)
        if await self._kept(command.by, link):
            place = await asyncio.to_thread(keys.place)
            return OwnKeyChanged(
                kept=True, message=f"Your prompts use your own key for {link.provider}. It is kept in {place}."
            )
        return OwnKeyChanged(kept=False, message=f"Your prompts use the kernel's key for {link.provider}.")

    async def close(self) -> None:
        connections, self._connections = self._connections, {}
        for connection in connections.values():
            await connection.close()

    async def _kept(self, person: Person | None, link: Link) -> str:
        from spark_jupyter.connection.kept_keys import kept_keys

        return await asyncio.to_thread(kept_keys().get, _name(person, link))


def _name(person: Person | None, link: Link) -> str:
    """The name of a person's key: no address has a space."""
    return f"{link.address} ({known_id(person)})"
