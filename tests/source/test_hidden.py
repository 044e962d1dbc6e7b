"""Invisible characters are found and made visible; those that emoji and scripts need stay."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jupyter.source.invisible_text import hidden, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a<U+202E>b"),
        ("x\u2066y\u2069", "x<U+2066>y<U+2069>"),
        ("to\u200btal", "to<U+200B>tal"),
        ("\ufeffx", "<U+FEFF>x"),
        ("so\u00adft", "so<U+00AD>ft"),
        ("a\u200db", "a<U+200D>b"),
        ("a\ufe0eb", "a<U+FE0E>b"),
        ("\U000e0041\U000e0042", "<U+E0041><U+E0042>"),
        ("a\u3164b", "a<U+3164>b"),
        ("\u200f\u200e", "<U+200F><U+200E>"),
    ],
)
def test_what_nobody_sees_is_shown(text, shown):
    assert visible(text) == shown
    assert len(hidden(text)) == shown.count("<U+")


@pytest.mark.parametrize(
    "text",
    [
        "plain ASCII\twith\nlines",
        "grüße, naïve, 日本語, Ελληνικά",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\u2764\ufe0f \u0031\ufe0f\u20e3",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
    ],
)
def test_what_emoji_and_scripts_are_written_with_stays(text):
    assert visible(text) == text
    assert hidden(text) == []


@given(st.text())
def test_nothing_that_turns_a_line_around_comes_through(text):
    shown = visible(text)
    assert not {unicodedata.bidirectional(one) for one in shown} & {"RLO", "LRO", "RLE", "LRE", "RLI", "LRI", "FSI"}
    assert visible(shown) == shown
