"""Operations that a prompt names, and what code that does them has in it: of those without, nothing was done. Pure.

This looks at an answer from outside, whatever made it. A word is here only where no right answer to it is without its sign.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import marks, scope, words
from spark_jupyter.server.engines.book import without_magics
from spark_jupyter.server.engines.query import lexicon

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Namespace

_SIGNS = (
    (r"cumulative(?:ly)?|running (?:total|sum)|accumulated", r"cum_?sum|cum_?prod|cum_?max|accumulate|expanding|\+="),
    (r"(?:rolling|moving) (?:mean|average|sum|median|std)", r"rolling|convolve|ewm|uniform_filter"),
    (r"(?:days?|weeks?|months?|hours?) (?:left )?(?:until|till|to go)", r"today|now\(|Timestamp|\{t\}"),
    (r"stacked", r"unstack|crosstab|pivot|bottom|stackplot|area|histtype|vstack|hstack|concat|stack\("),
    (r"(?:row|(?<!\ba )(?<!add )(?<!new )column)[- ](?:sums?|means?|averages?|totals?)", r"axis|numeric_only|agg|zip\(\*|for row in"),
    (r"median", r"median|describe|quantile|percentile|boxplot|box\("),
    (r"standard deviation|std\.? ?dev", r"std|describe|stdev|pstdev|StandardScaler"),
    (r"in percent|percentages?|percent missing|missing percent", r"100|pct|normali[sz]e|%%|:\.\d%|mean\("),
    (r"descending|(?:largest|biggest|highest|most|best|newest|latest) first",
     r"ascending|descending=|reverse|nlargest|most_common|\[::-1\]|value_counts|-x|argsort|idxmax"),
    (r"alphabetical(?:ly)?", r"sort"),
    (r"(?:[a-z]+est|expensive) first", r"sort|nlargest|nsmallest|order|most_common|value_counts|arg(?:max|min)|idx(?:max|min)|max\(|min\("),
    (r"(?:last|past|previous) \d+ (?:days|weeks|months|years|hours)(?! of each)", r"Timedelta|DateOffset|timedelta|today|now\(|date"),
    (r"(?:best|worst) (?:day|week|month|year|hour|weekday)", r"max|min|sort|nlargest|nsmallest|best|rank|value_counts"),
    (r"sort(?:ed)? (?:(?:it|them|the \w+) )?by", r"sort|nlargest|nsmallest|order|most_common|heapq|idxm|lambda"),
    (r"random(?:ly)?", r"random|rng|sample|shuffle|seed|secrets|Random"),
    (r"ignoring (?:the )?case|ignore (?:the )?case|case[- ]insensitive(?:ly)?|(?:upper|lower) or (?:upper|lower) ?case",
     r"lower|casefold|upper|case=False|IGNORECASE|title\(|\(\?i\)"),
    (r"excluding|except(?:ing)?|other than", r"!=|~|\bnot\b|drop|isna|notna|False|difference|<|>|\\D|\w\[\["),
    (r"(?:above|below|over|under|than|least|most|is|equals?)\s+\S+\s+or\s+(?!not\b)\w+",
     r"\||isin|\bor\b|any\(|where|select|max|min|in \("),
    (r"histogram", r"hist|plt\.bar|bincount"),
    (r"box ?plots?", r"box"),
    (r"violin ?plots?", r"violin"),
    (r"pie(?: ?chart)?", r"pie"),
    (r"heat ?map", r"heatmap|imshow|matshow|pcolor|ConfusionMatrixDisplay"),
    (r"scatter(?: ?plot)?", r"scatter|plot\(.*[\"']o[\"']|linestyle=|pairplot|regplot|lmplot"),
    (r"bar ?(?:chart|plot)", r"\bbarh?\b|barplot|countplot|hist"),
    (r"(?:one|a|its own) (?:line|bar|curve|panel|colou?r|box) (?:per|for (?:each|every)|each)",
     r"unstack|pivot|crosstab|hue|\bby=|\bcolor|\bc=|for \w+(?:, \w+)? in|subplots|boxplot|kind=|\.plot\.bar|\.plot\.box"),
    (r"horizontal(?:ly)?", r"barh|orient|horizontal|\by=|vert=|axhline|hlines|hstack|axis=1"),
    (r"stacked", r"stack"),
    (r"log(?:arithm(?:ic)?)? (?:scale|axis|axes|of)|log-?log", r"log"),
    (r"error ?bars?", r"err"),
    (r"(?:and|,) (?:then )?plot (?:it|them|that|this|the result)", r"plt\.|plot|\bax\b"),
    (r"and (?:when|where) (?:was|is) (?:that|it)|and when", r"idx|sort_values|nlargest|nsmallest|loc\[|head\(1\)|argm"),
    (r"(?:trend|regression) ?line|line of best fit|best[- ]fit line", r"polyfit|regplot|lmplot|linregress|LinearRegression|lstsq"),
    (r"correlat\w+", r"corr|pearsonr|spearmanr"),
    (r"subplots?|(?:two|three|four) panels", r"subplots\(\s*\d|subplots=True|nrows|ncols|subplot\(|axes|hist\(|facet|col="),
    (r"if it (?:exists|is there)", r"exists\(|is_file|try:|if "),
    (r"interpolat\w+", r"interp"),
    (r"(?:as|in|across) (?:separate |the )?columns",
     (r"pivot|unstack|crosstab|\.T\b|columns=|transpose|explode|dummies|axis=1|\]\]|concat|merge|melt|expand=|usecols|in \[|"
     r"\.columns|DataFrame\(")),
    (r"transposed?", r"\.T\b|transpose|zip\(\*|swapaxes"),
    (r"determinant", r"det\("),
    (r"eigen(?:values?|vectors?)", r"eig"),
    (r"weekdays?", r"day_name|weekday|day_of_week|dayofweek|%A|%a|isoweekday|calendar"),
    (r"docstring", r'"""|\'\'\''),
    (r"duplicates?", r"duplicat|unique|set\(|fromkeys|Counter|value_counts|> 1"),
    (r"cross[- ]?validat\w+", r"cross_val|KFold|GridSearchCV|CV\("),
    (r"classification report", r"classification_report"),
    (r"roc curve", r"(?i)roc"),
    (r"confusion matrix", r"confusion_matrix|ConfusionMatrix"),
    (r"(?:all|every|each)(?: the)?(?: of the)?(?: (?:csv|text|txt|json|excel|xlsx|log|png|parquet))* files",
     r"glob|iterdir|listdir|walk|scandir"),
)  # fmt: skip
_COMPILED = tuple((re.compile(rf"\b(?:{said})\b", re.IGNORECASE), re.compile(sign)) for said, sign in _SIGNS)
_OUTSIDE = re.compile(
    r"^\W*(?:please\s+|can you\s+|could you\s+)?(?:"
    r"(?:e-?mail|text|phone|call|message|remind|wake)\s+(?:me|us|him|her|them|my|everyone|the\s+(?:boss|team|teacher|customers?))\b|"
    r"e-?mail\s+(?:it|this|that|the|them|these|all|every)\b|"
    r"(?:send|mail|post|tweet|fax)\s+(?:it|this|that|the|an?|my|them|me)\b.*\b(?:e-?mails?|by\s+mail|to\s+"
    r"(?:my|the|our)\s+\w+|letter|sms|twitter)\b|"
    r"(?:order|buy|book|reserve|pay|rent|hire)\s+(?:me|us|a|an|some|two|the)\b(?!.*\b(?:function|class|met"
    r"hod|column|descending|ascending)\b)|"
    r"transfer\s+.*\b(?:to|from)\s+(?:my|the|our)\b.*\b(?:account|savings|bank)\b|"
    r"(?:turn|switch)\s+(?:on|off)\s+(?:the|my)\s+(?!grid|axis|axes|legend|warnings?|ticks|labels|index|scientific)|"
    r"turn\s+(?:the|my)\s+(?!grid|axis|axes|legend|warnings?)\w+(?:\s+\w+)?\s+(?:on|off)\b|"
    r"(?:cook|bake|wash|clean)\s+(?:me\s+)?(?:a|an|some|my|the)\s+(?:dinner|meal|cake|dishes|car|kitchen|pizza)\b"
    r")",
    re.IGNORECASE,
)


def missing(prompt: str, code: str) -> list[str]:
    """The operations that the prompt names and of which the code has no sign, as the prompt says them."""
    plain = marks.QUOTED.sub(" ", marks.FILE.sub(" ", prompt))
    found = []
    for said, sign in _COMPILED:
        place = said.search(plain)
        if place is not None and not re.search(r"\b(?:no|not|without)\s+(?:a|an|the)?\s*$", plain[: place.start()]):
            found += [] if sign.search(code) else [place[0].lower()]
    plainer = re.sub(r"\b(?:called|named)\s+\w+", " ", plain)
    return [*found, *(name for name in _IDENTIFIER.findall(plainer) if name.lower() not in code.lower())]


_IDENTIFIER = re.compile(r"(?<![\w./-])[A-Za-z]+(?:_[A-Za-z0-9]+)+(?![\w./-])")
_UNINVITED = tuple(
    (re.compile(done), re.compile(asked, re.IGNORECASE))
    for done, asked in (
        (
            r"\.fillna\(|SimpleImputer",
            r"fill|missing|empty|nan\b|null|replac|imput|gap|zero|\b0\b|unknown|blank",
        ),
        (r"drop_duplicates\(", r"duplic|unique|distinct|twice|repeat|double|once|different|same"),
        (
            r"\.dropna\(.*\n.*\bdropped\b",
            r"drop|remov|delet|missing|without|clean|exclud|nan\b|null|complete|empty|rid of|gap",
        ),
    )
)


def uninvited(prompt: str, code: str) -> bool:
    """Whether the code changes what nothing in the prompt asks for: gaps filled, rows thrown away."""
    return any(done.search(code) and not asked.search(prompt) for done, asked in _UNINVITED)


def unlike_examples(prompt: str, answer: str, namespace: Namespace) -> list[str]:
    """Variables that the prompt speaks of, be it in the singular, where the answer is on example data of its own."""
    said = {
        words.stem(word)
        for word in words.split(marks.QUOTED.sub(" ", prompt))
        if len(word) > 3 and not words.is_stop(word)
    }
    own = [one for one in namespace.variables if one.type not in ("module", "class", "type")]
    short = set(_SHORT_NAME.findall(marks.QUOTED.sub(" ", prompt)))
    return [
        one.name
        for one in own
        if (
            words.stem(one.name.lower()) in said
            or _spelt_out(one.name, said)
            or (one.name in short and one.type in _HELD)
        )
        and not re.search(rf"(?<![\w.]){re.escape(one.name)}(?!\w)", answer)
    ]


def _spelt_out(name: str, said: set[str]) -> bool:
    """ "each shoe size", of ``shoe_sizes``."""
    parts = {words.stem(part) for part in name.lower().split("_")}
    return len(parts) > 1 and parts <= said


_HELD = ("ndarray", "list", "tuple", "dict", "Series")
_SHORT_NAME = re.compile(
    r"(?<![\w.'’])(?!(?:[aAI]|of|in|is|to|by|as|or|on|an|at|it)\b)[A-Za-z]\w{0,2}(?![\w'’])|(?<=\w )A(?= |$|[?.!])"
)
"""Names of a letter or three, but for words: "A" is one at the beginning alone."""


def outside(prompt: str) -> bool:
    """Whether it asks for something to be done outside the notebook, which no code here does."""
    return _OUTSIDE.search(prompt) is not None


def overwritten(prompt: str, code: str, namespace: Namespace) -> list[str]:
    """Variables of the user's that the prompt names, and to which the code gives another value without having read them."""
    try:
        needed = scope.names(without_magics(code)).needed
        tree = ast.parse(without_magics(code))
    except SyntaxError:
        return []
    given = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for whole in node.targets
        for target in (whole.elts if isinstance(whole, ast.Tuple) else [whole])
        if isinstance(target, ast.Name)
    }
    return [
        one.name
        for one in namespace.variables
        if one.name in given - set(needed)
        and one.type not in ("module", "function", "class")
        and re.search(rf"(?<![\w.]){re.escape(one.name)}(?!\w)", prompt)
    ]


_WRITES = re.compile(
    r"\.(?:write_text|write_bytes|to_csv|to_json|to_excel|to_parquet|savefig|writerow)\(|json\.dump\(|open\([^)]*[\"'][wax]b?[\"']"
)
_ASKS_TO_WRITE = re.compile(
    r"\b(?:sav\w*|writ\w*|export\w*|stor\w*|dump\w*|creat\w*|append\w*|add\w*|mak\w*|output\w*|convert\w*|put|record\w*|to\s+(?:an?\s+)?(?:the\s+)?"
    r"(?:file|csv|json|excel|\S+\.\w{2,7}))\b",
    re.IGNORECASE,
)


def overwrites(prompt: str, code: str) -> bool:
    """Whether the code writes a file that the prompt names and only wants to have read."""
    named = [found[0] for found in marks.FILE.finditer(prompt)]
    return (
        any(f'"{name}"' in code for name in named)
        and _WRITES.search(code) is not None
        and _ASKS_TO_WRITE.search(prompt) is None
    )


_OTHER_NAMES = re.compile(
    r"\b(?:column|header|file|first|last|sheet|variable)\s+names?\b|\bnames\s+of\s+(?:the\s+)?columns\b", re.IGNORECASE
)
"""No list called ``names`` is meant by them."""


def passed_over(prompt: str, code: str, namespace: Namespace) -> list[str]:
    """Lists, arrays and dictionaries of the user's that the prompt names, and of which code about something else has nothing: words
    that everybody uses are no such names."""
    plain = _OTHER_NAMES.sub(" ", marks.QUOTED.sub(" ", marks.FILE.sub(" ", prompt)))
    said = set(re.findall(r"(?<![\w.])[^\W\d]\w{2,}(?!\w)", plain))
    columns = {column.name.lower() for one in namespace.variables for column in one.columns}
    return [
        one.name
        for one in namespace.variables
        if one.type in ("list", "tuple", "ndarray", "dict", "Series")
        and one.name in said
        and one.name.lower() not in columns
        and one.name.lower() not in lexicon.VOCABULARY
        and not words.is_stop(one.name.lower())
        and re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)", code) is None
    ]
