"""HTML that code wrote → HTML that can only be looked at. Pure.

An allow-list (:mod:`spark_jupyter.wire.constants`), not a block-list: tables and plain text markup stay, with a few attributes about
layout; everything that can run, load, link or style is dropped. The browser does it once more, by the same list.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from spark_jupyter.wire.constants import HTML_ATTRIBUTES, HTML_DROPPED, HTML_ELEMENTS

if TYPE_CHECKING:
    import nh3


def sanitise(html: str) -> str:
    """The same table or text without anything that is live. Whatever comes in, tags in the result are balanced."""
    return _cleaner().clean(html)


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
