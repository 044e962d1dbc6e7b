"""The line of a magic → what is asked for. Pure."""

from __future__ import annotations

import argparse
import ast
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Literal, NoReturn, get_args

from msgspec import Struct

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.deep_messages import Effort
from spark_jupyter.protocol.values import Attempts, Permission

Takes = Literal["text", "nothing", "options", "number", "word", "switch", "suggestions", "cell", "task"]
"""What may stand behind a verb: any text, nothing, options, the number of a proposal (or none), one word at most, ``on`` or ``off``, what
is said of suggestions, or options of a whole cell (``%%``). ``task``: options and any text, in a line or
a cell."""


class Verb(Struct, frozen=True):
    """A first word of ``%spark`` that is a command and not the beginning of a prompt: what it does, and what it takes."""

    what: str
    takes: Takes = "text"


class MagicOptions(Struct, frozen=True, kw_only=True):
    """What may stand before a prompt. None: as configured."""

    wait: bool | None = None
    accept: bool = False
    run: bool = False
    yes: bool = False
    model: str | None = None
    after: str | None = None
    new: bool = False
    deep: bool = False
    ask: bool = False
    minutes: float | None = None
    dollars: float | None = None
    effort: Effort | None = None
    attempts: Attempts = Attempts()
    allow: tuple[Permission, ...] = ()


class MagicLine(Struct, frozen=True, kw_only=True):
    """One parsed line. ``verb`` is ``"prompt"`` or the name of a :class:`Verb`."""

    verb: str
    text: str = ""
    number: int | None = None
    options: MagicOptions = MagicOptions()


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigurationError(f"%spark: {message}.", remedy="See %spark? for what it takes.")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="%spark", add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--wait", action="store_true", default=None)
    parser.add_argument("--no-wait", dest="wait", action="store_false")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--yes", "-y", action="store_true")
    parser.add_argument("--model", "-m")
    parser.add_argument("--after")
    parser.add_argument("--new", action="store_true")
    parser.add_argument("--deep", action="store_true")
    parser.add_argument("--ask", action="store_true")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--dollars", type=float)
    parser.add_argument("--effort", choices=[one for one in get_args(Effort) if one])
    parser.add_argument("--attempts", type=int, default=1)
    parser.add_argument("--models", default="")
    parser.add_argument("--check", action="append", default=[])
    parser.add_argument("--until-green", type=int, default=0)
    parser.add_argument("--allow", default="")
    return parser


def parse(line: str, verbs: Mapping[str, Verb], *, cell: bool = False) -> MagicLine:
    """The meaning of what stands behind ``%spark`` (``cell``: ``%%spark``), where these are the verbs.

    Options stand first; behind the first word that is none, everything is text as it was typed. Raises
    :class:`~spark_jupyter.exceptions.ConfigurationError` for an unknown option or a wrong value.
    """
    words, rest = _leading_options(line.strip())
    verb, _, text = rest.partition(" ")
    takes = verbs[verb].takes if verb in verbs else None
    if takes is None and not text and not cell and (meant := get_close_matches(verb, verbs, 1, cutoff=0.8)):
        raise ConfigurationError(
            f"%spark has no command {verb!r}: did you mean %spark {meant[0]}?", remedy="A prompt takes more words."
        )
    if takes is None or (takes != "task" and (takes == "cell") is not cell):
        return MagicLine(verb="prompt", text=rest, options=_options(words))
    text = text.strip()
    if takes in ("word", "task"):
        more, text = _leading_options(text)
        words += more
    if takes == "word":
        first, _, behind = text.partition(" ")
        more, behind = _leading_options(behind.strip())
        words, text = words + more, f"{first} {behind}".strip()
    if not _fits(takes, text):
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
    """Whether the words behind a verb are its own, so that ``%spark run a marathon simulation`` stays a prompt."""
    match takes:
        case "nothing":
            return not text
        case "options":
            return not text or text.startswith("-")
        case "number":
            return not text or text[0].isdecimal() or text.startswith("-")
        case "switch":
            return text in ("", "on", "off")
        case "suggestions":
            return re.fullmatch(r"(?:on|off|ask|(?:model|provider)(?:\s+\S+)?)?", text) is not None
        case "word":
            return len(text.split()) <= 1
        case _:
            return True


def _leading_options(text: str) -> tuple[list[str], str]:
    """The options at the beginning of ``text`` with their values, and the rest as it stands."""
    words: list[str] = []
    flags = {"--wait", "--no-wait", "--accept", "--run", "--yes", "-y", "--new", "--deep", "--ask"}
    while text.startswith("-") and not text.startswith("- "):
        lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
        lexer.whitespace_split = True
        lexer.commenters = ""
        try:
            option = lexer.get_token() or ""
            words.append(option)
            if option not in flags and "=" not in option:
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
    return MagicOptions(
        wait=values.wait,
        accept=values.accept or values.run,
        run=values.run,
        yes=values.yes,
        model=values.model,
        after=values.after,
        new=values.new,
        deep=values.deep,
        ask=values.ask,
        minutes=_positive("--minutes", values.minutes),
        dollars=_positive("--dollars", values.dollars),
        effort=values.effort,
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
    """What ``--attempts`` and its companions wish for. ``models`` is a list with commas. Raises
    :class:`~spark_jupyter.exceptions.ConfigurationError` for what is out of bounds or no Python."""
    names = tuple(_list(models))
    if not 1 <= count <= 8 or len(names) > 8:
        raise ConfigurationError("--attempts takes a number from 1 to 8, and --models as many names.")
    if not 0 <= until_green <= 10:
        raise ConfigurationError("--until-green takes a number of rounds from 1 to 10.")
    for check in checks:
        try:
            ast.parse(check)
        except (SyntaxError, ValueError) as error:
            raise ConfigurationError(
                f"--check is no Python: {check} ({error}).", remedy='For example --check "assert f(3) == 5".'
            ) from None
    races = count > 1 or bool(names or checks or until_green)
    return Attempts(
        count=count, models=names, checks=tuple(checks), until_green=until_green, allow=allow if races else ()
    )


def permissions(text: str) -> tuple[Permission, ...]:
    """What ``--allow`` names. Raises :class:`~spark_jupyter.exceptions.ConfigurationError` for anything else."""
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


_HELP = """Ask for code, and say what becomes of it.

    %spark PROMPT            a cell below, written live
    %%spark [options]        the same with the prompt in the cell
    %%spark edit INSTRUCTION the cell below this line is edited: a diff on this cell

{verbs}

Options, before the prompt:
    --wait | --no-wait       wait until the turn has ended | return at once
    --accept                 keep what is proposed without being asked
    --run                    … and run it, unless a finding blocks it (--yes: even then)
    --model NAME             for this turn only
    --new                    new cells, which is the default
    --attempts N             N answers at once, each tried in a copy of the kernel: the first that runs is proposed
    --check "assert f(3) == 5"
                             … and passes this; so must asserts in the prompt, and the answer's own doctests
    --models a,b,c           … one of each model
    --until-green N          … and one that fails is told why and writes again, up to N times
    --allow files,network,shell,read
                             … what they may do when they are tried

A new cell is rehearsed while it is written: a copy of the kernel runs each statement, nothing is kept, and what does not
run there is corrected. %config SparkMagics.rehearse = "ready" (when the cell is whole; corrects nothing) or "off".
@df, @df.price, @cell 3, @sales.csv, @error and @output point at what is meant: it goes along in detail (Tab completes them).
%spark deep [--ask] [--check …] [--minutes N] [--dollars N] PROMPT works in the background: a slower model plans, writes and runs it in a
copy, and proposes all of it at the end. --ask: its plan waits for your word. %%spark deep plan edits it.
While a turn streams in a terminal, a typed line steers it and Ctrl-C cancels it.
Names and defaults: %config SparkMagics
"""


def help_text(verbs: Mapping[str, Verb]) -> str:
    """What ``%spark?`` shows."""
    width = max(map(len, verbs))
    return _HELP.format(verbs="\n".join(f"    %spark {name:<{width}}  {verb.what}" for name, verb in verbs.items()))
