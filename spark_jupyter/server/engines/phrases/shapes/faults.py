"""Questions why a line of code fails, with the line or the error in the prompt: what it means, and the line that works. Pure."""

from __future__ import annotations

import difflib
import re

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import kind
from spark_jupyter.server.engines.rewrite import quoted

_CALLS = {
    "mean": "mean", "sum": "sum", "max": "max", "min": "min", "median": "median", "std": "std", "plot": "plot", "hist": "hist",
    "average": "mean", "total": "sum",
}  # fmt: skip


def _called(said: Said) -> str:
    """ "why does t['Salary'].mean() not work": the column holds numbers as text, or is called otherwise."""
    asked, how = said.word("q"), _CALLS.get(said.found["how"].strip().lower() if said.has("how") else "", "")
    column = said.by_name.get(asked)
    if column is None:
        return _misnamed(said, asked, how)
    if column.kind != "text" or not how:
        raise UnknownError
    if column.holds.startswith("numbers"):
        said.says.append(f"Because `{asked}` holds text that looks like numbers. Made numbers first, it works.")
        return f"{said.of(column)}.{how}()"
    said.says.append(
        f"Because `{asked}` holds text, with which pandas can't reckon. As numbers, what is none becomes missing: look at how "
        f"many that are."
    )
    name = said.free("numbers")
    texts = f"{said.table}[{quoted(asked)}].astype(str)"
    said.before += [
        f'{name} = pd.to_numeric({texts}.str.replace(",", "").str.strip(), errors="coerce")',
        f'print({name}.isna().sum(), "are no numbers")',
    ]
    return f"{name}.{how}()"


def _misnamed(said: Said, asked: str, how: str) -> str:
    names = list(said.by_name)
    alike = [one for one in names if one.strip().lower() == asked.strip().lower()]
    alike = (
        alike
        or [one for one in names if _plain(one) == _plain(asked)]
        or difflib.get_close_matches(asked, names, n=1, cutoff=0.7)
    )
    alike = alike or [one for one in names if _plain(one).startswith(_plain(asked)) and len(asked) > 2]
    if len(alike) != 1 or alike[0] == asked:
        raise UnknownError
    said.says.append(
        f"Because there is no column `{asked}`: names are told apart by every letter, sign and space, and it is "
        f"called `{alike[0]}`."
    )
    column = said.by_name[alike[0]]
    made = f"{said.of(column)}.{how}()" if how else f"{said.table}[{quoted(alike[0])}]"
    return f"{made}  # not {quoted(asked)}"


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())


def _no_key(said: Said) -> str:
    if said.has("r") and said.word("r") != said.word("q"):
        raise UnknownError
    return _misnamed(said, said.word("q"), _CALLS.get(said.found["how"].strip().lower() if said.has("how") else "", ""))


def _invalid(said: Said) -> str:
    """A text that int() or float() can't read."""
    text = said.word("q")
    digits = re.sub(r"[\s$€£%]", "", text)
    turned = re.fullmatch(r"-?\d{1,3}(?:\.\d{3})+,\d+|-?\d+,\d{1,2}", digits)  # 1.234,50
    plain = digits.replace(".", "").replace(",", ".") if turned else re.sub(r",(?=\d{3}(?!\d))", "", digits)
    says = f"Because {quoted(text)} is no number as it stands"
    names = [
        one for one in said.namespace.variables if kind(one) == "texts" and one.name in (said.word("t"), said.word("u"))
    ]
    call = "float" if "." in plain or "float" in said.found[0].lower() else "int"
    if not re.fullmatch(r"-?\d+(?:\.\d+)?", plain):
        if not names:
            said.says.append(f"{says}: it has other signs than digits. What is no number is left out here.")
            return f"try:\n    number = {call}({quoted(text)})\nexcept ValueError:\n    number = None\nnumber"
        plain = ""
    else:
        said.says.append(f"{says}: {_sign(text)} Without that, it works.")
    if names:
        name = names[0].name
        clean = r're.sub(r"[^\d.-]", "", one)'
        if not plain:
            said.says.append(f"{says}. What holds no number is left out here.")
        return f'[{call}({clean}) for one in {name} if re.search(r"\\d", one)]  # such as {quoted(text)}'
    cleaned = f'{quoted(text)}.replace(",", "")' if plain == text.replace(",", "") else f"{quoted(plain)}"
    made = f"{call}({cleaned})" if "." not in plain or "float" in said.found[0].lower() else f"int(float({cleaned}))"
    return made if cleaned.startswith(quoted(text)) else f"{made}  # not {quoted(text)}"


def _column_of_such(said: Said) -> str:
    """The column of a table that holds such texts, as numbers. Raises :class:`UnknownError` where it is not one alone."""
    text, found = said.word("q"), [one for one in said.by_name.values() if one.holds.startswith("numbers")]
    if (
        len(found) != 1
        or not re.search(r"\d", text)
        or (re.search(r",\d{1,2}\D*$", text) and "comma" not in found[0].holds)
    ):
        raise UnknownError
    column = f"{said.table}[{quoted(found[0].name)}]"
    said.says.append(f"`{found[0].name}` holds such texts: here they become numbers, and what is none becomes missing.")
    return f"{column} = {said.of(found[0])}  # such as {quoted(text)}\n{said.table}"


def _sign(text: str) -> str:
    if "," in text:
        return "the comma is no part of a number in Python."
    return (
        "Python takes digits and a dot only."
        if "." not in text
        else "int() takes whole numbers only: float() takes those with a dot."
    )


def _joined(said: Said) -> str:
    """A text plus a number."""
    said.says.append(
        "Because Python adds numbers to numbers and text to text, not one to the other. As text, or in an f-string, "
        "it works."
    )
    text, number = said.word("q"), said.number("n")
    return f'print({quoted(text)} + str({number}))\nprint(f"{text}{{{number}}}")'


def _about_text(words: str) -> bool:
    """Whether an error's message is one of text with which is reckoned."""
    return re.search(r"could not convert|unsupported operand|must be|cannot perform|can't|dtype|str", words) is not None


_NOT = (
    "(not work|fail|give error|raise error|not working|crash|throw error|go wrong|give me error|give strange result|give "
    "nonsense|failing)"
)
_HOW = "(mean|sum|max|min|median|std|average|total:HOW)"
_DO = "[when|if] [I] (do|run|call|type|write|try|use|say|execute)"
_DOING = (
    "[(when|if|for|with|from|by)] [I] [do|run|call|type|write|try|use|say|execute] [(int|float) [{q:s}|[{w:w}] for {w:v} in "
    "{t:t}|{t:u}|{w:x}]]"
)
_TAKING = (
    "[(when|if|for|with|from|by)] [I] [do|run|call|type|write|try|use] [{t:t}] [{c:c}|{q:s}] [.] [astype] [int|float]"
)
_FIX = (
    "[how] [do|can|should|to] [I] [(fix|solve|repair|correct|avoid) [that|it]|what is wrong|why|what does that mean|what does it mean|"
    "what now|help|what do I do]"
)
_ERR = "[I|it] [get|got|have|gives] [error|always]"

SHAPES = (
    Shape((
        f"why (does|is|do) {{t:t}} {{q:q}} [.] {_HOW} {_NOT}",
        f"{{t:t}} {{q:q}} [.] {_HOW} (does not work|doesn't work|fails|gives error|raises error|crashes|is not working) [why] {_FIX}",
        f"why {{t:t}} {{q:q}} [.] {_HOW} [does] {_NOT}",
        f"{_ERR} (TypeError|ValueError) {{rest:r}} {_DO} {{t:t}} {{q:q}} [.] {_HOW} {_FIX}",
    ), lambda said: _called(said) if not said.has("r") or _about_text(said.found["r"]) else None),
    Shape((
        f"{_ERR} KeyError {{q:q}} {_DO} {{t:t}} {{q:r}} [[.] {_HOW}] {_FIX}",
        f"why (does|do) {{t:t}} {{q:q}} [.] {_HOW} (give|raise|throw) [me] (KeyError|key error)",
        "why (does|do) {t:t} {q:q} (give|raise|throw) [me] [KeyError|key error]",
        "why [do|did] I get [KeyError|key error] [{q:r}] [for|with|from|when I do] {t:t} {q:q}",
    ), _no_key),
    Shape((
        f"{_ERR} ValueError invalid literal for int with base [{{n:b}}|10] {{q:q}} {_TAKING} {_FIX}",
        f"{_ERR} ValueError could not convert string to float {{q:q}} [< -] {_TAKING} {_FIX}",
    ), _column_of_such),
    *(
        Shape((
            f"{_ERR} ValueError invalid literal for int with base [{{n:b}}|10] {{q:q}} {_DOING} {_FIX}",
            f"{_ERR} ValueError could not convert string to float {{q:q}} [< -] {_DOING} {_FIX}",
        ), _invalid, kinds)
        for kinds in ("things", "loose")
    ),
    Shape((
        "why (does|do|is) {q:q} + {n:n} (give|raise|fail|not work|throw|giving) [me] [error] [TypeError] [{rest:r}]",
    ), _joined, "loose"),
)  # fmt: skip
"""Why it fails."""
