"""Sanitiser of HTML that code has written.

An allow-list (:mod:`spark_jupyter.protocol.constants`), not a block-list: tables and plain text markup stay, with a few attributes about
layout; everything that can run, load, link or style is dropped. The browser does it once more, by the same list.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from spark_jupyter.protocol.constants import HTML_ATTRIBUTES, HTML_DROPPED, HTML_ELEMENTS

if TYPE_CHECKING:
    import nh3


MOST_HTML = 1 << 18
"""Characters; far more than a table in a notebook has."""
_SHORT = 1 << 14
_MOST_OPEN = 500
_NEAR = 10
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())


def sanitise(html: str) -> str:
    """The HTML with only its harmless elements, and balanced tags.

    Empty where it is too long or nested too deeply: the parser takes quadratic time then, minutes for a megabyte."""
    if len(html) > _SHORT and (len(html) > MOST_HTML or _is_tangled(html)):
        return ""
    return _cleaner().clean(html)


def _is_tangled(html: str) -> bool:
    """True if very many tags are open at once, or are closed without being open. Linear in the text."""
    stack: list[str] = []
    odd = 0
    for ends, tag in _TAG.findall(html):
        name = tag.lower()
        if not ends:
            stack += () if name in _VOID else (name,)
        elif name in stack[-_NEAR:]:
            while stack.pop() != name:
                odd += 1
        else:
            odd += 1
        if len(stack) + odd > _MOST_OPEN:
            return True
    return False


@cache
def _cleaner() -> nh3.Cleaner:
    import nh3  # only a Try that shows a table needs it

    return nh3.Cleaner(
        tags=set(HTML_ELEMENTS),
        clean_content_tags=set(HTML_DROPPED),
        attributes={"*": set(HTML_ATTRIBUTES)},
        generic_attribute_prefixes=set(),
        url_schemes=set(),
        link_rel=None,
        strip_comments=True,
    )
