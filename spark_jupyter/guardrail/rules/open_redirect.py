"""Redirects to an address that somebody else chooses.

They send visitors to another page in this site's name.
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Assign, Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import HOLE, Danger, Flows, Trust, Value

_REDIRECTS: Final = (
    "flask.redirect redirect django.shortcuts.redirect django.http.HttpResponseRedirect HttpResponseRedirect "
    "django.http.HttpResponsePermanentRedirect HttpResponsePermanentRedirect werkzeug.utils.redirect "
    "bottle.redirect "
    "fastapi.responses.RedirectResponse starlette.responses.RedirectResponse RedirectResponse "
    "aiohttp.web.HTTPFound web.HTTPFound web.HTTPSeeOther aiohttp.web.HTTPSeeOther web.seeother "
    "pyramid.httpexceptions.HTTPFound HTTPFound sanic.response.redirect quart.redirect cherrypy.HTTPRedirect "
    "self.redirect"
)


def _own_site(value: Value) -> bool:
    """Text before the input says where it goes: ``/profile/…``, ``https://example.com/…``."""
    text = value.text or ""
    before = text[: text.find(HOLE)] if HOLE in text else text
    if before.startswith(("http://", "https://")):
        return "/" in before[8:]
    return before.startswith("/") and len(before) > 1 and before[1] not in "/\\"


def _check(call: Call, state: State) -> Hit | None:
    target = call.argument(0, "location", "redirect_to", "url", "to")
    flows = state.dangerous(target, Danger.REDIRECT, Trust.REMOTE)
    if flows and state.uses("flask") and (target.text or "").startswith("/\0") and _segments(flows):
        return None  # <tag> of a route holds no slash: what follows "/" is no other host
    return Hit(call.node, flows=flows) if flows and not _own_site(target) else None


def _segments(flows: Flows) -> bool:
    return all(origin.parameter and origin.trust == Trust.REMOTE for origin, _ in flows)


def _header(event: Assign, state: State) -> Hit | None:
    if event.key.lower() != "location":
        return None
    flows = state.certain(event.value, Danger.REDIRECT, Trust.REMOTE)
    return Hit(event.node, flows=flows) if flows and not _own_site(event.value) else None


RULE: Final = Rule(
    id="open-redirect",
    cwe=601,
    severity="block",
    message="Whoever makes the link chooses where your visitors are sent.",
    remedy="Redirect to url_for(...), or only to addresses without a host or with one that you allow.",
    bad=(
        'from flask import redirect, request\nredirect(request.args["next"])',
        'from django.http import HttpResponseRedirect\ndef go(request):\n    return HttpResponseRedirect(request.GET.get("next", "/"))',
        'response.headers["Location"] = request.args["next"]',
    ),
    good=(
        'from flask import redirect, url_for\nredirect(url_for("index"))',
        (
            'from flask import redirect, request\nfrom urllib.parse import urlparse\nurl = request.args["next"]\n'
            "if urlparse(url).netloc:\n    abort(400)\nredirect(url)"
        ),
        (
            "from django.utils.http import url_has_allowed_host_and_scheme\ndef go(request):\n    url "
            '= request.GET["next"]\n    if not url_has_allowed_host_and_scheme(url, None):\n        url '
            '= "/"\n    return redirect(url)'
        ),
    ),
    spares=_own_site,
    calls=on(_REDIRECTS, _check),
    assign=_header,
)
