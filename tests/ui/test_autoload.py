"""The extension in every new shell."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.ui.autoload import is_on, switch


def shell(profile, code, folder, **environment):
    """What a new shell of the profile says of this code, in this folder."""
    command = [sys.executable, "-m", "IPython", f"--profile-dir={profile}", "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=folder, env={**os.environ, **environment}
    )
    return done.stdout + done.stderr


HAS_MAGIC = "'spark' in get_ipython().magics_manager.magics['line']"


def test_it_is_switched_on_and_off_and_other_startup_files_stay(tmp_path):
    (tmp_path / "startup").mkdir()
    own = tmp_path / "startup" / "00-own.py"
    own.write_text("own = 5")
    switch(tmp_path, on=True)
    switch(tmp_path, on=True)
    assert is_on(tmp_path)
    assert "True" in shell(tmp_path, HAS_MAGIC, tmp_path)
    switch(tmp_path, on=False)
    switch(tmp_path, on=False)
    assert not is_on(tmp_path)
    assert "False" in shell(tmp_path, HAS_MAGIC, tmp_path)
    assert own.read_text() == "own = 5"


@pytest.mark.parametrize("path", ["", ".", os.pathsep])
def test_a_file_in_the_folder_in_which_a_shell_begins_is_not_loaded_in_place_of_ours(tmp_path, path):
    profile, folder = tmp_path / "profile", tmp_path / "folder"
    profile.mkdir()
    folder.mkdir()
    (folder / "spark_jupyter.py").write_text("print('the planted file ran')")
    switch(profile, on=True)
    said = shell(profile, HAS_MAGIC, folder, PYTHONPATH=path)
    assert "True" in said
    assert "the planted file ran" not in said


def test_a_folder_that_is_none_is_named(tmp_path):
    (tmp_path / "startup").write_text("a file")
    with pytest.raises(ConfigurationError) as refused:
        switch(tmp_path, on=True)
    assert "startup" in str(refused.value)
