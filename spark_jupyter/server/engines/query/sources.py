"""Small pieces of source that several makers write. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.rewrite import quoted


def number_of(column: str, *, comma: bool = False) -> str:
    """Source that reads numbers out of texts such as ``$1,200``, with ``comma`` out of those such as ``1.200,50 €``."""
    if comma:
        plain = f'{column}.astype(str).str.replace(r"[^\\d,\\-]", "", regex=True).str.replace(",", ".")'
        return f'pd.to_numeric({plain}, errors="coerce")'
    return f'pd.to_numeric({column}.astype(str).str.replace(r"[^\\d.\\-]", "", regex=True), errors="coerce")'


def date_format(example: str) -> str:
    """The argument for a date that is written like the example."""
    if "." in example:
        return ', format="%d.%m.%Y"'
    return ', format="%m/%d/%Y"' if "/" in example else ', format="%Y-%m-%d"' if example else ""


def listed(names: list[str]) -> str:
    """Names as the source of a list of texts."""
    return f"[{', '.join(quoted(name) for name in names)}]"
