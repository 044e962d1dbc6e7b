"""Runner of a notebook file's cells, by nbclient."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spark_jupyter.protocol.notebook import Notebook

if TYPE_CHECKING:
    from traitlets.config import Config

TIMEOUT = 600
"""Seconds that one cell may take."""


def run_through(notebook: Notebook, cell_ids: Sequence[str], *, folder: Path) -> tuple[Notebook, str]:
    """Run the notebook from its top to the last of ``cell_ids``. Returns it with the outputs, and the error's last line where
    a cell failed (the cells behind it did not run)."""
    import nbformat
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    node = nbformat.from_dict(notebook)
    places = [place for place, cell in enumerate(node.cells) if cell.id in cell_ids]
    tail = node.cells[max(places, default=-1) + 1 :]
    node.cells = node.cells[: max(places, default=-1) + 1]
    client = NotebookClient(
        node, timeout=TIMEOUT, resources={"metadata": {"path": str(folder.resolve())}}, config=_encrypted()
    )
    error = ""
    try:
        client.execute()
    except CellExecutionError as failure:
        error = f"{failure.ename}: {failure.evalue}"
    except NoSuchKernel as failure:
        error = f"Not run: the notebook's kernel {failure.name!r} is not installed here. 'jupyter kernelspec list' names those that are."
    node.cells += tail
    plain: Notebook = json.loads(nbformat.writes(node))
    return plain, error


def _encrypted() -> Config:
    """Encrypt what is said to the kernel where both sides can: a kernel that is spoken to in plain text prints a warning, which
    is nothing that the user asked about."""
    import zmq
    from jupyter_client.manager import KernelManager
    from traitlets.config import Config

    can = hasattr(KernelManager, "transport_encryption") and zmq.has("curve")
    return Config({"KernelManager": {"transport_encryption": "auto"}} if can else {})
