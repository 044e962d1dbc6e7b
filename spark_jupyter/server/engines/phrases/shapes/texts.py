"""Texts and lists of them: each one changed, grouped, counted, read as a number; a text turned round. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import kind, of_numbers

_CHANGES = {
    "reverse": "one[::-1]", "turn around": "one[::-1]", "uppercase": "one.upper()", "capitalise": "one.capitalize()",
    "capitalize": "one.capitalize()",
    "lowercase": "one.lower()", "strip": "one.strip()", "trim": "one.strip()", "shorten": "one[:{n}]", "length": "len(one)",
    "double": "one * 2", "title-case": "one.title()",
}  # fmt: skip
_KEYS = {
    "first letter": "one[0]", "initial": "one[0]", "first character": "one[0]", "starting letter": "one[0]", "last letter": "one[-1]",
    "length": "len(one)", "number of letters": "len(one)", "number of characters": "len(one)",
}  # fmt: skip


def _words(said: Said, group: str = "x") -> str:
    """A list of texts, or the words of a text, as source."""
    one = said.variable(group)
    if kind(one) == "str":
        return f"{one.name}.split()"
    if kind(one) != "texts":
        raise UnknownError
    return one.name


def _alike(said: Said) -> None:
    """ "which words in words": where a second name is marked it is the same one, or a word for what a text has."""
    if said.has("w") and said.word("w") != said.word("x"):
        own = kind(said.variable("x")) == "str" and said.word("w").lower() in ("words", "letters", "characters")
        if not own:
            raise UnknownError


def _each(said: Said) -> str:
    _alike(said)
    one, made = said.variable("x"), _CHANGES[said.found["how"].strip().lower()].replace("{n}", said.number("n"))
    each = f"[{made} for one in {_words(said)}]"
    return f'" ".join({each[1:-1]})' if kind(one) == "str" and not made.startswith("len") else each


def _palindromes(said: Said) -> str:
    _alike(said)
    return f"[one for one in {_words(said)} if one.lower() == one.lower()[::-1]]"


def _backwards(said: Said) -> str:
    one = said.variable("x")
    if kind(one) != "str":
        raise UnknownError
    return f'" ".join(reversed({one.name}.split()))' if said.has("words") else f"{one.name}[::-1]"


def _grouped(said: Said) -> str:
    _alike(said)
    key = _KEYS[said.found["key"].strip().lower()]
    if said.has("count"):
        return f"Counter({key} for one in {_words(said)})"
    name = said.free("groups")
    low = key.replace("one[", "one.lower()[") if key.startswith("one[") else key
    return f"{name} = {{}}\nfor one in {_words(said)}:\n    {name}.setdefault({low}, []).append(one)\n{name}"


def _lengths(said: Said) -> str:
    _alike(said)
    return f"{{one: len(one) for one in {_words(said)}}}"


def _commonest(said: Said) -> str:
    number = said.number("many") or "1"
    one = said.variable("x")
    if said.has("letters"):
        if kind(one) != "str":
            raise UnknownError
        return f"Counter(one for one in {one.name}.lower() if one.isalpha()).most_common({number})"
    if kind(one) == "str":
        return f'Counter(re.findall(r"[\\w\']+", {one.name}.lower())).most_common({number})'
    if kind(one) not in ("texts", "numbers"):
        raise UnknownError
    return f"Counter({one.name}).most_common({number})"


def _numbers(said: Said) -> str:
    """Texts as numbers, "7,200" as one too, without those that are none."""
    one = said.variable("x")
    if kind(one) != "texts" or one.name == "numbers":
        raise UnknownError
    name, plain = said.free("numbers"), r're.sub(r",(?=\d{3}\b)", "", one)'
    return "\n".join(
        [
            f"{name} = []",
            f"for one in {one.name}:",
            "    try:",
            f"        {name}.append({'int' if said.has('whole') else 'float'}({plain}))",
            "    except ValueError:",
            "        pass  # no number",
            name,
        ]
    )


def _mean_length(said: Said) -> str:
    _alike(said)
    return f"sum(len(one) for one in {_words(said)}) / len({_words(said)})"


def _trimmed(said: Said) -> str:
    """The mean, or sum, without the smallest and the largest."""
    one, how = said.variable("x"), said.found["how"].strip().lower()
    values = {"numbers": one.name, "dict": f"{one.name}.values()"}.get(kind(one), "")
    if not values:
        raise UnknownError
    ends = said.found["ends"].lower()
    both = ("min" in ends or "low" in ends or "small" in ends) and (
        "max" in ends or "high" in ends or "larg" in ends or "big" in ends
    )
    cut = (
        "[1:-1]"
        if both or "extreme" in ends
        else "[:-1]"
        if any(word in ends for word in ("max", "high", "larg", "big"))
        else "[1:]"
    )
    inner = said.free("inner")
    said.before.append(f"{inner} = sorted({values}){cut}")
    return f"sum({inner})" if how in ("sum", "total") else f"sum({inner}) / len({inner})"


def _in_order(said: Said) -> str:
    """ "sort ages from oldest to youngest": a way that is told by its two ends."""
    one, first = said.variable("x"), said.found["first"].strip().lower()
    falls = first in _FALLS
    if first in ("ascending", "descending") and not of_numbers(one):
        raise UnknownError  # the rules know those
    more = ", reverse=True" if falls else ""
    if kind(one) == "dict":
        return f"dict(sorted({one.name}.items(), key=lambda item: item[1]{more}))"
    if kind(one) == "array":
        return f"np.sort({one.name}){'[::-1]' if falls else ''}"
    if kind(one) not in ("numbers", "set") and not (
        kind(one) == "texts" and first in ("longest", "shortest", "a", "z")
    ):
        raise UnknownError
    key = ", key=len" if first in ("longest", "shortest") else ""
    return f"sorted({one.name}{key}{more})"


def _pairs(said: Said) -> str:
    one = said.variable("x")
    if kind(one) != "numbers":
        raise UnknownError
    return f"from itertools import combinations\n\n[pair for pair in combinations({one.name}, 2) if sum(pair) == {said.number('n')}]"


def _steps(said: Said) -> str:
    one = said.variable("x")
    if kind(one) == "array":
        return f"np.diff({one.name})"
    if kind(one) != "numbers":
        raise UnknownError
    return f"[after - before for before, after in zip({one.name}, {one.name}[1:])]"


def _running(said: Said) -> str:
    one, width = said.variable("x"), said.number("n")
    if kind(one) not in ("numbers", "array"):
        raise UnknownError
    return f'np.convolve({one.name}, np.ones({width}) / {width}, mode="valid")'


def _repeated(said: Said) -> str:
    _alike(said)
    one = said.variable("x")
    if kind(one) not in ("texts", "numbers"):
        raise UnknownError
    return f"[one for one, times in Counter({one.name}).items() if times > 1]"


def _nth(said: Said) -> str:
    one, place = said.variable("x"), {"second": 2, "third": 3, "fourth": 4}[said.found["place"].strip().lower()]
    least = said.found["end"].strip().lower() in ("smallest", "lowest")
    values = {"numbers": one.name, "dict": f"{one.name}.values()"}.get(kind(one), "")
    if not values:
        raise UnknownError
    return f"sorted(set({values}))[{place - 1 if least else -place}]"


def _between(said: Said) -> str:
    one, low, high = said.variable("x"), said.number("n"), said.number("m")
    if kind(one) == "array":
        test = f"({one.name} >= {low}) & ({one.name} <= {high})"
        return f"int(({test}).sum())" if said.has("count") else f"{one.name}[{test}]"
    if kind(one) != "numbers":
        raise UnknownError
    taken = f"[one for one in {one.name} if {low} <= one <= {high}]"
    return f"len({taken})" if said.has("count") else taken


def _where(said: Said) -> str:
    one, words = said.variable("x"), said.found[0].lower()
    ends = [
        end
        for end, some in (("max", ("max", "high", "larg", "big")), ("min", ("min", "low", "small")))
        if any(each in words for each in some)
    ]
    if kind(one) == "array":
        return "{" + ", ".join(f'"{end}": ({one.name}.{end}(), {one.name}.arg{end}())' for end in ends) + "}"
    if kind(one) != "numbers":
        raise UnknownError
    return "{" + ", ".join(f'"{end}": ({end}({one.name}), {one.name}.index({end}({one.name})))' for end in ends) + "}"


def _printed(said: Said) -> str:
    _alike(said)
    one = said.variable("x")
    if kind(one) != "texts":
        raise UnknownError
    return f"for one in {one.name}:\n    print(one, len(one))"


_END = "(max|maximum|min|minimum|largest|smallest|highest|lowest|biggest)"
_FALLS = frozenset(["oldest", "largest", "biggest", "highest", "high", "large", "longest", "latest", "newest", "most", "z", "tallest",
                    "heaviest",
                    "best", "big", "old", "most expensive", "fastest", "full", "fullest", "top", "strong", "strongest", "expensive",
                    "descending", "many", "maximum", "max", "warmest", "hottest"])  # fmt: skip
_ENDS = (
    "oldest|youngest|largest|smallest|biggest|highest|lowest|high|low|large|small|longest|shortest|most|least|a|z|tallest|"
    "heaviest|lightest|best"
    "|worst|big|old|young|most expensive|cheapest|full|fullest|empty|emptiest|top|bottom|strong|weak|strongest|weakest|expensive|"
    "cheap|many|few"
    "|maximum|minimum|max|min|warmest|coldest|hottest|fastest|slowest|newest|latest|earliest|fewest"
)
_EVERY = "[per|each|every|all] [word|name|string|text|element|item|one|words|names|strings|{t:w}]"
_ITEMS = "[words|names|strings|texts|ones|elements|items|entries|{t:w}]"
_SMALL = "(smallest|minimum|min|lowest|largest|maximum|max|highest|biggest)"

SHAPES = (
    Shape((
        ("(reverse|turn around|uppercase|capitalise|capitalize|lowercase|strip|trim|double:HOW) (per|each|every|all) [of] "
        "[word|name|string|text|"
        "element|item|one|words|names|strings|{t:w}] (in|of|from) {t:x}"),
        "(length:HOW) [of] (per|each|every|all) [word|name|string|text|element|item|words|names|{t:w}] (in|of) {t:x}",
        "(capitalise|capitalize:HOW) [first letter of] [per|each|every|all] [word|words] [of|in] {t:x}",
        "[cut|shorten] [per|each|every] [word|name|string|{t:w}] [in|of] {t:x} (shorten:HOW) to {n:n} (letters|characters)",
    ), _each, "things"),
    Shape((
        (f"[find|which|all] [all] {_ITEMS} [in|of|from] {{t:x}} [that|which] [are|is] (palindrome|palindromes|same backwards|same "
        f"forwards and backwards)"),
        "[find|which|all] [all] (palindrome|palindromes) (in|of|from|among) {t:x}",
        (f"[find|which|all] [all] {_ITEMS} [in|of|from] {{t:x}} [that|which] (read|reads) [same] (backwards|forwards and "
        f"backwards|both ways)"),
    ), _palindromes, "things"),
    Shape((
        "[read|reverse|print|write|turn] {t:x} (backwards|reversed|backward|the other way round|in reverse)",
        "(reverse) (text|string|sentence|letters of|characters of|letters in) {t:x}",
        "reverse [order of] (words:WORDS) (in|of) {t:x}",
        "(words:WORDS) (of|in) {t:x} (backwards|reversed|in reverse order|in reverse)",
    ), _backwards, "things"),
    Shape((
        (f"(group) {_ITEMS} [of|in] {{t:x}} by [their|its] "
        "(first letter|initial|first character|starting letter|last letter|length|number of letters|number of characters:KEY)"),
        (f"(count|number of:COUNT) [of] {_ITEMS} [of|in] {{t:x}} (by|per|for each|for every|with each) [their] (first "
            f"letter|initial|length"
         "|last letter|first character|number of letters:KEY)"),
    ), _grouped, "things"),
    Shape((
        (f"[dict|dictionary] (from|of|with|mapping|that maps) {_EVERY} [in|of|from] {{t:x}} (to|and|with|to number of letters in) "
        f"[its|their] "
        "(length|lengths|number of letters|number of characters)"),
        f"map {_EVERY} [in|of|from] {{t:x}} to [its|their] (length|lengths|number of letters)",
    ), _lengths, "things"),
    Shape((
        ("(two|three|four|five|ten|⟨n0⟩|⟨n1⟩|⟨n2⟩|⟨n3⟩:MANY) (most common|most frequent|commonest|most used) "
        "[words|values|elements|items|names|"
        "{t:w}|(letters|characters:LETTERS)] (in|of|from) {t:x}"),
        "(most common|most frequent) (letter|character:LETTERS) (in|of) {t:x}",
        ("top (two|three|four|five|ten|⟨n0⟩|⟨n1⟩|⟨n2⟩|⟨n3⟩:MANY) [most common|most frequent] (words|values|names|items) "
        "(in|of|from) {t:x}"),
    ), _commonest, "things"),
    Shape((
        ("(turn|convert|change|parse|make) [all] [strings in|values in|texts in|entries of] {t:x} (in|into|to|as) "
            "(numbers|floats|(integers|ints"
         "|whole numbers:WHOLE)) [and|but] (skip|ignore|drop|leave out|skipping|ignoring|without|remove|leaving out) "
         "[those|ones|entries|values|"
         "everything|all|rest|anything|texts|strings] [that|which|what] [are|is|can't be|cannot be|are not|that are] "
         "[not|no|none|no number|not "
         "numbers|invalid|bad|bad ones|not number|not numeric|not a number|no numbers|converted|invalid ones|invalid "
         "values|invalid entries]"),
        "(turn|convert|change|parse) {t:x} (in|into|to|as) (numbers|floats|(integers|ints|whole numbers:WHOLE)) where possible",
    ), _numbers, "things"),
    Shape((f"(average|mean) [{{w:v}}] length of [per|all] {_ITEMS} [in|of] {{t:x}}", "(average|mean) word length (in|of) {t:x}",
           "how long are {t:x} on average"), _mean_length, "things"),
    Shape((
        (f"(average|mean|sum|total:HOW) [of] {{t:x}} (without|excluding|ignoring|leaving out|except|dropping) "
        f"({_SMALL} and {_SMALL} [value|one|number|values|ones]|{_SMALL} [value|one|number]|extremes:ENDS)"),
    ), _trimmed, "things"),
    Shape((
        (f"[which|what|all] {_ITEMS} [in|of] {{t:x}} (appear|occur|are|come up|is|exist|appears|occurs) (more than "
        f"once|twice|several times|repeatedly|"
        "repeated|duplicated|duplicates|there twice)"),
        "(is|are) there [any] (duplicates|duplicate values|repeated values|doubles) in {t:x}",
        "(find|which are) [all] (duplicates|duplicate values|repeated values|duplicated values|repeated elements) (in|of) {t:x}",
    ), _repeated, "things"),
    Shape((("(second|third|fourth:PLACE) (largest|biggest|highest|smallest|lowest:END) [value|number|element|one|score] "
        "(of|in|from) {t:x}"),),
          _nth, "things"),
    Shape((
        ("[(number of|how many|count:COUNT)] [values|numbers|elements|entries|readings] [of|in] {t:x} [that] [are|is|lie] between "
        "{n:n} and {n:m}"),
    ), _between, "things"),
    Shape((
        (f"{_END} [and {_END}] [value|values] (of|in) {{t:x}} and (where|at which index|at what index|index|position|at which "
        f"position) [are|is] "
        "[they|it|that|those] [are|is]"),
        f"(where|at which index|at what position) is {_END} [value] (of|in) {{t:x}}",
    ), _where, "things"),
    Shape((
        ("[write] [for] (loop|loop through|loop over) [that prints|printing|and print] [each|per|every] {t:x} (with|and) [own] "
        "(length|number of letters)"),
        "print [each|per|every] {t:x} (with|and) [own] (length|number of letters)",
    ), _printed, "things"),
    Shape((f"(sort|order|sorted|arrange) {{t:x}} [by [their] (value|values|size|length|score|age)] from ({_ENDS}:FIRST) to ({_ENDS})",
           f"{{t:x}} [sorted|ordered] from ({_ENDS}:FIRST) to ({_ENDS})",
           f"(sort|order|sorted|arrange) {{t:x}} ({_ENDS}:FIRST) (first|to ({_ENDS}))",
           f"(sort|order|arrange) {{w:who}} (in|of) {{t:x}} [by [their] {{w:by}}] [from] ({_ENDS}:FIRST) (first|to ({_ENDS}))",
           ("(sort|order|arrange) {t:x} [by [their] (value|values|charge|score|price|points|number|amount)] [in] "
           "(ascending|descending:FIRST) [order]")), _in_order, "things"),
    Shape((("[find|which|all] [all] pairs [of numbers] (in|of|from) {t:x} [that|which|whose] [sum|add] [is|up] (to|with sum|adding "
        "up to) {n:n}"),
           "[which|all] pairs (in|of|from) {t:x} [that] (sum to|add up to|sum up to|make|give) {n:n}"), _pairs, "things"),
    Shape((("(differences|difference|steps|changes|change) (between|of|from) "
        "[consecutive|neighbouring|neighboring|successive|adjacent|one] "
           "[values|elements|numbers|neighbours|neighbors] [of|in|to next in] {t:x}"),), _steps, "things"),
    Shape((("(moving average|rolling mean|rolling average|running mean|moving mean) (of|for|over) {t:x} (with|using|over) "
        "[window|width|size] [of|size] "
           "{num:n} [values|points|elements|numbers]"),
           "{num:n} [-] [point|value|day|element|step] (moving average|rolling mean|running mean|rolling average) of {t:x}",
           "(smooth) {t:x} with [window of|moving average of|window size] {num:n}"), _running, "things"),
)  # fmt: skip
"""What is asked of texts, and of lists in general."""
