"""What is asked of numbers in a row, an array or a list: cuts of it, where another holds, put together. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.amounts import HOWS, pair, reckoned, variable
from spark_jupyter.server.engines.phrases.shapes.holding import SIGN, sign
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import flat, kind, matrix, size
from spark_jupyter.server.engines.rewrite import quoted

_STEPS = {"second": "2", "other": "2", "third": "3", "fourth": "4", "fifth": "5", "tenth": "10", "2nd": "2", "3rd": "3"}


def _every(said: Said) -> str:
    step = said.number("n") if said.has("n") else _STEPS[said.found["step"].strip().lower()]
    return f"{variable(said, 'x')}[::{step}]"


def _cut(said: Said) -> str:
    first, last = int(said.number("n")), int(said.number("m"))
    if not 0 <= first < last:
        raise UnknownError
    said.says.append("Counted from 0, both ends are in it.")
    return f"{variable(said, 'x')}[{first}:{last + 1}]"


def _backwards(said: Said) -> str:
    return f"{variable(said, 'x')}[::-1]"


def _where(said: Said) -> str:
    """The values of one where a condition on the other holds."""
    x, y = variable(said, "x"), variable(said, "y")
    one, other = said.variable("x"), said.variable("y")
    if x == y or (size(one) and size(other) and size(one) != size(other)):
        raise UnknownError
    if said.has("m"):
        low, high = said.number("n"), said.number("m")
        tests = (f"({{y}} >= {low}) & ({{y}} <= {high})", f"{low} <= limit <= {high}")
    else:
        test = f"{sign(said.found['sign'])} {said.number('n')}"
        tests = (f"{{y}} {test}", f"limit {test}")
    if kind(one) == "array":
        return f"{x}[{tests[0].replace('{y}', y if kind(other) == 'array' else f'np.array({y})')}]"
    return f"[value for value, limit in zip({x}, {y}) if {tests[1]}]"


def _place(said: Said) -> str:
    word = said.found["end"].strip().lower()
    how = "min" if word.startswith(("min", "small", "low")) else "max"
    x = variable(said, "x")
    return f"int({x}.arg{how}())" if kind(said.variable("x")) == "array" else f"{x}.index({how}({x}))"


def _of_some(said: Said) -> str:
    """A summary of the first or last values."""
    how = HOWS.get(said.found["how"].strip().lower(), "")
    if how not in ("mean", "median", "sum", "max", "min", "std"):
        raise UnknownError
    cut = f"[:{said.number('n')}]" if said.found["side"].strip().lower() == "first" else f"[-{said.number('n')}:]"
    return f"np.{how}({variable(said, 'x')}{cut}{', ddof=1' if how == 'std' else ''})"


def _shaped(said: Said) -> str:
    number, name = said.number("n"), variable(said, "x")
    shape = f"{number}, -1" if said.found["way"].strip().lower().startswith("row") else f"-1, {number}"
    return f"{name}.reshape({shape})" if kind(said.variable("x")) == "array" else f"np.reshape({name}, ({shape}))"


def _by_own_transpose(said: Said) -> str:
    if not matrix(said.variable("x")) or (said.has("y") and said.word("y") != said.word("x")):
        raise UnknownError
    return f"{said.word('x')} @ {said.word('x')}.T"


def _by_element(said: Said) -> str:
    one, other = said.variable("x"), said.variable("y")
    if kind(one) != "array" or kind(other) != "array":
        raise UnknownError
    return f"{one.name} * {other.name}"


def _dotted(said: Said) -> str:
    x, y = pair(said, "x", "y")
    return f"np.dot({x}, {y})"


def _squared(said: Said) -> str:
    return f"{reckoned(said, 'x')} ** 2"


def _one_side(said: Said) -> str:
    if kind(said.variable("x")) != "array":
        raise UnknownError
    name, test = said.word("x"), "<" if said.found["side"].strip().lower() == "negative" else ">"
    return f"{name} = np.where({name} {test} 0, {said.number('n')}, {name})\n{name}"


def _stacked(said: Said) -> str:
    names = _names(said)
    call = "column_stack" if said.found["way"].strip().lower().startswith("col") else "vstack"
    return f"np.{call}([{', '.join(names)}])"


def _joined(said: Said) -> str:
    names = _names(said, equal=False)
    if not any(kind(said.namespace.get(one) or said.variable("t")) == "array" for one in names):
        raise UnknownError
    return f"np.concatenate([{', '.join(names)}])"


def _as_table(said: Said) -> str:
    name = said.word("name") if said.has("name") else "df"
    name = said.free(name)
    said.before.append(f"{name} = pd.DataFrame({{{', '.join(f'{quoted(one)}: {one}' for one in _names(said))}}})")
    return name


def _names(said: Said, *, equal: bool = True) -> list[str]:
    """The variables that are named, each numbers in a row. Raises :class:`UnknownError` where they are not, or of different lengths."""
    names = said.marked.names_of(said.found["ts"], "t")
    found = [one for name in names if (one := said.namespace.get(name)) is not None]
    rows = [one for one in found if kind(one) == "numbers" or (kind(one) == "array" and flat(one))]
    lengths = {size(one) or one.details.rpartition("(")[2] for one in rows}
    if len(rows) < 2 or len(rows) != len(names) or len(set(names)) != len(names) or (equal and len(lengths) > 1):
        raise UnknownError
    return names


def _rounded(said: Said) -> str:
    number = said.number("n") if said.has("n") else "0"
    name = said.variable("x")
    if kind(name) == "array":
        return f"np.round({name.name}, {number})"
    return f"[round(value, {number}) for value in {variable(said, 'x')}]"


def _rms(said: Said) -> str:
    return f"np.sqrt(np.mean({reckoned(said, 'x')} ** 2))"


def _mean_and_error(said: Said) -> str:
    x = variable(said, "x")
    return f'{{"mean": np.mean({x}), "standard error": stats.sem({x})}}'


def _crossed(said: Said) -> str:
    x, level = reckoned(said, "x"), said.number("n")
    said.says.append("The places, counted from 0, right before it crosses.")
    return f"np.flatnonzero(np.diff(np.sign({x} - {level})))"


def _is_sorted(said: Said) -> str:
    return f"bool(np.all(np.diff({variable(said, 'x')}) >= 0))"


def _that_gives(said: Said) -> str:
    """What of one belongs to the largest of the other."""
    x, y = variable(said, "x"), variable(said, "y")
    one, other = said.variable("x"), said.variable("y")
    if x == y or (size(one) and size(other) and size(one) != size(other)):
        raise UnknownError
    how = said.first("sup")
    return f"{x}[{y}.arg{how}()]" if kind(other) == "array" else f"{x}[{y}.index({how}({y}))]"


_ELEMENT = "[element|value|entry|elements|values|entries|item|items|point|points|number|numbers|sample]"
_IN = "(of|in|from)"


SHAPES = (
    Shape((
        f"(per|every|each) ({'|'.join(_STEPS)}:STEP) {_ELEMENT} {_IN} {{t:x}}",
        f"(per|every|each) {{n:n}} (th|nd|rd) {_ELEMENT} {_IN} {{t:x}}",
    ), _every, "things"),
    Shape((
        f"[elements|values|entries|items] {{n:n}} (to|until|through|up to|-) {{n:m}} {_IN} {{t:x}}",
        "{t:x} from (index|position|element|place) {n:n} (to|until|through|up to) [index|position|element] {n:m}",
        f"[elements|values|entries|slice] from [index|position] {{n:n}} (to|until|through|up to) {{n:m}} {_IN} {{t:x}}",
        "(slice|cut) {t:x} from [index] {n:n} (to|until) {n:m}",
    ), _cut, "things"),
    Shape((
        "(reverse|flip|turn around|invert order of) {t:x}",
        "{t:x} (reversed|backwards|in reverse|in reverse order)",
    ), _backwards, "things"),
    Shape((
        f"[all] [values|elements|entries|points] [{_IN}] {{t:x}} (where|for which|when|with|if|at which) {{t:y}} [is|are] {SIGN} {{n:n}}",
        ("[all] [values|elements|entries|points] [(of|in|from)] {t:x} (where|for which|when|with|if|at which) {t:y} [is|are|lies] "
         "between {n:n} and {n:m}"),
        "[values] [(of|in|from)] {t:x} (between|from) {t:y} [=|is] {n:n} (and|to) [{t:y2}] [=|is] {n:m}",
    ), _where, "things"),
    Shape((
        (f"(index|position|place|argmax) [of] (max|maximum|largest|highest|biggest|min|minimum|smallest|lowest:END) {_ELEMENT} {_IN} "
         f"{{t:x}}"),
        ("[at] (which|what) (index|position|place) (is|has) (max|maximum|largest|highest|biggest|min|minimum|smallest|lowest:END) "
         f"{_ELEMENT} [{_IN}] {{t:x}}"),
        f"where is (max|maximum|largest|highest|biggest|min|minimum|smallest|lowest:END) {_ELEMENT} {_IN} {{t:x}}",
    ), _place, "things"),
    Shape((
        (f"(mean|average|sum|total|max|maximum|min|minimum|median|std|standard deviation:HOW) of (first|last:SIDE) {{num:n}} "
         f"{_ELEMENT} {_IN} {{t:x}}"),
    ), _of_some, "things"),
    Shape((
        "reshape {t:x} (to|into|in|as|with) [array|matrix] [with|of] {n:n} (rows|row|columns|column:WAY)",
        "(turn|make|convert) {t:x} (into|to) [array|matrix] (with|of) {n:n} (rows|columns:WAY)",
    ), _shaped, "things"),
    Shape((
        "(multiply|product of|matrix product of) {t:x} (with|by|and|times) (its|own|it's) [own] (transpose|transposed)",
        "{t:x} (times|@) (its|own) [own] transpose",
        "(multiply|product of|matrix product of) {t:x} (with|by|and|times) transpose [of {t:y}]",
        "{t:x} (times|@) transpose [of {t:y}]",
    ), _by_own_transpose, "things"),
    Shape((
        "(element wise|element-wise|elementwise) product (of|between) {t:x} and {t:y}",
        "(multiply|product of) {t:x} (and|by|with) {t:y} (element wise|element-wise|elementwise|element by element)",
    ), _by_element, "things"),
    Shape(("(dot product|scalar product|inner product) (of|between) {t:x} (and|with) {t:y}", "{t:x} dot {t:y}"), _dotted, "things"),
    Shape((
        "{t:x} squared",
        "(square|squares of|square of) [per|every|all] [element|elements|value|values] [(of|in)] {t:x}",
    ), _squared, "things"),
    Shape((
        "(replace|set|change) [all] (negative|positive:SIDE) [values|numbers|entries|elements|ones] (of|in) {t:x} (with|by|to) {n:n}",
    ), _one_side, "things"),
    Shape((
        "(stack|put|combine|join) {ts:ts} (as|into|to) (columns|rows:WAY) [of (array|matrix)]",
        "(stack|combine) {ts:ts} (column wise|column-wise|row wise|row-wise:WAY)",
    ), _stacked, "things"),
    Shape(("(concatenate|join|append|concat) {ts:ts} [into (one array|one)]",), _joined, "things"),
    Shape((
        ("(combine|put|make|turn|join|merge|convert) {ts:ts} (into|in|to|as) [one|single] (dataframe|table|data frame|df) "
         "[(called|named) {w:name}]"),
        ("(make|create|build) [new] (dataframe|table|data frame|df) [(called|named) {w:name}] (from|of|with|out of|using) [columns] "
         "{ts:ts} [as columns]"),
    ), _as_table, "things"),
    Shape((
        ("round [all] [values|elements|numbers] [(of|in)] {t:x} [to {n:n} (decimal|decimals|decimal places|digits|decimal "
         "place|digit|places)]"),
    ), _rounded, "things"),
    Shape(("(rms|root mean square|rms value|quadratic mean) (of|for) {t:x}",), _rms, "things"),
    Shape((
        "(mean|average) of {t:x} (and|with|plus|together with) [its|own] standard error",
        "(mean|average) and standard error of {t:x}",
        "(mean|average) of {t:x} with [its|own] (error|uncertainty|standard error of mean)",
    ), _mean_and_error, "things"),
    Shape((
        "where (does|do) {t:x} (cross|pass|reach|exceed) [value|level|line] [of] {n:n}",
        "where {t:x} (crosses|passes) [value|level] [of] {n:n}",
    ), _crossed, "things"),
    Shape(("is {t:x} (sorted|in order|ascending|increasing|in ascending order)",), _is_sorted, "things"),
    Shape((
        "(what|which) {t:x} (gives|has|gave|produces|leads to|belongs to|makes|yields|corresponds to|goes with) {sup:sup} {t:y}",
        "{t:x} (with|of|at|for|that gives|at which) {sup:sup} {t:y}",
    ), _that_gives, "things"),
)  # fmt: skip
"""What is asked of numbers in a row."""
