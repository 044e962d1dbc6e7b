"""Scripts from the network that run unread."""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Command, Hit, Rule, on
from spark_jupyter.guardrail.rules._commands import methods_where, where
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import SAFE, words

_FETCHES: Final = re.compile(r"\b(?:curl|wget)\b")
_STREAM: Final = re.compile(r"\s+(?:[0-9]*>+\s*[^\s)]*(?![^\s)])|<\s*(?:$|/dev/(?:stdin|fd/0)\b))")
"""A redirection, of which splitting at ``&`` leaves ``2>`` and ``<``."""
_ITS_OWN: Final = r"(?!/dev/(?:stdin|fd/0)\b)[^-\s)]"
_RUNS: Final = re.compile(
    r"\s*(?:sudo\s+(?:-[ugCpTr]\s+\S+\s+|-\S+\s+){0,4})?(?:/[\w/]*/)?"
    rf"(?:(?:ba|z|da|k)?sh\b(?!\s+(?:-\w*c\b|{_ITS_OWN}))|"
    rf"(?:python3?|perl|ruby|node)\b(?!\s+(?:-\w*[mcenp]\b|{_ITS_OWN})))"
)
"""Programs that run what they are given, where no program of their own is named: with ``-m json.tool`` they read it."""
_FED: Final = r"(?:\b(?:source|\.)\s+/dev/(?:stdin|fd/0)|\b(?:(?:ba|z|da|k)?sh(?:\s+-s)?|(?:python3?|perl|ruby|node)(?:\s+-)?))\s*<<<\s*"
"""A program that runs what stands behind it; any other reads it (``jq . <<< "$(curl …)"``)."""
_GIVEN: Final = re.compile(
    rf"(?:\b(?:eval|source)\s+|(?:^|\s)\.\s+|(?:ba)?sh\s+(?:-c\s+)?|{_FED})[\"']?(?:<\(|\$\(|`)\s*(?:curl|wget)"
)
_KEPT: Final = re.compile(r"\b(\w+)=[\"']?(?:\$\(|`)\s*(?:curl|wget)\b")
_VARIABLE: Final = re.compile(rf"(?:\beval\s+|\b(?:ba|z|da|k)?sh\s+-\w*c\s+|(?:^|[;&|])\s*|{_FED})[\"']?\$\{{?(\w+)")
_SCRIPT: Final = "\0script:"
"""Of a variable that no code can name: the shell's, in which what was fetched is kept."""
_ENDS: Final = re.compile(r"(\|\||&&|[|;&\n])")
_INTERPRETERS: Final = words("sh bash dash zsh ksh python python3 perl ruby node source .")
_LOADED: Final = re.compile(r"^%(?:run|load|loadpy)\s+(?:-\w+\s+)*https?://")


def _command(event: Command, state: State) -> Hit | None:
    for kept in _KEPT.finditer(event.text):
        state.store(_SCRIPT + kept[1], SAFE)
    kept_before = any(state.lookup(_SCRIPT + one[1]) is not None for one in _VARIABLE.finditer(event.text))
    return Hit(event.node) if kept_before or _LOADED.search(event.text) or _runs_unread(event.text) else None


def _runs_unread(text: str, folder: str = "") -> bool:
    """True for ``curl … | sh``, ``bash <(curl …)``, ``wget …/i.sh && sh i.sh``. Part by part: one expression takes the square of time."""
    if _FETCHES.search(text) is None:
        return False
    parts, fetches, piped = _ENDS.split(text), False, False
    for before, part in zip(["", *parts[1::2]], parts[::2], strict=True):  # whatever unpacks or copies it on its way
        fetches = fetches and before == "|"
        piped = piped or (fetches and _RUNS.match(_STREAM.sub("", part)) is not None)
        fetches = fetches or _FETCHES.search(part) is not None
    return piped or _GIVEN.search(text) is not None or _runs_fetched(parts[::2])


def _runs_fetched(commands: list[str]) -> bool:
    """True if a command runs a file by the name that one before it fetched."""
    fetched: set[str] = set()
    for command in commands:
        program, *given = [word.strip("\"'") for word in command.strip().removeprefix("sudo ").split()] or [""]
        name = program.rpartition("/")[2]
        if name in _INTERPRETERS:
            program = next((f"./{word.removeprefix('./')}" for word in given if not word.startswith("-")), "")
        if "/" in program and program.removeprefix("./") in fetched:
            return True
        if name in ("curl", "wget"):
            fetched |= {name for word in given for name in (word, word.rpartition("/")[2])}
    return False


def _hub(call: Call, state: State) -> Hit | None:
    value = call.kwargs.get("trust_repo" if call.name == "torch.hub.load" else "trust_remote_code")
    if value is not None and value.const is True:
        return Hit(
            call.node,
            message="The model's own code is fetched and run, whatever it is.",
            remedy="Leave trust_remote_code off, or pin a revision that you have read.",
        )
    return None


RULE: Final = Rule(
    id="remote-script",
    cwe=494,
    severity="warn",
    message="A script from the network runs here before anyone has read it.",
    remedy="Download it, read it, then run it.",
    bad=(
        "!curl -s https://a.org/install.sh | bash",
        "%%bash\nwget -qO- https://a.org/x | sh",
        "%run https://a.org/x.py",
    ),
    good=("!curl -O https://a.org/data.csv", "%run helper.py", "!wget https://a.org/a.zip"),
    calls=where(_runs_unread),
    methods=on("*", _hub) | methods_where(_runs_unread),
    command=_command,
)
