"""Patterns and randomness of credentials."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

from spark_jupyter.source.service_keys import PRIVATE_KEY, keys_in

_STORAGE_KEY: Final = re.compile(r"AccountKey=[A-Za-z0-9+/]{80,}={0,2}")
_PLACEHOLDER: Final = re.compile(
    r"^$|your|example|placeholder|change_?me|change-me|xxx|\*\*\*|\.\.\.|…|<[^>]*>|^\$|\{\{|^\{.*\}$|"
    r"%\(|^%s$|dummy|sample|replace|insert|todo|fixme|redacted|goes_?here|enter_?|"
    r"^(?:none|null|undefined|foo|bar|baz|test|testing|abc|key|value|string|my[_-]\w*|my(?:password|"
    r"key|secret|token)|some[_-]\w*|the[_-]\w+|api[_-]?key|secret[_-]?key|token|access[_-]?token)"
    r"$|^([xX*.0#?_-])\1*$|^[-_ .*x0]+$|_here\b|fake|not[_-]?a[_-]?real|env\b|getenv",
    re.IGNORECASE,
)


def known_key(text: str) -> str | None:
    """Kind of credential in ``text``, by its form; None if there is none or only a placeholder."""
    if len(text) < 12:
        return None
    if PRIVATE_KEY.search(text):
        return "private key" if len(text) > 80 and not is_placeholder(text[:200]) else None
    if _STORAGE_KEY.search(text):
        return "Azure storage key"
    for key in keys_in(text):
        value = text[key.start : key.end]
        if not is_placeholder(value) and entropy(value) >= 3.0 and sum(map(str.isdigit, value)) >= 2:
            return key.words
    return None


def is_placeholder(text: str) -> bool:
    """True if a text is only a placeholder for a credential."""
    return _PLACEHOLDER.search(text) is not None


def credential_in(text: str) -> bool:
    """True if a text looks like a random key: at least 16 characters, of several kinds, without spaces."""
    if known_key(text) is not None:
        return True
    if len(text) < 16 or " " in text or is_placeholder(text):
        return False
    digits = sum(char.isdigit() for char in text)
    return entropy(text) >= 3.5 and digits >= 3 and digits < len(text)


def entropy(text: str) -> float:
    """Shannon entropy in bits per character."""
    if not text:
        return 0.0
    size = len(text)
    return -sum(count / size * math.log2(count / size) for count in Counter(text).values())
