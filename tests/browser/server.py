"""A Jupyter server of a test's own: JupyterLab and Notebook 7 with the labextension from the source tree."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat

from tests.nursery import Nursery
from tests.servers import end_servers, python_module

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EXTENSION = Path(__file__).resolve().parents[2] / "spark_jupyter" / "labextension"
SERVER_START = 180.0
"""Seconds. It takes two on an idle machine, and took more than 60 on two cores on which 17 processes wanted to run."""

VIM = "@axlair/jupyterlab_vim"
"""The labextension of the package jupyterlab-vim."""


class LabServer:
    """A Jupyter server of its own: its configuration, its settings and its files are in ``folder``.

    The labextension is taken from the source tree where it was built, so no installation is needed. Kernels come from a nursery.
    ``vim``: with Vim's keys in its editors. ``python`` runs the server, and not its kernels. ``knows_users``: who comes with ``as=NAME`` in
    the address has that name (``known_users.py``).
    """

    def __init__(
        self,
        folder: Path,
        *,
        extension: bool = True,
        labextension: bool = True,
        vim: bool = False,
        python: str = sys.executable,
        knows_users: bool = False,
    ) -> None:
        self.root = folder / "notebooks"
        self.root.mkdir(parents=True)
        self.token = secrets.token_hex(16)
        self._log = (folder / "server.log").open("wb")
        self._nursery = Nursery(errors=self._log.fileno())
        self._kernels = folder / "path" / "kernels"
        self.runtime = Path(tempfile.mkdtemp(prefix="spark-"))  # kernels open sockets in it, whose paths must be short
        self.add_kernel("python3", self._nursery.command)
        self._configure(folder, extension=extension, labextension=labextension, vim=vim)
        self.config = folder / "config"
        self._users = ["--ServerApp.identity_provider_class=known_users.KnownUsers"] if knows_users else []
        self._settings = folder / "settings"
        self._ipython = folder / "ipython"
        self._workspaces = folder / "workspaces"
        self.forget_settings()
        self._process = subprocess.Popen(
            python_module("jupyterlab", *self._options(), python=python),
            env=self._environment(folder),
            stdout=self._log,
            stderr=subprocess.STDOUT,
            cwd=self.root,
        )
        self.port = self._wait(self.runtime / f"jpserver-{self._process.pid}.json")
        self.url = f"http://127.0.0.1:{self.port}"
        self._nursery.wait()
        self._ender = ThreadPoolExecutor(1)
        self._ending: Future[None] | None = None

    def add_kernel(
        self, name: str, command: Sequence[str], language: str = "python", *, debugger: bool = False
    ) -> None:
        """A kernel that this command starts; JupyterLab offers its ``debugger`` where that is said."""
        folder = self._kernels / name
        folder.mkdir(parents=True, exist_ok=True)  # where the test runs again
        spec = {"argv": list(command), "display_name": name, "language": language, "metadata": {"debugger": debugger}}
        (folder / "kernel.json").write_text(json.dumps(spec))

    def write(self, name: str, cells: Sequence[dict[str, Any]], metadata: Mapping[str, Any] | None = None) -> str:
        """A notebook file with these cells, and this beside them; returns its name."""
        kernelspec = {"name": "python3", "display_name": "Python 3"}
        notebook = nbformat.v4.new_notebook(metadata={"kernelspec": kernelspec, **(metadata or {})})
        notebook.cells = [nbformat.from_dict(cell) for cell in cells]
        nbformat.write(notebook, self.root / name)
        return name

    def read(self, name: str) -> Any:
        """The notebook as it is on disk, validated."""
        notebook = nbformat.read(self.root / name, as_version=4)
        nbformat.validate(notebook)
        return notebook

    def wait_workspace(self, url: str, notebook: str) -> None:
        """Until JupyterLab has written down that in the page with this address this notebook is open, and what earlier tests had open is
        not: it does so a moment later."""
        found = re.search(r"/workspaces/([^/?]+)", url)
        name = found[1] if found else "default"
        deadline = time.monotonic() + 60
        while not self._is_written_down(name, notebook):
            assert time.monotonic() < deadline, (
                f"JupyterLab would not open {notebook} again: {self._written_down(name)}"
            )
            time.sleep(0.05)

    def _is_written_down(self, workspace: str, notebook: str) -> bool:
        names = self._written_down(workspace)
        return notebook in names and all((self.root / name).exists() for name in names)

    def _written_down(self, workspace: str) -> list[str]:
        """The notebooks that a workspace names."""
        texts = [place.read_text() for place in self._workspaces.glob(f"{workspace}-*.jupyterlab-workspace")]
        return [name for text in texts for name in re.findall(r'"notebook:([^"]+\.ipynb)"', text)]

    def end_kernels(self) -> None:
        """End every kernel."""
        self._until_ended()
        self._end(self._sessions())

    def restart_kernels(self) -> None:
        """Restart every kernel, as a client that no page knows of."""
        self._until_ended()
        for kernel in json.loads(self._ask("GET", "api/kernels")):
            self._ask("POST", f"api/kernels/{kernel['id']}/restart")

    def wait_idle(self) -> None:
        """Wait until no kernel runs anything, as the server knows it."""
        deadline = time.monotonic() + 60
        while any(kernel["execution_state"] != "idle" for kernel in json.loads(self._ask("GET", "api/kernels"))):
            assert time.monotonic() < deadline, "a kernel did not become idle"
            time.sleep(0.05)

    def tidy(self) -> None:
        """Delete the files that notebooks and their kernels made, and have the kernels end: that takes about a second, in which others
        may begin."""
        for config in self._ipython.glob("profile_*/startup/50-spark_jupyter.py"):  # who loads Spark in every kernel
            config.unlink()
        self._until_ended()
        self._ending = self._ender.submit(self._end, self._sessions())
        for path in self.root.iterdir():
            # A database deletes its journal itself, at any moment.
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def _until_ended(self) -> None:
        """Until no kernel of an earlier test is left. Raises what went wrong with its end."""
        if self._ending is not None:
            self._ending.result()
            self._ending = None

    def _sessions(self) -> list[str]:
        return [session["id"] for session in json.loads(self._ask("GET", "api/sessions"))]

    def _end(self, sessions: Sequence[str]) -> None:
        for number, session in enumerate(sessions):
            if number == 0 or session in self._sessions():  # one ends with another of the same kernel
                self._ask("DELETE", f"api/sessions/{session}")

    def _ask(self, method: str, path: str) -> bytes:
        request = urllib.request.Request(f"{self.url}/{path}?token={self.token}", method=method)
        with urllib.request.urlopen(request, timeout=120) as response:
            body: bytes = response.read()
            return body

    def close(self) -> None:
        """End the server and its kernels."""
        self._until_ended()
        self._ender.shutdown()
        request = urllib.request.Request(f"{self.url}/api/shutdown?token={self.token}", method="POST")
        try:
            urllib.request.urlopen(request, timeout=10).close()
            self._process.wait(20)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait(60)
        self._nursery.close()
        end_servers(self.runtime)
        shutil.rmtree(self.runtime, ignore_errors=True)  # a server that ends takes its own file away meanwhile
        self._log.close()

    def _options(self) -> list[str]:
        return [
            "--no-browser",
            "--allow-root",
            "--ip=127.0.0.1",
            "--port=0",
            "--ServerApp.port_retries=0",
            f"--IdentityProvider.token={self.token}",
            f"--ServerApp.root_dir={self.root}",
            "--JupyterNotebookApp.expose_app_in_browser=True",
            "--LabApp.expose_app_in_browser=True",
            *self._users,
        ]

    def _environment(self, folder: Path) -> dict[str, str]:
        places = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_PATH": "path",
            "IPYTHONDIR": "ipython",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "XDG_CACHE_HOME": "cache",
            "XDG_CONFIG_HOME": "xdg",
        }
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "OPENAI_"))}
        own = {"JUPYTER_RUNTIME_DIR": str(self.runtime), "JUPYTER_NO_CONFIG": ""}
        own |= {"PYTHONPATH": str(Path(__file__).parent)} if self._users else {}
        return kept | {name: str(folder / place) for name, place in places.items()} | own

    def _configure(self, folder: Path, *, extension: bool, labextension: bool, vim: bool) -> None:
        if not (EXTENSION / "package.json").exists():
            raise RuntimeError("Build the labextension first: npm ci && npm run build:npm in labextension/.")
        extensions = folder / "path" / "labextensions"
        extensions.mkdir(parents=True)
        (extensions / "spark-jupyter").symlink_to(EXTENSION)
        config = folder / "config"
        (config / "labconfig").mkdir(parents=True)
        # As `jupyter labextension disable` does, also where the package is installed. The check whether JupyterLab must be built again
        # starts a Node for every page.
        wanted = {"spark-jupyter": labextension, VIM: vim}
        disabled = {name: True for name, wants in wanted.items() if not wants}
        page_config = {"buildCheck": False, "disabledExtensions": disabled}
        (config / "labconfig" / "page_config.json").write_text(json.dumps(page_config))
        options = {
            "ServerApp": {"jpserver_extensions": {"jupyterlab": True, "spark_jupyter.serverextension": extension}},
            # Of TCP, a port that was free when the kernel was ordered may be another process's when it begins.
            "KernelManager": {"transport": "ipc"},
        }
        (config / "jupyter_server_config.json").write_text(json.dumps(options))

    def forget_settings(self) -> None:
        """Have the settings that a person has who changed none: the next page has them. What is moved in JupyterLab is a setting too."""
        shutil.rmtree(self._settings, ignore_errors=True)
        news = self._settings / "@jupyterlab" / "apputils-extension"
        news.mkdir(parents=True)
        (news / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
        # What a test types asks a scripted model for nothing, and what fails in a copy is not repaired by its next answer, unless the
        # test is about that: then it chooses so for its notebook.
        ours = self._settings / "spark-jupyter"
        ours.mkdir()
        (ours / "autocomplete.jupyterlab-settings").write_text('{"suggestions": "request"}')
        (ours / "trust.jupyterlab-settings").write_text('{"repair": "off"}')

    def _wait(self, told: Path) -> int:
        """Until the server answers: the port that it was given, which it tells in a file."""
        deadline = time.monotonic() + SERVER_START
        while time.monotonic() < deadline:
            try:
                port = int(json.loads(told.read_text())["port"])
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status?token={self.token}", timeout=30).close()
                return port
            except (OSError, json.JSONDecodeError):  # not yet, or not the whole of it
                if self._process.poll() is not None:
                    break
                time.sleep(0.1)
        raise RuntimeError(f"The Jupyter server did not start: see {self._log.name}")
