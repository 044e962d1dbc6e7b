"""Package names that are a slip of a known one.

A package that is not known at all is mentioned, and is no finding: it may be somebody's own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Final

from spark_jupyter.guardrail.package_names import KNOWN, exists, near, resembling
from spark_jupyter.guardrail.rule import Call, Command, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import words
from spark_jupyter.source.ipython_lines import installs

ID: Final = "doubtful-package"
_NAME: Final = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*")
_WITH_VALUE: Final = words(
    "-r --requirement -c --constraint -e --editable -f --find-links -t --target --prefix --root "
    "--python-version --platform -n --name --channel --extra-index-url --index-url -i --proxy "
    "--trusted-host"
)


def judge(text: str, node: ast.AST, state: State) -> Hit | None:
    """Find the first package in an installer's command line that looks like a misspelling; note unknown ones as asides."""
    found: Hit | None = None
    strange: list[str] = []
    for word in _installed(installs(text).split()):
        if word.startswith(("http://", "git+http://")) or word == "--trusted-host" or "index-url=http://" in word:
            return Hit(
                node,
                cwe=494,
                message="This package comes over a connection that is not protected: anyone on the way can change it.",
                remedy="Use https.",
            )
        name = _name(word.strip("'\""))
        hit = _slip(name, node) if name else None
        if hit is not None and (found is None or (found.severity == "hint" and hit.severity is None)):
            found = hit
        elif hit is None and name and not exists(name):
            strange.append(name)
    if strange:
        state.asides.append((ID, node, not_known(strange)))
    return found


def _installed(words: list[str]) -> Iterator[str]:
    """Words of a command that may name packages, without the values of options."""
    skip = False
    for word in words:
        if word in ("&&", ";", "|", "#", ">"):
            return
        if not skip:
            yield word
        skip = not skip and word in _WITH_VALUE


def _name(word: str) -> str:
    """Package that a word names, in an index's spelling; empty if none, or if it is widely used."""
    match = _NAME.match(word)
    if match is None or "://" in word or "/" in word or word.endswith((".whl", ".txt", ".gz")):
        return ""
    name = re.sub(r"[-_.]+", "-", match[0]).lower()
    return "" if name in KNOWN or len(name) < 3 else name


def _slip(name: str, node: ast.AST) -> Hit | None:
    similar = near(name)
    if similar is None:
        return None
    return Hit(
        node,
        severity="hint" if exists(name) else None,  # a name of its own, to which a slip leads all the same
        message=f"{name} is not {similar}: packages with almost the same name have been used to steal keys.",
        remedy=f"If you mean {similar}, write that; else look at its page on PyPI first.",
    )


def not_known(names: Sequence[str]) -> str:
    """Describe packages that are not known here, with the known one that each may mean."""
    first = sorted(dict.fromkeys(names), key=lambda name: not resembling(name))  # what may be a slip first
    shown = [f"{name[:60]} (perhaps: {like})" if (like := resembling(name)) else name[:60] for name in first[:5]]
    more = f" and {len(first) - 5} more" if len(first) > 5 else ""
    return f"Unknown package: {', '.join(shown)}{more}. Models invent names: look on PyPI who made it, and when."


def _command(event: Command, state: State) -> Hit | None:
    return judge(event.text, event.node, state)


def _process(call: Call, state: State) -> Hit | None:
    command = call.argument(0, "args", "command")
    if command.known_text is not None:
        return judge(command.known_text, call.node, state)
    if isinstance(command.items, list) and len(command.items) < 30:
        words = [item.known_text or ("-" if place else "python") for place, item in enumerate(command.items)]
        return judge(" ".join(words), call.node, state)
    return None


RULE: Final = Rule(
    id=ID,
    cwe=829,
    severity="warn",
    message="This package has almost the name of a known one.",
    remedy="Look at its page on PyPI first.",
    bad=(
        "%pip install requets",
        "!pip install beautifulsoup",
        "!pip install -q pandas nunpy",
    ),
    good=(
        "%pip install pandas",
        "%pip install quantum-magic-helper",
        "%pip install google-cloud-aiplatform tensorflow-serving-api box2d urlextract tensorboard-plugin-profile",
    ),
    calls=on(
        "os.system subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen get_ipython().system",
        _process,
    ),
    command=_command,
)
