"""Shell script, read with its variables, loops and nested shells.

``for f in ~/*; do rm -rf "$f"; done`` says ``rm -rf ~/*``, ``ls ~ | while read f; do rm "$f"; done`` says ``ls ~ | xargs rm``, and
``bash -c '…'`` says what is in it: rules about commands are shown the text in which that is written out.
"""

from __future__ import annotations

import re
from base64 import b64decode
from contextlib import suppress
from typing import Final

_DEEP: Final = 3
"""Shells within shells."""
_MOST_NAMES: Final = 200
_LONGEST: Final = 4_000
"""Characters of what a name stands for."""
_ROOM: Final = 100_000
"""Characters that are written out of one text."""
_TELLS: Final = re.compile(r"[$=(]|\brm\b|\bc[ds]?\s|\bfor\b|sh\b|\beval\b|\bat\b|\bread\b")
_QUOTED: Final = r"\"(?:\\.|[^\"\\])*\"|'[^']*'"
_PIECE: Final = re.compile(
    rf"(?:{_QUOTED}|\\.|\$\([^()]*\)|[<>]&|&>|[^;&|\n\"'\\]|[\"'\\])+|&&|\|\||[;&|\n]", re.DOTALL
)
_BEFORE: Final = re.compile(
    r"\s*(?:(?:do|then|else|if|while|until|!|\{|\(|time|nohup|exec|env|command|nice|timeout\s+\S+|"
    r"sudo(?:\s+-\w+(?:\s+\w+(?=\s+\w))?)*)\s+)*(?:\\|/(?:usr/)?bin/)?(?=[\w\[])|"
)
"""What stands before a command and lets it be what it is."""
_FOR: Final = re.compile(r"for\s+(\w+)\s+in\s+(.*)", re.DOTALL)
_READ: Final = re.compile(r"(?:IFS=\S*\s+)?read\s+(?:-\w+\s+(?:''\s+|\"\"\s+)?)*(\w+)")
_SET: Final = re.compile(
    rf"(?:(?:export|local|readonly|declare)\s+)?([A-Za-z_]\w*)=({_QUOTED}|\([^()]*\)|[^\s\"']*)\s*"
)
_FUNCTION: Final = re.compile(r"(?:function\s+)?([\w-]+)\s*(?:\(\))?\s*\{\s*(.*)", re.DOTALL)
_USED: Final = re.compile(r"\"?\$(?:\{(\w+)(?:\[[@*]\])?\}|(\w+))\"?")
_SAID: Final = re.compile(r"\$\(echo\s+([^()]*)\)")
_PARAMETER: Final = re.compile(r"\"?\$\{?([1-9@*])\}?\"?")
_TESTS: Final = re.compile(r"\[\[?\s+(?!-[edfhLrwxnz]\s)|test\s+(?!-[edfhLrwxnz]\s)|case\s|[ef]?grep\s")
_NESTED: Final = re.compile(rf"(?:ba|z|da|k)?sh\s+(?:-\w+\s+)*?-\w*c\s+(.*)|(?:eval|trap)\s+({_QUOTED}|.*)", re.DOTALL)
_PYTHON: Final = re.compile(rf"(?:\S*/)?python[\d.]*\s+(?:-\w+\s+)*?-c\s+({_QUOTED})", re.DOTALL)
_SHELL: Final = re.compile(r"(?:sudo\s+)?(?:/[\w/]*/)?(?:(?:ba|z|da|k)?sh(?:\s+-\w*)*|at\s.*)\s*")
_DECODES: Final = re.compile(r"base64\s+(?:-d|-D|--decode)\s*")
_ECHO: Final = re.compile(r"(?:echo|printf)\s+(?:-\w+\s+)*(.*)", re.DOTALL)
_EVERYTHING: Final = re.compile(r"(?<=\s)(?:\./)?(?:\*|\.)(?=\s|$)")
_IN_FOLDER: Final = re.compile(r"cd\s+([\"']?[\w./-]*\w[\w./-]*[\"']?)\s*")


class ShellReader:
    """Reader of one script, which may come line by line. ``programs`` is Python code that it has run."""

    def __init__(self, depth: int = 0) -> None:
        self.programs: list[str] = []
        self._depth = depth
        self._known: dict[str, str] = {}  # a variable, to the words that it may be
        self._found: dict[str, str] = {}  # a variable, to the command that prints what it may be
        self._functions: dict[str, list[str]] = {}
        self._within = ""
        self._folder = ""

    def read(self, text: str) -> str:
        """The text with everything written out; the text itself where nothing is to be."""
        if self._depth > _DEEP or not (
            self._known or self._found or self._functions or self._folder or _TELLS.search(text)
        ):
            return text
        pieces, room = _PIECE.findall(text), _ROOM
        said, piped = list[str](), list[str]()
        for at, piece in enumerate(pieces):
            if piece in ("&&", "||", ";", "&", "|", "\n"):
                said.append(piece.replace("\n", ";"))
                piped = piped if piece == "|" else []
                continue
            before = _BEFORE.match(piece)
            start = before.end() if before is not None else 0
            command = self._command(piece[start:].strip(), [one.strip() for one in piped], pieces[at + 1 : at + 5])
            if command.startswith("cd"):
                entered = _IN_FOLDER.fullmatch(command)
                self._folder = entered[1].strip("\"'") if entered is not None else ""
            command = _EVERYTHING.sub(f"{self._folder}/*", command) if self._folder else command
            piped.append(command)
            room -= len(command)
            said.append(f" {command if room > 0 else piece} ")
        return "".join(said).strip()

    def _command(self, text: str, piped: list[str], behind: list[str]) -> str:
        """One command as it is run, with the source of its pipe and what comes behind it."""
        if self._within:
            self._functions[self._within].append(text)
            self._within = "" if text == "}" else self._within
            return text
        if (found := _FUNCTION.match(text)) and len(self._functions) < _MOST_NAMES:
            self._functions[found[1]] = [found[2]]
            self._within = found[1]
            return text
        if found := _FOR.match(text):
            self._keep(found[1], self._expanded(found[2]))
        elif (found := _READ.match(text)) and piped:
            self._forget(found[1])
            self._found[found[1]] = "|".join(piped)[:_LONGEST]
        elif found := _SET.fullmatch(text):
            self._keep(found[1], self._expanded(_unquoted(found[2]).strip("()")))
        elif _TESTS.match(text):  # what is asked for its name is chosen
            for one in _USED.finditer(text):
                self._forget(one[1] or one[2])
        else:
            text = self._expanded(text)
            return "; ".join([text, *self._more(text, behind)])
        return text

    def _keep(self, name: str, value: str) -> None:
        self._forget(name)
        listed = re.fullmatch(r"[\"']?(?:\$\(|`)((?:ls|find)\s[^`]*?)[)`][\"']?", value.strip())
        if len(self._known) + len(self._found) >= _MOST_NAMES:
            return
        if listed is not None:
            self._found[name] = listed[1]
        elif "$(" not in value and "`" not in value:
            self._known[name] = value[:_LONGEST]

    def _forget(self, name: str) -> None:
        self._known.pop(name, None)
        self._found.pop(name, None)

    def _expanded(self, text: str) -> str:
        """The text with what its variables stand for; what a list gives comes by ``xargs``."""
        for one in _USED.finditer(text) if self._found else ():
            name = one[1] or one[2]
            word = re.search(rf"\s(\S*/)?{re.escape(one[0])}(?=\s|$)", text)
            if name in self._found and word and (word[1] or "").strip("\"'/") in self._found[name]:
                return f"{self._found[name]} | xargs {text[: word.start()]}{text[word.end() :]}"
        text = _SAID.sub(r"\1", text)
        return _USED.sub(lambda one: self._known.get(one[1] or one[2], one[0]), text)[:_LONGEST]

    def _more(self, text: str, behind: list[str]) -> list[str]:
        """What a command runs besides: a shell in it, a text that is piped into one, a function of the script."""
        if found := _PYTHON.match(text):
            self.programs.append(_unquoted(found[1]))
        inner = ""
        if found := _NESTED.match(text):
            inner = _unquoted(found[1] or found[2])
        elif (found := _ECHO.match(text)) and behind[:1] == ["|"]:
            reads = [one.strip() for one in behind[1::2]]  # what it is piped into, and what that is
            if reads and _SHELL.fullmatch(reads[0]):
                inner = _unquoted(found[1])
            elif len(behind) > 2 and _DECODES.fullmatch(reads[0]) and _SHELL.match((reads[1:] or ["sh"])[0]):
                inner = _decoded(_unquoted(found[1]))
        name, *given = text.split() or [""]
        if name in self._functions:
            inner = "\n".join(self._functions[name][:40])
            words = {str(at): word for at, word in enumerate(given[:9], 1)} | dict.fromkeys("@*", " ".join(given))
            inner = _PARAMETER.sub(lambda one: words.get(one[1], one[0]), inner)
        if not inner:
            return []
        reader = ShellReader(self._depth + 1)
        said = reader.read(inner)
        self.programs += reader.programs
        return [said.strip()]


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1].replace("\\", "") if text[:1] in "\"'" and text[-1:] == text[:1] and len(text) > 1 else text


def _decoded(text: str) -> str:
    with suppress(ValueError):
        return b64decode(text, validate=True).decode()
    return ""
