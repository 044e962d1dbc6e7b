"""Formats of keys and tokens of known services.

One pattern for all, tried only where a word begins, so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_RANDOM: Final = r"(?=[A-Za-z0-9_\-.]{0,60}?(?=[A-Za-z]{0,11}\d|(?:[A-Z]{0,12}+[a-z]{1,12}+[A-Z]){3})[A-Za-z0-9]{12})"
"""Of a key, which is random, twelve characters stand together with a digit or in changing case; of a name made of words, hardly ever."""
_KEYS: Final = (
    ("DEEPL_KEY", "DeepL key", r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}:fx"),
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
        r"(?:hooks\.zapier\.com/hooks|[\w.\-]{0,60}(?:webhook|outlook)\.office\.com/webhook\w{0,3}|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook)/[A-Za-z0-9_\-@/]{12,300}",
    ),
    ("STRIPE_KEY", "Stripe key", r"[srp]k_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9+/=]{16,255}"),
    (
        "API_KEY",
        "API key",
        rf"sk-(?:ant-[a-z]{{3,5}}\d\d-|{_RANDOM}(?:proj-|ant-|or-v1-|svcacct-|admin-|lf-)?)[A-Za-z0-9_\-]{{20,255}}",
    ),
    (
        "API_KEY",
        "API key",
        rf"(?:gsk|csk|xai|pplx|r8|fw|tvly|lsv2|nvapi|sgp|jina|voyage|pcsk|together)[-_]{_RANDOM}[A-Za-z0-9_\-]{{20,255}}",
    ),
    (
        "API_KEY",
        "API key",
        (
            r"(?:figd|nfp|sbp|sb_secret|pscale_(?:tkn|pw|oauth)|e2b|rpa|esecret|wandb_v1|vc[aikpr]|cf[ua]t|dbt[cu]|pn[bu]|sq[apu]|bk[aru]a|ph[xr]"
            rf"|snyk_[su]at)[_.]{_RANDOM}[A-Za-z0-9_\-.]{{20,255}}"
            r"|(?:tskey-[a-z]{3,10}|xkeysib|HRKU)-[A-Za-z0-9_\-]{20,255}|ops_eyJ[A-Za-z0-9_\-=]{60,4000}"
            r"|fc-[0-9a-f]{32}(?![A-Za-z0-9])|sk_[0-9a-f]{48}(?![A-Za-z0-9])|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{40,100}"
            r"|pat-[a-z]{2}\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
        ),
    ),
    (
        "GOOGLE_KEY",
        "Google API key",
        rf"AIza[A-Za-z0-9_\-]{{35}}|AQ\.{_RANDOM}[A-Za-z0-9_\-]{{40,80}}|GOCSPX-[A-Za-z0-9_\-]{{20,60}}",
    ),
    (
        "GOOGLE_TOKEN",
        "Google token",
        r"ya29\.[A-Za-z0-9_\-.]{15,2000}|1//[A-Za-z0-9_\-]{30,200}|4/[01][A-Za-z0-9_\-]{40,200}",
    ),
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
    ("GRAFANA_TOKEN", "Grafana token", rf"gl(?:sa|c)_{_RANDOM}[A-Za-z0-9+/_=]{{32,400}}"),
    ("SHOPIFY_TOKEN", "Shopify token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("SQUARE_TOKEN", "Square token", r"sq0[a-z]{3}-[A-Za-z0-9_\-]{22,43}|EAAA[A-Za-z0-9_\-]{60}"),
    ("LINEAR_KEY", "Linear key", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}"),
    ("NOTION_KEY", "Notion key", r"(?:secret|ntn)_[A-Za-z0-9]{40,60}(?![A-Za-z0-9_])"),
    ("NEWRELIC_KEY", "New Relic key", r"NR(?:AK|II|BR)-[A-Za-z0-9_\-]{19,40}"),
    ("ARTIFACTORY_KEY", "Artifactory key", r"AKCp[A-Za-z0-9]{50,90}"),
    ("VAULT_TOKEN", "Vault token", rf"hv[sbr]\.{_RANDOM}[A-Za-z0-9_\-]{{24,300}}"),
    ("AGE_KEY", "age key", r"AGE-SECRET-KEY-1[0-9A-Z]{20,70}"),
    ("POSTMAN_KEY", "Postman key", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("AIRTABLE_TOKEN", "Airtable token", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("MAPBOX_TOKEN", "Mapbox token", r"[sp]k\.eyJ[A-Za-z0-9_\-]{20,400}\.[A-Za-z0-9_\-]{16,100}"),
    ("ATLASSIAN_TOKEN", "Atlassian token", r"AT[AC]TT?3xF[A-Za-z0-9_\-=]{50,300}"),
    ("FACEBOOK_TOKEN", "Facebook token", r"EAA(?:C|B)[A-Za-z0-9]{60,400}"),
    ("SENTRY_TOKEN", "Sentry token", r"sntry[su]_[A-Za-z0-9+/=_\-]{40,400}"),
    ("DOCKER_TOKEN", "Docker token", r"dckr_(?:pat|oat)_[A-Za-z0-9_\-]{20,60}"),
    ("PULUMI_TOKEN", "Pulumi token", r"pul-[0-9a-f]{40}"),
    ("DOPPLER_TOKEN", "Doppler token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9.\-_]{30,100}"),
    ("FLY_TOKEN", "Fly token", rf"fm[12]_{_RANDOM}[A-Za-z0-9+/=_\-,]{{40,2000}}"),
    ("CLOUDFLARE_KEY", "Cloudflare key", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
    ("AZURE_SECRET", "Azure client secret", r"[A-Za-z0-9_\-.]{3}[78]Q~[A-Za-z0-9_\-.~]{31,34}"),
    (
        "WIF_KEY",
        "wallet key",
        r"[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])|xprv[1-9A-HJ-NP-Za-km-z]{100,115}|nsec1[02-9ac-hj-np-z]{58}",
    ),
    (
        "JWT",
        "JSON web token",
        r"eyJ[A-Za-z0-9_\-]{8,4000}+\.[A-Za-z0-9_\-]{8,20000}+(?:\.[A-Za-z0-9_\-]{0,4000}+){1,3}",
    ),
)
_ANY_KEY: Final = re.compile(
    "(?<![A-Za-z0-9])(?:" + "|".join(f"(?P<k{n}>{pattern})" for n, (_, _, pattern) in enumerate(_KEYS)) + ")"
)
_LONG_RUN: Final = re.compile(r"\S{15,}")
"""Where a key may stand: none is shorter, or has a blank in it. Code has few such runs."""

PRIVATE_KEY: Final = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
"""Beginning of a private key in PEM."""


class Key(NamedTuple):
    """A key in a text, from ``start`` to ``end``. ``kind`` is its name in capitals, ``words`` for a person."""

    start: int
    end: int
    kind: str
    words: str


def keys_in(text: str) -> Iterator[Key]:
    """Texts in the format of a service's key, in order."""
    for run in _LONG_RUN.finditer(text):
        for match in _ANY_KEY.finditer(text, *run.span()):
            kind, words, _ = _KEYS[int((match.lastgroup or "k0")[1:])]
            yield Key(*match.span(), kind, words)
