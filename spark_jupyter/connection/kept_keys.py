"""Pasted keys of providers, kept for all kernels of one user.

Jupyter's server keeps them, in the system's keyring where there is one, else in its memory (``key_server.py``); a process without such a
server does so itself. Nothing is written to a file. A key belongs to the address for which it was pasted
(:func:`~spark_jupyter.providers.addresses.key_address`).
"""

from __future__ import annotations

import functools
import json
import os
import socket
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec import Struct

from spark_jupyter.connection.peer_user import is_own_peer
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.typed_decoders import decode_json, json_decoder

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

VARIABLE = "SPARK_JUPYTER_KEYS"
"""The environment variable in which Jupyter's server gives kernels the path of its socket."""
SERVICE = "spark_jupyter"
"""The name of all entries in a keyring."""
_INDEX = "addresses"
"""The entry that lists the addresses with a key: a keyring can't be listed."""
_PATIENCE = 60.0
"""Seconds for an answer: the system may ask the user to unlock the keyring."""


class KeptKeys(Protocol):
    """Keys by their address. What fails is treated as no key; :meth:`keep` and :meth:`forget` raise ConfigurationError."""

    def place(self) -> str:
        """The place where keys are kept, for a sentence."""

    def addresses(self) -> tuple[str, ...]:
        """The addresses that have a key."""

    def get(self, address: str) -> str:
        """The key for an address; empty where there is none."""

    def keep(self, address: str, key: str) -> None:
        """Keep a key from now on, in place of an earlier one."""

    def forget(self, address: str) -> None:
        """Keep the key of an address no more."""


class MemoryKeys:
    """Implements :class:`KeptKeys` in memory, until the process ends. ``where`` names it."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._keys: dict[str, str] = {}

    def place(self) -> str:
        return f"the memory of {self._where}"

    def addresses(self) -> tuple[str, ...]:
        return tuple(self._keys)

    def get(self, address: str) -> str:
        return self._keys.get(address, "")

    def keep(self, address: str, key: str) -> None:
        self._keys[address] = key

    def forget(self, address: str) -> None:
        self._keys.pop(address, None)


class KeyringKeys:
    """Implements :class:`KeptKeys` with the system's keyring."""

    def __init__(self, keyring: KeyringBackend) -> None:
        self._keyring = keyring

    def place(self) -> str:
        return f"the system's keyring ({self._keyring.name})"

    def addresses(self) -> tuple[str, ...]:
        try:
            return decode_json(self._read(_INDEX) or "[]", tuple[str, ...])
        except msgspec.DecodeError:
            return ()

    def get(self, address: str) -> str:
        return self._read(address)

    def keep(self, address: str, key: str) -> None:
        self._change("set_password", address, key)
        self._change("set_password", _INDEX, json.dumps(sorted({*self.addresses(), address})))

    def forget(self, address: str) -> None:
        if address in self.addresses():
            self._change("delete_password", address)
            self._change("set_password", _INDEX, json.dumps([each for each in self.addresses() if each != address]))

    def _read(self, name: str) -> str:
        try:
            return self._keyring.get_password(SERVICE, name) or ""
        except Exception:  # backends raise what their systems do: locked, refused, gone
            return ""

    def _change(self, method: str, name: str, *values: str) -> None:
        try:
            getattr(self._keyring, method)(SERVICE, name, *values)
        except Exception as error:
            raise ConfigurationError(
                f"{self.place().capitalize()} refused: {error or type(error).__name__}.",
                remedy="Unlock it, or set the key in an environment variable.",
            ) from None


class KeyRequest(Struct, frozen=True, omit_defaults=True):
    """One line to Jupyter's server: a method of :class:`KeptKeys` and its arguments."""

    method: str
    arguments: tuple[str, ...] = ()


class KeyAnswer(Struct, frozen=True, omit_defaults=True):
    """The line that answers it: the result, or why there is none."""

    result: str | tuple[str, ...] | None = None
    error: str = ""
    remedy: str = ""


_answer = json_decoder(KeyAnswer)


class ServerKeys:
    """Implements :class:`KeptKeys` with Jupyter's server, over the socket at ``path``."""

    def __init__(self, path: str) -> None:
        self._path = path

    def place(self) -> str:
        return str(self._ask("place") or "Jupyter's server, which does not answer")

    def addresses(self) -> tuple[str, ...]:
        return tuple(self._ask("addresses") or ())

    def get(self, address: str) -> str:
        return str(self._ask("get", address) or "")

    def keep(self, address: str, key: str) -> None:
        self._ask("keep", address, key, must=True)

    def forget(self, address: str) -> None:
        self._ask("forget", address, must=True)

    def _ask(self, method: str, *arguments: str, must: bool = False) -> str | tuple[str, ...] | None:
        try:
            with socket.socket(socket.AF_UNIX) as link, link.makefile("rb") as lines:
                link.settimeout(_PATIENCE)
                link.connect(self._path)
                if not is_own_peer(link):
                    raise PermissionError("another user answers there")
                link.sendall(msgspec.json.encode(KeyRequest(method, arguments)) + b"\n")
                answer = _answer.decode(lines.readline())
        except (OSError, msgspec.DecodeError) as error:
            answer = KeyAnswer(error=f"Jupyter's server can't keep keys: {error}.", remedy="Restart Jupyter.")
        if must and answer.error:
            raise ConfigurationError(answer.error, remedy=answer.remedy)
        return answer.result


def checked_key(text: str) -> str:
    """The key in a text that was pasted. Raises :class:`ConfigurationError` for what can't be one."""
    key = text.strip()
    if not (key.isascii() and (key.isprintable() or not key)):
        raise ConfigurationError("That can't be a key.", remedy="Copy it again: only printable ASCII, on one line.")
    return key


def system_keyring() -> KeyringBackend | None:
    """The system's keyring; None where there is none, or only one that writes keys into a file of its own."""
    try:
        import keyring
        from keyring.backends.chainer import ChainerBackend
    except ImportError:
        return None
    found = keyring.get_keyring()
    if isinstance(found, ChainerBackend):
        found = next(iter(found.backends), found)
    is_file = type(found).__module__.startswith("keyrings.alt")
    return None if is_file or found.priority < 1 else found


def own_keys(where: str) -> KeptKeys:
    """Keys that this process keeps, in the system's keyring or its memory; ``where`` names the process."""
    keyring = system_keyring()
    return MemoryKeys(where) if keyring is None else KeyringKeys(keyring)


@functools.cache
def _kept_keys(path: str) -> KeptKeys:
    try:
        found = Path(path).lstat() if path else None
    except OSError:
        found = None
    if found is not None and stat.S_ISSOCK(found.st_mode) and found.st_uid == os.getuid():
        return ServerKeys(path)
    return own_keys("this kernel")


def kept_keys() -> KeptKeys:
    """The kept keys, as this process reaches them: through Jupyter's server where it has started the process."""
    return _kept_keys(os.environ.get(VARIABLE, ""))
