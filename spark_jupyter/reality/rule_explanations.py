"""Documentation pages of the reality check's rules.

Each has examples that are found and left alone, and when the check is silent. ``scripts/rule_pages.py`` writes them
into ``docs/rules``; ``spark-jupyter check --explain RULE`` prints the same.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from spark_jupyter.reality.findings import Rule


class Explanation(NamedTuple):
    """``bad`` is found in a kernel with nothing in it, ``good`` is not: they are the rule's tests."""

    why: str
    bad: str
    good: str
    silent: str = "Where the kind of value can't be known, and in `try` bodies and behind guards such as `hasattr`."


EXPLANATIONS: Final[dict[Rule, Explanation]] = {
    Rule.UNDEFINED_NAME: Explanation(
        "A name that neither the kernel nor a cell before has: the line fails with a NameError.",
        "totl = 3\nprint(total)",
        "total = 3\nprint(total)",
        "Behind `from x import *`, `exec`, `%run` and what else makes names that can't be seen.",
    ),
    Rule.MISSING_MODULE: Explanation(
        "A module that is not installed in the kernel's environment: the import fails.",
        "import matplotlib.pyplott",
        "import math",
        "Where the cell installs something first, and in `try: import …`.",
    ),
    Rule.MISSING_ATTRIBUTE: Explanation(
        "A module, a class or a value that has no such attribute: the line fails with an AttributeError.",
        "text = 'a b'\ntext.splitt()",
        "text = 'a b'\ntext.split()",
    ),
    Rule.MISSING_COLUMN: Explanation(
        "A column, a label or a level of the index that a table certainly has not: the line fails with a KeyError.",
        "import pandas as pd\ndf = pd.DataFrame({'price': [1]})\ndf['prise']",
        "import pandas as pd\ndf = pd.DataFrame({'price': [1]})\ndf['price']",
        "Where the table comes from a file, or a function that can't be seen may have changed it.",
    ),
    Rule.UNKNOWN_KEYWORD: Explanation(
        "A keyword that the signature of a function, or of what it passes keywords on to, does not take: a TypeError.",
        "sorted([2, 1], reversed=True)",
        "sorted([2, 1], reverse=True)",
        "Where a signature takes any keyword and nobody says which.",
    ),
    Rule.MISSING_ARGUMENT: Explanation(
        "A parameter without a default that a call does not give: a TypeError.",
        "import json\njson.dumps()",
        "import json\njson.dumps([1, 2])",
        "Where `*` or `**` pass on what can't be seen.",
    ),
    Rule.TOO_MANY_ARGUMENTS: Explanation(
        "More positional arguments than a function takes: a TypeError.",
        "def double(x):\n    return 2 * x\ndouble(1, 2)",
        "def double(x):\n    return 2 * x\ndouble(1)",
        "Where `*` passes on what can't be seen.",
    ),
    Rule.UNKNOWN_VALUE: Explanation(
        "A string that stands for something of a library's (a way to join, a dtype, a colour map, a palette) and names nothing there.",
        "import pandas as pd\npd.Series([1]).astype('flot64')",
        "import pandas as pd\npd.Series([1]).astype('float64')",
        "Where the library has no list, no annotation and no parser that says which strings there are.",
    ),
    Rule.MISSING_KEY: Explanation(
        "A key that a dict of which all is known has not: a KeyError.",
        "rates = {'eur': 1.0}\nrates['usd']",
        "rates = {'eur': 1.0}\nrates['eur']",
        "Once something that can't be followed may have changed the dict.",
    ),
    Rule.MISSING_FILE: Explanation(
        "A file that is read and is not there. It warns: the file may come from elsewhere before the cell runs.",
        "open('no_such_file_of_mine.csv')",
        "open('made_by_this_line.csv', 'w')",
        "Where the source names the file elsewhere, or runs a command that may make it.",
    ),
    Rule.DEPRECATED: Explanation(
        "Something that the installed version still has and says will go. It warns.",
        "import seaborn as sns\nsns.distplot([1, 2])",
        "import seaborn as sns\nsns.histplot([1, 2])",
        "Where only an argument is deprecated.",
    ),
}


def page(rule: Rule) -> str:
    """A rule as Markdown."""
    told = EXPLANATIONS[rule]
    return "\n".join(
        [
            f"# {rule.value}",
            "",
            f"{told.why} The reality check compares what a cell names with the live kernel, and runs none of it.",
            "",
            "## Found",
            "",
            f"```python\n{told.bad}\n```",
            "",
            "## Left alone",
            "",
            f"```python\n{told.good}\n```",
            "",
            "## When it is silent",
            "",
            told.silent,
            "",
            "## All the same",
            "",
            "What blocks asks a second time before it runs; a person who says yes runs it as it stands.",
            "",
        ]
    )


def index() -> str:
    """The list of links to these pages, below the guardrail's."""
    rows = [f"| [{rule.value}]({rule.value}.md) | {told.why} |" for rule, told in EXPLANATIONS.items()]
    return "\n".join(["", "# The reality check's rules", "", "| rule | what it says |", "|---|---|", *rows, ""])
