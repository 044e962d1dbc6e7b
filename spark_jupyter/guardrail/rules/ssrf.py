"""Requests to an address that somebody else chooses.

They reach machines that only this one can reach.
"""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State, named
from spark_jupyter.guardrail.taint_values import HOLE, Danger, Trust, Value, words

_VERBS: Final = "get post put delete head patch options request"
_CLIENTS: Final = (
    " ".join(
        f"{client}.{verb}"
        for client in (
            "requests httpx requests.Session() requests.session() httpx.Client() httpx.AsyncClient() "
            "aiohttp.ClientSession() urllib3.PoolManager()"
        ).split()
        for verb in _VERBS.split()
    )
    + " urllib.request.urlopen urllib.request.urlretrieve urllib.request.Request urllib.urlopen "
    "urllib.urlretrieve http.client.HTTPConnection http.client.HTTPSConnection httplib.HTTPConnection "
    "httplib.HTTPSConnection httplib2.Http().request urllib3.request urllib3.PoolManager().urlopen "
    "wget.download pycurl.Curl().setopt treq.get socket.create_connection tornado.httpclient.AsyncHTTPClient()"
    ".fetch tornado.httpclient.HTTPClient().fetch urlopen "
    "urlretrieve requests.Request httpx.stream aiohttp.request feedparser.parse pandas.read_html "
    "selenium.webdriver.Chrome().get selenium.webdriver.Firefox().get selenium.webdriver.Remote().get urllib.request.build_opener().open"
)
_FIXED_HOST: Final = re.compile(r"https?://[A-Za-z0-9][\w.-]*(?::\d+)?/")
_NAMES: Final = words(
    "userurl inputurl targeturl callbackurl webhookurl imageurl callback webhook avatarurl feedurl remoteurl"
)


def _check(call: Call, state: State) -> Hit | None:
    position = (
        1
        if call.tail in ("request", "stream", "setopt", "Request")
        and (len(call.args) > 1 or "url" in call.kwargs)
        and call.name != "urllib.request.Request"
        else 0
    )
    return _judge(call, call.argument(position, "url", "host", "address"), state)


def _judge(call: Call, url: Value, state: State) -> Hit | None:
    flows = state.dangerous(url, Danger.URL, Trust.LOCAL)
    if not flows:
        return None
    worst = flows[0][0].trust
    text = url.text or ""
    if worst in (Trust.LOCAL, Trust.ENVIRONMENT, Trust.FILE):
        return None if not flows[0][0].parameter else Hit(call.node, flows=flows, severity="warn")
    if worst == Trust.NETWORK and (not state.handler or call.name == "feedparser.parse"):
        return None  # feedparser takes a feed's own text, too
    fixed = _FIXED_HOST.match(text)
    if worst == Trust.PARAMETER:
        if fixed:
            return None
        return Hit(call.node, severity="warn") if named(flows, _NAMES) else Hit(call.node, flows=flows)
    if fixed:
        only_query = "?" in text[: text.find(HOLE)]
        if only_query:
            return None
        return Hit(
            call.node,
            flows=flows,
            severity="warn",
            message="Input becomes part of this address's path: it can lead to another resource of that server.",
        )
    return Hit(call.node, flows=flows)


def _session(call: Call, state: State) -> Hit | None:
    if not call.receiver.name.endswith(
        ("Session()", "session()", "Client()", "PoolManager()", "Http()", "session", "client", "http")
    ) or call.receiver.name.endswith(("db.session", "flask.session")):
        return None
    if call.name in ("requests.get",) or (call.tail == "get" and len(call.args) != 1):
        return None
    position = 1 if call.tail == "request" else 0
    return _judge(call, call.argument(position, "url"), state)


def _browser(call: Call, state: State) -> Hit | None:
    """A browser on this computer, which another one steers."""
    return _judge(call, call.argument(0, "url"), state) if state.uses("playwright", "selenium", "pyppeteer") else None


RULE: Final = Rule(
    id="ssrf",
    cwe=918,
    severity="block",
    message="Whoever sends the request chooses which address this computer calls, also ones that only it can reach.",
    remedy="Compare the host with a list of allowed ones before you call it.",
    bad=(
        'import requests\nrequests.get(request.args["url"])',
        'from urllib.request import urlopen\nurl = request.form["u"]\nurlopen(url)',
        (
            'import httpx\n@app.get("/fetch")\nasync def fetch(url: str):\n    async with httpx.AsyncClient()'
            " as client:\n        return await client.get(url)"
        ),
    ),
    good=(
        'import requests\nrequests.get("https://example.com/", params={"q": request.args["q"]})',
        (
            'import requests\nfrom urllib.parse import urlparse\nurl = request.args["url"]\nif urlparse(url)'
            ".hostname not in ALLOWED:\n    abort(400)\nrequests.get(url)"
        ),
        'import requests\nrequests.get(URLS[request.args["k"]])',
    ),
    spares=lambda value: _FIXED_HOST.match(value.text or "") is not None,
    calls=on(_CLIENTS, _check),
    methods={**on(_VERBS, _session), "goto": _browser},
)
