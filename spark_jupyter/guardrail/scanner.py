"""Incremental scanner: text in, findings out.

Findings come at the end of their logical line.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.line_parser import parse, tree
from spark_jupyter.guardrail.rule import Hit, Rule
from spark_jupyter.guardrail.rule_pages import page_of
from spark_jupyter.guardrail.rulebook import Rulebook
from spark_jupyter.guardrail.rules import RULES
from spark_jupyter.guardrail.severities import DEFAULT, Policy
from spark_jupyter.guardrail.taint_interpreter import Interpreter
from spark_jupyter.guardrail.taint_state import Context
from spark_jupyter.protocol.values import Aside, Finding
from spark_jupyter.source.invisible_text import far_code
from spark_jupyter.source.ipython_lines import AUTOMAGICS, COMMANDS, LINE_BREAKS, escape, is_document, name_and_rest
from spark_jupyter.source.lexer import Lexer, LogicalLine, logical_lines, python_only

_COMMANDS: Final = COMMANDS | {"alias"}
_ALIASES: Final = frozenset(("cat", "cp", "ll", "ls", "mkdir", "mv", "rm", "rmdir"))
"""Aliases of IPython for the shell's own."""
_ALLOW: Final = re.compile(r"#\s*spark:\s*allow\s+([\w,-]+(?:\s*,\s*[\w-]+)*)\s*(.*)")

MOST_ASIDES: Final = 20
"""Most asides of one cell."""

END: Final = LogicalLine("", 0, "code", -1, "", False)
"""Marker line for the end of a cell, which ends everything that is open."""


class Scanner:
    """``feed`` takes the cell's text as it comes and gives the findings of each logical line when it ends; ``flush`` gives the
    rest. ``context`` is what is known after the text so far; the context given is left as it is.

    ``base`` is what a person wrote, where the text is somebody else's: an allowance counts only on a line that stands there
    with it. Without ``base`` the whole text is a person's. ``asides`` is what was told so far that is no finding."""

    def __init__(
        self,
        context: Context | None = None,
        *,
        policy: Policy = DEFAULT,
        rules: Rulebook = RULES,
        base: str | None = None,
    ) -> None:
        self.context = context.copy() if context is not None else Context()
        self._lexer = Lexer()
        self._feed = self._lexer.feed
        self._rules = rules
        self._interpreter = Interpreter(self.context, rules)
        self._base = (0, 0)
        self._policy = policy
        self._above = ""  # the comment on the line before, where it allows something
        self._agreed = None if base is None else _agreed(base)
        self._seen: set[tuple[str, int, int]] = set()
        self._body: list[LogicalLine] = []  # of a cell magic that may run it as Python
        self._is_script = False  # the body of a cell magic for a shell
        self._is_document = False  # the body of a cell magic
        self.asides: tuple[Aside, ...] = ()

    def feed(self, text: str) -> list[Finding]:
        """Process the next piece of the cell (any size). Never raises because of the text."""
        lines = self._feed(text)
        if not lines:
            return []
        return [finding for line in lines for finding in self._judge(line)]

    def flush(self) -> list[Finding]:
        """End the cell, and return the rest of the findings."""
        lines = [*self._lexer.flush(), *self._lexer.otherwise()]
        found = [finding for line in lines for finding in self._judge(line)]
        found += [finding for line in self._python_body() for finding in self._judge(line)]
        return found + self._judge(END)

    def _python_body(self) -> list[LogicalLine]:
        """Lines of the body of a cell magic that are Python: a notebook can register one by any name that runs them."""
        lines, self._body = self._body, []
        if not lines:
            return []
        rows = [""] * (lines[-1].number + lines[-1].height - 1)
        for line in lines:
            rows[line.number - 1 : line.number - 1 + line.height] = line.text.split("\n")
        text = "\n".join(rows)
        return logical_lines(text) if tree(python_only(text)) else []

    def _judge(self, line: LogicalLine) -> list[Finding]:
        above, self._above = self._above, ""
        plain = (
            line.kind == "code" and line.text.isascii() and not (LINE_BREAKS.search(line.text) or far_code(line.text))
        )
        seen = [] if plain else self._unseen(line)
        if _stands_alone(line):
            self._above = line.comment
            return seen
        comments = f"{above} {line.comment}"
        counts = "spark:" in comments and (self._agreed is None or (above, line.text.strip()) in self._agreed)
        allowed = _allowances(comments) if counts else {}
        it = self._interpreter
        try:
            self._run(line)
        except RecursionError:
            it.give_up()
        hits, it.hits = it.hits, []
        if it.state.asides:
            self._aside(line, allowed)
        return seen + _once(
            [found for rule, hit in hits if (found := self._finding(rule, hit, line, allowed)) is not None]
        )

    def _unseen(self, line: LogicalLine) -> list[Finding]:
        """Findings of the rules about a line's text. Nothing in the line allows it: a comment may be what is not seen."""
        self._base = (line.number - 1, 0)
        hits = [
            (rule, hit)
            for rule, check in self._rules.by_line
            if (hit := check(line.text, self._interpreter)) is not None
        ]
        return [found for rule, hit in hits if (found := self._finding(rule, hit, line, {})) is not None]

    def _run(self, line: LogicalLine) -> None:
        it = self._interpreter
        if line is END:
            it.end()
        elif line.kind == "code":
            self._code(line)
        elif line.kind == "shell":
            if self._is_script:
                self._body.append(line)
            self._base = (line.number - 1, 0)
            text = line.escaped.replace("\\\n", "" if self._is_script else " ").strip()  # as a shell, as IPython
            it.command(_at(line), text.lstrip("!").strip(), "!" if text[:1] == "!" else "")
        elif line.kind in ("magic", "cell", "call"):
            self._magic(line)
        elif line.kind == "script":
            self._body.append(line)
            self._base = (line.number - 1, 0)
            if not self._is_document:  # `%alias_magic x bash`
                it.command(_at(line), line.text.strip(), "")

    def _code(self, line: LogicalLine) -> None:
        parsed = parse(line)
        typed = f"%{line.text.strip()}" if parsed.repaired and not line.indent else ""
        if typed and name_and_rest(typed)[0] in AUTOMAGICS:  # no Python: ``rm -rf ~`` is ``%rm -rf ~``
            self._magic(LogicalLine(typed, line.number, "magic", 0, "", False))
            return
        self._base = (parsed.lines, parsed.columns)
        self._interpreter.take(parsed, line.indent, line.number)

    def _magic(self, line: LogicalLine) -> None:
        while own := escape(line.held):  # %time %sx ls
            line = LogicalLine(line.held, line.number, own.kind, 0, "", False, start=own.start)
        if line.kind == "shell":
            self._run(line)
            return
        if line.held:
            self._code(LogicalLine(line.python, line.number, "code", line.indent, "", False))
            return
        name, rest = name_and_rest(line.escaped.replace("\\\n", " "))
        if line.kind == "cell":
            self._is_document, self._is_script = is_document(name, rest), name in COMMANDS
        self._base = (line.number - 1, 0)
        it = self._interpreter
        if name == "alias":
            rest = rest.partition(" ")[2].strip()
        said = f"{name} {rest}" if name in _ALIASES else f"%{name} {rest}"
        it.command(_at(line), rest if name in _COMMANDS else said, name)
        if "(" in rest and name not in _COMMANDS:  # a notebook can register a magic that runs it
            it.calls_in(rest)

    def _aside(self, line: LogicalLine, allowed: dict[str, str]) -> None:
        """Keep the asides of a line, except those that a person has allowed."""
        told, self._interpreter.state.asides = self._interpreter.state.asides, []
        new = [
            Aside(line=self._number(node, line), message=message, page=page_of(rule))
            for rule, node, message in told
            if rule not in allowed and "all" not in allowed
        ]
        self.asides = (*self.asides, *new)[:MOST_ASIDES]

    def _number(self, node: ast.AST, line: LogicalLine) -> int:
        """Line of the cell in which a part of a logical line stands."""
        return max(line.number, getattr(node, "lineno", 1) + self._base[0])

    def _finding(self, rule: Rule, hit: Hit, line: LogicalLine, allowed: dict[str, str]) -> Finding | None:
        columns = self._base[1]
        number = hit.line or self._number(hit.node, line)
        column = getattr(hit.node, "col_offset", 0)
        column = column + columns if number == line.number else column
        cwe = hit.cwe or rule.cwe
        key = (rule.id, number, cwe)
        if key in self._seen:
            return None
        self._seen.add(key)
        severity = self._policy.severity(rule.id, hit.severity or rule.severity)
        return Finding(
            rule=rule.id,
            severity=severity,
            line=number,
            column=max(0, column),
            message=hit.message or rule.message,
            remedy=hit.remedy or rule.remedy,
            cwe=cwe,
            page=page_of(rule.id) if rule.has_page else "",
            allowed=allowed.get(rule.id, allowed.get("all")),
        )


_GRADES: Final = ("block", "warn", "hint")


def _once(found: list[Finding]) -> list[Finding]:
    """Keep the gravest finding of each weakness in a line, and of equals the first."""
    if len(found) < 2:
        return found
    kept: dict[tuple[int, int | None], Finding] = {}
    for finding in found:
        key = (finding.line, finding.cwe)
        known = kept.get(key)
        if known is None or _GRADES.index(finding.severity) < _GRADES.index(known.severity):
            kept[key] = finding
    return list(kept.values())


def asides(source: str) -> tuple[Aside, ...]:
    """Find the asides of a whole cell, in the order of its lines. At present: which packages it installs that are not known here."""
    if "install" not in source and " add " not in source:
        return ()
    scanner = Scanner()
    scanner.feed(source)
    scanner.flush()
    return scanner.asides


def learn(source: str, context: Context | None = None) -> Context:
    """Learn from a cell that was there before, without reporting its findings."""
    scanner = Scanner(context)
    scanner.feed(source)
    scanner.flush()
    return scanner.context


def _stands_alone(line: LogicalLine) -> bool:
    """True if a line is only a comment that may allow something on the next line."""
    return "spark:" in line.comment and line.text.lstrip().startswith("#") and "\n" not in line.text


def _agreed(base: str) -> frozenset[tuple[str, str]]:
    """Lines of a person's text that allow something, each with the comment above it."""
    found: list[tuple[str, str]] = []
    above = ""
    for line in logical_lines(base) if "spark:" in base else ():
        if not _stands_alone(line) and "spark:" in above + line.comment:
            found.append((above, line.text.strip()))
        above = line.comment if _stands_alone(line) else ""
    return frozenset(found)


def _at(line: LogicalLine) -> ast.AST:
    return ast.Constant(value=None, lineno=1, col_offset=max(line.start, line.indent))


def _allowances(comment: str) -> dict[str, str]:
    """``# spark: allow RULE[,RULE] reason`` → {rule: reason}. Without a reason nothing is allowed silently: it says so."""
    found: dict[str, str] = {}
    for match in _ALLOW.finditer(comment):
        reason = match[2].strip() or "no reason given"
        found.update(dict.fromkeys((rule.strip() for rule in match[1].split(",")), reason))
    return found
