"""Lists, dictionaries and texts: pairs of them, counts, loops, words. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import kind, of_numbers, size
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Variable

_TO = {
    "fahrenheit": "{x} * 9 / 5 + 32", "celsius": "({x} - 32) * 5 / 9", "kelvin": "{x} + 273.15", "miles": "{x} / 1.609344",
    "pounds": "{x} / 0.45359237", "inches": "{x} / 2.54", "feet": "{x} / 0.3048",
}  # fmt: skip
_TAKEN = {
    "fahrenheit": "°C",
    "celsius": "°F",
    "kelvin": "°C",
    "miles": "km",
    "pounds": "kg",
    "inches": "cm",
    "feet": "m",
}
_POWERS = {"square": "{x} ** 2", "cube": "{x} ** 3", "double": "{x} * 2", "triple": "{x} * 3", "halve": "{x} / 2"}


def _sequence(said: Said, group: str) -> Variable:
    found = said.variable(group)
    if kind(found) not in ("numbers", "texts", "list"):
        raise UnknownError
    return found


def _mean(said: Said) -> str:
    name = said.variable("x")
    if kind(name) != "numbers":
        raise UnknownError
    how = said.found["how"].strip().lower()
    if how in ("sum", "total"):
        return (
            f"total = 0\nfor number in {name.name}:\n    total += number\ntotal"
            if said.has("loop")
            else f"sum({name.name})"
        )
    return f"sum({name.name}) / len({name.name})"


def _numbered(said: Said) -> str:
    name = _sequence(said, "x").name
    counted = said.found[0].lower()
    start = said.number("n") if said.has("n") else "0" if "index" in counted else "1"
    return f"for number, one in enumerate({name}, start={start}):\n    print(number, one)"


def _each(said: Said) -> str:
    name = _sequence(said, "x").name
    return f"for one in {name}:\n    print(one)"


def _both_printed(said: Said) -> str:
    first, second = _sequence(said, "x").name, _sequence(said, "y").name
    if first == second:
        raise UnknownError
    return f"for one, other in zip({first}, {second}):\n    print(one, other)"


def _mapped(said: Said) -> str:
    first, second = _sequence(said, "x"), _sequence(said, "y")
    if first == second or (size(first) and size(second) and size(first) != size(second)):
        raise UnknownError
    name = said.free("together")
    return f"{name} = dict(zip({first.name}, {second.name}))\n{name}"


def _paired(said: Said) -> str:
    first, second = _sequence(said, "x"), _sequence(said, "y")
    if first == second:
        raise UnknownError
    return f"list(zip({first.name}, {second.name}))"


def _words_counted(said: Said) -> str:
    found = said.variable("x")
    if kind(found) == "str":
        return f'Counter(re.findall(r"[\\w\']+", {found.name}.lower())).most_common()'
    if kind(found) == "texts" and "word" not in said.found[0].lower():
        return f"Counter({found.name}).most_common()"
    raise UnknownError


def _split(said: Said) -> str:
    found = said.variable("x")
    if kind(found) != "str":
        raise UnknownError
    words = said.found[0].lower()
    low = ".lower()" if "lower" in words or "small" in words else ".upper()" if "upper" in words else ""
    name = said.free("words")
    if "comma" in words:
        made = f'[one.strip(){low} for one in {found.name}.split(",") if one.strip()]'
    elif "semicolon" in words:
        made = f'[one.strip(){low} for one in {found.name}.split(";") if one.strip()]'
    else:
        made = f're.findall(r"[\\w\'-]+", {found.name}{low})'
    return f"{name} = {made}\n{name}"


def _cleaned(said: Said) -> str:
    """The strings of a list without spaces around them, in one case."""
    found = said.variable("x")
    if kind(found) != "texts":
        raise UnknownError
    words = said.found[0].lower()
    low = (
        ".lower()"
        if "lower" in words
        else ".upper()"
        if "upper" in words
        else ".title()"
        if "title" in words or "capital" in words
        else ""
    )
    spaces = ".strip()" if "space" in words or "strip" in words or "trim" in words else ""
    if not (low or spaces):
        raise UnknownError
    return f"[one{spaces}{low} for one in {found.name}]"


def _without_none(said: Said) -> str:
    found = _sequence(said, "x")
    if "NoneType" not in found.details:
        raise UnknownError
    if not said.has("to"):
        return f"[one for one in {found.name} if one is not None]"
    to = said.word("to").lower()
    if to not in _TO:
        raise UnknownError
    said.says.append(f"I took the numbers for {_TAKEN[to]}.")
    return f"[{_TO[to].replace('{x}', 'one')} for one in {found.name} if one is not None]"


def _converted(said: Said) -> str:
    """Numbers in another unit, of which the prompt tells only the new one."""
    found, to = said.variable("x"), said.word("to").lower()
    if kind(found) != "numbers" or to not in _TO:
        raise UnknownError
    said.says.append(f"I took the numbers for {_TAKEN[to]}.")
    return f"[{_TO[to].replace('{x}', 'one')} for one in {found.name}]"


def _none_replaced(said: Said) -> str:
    found = _sequence(said, "x")
    if "NoneType" not in found.details:
        raise UnknownError
    if said.has("n"):
        return f"[{said.number('n')} if one is None else one for one in {found.name}]"
    how = "median" if "median" in said.found[0].lower() else "mean"
    said.before += [f"known = [one for one in {found.name} if one is not None]", f"usual = statistics.{how}(known)"]
    return f"[usual if one is None else one for one in {found.name}]"


def _best(said: Said) -> str | None:
    """ "who has the best mark": the name at the place of the largest number, or of the smallest where that is the best."""
    said_word = said.word("w").lower()
    numbers = [
        one
        for one in said.namespace.variables
        if kind(one) == "numbers" and one.name.lower().rstrip("s") == said_word.rstrip("s")
    ]
    if len(numbers) != 1:
        return None
    own = numbers[0]
    people = [one for one in said.namespace.variables if kind(one) == "texts" and size(one) and size(one) == size(own)]
    if len(people) != 1:
        return None
    first = said.found["how"].strip().lower()
    least = first in ("lowest", "smallest", "least", "worst", "fewest", "min", "minimum")
    if said.has("n"):
        least = least != (said.has("good") and float(said.number("n")) <= 1)
    elif first in ("best", "worst"):
        said.says.append(f"I took the {'lowest' if least else 'highest'} number for the {first}.")
    return f"{people[0].name}[{own.name}.index({'min' if least else 'max'}({own.name}))]"


def _bill(said: Said) -> str | None:
    """What records with a name and a number cost, where a dictionary has the price of each."""
    cart, prices = said.variable("x"), _prices(said)
    names, numbers = _record(cart)
    if not of_numbers(prices) or cart.name == prices.name:
        return None
    return f"sum({prices.name}[one[{names}]] * one[{numbers}] for one in {cart.name})"


def _billed(said: Said) -> str | None:
    cart, prices = said.variable("x"), _prices(said)
    names, numbers = _record(cart)
    if not of_numbers(prices):
        return None
    table = said.free("bill")
    said.before += [
        f"{table} = pd.DataFrame({cart.name})",
        f'{table}["price"] = {table}[{names}].map({prices.name})',
        f'{table}["total"] = {table}["price"] * {table}[{numbers}]',
    ]
    return table


def _prices(said: Said) -> Variable:
    if said.has("y"):
        return said.variable("y")
    found = [
        one
        for one in said.namespace.variables
        if of_numbers(one) and any(word in one.name.lower() for word in ("price", "cost"))
    ]
    if len(found) != 1:
        raise UnknownError
    return found[0]


def _record(cart: Variable) -> tuple[str, str]:
    """The keys of a record: the text that names it, and the number of it."""
    names = [one.name for one in cart.columns if one.kind == "text"]
    numbers = [one.name for one in cart.columns if one.kind == "number"]
    if cart.type != "list" or len(names) != 1 or len(numbers) != 1:
        raise UnknownError
    return quoted(names[0]), quoted(numbers[0])


def _powered(said: Said) -> str:
    found = said.variable("x")
    if kind(found) != "numbers":
        raise UnknownError
    to = _POWERS[said.found["how"].strip().lower()].replace("{x}", "number")
    name = said.free({"square": "squares", "cube": "cubes"}.get(said.found["how"].strip().lower(), "results"))
    if said.has("loop"):
        return f"{name} = []\nfor number in {found.name}:\n    {name}.append({to})\n{name}"
    return f"{name} = [{to} for number in {found.name}]\n{name}"


def _turned(said: Said) -> str:
    """Keys and values of a dictionary swapped."""
    found = said.variable("x")
    if kind(found) != "dict":
        raise UnknownError
    return f"{{value: key for key, value in {found.name}.items()}}"


def _looked_up(said: Said) -> str:
    found = said.variable("x")
    if kind(found) != "dict":
        raise UnknownError
    return f"for key, value in {found.name}.items():\n    print(key, value)"


_EVERY = "(every|each|all|per)"
_LOOP = "(loop|for loop|loops)"
_LIB = "[(without|not using|no) (numpy|pandas|library|libraries|import|imports|any library|any libraries|statistics|built-ins|modules)]"
_CASES = (
    "[(ignoring|ignore|not care about|don't care about|regardless of|no matter|independent of) "
    "(case|upper and lower case|upper or lower case|upper/lower case|capitals|capital letters|capitalisation|capitalization)]"
)
_NUMBER = "(number|numbers|position|place|index|running number|counter)"

SHAPES = (
    Shape((
        ("(average|mean|sum|total:HOW) of [numbers in|values in|all numbers in|all] {t:x} (without|not using) "
        "(numpy|pandas|library|libraries|import|imports|any library|statistics|modules|any imports)"),
        "(average|mean|sum|total:HOW) of [numbers in|values in|all numbers in|all] {t:x} ((with|using|in) [for] loop:LOOP)",
    ), _mean, "things"),
    Shape((
        f"print {_EVERY} {{t:x}} (with|and|together with|plus) [own] {_NUMBER}",
        (f"[loop|go|iterate] [over|through] {{t:x}} and print {_EVERY} [{{w:what}}] (with|and|together with|plus) {_NUMBER} "
        "[(starting|beginning|start|from|counting|counted) [at|from|with] {num:n}]"),
        (f"print {_EVERY} [{{w:what}}] (in|of|from) {{t:x}} (with|and|together with|plus) {_NUMBER} "
        "[(starting|beginning|start|from|counting) [at|from|with] {num:n}]"),
        f"print {{t:x}} with {_NUMBER} [in front] [(starting|beginning|start|from|counting) [at|from|with] {{num:n}}]",
        "(number|enumerate) {t:x} [(starting|beginning|start|from) [at|from|with] {num:n}]",
    ), _numbered, "things"),
    Shape((
        f"(loop|go|iterate) (over|through) {{t:x}} and print {_EVERY} [{{w:what}}]",
        f"(for loop|loop) (over|through|that prints) {_EVERY} [{{w:what}}] (of|in) {{t:x}}",
        "print {t:x} (one per line|line by line|each on own line|each on new line|each in own line|one below other|each on its own line)",
    ), _each, "things"),
    Shape((
        "(loop|go|iterate) (over|through) {t:x} and {t:y} (together|at same time|in parallel|at once) [and print (both|them|pairs)]",
        "print {t:x} (and|with) {t:y} side by side",
    ), _both_printed, "things"),
    Shape((
        "(put|combine|zip|merge|make|turn|join|bring|convert|pack) {t:x} and {t:y} [together] (in|into|to|as) (dict|dictionary)",
        ("[make|build|create|write] (dict|dictionary) (from|of|out of|with|using|that maps|mapping) {t:x} [as "
         "keys] (and|to|onto|as keys and|with) "
        "{t:y} [as values]"),
        "map {t:x} to {t:y} [in dict|in dictionary|as dict|as dictionary]",
        "[make|build|create] (dict|dictionary) with {t:x} as keys and {t:y} as values",
    ), _mapped, "things"),
    Shape((
        ("(put|combine|zip|merge|make|turn|join|bring|pair) {t:x} (and|with) {t:y} [together|up] [(in|into|to|"
         "as) (pairs|tuples|list of tuples|list of pairs)]"),
        "(pairs|tuples|list of tuples|list of pairs) (of|from) {t:x} and {t:y}",
    ), _paired, "things"),
    Shape((
        (f"number of [times] [does|do|is] {_EVERY} (word|words) (occur|occurs|appear|appears|come|comes|used|"
         f"is used|is there) [up] [in] {{t:x}} {_CASES}"),
        ("(word counts|word count|word frequencies|word frequency|frequency of words|frequencies of words)"
         f" (of|in|for) {{t:x}} {_CASES}"),
        f"count [number of] [times] {_EVERY} (word|words) [occurs|appears|comes up|is used] in {{t:x}} {_CASES}",
        f"number of [times] [does|do] {_EVERY} (name|value|item|element|entry) (occur|occurs|appear|appears|come|comes) [up] in {{t:x}}",
    ), _words_counted, "things"),
    Shape((
        ("(split|cut|break|separate|divide) {t:x} [up] (in|into|to) [list of] [clean|cleaned|single|separate|individual|its] "
        "(words|parts|pieces|names|items|entries|list|elements) [(at|by|on) (commas|comma|semicolons|"
        "semicolon|every comma|every semicolon)] "
        "[and] [strip spaces|without spaces|strip them|trim them|strip whitespace|strip each] [and] "
        "[all|everything|make them|them|make it all] [in|in all] [lower case|lowercase|lower|upper case|"
        "uppercase|lower-case|small letters]"),
        ("(split|cut|separate) {t:x} (at|by|on) (commas|comma|semicolons|semicolon|every comma|every semicolon) "
        "[and] [strip spaces|without spaces|strip them|trim them|strip whitespace|strip each|remove spaces|trim spaces] [and] "
        "[all|everything|make them|them] [in] [lower case|lowercase|lower|upper case|uppercase]"),
    ), _split, "things"),
    Shape((
        ("(strip|trim) [spaces|whitespace] [(from|of|off|in)] [all|every|each] [names in|names of|words in|"
         "strings in|values in|elements of] {t:x} [and] "
        "[make|put|turn|convert] [them|all|it] [in|into|to] [lower case|lowercase|upper case|uppercase|title case]"),
        ("(make|put|turn|convert) [all|every] [names in|words in|strings in|values in] {t:x} [in|into|to] "
        "(lower case|lowercase|upper case|uppercase|title case|capitals) [and] [without spaces|strip spaces|"
        "strip them|trim them|and trim spaces]"),
    ), _cleaned, "things"),
    Shape((
        ("(drop|remove|delete|filter out|take out|throw out|leave out|skip) (none|nones|none values|missing|"
         "missing values|empty values|nans) "
        "[values] (from|of|in|out of) {t:x}"),
        ("(drop|remove|delete|filter out|take out|throw out|leave out|skip) (none|nones|none values|missing|"
         "missing values) (from|of|in|out of) {t:x} "
        "and (convert|turn|change) (rest|others|it|them|remaining ones|remaining values|everything else) [in|into|to] {w:to}"),
        "{t:x} (without|but without) (none|nones|none values|missing values)",
        ("convert {t:x} [in|into|to] {w:to} (ignoring|without|skipping|and skip|but skip) (none|nones|none "
         "values|missing values|missing ones)"),
    ), _without_none, "things"),
    Shape((
        "(replace|fill) (none|nones|none values|missing values|gaps|missing) (in|of) {t:x} (with|by) {num:n}",
        ("(replace|fill) (none|nones|none values|missing values|gaps|missing) (in|of) {t:x} (with|by) (mean|"
         "average|median) [of (others|rest|others in list)]"),
    ), _none_replaced, "things"),
    Shape((
        "(convert|turn|change) [all|per] [values in|numbers in|values of] {t:x} [in|into|to] {w:to}",
        "{t:x} in {w:to}",
    ), _converted, "things"),
    Shape((
        ("(who|which {w:who}) (has|got|had|made) (best|worst|highest|lowest|most|least|smallest|largest|biggest|top|fewest:HOW) {w:w} "
        "[{n:n} (is|=) ((best:GOOD)|worst|highest|lowest)]"),
    ), _best, "loose"),
    Shape((
        "(what does|number of does|how much does) {t:x} cost [in total|altogether|all together|overall] [(with|at|by|using|given) {t:y}]",
        "[total] (cost|price|value|bill|sum) of {t:x} [in total] (with|using|at|by|given|from) {t:y}",
        "(add up|sum up|total) {t:x} (with|using|at|by) {t:y}",
        "number of (is|do i pay for|must i pay for|do we pay for) {t:x} [in total] [(with|at|by|using|given) {t:y}]",
    ), _bill, "things"),
    Shape((
        ("[make|build|create] [table|dataframe] (from|of|for|out of|with) {t:x} with (price|prices) and "
         "(total|totals|cost|sum) [per|for every|for each] [{w:i}]"),
        ("(make|turn|convert) {t:x} [in|into|to] (table|dataframe) with (price|{t:y}) and (total|totals|cost|"
         "sum) [per|for every|for each] [{w:i}]"),
        ("[make|build|create] [table|dataframe] (from|of|for|out of|with) {t:x} with {t:y} and (total|totals|"
         "cost|sum) [per|for every|for each] [{w:i}]"),
        ("[make|build|create] [table|dataframe] (from|of|for|out of|with) {t:x} and {t:y} with (price|prices) "
         "and (total|totals|cost|sum) [per|for every] [{w:i}]"),
    ), _billed, "things"),
    Shape((
        ("(square|cube|double|triple|halve:HOW) [every|each|all|per] [number|{w:what}|of] [numbers] [in|of|from] {t:x} "
        "[(with|using|in|by) (list comprehension|comprehension|one line)]"),
        ("(square|cube|double|triple|halve:HOW) [every|each|all|per] [number|{w:what}|of] [numbers] [in|of|"
         "from] {t:x} ((with|using|in|by) [for] loop:LOOP)"),
    ), _powered, "things"),
    Shape((
        "(swap|exchange|switch|turn around|flip|invert|reverse) keys and values (of|in) {t:x}",
        "(invert|flip) {t:x}",
    ), _turned, "things"),
    Shape((
        ("(loop|go|iterate) (over|through) {t:x} and print (key and value|keys and values|each key and value|"
         "key and its value|each key with its value"
        "|every key with value|per key with value|every key and value|each key with value)"),
        "print (keys and values|each key and value|each key with value|per key with value|every key with its value) (of|in) {t:x}",
    ), _looked_up, "things"),
)  # fmt: skip
"""What is asked of lists, dictionaries and texts."""
