"""Edits of callers after a changed signature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from spark_jupyter.protocol.values import CellId
from spark_jupyter.refactoring.frame_references import calls_in
from spark_jupyter.refactoring.notebook_code import Book, Leaf
from spark_jupyter.source.splices import Splice


def follow_signature(book: Book, before: cst.FunctionDef, after: cst.FunctionDef) -> dict[CellId, list[Splice]]:
    """The splices of the calls of a function whose parameters have changed: another name, another order, one less, or one more that the
    notebook has a variable for. A call that can't be followed, because it unpacks or a value is missing, stays as it is."""
    old, new = _plain(before), _plain(after)
    if old is None or new is None or [_key(one) for one in old] == [_key(one) for one in new]:
        return {}
    became = _renamed(old, new)
    splices: dict[CellId, list[Splice]] = {}
    for leaf in book.leaves:
        for call in calls_in(leaf, after.name.value):
            found = list(_followed(book, leaf, call, old, new, became))
            if found:
                splices.setdefault(leaf.id, []).extend(found)
    return splices


def _plain(function: cst.FunctionDef) -> list[cst.Param] | None:
    """Parameters; None if some take any number of arguments."""
    params = function.params
    if isinstance(params.star_arg, cst.Param) or params.star_kwarg is not None:
        return None
    return [*params.posonly_params, *params.params, *params.kwonly_params]


def _key(param: cst.Param) -> tuple[str, bool]:
    return param.name.value, param.default is not None


def _renamed(old: Sequence[cst.Param], new: Sequence[cst.Param]) -> dict[str, str]:
    """Map the old parameters to their new names; one in the place of another counts as renamed."""
    names, news = [one.name.value for one in old], [one.name.value for one in new]
    became = {name: name for name in names if name in news}
    if len(names) == len(news):
        pairs = zip(names, news, strict=True)
        became |= {one: other for one, other in pairs if one not in news and other not in names}
    return became


def _followed(
    book: Book, leaf: Leaf, call: cst.Call, old: Sequence[cst.Param], new: Sequence[cst.Param], became: dict[str, str]
) -> Iterator[Splice]:
    text = leaf.page.text(call)
    if any(arg.star for arg in call.args) or "#" in text or len(call.args) > len(old):
        return
    given = _given(call, old)
    if given is None:
        return
    values = {became[name]: arg for name, arg in given.items() if name in became}
    same_order = [became.get(one.name.value) for one in old] == [one.name.value for one in new]
    if same_order:
        for arg in call.args:
            if arg.keyword is not None and became[arg.keyword.value] != arg.keyword.value:
                place = leaf.page.place(arg.keyword)
                yield Splice(place.start, place.end, became[arg.keyword.value])
        return
    written = _written(book, leaf, new, values)
    if written is None:
        return
    start = leaf.page.place(call.func).end
    opening = leaf.cell.source.index("(", start)
    place = leaf.page.place(call)
    before = ", ".join(
        leaf.page.text(arg.value) if arg.keyword is None else f"{arg.keyword.value}={leaf.page.text(arg.value)}"
        for arg in call.args
    )
    if before != written:
        yield Splice(opening + 1, place.end - 1, written)


def _given(call: cst.Call, old: Sequence[cst.Param]) -> dict[str, cst.Arg] | None:
    given: dict[str, cst.Arg] = {}
    for number, arg in enumerate(call.args):
        name = old[number].name.value if arg.keyword is None else arg.keyword.value
        if name in given or name not in {one.name.value for one in old}:
            return None
        given[name] = arg
    return given


def _written(book: Book, leaf: Leaf, new: Sequence[cst.Param], values: dict[str, cst.Arg]) -> str | None:
    """New arguments; None if a value is missing."""
    parts, positional = [], True
    for param in new:
        name, arg = param.name.value, values.get(param.name.value)
        if arg is None and param.default is None and name in book.bound:
            parts.append(name if positional else f"{name}={name}")
        elif arg is None and param.default is None:
            return None
        elif arg is None:
            positional = False
        else:
            plain = positional and arg.keyword is None
            positional = plain
            parts.append(leaf.page.text(arg.value) if plain else f"{name}={leaf.page.text(arg.value)}")
    return ", ".join(parts)
