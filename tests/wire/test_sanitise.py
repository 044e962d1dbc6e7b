"""HTML from a Try can only be looked at."""

from __future__ import annotations

import pytest

from spark_jupyter.wire.sanitise import sanitise


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
