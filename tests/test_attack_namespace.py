"""The namespace in which code that attacks is tried: what it destroys there is nobody's."""

from __future__ import annotations

import secrets
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "scripts" / "attack_namespace.sh"
REFUSED = 77
DESTROYS = """
import os, pathlib, shutil, sys, tempfile
for path in sys.argv[1:]:
    try:
        shutil.rmtree(path)
    except OSError as error:
        print(type(error).__name__, error.errno)
for place in ("/", "/dev", "/var/tmp", "/proc/sys/kernel"):
    try:
        (pathlib.Path(place) / "spark-attack").write_text("x")
        print("wrote", place)
    except OSError:
        pass
print("own", pathlib.Path(tempfile.mkdtemp()).is_dir(), pathlib.Path.home())
print("others", [one for one in os.listdir("/proc") if one.isdecimal() and int(one) > 20])
"""


def run(*command: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([str(SCRIPT), *command], capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode == REFUSED:
        pytest.skip(done.stderr)
    return done


def test_nothing_outside_is_written_or_deleted(tmp_path_factory: pytest.TempPathFactory) -> None:
    kept = tmp_path_factory.mktemp("kept") / "mine.txt"
    kept.write_text("mine")
    done = run(sys.executable, "-I", "-c", DESTROYS, str(ROOT / "docs"))
    assert done.stdout.splitlines() == ["OSError 30", "own True /tmp/home", "others []"], done.stderr
    assert kept.read_text() == "mine"
    assert (ROOT / "docs").is_dir()


def test_the_exit_code_is_the_command_s_and_the_folder_goes() -> None:
    left = f"/tmp/left-{secrets.token_hex(8)}"
    done = run("bash", "-c", f"echo x > {left}; exit 5")
    assert done.returncode == 5, done.stderr
    assert not Path(left).exists()
