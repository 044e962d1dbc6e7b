"""Any text: no exception, the same findings for every cut, and work that grows with the text and not with its square."""

from __future__ import annotations

import ast
import random
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spark_jupyter.guardrail import Scanner, check, learn, line_parser
from spark_jupyter.guardrail.rules import RULES
from spark_jupyter.guardrail.shell_reader import ShellReader
from spark_jupyter.protocol.values import Finding
from spark_jupyter.source.lexer import Lexer, plain
from tests.guardrail.rule_cases import cases_of
from tests.proportion import assert_in_proportion

PIECES = [
    "import os\n",
    "from x import *\n",
    "def f(a, *b, c=1, **d):\n",
    "    return a\n",
    "class A(B):\n",
    "@app.route('/')\n",
    "if x:\n",
    "else:\n",
    "elif y:\n",
    "try:\n",
    "except E as e:\n",
    "finally:\n",
    "with a as b:\n",
    "for i in x:\n",
    "while 1:\n",
    "match x:\n",
    "    case 1:\n",
    "x = input()\n",
    "os.system(x)\n",
    "eval(",
    ")\n",
    "(",
    "[",
    "{",
    "}",
    "]",
    '"""',
    "'''",
    '"',
    "'",
    "\\\n",
    "\\",
    "\n",
    "\r\n",
    "\r",
    "#",
    "# spark: allow x y\n",
    "!ls {x}\n",
    "%sx a\n",
    "%%bash\n",
    "x = !ls\n",
    "x?\n",
    "\t",
    "    ",
    " ",
    "f'{x}'",
    "f'{x!r:>{y}}'",
    "b'\\xff'",
    "lambda x: x",
    "x := 1",
    "print 'a'\n",
    "exec a in b\n",
    "0777",
    "\0",
    "\ufeff",
    "é",
    "'%s' % x\n",
    "'{}'.format(x)\n",
    "','.join(x)\n",
    "x += y\n",
    "del x\n",
    "a.b.c = d\n",
    "a['k'] = v\n",
    "re.compile('(a+)+$')\n",
    "'%(a' % b\n",
    "'{'.format(1)\n",
    "'{0[a].b!r:{1}}'.format(x, y)\n",
    "'%' % ()\n",
    "'%*d' % (1, 2)\n",
    "f(*a, **b)\n",
    "f(**{'shell': True})\n",
    "async def g():\n",
    "await x\n",
    "yield x\n",
    "global x\n",
    "return\n",
    "pass\n",
]


def streamed(text: str, cuts: list[int]) -> list[Finding]:
    scanner = Scanner()
    found: list[Finding] = []
    last = 0
    for cut in sorted(min(cut, len(text)) for cut in cuts):
        found += scanner.feed(text[last:cut])
        last = cut
    return found + scanner.feed(text[last:]) + scanner.flush()


@settings(max_examples=150)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.lists(st.integers(0, 400), max_size=8))
def test_any_mixture_of_code_gives_the_same_findings_for_every_cut(text: str, cuts: list[int]) -> None:
    assert streamed(text, cuts) == check(text)


@settings(max_examples=100)
@given(st.text(max_size=300), st.lists(st.integers(0, 300), max_size=5))
def test_any_text_gives_the_same_findings_for_every_cut(text: str, cuts: list[int]) -> None:
    assert streamed(text, cuts) == check(text)


@settings(max_examples=60)
@given(
    st.sampled_from([text for rule in RULES.rules for text in (*cases_of(rule, "bad"), *cases_of(rule, "good"))]),
    st.data(),
)
def test_a_damaged_example_is_no_error(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    piece = data.draw(st.sampled_from(PIECES))
    damaged = text[:start] + piece + text[end:]
    assert streamed(damaged, [start]) == check(damaged)
    learn(damaged)


@settings(max_examples=100)
@example("\r\rimport os\n")
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_the_lexer_loses_no_line_of_code(text: str) -> None:
    lexer = Lexer()
    lines = lexer.feed(text) + lexer.flush()
    numbers = [line.number for line in lines if line.number]
    assert all(line.height == line.text.count("\n") + 1 for line in lines)
    assert not numbers or numbers[-1] <= plain(text).count("\n") + 1


SHELL = (
    *(
        "for f in ~/*; do ",
        "while read f; do ",
        "; done",
        "if [ $f ]; then ",
        "fi",
        "f() {",
        "}",
        "f",
        "cd ",
        "ls ~",
        "x=",
        "$f",
        '"$f"',
    ),
    *(
        "|",
        ";",
        "&&",
        "&",
        "rm -rf ",
        "~",
        "*",
        "$(ls)",
        "`ls`",
        "echo ",
        "xargs ",
        "base64 -d",
        "bash -c ",
        "sh",
        "eval ",
        "sudo ",
    ),
    *("timeout 5 ", "python -c ", "at now", "'", '"', "(", ")", "\\", "\n", " "),
)


@given(st.lists(st.sampled_from(SHELL), max_size=30).map("".join))
@example("x=a; echo $x |")
def test_any_shell_script_is_no_error(text: str) -> None:
    check(f"%%bash\n{text}\n")
    check("!" + text.replace("\n", " "))


CALLED = (
    "setattr",
    "getattr",
    "next",
    "iter",
    "open",
    "os.remove",
    "os.walk",
    "os.chdir",
    "Path",
    "Path.unlink",
    "bytes.fromhex",
)
GIVEN = ("", "a", "a, 'b'", "a, 'b', c", "*a", "**a", "a, b=1", "'.'", "'~'")
SHAPES = (
    *("{0}({1})", "partial({0}, {1})()", "partial({0})({1})", "list(map({0}, {1}))", "pool.submit({0}, {1})"),
    *(
        "for p in {0}({1}):\n    if p.name == 'a':\n        continue\n    p.unlink()",
        "class A:\n    def b(self, c={0}):\n        c({1})\nA().b()",
    ),
)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_call_with_whatever_arguments_is_no_error(shape: str) -> None:
    for function in CALLED:
        for given_ in GIVEN:
            code = shape.format(function, given_).replace(", )", ")")
            check(f"import os\nfrom functools import partial\nfrom pathlib import Path\n{code}\n")


def test_mutated_real_code_is_no_error() -> None:
    chooser = random.Random(3)
    paths = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    for path in chooser.sample(paths, 12):
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")[:200]
        for _ in range(3):
            mutated = list(lines)
            for _ in range(5):
                at = chooser.randrange(len(mutated))
                mutated[at] = chooser.choice(
                    [
                        mutated[at][: chooser.randrange(len(mutated[at]) + 1)],
                        chooser.choice(PIECES),
                        mutated[at] + mutated[at - 1],
                    ]
                )
            text = "\n".join(mutated)
            assert streamed(text, [chooser.randrange(len(text) + 1)]) == check(text)


LONG = {
    "assignments": "x{n} = {n}\n",
    "growing text": "x = x + 'abc' + x\n",
    "growing list": "x.append([x, {n}])\n",
    "input": "x = x + input()\n",
    "open functions": "def f{n}(a):\n    return f{p}(a)\n",
    "nested blocks": "if x:\n",
    "unclosed calls": "f(\n",
    "one dict": "    {n}: 'a{n}',\n",
    "prose": "these are words number {n} in a row\n",
    "shell": "!echo {n}\n",
    "one line": "x = {n}; ",
}


@pytest.mark.parametrize("kind", LONG)
def test_ten_thousand_lines_are_parsed_once_each(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(LONG[kind].replace("{n}", str(n)).replace("{p}", str(n - 1)) for n in range(10_000))
    if kind == "one dict":
        text = "x = {\n" + text + "}\n"
    parsed = 0
    parse = ast.parse

    def counting(source: str, name: str) -> ast.Module:
        nonlocal parsed
        parsed += len(source)
        return parse(source, name)

    monkeypatch.setattr(line_parser.ast, "parse", counting)
    check(text)
    assert parsed < 8 * len(text) + 1_000


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5_000,
        "[" * 5_000 + "]" * 5_000,
        "x" + ".a" * 5_000,
        "f" + "()" * 3_000,
        "-" * 5_000 + "1",
        "x = " + "a + " * 5_000 + "b",
        "not " * 3_000 + "x",
        "lambda: " * 2_000 + "x",
        "x" + "[0]" * 3_000,
        "if a:" * 3_000,
        "'" * 5_000,
        "\\" * 5_000,
        "f'{" * 500,
        "a if b else " * 2_000 + "c",
        "x = " + "a." * 4_000 + "b()",
    ],
    ids=range(15),
)
def test_deep_nesting_is_no_error(text: str) -> None:
    scanner = Scanner()
    scanner.feed(text + "\nimport os\n")
    found = scanner.feed("os.system(input())\n") + scanner.flush()
    assert all(isinstance(finding, Finding) for finding in found)


@pytest.mark.parametrize(
    "text",
    [
        "x.a().b().c().d().e().f().g().h().i().j().k().l().m().n().o().p().q().r().s().t().u().v().w()",
        "f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(1))))))))))))))))))))",
    ],
)
def test_each_part_of_a_chain_is_looked_at_a_bounded_number_of_times(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spark_jupyter.guardrail.taint_interpreter import Interpreter

    calls = 0
    called = Interpreter.called

    def counting(self: Interpreter, event: object) -> None:
        nonlocal calls
        calls += 1
        called(self, event)  # type: ignore[arg-type]

    monkeypatch.setattr(Interpreter, "called", counting)
    check(f"if {text}:\n    pass\n")
    assert calls <= 8 * text.count("(")


def test_the_parser_warns_nobody(tmp_path: Path) -> None:
    program = (
        "from spark_jupyter.guardrail import check\n"
        "from spark_jupyter.review.linters import bandit\n"
        "text = 'x = \"\\\\d\"\\ny = 1if x else 2\\nz = x is 3\\n'\n"
        "check(text)\nbandit(text)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "always::SyntaxWarning", "-W", "always::DeprecationWarning", "-c", program],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "escape" not in done.stderr
    assert "<spark guardrail>" not in done.stderr


@pytest.mark.parametrize(
    "unit",
    [
        *("except ", "print ", "exec ", "raise ", "raise  ,", "except a, "),
        *("!curl ", "!wget a/b && ", "!env | ", "!curl $(cat ", "!bash <( ", "!rm -r "),
        *(
            "!for f in ~/*; do rm $f;",
            "!f() { f; }; f;",
            "!a=$a$a;",
            "!eval eval ",
            "!ls ~ | while read f;",
            "!cd a && rm *;",
        ),
        *(
            'os.system("dd ',
            'os.system("curl ',
            'cur.execute("INSERT ',
            're.match(".a',
            'render_template_string("{{safe',
        ),
    ],
)
def test_a_line_without_end_is_judged_in_proportion_to_its_length(unit: str) -> None:
    """Each of these took minutes where a pattern begins again at each of its words."""
    opening, _, rest = unit.partition('"')
    assert_in_proportion(lambda count: check(f'{opening}"{rest * count}")' if rest else unit * count), 2_500)


@pytest.mark.parametrize(
    ("opening", "clause"),
    [
        ("for p in home.iterdir():\n    if p:\n        pass\n", "    elif p.name == 'a':\n        p.unlink()\n"),
        ("def f(x):\n    if x:\n        return 0\n", "    elif x == 1:\n        return 1\n"),
        ("for p in home.iterdir():\n", "    if p.name == 'a':\n        continue\n"),
    ],
)
def test_many_conditions_are_judged_in_proportion_to_their_number(opening: str, clause: str) -> None:
    before = "from pathlib import Path\nhome = Path.home()\n" + opening
    assert_in_proportion(lambda count: check(before + clause * count), 100)


def test_a_variable_of_the_environment_is_read_in_proportion_to_its_line() -> None:
    assert_in_proportion(lambda count: check("%env A" + " " * count + "x y\n"), 200)


@pytest.mark.parametrize(
    "unit",
    ["A=A=", "A=(x) ", "sudo ", "(cd a; ", "{a,", "a,", "read f|", "`", "$(", "xargs ", "find / -exec sh -c ", " " * 8],
)
def test_a_command_is_read_in_proportion_to_its_length(unit: str) -> None:
    assert_in_proportion(lambda count: ShellReader().read("rm " + unit * count + '"'), 1_000)
