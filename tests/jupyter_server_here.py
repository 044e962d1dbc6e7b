"""A Jupyter server with our extension, in a test's own process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from jupyter_server.serverapp import ServerApp
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets


def beside_server(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    scene: Callable[[str], Awaitable[None]],
    *,
    kernel_manager: object = None,
) -> None:
    """Play a scene with the server's address as that of a WebSocket. ``kernel_manager`` stands for the server's own."""
    for variable in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(variable, str(folder / variable.lower()))
    monkeypatch.setenv("JUPYTER_NO_CONFIG", "1")

    async def here() -> None:
        extensions = {"spark_jupyter.serverextension": True}
        app = ServerApp(root_dir=str(folder), open_browser=False, token="t", jpserver_extensions=extensions)
        app.initialize(argv=[], new_httpserver=False)
        if kernel_manager is not None:
            app.web_app.settings["kernel_manager"] = kernel_manager
        sockets = bind_sockets(0, "127.0.0.1")
        http = HTTPServer(app.web_app)
        http.add_sockets(sockets)
        try:
            await scene(f"ws://127.0.0.1:{sockets[0].getsockname()[1]}{app.base_url}")
        finally:
            http.stop()

    try:
        asyncio.run(here())
    finally:
        ServerApp.clear_instance()
