"""HTML that code wrote → HTML that can only be looked at. Pure.

An allow-list, not a block-list: tables and plain text markup stay, with a few attributes about layout; everything that can run,
load, link or style is dropped, with what stands inside a script or a style sheet.
"""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser

_WORDS = """table thead tbody tfoot tr th td caption colgroup col div p span br hr b i em strong u s sub sup small code pre
ul ol li dl dt dd h1 h2 h3 h4 h5 h6 blockquote details summary"""
_KEEP = frozenset(_WORDS.split())
_VOID = frozenset({"br", "hr", "col"})
_WITHOUT_CONTENT = frozenset({"script", "style", "iframe", "object", "template", "svg", "math", "title", "noscript"})
_ATTRIBUTES = frozenset({"colspan", "rowspan", "scope", "align", "valign", "border", "open"})


def sanitise(html: str) -> str:
    """The same table or text without anything that is live. Whatever comes in, tags in the result are balanced."""
    parser = _Sanitiser()
    parser.feed(html)
    parser.close()
    return parser.result()


class _Sanitiser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._open: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _WITHOUT_CONTENT:
            self._inside.append(tag)
        elif tag in _KEEP and not self._inside:
            kept = "".join(f' {name}="{escape(value or "")}"' for name, value in attrs if name in _ATTRIBUTES)
            self._parts.append(f"<{tag}{kept}>")
            if tag not in _VOID:
                self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _WITHOUT_CONTENT:
            self.handle_starttag(tag, attrs)
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._inside:
            if tag == self._inside[-1]:
                self._inside.pop()
        elif tag in self._open:
            while True:
                closed = self._open.pop()
                self._parts.append(f"</{closed}>")
                if closed == tag:
                    return

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self._parts.append(escape(data, quote=False))

    def result(self) -> str:
        return "".join(self._parts) + "".join(f"</{tag}>" for tag in reversed(self._open))
