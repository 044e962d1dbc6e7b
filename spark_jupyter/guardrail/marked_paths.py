"""Files of keys, files that run by themselves, folders that hold everything.

A path keeps what it is from where it is written: as a flow of Trust.OWN (:data:`PRIVATE`, :data:`STARTUP`, :data:`SHELL_STARTUP`),
or as :data:`Fact.WHOLE` for a home folder, the root and whatever is listed in them without a choice, :data:`Fact.HERE` for what is
listed in the working folder: to delete it all is a fault, to rename or rewrite it is work.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import (
    HOLE,
    LISTED,
    PRIVATE,
    SHELL_STARTUP,
    STARTUP,
    UNKNOWN,
    Fact,
    Flows,
    Trust,
    Value,
    words,
)

_LONGEST: Final = 4_096
"""Characters of a path in Linux."""
_OF_KEYS: Final = re.compile(
    r"(?:^|/)\.(?:ssh|aws|gnupg|kube)(?:/(?!known_hosts|.*\.pub$).*)?$|(?:^|/)\.(?:netrc|git-credentials|pypirc|pgpass)$|"
    r"(?:^|/)\.docker/config\.json$"
)
_OF_SHELLS: Final = re.compile(
    r"(?:^|/)(?:\.(?:bash|zsh|[ck]sh|tcsh|python|xinit|xsession)rc|\.(?:z|bash_|x)?profile|\.(?:bash_|z)log(?:in|out)|\.zshenv|"
    r"\.config/fish/.*|\.jupyter/\w*config\.py|\.git/hooks/[\w-]+)$|^/etc/(?:profile|environment|bash\.bashrc)$"
)
_BY_ITSELF: Final = re.compile(
    r"(?:^|/)(?:authorized_keys2?|(?:site|user)customize\.py|\.config/(?:autostart(?:/.*)?|systemd/.*)|Launch(?:Agents|Daemons)(?:/.*)?|"
    r"\.ipython(?:/(?:profile_\w+)?(?:/startup(?:/.*)?|/\w*config\.py)?)?|(?:site|dist)-packages/[^/]+\.pth)$|"
    r"^/etc/(?:cron(?:tab$|\.(?:d|hourly|daily|weekly|monthly)(?:/|$))|profile\.d/|sudoers(?:\.d/|$)|ld\.so\.preload$|rc\.local$|init\.d/|systemd/)|^/var/spool/cron|\\Programs\\Startup\\"
)
_PLACE: Final = re.compile(
    r"(?:[A-Za-z]:)?[\\/]+|~[\\/]*|[\\/](?:root|etc|usr|var|opt|boot|lib|bin)[\\/]*|"
    r"(?:[A-Za-z]:)?[\\/](?:home|Users)(?:[\\/][^\\/]+)?[\\/]*|\$HOME[\\/]*|%USERPROFILE%[\\/]*"
)
_ANY: Final = re.compile(r"\*\*?|\*\.\*|\*\.\w+")
_IN_PROJECT: Final = re.compile(r"(?:\./)?[\w-][^/\\:]*/(?!.*\.\.)")
_PLACED: Final = re.compile(r"\.git/|(?:site|dist)-packages/|/python\d[\d.]*/")
CACHES: Final = re.compile(
    r"(?:\*/)?(?:\.ipynb_checkpoints|__pycache__|\*\.py\[?[cod]+\]?|\*\.(?:te?mp|sw[op])|\*~|\.DS_Store|Thumbs\.db|\.\w+_cache|\._\*)(?:/\*)?"
)
"""Files that programs make again, as patterns of a search."""
_WIDE: Final = words(". ./ * **") | {""}
_HERE: Final = words(". ./ .. ../")
MANY: Final = (Fact.WHOLE, Fact.HERE, Fact.CHOSEN)
HOMES: Final = words("HOME USERPROFILE HOMEPATH")
_SAME: Final = words(
    "expanduser expandvars str fspath resolve absolute abspath realpath normpath as_posix sorted list set reversed tuple"
)
_COPIES: Final = words("sorted list set reversed tuple")
_ABSOLUTE: Final = words("resolve absolute abspath realpath")
_LISTS: Final = words("walk scandir listdir iterdir")
_GLOBS: Final = words("glob rglob iglob")
_JOINS: Final = words("join joinpath Path PosixPath PurePath")
_PATHS: Final = words("pathlib.Path pathlib.PosixPath pathlib.PurePath")
TAILS: Final = _SAME | _LISTS | _GLOBS | _JOINS | words("home getenv get chdir")
"""Last parts of the names of calls that may give such a folder."""


def flows_of(text: str, state: State) -> Flows:
    """Flows of a constant that is the path of such a file, or its end."""
    if text.startswith("autostart") and state.statement is not None and ".config" in ast.unparse(state.statement):
        text = f".config/{text}"
    if len(text) > _LONGEST or not ("." in text or "/" in text or "\\" in text or text in _ALONE):
        return ()
    flows = state.flow(PRIVATE, Trust.OWN) if _OF_KEYS.search(text) else ()
    if label := starts_by_itself(text):
        flows = (*flows, *state.flow(label, Trust.OWN))
    return flows


_ALONE: Final = words("authorized_keys LaunchAgents LaunchDaemons")


def starts_by_itself(path: str) -> str:
    """Label of a file that runs by itself, or nothing."""
    return STARTUP if _BY_ITSELF.search(path) else SHELL_STARTUP if _OF_SHELLS.search(path) else ""


def in_project(path: str | None) -> bool:
    """True for a path in a folder of a name of its own, where nothing is looked for that runs by itself."""
    return path is not None and _IN_PROJECT.match(path) is not None and _PLACED.search(path) is None


def is_place(path: str) -> bool:
    """True for the path of such a folder, and for what every path of a home folder has in it."""
    return _PLACE.fullmatch(path) is not None or path in ("home", "Users")


def is_whole(value: Value) -> bool:
    """True for a folder that holds everything of a person or a system, and for what is listed there without a choice."""
    return value.fact is Fact.WHOLE or (value.known_text is not None and _PLACE.fullmatch(value.known_text) is not None)


def is_listed(value: Value) -> bool:
    """True for one of the things in such a folder, not for the folder itself."""
    return value.fact in MANY and LISTED in value.name.removeprefix("os.environ[]")


def is_marked(value: Value) -> bool:
    """True for such a folder or file, a command, a connection, or a list that has one in it."""
    if value.fact in MANY or value.name.startswith("socket.") or is_here(value):
        return True
    if isinstance(value.const, str) and (is_place(value.const) or value.const in _WIDE or " " in value.const):
        return True
    if isinstance(value.items, list) and any(map(is_marked, value.items)):
        return True
    return any(origin.label in (PRIVATE, STARTUP, SHELL_STARTUP) for origin, _ in value.flows)


def put_together(value: Value, parts: list[Value]) -> Value:
    """The path made of these, which stands for as much as its first part unless another one names something."""
    first, *rest = parts
    known = [part.known_text for part in parts]
    if all(known) and in_project("/".join(map(str, known))):
        value = value.but(flows=tuple(flow for flow in value.flows if flow[0].label not in (STARTUP, SHELL_STARTUP)))
    here = first.fact is Fact.HERE or (is_here(first) and any(part.fact is Fact.HERE for part in rest))
    if here and not any(is_narrow(part) for part in rest):
        return value.but(fact=Fact.HERE, name=value.name + LISTED * any(map(is_listed, parts)))
    if not (is_whole(first) or first.fact is Fact.CHOSEN) or any(is_narrow(part) for part in rest):
        return value
    fact = Fact.CHOSEN if any(part.fact is Fact.CHOSEN for part in parts) else Fact.WHOLE
    return value.but(fact=fact, name=value.name + LISTED * any(map(is_listed, parts)))


def of_call(event: Call, value: Value, state: State) -> Value:
    """The value of a call, as such a folder or as what is in it; ask only for :data:`TAILS`."""
    if event.tail == "chdir":
        state.leave_folder(folder_of(event.argument(0, "path")))
    on = event.receiver if event.receiver.fact in MANY else event.args[0] if event.args else UNKNOWN
    if event.tail in _SAME or event.tail in _JOINS:
        rest = event.args[on is not event.receiver :] if event.tail in _JOINS else []
        if event.name in _COPIES and isinstance(on.items, list):
            value = value.but(items=on.items)
        if event.name in _PATHS and len(event.args) < 2:
            value = value.but(text="." if is_here(on) or not event.args else on.known_text)
        elif event.tail in _ABSOLUTE and (is_here(on) or is_here(event.receiver)):
            value = value.but(text=".")
        return put_together(value, [on, *rest])
    if _gives_whole(event):
        return value.but(fact=Fact.WHOLE)
    return value.but(fact=Fact.HERE) if not state.folder and _lists_here(event) else value


def folder_of(path: Value) -> str:
    """The folder that a program enters, as a shell would write it."""
    return "~" if is_whole(path) and path.known_text is None else path.text or ("." if is_here(path) else HOLE)


def is_here(value: Value) -> bool:
    """True for the working folder, and for the one that it is in."""
    return value.known_text in _HERE or value.name in ("os.getcwd()", "pathlib.Path.cwd()")


def _lists_here(event: Call) -> bool:
    """``os.walk(".")``, ``Path.cwd().iterdir()``, ``glob.glob("**/*", recursive=True)``; not ``Path().glob("*.csv")``."""
    on, given = event.receiver, event.argument(0, "path", "top")
    of_path = is_here(on) or on.fact is Fact.HERE
    if event.tail in _LISTS:
        unsaid = event.name in ("os.listdir", "os.scandir") and not event.args and not event.kwargs
        return of_path or unsaid or is_here(given) or given.fact is Fact.HERE
    pattern = (event.argument(0, "pattern", "pathname").known_text or "").replace("\\", "/")
    of_text = event.name in ("glob.glob", "glob.iglob") and "root_dir" not in event.kwargs
    return (of_path or of_text) and "*" in pattern and not pattern.startswith("/") and set(pattern) <= set("./*")


def _gives_whole(event: Call) -> bool:
    name, tail, args = event.name, event.tail, event.args
    first = args[0] if args else UNKNOWN
    if tail in ("home", "getenv", "get"):
        return name == "pathlib.Path.home" or (name in ("os.getenv", "os.environ.get") and first.const in HOMES)
    on = event.receiver if event.receiver.fact is Fact.WHOLE else first
    if tail in _GLOBS:
        return _everything(event, on)
    return is_whole(on)


def is_narrow(part: Value) -> bool:
    """True for a part of a path that may name one folder or file, whichever it is."""
    return not is_whole(part) and part.fact not in MANY and part.known_text not in _WIDE


def _everything(event: Call, on: Value) -> bool:
    """``home.rglob("*")``, ``glob.glob("/home/**/*.csv")``; not ``home.glob("*.csv")``."""
    pattern = (event.argument(0, "pattern", "pathname").text or "").replace("\0", "").replace("\\", "/")
    of_path = on is event.receiver and on.fact is Fact.WHOLE
    folder, _, rest = ("", "", pattern) if of_path else pattern.partition("*")
    whole = of_path or on.fact is Fact.WHOLE or _PLACE.fullmatch(folder or " ") is not None
    *_, last = ("*" + rest if not of_path else pattern).rsplit("/", 1)
    deep = event.tail == "rglob" or "**" in pattern or "recursive" in event.kwargs
    return (
        whole
        and _ANY.fullmatch(last) is not None
        and not CACHES.fullmatch(last)
        and (deep or "." not in last or last == "*.*")
    )
