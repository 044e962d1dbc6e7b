"""Running Jupyter servers of this user, and their REST API."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jupyter_core.paths import jupyter_runtime_dir
from msgspec import Struct
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest

from spark_jupyter.config_files import changeable_by_others
from spark_jupyter.exceptions import NotebookError
from spark_jupyter.protocol.notebook import Notebook, with_ids
from spark_jupyter.source.invisible_text import printable

TIMEOUT = 20.0
"""Seconds for a request to a server of this machine."""
LIST_AGE = 5.0
"""Seconds for which a list of the running notebooks serves the next calls."""

KERNEL_VARIABLE = "SPARK_JUPYTER_KERNEL"
"""Environment variable that names the kernel which has started the agent."""


class JupyterServer(Struct, frozen=True):
    """A running server. ``url`` ends with a slash. ``folder`` is where it says that its files are."""

    url: str
    token: str
    folder: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """Headers that authorize a request."""
        return {"Authorization": f"token {self.token}"} if self.token else {}

    async def call(self, method: str, path: str, body: object = None) -> Any:
        """The decoded answer to a request below ``api/``. Raises :class:`~spark_jupyter.exceptions.NotebookError` where it fails."""
        request = HTTPRequest(
            f"{self.url}api/{path}",
            method=method,
            headers=self.headers,
            body=None if body is None else json.dumps(body),
            allow_nonstandard_methods=True,
            request_timeout=TIMEOUT,
        )
        try:
            answer = await AsyncHTTPClient().fetch(request)
        except HTTPClientError as error:
            raise NotebookError(f"The Jupyter server refused {method} {path} ({error.code}).") from None
        except OSError as error:
            raise NotebookError(f"The Jupyter server at {self.url} can't be reached ({error}).") from None
        return json.loads(answer.body) if answer.body else None


class NotebookFile(Struct, frozen=True):
    """A notebook's file as it was read, with an id for each cell. ``version`` is that of :class:`RunningNotebook`."""

    path: str
    version: tuple[float, int, int] | None
    content: Notebook

    def is_as_read(self, notebook: RunningNotebook) -> bool:
        """True if it is the notebook's, which is known not to have changed since."""
        return self.version is not None and (self.path, self.version) == (notebook.path, notebook.version)


class RunningNotebook(Struct, frozen=True):
    server: JupyterServer
    path: str
    kernel_id: str
    state: str

    @property
    def name(self) -> str:
        """Its path for a text: a file's name may hold line breaks, and characters that nobody sees."""
        return " ".join(printable(self.path).split())

    @property
    def contents(self) -> str:
        """Path of its file in the server's API."""
        return f"contents/{quote(self.path)}"

    @property
    def version(self) -> tuple[float, int, int] | None:
        """Time of change (seconds), size and inode of its file; None where there is none below the server's folder."""
        try:
            found = (Path(self.server.folder) / self.path).stat()
        except OSError:
            return None
        return found.st_mtime, found.st_size, found.st_ino

    async def read(self) -> NotebookFile:
        """Its file. Raises :class:`~spark_jupyter.exceptions.NotebookError`."""
        version = self.version
        found = await self.server.call("GET", f"{self.contents}?type=notebook&content=1")
        changed = datetime.fromisoformat(found["last_modified"]).timestamp()
        is_served = version is not None and abs(version[0] - changed) < 1e-3  # another store may be behind the server
        return NotebookFile(self.path, version if is_served else None, with_ids(found["content"]))


def running_servers() -> list[JupyterServer]:
    """The servers of this user. A file about one that another user could have written counts as none: an agent would work in a
    stranger's notebook."""
    from jupyter_server.utils import check_pid  # half a second, and only needed when a tool is called

    servers = []
    for file in sorted(Path(jupyter_runtime_dir()).glob("jpserver-*.json")):
        try:
            info = None if any(map(changeable_by_others, (file, file.parent))) else json.loads(file.read_text("utf-8"))
        except (OSError, ValueError):  # it has just ended, or is being written
            continue
        if isinstance(info, dict) and "url" in info and check_pid(info.get("pid", 0)):
            servers.append(JupyterServer(info["url"], info.get("token", ""), info.get("root_dir", "")))
    return servers


async def running_notebooks() -> list[RunningNotebook]:
    """The notebooks with a kernel on all servers of this user that answer, in the servers' order."""
    found: list[RunningNotebook] = []
    for server in running_servers():
        try:
            sessions = await server.call("GET", "sessions")
        except NotebookError:  # it has a password, or is about to end: its notebooks are nobody's to list
            continue
        found += [
            RunningNotebook(server, one["path"], one["kernel"]["id"], one["kernel"].get("execution_state", ""))
            for one in sessions
            if one.get("type") == "notebook" and one.get("kernel")
        ]
    return found


class NotebookList:
    """The running notebooks as of the last look."""

    def __init__(self) -> None:
        self._notebooks: list[RunningNotebook] = []
        self._until = 0.0

    def known(self, path: str) -> RunningNotebook | None:
        """As :meth:`find` without a look; None where the last one is too old or the notebook is not among what it found."""
        if time.monotonic() < self._until:
            with suppress(NotebookError):
                return chosen(self._notebooks, path)
        return None

    def forget(self) -> None:
        """Have the next call look again."""
        self._until = 0.0

    async def find(self, path: str) -> RunningNotebook:
        """The notebook that :func:`chosen` has among those that run now."""
        self._notebooks = await running_notebooks()
        self._until = time.monotonic() + LIST_AGE
        return chosen(self._notebooks, path)


def chosen(notebooks: list[RunningNotebook], path: str) -> RunningNotebook:
    """The notebook of that path; with an empty path the one whose kernel has started the agent, else the only one. Raises
    :class:`~spark_jupyter.exceptions.NotebookError`."""
    own = [one for one in notebooks if one.kernel_id == os.environ.get(KERNEL_VARIABLE, "")]
    fitting = own if own and not path else [one for one in notebooks if path in ("", one.path)]
    if len(fitting) == 1:
        return fitting[0]
    known = ", ".join(one.name for one in notebooks) or "none"
    problem = "No running notebook has that path" if not fitting else "Several notebooks are running"
    raise NotebookError(f"{problem}.", remedy=f"Name one of these: {known}.")
