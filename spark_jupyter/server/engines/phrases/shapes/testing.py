"""Statistics: tests, intervals, outliers, a line through points. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.cursor import SEX_NAMES
from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column

_T = (
    "[independent|unpaired|student's|two-sample|two sample|independent samples|simple] "
    "(t-test|t test|ttest|t-tests|t tests|welch test|welch t-test|welch t test|welch's t-test|welch's t test)"
)
_U = "(mann-whitney|mann whitney|mann-whitney-u|mann-whitney u|mann whitney u) [u] [test]"
_TAIL = f"[[do|with|using|use|run|make|by|via|check with|and do|test with] {_T}]"
_MORE = "(different|higher|lower|larger|smaller|greater|bigger|better|worse|longer|shorter|faster|slower|older|younger|more|less|heavier)"
_WOMEN = "(men and women|women and men|males and females|females and males|boys and girls|girls and boys|sexes|genders)"
_ONLY = "[{rest:where}]"
_WHETHER = "[of|on|for|comparing|compare|to compare|in|whether|if|to (see|check|test|find out) (if|whether)]"


def _groups(said: Said, test: str, rows: str = "") -> str:
    """A test of two groups: two values of a column, or the two groups that a column makes."""
    of = said.numeric("x")
    rows = rows or said.table
    taken = said.of(of, rows)
    if said.has("a"):
        column = f"{rows}[{quoted(_holder(said))}]"
        sides = [f"{taken}[{column} == {quoted(said.word(one))}]" for one in ("a", "b")]
    else:
        column = f"{rows}[{quoted(_grouping(said).name)}]"
        said.before.append(f"first, second = (values for _, values in {taken}.groupby({column}))")
        sides = ["first", "second"]
    more = ", equal_var=False" if test == "ttest_ind" else ""
    if test == "ttest_ind":
        said.says.append("It is Welch's t-test: the groups may vary differently.")
    return f'stats.{test}({", ".join(sides)}{more}, nan_policy="omit")'


def _holder(said: Said) -> str:
    """The one column that has both values, ``a`` and ``b``. Raises :class:`UnknownError` where none or several have."""
    first, second = (said.marked.holders.get(said.found[one].strip(), ()) for one in "ab")
    shared = [one for one in first if one in second]
    if len(shared) != 1:
        raise UnknownError
    return shared[0]


def _grouping(said: Said) -> Column:
    """The column that makes the groups: the one that is named, or that of men and women."""
    if said.has("g"):
        found = said.column("g")
        if found.kind == "date" or found.dtype.startswith("float") or found == said.column("x"):
            raise UnknownError
        return found
    found_sexes = [one for name, one in said.by_name.items() if name.lower() in SEX_NAMES]
    if len(found_sexes) != 1:
        raise UnknownError
    return found_sexes[0]


def _t(said: Said) -> str:
    return _groups(said, "ttest_ind", said.rows("where"))


def _u(said: Said) -> str:
    return _groups(said, "mannwhitneyu", said.rows("where"))


def _paired(said: Said) -> str:
    rows = said.rows("where")
    test = "wilcoxon" if "wilcoxon" in said.found[0].lower() else "ttest_rel"
    first, second = said.numeric("x"), said.numeric("y")
    if first == second:
        raise UnknownError
    return f'stats.{test}({said.of(first, rows)}, {said.of(second, rows)}, nan_policy="omit")'


def _anova(said: Said) -> str:
    of, rows = said.numeric("x"), said.rows("where")
    groups = f"{said.of(of, rows)}.groupby({rows}[{quoted(_grouping(said).name)}])"
    test = "kruskal" if "kruskal" in said.found[0].lower() else "f_oneway"
    said.before.append(f"groups = [values.dropna() for _, values in {groups}]")
    return f"stats.{test}(*groups)"


def _independent(said: Said) -> str:
    one, other, rows = said.column("x"), said.column("y"), said.rows("where")
    if one == other or any(each.kind == "date" or each.dtype.startswith("float") for each in (one, other)):
        raise UnknownError
    said.before += [
        f"counted = pd.crosstab({rows}[{quoted(one.name)}], {rows}[{quoted(other.name)}])",
        "print(counted)",
    ]
    return "stats.chi2_contingency(counted)"


def _standard_error(said: Said) -> str:
    of, rows = said.numeric("x"), said.rows("where")
    return f"{said.of(of, rows)}.sem()"


def _interval(said: Said) -> str:
    of, rows = said.numeric("x"), said.rows("where")
    share = float(said.number("p") or 95) / 100
    if not 0.5 <= share < 1:
        raise UnknownError
    said.before.append(f"known = {said.of(of, rows)}.dropna()")
    return f"stats.t.interval({share:g}, len(known) - 1, loc=known.mean(), scale=known.sem())"


def _normal(said: Said) -> str:
    of, rows = said.numeric("x"), said.rows("where")
    said.says.append("A small p-value, below 0.05 say, speaks against a normal distribution.")
    return f"stats.shapiro({said.of(of, rows)}.dropna())"


def _far(said: Said) -> str:
    of, rows = said.numeric("x"), said.rows("where")
    limit = said.number("n") or "3"
    taken = said.of(of, rows)
    said.before += [f"values = {taken}", "distance = (values - values.mean()) / values.std()"]
    return f"{rows}[distance.abs() > {limit}]"


def _fitted(said: Said) -> str:
    y, x = said.numeric("y"), said.numeric("x")
    if (
        x == y
        or (said.has("z") and said.column("z") != y)
        or any(said.has(one) and said.column(one) != x for one in "uw")
    ):
        raise UnknownError
    rows = said.free("known")
    said.before += [
        f'{rows} = pd.DataFrame({{"x": {said.of(x)}, "y": {said.of(y)}}}).dropna()',
        f'slope, intercept = np.polyfit({rows}["x"], {rows}["y"], 1)',
        'print("slope:", slope, "intercept:", intercept)',
    ]
    return f"slope * {said.number('n')} + intercept"


def _distance(said: Said) -> str | None:
    """Along the surface of the earth, between two rows with a latitude and a longitude."""
    named = {
        which: [one.name for one in said.by_name.values() if one.kind == "number" and one.name.lower() in names]
        for which, names in (("lat", ("lat", "latitude")), ("lon", ("lon", "lng", "long", "longitude")))
    }
    if any(len(one) != 1 for one in named.values()):
        return None
    holder = _holder(said)
    lat, lon = (quoted(named[one][0]) for one in ("lat", "lon"))
    radius = "3958.8" if said.has("unit") and said.word("unit").startswith("mi") else "6371"
    said.before += [
        f"places = np.radians({said.table}.set_index({quoted(holder)})[[{lat}, {lon}]])",
        f"a, b = places.loc[{quoted(said.word('a'))}], places.loc[{quoted(said.word('b'))}]",
        f"h = np.sin((b[{lat}] - a[{lat}]) / 2) ** 2 + np.cos(a[{lat}]) * np.cos(b[{lat}]) * np.sin((b[{lon}] - a[{lon}]) / 2) ** 2",
    ]
    said.says.append("Along a great circle, by the haversine formula.")
    return f"2 * {radius} * np.arcsin(np.sqrt(h))"


_CHI = "(chi-square|chi square|chi-squared|chi squared|chi2|chi 2|chisquare|chi-square-test) [test] [of independence]"
_FIT = "(fit|draw|put|make) [straight|linear] (line|trend line|regression|regression line|linear regression|model|linear model)"

SHAPES = (
    Shape((
        (f"{_T} {_WHETHER} {{c:x}} [is different|differs] (between|of|for|in|comparing|across) {{v:a}} (and|vs|versus|against|to|with) "
         f"{{v:b}} {_ONLY}"),
        f"{_T} [between|of|comparing|compare|for|on] {{v:a}} (and|vs|versus|against|with) {{v:b}} (in|on|of|for|by) {{c:x}} {_ONLY}",
        (f"(is|are|was|were) {{c:x}} [significantly|really|statistically] {_MORE} (between|in|for|of|on|at|with) {{v:a}} "
         f"(and|than|than in|than for|than of|than on|than at|vs) {{v:b}} {_TAIL}"),
        (f"(is|are) [there] [significant|statistically significant|real] difference (in|of) {{c:x}} between [{{c:k}}] {{v:a}} and "
         f"[{{c:l}}] {{v:b}} [statistically|really] [significant] {_TAIL}"),
        f"(does|do) {{v:a}} and {{v:b}} differ [significantly] in {{c:x}} {_TAIL}",
        f"(does|do) {{c:x}} differ [significantly] between [{{c:k}}] {{v:a}} and [{{c:l}}] {{v:b}} {_TAIL}",
        f"(does|do) {{c:x}} differ [significantly] between {_WOMEN} {_TAIL}",
        (f"(test|check) (if|whether) {{c:x}} (differs|is different|is significantly different|is the same) (between|for|in) {{v:a}} "
         f"and {{v:b}} {_TAIL}"),
        f"compare {{c:x}} (of|between|in|for) {{v:a}} (and|with|to) {{v:b}} (with|using|by|in) {_T}",
        f"{_T} [of|on|for|comparing|in] {{c:x}} (between|by|across|for|of|per|split by|grouped by) [two|both] {{c:g}} [groups] {_ONLY}",
        (f"(does|do) {{c:x}} differ [significantly] (between|by|across|with) [two|both] {{c:g}} [groups] "
         f"(do|with|using|use|run|by|via) {_T}"),
        f"(is|are) {{c:x}} [significantly] different (between|by|for|across) [two|both] {{c:g}} [groups] (do|with|using|use|run|by) {_T}",
        f"{_T} [of|on|for|comparing|in] {{c:x}} (between|of|for|by) {_WOMEN} {_ONLY}",
        f"(is|are) there [significant] difference in {{c:x}} between {_WOMEN} {_TAIL}",
        f"(is|are) {{c:x}} [significantly] different (between|for) {_WOMEN} {_TAIL}",
        f"{_T} [of|on|for|in] {{c:x}} (women vs men|men vs women|male vs female|female vs male) {_ONLY}",
        f"(do|does) {_WOMEN} differ [significantly] in {{c:x}} {_TAIL}",
    ), _t),
    Shape((
        f"{_U} [of|on|for|comparing|in] {{c:x}} (between|of|for|in) {{v:a}} (and|vs|versus|against) {{v:b}} {_ONLY}",
        f"{_U} [of|on|for|comparing|in] {{c:x}} (between|by|across|per) [two|both] {{c:g}} [groups] {_ONLY}",
    ), _u),
    Shape((
        (f"(paired {_T}|paired samples t-test|dependent t-test|related t-test|wilcoxon [signed rank|signed-rank] [test]) "
         f"[of|between|for|on|comparing|compare] {{c:x}} (and|vs|versus|against|to|with) {{c:y}} {_ONLY}"),
        f"(is|are) {{c:x}} [significantly] {_MORE} (than|from|to) {{c:y}} [do|with|using|use|run|by] paired {_T}",
        f"(is|are) {{c:x}} and {{c:y}} [significantly] different [do|with|using|use|run|by] paired {_T}",
    ), _paired),
    Shape((
        ("(anova|one-way anova|one way anova|oneway anova|kruskal|kruskal-wallis|kruskal wallis) [test] [of|on|for|with|whether] "
         f"{{c:x}} [differs] (by|between|across|per|over|for|among|depending on|grouped by) {{c:g}} [groups] {_ONLY}"),
        "(anova|one-way anova) [whether|if|does] {c:x} (depend|depends|differ|differs) (on|by|between) {c:g}",
        ("(is|are) {c:x} [significantly] different (between|across|by|among) {c:g} [groups] (do|with|using|use|run|by) (anova|one-way "
         "anova)"),
        ("(does|do) {c:x} differ [significantly] (between|across|by|among) {c:g} [groups] (do|with|using|use|run|by) (anova|one-way "
         "anova)"),
    ), _anova),
    Shape((
        f"{_CHI} [of|between|for|on|with] {{c:x}} (and|against|vs|by|with|versus|x) {{c:y}} {_ONLY}",
        (f"{_CHI} (whether|if|to see if|to see whether) {{c:x}} (depends on|depend on|is related to|is associated with|differs by|is "
         f"independent of) {{c:y}}"),
        f"(does|do) {{c:x}} depend on {{c:y}} (with|by|using|do|use) {_CHI}",
        (f"(is|are) there [significant] (association|relationship|connection|link|dependence|relation) between {{c:x}} and {{c:y}} "
         f"(do|with|using|use|run|by|via|test with|{_CHI}) [{_CHI}]"),
        f"(is|are) {{c:x}} and {{c:y}} (independent|related|associated|dependent) [of each other] [(do|with|using|use|run) {_CHI}]",
        f"(is|are) {{c:x}} (independent of|associated with|related to|dependent on) {{c:y}} [(do|with|using|use|run) {_CHI}]",
        f"(test|check) (if|whether) {{c:x}} and {{c:y}} are (independent|related|associated) [(with|using|by) {_CHI}]",
    ), _independent),
    Shape((
        (f"{{n:p}} (%|percent) (confidence interval|ci|confidence limits|confidence intervals) (of|for|around|on) [mean "
         f"of|mean|average|avg] {{c:x}} {_ONLY}"),
        f"(confidence interval|ci) (of|for|around) [mean of|mean|average|avg] {{c:x}} [at {{n:p}} (%|percent)] {_ONLY}",
        f"[mean|average] {{c:x}} with {{n:p}} (%|percent) (confidence interval|ci) {_ONLY}",
    ), _interval),
    Shape((f"(standard error|sem|standard error of mean) (of|for) [mean [of|for]|mean|average] {{c:x}} {_ONLY}",), _standard_error),
    Shape((
        "(is|are) {c:x} [approximately|roughly|about|more or less] (normally|normal|gaussian) [distributed|distribution]",
        "(does|do) {c:x} (follow|have|come from) (normal|gaussian) distribution",
        "(test|check) (if|whether) {c:x} (is|are) (normally distributed|normal|gaussian)",
        f"(test|check) {{c:x}} for (normality|normal distribution) {_ONLY}",
        f"(normality test|shapiro|shapiro-wilk|shapiro wilk|test for normality|test of normality) [test] (of|for|on) {{c:x}} {_ONLY}",
    ), _normal),
    Shape((
        ("outliers (in|of|for) {c:x} (with|using|by|via) (z-score|z score|z-scores|zscore|z scores|z - {c:z}|z - scores) [method] "
         "[(above|over|of|>|greater than) {n:n}]"),
        ("[rows|entries|outliers] [where] {c:x} [is|are|lies] more than {num:n} (standard deviations|standard deviation|std|sd|sigma) "
         "[away] from mean"),
        "outliers (in|of|for) {c:x} more than {num:n} (standard deviations|std|sd|sigma) [away] from mean",
    ), _far),
    Shape((
        (f"{_FIT} (of|for|to predict|through|to) {{c:y}} (on|against|vs|from|by|over|with) {{c:x}} and (predict|estimate) "
         f"[{{c:z}}|value|it|y] (for|at) [{{c:u}}] [of|=] {{n:n}} "
         f"[{{c:w}}|kg|km|m|cm|years|days|hours|euro|eur|usd|degrees|units|minutes]"),
        ("(predict|estimate) {c:y} from {c:x} (for|at) [{c:u}] [of|=] {n:n} "
         "[{c:w}|kg|km|m|cm|years|days|hours|euro|eur|units|minutes] [(with|using|by) (linear regression|straight line|line|linear "
         "fit|linear model)]"),
    ), _fitted),
    Shape((
        "distance [in {unit:unit}] between {v:a} and {v:b} [(from|with|using|by|based on) [{cs:k}|coordinates|latitude and longitude]]",
        "how far is {v:a} from {v:b} [in {unit:unit}] [(from|with|using|by|based on) [{cs:k}|coordinates]]",
    ), _distance),
)  # fmt: skip
"""What is asked with a word for the test, or by a question that a test answers."""
