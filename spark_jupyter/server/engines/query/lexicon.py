"""The words in which tables are asked: data of the rules in ``read.py``. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.server.engines.namespace import Column

AGGREGATES = {
    "mean": "mean", "average": "mean", "avg": "mean", "averages": "mean", "means": "mean", "typical": "median",
    "median": "median", "sum": "sum", "total": "sum", "totals": "sum", "sums": "sum", "overall": "sum",
    "max": "max", "maximum": "max", "highest": "max", "largest": "max", "biggest": "max", "greatest": "max",
    "min": "min", "minimum": "min", "lowest": "min", "smallest": "min",
    "std": "std", "stdev": "std", "standard deviation": "std", "variance": "var", "var": "var", "spread": "std",
    "number": "size", "count": "size", "counts": "size", "distinct": "nunique", "unique": "nunique",
}  # fmt: skip
"""A word for a summary, and what pandas calls it."""


def summary(said: str) -> str:
    """What pandas calls the summary that a person calls so; what is no word for one is given back, in lower case."""
    plain = said.strip().lower()
    return AGGREGATES.get(plain, plain)


MANY = "most|highest|largest|biggest|greatest|maximum|max|longest|best"
FEW = "fewest|least|lowest|smallest|minimum|min|shortest|worst"
PERIODS = {
    "day": "D", "date": "D", "week": "W", "month": "M", "quarter": "Q", "year": "Y", "weekday": "weekday",
    "hour": "hour", "daily": "D", "weekly": "W", "monthly": "M", "quarterly": "Q", "yearly": "Y", "annual": "Y",
    "annually": "Y", "hourly": "hour", "decade": "decade",
}  # fmt: skip
MONTHS = {
    name: number
    for number, both in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sep sept", "october oct", "november nov", "december dec"), 1)
    for name in both.split()
}  # fmt: skip
PLOTS = {"bar": "bar", "line": "line", "scatter": "scatter", "histogram": "hist", "hist": "hist",
         "box": "box", "pie": "pie", "violin": "violin", "area": "area"}  # fmt: skip
_SHORT = {
    short: words.stem(long)
    for short, long in (
        pair.split(":")
        for pair in [
            "admit:admission",
            "dept:department",
            "qty:quantity",
            "amt:amount",
            "addr:address",
            "cust:customer",
            "emp:employee",
            "desc:description",
            "cat:category",
            "prod:product",
            "loc:location",
            "num:number",
            "yr:year",
            "dob:birthday",
            "tel:phone",
            "pct:percentage",
            "avg:average",
            "mgr:manager",
            "pos:position",
            "vol:volume",
            "dist:distance",
            "wt:weight",
            "ht:height",
            "lang:language",
            "pop:population",
            "dur:duration",
            "acct:account",
            "temp:temperature",
            "nat:nationality",
            "att:attendance",
        ]
    )
}
"""What columns are called for short."""
_GERMAN = {
    "avarage": "average", "averege": "average", "collumn": "column", "colum": "column", "colums": "columns",
    "und": "and", "oder": "or", "größer": "greater", "groesser": "greater", "kleiner": "less", "als": "than",
    "ist": "is", "pro": "per", "je": "per", "mit": "with", "ohne": "without", "nach": "by", "der": "the", "die": "the",
    "das": "the", "alle": "all", "zeige": "show", "summe": "sum", "mittelwert": "mean", "durchschnitt": "mean",
    "anzahl": "number", "nicht": "not", "zwischen": "between", "über": "above", "unter": "below", "von": "of",
    "sortiere": "sort", "sortiert": "sorted", "absteigend": "descending", "aufsteigend": "ascending",
    "zeilen": "rows", "spalte": "column", "tabelle": "table", "bitte": "please", "für": "for", "jede": "each",
    "jeden": "each", "jeder": "each", "im": "in", "funktion": "function", "histogramm": "histogram",
    "wie": "how", "viele": "many", "haben": "have", "welche": "which", "welcher": "which", "welches": "which", "nur": "only",
    "mittlere": "mean", "mittlerer": "mean", "mittleres": "mean", "mittleren": "mean", "durchschnittliche": "mean",
    "durchschnittlicher": "mean",
    "größte": "largest", "größter": "largest", "kleinste": "smallest", "höchster": "highest", "gesamt": "total", "bei": "at", "dem": "the",
    "den": "the", "januar": "january", "februar": "february", "märz": "march", "mai": "may", "juni": "june", "juli": "july",
    "oktober": "october", "dezember": "december", "zähle": "count", "monat": "month",
    "jahr": "year", "woche": "week",
    "teuerste": "most expensive", "teuerster": "most expensive", "günstigste": "cheapest", "billigste": "cheapest", "älteste": "oldest",
    "mal": "times", "geteilt": "divided", "mindestens": "at least", "höchstens": "at most", "neue": "new", "neuer": "new", "wo": "where",
    "balkendiagramm": "bar chart", "diagramm": "chart", "höchste": "highest", "niedrigste": "lowest",
}  # fmt: skip
_ENGLISH = (
    (r"\bbar ?(?:chart|plot|graph)s?\b", "bar chart"), (r"\bbox[- ]?plots?\b", "box plot"),
    (r"\bscatter(?: ?(?:plot|chart|graph))?s?\b", "scatter plot"), (r"\bline ?(?:plot|chart|graph)s?\b", "line chart"),
    (r"\bpie ?(?:plot|chart|graph)s?\b", "pie chart"), (r"\bhist(?:ogram)?s?\b", "histogram"),
    (r"\bw/o\s", "without "), (r"\bw/\s", "with "), (r"\bppl\b", "people"), (r"\bhow often\b", "number of"),
    (r"\bhow many\b", "number of"), (r"\bhow much\b", "total"),
    (r"\bno\. of\b|\bamount of\b(?= rows)", "number of"), (r"\bgreater or equal(?: to| than)?\b|≥", ">="),
    (r"\bless or equal(?: to| than)?\b|≤", "<="), (r"\bhigher then\b", "higher than"), (r"\bmore then\b", "more than"),
    (r"\bless then\b", "less than"), (r"\bolder then\b", "older than"), (r"\bdata ?frame\b", "table"),
    (r"\b(?:for|of|in|on) (?:each|every)\b", "per"),
    (r"\bwithin (?:each|every|the|a)\b(?! (?:\d|day|week|hour|month|minute|year))", "per"),
    (r"\bwithin\b(?! (?:a|an|one|two|the|each|every|\d))", "per"),
    (r"\bin descending order\b", "descending"), (r"\bin ascending order\b", "ascending"),
    (r"\b(?:from )?(?:high(?:est)?|large(?:st)?|big(?:gest)?) to (?:low(?:est)?|small(?:est)?)\b", "descending"),
    (r"\b(?:from )?(?:low(?:est)?|small(?:est)?) to (?:high(?:est)?|large(?:st)?|big(?:gest)?)\b", "ascending"),
    (r"\bst\.? ?dev\b|\bstd\.? dev\b", "std"), (r"\bdont\b|\bdon't\b|\bdoesn't\b|\bdoes not\b|\bdo not\b", "not"),
    (r"\bisn't\b|\bisnt\b|\baren't\b|\barent\b|\bwasn't\b|\bweren't\b", "is not"), (r"\bha(?:ve|s)n'?t\b", "has not"),
    (r"\bget rid of\b|\bkick out\b|\bthrow (?:out|away)\b|\bthrow\b(?=.* away)", "remove"),
    (r"\bhalf an hour\b", "30 minutes"), (r"\ban hour and a half\b", "90 minutes"), (r"\ban hour\b", "60 minutes"),
    (r"\bhours? of (?:the )?day\b", "clock hour"), (r"\bdays? of (?:the )?week\b", "weekday"),
    (r"\b(?:at|in|on) (?:which|what) (?=(?:hour|weekday|month|day|year)\b)(?!.*\b(?:most|least|fewest|highest|lowest)\b)", "per "),
    (r"\bcolumn (?:names|headers|headings)\b", "headers"), (r"\bzero\b", "0"), ((r"\bcase[- ]?insensitive(?:ly)?\b|"
    r"\bignor(?:e|ing) (?:the )?case\b|\bregardless of (?:the )?case\b"), ""),
    ((r"\b(?:and |with )?(?:(?:set|turn|make|treat|change) )?(?:the |all )?(?:invalid|bad|wrong)(?: (?:values|ones|entries))? "
      r"(?:becomes?|as|to|into|=) (?:missing|nan|null)\b"), ""),
    ((r"\b(?:the )?dates? (?:are|is)(?: in)?(?: the)?(?: format)? (?:day/month/year|dd/mm/yyyy|d/m/y|day first|day"
    r"\.month\.year)\b"), ""), (r"\bhead ?count\b", "number of rows"), (r"\bbarh\b", "horizontal bar chart"),
    (r"\b(?:as|in) (?:a )?new columns?\b", "as new column"), (r"\beveryone\b|\beverybody\b", "rows"),
    (r"\b(?:what|which)\s+%\s+of\b|(?<![\w⟩.]) ?%\s+of\b", "percentage of"), (r"\b(\d+)\+(?= ?(?:$|[,;.)]|[a-z]))", r"at least \1"),
    (r"\b(what|who|where)'?s\b(?! (?:name|id)\b)", r"\1 is"),
    (r"\brow[- ]?wise percentages?\b|\brow percentages?\b", "percentages per row"),
    (r"\bdate ?time\b", "date"), (r"\s*\((?:the\s+)?(?:format\s+)?(?:is\s+)?(?:day|dd?)[./-](?:month|mm?)[./-](?:year|yy(?:yy)?)\)", ""),
    (r"\b(\d{1,2})(?:st|nd|rd|th)?\s+((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\s+(and|to|until|-)\s+(\d{1,2})(?:st|nd|rd|th)?\s+((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\s+(\d{4})\b",
     r"\1 \2 \6 \3 \4 \5 \6"),
    (r"\bdo (?:we|i|you|they) (?:sell|have|own|offer|make|use|produce)\b", ""),
    (r"\b(\d{1,2})(?:st|nd|rd|th)?\s+(and|to|until|-)\s+(\d{1,2})(?:st|nd|rd|th)?\s+((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\s+\d{4})\b",
     r"\1 \4 \2 \3 \4"),
    ((r"\b(\d+)\s+(?:plus\b(?! (?!and\b|or\b|years?\b|points?\b|people\b)[a-z0-9_]+)|and (?:over|older|up|above|more)\b)"
      r"(?! than\b| \d| [a-z]+ (?:years|months))"), r"at least \1"),
    (r"\b(\w+) averages (?:for|of|in) (.+?)(?=,|$| rounded| sorted)", r"average of \2 per \1"),
    (r"\bclass averages?\b", "average per class"),
    (r"\bgroup(?:ed)? by\b", "per"), (r"\bcolou?red\b", "coloured"),
)  # fmt: skip
_REPEATED = re.compile(r"\b(\w+)(?:\s+\1\b){2,}", re.IGNORECASE)
"""Said again and again, which patterns would go through again and again."""
_THOUSANDS = re.compile(r"(?<![\w.])[$€£]?(\d+(?:\.\d+)?)k\b", re.IGNORECASE)
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), plain) for pattern, plain in _ENGLISH)
NO_VALUE = (
    "and|or|the|a|an|is|are|was|were|in|on|of|by|per|for|to|with|without|than|then|as|at|not|no|only|sorted|sort|above|below|over|"
    "under|more|less|greater|higher|lower|between|missing|empty|null|nan|equal|equals|who|which|that|where|have|has|had|from|after|"
    "before|since|until|descending|ascending|show|plot|count|number|mean|average|sum|total|column|columns|each|every|it|them|into|"
    "text|date|bar|line|chart|desc|asc|still|also|into|use|using|highest|lowest|one|please|plz|pls|value|values|rows|row|but|contains|"
    "contain|containing|starts|ends|median|max|min|histogram|scatter|pie|box|table|like|inside|against|vs|versus|first|last|"
    "title|bins|percent|rank|top|older|younger|be|being|been|did|does|do|how|there|here|what|group|groups|save|function|their|its|my|all|"
    "polars|pandas|numpy|seaborn|plotly|matplotlib|sklearn|duckdb|sql|python|excel|percent|hours|minutes|thousands?|millions?|"
    "stored|given|order|just|exactly|at|least|out|so|months?|years?|days?|weeks?"
)
"""Words that are never a value of a column."""
NOISE = frozenset(
    """a an the of in on at to for from with by me my our your i we you it its this that these those is are was were be been do
    does did can could would should will please plz pls show give get list find tell display print want need see look lets
    let us what whats which who whose where when how and or also then all only just there here have has had having rows row
    entries entry records record lines table tables data dataset column columns values value one ones new out up them they
    their as so now make create calculate compute calc work build draw plot chart graph figure picture diagram using use
    every each some any per if people persons person days day as written like real still left inside
    whole total? single case cases items item things thing observations samples please? kindly hi hello hey thanks thx
    select keep filter filtered filtering rows? again quickly simple nice same want
    write code python pandas cell result results output go many much do does usually ever actually currently overall everyone who
    clock got gets happen happened occur occurs occurred existing exist exists there's available info information details""".replace(
        "?", ""
    ).split()
)
"""Words that may be left over: they ask for nothing of their own."""
_RESERVED = frozenset(
    [
        "night",
        "mean",
        "average",
        "count",
        "sum",
        "number",
        "plot",
        "table",
        "row",
        "column",
        "group",
        "month",
        "year",
        "day",
        "week",
        "first",
        "last",
        "total",
        "max",
        "min",
        "rank",
        "value",
        "title",
        "colour",
        "color",
        "size",
        "bins",
        "index",
        "top",
        "date",
        "dates",
        "name",
        "highest",
        "lowest",
        "most",
        "least",
        "text",
        "line",
        "bar",
        "data",
        "by",
        "per",
        "share",
        "percent",
        "difference",
        "new",
        "old",
        "real",
        "real",
        "show",
        "many",
        "much",
        "rate",
        "state",
        "test",
    ]
)
VOCABULARY = frozenset(
    word
    for text in (
        " ".join(AGGREGATES), " ".join(PERIODS), " ".join(MONTHS), " ".join(PLOTS), " ".join(NOISE), NO_VALUE.replace("|", " "),
        ("histogram scatter rename replace missing duplicates duplicated duplicate descending ascending correlation correlate "
        "cumulative running rolling moving normalise standardise percentage percent share pivot interpolate encode "
        "outliers between greater smaller larger younger older before after contains starting ending difference heatmap "
        "percentile percentiles quantile quantiles slower faster fastest slowest forward backward ignore ignoring "
        "start starts end ends function fill convert columns colums region title short long store place price stage sport trips rides"
        " region title quarter weekday merge frequency describe summary reverse boxplot"),
    )
    for word in text.split()
) - {"colums", "area"}  # fmt: skip

_OF_TABLES = frozenset(
    f"{word}{ending}" for word in ("price", "region", "title", "store", "sport") for ending in ("", "s")
)
"""Words of the language that are parts of columns' names all the same: "price" of ``unit_price``."""

WELL_SPELT = frozenset(
    word
    for line in (
        "different differences ignored spaces across depend depends previous compared recent onto every other others",
        "twice tickets visits weight height length letter letters lines words sentence sentences street state states",
        "class classes person people worth under months weeks hours minutes seconds years nights second minute hour",
        "three seven eight frequent correlated current million quartiles riders star stars wheat width",
        "draws wins losses labels night year week month nearest columns large small medium",
    )
    for word in line.split()
)
"""Words that are no typing mistakes of those above."""


def translated(text: str, keep: frozenset[str] = frozenset()) -> str:
    """The text with German words, and English ones of several, taken to the words that the rules know; but for those to ``keep``,
    which are the user's own."""
    text = re.sub(
        r"[A-Za-zÀ-ÿ]+",
        lambda found: found[0] if found[0].lower() in keep else _GERMAN.get(found[0].lower(), found[0]),
        text,
    )
    text = _REPEATED.sub(r"\1", text)
    text = _THOUSANDS.sub(lambda found: f"{float(found[1]) * 1000:.0f}", text)
    for pattern, plain in _COMPILED:
        text = pattern.sub(plain, text)
    return text


def parts_of(said: str, columns: Sequence[str]) -> list[str]:
    """The columns of whose names ``said`` is a part: "weight" of ``weight_kg``, "temp" of ``temperature``, "revnue" of
    ``revenue``, "department" of ``dept``."""
    plain = tuple(names.plain(said).split())
    said_words = said.lower().split()
    if (
        len(plain) == 1
        and len(plain[0]) == 2
        and plain[0] == said.lower()
        and not words.is_stop(said)
        and said not in VOCABULARY
    ):
        # "pv" of ``pv_kw``
        begun = [
            one for one in columns if names.plain(one).split()[0:1] == list(plain) and len(names.plain(one).split()) > 1
        ]
        return begun if len(begun) == 1 else []
    if not plain or any(len(word) < 3 or words.is_stop(word) for word in (*plain, *said_words)):
        return []
    if any(word in _RESERVED or word.removesuffix("s") in _RESERVED for word in said_words):
        return []
    low = said.lower()
    if len(plain) == 1 and ((low in VOCABULARY and low not in _OF_TABLES) or low in NOISE):
        return []
    split = {column: names.plain(column).split() for column in columns}
    found = [
        column
        for column, own in split.items()
        if len(own) > len(plain) and plain in (tuple(own[: len(plain)]), tuple(own[-len(plain) :]))
    ]
    if not found and len(plain) == 1:
        word = plain[0]
        found = [column for column, own in split.items() if len(own) == 1 and _short_for(word, own[0])]
        found = found or [column for column, own in split.items() if any(_short_for(word, one) for one in own)]
        if not found and len(word) >= 5:
            near = words.corrected(word, [own[0] for own in split.values() if len(own) == 1])
            found = [column for column, own in split.items() if own == [near]]
        if not found and len(said) >= 6:  # as it is spelt: "raiting", of which the stem is too short
            near = words.corrected(said.lower(), [column.lower() for column in columns])
            found = [column for column in columns if column.lower() == near]
        if not found and len(word) >= 5:  # "class" of ``Pclass``, "price" of ``unitprice``
            found = [
                column
                for column, own in split.items()
                if len(own) == 1 and own[0].endswith(word) and own[0].removesuffix(word) not in _TURNING
            ]
    if not found and len(plain) > 1:  # "room temperature" of ``room_temp``
        found = [
            column
            for column, own in split.items()
            if len(own) == len(plain) and all(map(_alike, plain, own)) and any(map(str.__eq__, plain, own))
        ]
    if not found and len(plain) == 1:
        found = [
            column
            for column, own in split.items()
            if any(_SHORT.get(one) == plain[0] for one in own) or _SHORT.get(plain[0]) in own
        ]
    return list(dict.fromkeys(found))


def spoken_of(said: str, columns: Sequence[Column]) -> str | None:
    """The one column that a common word speaks of, of numbers where it is an amount: "revenue" of ``fare``."""
    stems = words.NOUNS.get(words.stem(said.lower()), frozenset())
    amount = words.stem(said.lower()) in words.AMOUNTS
    found = [
        one.name
        for one in columns
        if set(names.plain(one.name).split()) & stems
        and (one.kind == "number" or one.holds.startswith("numbers")) is amount
    ]
    if not found and words.stem(said.lower()) in _EARNED:
        found = _priced(columns)
    return found[0] if len(found) == 1 else None


_EARNED = frozenset(map(words.stem, ("revenue", "sales", "turnover", "takings", "spending", "spendings")))
_PRICES = frozenset(map(words.stem, ("price", "cost", "payment", "paid", "total")))
_WHOLES = frozenset(map(words.stem, ("total", "sum", "amount", "gross", "net", "order", "line")))
_PIECES = frozenset(map(words.stem, ("quantity", "qty", "units", "pieces", "sold", "count", "number")))


def _priced(columns: Sequence[Column]) -> list[str]:
    """The column of what each row brought in, where no other says how many pieces it was of."""
    parts = {one.name: set(names.plain(one.name).split()) for one in columns if one.kind == "number"}
    whole = [name for name, own in parts.items() if own & _PRICES and own & _WHOLES]
    if whole or any(own & _PIECES for own in parts.values()):
        return whole  # ``total_price``: of all pieces
    return [name for name, own in parts.items() if own & _PRICES]


_TURNING = ("re", "un", "non", "in", "dis", "de", "pre", "out", "over", "under", "mis")
"""Before a word they make another of it: nobody means ``readmitted`` by "admitted"."""


def _short_for(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return len(short) >= 4 and long != short and long.startswith(short)


def _alike(word: str, other: str) -> bool:
    return word == other or _short_for(word, other) or word in (_SHORT.get(other), None) or other == _SHORT.get(word)


def hinted(word: str, columns: Sequence[str]) -> str | None:
    """The column that an adjective speaks of: "oldest" of ``age``, "hottest" of ``temp``."""
    stems = words.HINTS.get(words.stem(word.lower()), frozenset())
    return next((column for column in columns if set(names.plain(column).split()) & stems), None)
