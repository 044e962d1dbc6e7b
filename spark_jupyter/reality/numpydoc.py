"""Result types from the "Returns" section of docstrings.

The form is the one that numpydoc prescribes (https://numpydoc.readthedocs.io/en/latest/format.html), which numpy, scipy and
scikit-learn keep to.
"""

from __future__ import annotations

import inspect
import re
import sys

from spark_jupyter.frames.frame_kinds import loaded_class
from spark_jupyter.reality.abstract_values import UNKNOWN, Of, Unknown, Value, either, guess
from spark_jupyter.reality.class_names import alike, array, kind_named, number, pandas_class
from spark_jupyter.reality.signatures import NUMPYDOC, home_of, is_function, section_body
from spark_jupyter.reality.static_lookup import cached_by_identity, is_class, is_trusted, module_dict, root

_SECTION = re.compile(r"(?m)^([ \t]*)(?:Returns|Yields)[ \t]*\n[ \t]*-{3,}[ \t]*\n")
_CONDITIONAL = re.compile(
    r"(?i)optional|only (?:returned|provided|present|if)|returned (?:only|if|when)|if `?`?\w+`?`? is (?:provided|given)|"
    r"if `?`?(?:return|ret|full)"
)
_CONDITION = re.compile(r"(?i),? optional|\(?(?:only )?(?:returned|provided|present).*")
_IN_WORDS = re.compile(
    r"(?i)\b(?:of )?shape(?: is)?\b.*|\bof length\b.*|\(.*|\[.*|, default.*|\bwith\b.*|\bcontaining\b.*|\.$"
)
_BY_WORD: dict[str, type] = {
    # of "list", "tuple" and "dict" it is too often a relative that is given
    "str": str, "string": str, "bytes": bytes,
}  # fmt: skip
_Entry = tuple[str, str, str]  # name, type, first line of the description


def documented(function: object, receiver: Value | None, keywords: tuple[str, ...]) -> Value:
    """The result by the "Returns" section of a library function's docstring: a guess, as nobody checks texts."""
    entries = _asked_for(_entries(function), keywords)
    certain = [entry for entry in entries if not _CONDITIONAL.search(f"{entry[1]} {entry[2]}")]
    if not certain:
        return UNKNOWN
    if _depends_on(function, keywords) or (
        len(certain) < len(entries) and any(w in keywords for e in entries for w in _words_of(e))
    ):
        return UNKNOWN
    if "Bunch" in certain[0][1]:
        return _bunch(certain[0][1], function)
    values = [_from_words(name, words, function, receiver) for name, words, _ in certain]
    return values[0] if len(values) == 1 else Of(tuple, items=tuple(values))


def _depends_on(function: object, keywords: tuple[str, ...]) -> bool:
    """True if by the section the result depends on something that the call switches off: ``compute_uv=False``."""
    text = getattr(function, "__doc__", None)
    off = [name.removesuffix("=False") for name in keywords if name.endswith("=False")]
    section = _SECTION.search(text) if type(text) is str and off else None
    return section is not None and any(f"`{name}`" in section_body(str(text)[section.end() :]) for name in off)


def _words_of(entry: _Entry) -> list[str]:
    return re.findall(r"\w+", f"{entry[1]} {entry[2]}")


def _asked_for(entries: tuple[_Entry, ...], keywords: tuple[str, ...]) -> list[_Entry]:
    """The entries as this call gets them: a result that a flag asks for is certain where the call sets it, ``return_counts=True``."""
    found = []
    for name, words, follow in entries:
        asked = any(f"{word}=True" in keywords for word in _words_of(("", words, follow)))
        conditional = _CONDITIONAL.search(f"{words} {follow}") is not None
        found.append(
            (name, _CONDITION.sub("", words), "")
            if asked and conditional and name.isidentifier()
            else (name, words, follow)
        )
    return found


def _bunch(words: str, function: object) -> Value:
    """scikit-learn's data sets, whose attributes the docstring lists below the entry."""
    kind = _from_phrase(words, function)
    text = getattr(function, "__doc__", None)
    listed = (
        re.search(r"with the following attributes\.?\n\s*\n((?:[ \t]{2,}.*\n|[ \t]*\n)+)", inspect.cleandoc(text))
        if type(text) is str
        else None
    )
    if not isinstance(kind, Of) or listed is None:
        return UNKNOWN  # it has fields of its own
    indent = re.match(r"[ \t]*", listed[1])
    depth = len(indent[0]) if indent is not None else 0
    found = re.findall(rf"(?m)^[ \t]{{{depth}}}(\w+)\s*:", listed[1])
    return Of(kind.kind, keys=tuple(found), items=(UNKNOWN,) * len(found), guessed=True)


@cached_by_identity
def _entries(function: object) -> tuple[_Entry, ...]:
    if not is_function(function) or root(home_of(function)) not in NUMPYDOC:
        return ()
    text = getattr(function, "__doc__", None)
    match = _SECTION.search(text) if type(text) is str else None
    if match is None or type(text) is not str:
        return ()
    indent, found = match[1], []
    lines = text[match.end() :].splitlines()
    for index, line in enumerate(lines):
        if line.strip() and not line.startswith(indent):
            break
        if not line.strip():
            # a blank line and then a new section's underline
            if any(
                re.match(rf"{indent}\S", later) and _underlined(lines, n + index)
                for n, later in enumerate(lines[index:][:3])
            ):
                break
            continue
        if line.startswith(indent) and not line[len(indent) :].startswith((" ", "\t")):
            if _underlined(lines, index):
                break
            name, *words = re.split(r" :(?!\w+:`)", line.strip(), maxsplit=1)  # not before a role: "list or :class:`X`"
            follow = lines[index + 1].strip() if index + 1 < len(lines) else ""
            if not name.startswith("A namedtuple with"):  # whose fields follow
                found.append((name, words[0].strip(), follow) if words else ("", name, follow))
    return tuple(found)


def _underlined(lines: list[str], index: int) -> bool:
    return index + 1 < len(lines) and bool(re.match(r"\s*-{3,}\s*$", lines[index + 1]))


def _from_words(name: str, words: str, function: object, receiver: Value | None) -> Value:
    """The value that a phrase like ``ndarray of shape (n, m)`` or ``Series or DataFrame`` describes."""
    if name == "self" or words in {"self", "Self"}:
        return receiver if isinstance(receiver, Of) and root(receiver.kind.__module__) == "sklearn" else alike(receiver)
    return guess(_from_phrase(words, function))


def attribute_of(kind: type, name: str) -> Value:
    """The value of an attribute by the "Attributes" section of a docstring: ``coef_ : ndarray of shape (n_features,)``."""
    text = kind.__dict__.get("__doc__")
    if type(text) is not str or root(kind.__module__) not in NUMPYDOC:
        return UNKNOWN
    section = text.partition("Attributes\n")[2]
    found = re.search(rf"(?m)^[ \t]*{re.escape(name)} : (.+)$", section)
    return guess(_from_phrase(found[1], kind)) if found is not None else UNKNOWN


def _from_phrase(words: str, function: object) -> Value:
    phrase = words.strip("`{}:").replace("`", "")
    if root(home_of(function)) == "sklearn" and re.match(r"\{?(?:nd)?array(?: or |, ?)sparse", phrase):
        sparse = loaded_class("scipy.sparse", "csr_matrix")
        return either([array(), Of(sparse)]) if sparse is not None else UNKNOWN
    if re.search(r"(?i)sparse|same type|array[-_]like|callable|object$", phrase) or re.search(
        "generator|iterator", phrase
    ):
        return UNKNOWN
    phrase = re.sub(r"\([^()]*\)", "", phrase)
    parts = re.split(r"\s+or\s+|\s*\|\s*|,\s+or\s+|\bor\b", phrase.strip("{} "))
    values = [
        _from_word(_IN_WORDS.sub("", part).strip(" ,{}:"), part, function) for part in parts if part.strip(" ,{}")
    ]
    return either(values) if values else UNKNOWN


def _scalar(word: str, function: object) -> Value | None:
    """A number or a truth value; None where the word means none."""
    if word == "scalar" and root(home_of(function)) == "pandas":
        return UNKNOWN  # a timestamp, too, or a text: what the data are
    if re.fullmatch(r"(?:python )?(?:floats?|double|scalar)(?: scalar)?", word):
        return number(float, int, numpy_name="number")
    if re.fullmatch(r"ints?|integer", word):
        return number(int, numpy_name="integer")
    return number(bool, numpy_name="bool") if word in {"bool", "boolean"} else None


def _from_word(word: str, whole: str, function: object) -> Value:
    lowered = word.lower().removeprefix("a ").removeprefix("an ").removeprefix("the ")
    if "array" in lowered and home_of(function).startswith("scipy.sparse"):
        return UNKNOWN  # sparse for sparse, whatever the docstring says
    if re.search(r"\bnd-?arrays?\b|\bnumpy\.?\s?array\b", lowered):
        return array() if not re.match(r"(?:list|tuple|dict|sequence)", lowered) else UNKNOWN
    if re.fullmatch(r"(?:\d-d |1d |2d )?(?:\w+ )?array(?: of \w+)?", lowered):
        return array()
    scalar = _scalar(lowered, function)
    if scalar is not None:
        return scalar
    if lowered in _BY_WORD:
        return Of(_BY_WORD[lowered])
    dotted = re.fullmatch(r"(?:class:|~)*([\w.]+)\.(\w+)", word)
    if dotted is not None:
        kind = module_dict(sys.modules[dotted[1]]).get(dotted[2]) if dotted[1] in sys.modules else None
        if is_class(kind) and is_trusted(kind):
            return Of(kind)
    last = word.removeprefix("class:").removesuffix(" instance").removesuffix(" object").rpartition(".")[2].lstrip("~")
    if last.isidentifier() and last[:1].isupper():
        found = kind_named(last, function)
        if not isinstance(found, Unknown):
            return found
    if last in {"Series", "DataFrame", "Index", "Timestamp", "Timedelta", "DatetimeIndex"}:
        kind = pandas_class(last)
        return Of(kind) if kind else UNKNOWN
    return UNKNOWN
