"""The scanner: what it carries from line to line and from cell to cell, and when it speaks."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import Context, Policy, Scanner, check, learn
from spark_jupyter.guardrail.fixes import mended
from spark_jupyter.protocol.values import Finding


def rules(source: str, context: Context | None = None) -> set[str]:
    return {finding.rule for finding in check(source, context=context)}


def test_a_finding_comes_with_the_newline_that_ends_its_logical_line() -> None:
    scanner = Scanner()
    assert scanner.feed("import os\nos.system(\n    'ls ' +\n    input()\n)") == []
    found = scanner.feed("\n")
    assert [(finding.rule, finding.line) for finding in found] == [("command-injection", 2)]
    assert scanner.flush() == []


def test_a_finding_on_a_last_line_without_newline_comes_at_the_flush() -> None:
    scanner = Scanner()
    assert scanner.feed("eval(input())") == []
    assert [finding.rule for finding in scanner.flush()] == ["code-injection"]


def test_every_cut_of_a_text_gives_the_same_findings() -> None:
    source = (
        'import os, pickle\r\nname = input("""two\nlines""")\n# spark: allow code-injection on purpose\neval(name)\n'
        "query = f\"SELECT * FROM t WHERE n = '{name}'\"\ncur.execute(\n  query)\nif x:\n    os.system('ls ' + name)\n!rm -rf /\n"
    )
    whole = check(source)
    assert len(whole) >= 4
    for cut in range(len(source) + 1):
        scanner = Scanner()
        found = scanner.feed(source[:cut]) + scanner.feed(source[cut:]) + scanner.flush()
        assert found == whole, cut
    scanner = Scanner()
    letters: list[Finding] = []
    for letter in source:
        letters += scanner.feed(letter)
    assert letters + scanner.flush() == whole


def test_imports_and_taint_carry_over_from_earlier_cells() -> None:
    context = learn("import subprocess as sp\nname = input()")
    context = learn("query = 'SELECT * FROM t WHERE n = ' + name", context)
    assert "command-injection" in rules("sp.run('ls ' + name, shell=True)", context)
    assert "sql-injection" in rules("cur.execute(query)", context)
    assert rules("sp.run(['ls', name])", context) == set()


def test_a_scanner_leaves_the_context_it_was_given_as_it_is() -> None:
    context = learn("name = 'fixed'")
    scanner = Scanner(context)
    scanner.feed("name = input()\n")
    assert rules("eval(name)", context) == set()
    assert rules("eval(name)", scanner.context) == {"code-injection"}


def test_a_function_of_another_cell_is_known_by_what_it_does_with_its_parameters() -> None:
    context = learn("def show(name):\n    return open('data/' + name).read()\ndef twice(x):\n    return x + x\n")
    assert "path-traversal" in rules("show(request.args['f'])", context)
    assert "path-traversal" not in rules("show('a.txt')", context)
    assert "code-injection" in rules("eval(twice(input()))", context)


def test_a_method_sees_what_another_method_stored() -> None:
    source = "class A:\n    def __init__(self):\n        self.cmd = 'ls ' + input()\n    def run(self):\n        os.system(self.cmd)\n"
    assert [(f.rule, f.line, f.severity) for f in check(source)] == [("command-injection", 5, "block")]


@pytest.mark.parametrize(
    "build",
    [
        "q = 'SELECT * FROM t WHERE n = ' + name",
        "q = f'SELECT * FROM t WHERE n = {name}'",
        "q = 'SELECT * FROM t WHERE n = %s' % name",
        "q = 'SELECT * FROM t WHERE n = %s' % (name,)",
        "q = 'SELECT * FROM t WHERE n = {}'.format(name)",
        "q = 'SELECT * FROM t WHERE n = {n}'.format(n=name)",
        "q = ' '.join(['SELECT * FROM t WHERE n =', name])",
        "q = 'SELECT * FROM t'\nq += ' WHERE n = ' + name",
        "parts = {'n': name}\nq = 'SELECT * FROM t WHERE n = ' + parts['n']",
        "parts = []\nparts.append(name)\nq = 'SELECT * FROM t WHERE n = ' + parts[0]",
        "q = 'SELECT * FROM t WHERE n = NAME'.replace('NAME', name)",
        "q = ('SELECT * FROM t '\n     'WHERE n = ' +\n     name.strip().lower())",
    ],
)
def test_input_is_followed_through_every_way_to_build_a_string(build: str) -> None:
    found = check(f"name = input()\n{build}\ncur.execute(q)\n")
    assert [(finding.rule, finding.severity) for finding in found] == [("sql-injection", "block")]


@pytest.mark.parametrize("default", ["name = 'x'", "name = None", "name = 3"])
def test_a_default_in_a_branch_does_not_make_input_harmless(default: str) -> None:
    assert "code-injection" in rules(f"name = input()\nif not name:\n    {default}\neval(name)")


def test_choosing_between_constants_makes_input_harmless() -> None:
    source = (
        "order = request.args['o']\nif order == 'up':\n    order = 'ASC'\nelse:\n    order = 'DESC'\n"
        "cur.execute('SELECT * FROM t ORDER BY n ' + order)"
    )
    assert rules(source) == set()


@pytest.mark.parametrize(
    "where",
    ["eval(input())  # spark: allow code-injection a lesson", "# spark: allow code-injection a lesson\neval(input())"],
)
def test_an_allowed_finding_is_shown_with_its_reason_and_does_not_block(where: str) -> None:
    (finding,) = check(where)
    assert finding.allowed == "a lesson"
    assert finding.severity == "block"
    assert not finding.blocks


def test_an_allowance_is_for_its_rules_and_its_line_only() -> None:
    found = check(
        "eval(input())  # spark: allow sql-injection,xss no\neval(input())  # spark: allow code-injection,sql-injection yes"
    )
    assert [finding.allowed for finding in found] == [None, "yes"]


def test_an_allowance_in_a_string_is_none() -> None:
    (finding,) = check("eval(input('# spark: allow code-injection because'))")
    assert finding.allowed is None


def test_the_users_policy_makes_a_rule_warn_and_switches_none_off() -> None:
    assert [f.severity for f in check("eval(input())", policy=Policy({"code-injection": "warn"}))] == ["warn"]
    assert [f.severity for f in check("eval(input())", policy=Policy({"all": "warn"}))] == ["warn"]
    assert [f.severity for f in check("eval(input())", policy=Policy({"sql-injection": "warn"}))] == ["block"]


def test_a_policy_cannot_make_a_warning_block() -> None:
    source = "import hashlib\nhashlib.md5(x)"
    assert [f.severity for f in check(source, policy=Policy({"weak-hash": "block"}))] == ["warn"]


@pytest.mark.parametrize(
    "header",
    [
        "if eval(input()):",
        "while eval(input()):",
        "for x in eval(input()):",
        "with eval(input()) as f:",
        "def f(x=eval(input())):",
        "class A(eval(input())):",
        "elif eval(input()):",
        "@eval(input())",
        "match eval(input()):",
        "async def f(x=eval(input())):",
        "except eval(input()) as e:",
        "case 1 if eval(input()):",
    ],
)
def test_a_header_is_judged_before_its_body_is_there(header: str) -> None:
    scanner = Scanner()
    assert "code-injection" in {finding.rule for finding in scanner.feed(header + "\n")}


@pytest.mark.parametrize(
    "header",
    [
        "if '{}' and os.system(input()):\n    pass",
        "if 1:\n    pass\nelif '{}' and os.system(input()):\n    pass",
        "with f('{}', os.system(input())):\n    pass",
        "@f('{}', os.system(input()))\ndef g():\n    pass",
        "def f(a='{}', b=os.system(input())):\n    pass",
        "a = input(); b = '{}'; os.system(a)",
    ],
)
def test_a_statement_full_of_data_hides_no_call(header: str) -> None:
    found = check("import os\n" + header.format("x" * 210_000))
    assert [(finding.rule, finding.blocks) for finding in found] == [("command-injection", True)]


@pytest.mark.parametrize("name", ["case", "try1", "else_2", "finally3", "except4", "elif5", "print6"])
def test_a_variable_that_is_named_like_a_clause_is_one(name: str) -> None:
    assert [finding.blocks for finding in check(f"import os\n{name} = input()\nos.system({name})")] == [True]


def test_text_that_does_not_parse_is_judged_line_by_line() -> None:
    source = "this is no python (\nimport os\nprint 'old'\nos.system('ls ' + raw_input())\nx = = 3\neval(input())\n"
    assert rules(source) == {"command-injection", "code-injection"}


def test_a_text_that_begins_inside_a_docstring_is_read_both_ways() -> None:
    assert "weak-hash" in rules(
        'the end of some words.\n    """\n    return hashlib.md5(x)\n\ndef f():\n    """More words."""\n'
    )


def test_parameters_of_handlers_are_input_and_those_of_other_functions_are_not() -> None:
    body = "    return open('/srv/' + name).read()\n"
    assert "path-traversal" in rules("@app.route('/<name>')\ndef show(name):\n" + body)
    assert "path-traversal" not in rules("@app.route('/<int:name>')\ndef show(name):\n" + body)
    assert "path-traversal" not in rules("@router.get('/{name}')\ndef show(name: int):\n" + body)
    assert rules("def load(path):\n    return open(path)\n") == set()


def test_positions_are_those_of_the_cell() -> None:
    (finding,) = check("x = 1\n\nif x:\n    y = 1; eval(input())\n")
    assert (finding.line, finding.column) == (4, 11)
    (finding,) = check("try:\n    pass\nexcept eval(input()):\n    pass\n")
    assert (finding.line, finding.column) == (3, 7)


def test_a_function_of_the_notebook_is_not_the_builtin_of_its_name() -> None:
    own = "def compile(name):\n    return name\n\ncompile(input())\n"
    assert check(own) == []
    assert [finding.rule for finding in check("compile(input(), 'x', 'exec')\n")] == ["code-injection"]


def test_a_loop_that_never_ends_is_found_at_its_header_when_its_body_has_ended() -> None:
    scanner = Scanner()
    assert scanner.feed("def f(n):\n    i = 0\n    while i < n:\n        print(i)\n") == []
    (found,) = scanner.feed("    return i\n")
    assert (found.rule, found.line) == ("endless-loop", 3)


@pytest.mark.parametrize(
    ("base", "reason"),
    [
        ("import os\neval(input())  # spark: allow code-injection a lesson\n", "a lesson"),
        ("    eval(input())  # spark: allow code-injection a lesson", "a lesson"),  # moved into a block
        ("exec(input())  # spark: allow code-injection a lesson", None),
        ("# spark: allow code-injection a lesson\neval(input())", None),
        ("x = 1\n", None),
        ("", None),
    ],
)
def test_in_a_models_text_an_allowance_counts_only_where_a_persons_line_has_it(base: str, reason: str | None) -> None:
    scanner = Scanner(base=base)
    (finding,) = scanner.feed("eval(input())  # spark: allow code-injection a lesson\n")
    assert finding.allowed == reason


def test_a_comment_above_counts_for_the_line_that_a_person_wrote_it_for() -> None:
    base = "# spark: allow all a lesson\neval(input())\n"
    assert [f.allowed for f in Scanner(base=base).feed(base)] == ["a lesson"]
    assert [f.allowed for f in Scanner(base=base).feed("# spark: allow all a lesson\nexec(input())\n")] == [None]


@pytest.mark.parametrize(
    "source", ["# a remark\reval(input())", "x = 1 # one\r\reval(input())\n", "s = '''\r'''\reval(input())"]
)
def test_a_return_alone_ends_a_line_as_it_does_for_python(source):
    expected = [finding.line for finding in check(source.replace("\r", "\n"))]
    assert [finding.line for finding in check(source)] == expected != []
    scanner = Scanner()
    found = [finding for character in source.replace("\r", "\r\n") for finding in scanner.feed(character)]
    assert [finding.line for finding in [*found, *scanner.flush()]] == expected
    assert mended(source) == (source, [])
