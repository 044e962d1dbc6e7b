"""Files that are read as they are written (separators, decimal commas, lines to skip), several of a pattern, rows that are appended, lines
of texts, and tables that are saved. Pure.
"""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.sources import listed
from spark_jupyter.server.engines.rewrite import quoted
from spark_jupyter.server.engines.words import digits

_SEPARATORS = {
    "semicolon": ";",
    "tab": "\\t",
    "comma": ",",
    "pipe": "|",
    "space": " ",
    "colon": ":",
    "tabulator": "\\t",
}
_OPTION = re.compile(
    r"(?:(?:and|with|it's|it|has|have|is|are|uses?|using|by|as|there|its|separated|delimited|delimiter|separators?"
    r"|sep|signs?|columns|fields|file|that"
    r"|in|of"
    r"|between|lines?|rows?|at|top|beginning|start|written|contains?|please|but|where|numbers|values|encoded|encoding|so) )"
    r"|(?P<decimal>(?:decimal (?:commas?|is comma)|commas? (?:as|for|is|are) decimals?(?: separator| sign"
    r"| point| mark)?|german numbers|european numbers"
    r"|comma decimals?) )"
    r"|(?P<thousands>(?:dots?|points?) (?:as|for|is|are) thousands?(?: separators?)? )"
    r"|(?P<skip>(?:skip|ignore|leave out|drop|without|skipping|ignoring) (?:first |top |leading )?(?P<n>⟨n\d+⟩|one|two|three|four|five)? ?"
    r"(?:first |top |comment |header )?(?:lines?|rows?) )"
    r"|(?P<junk>first (?P<m>⟨n\d+⟩|two|three|four|five)? ?(?:lines?|rows?) (?:are|is) "
    r"(?:comments?|junk|notes?|no data|text|garbage|title|not data|headers? text) )"
    r"|(?P<headless>(?:no|without|has no|there is no) (?:a )?(?:header|headers|header row|column names|header line) )"
    r"|(?P<latin>(?:latin-?1|latin 1|iso-8859-1|windows-1252|cp1252) )|(?P<utf>utf-?8 )"
    r"|(?P<sep>semicolons?|tabs?|pipes?|tabulators?|commas?)(?:[- ]separated)? ",
    re.IGNORECASE,
)


def _options(said: Said, text: str) -> list[str]:
    """What is said of how the file is written, as arguments. Raises :class:`UnknownError` where a word is not understood."""
    found: dict[str, str] = {}
    at = 0
    text = re.sub(r"(?<=\w)-separated", " separated", text)
    while at < len(text):
        one = _OPTION.match(text, at)
        if one is None:
            raise UnknownError
        at = one.end()
        if one["sep"]:
            found["sep"] = f'sep="{_SEPARATORS[one["sep"].lower().rstrip("s")]}"'
        elif one["decimal"]:
            found["decimal"] = 'decimal=","'
        elif one["thousands"]:
            found["thousands"] = 'thousands="."'
        elif one["skip"] or one["junk"]:
            number = said.marked.value(one["n"] or one["m"] or "one")
            found["skip"] = f"skiprows={digits(number)}"
        elif one["headless"]:
            found["header"] = "header=None"
        elif one["latin"]:
            found["encoding"] = 'encoding="latin-1"'
        elif one["utf"]:
            found["encoding"] = 'encoding="utf-8"'
    signs = re.search(r"(?:\s|[\"'(])([;|])(?=[\s\"')]|$)", said.marked.text)
    if signs and "sep" not in found:
        found["sep"] = f'sep="{signs[1]}"'
    return list(found.values())


def _reader(said: Said, text: str) -> str:
    """The call that reads the file."""
    name = said.word("f")
    options = _options(said, text)
    ending = name.lower().rpartition(".")[2]
    if ending == "tsv" and not any(one.startswith("sep") for one in options):
        options = ['sep="\\t"', *options]
    if ending in ("csv", "tsv", "txt", "dat"):
        return f"pd.read_csv({', '.join([quoted(name), *options])})"
    if ending in ("xlsx", "xls") and not any(one.startswith(("sep", "decimal")) for one in options):
        sheet = [f"sheet_name={quoted(said.plainly(said.found['sheet']))}"] if said.has("sheet") else []
        return f"pd.read_excel({', '.join([quoted(name), *sheet, *options])})"
    call = {"json": "read_json", "parquet": "read_parquet"}.get(ending)
    if call is None or options:
        raise UnknownError
    return f"pd.{call}({quoted(name)})"


def _name(said: Said) -> str:
    """What the table is to be called."""
    if said.has("called"):
        name = said.plainly(said.found["called"])
        if not name.isidentifier():
            raise UnknownError
        return name
    if "df" not in said.namespace.names:
        return "df"
    stem = re.sub(r"\W+", "_", said.word("f").rpartition(".")[0].rpartition("/")[2]).strip("_").lower()
    return said.free(stem if stem.isidentifier() else "table")


def _read(said: Said) -> str:
    call = _reader(said, said.found["how"])
    if "," not in call and not said.has("called"):
        raise UnknownError  # a plain one: the books'
    name = _name(said)
    said.before.append(f"{name} = {call}")
    return f"{name}.head({said.number('n')})" if said.has("n") else name


def _appended(said: Said) -> str:
    """A file's rows behind those of a table."""
    table = said.variable("t")
    if table.type != "DataFrame" or table.polars:
        raise UnknownError
    call = _reader(said, said.found["how"])
    dates = [one.name for one in table.columns if one.kind == "date"]
    if dates and "read_csv(" in call:
        call = f"{call[:-1]}, parse_dates={listed(dates)})"
    said.before.append(f"{table.name} = pd.concat([{table.name}, {call}], ignore_index=True)")
    return table.name


def _stacked(said: Said) -> str:
    """The rows of one table behind those of another."""
    one, other = said.variable("t"), said.variable("o")
    if {one.type, other.type} != {"DataFrame"} or one.polars or other.polars or one is other:
        raise UnknownError
    if not {column.name for column in one.columns} & {column.name for column in other.columns}:
        raise UnknownError
    name = one.name if said.has("into") else said.free("combined")
    said.before.append(f"{name} = pd.concat([{one.name}, {other.name}], ignore_index=True)")
    return name


def _pattern(said: Said) -> str:
    """All files of a pattern as one table, with the file that each row is of where that is asked."""
    ending = said.word("ending").lower()
    stem = re.search(r"([\w-]*)\*([\w-]*)\.(csv|xlsx|json|parquet|tsv)\b", said.marked.text)
    start = said.word("start") if said.has("start") else ""
    if stem and not start:
        pattern = f"{stem[1]}*{stem[2]}.{stem[3]}"
        ending = stem[3]
    elif re.search(r"\*", said.marked.text):
        raise UnknownError
    else:
        pattern = ""
    said_so = re.sub(r"[\w-]* ?\* ?[\w-]* ?|\b(?:csv|xlsx|excel|json|parquet|tsv)\b", "", said.found["files"]).split()
    kinds = re.findall(r"\b(?:csv|xlsx|excel|json|parquet|tsv)\b", said.found["files"].lower())
    ending = ending or (kinds[0] if kinds else "")
    if said_so:
        raise UnknownError
    pattern = pattern if stem and not start else f"{start}*.{'xlsx' if ending == 'excel' else ending}"
    call = {"csv": "read_csv(path{})", "tsv": 'read_csv(path, sep="\\t"{})', "xlsx": "read_excel(path{})", "json": "read_json(path{})",
            "parquet": "read_parquet(path{})"}.get({"excel": "xlsx"}.get(ending, ending))  # fmt: skip
    if call is None:
        raise UnknownError
    options = _options(said, said.found["how"])
    call = "pd." + call.format("".join(f", {one}" for one in options))
    call += ".assign(file=path.name)" if said.has("file") else ""
    name = said.plainly(said.found["called"]) if said.has("called") else said.free("df")
    said.before.append(
        f'{name} = pd.concat([{call} for path in sorted(Path(".").glob({quoted(pattern)}))], ignore_index=True)'
    )
    return name


def _lines(said: Said) -> str:
    """The lines of a text in which something stands."""
    name = said.word("f")
    if name.lower().endswith((".xlsx", ".parquet", ".json", ".png")):
        raise UnknownError
    wanted = said.plainly(said.found["word"]).strip("\"'") if said.has("word") else ""
    low = said.has("case")
    line = "line.lower()" if low else "line"
    how = said.found["how"].lower()
    if said.has("empty"):
        test = "line.strip()" if said.has("no") else "not line.strip()"
    elif re.search(r"start|begin", how):
        test = f"{line}.startswith({quoted(wanted.lower() if low else wanted)})"
    elif re.search(r"end", how):
        test = f"{line}.rstrip().endswith({quoted(wanted.lower() if low else wanted)})"
    else:
        test = f"{quoted(wanted.lower() if low else wanted)} {'not in' if re.search(r'not|without|no ', how) else 'in'} {line}"
    lines = f'Path({quoted(name)}).read_text(encoding="utf-8").splitlines()'
    if said.has("count"):
        return f"sum({'bool(' + test + ')' if test == 'line.strip()' else test} for line in {lines})"
    said.before.append(f"for line in {lines}:\n    if {test}:\n        print(line)")
    return ""


def _saved(said: Said) -> str:
    """A table as a file."""
    table = said.variable("t")
    if table.type != "DataFrame" or table.polars:
        raise UnknownError
    said_so = said.word("kind").lower()
    kind = {"excel": "xlsx", "excel file": "xlsx", "csv file": "csv", "json file": "json"}.get(said_so, said_so)
    name = said.word("f") if said.has("f") else f"{table.name}.{kind}"
    ending = name.lower().rpartition(".")[2]
    plain = said.has("plain")
    options = ["index=False"] if plain and ending in ("csv", "xlsx", "tsv") else []
    options += ['orient="records"', "indent=2"] if ending == "json" else []
    options += ['sep=";"'] if said.has("semi") and ending == "csv" else []
    options += ['decimal=","'] if said.has("comma") and ending == "csv" else []
    call = {"csv": "to_csv", "xlsx": "to_excel", "json": "to_json", "parquet": "to_parquet", "tsv": "to_csv"}.get(
        ending
    )
    if call is None or ((said.has("semi") or said.has("comma")) and ending != "csv"):
        raise UnknownError
    options += ['sep="\\t"'] if ending == "tsv" else []
    said.before.append(f"{table.name}.{call}({', '.join([quoted(name), *options])})")
    return f'print("saved", {quoted(name)})'


_READ = "(read|load|open|import|read in|load in)"
_CALLED = (
    "[(as|into|call it|name it|called|named|in) [table|dataframe|variable] [called|named] ({w:called}|{t:called})]"
)
_LINE = "(lines|line)"
_WITH = (
    "(with|containing|that contain|that contains|that have|having|that mention|mentioning|in which is|that include|including|that say|where"
    "|starting with|that start with|beginning with|that begin with|that end with|ending with|without|not containing|that do not contain"
    "|that have no|which contain|which have:HOW)"
)
_WORD = (
    "[word|text|string] ({any:word}|{t:word}) [(in upper or lower case|ignoring case|case insensitive|upper or lower "
    "case:CASE)] [in (it|them)]"
)
_CASE = "(in upper or lower case|ignoring case|case insensitive|upper or lower case:CASE)"
_SHOWN = "(print|show|give|list|display|get|output|see|keep)"

SHAPES = (
    Shape((
        f"[{_READ}] {{f:f}} and (append|add) [its|all|them|it|rows] [rows|data|lines|contents] to [end of|bottom of] {{t:t}} {{rest:how}}",
        f"{_READ} {{f:f}} {{rest:how}} and (append|add) [its|all|them|it] [rows|data|lines] to [end of|bottom of] {{t:t}}",
        "(append|add) [rows|data|lines|contents|all rows] [(of|from|in)] {f:f} [rows|data] to [end of|bottom of] {t:t} {rest:how}",
        "(append|add) {f:f} (to|at end of|below|at bottom of) {t:t} {rest:how}",
    ), _appended, "stored"),
    Shape((
        "(append|add) [rows|all rows] [of|from] {t:o} (to|at end of|below|under:INTO) {t:t}",
        ("(stack|concat|concatenate|combine|put) {t:t} and {t:o} (below each other|vertically|one below other|on top of each "
         "other|under each other|into one table|row wise|row-wise|one after other)"),
        "(concat|concatenate) {t:t} and {t:o}",
    ), _stacked, "stored"),
    Shape((
        f"{_READ} {{f:f}} {_CALLED} {{rest:how}}",
        f"{_READ} {{f:f}} {{rest:how}} {_CALLED}",
        f"{_READ} {{f:f}} {{rest:how}} and (show|print|display) first {{num:n}} (rows|lines)",
        f"{_READ} (sheet|tab) {{any:sheet}} (of|from|in) {{f:f}} {{rest:how}}",
        f"{_READ} {{f:f}} [only] sheet {{any:sheet}} {{rest:how}}",
    ), _read, "stored"),
    Shape((
        (f"{_READ} all {{rest:files}} files [in folder|here|in this folder|in directory] [(starting|that start|beginning|that "
         f"begin|named) with {{w:start}}] (into|as|in|to) one table {_CALLED} [(with|and add|and|plus) [column|extra column|new "
         "column] [(saying|with|for|telling|that says|showing|of)] [which|name of|source] (file|file name|filename|file it is "
         f"from|file they are from|file it came from:FILE)] {{rest:how}}"),
    ), _pattern, "stored"),
    Shape((
        f"[{_READ} {{f:f}} and] {_SHOWN} [only|all|just] {_LINE} {_WITH} {_WORD} [(of|in|from) {{f:f}}]",
        f"[only|all] {_LINE} {_WITH} {_WORD} (of|in|from) {{f:f}} [{_CASE}]",
        f"[{_SHOWN}] [only|all|just] {_LINE} (of|in|from) {{f:f}} {_WITH} {_WORD}",
        f"(number of|count:COUNT) {_LINE} {_WITH} {_WORD} (of|in|from) {{f:f}} [{_CASE}]",
        f"(number of|count:COUNT) {_LINE} (of|in|from) {{f:f}} {_WITH} {_WORD}",
        f"(number of|count:COUNT) {_LINE} (of|in|from) {{f:f}} (have|contain|mention|include:HOW) {_WORD}",
        (f"[{_READ} {{f:f}} and] {_SHOWN} [only|all] {_LINE} [that|which] (are not|aren't|without:NO) (empty|blank:EMPTY) "
         f"[{_LINE}] [(of|in|from) {{f:f}}]"),
        f"(number of|count:COUNT) (empty|blank:EMPTY) {_LINE} (in|of) {{f:f}}",
        f"(number of|count:COUNT) (non-empty|non empty|not empty:NO) {_LINE} (in|of) {{f:f}}",
    ), _lines, "stored"),
    Shape((
        ("(save|export|write|store|dump) {t:t} (to|as|in|into) [file] [(excel|excel file|csv|csv file|json|json file|parquet|"
         "xlsx:KIND)] [file] [(called|named|as|to|:)] [{f:f}] [with] [(semicolons|semicolon|semicolons as separator:SEMI)] "
         "[and] [(decimal comma|decimal commas:COMMA)] [but] [and] (without row numbers|without index|no index|without row "
         "index|without row number|with no index|no row numbers|without index column|without line numbers:PLAIN)"),
        ("(save|export|write|store|dump) {t:t} (to|as|in|into) [file] [(excel|excel file|csv|csv file|json|json file|parquet|"
         "xlsx:KIND)] [file] [(called|named|as|to)] {f:f} [with] (semicolons|semicolon|semicolons as separator|semicolons "
         "between columns:SEMI) [and] [(decimal comma|decimal commas:COMMA)]"),
        ("(save|export|write|store|dump) {t:t} (to|as|in|into) [file] (excel|excel file|csv|csv file|json|json file|parquet|"
         "xlsx:KIND) [file]"),
    ), _saved, "stored"),
)  # fmt: skip
"""What is read and written."""
