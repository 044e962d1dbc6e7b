"""HTML from a Try can only be looked at."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.html_sanitiser import sanitise


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<table border='1'><tr><td colspan=2>1</td></tr></table>",
            '<table border="1"><tbody><tr><td colspan="2">1</td></tr></tbody></table>',
        ),
        ("<b onclick='x()' style='position:fixed' class='jp-x' id='y'>t</b>", "<b>t</b>"),
        ("a<script>alert(1)</script>b", "ab"),
        ("<style>* {display: none}</style>x", "x"),
        ("<img src=x onerror=alert(1)><a href='javascript:x'>t</a>", "t"),
        ("<svg><script>alert(1)</script></svg>x", "x"),
        ("<script>never closed", ""),
        ("<b><i>crossed</b></i></div>", "<b><i>crossed</i></b>"),
        ("&lt;script&gt; &amp; 1 < 2", "&lt;script&gt; &amp; 1 &lt; 2"),
        ("<ScRiPt>x</sCrIpT>y", "y"),
        ("<td", ""),
        ("<details open><summary>s</summary>t</details>", '<details open=""><summary>s</summary>t</details>'),
        ("<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>", ""),
    ],
)
def test_only_what_can_be_looked_at_is_left(html, expected):
    assert sanitise(html) == expected


@pytest.mark.parametrize(
    "html",
    [
        *("<div>" * 60_000, "<table><td></table>" * 20_000, "<p></x>" * 30_000, "<b></i>" * 30_000),
        *("<td " + " ".join(f"a{n}" for n in range(60_000)), "&" * 300_000, "<table>" + "<b>x</b>" * 50_000),
    ],
    ids=["deep", "nested tables", "closed nowhere", "crossed", "attributes", "references", "beside its cells"],
)
def test_what_takes_a_parser_minutes_is_not_shown(html):
    assert sanitise(html) == ""


def test_a_large_table_is_shown_whole():
    row = '<tr><th>1</th><td class="x">a &amp; b<br>c</td><td>2</td></tr>'
    html = f'<div><style scoped>a {{ b }}</style><svg>{"<path/>" * 20}</svg><table border="1"><tbody>{row * 1_500}</tbody></table></div>'
    assert sanitise(html).count("<td>") == 3_000
