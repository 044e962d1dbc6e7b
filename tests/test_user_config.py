"""Severities: only the user's own file may lower them, and nothing may switch a rule off."""

from __future__ import annotations

import os

import pytest

from spark_jupyter import policy
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.providers.profiles import load_profiles
from spark_jupyter.user_config import severities


def write(folder, text):
    (folder / "spark_jupyter").mkdir(parents=True, exist_ok=True)
    (folder / "spark_jupyter" / "guardrail.toml").write_text(text)
    return folder


def test_a_rule_can_be_lowered_to_warn(tmp_path):
    assert severities([write(tmp_path, '[severities]\nweak-hash = "warn"\n')]) == {"weak-hash": "warn"}


def test_without_a_file_nothing_is_lowered(tmp_path):
    assert severities([tmp_path]) == {}


def test_rules_of_the_reality_check_and_of_other_tools_and_all_of_them_can_be_lowered_too(tmp_path):
    named = '[severities]\nmissing-column = "warn"\n"bandit:B602" = "warn"\nall = "warn"\n'
    assert set(severities([write(tmp_path, named)])) == {"missing-column", "bandit:B602", "all"}


def test_the_files_of_all_directories_count(tmp_path):
    one = write(tmp_path / "a", '[severities]\nweak-hash = "warn"\n')
    two = write(tmp_path / "b", '[severities]\nsql-injection = "warn"\n')
    assert severities([one, two]) == {"weak-hash": "warn", "sql-injection": "warn"}


def test_a_mark_that_an_editor_puts_before_the_text_is_none_of_it(tmp_path):
    folder = write(tmp_path, "")
    (folder / "spark_jupyter" / "guardrail.toml").write_bytes(b'\xef\xbb\xbf[severities]\r\nweak-hash = "warn"\r\n')
    assert severities([folder]) == {"weak-hash": "warn"}
    (folder / "spark_jupyter" / "profiles.toml").write_bytes(
        b'\xef\xbb\xbf[mine]\nbase_url = "http://localhost:8000/v1"\n'
    )
    assert "mine" in load_profiles([str(folder)])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
@pytest.mark.parametrize(
    ("make", "said"), [("pipe", "a pipe or a device"), ("loop", "symbolic links"), ("folder", "directory")]
)
def test_what_is_no_file_is_said_and_waited_for_by_nobody(tmp_path, make, said):
    folder = write(tmp_path, "")
    for name in ("guardrail.toml", "profiles.toml", "policy.toml"):
        place = folder / "spark_jupyter" / name
        place.unlink(missing_ok=True)
        {"pipe": os.mkfifo, "folder": os.mkdir, "loop": lambda path: os.symlink(path, path)}[make](place)
    for read in (lambda: severities([folder]), lambda: load_profiles([str(folder)])):
        with pytest.raises(ConfigurationError, match=said):
            read()
    assert policy._read(folder / "spark_jupyter" / "policy.toml").rules is policy.FORBIDS_ALL


def test_a_file_that_is_not_utf_8_is_told_by_its_line(tmp_path):
    folder = write(tmp_path, "")
    (folder / "spark_jupyter" / "guardrail.toml").write_bytes(b"[severities]\nweak-hash = '\xff'\n")
    with pytest.raises(ConfigurationError, match="can't be read: line 2 is not UTF-8"):
        severities([folder])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[severities]\nweak-hash = "off"\n', "can't be 'off'"),
        ("[severities]\nweak-hash = false\n", "can't be False"),
        ("off = true\n", "may only have"),
        ("severities = 3\n", "may only have"),
        ("not toml at all\n", "can't be read"),
        ('[severities]\nweak-hsh = "warn"\n', "no rule of the name weak-hsh, .*Perhaps you meant weak-hash"),
    ],
)
def test_nothing_can_be_switched_off_and_the_error_names_the_file(tmp_path, text, said):
    with pytest.raises(ConfigurationError, match=said) as caught:
        severities([write(tmp_path, text)])
    assert "guardrail.toml" in str(caught.value)
    assert caught.value.remedy


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="modes are POSIX's")
@pytest.mark.parametrize("place", ["", "spark_jupyter", "spark_jupyter/guardrail.toml"])
def test_a_file_that_others_can_write_is_ignored_with_one_sentence(tmp_path, capsys, place):
    folder = write(tmp_path / "config", '[severities]\nweak-hash = "warn"\n')
    (folder / "spark_jupyter" / "profiles.toml").write_text('[mine]\nbase_url = "http://evil.example/v1"\n')
    (folder / place).chmod(0o777)
    assert severities([folder]) == severities([folder]) == {}
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "guardrail.toml is ignored: other users can change" in said
    if not place.endswith("toml"):
        assert "mine" not in load_profiles([folder])
        assert "profiles.toml is ignored" in capsys.readouterr().err
    (folder / place).chmod(0o700)
    assert severities([folder]) == {"weak-hash": "warn"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders")
def test_a_pipe_where_others_can_write_is_not_waited_for(tmp_path, capsys):
    folder = write(tmp_path / "config", "")
    (folder / "spark_jupyter" / "guardrail.toml").unlink()
    os.mkfifo(folder / "spark_jupyter" / "guardrail.toml")
    folder.chmod(0o777)
    assert severities([folder]) == {}
    assert "guardrail.toml is ignored: other users can change" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="modes are POSIX's")
@pytest.mark.parametrize("members", [[], ["root"], ["somebody"]])
def test_a_group_in_which_its_user_is_alone_may_write(tmp_path, monkeypatch, members):
    folder = write(tmp_path / "config", '[severities]\nweak-hash = "warn"\n')
    folder.chmod(0o770)
    grp, pwd = pytest.importorskip("grp"), pytest.importorskip("pwd")
    user = pwd.getpwuid(os.getuid())
    other = pwd.struct_passwd(("somebody", "x", 54321, 54321, "", "/", "/"))
    monkeypatch.setattr(pwd, "getpwall", lambda: [user, pwd.getpwuid(0), other])
    monkeypatch.setattr(grp, "getgrgid", lambda group: grp.struct_group(("data", "x", group, members)))
    assert severities([folder]) == ({} if "somebody" in members else {"weak-hash": "warn"})


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root gives files away")
def test_a_file_of_another_user_is_ignored(tmp_path):
    folder = write(tmp_path / "config", '[severities]\nweak-hash = "warn"\n')
    os.chown(folder / "spark_jupyter", 54321, 54321)
    assert severities([folder]) == {}


def test_a_warning_that_nobody_reads_fails_nothing(tmp_path, monkeypatch):
    class Closed:
        def write(self, text):
            raise BrokenPipeError

        def flush(self):
            raise BrokenPipeError

    folder = write(tmp_path, "[severities]\n")
    (folder / "spark_jupyter" / "guardrail.toml").chmod(0o666)
    monkeypatch.setattr("sys.stderr", Closed())
    assert severities([folder]) == {}
