"""Credentials that their form gives away: the keys of services by the prefixes that these document, tokens, private keys, seed
phrases. Pure. One pattern for all prefixes, tried only where a word begins, so the time is linear in the text.
"""

# ruff: noqa: SIM905 (lists of words read better as words)
from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from typing import Final

from spark_jupyter.speech.secrets.found import Secret
from spark_jupyter.speech.secrets.harmless import is_placeholder, looks_random

_KEYS: Final = (
    ("AWS_KEY", "AWS access key", r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[0-9A-Z]{16}(?![A-Za-z0-9])"),
    ("GITHUB_TOKEN", "GitHub token", r"gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255}"),
    (
        "GITLAB_TOKEN",
        "GitLab token",
        r"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-[A-Za-z0-9_\-.]{20,1024}|GR1348941[A-Za-z0-9_\-]{20,50}",
    ),
    ("SLACK_TOKEN", "Slack token", r"xox[abcdeoprs]-[A-Za-z0-9\-]{10,255}|xapp-\d-[A-Za-z0-9\-]{10,255}"),
    ("SLACK_WEBHOOK", "Slack webhook", r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9_/]{20,200}"),
    ("DISCORD_WEBHOOK", "Discord webhook", r"discord(?:app)?\.com/api/webhooks/\d{10,25}/[A-Za-z0-9_\-]{40,100}"),
    (
        "WEBHOOK",
        "webhook",
        r"(?:hooks\.zapier\.com/hooks|[\w.\-]{0,60}(?:webhook|outlook)\.office\.com/webhook\w{0,3})/[A-Za-z0-9_\-@/]{12,300}",
    ),
    ("STRIPE_KEY", "Stripe key", r"[srp]k_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9+/=]{16,255}"),
    ("API_KEY", "API key", r"sk-(?:proj-|ant-|or-v1-|svcacct-|admin-|lf-)?[A-Za-z0-9_\-]{20,255}"),
    (
        "API_KEY",
        "API key",
        r"(?:gsk|csk|xai|pplx|r8|fw|tvly|lsv2|nvapi|sgp|jina|voyage|pcsk|together)[-_][A-Za-z0-9_\-]{20,255}",
    ),
    ("GOOGLE_KEY", "Google API key", r"AIza[A-Za-z0-9_\-]{35}|GOCSPX-[A-Za-z0-9_\-]{20,60}"),
    ("GOOGLE_TOKEN", "Google token", r"ya29\.[A-Za-z0-9_\-.]{15,2000}|1//[A-Za-z0-9_\-]{30,200}"),
    ("HUGGINGFACE_TOKEN", "Hugging Face token", r"(?:hf|api_org)_[A-Za-z0-9]{20,60}"),
    ("NPM_TOKEN", "npm token", r"npm_[A-Za-z0-9]{30,60}"),
    ("PYPI_TOKEN", "PyPI token", r"pypi-[A-Za-z0-9_\-]{50,1000}"),
    ("TWILIO_KEY", "Twilio key", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("SENDGRID_KEY", "SendGrid key", r"SG\.[A-Za-z0-9_\-]{16,40}\.[A-Za-z0-9_\-]{16,60}"),
    ("MAILGUN_KEY", "Mailgun key", r"key-[0-9a-z]{32}(?![A-Za-z0-9])"),
    ("MAILCHIMP_KEY", "Mailchimp key", r"[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])"),
    ("TELEGRAM_TOKEN", "Telegram bot token", r"(?:bot)?\d{8,10}:AA[A-Za-z0-9_\-]{32,35}(?![A-Za-z0-9])"),
    ("DISCORD_TOKEN", "Discord bot token", r"[MNO][A-Za-z0-9_\-]{23,25}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,38}"),
    ("DATABRICKS_TOKEN", "Databricks token", r"dapi[0-9a-f]{32}(?:-\d)?(?![A-Za-z0-9])"),
    ("DIGITALOCEAN_TOKEN", "DigitalOcean token", r"do[opr]_v1_[0-9a-f]{64}"),
    ("GRAFANA_TOKEN", "Grafana token", r"gl(?:sa|c)_[A-Za-z0-9+/_=]{32,400}"),
    ("SHOPIFY_TOKEN", "Shopify token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("SQUARE_TOKEN", "Square token", r"sq0[a-z]{3}-[A-Za-z0-9_\-]{22,43}|EAAA[A-Za-z0-9_\-]{60}"),
    ("LINEAR_KEY", "Linear key", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}"),
    ("NOTION_KEY", "Notion key", r"(?:secret|ntn)_[A-Za-z0-9]{40,60}(?![A-Za-z0-9_])"),
    ("NEWRELIC_KEY", "New Relic key", r"NR(?:AK|II|BR)-[A-Za-z0-9_\-]{19,40}"),
    ("ARTIFACTORY_KEY", "Artifactory key", r"AKCp[A-Za-z0-9]{50,90}"),
    ("VAULT_TOKEN", "Vault token", r"hv[sbr]\.[A-Za-z0-9_\-]{24,300}"),
    ("AGE_KEY", "age key", r"AGE-SECRET-KEY-1[0-9A-Z]{20,70}"),
    ("POSTMAN_KEY", "Postman key", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("AIRTABLE_TOKEN", "Airtable token", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("MAPBOX_TOKEN", "Mapbox token", r"sk\.eyJ[A-Za-z0-9_\-]{20,400}\.[A-Za-z0-9_\-]{16,100}"),
    ("ATLASSIAN_TOKEN", "Atlassian token", r"AT[AC]TT?3xF[A-Za-z0-9_\-=]{50,300}"),
    ("FACEBOOK_TOKEN", "Facebook token", r"EAA(?:C|B)[A-Za-z0-9]{60,400}"),
    ("SENTRY_TOKEN", "Sentry token", r"sntry[su]_[A-Za-z0-9+/=_\-]{40,400}"),
    ("DOCKER_TOKEN", "Docker token", r"dckr_(?:pat|oat)_[A-Za-z0-9_\-]{20,60}"),
    ("PULUMI_TOKEN", "Pulumi token", r"pul-[0-9a-f]{40}"),
    ("DOPPLER_TOKEN", "Doppler token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9.\-_]{30,100}"),
    ("FLY_TOKEN", "Fly token", r"fm[12]_[A-Za-z0-9+/=_\-,]{40,2000}"),
    ("CLOUDFLARE_KEY", "Cloudflare key", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
    ("AZURE_SECRET", "Azure client secret", r"[A-Za-z0-9_\-.]{3}[78]Q~[A-Za-z0-9_\-.~]{31,34}"),
    ("WIF_KEY", "wallet key", r"[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])|xprv[1-9A-HJ-NP-Za-km-z]{100,115}"),
    (
        "JWT",
        "JSON web token",
        r"eyJ[A-Za-z0-9_\-]{8,4000}+\.[A-Za-z0-9_\-]{8,20000}+(?:\.[A-Za-z0-9_\-]{0,4000}+){1,3}",
    ),
)
_ANY_KEY: Final = re.compile(
    "(?<![A-Za-z0-9])(?:" + "|".join(f"(?P<k{n}>{pattern})" for n, (_, _, pattern) in enumerate(_KEYS)) + ")"
)


def in_shapes(text: str) -> Iterator[Secret]:
    """Every credential that can be told by its form alone."""
    for match in _ANY_KEY.finditer(text):
        kind, words, _ = _KEYS[int((match.lastgroup or "k0")[1:])]
        if not is_placeholder(match[0]) and looks_random(match[0]):
            yield Secret(*match.span(), kind, words)
    yield from _private_keys(text)
    yield from _wallet_keys(text)
    yield from _fernet_keys(text)
    yield from _seed_phrases(text)


# --- Private keys ----------------------------------------------------------------------------------------------------

_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_INSIDE = re.compile(r"(?:[A-Za-z0-9+/=:,.\-\s\"'>|]|\\[nrt]){24,20000}+")
_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINE = re.compile(r"(?:^|(?<=[\s\"'n]))[A-Za-z0-9+/=]{8,100}(?:\\r)?(?:\\n)?[\"'\\]{0,2}\s{0,8}$")
_BODY = re.compile(r"[A-Za-z0-9+/=\s\\]+")


def _private_keys(text: str) -> Iterator[Secret]:
    """A key in PEM; also one whose end is missing, and the end of one whose beginning is."""
    if "PRIVATE KEY" not in text:
        return
    done = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < done:
            continue
        end = _END.search(text, begin.end(), begin.end() + 20_000)
        inside = _INSIDE.match(text, begin.end())
        done = end.end() if end and "(" not in text[begin.end() : end.start()] else inside.end() if inside else 0
        if done and re.search(r"[A-Za-z0-9+/]{16}", text[begin.end() : done]):
            yield Secret(begin.start(), done, "PRIVATE_KEY", "private key")
    for end in _END.finditer(text):
        if end.start() < done:
            continue
        start = end.start()
        while line := _KEY_LINE.search(text, max(done, start - 120), start):
            start = line.start()
        if start < end.start() - 16:
            yield Secret(start, end.end(), "PRIVATE_KEY", "private key")
            done = end.end()


# --- Keys without a prefix -------------------------------------------------------------------------------------------

_HEX_64 = re.compile(r"(?<![A-Za-z0-9])0x[0-9a-fA-F]{64}(?![A-Za-z0-9])")
_OF_A_CHAIN = re.compile(
    r"(?i)hash|tx|transaction|block|root|topic|digest|receipt|merkle|slot|selector|commit|sha|keccak|bytes32|storage|state|event|log"
)
_FERNET = re.compile(r"(?<![A-Za-z0-9_\-+/=:])[A-Za-z0-9_\-]{43}=(?![A-Za-z0-9_\-+/=])")
_DIGEST = re.compile(r"(?i)sha\d|md5|digest|hash|checksum|integrity|etag|fingerprint|image|png|signature")


def _line_before(text: str, at: int) -> str:
    start = max(0, at - 80)
    return text[max(start, text.rfind("\n", start, at) + 1) : at]


def _wallet_keys(text: str) -> Iterator[Secret]:
    for match in _HEX_64.finditer(text):
        if not _OF_A_CHAIN.search(_line_before(text, match.start())) and match[0][2:].strip("0fF"):
            yield Secret(*match.span(), "WALLET_KEY", "wallet key")


def _fernet_keys(text: str) -> Iterator[Secret]:
    for match in _FERNET.finditer(text):
        value = match[0]
        mixed = not value.isupper() and not value.islower() and sum(map(str.isdigit, value)) >= 3
        if mixed and not _DIGEST.search(_line_before(text, match.start())):
            yield Secret(*match.span(), "FERNET_KEY", "Fernet key")


# --- Seed phrases ----------------------------------------------------------------------------------------------------

_WORDS = re.compile(
    r"(?:^|(?<=[\"'`:=]))[ \t]{0,8}(?P<value>[a-z]{3,8}(?: [a-z]{3,8}){11,23}+)(?P<after>[\"'`]?[ \t]{0,4}(?:\)?[.\w]{0,6}|$))",
    re.M,
)
_IN_NO_PHRASE = frozenset(
    "the and for with are was not but from has had its were which their been our she his her him than also into over only does did "
    "how why per because where those these should must might while being both more most each some many much print return import "
    "adipisc dolor ipsum".split()
)
"""Frequent words that are not among the 2,048 of BIP-39, of which seed phrases are made."""


def _seed_phrases(text: str) -> Iterator[Secret]:
    for match in _WORDS.finditer(text):
        words = match["value"].split()
        if len(words) in (12, 15, 18, 21, 24) and _IN_NO_PHRASE.isdisjoint(words) and ".split" not in match["after"]:
            yield Secret(*match.span("value"), "SEED_PHRASE", "seed phrase")


# --- What is encoded -------------------------------------------------------------------------------------------------

_ENCODED = re.compile(r"(?<![A-Za-z0-9+/_\-=])(?:[A-Za-z0-9+/]{16,400}+={0,2})(?![A-Za-z0-9+/_\-=])")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]+$")


def in_encodings(text: str, find: Callable[[str], tuple[Secret, ...]]) -> Iterator[Secret]:
    """Runs of base64 or hex in which, decoded, ``find`` finds a credential."""
    for match in _ENCODED.finditer(text):
        plain = _decoded(match[0])
        if plain and (found := find(plain)):
            yield Secret(*match.span(), found[0].kind, found[0].words)


def _decoded(value: str) -> str:
    """The ASCII text that a run of base64 or hex stands for; empty where it stands for none."""
    try:
        if len(value) % 2 == 0 and _HEXADECIMAL.match(value):
            raw = bytes.fromhex(value)
        elif len(value) % 4 == 0:
            raw = base64.b64decode(value, validate=True)
        else:
            return ""
    except (binascii.Error, ValueError):
        return ""
    return raw.decode("ascii") if raw.isascii() and all(byte >= 32 or byte in b"\t\n\r" for byte in raw) else ""
