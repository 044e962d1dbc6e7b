"""What looks like a credential: the forms that services give their keys, and text too random to be a word.

The forms are the public prefixes that the services document (GitHub, AWS, Slack, Stripe, OpenAI, …).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

_KEYS: Final = (
    ("AWS access key", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("GitHub token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})")),
    ("GitLab token", re.compile(r"\bglpat-[A-Za-z0-9_-]{20,}")),
    ("Slack token", re.compile(r"\bxox[abposr]-[A-Za-z0-9-]{10,}")),
    ("Slack webhook", re.compile(r"https://hooks\.slack\.com/services/T\w+/B\w+/\w+")),
    ("Stripe key", re.compile(r"\b[rs]k_live_[A-Za-z0-9]{16,}")),
    ("OpenAI key", re.compile(r"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}")),
    ("Anthropic key", re.compile(r"\bsk-ant-[A-Za-z0-9_-]{20,}")),
    ("Google API key", re.compile(r"\bAIza[0-9A-Za-z_-]{35}")),
    ("Hugging Face token", re.compile(r"\bhf_[A-Za-z0-9]{30,}")),
    ("PyPI token", re.compile(r"\bpypi-[A-Za-z0-9_-]{50,}")),
    ("npm token", re.compile(r"\bnpm_[A-Za-z0-9]{36}")),
    ("SendGrid key", re.compile(r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}")),
    ("Twilio key", re.compile(r"\bSK[0-9a-f]{32}\b")),
    ("private key", re.compile(r"-----BEGIN (?:RSA |EC |DSA |OPENSSH |PGP |ENCRYPTED )?PRIVATE KEY")),
    ("JSON web token", re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}")),
    ("Telegram bot token", re.compile(r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b")),
    ("Databricks token", re.compile(r"\bdapi[0-9a-f]{32}\b")),
    ("Azure storage key", re.compile(r"AccountKey=[A-Za-z0-9+/]{80,}={0,2}")),
)
_ANY_KEY: Final = re.compile(
    r"AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox|hooks\.slack|k_live_|sk-|AIza|hf_|pypi-|npm_|"
    r"SG\.|SK[0-9a-f]|PRIVATE KEY|eyJ|:AA|dapi|AccountKey="
)
_PLACEHOLDER: Final = re.compile(
    r"^$|your|example|placeholder|change_?me|change-me|xxx|\*\*\*|\.\.\.|…|<[^>]*>|^\$|\{\{|^\{.*\}$|"
    r"%\(|^%s$|dummy|sample|replace|insert|todo|fixme|redacted|goes_?here|enter_?|"
    r"^(?:none|null|undefined|foo|bar|baz|test|testing|abc|key|value|string|my[_-]\w*|my(?:password|"
    r"key|secret|token)|some[_-]\w*|the[_-]\w+|api[_-]?key|secret[_-]?key|token|access[_-]?token)"
    r"$|^([xX*.0#?_-])\1*$|^[-_ .*x0]+$|_here\b|fake|not[_-]?a[_-]?real|env\b|getenv",
    re.IGNORECASE,
)


def known_key(text: str) -> str | None:
    """The kind of credential that ``text`` holds, by its form; None where it holds none or stands for one."""
    if len(text) < 12 or not _ANY_KEY.search(text):
        return None
    for kind, pattern in _KEYS:
        match = pattern.search(text)
        if match is None:
            continue
        if kind == "private key":
            return kind if len(text) > 80 and not is_placeholder(text[:200]) else None
        return (
            None if is_placeholder(match[0]) or entropy(match[0]) < 3.0 or sum(map(str.isdigit, match[0])) < 2 else kind
        )
    return None


def is_placeholder(text: str) -> bool:
    """Whether a text only stands where a credential goes."""
    return _PLACEHOLDER.search(text) is not None


def credential_in(text: str) -> bool:
    """Whether a text is too random to be anything but a key: at least 16 characters, of several kinds, without spaces."""
    if known_key(text) is not None:
        return True
    if len(text) < 16 or " " in text or is_placeholder(text):
        return False
    digits = sum(char.isdigit() for char in text)
    return entropy(text) >= 3.5 and digits >= 3 and digits < len(text)


def entropy(text: str) -> float:
    """Shannon's entropy in bits a character."""
    if not text:
        return 0.0
    size = len(text)
    return -sum(count / size * math.log2(count / size) for count in Counter(text).values())
