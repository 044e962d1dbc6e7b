"""What is asked of no variable: files in a folder, lines of a text file, dates, random numbers, curves. Pure.

Each rule is a pattern over a marked prompt and a function of its match. As everywhere, nothing that says something may be left over.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.query.dates import iso
from spark_jupyter.server.engines.query.equations import solved
from spark_jupyter.server.engines.query.marked import VALUE, D, F, Marked, N
from spark_jupyter.server.engines.query.plain import with_imports
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[[re.Match[str], Marked], str | None]

_ALL = r"(?:\b(?:all|every|each|the|of|my|files?|csvs?|single)\s+)*"
_PATTERN_FILE = re.compile(r"(?<![\w/])[\w./-]*\*[\w.*/-]*")
_READERS = {
    "csv": "read_csv",
    "csvs": "read_csv",
    "excel": "read_excel",
    "xlsx": "read_excel",
    "json": "read_json",
    "parquet": "read_parquet",
}
_ENDINGS = {"excel": "xlsx", "csvs": "csv", "text": "txt"}
_FOLDER = (
    r"(?:(?:the\s+|this\s+|a\s+)?(?:folder|directory|dir)\s+|(?:the|my)\s+(?=[\w./-]+\s+(?:folder|directory)\b))?(?P<where>[`'\"]?(?:⟨[qt]\d+⟩|(?!the\b|this"
    r"\b|current\b|here\b|there\b|that\b|my\b|one\b|a\b)[A-Za-z_][\w./-]*)/?)(?:\s+(?:folder|directory))?"
)
_LOUDLY = (
    r"(?:[\s,]*(?:and\s+)?(?:(?:ignoring|regardless\s+of)\s+case|upper\s+or\s+lower\s+case|lower\s+or\s+up"
    r"per\s+case|in\s+any\s+case))"
)


def read(prompt: str) -> tuple[str, tuple[str, ...]] | None:
    """The source that answers, and the words that nothing was made of; None where nothing here fits."""
    if (source := solved(prompt)) is not None:
        return with_imports(source), ()
    starred = _PATTERN_FILE.search(prompt)
    said = prompt.replace(starred[0], f'"{starred[0]}"') if starred and f'"{starred[0]}"' not in prompt else prompt
    for pattern, make in _RULES:
        marked = Marked(said, tables=[], columns=[])
        if any(value.startswith("--") for value in marked.values.values()):
            return None  # a day of no year
        found = marked.find(pattern)
        source = make(found, marked) if found is not None else None
        if source is None:
            continue
        marked.take(pattern)
        left = tuple(marked.left())
        if not left:
            return with_imports(source), left
    return None


def _globbed(found: re.Match[str], marked: Marked) -> str | None:
    """The pattern of the files of a kind in a folder, as source."""
    groups = found.re.groupindex
    if "star" in groups and found["star"]:
        where, _, name = marked.value(found["star"]).rpartition("/")
        return f"sorted(Path({quoted(where)}).glob({quoted(name)}))" if "*" in name else None
    where = marked.value(found["where"].strip("`'\"/")) if "where" in groups and found["where"] else "."
    ending = _ENDINGS.get(found["kind"].lower(), found["kind"].lower())
    return f"sorted(Path({quoted(where.strip('/'))}).glob({quoted(f'*.{ending}')}))"


def _all_files(found: re.Match[str], marked: Marked) -> str | None:
    files = _globbed(found, marked)
    ending = found["kind"].lower() if "kind" in found.re.groupindex and found["kind"] else "csv"
    if "star" in found.re.groupindex and found["star"]:
        ending = marked.value(found["star"]).rpartition(".")[2]
    reader = _READERS.get(ending)
    if files is None or reader is None:
        return None
    more = ', sep=None, engine="python"' if reader == "read_csv" else ""
    one = f"pd.{reader}(path{more})"
    if found["named"]:
        one += ".assign(file=path.name)"
    return f"files = {files}\ntable = pd.concat([{one} for path in files], ignore_index=True)\ntable"


def _listing(found: re.Match[str], marked: Marked) -> str | None:
    files = _globbed(found, marked)
    if files is None:
        return None
    counted = re.search(r"\bnumber\s+of\b|\bcount\b", found[0], re.IGNORECASE)
    return f"len({files})" if counted else f"[path.name for path in {files}]"


def _lines(found: re.Match[str], marked: Marked) -> str | None:
    groups = found.re.groupindex
    word, how = marked.value(found["w"]), found["how"].lower()
    loud = "loud" in groups and found["loud"]
    line, sought = ("line.lower()", quoted(word.lower())) if loud else ("line", quoted(word))
    test = (
        f"{line}.startswith({sought})"
        if how.startswith(("start", "begin"))
        else f"{line}.endswith({sought})"
        if how.startswith("end")
        else f"{sought} in {line}"
    )
    counted = re.search(r"\bnumber\s+of\b|\bcount\b", found.string, re.IGNORECASE)
    if "*" in marked.value(found["f"]):
        where, _, name = marked.value(found["f"]).rpartition("/")
        lines = (
            f"lines = [line for path in sorted(Path({quoted(where)}).glob({quoted(name)})) for line in path.read_t"
            f'ext(encoding="utf-8").splitlines()]'
        )
    else:
        lines = f'lines = Path({quoted(marked.value(found["f"]))}).read_text(encoding="utf-8").splitlines()'
    chosen = f"[line for line in lines if {test}]"
    return f"{lines}\nchosen = {chosen}\n{'len(chosen)' if counted else 'print(*chosen, sep=chr(10))'}"


def _lines_of_all(found: re.Match[str], marked: Marked) -> str | None:
    """Lines with a word, of every file of a kind in a folder: counted, or shown."""
    files, word = _globbed(found, marked), quoted(marked.value(found["w"]))
    if files is None:
        return None
    lines = 'path.read_text(encoding="utf-8").splitlines()'
    if re.search(r"\bnumber\s+of\b|\bcount\b", found[0], re.IGNORECASE):
        return f"{{path.name: sum({word} in line for line in {lines}) for path in {files}}}"
    return f"[line for path in {files} for line in {lines} if {word} in line]"


def _occurrences(found: re.Match[str], marked: Marked) -> str | None:
    file, what = marked.value(found["f"]), found["what"].lower()
    text = f'Path({quoted(file)}).read_text(encoding="utf-8")'
    if "*" in file:
        return None
    return (
        f"Counter({text}.splitlines()).most_common()"
        if what.startswith("line")
        else f'Counter(re.findall(r"\\w+", {text}.lower())).most_common()'
    )


def _weekday(found: re.Match[str], marked: Marked) -> str | None:
    return f'from datetime import date\n\ndate.fromisoformat({quoted(iso(marked.value(found["d"])))}).strftime("%A")'


def _until(found: re.Match[str], marked: Marked) -> str | None:
    day = f"date.fromisoformat({quoted(iso(marked.value(found['d'])))})"
    since = re.search(r"\bsince\b|\bago\b|\bpassed\b", found[0], re.IGNORECASE)
    days = f"(date.today() - {day}).days" if since else f"({day} - date.today()).days"
    unit = found["unit"].lower()
    return f"from datetime import date\n\n{days}{' / 7' if unit.startswith('week') else ''}"


def _apart(found: re.Match[str], marked: Marked) -> str | None:
    a, b = (f"date.fromisoformat({quoted(iso(marked.value(found[one])))})" for one in "ab")
    return f"from datetime import date\n\n({b} - {a}).days"


def _dice(found: re.Match[str], marked: Marked) -> str | None:
    count = marked.value(found["n"])
    drawn = re.search(r"\b(?:histogram|plot|draw|chart|bar)\b", found.string, re.IGNORECASE)
    coin = found["what"].lower().startswith("coin")
    name, high, low = ("flips", 2, 0) if coin else ("rolls", 7, 1)
    lines = ["rng = np.random.default_rng(42)", f"{name} = rng.integers({low}, {high}, size={count})"]
    if coin:
        lines.append(f"{name}.mean()  # 1 is heads")
    elif drawn:
        lines += [f"plt.hist({name}, bins=np.arange(0.5, 7), rwidth=0.9)", 'plt.xlabel("eyes")', "plt.show()"]
    else:
        lines.append(name)
    return "\n".join(lines)


def _random(found: re.Match[str], marked: Marked) -> str | None:
    count, low, high = (marked.value(found[one]) for one in ("n", "a", "b"))
    whole = re.search(r"\b(?:whole|integers?|ints?)\b", found[0], re.IGNORECASE)
    call = f"rng.integers({low}, {high} + 1, size={count})" if whole else f"rng.uniform({low}, {high}, size={count})"
    return f"rng = np.random.default_rng(42)\nnumbers = {call}\nnumbers"


def _powers(found: re.Match[str], marked: Marked) -> str | None:
    low, high = (marked.value(found["a"]), marked.value(found["b"])) if found["a"] else ("1", marked.value(found["n"]))
    return f"[number**{3 if 'cub' in found[0].lower() else 2} for number in range({low}, {high} + 1)]"


def _fibonacci(found: re.Match[str], marked: Marked) -> str | None:
    top = marked.value(found["n"])
    return f"numbers = [0, 1]\nwhile numbers[-1] + numbers[-2] <= {top}:\n    numbers.append(numbers[-1] + numbers[-2])\nnumbers"


def _curves(found: re.Match[str], marked: Marked) -> str | None:
    ends = []
    for one in "ab":
        said = found[one].strip().lower().replace("π", "pi")
        ends.append(" * ".join({"pi": "np.pi"}.get(part, marked.value(part)) for part in said.split()))
    names = re.findall(r"\b(?:sin|cos|tan|exp|log|sqrt|tanh)\b", found["f"].lower())
    lines = [f"x = np.linspace({ends[0]}, {ends[1]}, 200)"]
    lines += [f"plt.plot(x, np.{name}(x), label={quoted(name)})" for name in names]
    return "\n".join([*lines, "plt.legend()", "plt.show()"])


_NAMED = (
    r"(?P<named>[\s,]*(?:and\s+|with\s+)?(?:add\s+|keep\s+|have\s+)?(?:the\s+|its\s+|their\s+|a\s+)?(?:col"
    r"umn\s+(?:of|with|for)\s+(?:the\s+)?)?file\s?names?(?:\s+(?:as|in)\s+(?:a\s+|new\s+|an\s+extra\s+)*co"
    r"lumn)?)?"
)
_TOGETHER = (
    r"(?:\s+(?:in\s*to|as|to|in)\s+(?:one|a|a\s+single|single|the\s+same)\s*(?:big\s+)?(?:table|df|frame)?"
    r"|\s+together|\s+into\s+(?:a\s+)?table)*"
)
_READ = r"\b(?:read|load|import|open|combine|concat(?:enate)?|merge|stack)\b\s+"
_CALLS = (
    r"(?P<f>(?:sin|cos|tan|exp|log|sqrt|tanh)(?:\(x\)|\s+x)?(?:\s*(?:,|and|,\s*and)\s*(?:sin|cos|tan|exp|l"
    r"og|sqrt|tanh)(?:\(x\)|\s+x)?)*)"
)
_END = rf"(?:{N}\s+(?:\*\s*)?)?(?:pi\b|π)|{N}"
_RULES: tuple[tuple[str, Maker], ...] = (
    (
        (rf"(?:\b(?:make|a|the|list|of|all)\s+)*(?:squares|cubes|square\s+numbers|cube\s+numbers)\s+(?:of\s+the"
            rf"\s+numbers\s+)?from\s+(?P<a>{N})\s+to\s+(?P<b>{N})(?P<n>(?!))?"),
        _powers,
    ),
    (
        (rf"(?:\b(?:make|a|the|list|of|all)\s+)*first\s+(?P<n>{N})\s+(?:squares|cubes|square\s+numbers|cube\s+nu"
            rf"mbers)(?P<a>(?!))?(?P<b>(?!))?"),
        _powers,
    ),
    ((rf"{_READ}{_ALL}(?P<kind>csvs?|excel|xlsx|json|parquet)(?:\s+files?)?\s+(?:(?:that|which)\s+are\s+)?(?:"
            rf"in|from|of)\s+{_FOLDER}{_TOGETHER}{_NAMED}"), _all_files),
    ((rf"{_READ}{_ALL}(?P<kind>csvs?|excel|xlsx|json|parquet)\s+files?(?:\s+(?:here|in\s+(?:this|the|the\s+cu"
            rf"rrent)\s+(?:folder|directory)))?{_TOGETHER}{_NAMED}"), _all_files),
    (rf"{_READ}{_ALL}(?P<star>⟨[qf]\d+⟩)(?:\s+files?)?{_TOGETHER}{_NAMED}", _all_files),
    (
        (rf"\b(?:list|show|find|number\s+of|count|which|what)\s+(?:(?:are|there|me)\s+)*{_ALL}(?P<kind>csv|excel"
            rf"|xlsx|json|parquet|txt|text|png|log|py|pdf)\s+files?(?:\s+are)?"
        rf"(?:\s+(?:there|are))*\s+(?:in|of)\s+{_FOLDER}"),
        _listing,
    ),
    (
        (rf"(?:\b(?:print|show|list|give|me|get|find|number\s+of|count|only|all|the|those)\s+)*\blines\s+(?:in|o"
            rf"f|from)\s+(?:all\s+|the\s+|file\s+)*(?P<f>⟨[fq]\d+⟩)(?:\s+files)?\s+"
        rf"(?:(?:that|which|with|do|have)\s+)*(?P<how>start|begin|end|contain|mention|includ|have|has|with)\w*("
            rf"?:\s+(?:with|in|the|word|an?))*\s+(?P<w>{VALUE}){_LOUDLY}?"),
        _lines,
    ),
    (
        (rf"(?:\b(?:print|show|list|give|me|get|find|number\s+of|count|only|all|the|those)\s+)*\blines\s+(?:(?:t"
            rf"hat|which)\s+)?(?P<how>start|begin|end|contain|mention|includ|have|has|with)\w*"
        rf"(?:\s+(?:with|in|the|word|an?))*\s+(?P<w>{VALUE})\s+(?:in|of|from)\s+(?:all\s+|the\s+|file\s+)*(?P<f"
            rf">⟨[fq]\d+⟩)(?:\s+files)?{_LOUDLY}?"),
        _lines,
    ),
    (
        (rf"(?:\b(?:print|show|list|give|me|get|find|number\s+of|count|only|all|the|those)\s+)*(?P<w>{VALUE})\s+lines\s+(?:in|of|from|per)\s+"
            rf"(?:all|every|each|the|my|\s)*(?P<kind>log|txt|text)\s+files?\s+(?:in|of|from)\s+{_FOLDER}"),
        _lines_of_all,
    ),
    (
        (rf"(?:\b(?:number\s+of|count|how\s+often|times|does|do|is|the|of)\s+)+(?:each|every|different|all)\s+(?"
            rf"P<what>line|word)s?\s+(?:(?:occurs?|appears?|comes?|is|there|up)\s+)*(?:in|of)\s+(?:the\s+)?(?:file"
            rf"\s+)?(?P<f>{F})"),
        _occurrences,
    ),
    ((rf"\b(?:(?:what|which)\s+)?(?:weekday|day)\s*(?:of\s+the\s+week\s+)?(?:is|was|does|did|will|be|it|on|fa"
            rf"ll|of|the|for|date|\s)*(?P<d>{D})(?:\s+(?:on|fall(?:s)?))*"), _weekday),
    ((rf"\b(?:number\s+of\s+)?(?P<unit>days|weeks)\s+(?:(?:are|is|it|left|there|remain|have|passed|to\s+go)\s"
            rf"+)*(?:until|till|to|before|since)\s+(?:the\s+)?(?P<d>{D})(?:\s+from\s+(?:today|now))?"), _until),
    (rf"\b(?:number\s+of\s+)?days\s+(?:(?:are|is|there|lie)\s+)*(?:between|from)\s+(?P<a>{D})\s+(?:and|to|until)\s+(?P<b>{D})", _apart),
    ((rf"(?:\b(?:simulate|throw|roll|flip|toss|do|make)\s+)*(?P<n>{N})\s+(?:throws?\s+of\s+(?:a\s+)?|rolls?\s"
            rf"+of\s+(?:a\s+)?)?(?P<what>dice|die|coins?)(?:\s+(?:rolls?|throws?|flips?|toss(?:es)?))?"
     r"(?:[\s,]*(?:and|then|with)?\s*(?:draw|plot|show|make)?\s*(?:a|an|the|its|their)?\s*(?:histogram|bar"
            r"\s+chart|chart|plot)(?:\s+of\s+(?:them|it|the\s+results?))?)?"), _dice),
    ((rf"(?:\b(?:make|create|generate|draw|give|me|a|an|array|list|of|with)\s+)*(?P<n>{N})\s+(?:(?:random|who"
            rf"le|real|float)\s+)*(?:numbers|integers|ints|floats|values)\s+(?:between|from)\s+(?P<a>{N})\s+(?:and|"
            rf"to)\s+(?P<b>{N})"
     r"(?:[\s,]*(?:and\s+)?(?:reproducibly|reproducible|with\s+a\s+(?:fixed\s+)?seed|always\s+the\s+same(?:"
            r"\s+ones)?|seeded))?"), _random),
    ((rf"\bfibonacci\s+(?:numbers|sequence|series)?\s*(?:up\s+to|below|<=|less\s+than|smaller\s+than|under|un"
            rf"til)\s+(?P<n>{N})"), _fibonacci),
    ((rf"\b(?:plot|draw|graph)\s+(?:the\s+|a\s+|function\s+|curves?\s+of\s+|functions\s+)*{_CALLS}\s+(?:from|"
            rf"between|for\s+x\s+from|on|over)\s+(?P<a>{_END})\s+(?:to|and|until)\s+(?P<b>{_END})(?:[\s,]*(?:with|a"
            rf"nd)\s+(?:a\s+)?legend)?"), _curves),
)  # fmt: skip
