"""Tests and intervals of amounts: two lists compared, percentiles, a bootstrap, normality. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.amounts import HOWS, amounts, of_both, reckoned, variable
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import size


def _compared(said: Said) -> str:
    """Two rows of numbers by a test."""
    words = said.found[0].lower()
    first, second = variable(said, "a"), variable(said, "b")
    if first == second:
        raise UnknownError
    if "paired" in words or "wilcoxon" in words:
        if size(said.variable("a")) != size(said.variable("b")):
            raise UnknownError
        return f"stats.{'wilcoxon' if 'wilcoxon' in words else 'ttest_rel'}({first}, {second})"
    if "mann" in words:
        return f"stats.mannwhitneyu({first}, {second})"
    said.says.append("It is Welch's t-test: the groups may vary differently.")
    return f"stats.ttest_ind({first}, {second}, equal_var=False)"


def _quantiles(said: Said) -> str:
    shares = [float(said.word(one)) for one in ("n", "m", "k") if said.has(one)]
    if not shares and "quartile" in said.found[0].lower():
        shares = [25, 50, 75]
    if not shares or any(not 0 < one < 100 for one in shares):
        raise UnknownError
    asked = f"{shares[0]:g}" if len(shares) == 1 else "[" + ", ".join(f"{one:g}" for one in shares) + "]"
    return f"np.percentile({amounts(said, 'x')}, {asked})"


def _bootstrapped(said: Said) -> str:
    how = HOWS.get(said.found["how"].strip().lower() if said.has("how") else "mean", "")
    number = said.number("n") or "1000"
    if how not in ("mean", "median", "std", "sum") or float(number) < 10:
        raise UnknownError
    values = said.free("values")
    call = "np.std(one, ddof=1)" if how == "std" else f"np.{how}(one)"
    said.before += [
        f"{values} = {reckoned(said, 'x')}",
        "rng = np.random.default_rng(0)",
        f"drawn = [rng.choice({values}, size=len({values})) for _ in range({number})]",
        f"boot = np.array([{call} for one in drawn])",
        f'print("{how}:", boot.mean(), "standard error:", boot.std(ddof=1))',
    ]
    said.says.append("What is shown last is the 95% interval of the bootstrap.")
    return "np.percentile(boot, [2.5, 97.5])"


def _interval(said: Said) -> str:
    share = float(said.number("p") or 95) / 100
    if not 0.5 <= share < 1:
        raise UnknownError
    x = variable(said, "x")
    return f"stats.t.interval({share:g}, len({x}) - 1, loc=np.mean({x}), scale=stats.sem({x}))"


def _normal(said: Said) -> str:
    said.says.append("A small p-value, below 0.05 say, speaks against a normal distribution.")
    return f"stats.shapiro({variable(said, 'x')})"


SHAPES = (
    Shape((
        ("[paired|independent|welch|welch's|two-sample|unpaired] (t-test|t test|ttest|mann-whitney|mann whitney|mann-whitney "
            "u|wilcoxon) [test] "
        "(of|between|for|on|comparing|with) {t:a} (and|vs|versus|against|with) {t:b}"),
        "(is|are) {t:a} and {t:b} [significantly] different [(t-test|t test|ttest)]",
        "(is|are) there [significant] difference between {t:a} and {t:b} [(t-test|t test|ttest)]",
        "compare {t:a} (and|with|to) {t:b} (with|using|by) [paired] (t-test|t test|ttest|mann-whitney|wilcoxon) [test]",
    ), _compared, "things"),
    *of_both((
        "{n:n} [th|st|nd|rd] (percentile|percentiles) (of|for|in) {x:x}",
        "{n:n} [th|st|nd|rd] and {n:m} [th|st|nd|rd] (percentile|percentiles) (of|for|in) {x:x}",
        "{n:n} [th|st|nd|rd] {n:m} [th|st|nd|rd] and {n:k} [th|st|nd|rd] (percentile|percentiles) (of|for|in) {x:x}",
        "(percentile|percentiles) {n:n} and {n:m} (of|for|in) {x:x}",
        "(percentile|percentiles) {n:n} {n:m} and {n:k} (of|for|in) {x:x}",
    ), _quantiles),
    Shape(("(quartile|quartiles) (of|for|in) {t:x}",), _quantiles, "things"),
    *of_both((
        ("bootstrap [confidence interval (of|for)] (mean|median|average|std:HOW) (of|for) {x:x} [(with|using|from) {n:n} [bootstrap] "
        "(samples|resamples|repetitions|draws|iterations|times)]"),
        "bootstrap {x:x} [(with|using) {n:n} (samples|resamples|repetitions|draws|iterations)]",
        ("bootstrap [95 %|⟨n0⟩ %] (confidence interval|ci|interval) (of|for) (mean|median|average:HOW) (of|for) {x:x} "
        "[(with|using|from) {n:n} "
        "[bootstrap] (samples|resamples|repetitions|draws|iterations)]"),
        ("bootstrapped [confidence interval|ci|standard error|distribution] (of|for) (mean|median|average:HOW) (of|for) {x:x} "
        "[(with|using|from) {n:n} (samples|resamples|repetitions|draws|iterations)]"),
    ), _bootstrapped),
    Shape((
        "{n:p} (%|percent) (confidence interval|ci|confidence limits) (of|for|around) [mean of|average of|mean] {t:x}",
        "(confidence interval|ci) (of|for|around) [mean of|average of|mean] {t:x}",
    ), _interval, "things"),
    Shape((
        "(is|are) {t:x} [approximately|roughly] (normally|normal|gaussian) [distributed|distribution]",
        "(test|check) (if|whether) {t:x} (is|are) (normally distributed|normal|gaussian)",
        "(normality test|shapiro|shapiro-wilk|shapiro wilk|test for normality|test of normality) [test] (of|for|on) {t:x}",
    ), _normal, "things"),
)  # fmt: skip
"""What is asked to be tested."""
