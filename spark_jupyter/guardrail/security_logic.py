"""Detection of security logic: authentication, authorisation, secrets.

It does not say that the code is wrong.

OpenAI's own words about its fastest coding model are that it should not be used for sensitive security logic; so what is one is offered to
a slower model. The lists are ours: the libraries of authentication and cryptography in common use, and what functions of that kind are
called.
"""

from __future__ import annotations

import re

_KINDS = {
    "authentication": re.compile(
        r"\b(?:import|from)\s+(?:jwt|jose|authlib|oauthlib|passlib|bcrypt|argon2|itsdangerous|flask_login)\b"
        r"|\bdef\s+\w*(?:authenticat|log_?in\b|sign_?in\b|verify_(?:password|token|session)|check_password|hash_password"
        r"|(?:create|make|issue)_(?:token|session))",
        re.IGNORECASE,
    ),
    "cryptography": re.compile(
        r"\b(?:import|from)\s+(?:cryptography|Crypto|Cryptodome|nacl|hmac|ssl|OpenSSL)\b"
        r"|\bdef\s+\w*(?:encrypt|decrypt|derive_key|(?:sign|verify)_(?:message|signature|payload))",
        re.IGNORECASE,
    ),
    "permissions": re.compile(
        r"\bdef\s+\w*(?:authori[sz]e|has_permission|check_permission|require_role|is_admin|can_access|grant_)"
        r"|\bos\.(?:chmod|chown|setuid|setgid)\s*\(",
        re.IGNORECASE,
    ),
}


def security_logic(source: str) -> str:
    """Kind of security logic in a source: authentication, cryptography or permissions; empty if none."""
    return next((name for name, pattern in _KINDS.items() if pattern.search(source)), "")
