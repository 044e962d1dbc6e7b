"""Packages whose name is a slip of a known one, or that nobody knows."""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.packages import KNOWN, exists, near
from spark_jupyter.guardrail.rule import Call, Command, Hit, Rule, on
from spark_jupyter.guardrail.state import State
from spark_jupyter.guardrail.values import words

_INSTALL: Final = re.compile(
    r"^%?(?:sudo\s+|python3?\s+-m\s+|uv\s+|!)*(pip3?|conda|mamba|uv)\s+(?:install|add)\s+(.*)", re.DOTALL
)
_NAME: Final = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*")
_WITH_VALUE: Final = words(
    "-r --requirement -c --constraint -e --editable -f --find-links -t --target --prefix --root "
    "--python-version --platform -n --name --channel --extra-index-url --index-url -i --proxy "
    "--trusted-host"
)


def judge(text: str, node: ast.AST) -> Hit | None:
    """The first package in an installer's command line whose name is a slip of a known one; else, as a hint, the first that is not
    known."""
    match = _INSTALL.match(text.strip())
    if match is None:
        return None
    words = match[2].split()
    skip = False
    unknown: Hit | None = None
    for word in words:
        if word in ("&&", ";", "|", "#", ">"):
            break
        if skip:
            skip = False
            continue
        if word.startswith(("http://", "git+http://")) or word == "--trusted-host" or "index-url=http://" in word:
            return Hit(
                node,
                cwe=494,
                message="This package comes over a connection that is not protected: anyone on the way can change it.",
                remedy="Use https.",
            )
        skip = word in _WITH_VALUE
        if (
            word.startswith(("-", ".", "/", "git+", "https://", "{", "$"))
            or "://" in word
            or "/" in word
            or word.endswith((".whl", ".txt", ".gz"))
        ):
            continue
        hit = _package(word.strip("'\""), node)
        if hit is not None and hit.severity != "hint":
            return hit
        unknown = unknown or hit
    return unknown


def _package(word: str, node: ast.AST) -> Hit | None:
    match = _NAME.match(word)
    if match is None:
        return None
    name = re.sub(r"[-_.]+", "-", match[0]).lower()
    if name in KNOWN or len(name) < 3:
        return None
    similar, there = near(name), exists(name)
    if similar is not None:
        return Hit(
            node,
            severity="hint" if there else None,  # a name of its own, to which a slip leads all the same
            message=f"{match[0]} is not {similar}: packages with almost the same name have been used to steal keys.",
            remedy=f"If you mean {similar}, write that; else look at its page on PyPI first.",
        )
    if there:
        return None
    return Hit(
        node,
        severity="hint",
        message=f"{match[0]} is not among the packages that are known here: models make up names, and others then register them.",
        remedy="Look at its page on PyPI first: who made it, since when, with what source.",
    )


def _command(event: Command, state: State) -> Hit | None:
    return judge(event.text, event.node)


def _process(call: Call, state: State) -> Hit | None:
    command = call.argument(0, "args", "command")
    if command.known_text is not None:
        return judge(command.known_text, call.node)
    if isinstance(command.items, list) and len(command.items) < 30:
        words = [item.known_text or "python" for item in command.items]
        return judge(" ".join(words[2:] if words[1:2] == ["-m"] else words), call.node)
    return None


RULE: Final = Rule(
    id="doubtful-package",
    cwe=829,
    severity="warn",
    message="This package is not known.",
    remedy="Look at its page on PyPI first.",
    bad=(
        "%pip install requets",
        "!pip install beautifulsoup",
        "!pip install -q pandas nunpy",
        "%pip install quantum-magic-helper",
        "!pip install --trusted-host a.org pandas",
        'import subprocess, sys\nsubprocess.run([sys.executable, "-m", "pip", "install", "reqeusts"])',
    ),
    good=(
        "%pip install pandas",
        "%pip install google-cloud-aiplatform tensorflow-serving-api box2d urlextract tensorboard-plugin-profile",
        "!pip install -U numpy==2.0 'scikit-learn>=1'",
        "!pip install -r requirements.txt",
        "%pip install -e .",
        "!pip list",
    ),
    calls=on(
        "os.system subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen get_ipython().system",
        _process,
    ),
    command=_command,
)
