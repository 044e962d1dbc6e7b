"""AGENTS.md files and skills of a project, read from disk.

Rules are those of the user's own configuration folder, then of the folders from the project's root down to the notebook's; the last count
most. The root is the next folder above that has a ``.git``; without one the notebook's folder is all of the project. A file that a link
leads out of the project is not read, and neither is one that another user could change: its words would speak for this user.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from jupyter_core.paths import jupyter_config_dir
from msgspec import Struct

from spark_jupyter.config_files import changeable_by_others
from spark_jupyter.prompting.skill_text import called_skill, description, instructions
from spark_jupyter.protocol.rule_messages import Problem, ProjectRules, RuleFile, Skill
from spark_jupyter.ui.plugin_commands import slash_commands

RULES = "AGENTS.md"
MOST_RULES = 14_000
"""Characters of all rules together: about 4,000 tokens."""
MOST_SKILL = 20_000
"""Characters of a skill; the specification recommends less than 5,000 tokens."""
SKILL_FOLDERS = (".agents/skills", ".claude/skills")
"""Below a folder of the project, or the user's home. Those of https://agentskills.io and of Claude Code, as of November 2026."""
_MOST_FOLDERS = 12
_MOST_SKILLS = 100


class _Read(Struct, frozen=True):
    """A file as it was read: its text, or why there is none."""

    text: str = ""
    problem: Problem = ""


def project_rules(folder: Path) -> ProjectRules:
    """The rules and skills for a notebook in ``folder``, with the slash commands of plug-ins."""
    skills = {skill.name: skill for skill in _skills(folder)}
    added = [Skill(name=name, description=one.description) for name, one in slash_commands().items()]
    skills |= {skill.name: skill for skill in added if skill.name not in skills}
    return ProjectRules(files=tuple(file for file, _ in _rules(folder)), skills=tuple(skills.values()))


def rules_for(folder: Path) -> str:
    """The rules for a notebook in ``folder``, as they go into a request; empty where there are none."""
    return "\n\n".join(f"### {file.path}\n{text}" for file, text in _rules(folder) if text)


def _rules(folder: Path) -> list[tuple[RuleFile, str]]:
    found: list[tuple[RuleFile, str]] = []
    left = MOST_RULES
    for path, root, name in _rule_places(folder):
        read = _read(path, root=root, most=left)
        if read is None:
            continue
        found.insert(0, (RuleFile(path=name, characters=len(read.text), problem=read.problem), read.text))
        left -= len(read.text)
    return found


def skill_for(prompt: str, folder: Path) -> str:
    """The instructions of the skill that a prompt begins with; empty where it begins with none that there is."""
    name = called_skill(prompt)
    for place, root in _skill_folders(folder) if name else ():
        read = _read(place / name / "SKILL.md", root=root, most=MOST_SKILL)
        if read is not None and read.text:
            return f"/{name}\n{instructions(read.text)}"
    command = slash_commands().get(name) if name else None
    return f"/{name}\n{command.instructions[:MOST_SKILL]}" if command is not None else ""


def _tree(folder: Path) -> list[Path]:
    """The folder and those above it, up to the project's root."""
    above = [folder, *folder.parents][:_MOST_FOLDERS]
    root = next((number for number, one in enumerate(above) if (one / ".git").exists()), 0)
    return above[: root + 1]


def _rule_places(folder: Path) -> Iterator[tuple[Path, Path, str]]:
    """Path, the folder that it must lie in, and name; what counts most comes first."""
    tree = _tree(folder)
    for one in tree:
        yield one / RULES, tree[-1], str((one / RULES).relative_to(tree[-1]))
    own = Path(jupyter_config_dir()) / "spark_jupyter"
    yield own / RULES, own, f"your own {RULES}"


def _skill_folders(folder: Path) -> Iterator[tuple[Path, Path]]:
    tree = _tree(folder)
    for one, root in [*((one, tree[-1]) for one in tree), (Path.home(), Path.home())]:
        for name in SKILL_FOLDERS:
            yield one / name, root


def _skills(folder: Path) -> Iterator[Skill]:
    seen: set[str] = set()
    for place, root in _skill_folders(folder):
        try:
            names = sorted(entry.name for entry in os.scandir(place))
        except OSError:
            continue
        for name in names:
            if name in seen or called_skill(f"/{name}") != name or len(seen) == _MOST_SKILLS:
                continue
            read = _read(place / name / "SKILL.md", root=root, most=MOST_SKILL)
            if read is not None and read.text:
                seen.add(name)
                yield Skill(name=name, description=description(read.text))


def _read(path: Path, *, root: Path, most: int) -> _Read | None:
    """Read the first ``most`` characters of a file below ``root``; None where there is none."""
    try:
        real, root = path.resolve(strict=True), root.resolve(strict=True)
        if not real.is_relative_to(root):
            return _Read(problem="outside")
        within = [one for one in real.parents if one.is_relative_to(root)]
        if any(changeable_by_others(one) for one in (real, *within)):
            return _Read(problem="changeable")
        # what took its place since is no link, and no pipe that would be waited for
        with open(os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return _Read(problem="unreadable")
            text = file.read(4 * most + 4).decode("utf-8", "replace").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return _Read(problem="unreadable")
    if len(text) <= most:
        return _Read(text)
    return _Read(text[:most].rpartition("\n")[0], "cut")
