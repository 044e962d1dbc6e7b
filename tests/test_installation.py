"""What a wheel puts into a prefix, as Jupyter's own tools see it. The labextension has to be built."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.begins_first
ROOT = Path(__file__).resolve().parent.parent
COLOUR = re.compile(r"\x1b\[\d+m")


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what pyproject.toml says is installed beside the package."""
    prefix = tmp_path_factory.mktemp("prefix")
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    for source, target in wheel["shared-data"].items():
        place = prefix / target
        place.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, place, dirs_exist_ok=True)
        else:
            shutil.copy(ROOT / source, place)
    return prefix


def listed(prefix: Path, module: str) -> list[str]:
    """The lines that Jupyter prints about this package, without their colours."""
    places = {"JUPYTER_PATH": "share/jupyter", "JUPYTER_CONFIG_DIR": "etc/jupyter", "JUPYTER_DATA_DIR": "none"}
    done = subprocess.run(
        [sys.executable, "-m", module, "list"],
        env=os.environ | {name: str(prefix / place) for name, place in places.items()},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = COLOUR.sub("", done.stdout + done.stderr).splitlines()
    return [line.strip() for line in lines if "spark" in line and str(prefix) not in line]


def test_jupyter_lists_the_labextension_as_enabled_and_compatible(prefix):
    lines = listed(prefix, "jupyterlab.labextensions")
    assert [line for line in lines if re.search(r"^spark-jupyter v\S+ enabled OK \(python, spark-jupyter\)$", line)], (
        lines
    )
    assert not [line for line in lines if re.search(r"enabled X|not compatible", line)], lines


def test_jupyter_lists_the_server_extension_as_enabled_and_valid(prefix):
    lines = listed(prefix, "jupyter_server.extension.serverextension")
    assert "spark_jupyter.serverextension enabled" in lines
    assert [line for line in lines if re.search(r"^spark_jupyter\.serverextension\b.* OK$", line)], lines
