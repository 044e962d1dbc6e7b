"""The extension in every new shell."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.ui.autoload import is_on, switch


def test_it_is_switched_on_and_off_and_what_else_is_configured_stays(tmp_path):
    (tmp_path / "ipython_config.json").write_text(
        '{"InteractiveShellApp": {"extensions": ["autoreload"]}, "X": {"y": 1}}'
    )
    switch(tmp_path, on=True)
    switch(tmp_path, on=True)
    assert is_on(tmp_path)
    config = json.loads((tmp_path / "ipython_config.json").read_text())
    assert config == {"InteractiveShellApp": {"extensions": ["autoreload", "spark_jupyter"]}, "X": {"y": 1}}
    switch(tmp_path, on=False)
    assert not is_on(tmp_path)


def test_a_new_shell_of_the_profile_has_the_magic(tmp_path):
    switch(tmp_path, on=True)
    command = [
        sys.executable,
        "-m",
        "IPython",
        f"--profile-dir={tmp_path}",
        "-c",
        "'spark' in get_ipython().magics_manager.magics['line']",
    ]
    assert "True" in subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout


def test_who_names_the_extensions_in_python_is_told_what_to_add(tmp_path):
    own = tmp_path / "ipython_config.py"
    own.write_text("c = get_config()\n# c.InteractiveShellApp.extensions = []\n")
    switch(tmp_path, on=True)
    own.write_text("c.InteractiveShellApp.extensions = ['autoreload']\n")
    with pytest.raises(ConfigurationError) as refused:
        switch(tmp_path, on=False)
    assert 'Remove "spark_jupyter" there.' in refused.value.remedy


def test_a_file_that_is_no_configuration_is_left_as_it_is(tmp_path):
    file = tmp_path / "ipython_config.json"
    for text in ("{", "[]", '{"InteractiveShellApp": []}'):
        file.write_text(text)
        with pytest.raises(ConfigurationError):
            switch(tmp_path, on=True)
        assert file.read_text() == text
