"""The built wheel in a fresh environment: Jupyter's own tools see its parts, and it does the main job.

What the package depends on comes from the environment of the tests, so that nothing is downloaded. The labextension has to be built.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import nbformat
import pytest

pytestmark = pytest.mark.begins_first
ROOT = Path(__file__).resolve().parent.parent
COLOUR = re.compile(r"\x1b\[\d+m")


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints; an AssertionError with it where it fails."""
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return COLOUR.sub("", done.stdout + done.stderr)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel of this checkout, which sees the libraries of the tests' own behind it."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    run(*pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT, cwd=folder)
    [wheel] = folder.glob("*.whl")
    venv.create(folder / "env", symlinks=True)
    python = folder / "env" / "bin" / "python"
    run(*pip, "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=folder)
    [site] = (folder / "env" / "lib").glob("python*/site-packages")
    (site / "tests_libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "env"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder outside the checkout, with Jupyter's folders in it."""
    for name in [name for name in os.environ if name.startswith(("PYTHON", "JUPYTER_"))]:
        monkeypatch.delenv(name)
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return tmp_path


def listed(environment: Path, module: str, elsewhere: Path) -> list[str]:
    """The lines that Jupyter prints about this package."""
    lines = run(environment / "bin" / "python", "-m", module, "list", cwd=elsewhere).splitlines()
    return [line.strip() for line in lines if "spark" in line and str(environment) not in line]


def test_the_package_is_the_one_of_the_wheel(environment, elsewhere):
    code = "import spark_jupyter; print(spark_jupyter.__file__)"
    assert str(environment) in run(environment / "bin" / "python", "-c", code, cwd=elsewhere)


def test_jupyter_lists_the_labextension_as_enabled_and_compatible(environment, elsewhere):
    lines = listed(environment, "jupyterlab.labextensions", elsewhere)
    assert [line for line in lines if re.search(r"^spark-jupyter v\S+ enabled OK \(python, spark-jupyter\)$", line)], (
        lines
    )
    assert not [line for line in lines if re.search(r"enabled X|not compatible", line)], lines


def test_jupyter_lists_the_server_extension_as_enabled_and_valid(environment, elsewhere):
    lines = listed(environment, "jupyter_server.extension.serverextension", elsewhere)
    assert "spark_jupyter.serverextension enabled" in lines
    assert [line for line in lines if re.search(r"^spark_jupyter\.serverextension\b.* OK$", line)], lines


def test_the_wheel_does_the_main_job(environment, elsewhere):
    """A prompt streams, offline, and lands in a notebook that did not exist."""
    prompt = "sort a list of dictionaries by a key"
    command = environment / "bin" / "spark-jupyter"
    run(command, "ask", prompt, "--profile", "embedded", "--notebook", "new.ipynb", "--apply", cwd=elsewhere)
    notebook = nbformat.read(elsewhere / "new.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert "sorted(" in "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")


def test_the_wheel_has_what_is_read_at_run_time(environment, elsewhere):
    """Files that are no modules: recipes, profiles, marks of types."""
    [site] = (environment / "lib").glob("python*/site-packages")
    there = {str(path.relative_to(site)) for path in (site / "spark_jupyter").rglob("*") if path.is_file()}
    tracked = subprocess.run(
        ["git", "ls-files", "spark_jupyter"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert set(tracked.splitlines()) <= there
