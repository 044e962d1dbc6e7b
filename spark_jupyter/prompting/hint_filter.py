"""Filter that cuts a hint which gives more than its step.

A hint comes in steps, each a request of its own: a question back, an idea, a signature, a skeleton with gaps, the whole. The model is told
what its step may give (:data:`spark_jupyter.prompting.instructions.HINT_STEPS`); the filter holds it to that, line by line, and drops the
rest of an answer from the first line that gives more. It looks at code alone, but for a question back, where further sentences must be
questions too: prose that tells the solution in words passes. What the notebook's cells have already gives nothing away.
"""

from __future__ import annotations

import ast
import re
from keyword import iskeyword

from spark_jupyter.source.python_parser import body_of

QUESTION, IDEA, SIGNATURE, SKELETON, WHOLE = range(1, 6)
LEFT_OUT = "*(The rest was left out: it goes further than this hint may.)*\n"
_MOST_BEFORE_A_QUESTION = 3
_LINES_TO_A_GAP = 4
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_SPAN = re.compile(r"(`+)(.+?)\1")
_CALL = re.compile(r"\b[A-Za-z_][\w.]*\(\)|\b[A-Za-z_]\w*(?:\.\w+)+\([^)]*\)")
_SIGNATURE = re.compile(
    r"(?:(?:async )?def )?[\w.]+\s*\((?:[^()]|\(\))*\)(?:\s*->\s*[\w.\[\], |]+)?:?|for \w+ in \w+:?|with \w+ as \w+:?"
)
_GAP = re.compile(r"_{2,}|\.\.\.|…|\bpass\b|#.*\b(?:todo|your code|fill in)\b", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_]\w*")
_HEADER = re.compile(r"(?:async )?(?:def|class|for|while|if|elif|with|except)\b.*:|(?:else|try|finally):")
_SENTENCES = re.compile(r"(?<=[.?!:])\s+")
_STATEMENTS = (ast.Assign, ast.AugAssign, ast.Import, ast.ImportFrom, ast.Return, ast.Delete, ast.Assert)


class HintFilter:
    """Passes whole lines of an answer as long as they give no more than their ``step``. ``known`` is the text of the notebook's cells."""

    def __init__(self, step: int, known: str = "") -> None:
        self.is_cut = False
        """True when a line gave more; all that follows is dropped."""
        self._step = step
        self._known = frozenset(_NAME.findall(known))
        self._rest = ""
        self._fence = ""
        self._block: list[str] = []
        self._sentences = 0
        self._has_asked = False

    def decode(self, text: str) -> str:
        """What may be shown after more of the answer has come."""
        *lines, self._rest = (self._rest + text).split("\n")
        return "".join(self._line(f"{line}\n") for line in lines)

    def flush(self) -> str:
        """What may be shown when the answer has ended."""
        rest, self._rest = self._rest, ""
        shown = self._line(rest) if rest else ""
        return shown + (self._end_block("") if self._fence and not self.is_cut else "")

    def _line(self, line: str) -> str:
        if self.is_cut or self._step >= WHOLE:
            return "" if self.is_cut else line
        fence = _FENCE.match(line)
        if self._fence:
            self._block.append(line)
            ends = fence is not None and fence[1].startswith(self._fence) and line.strip() == fence[1]
            return self._end_block(line) if ends else ""
        if fence is not None:
            self._fence, self._block = fence[1], [line]
            return self._cut() if self._step < SIGNATURE else ""
        return self._cut() if self._gives_more(line.strip()) else line

    def _end_block(self, closing: str) -> str:
        code = [one.strip() for one in self._block[1 : -1 if closing else None] if one.strip()]
        block, self._fence, self._block = "".join(self._block), "", []
        if self._step == SIGNATURE:
            fits = all(_SIGNATURE.fullmatch(line) or line.startswith("#") for line in code)
        else:
            fits = sum(bool(_GAP.search(line)) for line in code) * _LINES_TO_A_GAP >= len(code)
        return block if fits else self._cut()

    def _cut(self) -> str:
        self.is_cut = True
        return LEFT_OUT

    def _gives_more(self, line: str) -> bool:
        if self._is_code(line) or any(self._is_solution(span[2].strip()) for span in _SPAN.finditer(line)):
            return True
        if self._step < SIGNATURE and any(self._is_new(call[0]) for call in _CALL.finditer(line)):
            return True
        return self._step == QUESTION and self._says_more_than_a_question(line)

    def _is_solution(self, span: str) -> bool:
        """True for code in a line that gives more than the step: a call before there is a signature, or a statement."""
        if self._step < SIGNATURE and "(" in span:
            return self._is_new(span)
        if self._step == SIGNATURE and _SIGNATURE.fullmatch(span):
            return False
        return self._is_code(span)

    def _is_code(self, line: str) -> bool:
        """True for a statement with a name that the notebook does not have yet, and no gap."""
        if not self._is_new(line) or (self._step == SKELETON and _GAP.search(line)):
            return False
        return any(
            isinstance(one, (*_STATEMENTS, ast.For, ast.While, ast.If, ast.With, ast.FunctionDef, ast.ClassDef))
            for one in body_of(f"{line} pass" if _HEADER.fullmatch(line) else line)
        )

    def _is_new(self, code: str) -> bool:
        return any(name not in self._known and not iskeyword(name) for name in _NAME.findall(code))

    def _says_more_than_a_question(self, line: str) -> bool:
        for sentence in filter(None, _SENTENCES.split(line)):
            self._sentences += 1
            asks = sentence.rstrip("*_\"')”").endswith("?")
            if not asks and (self._has_asked or self._sentences > _MOST_BEFORE_A_QUESTION):
                return True
            self._has_asked |= asks
        return False
