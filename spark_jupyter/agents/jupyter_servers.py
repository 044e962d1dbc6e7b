"""Running Jupyter servers of this user, and their REST API."""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest

from spark_jupyter.exceptions import NotebookError

TIMEOUT = 20.0
"""Seconds for a request to a server of this machine."""


KERNEL_VARIABLE = "SPARK_JUPYTER_KERNEL"
"""Environment variable that names the kernel which has started the agent."""


class JupyterServer(Struct, frozen=True):
    """A running server. ``url`` ends with a slash."""

    url: str
    token: str

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


class RunningNotebook(Struct, frozen=True):
    """A notebook that has a kernel."""

    server: JupyterServer
    path: str
    kernel_id: str
    state: str

    @property
    def contents(self) -> str:
        """Path of its file in the server's API."""
        return f"contents/{quote(self.path)}"


async def running_notebooks() -> list[RunningNotebook]:
    """The notebooks with a kernel on all servers of this user that answer, in the servers' order."""
    from jupyter_server.serverapp import list_running_servers  # a second, and only needed when a tool is called

    found: list[RunningNotebook] = []
    for info in list_running_servers():
        server = JupyterServer(info["url"], info.get("token", ""))
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


def chosen(notebooks: list[RunningNotebook], path: str) -> RunningNotebook:
    """The notebook of that path; with an empty path the one whose kernel has started the agent, else the only one. Raises
    :class:`~spark_jupyter.exceptions.NotebookError`."""
    own = [one for one in notebooks if one.kernel_id == os.environ.get(KERNEL_VARIABLE, "")]
    fitting = own if own and not path else [one for one in notebooks if path in ("", one.path)]
    if len(fitting) == 1:
        return fitting[0]
    known = ", ".join(one.path for one in notebooks) or "none"
    problem = "No running notebook has that path" if not fitting else "Several notebooks are running"
    raise NotebookError(f"{problem}.", remedy=f"Name one of these: {known}.")
