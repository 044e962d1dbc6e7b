"""Shell script, read with its variables, loops and nested shells.

``for f in ~/*; do rm -rf "$f"; done`` says ``rm -rf ~/*``, ``ls ~ | while read f; do rm "$f"; done`` says ``ls ~ | xargs rm``, and
``bash -c '…'`` says what is in it: rules about commands are shown the text in which that is written out.
"""

from __future__ import annotations

import re
from base64 import b64decode
from contextlib import suppress
from posixpath import normpath
from typing import Final

_DEEP: Final = 3
"""Shells within shells."""
_MOST_NAMES: Final = 200
_MOST_BEFORE: Final = 40
"""Words before a command."""
_LONGEST: Final = 4_000
"""Characters of what a name stands for."""
_ROOM: Final = 100_000
"""Characters that are written out of one text."""
_TELLS: Final = re.compile(
    r"[$=({\\\"']|\b(?:rm|mv|find|rsync)\b|\bc[ds]?\s|\bpushd\b|\bfor\b|sh\b|\beval\b|\bat\b|\bread\b|/\w*bin/"
)
_QUOTED: Final = r"\"(?:\\.|[^\"\\])*\"|'[^']*'"
_IN_QUOTES: Final = re.compile(_QUOTED, re.DOTALL)
_PIECE: Final = re.compile(
    rf"(?:{_QUOTED}|\\.|\$\([^()]*\)|[<>]&|&>|[^;&|\n\"'\\]|[\"'\\])+|&&|\|\||[;&|\n]", re.DOTALL
)
_COMMENT: Final = re.compile(rf"({_QUOTED}|\\.)|(?<!\S)#[^\n]*", re.DOTALL)
_OPENS: Final = re.compile(
    rf"\s*(?:\(+(?=[^\s()])|[({{!]+\s|(?:do|then|else|elif|if|while|until|coproc)\s|[\w.*?-]+\)\s|"
    rf"[A-Za-z_]\w*\+?=(?:{_QUOTED}|\$\([^()]*\)|[^\s\"'()])*\s+(?=\S))"
)
"""A bracket, a keyword, the label of a case or an assignment before a command."""
_RUNS_ANOTHER: Final = re.compile(
    r"\s*(?:\S*/)?(?:sudo|doas|env|nohup|time|nice|ionice|timeout|stdbuf|setsid|command|builtin|exec|chrt|taskset|unbuffer|"
    r"busybox|toybox|strace|fakeroot|caffeinate|systemd-run|(?:flock|gosu)(?:\s+-\S+)*\s+[^\s-]\S*)\s+(?=\S)"
)
_OPTION: Final = re.compile(
    r"\s*(?:-[ugCD]\s+\S+|--(?:user|group|chdir|unset)\s+\S+|-o\s+/\S+|-\S*|\d\S*|[A-Z][A-Z\d]*)\s+(?=\S)"
)
_NAME: Final = re.compile(rf"(?:{_QUOTED}|\\.|[^\s\"'\\=$`(){{}}\[\]])+(?=\s|$)")
_BRACES: Final = re.compile(r"(?<![^\s{}\"'$])([^\s{}\"'$]*)\{([^\s{}\"']*,[^\s{}\"']*)\}([^\s{}\"']*)")
_RUN_INSIDE: Final = re.compile(r"'[^']*'|[$<>]\(([^()]*)\)|`([^`]*)`")
_FOR: Final = re.compile(r"for\s+(\w+)\s+in\s+(.*)", re.DOTALL)
_READ: Final = re.compile(r"(?:IFS=\S*\s+)?read\s+(?:-\w+\s+(?:''\s+|\"\"\s+)?)*(\w+)")
_SET: Final = re.compile(
    rf"(?:(?:export|local|readonly|declare)\s+)?([A-Za-z_]\w*)=({_QUOTED}|\([^()]*\)|(?:[^\s\"'(][^\s\"']*)?)(?:\s+|$)"
)
_SETS: Final = re.compile(rf"\s*(?:{_SET.pattern})+")
_FUNCTION: Final = re.compile(r"(?:function\s+)?([\w-]+)\s*(?:\(\)\s*)?\{\s*(.*)", re.DOTALL)
_DEFAULT: Final = re.compile(r"\$\{(\w+):?-([^{}]*)\}")
_USED: Final = re.compile(r"\"?\$(?:\{(\w+)(?:\[[@*]\])?\}|(\w+))\"?")
_SAID: Final = re.compile(r"\$\(echo\s+([^()]*)\)")
_PARAMETER: Final = re.compile(r"\"?\$\{?([1-9@*])\}?\"?")
_TESTS: Final = re.compile(r"\[\[?\s+(?!-[edfhLrwxnz]\s)|test\s+(?!-[edfhLrwxnz]\s)|case\s|[ef]?grep\s")
_NESTED: Final = re.compile(
    rf"(?:ba|z|da|k|fi|c|tc)?sh\s+(?:-\w+\s+)*?(?:-\w*c|<<<)\s+(.*)|(?:eval|trap|su\s(?:[^\"']*\s)?-c)\s+({_QUOTED}|.*)",
    re.DOTALL,
)
_FOR_EACH: Final = re.compile(
    rf"(?:(find\s.*?)\s-(?:exec|ok)(?:dir)?|(?:xargs|parallel)\b.*?)\s(?:\S*/)?(?:ba|z|da|k)?sh\s+(?:-\w+\s+)*?-\w*c\s+({_QUOTED})",
    re.DOTALL,
)
_STANDS_FOR_EACH: Final = re.compile(r"\{\}|\$[@*]|\$\{[@*]\}")
_CALLED_EACH: Final = re.compile(r"-I\s*(\S+)")
_PYTHON: Final = re.compile(rf"(?:\S*/)?python[\d.]*\s+(?:-\w+\s+)*?(?:-c|(?:-\s+)?<<<)\s+({_QUOTED})", re.DOTALL)
_SHELL: Final = re.compile(r"(?:sudo\s+)?(?:/[\w/]*/)?(?:(?:ba|z|da|k)?sh(?:\s+-\w*)*|at\s.*)\s*")
_DECODES: Final = re.compile(r"base64\s+(?:-d|-D|--decode)\s*")
_TALK: Final = re.compile(r"(?:echo|printf|[efz]?grep|rg|git|gh|sed|awk|logger|cowsay)\s")
"""Commands to which a text in quotes is a text."""
_SCRIPT: Final = re.compile(rf"(?:perl|ruby|php|node)\s+(?:-\w+\s+)*?-\w*[eEr]\s+({_QUOTED})", re.DOTALL)
_STARTS: Final = re.compile(r"\b(?:system|exec\w*|spawn\w*|popen)\W{1,4}?([\"'])(.*?)\1|`()([^`]*)`", re.DOTALL)
_TAKES_WORDS: Final = re.compile(
    r"(?:xargs|parallel)\s+(?:-\S+\s+(?:[\d{}%/]\S*\s+)?)*([^\s<-][^<]*)(?:<<<\s*(.*))?", re.DOTALL
)
_SPACE: Final = re.compile(r"\$\{IFS\}|\$IFS(?:\$9)?")
_HERE: Final = re.compile(r"\$\(pwd\)|`pwd`|\$\{?PWD\b\}?")
_OWN_HOME: Final = re.compile(
    r"/(?:home|Users)/(?:\$\{?(?:USER|LOGNAME)\b\}?|\$\((?:whoami|id -un)\)|`(?:whoami|id -un)`)|\$\{HOME:?[?=+-][^{}]*\}"
)
_ABSOLUTE: Final = re.compile(r"(?<=[\s\"'])[~/][\w./~*-]*(?=[\s\"']|$)")
_ECHO: Final = re.compile(r"(?:echo|printf)\s+(?:-\w+\s+)*(.*)", re.DOTALL)
_RELATIVE: Final = re.compile(r"(?<=\s)[\"']?((?:\.\.?/)*(?:\*|\.\.?))/?[\"']?(?=\s|$)")
_MOVES: Final = re.compile(
    rf"(?:(cd|pushd)|popd)(?:\s+-[LPe@nqb]+|\s+--)*(?:\s+({_QUOTED}|[^\s<>]+))?(?:\s.*)?", re.DOTALL
)


class ShellReader:
    """Reader of one script, which may come line by line. ``programs`` is Python code that it has run."""

    def __init__(self, depth: int = 0, folder: str = "") -> None:
        self.programs: list[str] = []
        self._depth = depth
        self._known: dict[str, str] = {}  # a variable, to the words that it may be
        self._found: dict[str, str] = {}  # a variable, to the command that prints what it may be
        self._functions: dict[str, list[str]] = {}
        self._within = ""
        self._folder = folder
        self._outside: list[str] = []  # the folders around brackets

    def read(self, text: str) -> str:
        """The text with everything written out; the text itself where nothing is to be."""
        if self._depth > _DEEP or not (
            self._known or self._found or self._functions or self._folder or _TELLS.search(text)
        ):
            return text
        text = _SPACE.sub(" ", _COMMENT.sub(lambda one: one[1] or "", text))
        text = _OWN_HOME.sub("$HOME", _HERE.sub(lambda _: self._folder or ".", text))
        pieces, room = _PIECE.findall(text), _ROOM
        said, piped = list[str](), list[str]()
        for at, piece in enumerate(pieces):
            if piece in ("&&", "||", ";", "&", "|", "\n"):
                said.append(piece.replace("\n", ";"))
                piped = piped if piece == "|" else []
                continue
            start = _behind(piece)
            self._outside += [self._folder] * piece[:start].count("(")
            alone = piece[start:].strip()
            closed = min(max(0, alone.count(")") - alone.count("(")), len(alone) - len(alone.rstrip(") ")))
            command = _named(alone.rstrip(") ") if closed else alone)
            command = self._command(command, [one.strip() for one in piped], pieces[at + 1 : at + 5])
            if _MOVES.fullmatch(command):
                self._folder = joined(self._folder, entered(command))
            elif self._folder:
                command = _RELATIVE.sub(lambda one: joined(self._folder, one[1]), command)
            for _ in range(min(closed, len(self._outside))):
                self._folder = self._outside.pop()
            piped = [*piped[-_MOST_BEFORE:], command]
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
        elif _SETS.fullmatch(text):
            for found in _SET.finditer(text):
                self._keep(found[1], self._expanded(_unquoted(found[2]).strip("()")))
        elif _TESTS.match(text):  # a file whose name is tested is chosen
            for one in _USED.finditer(text):
                self._forget(one[1] or one[2])
            return text.partition(") ")[2] or text if text.startswith("case") else text
        else:
            expanded = self._expanded(text)
            text = expanded if expanded == text else _named(expanded[_behind(expanded) :])
            more = self._more(text, piped, behind)
            if _TALK.match(text):
                text = _IN_QUOTES.sub("text", text)
            elif text.startswith(("rm ", "mv ", "find ", "ls ", "rsync ")):
                text = _ABSOLUTE.sub(lambda one: re.sub("^//", "/", normpath(one[0])), text)
            return "; ".join([text, *more])
        return text

    def _keep(self, name: str, value: str) -> None:
        self._forget(name)
        listed = re.fullmatch(r"[\"']?(?:\$\(|`)((?:ls|find)\s[^`]*?)[)`][\"']?", value.strip())
        if len(self._known) + len(self._found) >= _MOST_NAMES:
            return
        if listed is not None:
            self._found[name] = listed[1]
        elif (used := _USED.fullmatch(value.strip())) and (used[1] or used[2]) in self._found:
            self._found[name] = self._found[used[1] or used[2]]
        elif "$(" not in value and "`" not in value:
            self._known[name] = value[:_LONGEST]

    def _forget(self, name: str) -> None:
        self._known.pop(name, None)
        self._found.pop(name, None)

    def _expanded(self, text: str) -> str:
        """The text with the values of its variables; items of a list come by ``xargs``."""
        for one in _USED.finditer(text) if self._found else ():
            name = one[1] or one[2]
            word = re.search(rf"\s(\S*/)?{re.escape(one[0])}(?=\s|$)", text)
            if name in self._found and word and (word[1] or "").strip("\"'/") in self._found[name]:
                return f"{self._found[name]} | xargs {text[: word.start()]}{text[word.end() :]}"
        text = _SAID.sub(r"\1", _BRACES.sub(_each_of, text))
        text = _DEFAULT.sub(lambda one: self._known.get(one[1], one[2]), text)
        return _USED.sub(lambda one: self._known.get(one[1] or one[2], one[0]), text)[:_LONGEST]

    def _more(self, text: str, piped: list[str], behind: list[str]) -> list[str]:
        """What a command runs besides: a shell in it, a text that is piped into one, a function of the script."""
        if found := _PYTHON.match(text):
            self.programs.append(_unquoted(found[1]))
        reader = ShellReader(self._depth + 1, self._folder)
        inner = "\n".join(one[1] or one[2] or "" for one in _RUN_INSIDE.finditer(text)).strip()
        if found := _FOR_EACH.match(text):
            called = _CALLED_EACH.search(text[: found.start(2)])
            inner = _unquoted(found[2]).replace(called[1] if called else "{}", "$1")
            inner = _STANDS_FOR_EACH.sub("$1", inner)
            reader._found = dict.fromkeys("01", found[1] or "|".join(piped))
        elif found := _SCRIPT.match(text):
            inner = "\n".join(one[2] or one[4] or "" for one in _STARTS.finditer(_unquoted(found[1])))
        elif found := _TAKES_WORDS.match(text):
            source = _ECHO.match(piped[-1]) if piped else None
            words_given = found[2] or (source[1] if source else "")
            inner = f"{found[1]} {words_given}" if words_given else inner
        elif found := _NESTED.match(text):
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
        said = reader.read(inner)
        self.programs += reader.programs
        return [said.strip()]


def entered(command: str) -> str:
    """Where ``cd``, ``pushd`` and ``popd`` lead to, also IPython's."""
    moves = _MOVES.fullmatch(command.lstrip("%"))
    return "-" if moves is None or not moves[1] else _unquoted(moves[2] or "~")


def joined(folder: str, to: str) -> str:
    """The folder in which one is that goes from one to another; the empty one is the notebook's."""
    return (
        ""
        if to == "-"
        else to.rstrip("/") or "/"
        if to[:1] in "~$/\0" or not folder
        else normpath(f"{folder}/{to}")[:_LONGEST]
    )


def _behind(text: str) -> int:
    """Where a command begins that stands behind brackets, keywords, assignments and programs that run another one."""
    at, runs = 0, False
    for _ in range(_MOST_BEFORE):
        another = _RUNS_ANOTHER.match(text, at)
        found = another or _OPENS.match(text, at) or (_OPTION.match(text, at) if runs else None)
        if found is None or _SETS.fullmatch(text, at):
            break
        at, runs = found.end(), runs or another is not None
    return at


def _named(text: str) -> str:
    """A command by its name alone, without folder and quotes."""
    found = _NAME.match(text)
    name = re.sub(r"[\"'\\]", "", found[0]) if found else ""
    return (
        name.rpartition("/")[2] + text[found.end() :]
        if found and name and " " not in name and not name.endswith("/")
        else text
    )


def _each_of(found: re.Match[str]) -> str:
    return " ".join(f"{found[1]}{one}{found[3]}" for one in found[2].split(",")[:20]).strip()


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1].replace("\\", "") if text[:1] in "\"'" and text[-1:] == text[:1] and len(text) > 1 else text


def _decoded(text: str) -> str:
    with suppress(ValueError):
        return b64decode(text, validate=True).decode()
    return ""
