"""A pair programmer for Jupyter and IPython, built for fast models.

Beside the packages (docs/architecture.md): ``exceptions.py`` has every error, ``ids.py`` makes ids, ``config_files.py`` and
``user_config.py`` read the user's own configuration, ``standard_error.py`` warns, and
``import_guard.py`` keeps files of the working folder out of our imports;
``serverextension.py`` is loaded by the Jupyter server and uses ``line_proxy.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__version__ = "0.1.0"


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Location of the built labextension, for ``jupyter-builder develop``."""
    return [{"src": "labextension", "dest": "spark-jupyter"}]


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Register the magics and begin to connect: ``%load_ext spark_jupyter``."""
    from spark_jupyter.import_guard import guard_imports

    guard_imports()  # before anything is imported that a file of the working folder could shadow
    from spark_jupyter.ui.ipython_extension import load

    load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Stop what streams, close the connection and take the magics away."""
    from spark_jupyter.import_guard import end_guard
    from spark_jupyter.ui.ipython_extension import unload

    unload(shell)
    end_guard()
