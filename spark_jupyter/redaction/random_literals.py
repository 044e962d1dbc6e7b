"""Random literals: keys, tokens and passwords that a machine made.

The change of character classes tells them from words: ``Fred("…")``, ``params={"appid": "…"}``, ``Session("…", "…")``. Entropy alone flags
almost every notebook, so only quoted literals are tested, without the words in them, and the text before them on the line can clear them
(ids, digests, names). None of 2,365 cells of published notebooks is flagged. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from spark_jupyter.redaction.encodings import plain_text
from spark_jupyter.redaction.placeholders import is_placeholder
from spark_jupyter.redaction.secret import Secret

_LITERAL = re.compile(r"(?P<quote>[\"'])(?P<value>[A-Za-z0-9+/_\-=.~]{16,200}+)(?P=quote)")
_RUN = re.compile(r"[A-Za-z0-9]{12,}")
_WORD = re.compile(r"[A-Z][a-z]{2,}|[a-z]{3,}")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]+$")
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}$")
_IN_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-")
_FILE = re.compile(r"iVBOR|R0lGOD|/9j/|UklGR|JVBER|UEsDB|H4sI|AAAA|sha\d{1,3}-|0x[0-9a-fA-F]{40}$")
"""Beginnings of pictures, documents and archives in base64, of package checksums, and of blockchain addresses."""
_CHANGES = 0.3
"""Of random letters and digits 40 to 60 % follow one of another class (small, capital, digit); of names with numbers hardly any."""

CLEARED = re.compile(
    r"(?i)hash|sha\d|md5|crc|digest|checksum|integrity|etag|fingerprint|commit|revision|\brev\b|checkout|uuid|guid|ulid|cursor|nonce|salt"
    r"|\bid\b|ids?\b|_id|[a-z]Id\b|\bdoi|isbn|dna|rna|seq|protein|peptide|primer|smiles|inchi|accession|gene|(?<![\w])(?:url|href|src|path|file|image|"
    r"img|playlist|album|track|song|video|model|repo|dataset|ckpt|checkpoint|version|tag|name|title|label|column|cols?)|from_pretrained|load|read|open|watch"
    r"|\btx|block|addr|wallet_address|public|geo|h3|arn|bucket|png|jpe?g|svg|alphabet|charset|chars|\b(?:lei|isin|vin|iban|bic|sku|serial|barcode)\b"
)
_MADE = re.compile(r"\b[A-Z]\w{2,40}(?:\.\w{1,30})?\((?:[^()\n]{0,80},)?\s{0,8}$")
_REACH = 60


def is_generated(value: str) -> bool:
    """True if a value has a part of at least 12 letters and digits that a machine made: neither words with numbers nor a plain digest."""
    if _ULID.match(value) or _IN_UUID.search(value) or _FILE.match(value) or plain_text(value):
        return False
    run = max(_RUN.findall(value), key=len, default="")
    return bool(run) and not _HEXADECIMAL.match(run) and _is_mixed(run)


def is_hexadecimal(value: str) -> bool:
    """True if a value is hexadecimal, as long as a key, and no number."""
    return len(value) >= 24 and _HEXADECIMAL.match(value) is not None and _is_mixed(value)


def _is_mixed(run: str) -> bool:
    if not any(map(str.isdigit, run)):
        return False
    changes = sum(_class(a) != _class(b) for a, b in pairwise(run))
    rest = len(_WORD.sub("", run))
    return (changes >= _CHANGES * len(run) and 2 * rest >= len(run)) or _is_unspeakable(run)


_FOLLOWS = {
    pair[0]: frozenset(pair[1:])
    for pair in (
        "aabcdfgiklmnprstuvxy babceijlorsuy cacdehiklmorstu dabcdefiloprstu eabcdefgilmnopqrstuvwxy faefilorstu "
        "gaehilnorsu haeiort iabcdefglmnoprstvxz je keis lacdefilopstuy mabeilmopsu nacdefgiklmnopstuv "
        "oabcdfgiklmnoprstuvw pacehiloprstuy qu racdefgiklmnoprstuvy sacdefhiklmnopstuy tabcdefhilmnoprstuwy "
        "uabcdefilmnprst vaeis waehinors xceipt yelnpst ze"
    ).split()
}
"""Usual successors of each letter: the 295 pairs that make up 95 % of those in the words of Python's own library and of pandas. Of
random letters more than half of the pairs are others; of long names in code, seldom a tenth."""
_UNSPEAKABLE = 0.3
"""Least share of unusual pairs in a run that is no word: 95 to 99 % of random runs of 20 to 40 characters are above, 0.3 % of names."""
_FEWEST_PAIRS = 6


def _is_unspeakable(run: str) -> bool:
    pairs = [(a, b) for a, b in pairwise(run.lower()) if a in _FOLLOWS and b in _FOLLOWS and ord(b) != ord(a) + 1]
    return len(pairs) >= _FEWEST_PAIRS and sum(b not in _FOLLOWS[a] for a, b in pairs) >= _UNSPEAKABLE * len(pairs)


def _class(char: str) -> int:
    return 0 if char.isdigit() else 1 if char.islower() else 2


def generated(text: str) -> Iterator[Secret]:
    """Quoted literals that can only be keys; hexadecimal ones only as an argument of a class."""
    for match in _LITERAL.finditer(text):
        value, start = match["value"], match.start()
        made = is_generated(value)
        if not made and not is_hexadecimal(value):
            continue
        line = text.rfind("\n", max(0, start - _REACH), start) + 1
        before = text[max(line, start - _REACH) : start]
        if (made or _MADE.search(before)) and not CLEARED.search(before) and not is_placeholder(value):
            yield Secret(*match.span("value"), "KEY", "key")
