"""Parser of the lines of ``%spark`` and ``%%spark``, and their help."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple, NoReturn, get_args

from msgspec import Struct, structs

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.deep_messages import Effort, Within
from spark_jupyter.protocol.values import Attempts, Permission
from spark_jupyter.source.python_parser import parse_python

Takes = Literal[
    "text",
    "nothing",
    "options",
    "number",
    "word",
    "switch",
    "budget",
    "suggestions",
    "conversation",
    "cell",
    "task",
    "moment",
    "two",
]
"""Argument of a verb: any text, nothing, options, the number of a proposal (or none), one word at most, ``on`` or ``off``, a wish about
suggestions, what becomes of a conversation, or options of a whole cell (``%%``). ``task``: options and any text, in a line or a cell.
``moment``: a moment and ``--yes``. ``two``: two texts in quotation marks, or options and any text. ``budget``: ``off``, or ``on`` and a
sum."""


class Verb(Struct, frozen=True):
    """A first word of ``%spark`` that is a command: its help, what it takes, and the function that does it (with the session and the
    parsed line as arguments)."""

    what: str
    takes: Takes = "text"
    do: Callable[[Any, MagicLine], None] | None = None


class MagicOptions(Struct, frozen=True, kw_only=True):
    """Options before a prompt. None: as configured."""

    wait: bool | None = None
    accept: bool = False
    run: bool = False
    yes: bool = False
    branch: str | None = None
    model: str | None = None
    after: str | None = None
    new: bool = False
    deep: bool = False
    ask: bool = False
    minutes: float | None = None
    dollars: float | None = None
    within: Within = ""
    effort: Effort | None = None
    tier: str | None = None
    mode: str = ""
    attempts: Attempts = Attempts()
    allow: tuple[Permission, ...] = ()


class MagicLine(Struct, frozen=True, kw_only=True):
    """One parsed line. ``verb`` is ``"prompt"``, ``"help"`` or the name of a :class:`Verb`."""

    verb: str
    text: str = ""
    cell: str = ""
    number: int | None = None
    options: MagicOptions = MagicOptions()

    @property
    def text_and_cell(self) -> str:
        return "\n".join(part for part in (self.text, self.cell.strip("\n")) if part)

    def as_prompt(self) -> MagicLine:
        """The same line with its verb as the first word of a prompt."""
        return structs.replace(self, verb="prompt", text=f"{self.verb} {self.text}".strip())


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigurationError(f"%spark: {message}.", remedy="See %spark? for what it takes.")


class _Option(NamedTuple):
    """An option: its names, how argparse reads it, its line in the help ("" continues the one above)."""

    names: tuple[str, ...]
    reads: dict[str, Any]
    shown: str = ""
    what: str = ""


_SWITCH: dict[str, Any] = {"action": "store_true"}
OPTIONS = (
    _Option(
        ("--wait",),
        {**_SWITCH, "default": None},
        "--wait | --no-wait",
        "wait until the turn has ended | return at once",
    ),
    _Option(("--no-wait",), {"dest": "wait", "action": "store_false"}),
    _Option(("--accept",), _SWITCH, "--accept", "accept the proposals without a question"),
    _Option(("--run",), _SWITCH, "--run", "… and run them, unless a finding blocks it (--yes: even then)"),
    _Option(("--yes", "-y"), _SWITCH),
    _Option(("--branch",), {}, "--branch NAME", "with back: name under which the present state is saved"),
    _Option(("--model", "-m"), {}, "--model NAME", "the model for this turn only"),
    _Option(("--after",), {}),
    _Option(("--new",), _SWITCH, "--new", "new cells, which is the default"),
    _Option(
        ("--attempts",),
        {"type": int, "default": 1},
        "--attempts N",
        "N answers at once, each tried in a copy of the kernel; the first that runs is proposed",
    ),
    _Option(
        ("--check",),
        {"action": "append", "default": []},
        '--check "assert f(3) == 5"',
        "… and passes this, the asserts in the prompt and the answer's doctests",
    ),
    _Option(("--models",), {"default": ""}, "--models a,b,c", "… one answer of each model"),
    _Option(
        ("--until-green",),
        {"type": int, "default": 0},
        "--until-green N",
        "… and one that fails is told why and tries again, up to N times",
    ),
    _Option(
        ("--allow",),
        {"default": ""},
        "--allow files,network,shell,read",
        "… what they may do when they are tried",
    ),
    _Option(("--deep",), _SWITCH, "--deep", "with model or provider: choose it for deep work"),
    _Option(("--effort",), {"choices": [one for one in get_args(Effort) if one]}, "--effort LEVEL", "… and its effort"),
    _Option(
        ("--tier",),
        {},
        "--tier NAME",
        "with model: how fast it is served (default, flex, fast, ultrafast), at its price",
    ),
    _Option(("--mode",), {"default": ""}, "--mode NAME", "with agent: one of its own modes, such as plan"),
    _Option(("--ask",), _SWITCH, "--ask", "with deep: show the plan first and wait for your approval"),
    _Option(("--minutes",), {"type": float}, "--minutes N", "with deep: stop after so many minutes"),
    _Option(("--dollars",), {"type": float}, "--dollars N", "with deep: stop at this cost"),
    _Option(
        ("--within",),
        {"choices": get_args(Within), "default": ""},
        "--within 8h",
        "with deep: each answer may take 2h or 8h, at a lower price; picked up after a restart",
    ),
)
"""The options of ``%spark``, in the order of the help."""
_FLAGS = frozenset(name for option in OPTIONS if "action" in option.reads for name in option.names) - {"--check"}


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="%spark", add_help=False, allow_abbrev=False, exit_on_error=False)
    for option in OPTIONS:
        parser.add_argument(*option.names, **option.reads)
    return parser


def parse(line: str, verbs: Mapping[str, Verb], *, cell: str | None = None) -> MagicLine:
    """Parse the words behind ``%spark``, or behind ``%%spark`` with the text of its cell.

    Options stand first; from the first other word on, everything is text as it was typed. Raises
    :class:`~spark_jupyter.exceptions.ConfigurationError` for an unknown option or a wrong value.
    """
    parsed = _parsed(line, verbs, in_cell=cell is not None)
    return structs.replace(parsed, cell=cell) if cell else parsed


def _parsed(line: str, verbs: Mapping[str, Verb], *, in_cell: bool) -> MagicLine:
    words, rest = _leading_options(line.strip())
    if not words and not in_cell and rest.endswith("?") and (asked := rest.rstrip("? ")) in verbs:
        return MagicLine(verb="help", text=asked)
    verb, _, text = rest.partition(" ")
    takes = verbs[verb].takes if verb in verbs else None
    if takes is None and not text and not in_cell and (meant := get_close_matches(verb, verbs, 1, cutoff=0.8)):
        raise ConfigurationError(
            f"%spark has no command {verb!r}.", remedy=f"Did you mean %spark {meant[0]}? A prompt needs more words."
        )
    if takes is None or (takes != "task" and (takes == "cell") is not in_cell):
        return MagicLine(verb="prompt", text=rest, options=_options(words))
    text = text.strip()
    if takes == "moment" and (options := re.search(r"\s--(?:yes|branch)\b.*$", f" {text}")):
        words, text = [*words, *options[0].split()], text[: max(0, options.start() - 1)].strip()
    if takes in ("word", "task", "two"):
        more, text = _leading_options(text)
        words += more
    if takes == "word":
        first, _, behind = text.partition(" ")
        more, behind = _leading_options(behind.strip())
        words, text = words + more, f"{first} {behind}".strip()
    if not _fits(takes, text) and not (takes == "two" and words):
        return MagicLine(verb="prompt", text=rest, options=_options(words))
    number = None
    if takes in ("number", "options"):
        more, text = _leading_options(text)
        first, _, behind = text.partition(" ")
        if takes == "number" and first.isdecimal():
            number, text = int(first), behind
        after, text = _leading_options(text.strip())
        words += more + after
    return MagicLine(verb=verb, text=text, number=number, options=_options(words))


def _fits(takes: Takes, text: str) -> bool:
    """True if the words behind a verb are its arguments, so that ``%spark run a marathon simulation`` stays a prompt."""
    match takes:
        case "nothing":
            return not text
        case "options":
            return not text or text.startswith("-")
        case "number":
            return not text or text[0].isdecimal() or text.startswith("-")
        case "switch":
            return text in ("", "on", "off")
        case "budget":
            return re.fullmatch(r"(?:off|on(?:\s+\$?\d+(?:\.\d+)?)?)?", text) is not None
        case "suggestions":
            return re.fullmatch(r"(?:on|off|ask|(?:model|provider)(?:\s+\S+)?)?", text) is not None
        case "conversation":
            return re.match(r"(?:(?:open|rename|delete)\b|$)", text) is not None
        case "moment":
            return re.fullmatch(r"(?:cell\s+\[?\d+\]?|turn\s+\d+|\S+)?", text) is not None
        case "word":
            return len(text.split()) <= 1
        case "two":
            return len(two_texts(text)) == 2
        case _:
            return True


def two_texts(text: str) -> tuple[str, ...]:
    """Two texts in quotation marks; none where it is anything else."""
    found = re.fullmatch(r"""("|')(.+?)\1\s+("|')(.+)\3""", text, re.DOTALL)
    return (found[2], found[4]) if found else ()


def _leading_options(text: str) -> tuple[list[str], str]:
    """The options at the beginning of ``text`` with their values, and the rest as it stands."""
    words: list[str] = []
    while text.startswith("-") and not text.startswith("- "):
        lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
        lexer.whitespace_split = True
        lexer.commenters = ""
        try:
            option = lexer.get_token() or ""
            words.append(option)
            if option not in _FLAGS and "=" not in option:
                words.append(lexer.get_token() or "")
        except ValueError as error:
            raise ConfigurationError(f"%spark: {error}.", remedy="Close the quotation mark.") from None
        text = str(lexer.instream.read()).strip()  # type: ignore[call-arg]  # a StringIO, whose size has a default
    return words, text


def _options(words: list[str]) -> MagicOptions:
    parser = _parser()
    try:
        values, unknown = parser.parse_known_args(words)
    except argparse.ArgumentError as error:
        raise ConfigurationError(f"%spark: {error}.", remedy="See %spark? for what it takes.") from None
    if unknown:
        raise _no_option(unknown[0].partition("=")[0], known=parser._option_string_actions)
    allow = permissions(values.allow)
    plain = MagicOptions(
        **{name: value for name, value in vars(values).items() if name in MagicOptions.__struct_fields__}
    )
    return structs.replace(
        plain,
        accept=values.accept or values.run,
        minutes=_positive("--minutes", values.minutes),
        dollars=_positive("--dollars", values.dollars),
        attempts=attempts(
            count=values.attempts,
            models=values.models,
            checks=values.check,
            until_green=values.until_green,
            allow=allow,
        ),
        allow=allow,
    )


def _no_option(word: str, *, known: Iterable[str]) -> ConfigurationError:
    near = get_close_matches(word, known, 1)
    remedy = f"Did you mean {near[0]}?" if near else "See %spark? for what it takes."
    return ConfigurationError(f"%spark has no option {word}.", remedy=remedy)


def _positive(name: str, value: float | None) -> float | None:
    if value is not None and not 0 < value <= 1440:
        raise ConfigurationError(f"{name} takes a number from above 0 to 1440.")
    return value


def attempts(
    *, count: int, models: str, checks: Sequence[str], until_green: int, allow: tuple[Permission, ...] = ()
) -> Attempts:
    """Parse ``--attempts`` and its companions. ``models`` is a list with commas. Raises
    :class:`~spark_jupyter.exceptions.ConfigurationError` for what is out of bounds or no Python."""
    names = tuple(_list(models))
    if not 1 <= count <= 8 or len(names) > 8:
        raise ConfigurationError("--attempts takes a number from 1 to 8, and --models as many names.")
    if not 0 <= until_green <= 10:
        raise ConfigurationError("--until-green takes a number of rounds from 1 to 10.")
    for check in checks:
        try:
            parse_python(check)
        except (SyntaxError, ValueError) as error:
            raise ConfigurationError(
                f"--check is no Python: {check} ({error}).", remedy='For example --check "assert f(3) == 5".'
            ) from None
    races = count > 1 or bool(names or checks or until_green)
    return Attempts(
        count=count, models=names, checks=tuple(checks), until_green=until_green, allow=allow if races else ()
    )


def permissions(text: str) -> tuple[Permission, ...]:
    """Parse ``--allow``. Raises :class:`~spark_jupyter.exceptions.ConfigurationError` for anything else."""
    allowed: list[Permission] = []
    for name in _list(text):
        if name not in get_args(Permission):
            raise ConfigurationError(
                f"--allow does not know {name!r}.", remedy="It takes files, network, shell and read."
            )
        allowed.append(name)  # type: ignore[arg-type]  # checked in the line above
    return tuple(allowed)


def _list(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


_HELP = """Ask for code in plain words.

    %spark PROMPT            a new cell below, written live
    %%spark [options]        the same with the prompt in the cell
    %%spark edit INSTRUCTION edit the code below this line, as a diff on this cell

Commands:
{verbs}

Options, before the prompt:
{options}

A new cell is tried while it is written: a copy of the kernel runs each statement, and the model corrects what fails there. Nothing of it
is kept. Change that with %config SparkMagics.rehearse = "ready" (run complete cells, correct nothing) or "off".
A new cell that fails there all the same is repaired, at most twice: %config SparkMagics.repair = "off" ends that.
@df, @df.price, @cell 3, @sales.csv, @error and @output send details of what they name, @figure and @plot.png an image (Tab completes them).
%spark deep [--ask] [--check …] [--minutes N] [--dollars N] PROMPT works in the background: a slower model plans, writes and runs it in a
copy, and proposes all of it at the end. %%spark deep plan edits its plan.
In a terminal, a line typed while a turn streams steers it, and Ctrl-C cancels it.
Names and defaults: %config SparkMagics
"""


def help_text(verbs: Mapping[str, Verb]) -> str:
    width = max(map(len, verbs))
    return _HELP.format(
        verbs="\n".join(f"    %spark {name:<{width}}  {verb.what}" for name, verb in verbs.items()),
        options="\n".join(f"    {one.shown:<32} {one.what}" for one in OPTIONS if one.shown),
    )


def verb_help(name: str, verbs: Mapping[str, Verb]) -> str:
    """The text of ``%spark NAME?``."""
    return f"%spark {name}: {verbs[name].what}"
