"""Unrun cells of a notebook, and the names that they would define."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Mapping, Sequence, Set
from functools import lru_cache

from msgspec import structs

from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.session.draft import Draft
from spark_jupyter.source.cell_dependencies import needs
from spark_jupyter.source.changed_names import bound_or_changed, root_of
from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.python_parser import body_of, tree_of


def not_run(cell: NotebookCell) -> bool:
    """True if the kernel has not run a code cell, or the run was undone."""
    return cell.cell_type == "code" and not cell.execution_count


def unrun_by_number(cells: Sequence[NotebookCell], *, ran: Container[str]) -> dict[int, NotebookCell]:
    """The cells that the kernel has not run, by their number in the notebook; without those that ``ran`` in a copy, by their ids."""
    return {n: cell for n, cell in enumerate(cells, 1) if not_run(cell) and cell.id not in ran}


def defining(name: str, unrun: Mapping[int, NotebookCell]) -> int:
    """The number of the first of these cells that binds a name; 0: there is none."""
    return next((number for number, cell in unrun.items() if name in needs(cell.source).binds), 0)


def unrun_above(prompt: Prompt) -> UnrunNames:
    """The names of the unrun cells above the place of a prompt's answer; without the cell that it edits, which it writes itself.

    What comes after an undo is wanted without the run that was undone: it needs that only for names that are gone."""
    ids = [cell.id for cell in prompt.cells]
    place = ids.index(prompt.target.after) + 1 if prompt.target.after in ids else len(ids)
    if prompt.target.edit in ids:
        place = ids.index(prompt.target.edit)
    above = [cell for cell in prompt.cells[:place] if not_run(cell)]
    never = [cell.source for cell in above if cell.execution_count is None]
    modules = {
        found[2] or found[1].partition(".")[0] for cell in prompt.cells for found in _IMPORTED.finditer(cell.source)
    }
    return UnrunNames(never, gone=[name for cell in above for name in cell.gone], modules=modules)


def can_rehearse(draft: Draft, prompt: Prompt) -> bool:
    """True if a copy of the kernel can run a cell of an answer: it is new, or an edit of a cell that has never run.

    A cell that failed did run, and the kernel has what it left: its edit is tried from before the failure."""
    if draft.cell_type != "code":
        return False
    cell = next((one for one in prompt.cells if one.id == draft.cell_id), None)
    if draft.kind == "insert" or cell is None:
        return draft.kind == "insert"
    has_failed = bool(cell.error) or (prompt.intent == "fix" and prompt.target.edit == cell.id)
    return not_run(cell) and not has_failed


def with_true_counts(cells: Sequence[NotebookCell], namespace: Mapping[str, object]) -> tuple[NotebookCell, ...]:
    """The cells, without execution counts that are from another life of the kernel, and with 0 for a run that was undone.

    A saved notebook, or one whose kernel was restarted, still shows old counts. A count is the kernel's where its history (``In``) has
    that text under it, or the cell has an error. Where the text was changed since, or has magics, it is stale where a name that the
    cell binds, and no cell deletes, is not in the kernel's ``namespace``. A cell without a count that the history has was undone, unless
    another cell with that text has run: then it may be a copy."""
    missing = [_missing(cell, namespace) for cell in cells]
    deleted = frozenset[str]()
    if any(missing):
        deleted = deleted.union(*(deleted_names(cell.source) for cell in cells if cell.cell_type == "code"))
    history = namespace.get("In")
    ran = {text.strip() for text in history if type(text) is str} - {""} if type(history) is list else set[str]()
    ran -= {cell.source.strip() for cell in cells if cell.execution_count}
    return tuple(
        structs.replace(cell, execution_count=None) if names - deleted else _with_undone(cell, ran, namespace)
        for cell, names in zip(cells, missing, strict=True)
    )


def _with_undone(cell: NotebookCell, ran: Set[str], namespace: Mapping[str, object]) -> NotebookCell:
    if not not_run(cell) or cell.source.strip() not in ran:
        return cell
    return structs.replace(cell, execution_count=0, gone=tuple(sorted(bound(cell.source) - namespace.keys())))


def _missing(cell: NotebookCell, namespace: Mapping[str, object]) -> frozenset[str]:
    """The names that a cell with a count binds and the kernel does not have; none where the kernel's history has the cell."""
    count, history = cell.execution_count, namespace.get("In")
    if cell.cell_type != "code" or count is None or cell.error:
        return frozenset()
    ran = history[count] if type(history) is list and 0 <= count < len(history) else None
    if type(ran) is str and ran.strip() == cell.source.strip():
        return frozenset()
    return frozenset(name for name in bound(cell.source) if name not in namespace)


@lru_cache(512)
def bound(source: str) -> frozenset[str]:
    """The names that the top-level statements of a cell bind."""
    body = body_of(python_only(source))
    names = {one.name for one in body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    imported = [name for one in body if isinstance(one, ast.Import | ast.ImportFrom) for name in one.names]
    names |= {(one.asname or one.name).partition(".")[0] for one in imported if one.name != "*"}
    targets = [target for one in body if isinstance(one, ast.Assign) for target in one.targets]
    return frozenset(names | {target.id for target in targets if isinstance(target, ast.Name)})


@lru_cache(512)
def deleted_names(source: str) -> frozenset[str]:
    """The names that a cell deletes, anywhere in it."""
    deletes = (node for one in body_of(python_only(source)) for node in ast.walk(one) if isinstance(node, ast.Delete))
    return frozenset(target.id for node in deletes for target in node.targets if isinstance(target, ast.Name))


_READS = frozenset(
    "abs agg aggregate align asfreq assign astype between bfill boxplot clip compare convert_dtypes copy corr count cov crosstab cummax "
    "cummin cumprod cumsum describe diff div drop_duplicates droplevel dropna dt duplicated eq ewm expanding explode ffill fillna "
    "filter first ge glimpse group_by groupby gt head hist idxmax idxmin info interpolate isin isna isnull items iterrows itertuples "
    "join keys kurt last le lt loc map mask max mean median melt memory_usage merge min mode mul ne nlargest notna nsmallest nunique "
    "pct_change pivot pivot_table plot predict prod quantile query rank reindex rename_axis replace resample reset_index rolling round "
    "sample score select select_dtypes sem set_index shift show skew sort_index sort_values stack std str style sub sum summary tail "
    "transform transpose unique unstack value_counts values var where with_columns xs".split()
)
"""Methods of pandas', Polars' and Spark's tables and of models, but for ``inplace=True``; ``to_`` begins what makes something else."""
_IMPORTED = re.compile(r"^[ \t]*import[ \t]+([\w.]+)(?:[ \t]+as[ \t]+(\w+))?", re.MULTILINE)


class UnrunNames:
    """The names that unrun cells would define or change, and those that are ``gone``; a call of one of the ``modules`` changes none of
    them. The cells are parsed on first use."""

    def __init__(self, sources: Sequence[str], *, gone: Sequence[str] = (), modules: Set[str] = frozenset()) -> None:
        self._sources = tuple(sources)
        self._modules = modules
        self._gone = tuple(gone)
        self._names: set[str] | None = None

    def touches(self, text: str) -> bool:
        """True if a statement uses one of the names. A name that it binds itself is known from there on."""
        if not self._sources and not self._gone:
            return False
        if self._names is None:
            self._names = set(self._gone).union(*(_bound(source, self._modules) for source in self._sources))
        used, anew = _used(text, installs=any("install" in source for source in self._sources))
        if self._names & used:
            return True
        self._names -= anew
        return False


def _used(text: str, *, installs: bool) -> tuple[set[str], set[str]]:
    """The words in a statement that may be variables it uses, and the names that it binds without using them. Where a cell
    ``installs`` packages, an import may need it."""
    body = body_of(text)
    if len(body) != 1:
        return _words(text), set()
    statement = body[0]
    match statement:
        case ast.Import(names=names) | ast.ImportFrom(names=names) if not installs and names[0].name != "*":
            return set(), {one.asname or one.name.partition(".")[0] for one in names}
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return _words(ast.get_source_segment(text, value) or text), {name}
    return _words(text), set()


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _bound(source: str, modules: Set[str]) -> set[str]:
    """The names that a cell binds or whose values it may change; all words of a cell that does not parse."""
    python = python_only(source)
    tree = tree_of(python)
    if tree is None:
        return _words(python)
    return bound_or_changed(
        tree,
        only_reads=lambda call: (
            root_of(call) <= modules
            or (_only_reads(call.func) and not any(one.arg == "inplace" for one in call.keywords))
        ),
    )


def _only_reads(function: ast.expr) -> bool:
    """True if the first method that a chain calls leaves its object as it is: ``df.groupby("k")["x"].sum()``."""
    first, node = function, function
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node, first = (node.func, node.func) if isinstance(node, ast.Call) else (node.value, first)
    return isinstance(first, ast.Attribute) and (first.attr in _READS or first.attr.startswith("to_"))
