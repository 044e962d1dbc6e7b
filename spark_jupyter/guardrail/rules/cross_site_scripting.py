"""Input that becomes part of a page without being escaped.

A browser runs it as script.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Assign, Call, Hit, Return, Rule, on
from spark_jupyter.guardrail.stored_rows import in_a_page
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import HOLE, Danger, Flows, Trust, Value

_RESPONSES: Final = (
    "flask.make_response make_response flask.Response Response django.http.HttpResponse HttpResponse "
    "fastapi.responses.HTMLResponse HTMLResponse starlette.responses.HTMLResponse aiohttp.web.Response "
    "web.Response "
    "sanic.response.html sanic.html quart.Response werkzeug.wrappers.Response pyramid.response.Response "
    "bottle.HTTPResponse django.http.response.HttpResponse"
)
_MARKUP: Final = (
    "markupsafe.Markup flask.Markup Markup django.utils.safestring.mark_safe mark_safe jinja2.Markup "
    "SafeString django.utils.safestring.SafeString IPython.display.HTML HTML IPython.core.display.HTML "
    "IPython.display.Javascript streamlit.components.v1.html"
)


def _plain(call: Call) -> bool:
    kind = call.argument(-1, "mimetype", "content_type", "media_type").known_text or ""
    return bool(kind) and "html" not in kind


def _stored(node: ast.AST, value: Value, state: State) -> Hit | None:
    """Rows of a database between the tags of a page: a guest book, say."""
    shown = "<" in (value.text or "") and in_a_page(value, state)
    return Hit(node, flows=shown, severity="warn", message=_STORED) if shown else None


def _table(call: Call, state: State) -> Hit | None:
    """``df.to_html(escape=False)`` in a page that others see."""
    if call.argument(-1, "escape").const is not False or not (state.handler or state.uses("streamlit")):
        return None
    flows = _flows(call.receiver, state) or in_a_page(call.receiver, state)
    return Hit(call.node, flows=flows, severity="warn", message=_STORED) if flows else None


_STORED: Final = "Stored data goes into this page unescaped: a <script> in it runs for everyone who opens the page."


def _flows(value: Value, state: State) -> Flows:
    return state.certain(value, Danger.HTML, Trust.REMOTE)


def _response(call: Call, state: State) -> Hit | None:
    body = call.argument(0, "response", "content", "body", "text")
    if _plain(call) or (isinstance(body.items, dict)):
        return None
    if call.name == "aiohttp.web.Response" and not call.given(-1, "content_type"):
        return None
    flows = state.dangerous(body, Danger.HTML, Trust.REMOTE)
    if not flows:
        return _stored(call.node, body, state)
    held = state.statement
    if isinstance(held, ast.Assign) and held.value is call.node and state.handler:
        return None  # its type may still be set: it is judged where it is returned
    return Hit(call.node, flows=flows)


def _typed(event: Assign, state: State) -> Hit | None:
    """``response.headers["Content-Type"] = …``, ``response.mimetype = …``: what was announced."""
    if event.key.lower() == "content-type" or event.name.endswith((".mimetype", ".content_type")):
        state.store(_CONTENT_TYPE, event.value)
    return None


def _markup(call: Call, state: State) -> Hit | None:
    value = call.argument(0, "data")
    flows = state.certain(value, Danger.HTML, Trust.NETWORK)
    if flows:
        return Hit(call.node, flows=flows)
    if (
        call.tail in ("Markup", "mark_safe", "SafeString")
        and not value.safe
        and not value.is_constant
        and value.is_built
    ):
        return Hit(call.node, severity="warn")
    return None


def _says_plain(headers: Value) -> bool:
    """``{"Content-Type": "application/json"}``, in the tuple that a handler returns."""
    if not isinstance(headers.items, dict):
        return False
    kinds = [value.known_text or "" for key, value in headers.items.items() if str(key).lower() == "content-type"]
    return any(kind and "html" not in kind for kind in kinds)


def _returned(event: Return, state: State) -> Hit | None:
    value = event.value
    if not event.handler or not value.flows or isinstance(value.items, dict):
        return None
    if isinstance(value.items, list) and value.items:
        if any(_says_plain(item) for item in value.items[1:]):
            return None
        value = value.items[0]
    page = any("HTMLResponse" in scope.decorators for scope in state.scopes)
    if state.uses("fastapi", "aiohttp", "starlette") and not state.uses("flask") and not page:
        return None
    node = event.node.value if isinstance(event.node, ast.Return) else None
    if value.name.endswith(("make_response()", "Response()", "HttpResponse()")):
        flows = _flows(value, state) if isinstance(node, ast.Name) and _is_page(value, state) else ()
        return Hit(event.node, flows=flows) if flows else None
    if not _is_page(value, state):
        return None
    if not (
        value.text is not None
        or isinstance(node, ast.Name | ast.Subscript)
        or ("request" in value.name and value.name.endswith(("get()", "[]")))
        or value.name.endswith(("markdown()", "mistune.html()"))
    ):
        return None
    flows = _flows(value, state)
    if not flows:
        return _stored(event.node, value, state)
    return Hit(event.node, flows=flows, severity="block" if "<" in (value.text or "") else "warn")


_CONTENT_TYPE: Final = "Content-Type:"
"""Marker variable that no code can name: the content type announced for the next text."""


def _header(call: Call, state: State) -> Hit | None:
    if (call.argument(0).known_text or "").lower() == "content-type":
        state.scope.variables[_CONTENT_TYPE] = call.argument(1)
    return None


def _answer(call: Call, state: State) -> Hit | None:
    state.scope.variables.pop(_CONTENT_TYPE, None)
    return None


def _is_page(value: Value, state: State) -> bool:
    """True if a browser shows the text as a page. JSON without a type is none."""
    announced = state.lookup(_CONTENT_TYPE)
    kind = announced.known_text if announced is not None else None
    if kind is not None:
        return any(page in kind.lower() for page in ("html", "svg", "xml"))
    return not value.name.startswith("json.dumps()")


def _write(call: Call, state: State) -> Hit | None:
    if not (
        call.name.startswith(("self.write", "self.wfile", "response.write", "resp.write", "self.response"))
        or call.receiver.name.endswith(("HttpResponse()", "self.wfile"))
    ):
        return None
    if state.uses("socketserver") and not state.uses("http"):
        return None  # bytes of a protocol of one's own
    value = call.argument(0, "chunk")
    if isinstance(value.items, dict) or not _is_page(value, state):
        return None
    flows = state.dangerous(value, Danger.HTML, Trust.REMOTE)
    return Hit(call.node, flows=flows) if flows else None


def _streamlit(call: Call, state: State) -> Hit | None:
    """``st.markdown(text, unsafe_allow_html=True)``."""
    allowed = call.kwargs.get("unsafe_allow_html")
    if allowed is None or allowed.const is not True:
        return None
    flows = _flows(call.argument(0, "body"), state)
    return Hit(call.node, flows=flows) if flows else _stored(call.node, call.argument(0, "body"), state)


def _autoescape(call: Call, state: State) -> Hit | None:
    given = call.kwargs.get("autoescape")
    if given is None and "**" in call.kwargs:
        return None
    if given is None or given.const is False:
        return Hit(
            call.node,
            severity="warn",
            message="Jinja2 does not escape HTML unless it is told to: input in these pages becomes script.",
            remedy="Environment(autoescape=True), or jinja2.select_autoescape().",
        )
    return None


def _mako(call: Call, state: State) -> Hit | None:
    filters = call.kwargs.get("default_filters")
    if filters is not None or (not call.args and not call.kwargs):
        return None
    return Hit(
        call.node,
        severity="warn",
        message="Mako does not escape HTML unless it is told to.",
        remedy="Give default_filters=['h'].",
    )


_SAFE_FILTER: Final = re.compile(r"\{\{-?\s*([A-Za-z_]\w*)[\w.\[\]'\"]*\s*\|\s*safe\b")


def _template(call: Call, state: State) -> Hit | None:
    """``{{ name|safe }}``: the template is told not to escape what is given for ``name``."""
    for name in _SAFE_FILTER.findall(call.argument(0, "source").known_text or ""):
        flows = _flows(call.argument(-1, name), state)
        if flows:
            return Hit(call.node, flows=flows)
    return None


def _replace(call: Call, state: State) -> Hit | None:
    text = call.receiver.text or ""
    if HOLE in text and state.handler and "<script" in (call.argument(0).known_text or "").lower():
        return Hit(call.node, cwe=116)
    return None


RULE: Final = Rule(
    id="cross-site-scripting",
    cwe=79,
    severity="block",
    message="Input goes into a page unescaped: a <script> in it runs in the visitor's browser.",
    remedy="Escape it (markupsafe.escape, html.escape), or let a template with autoescape write the page.",
    bad=(
        'from flask import make_response, request\nmake_response("Hello " + request.args["name"])',
        (
            'from flask import Flask, request\napp = Flask(__name__)\n@app.route("/")\ndef index():\n'
            '    name = request.args.get("name")\n    return f"<h1>Hello {name}</h1>"'
        ),
        'from django.http import HttpResponse\ndef hello(request):\n    return HttpResponse("Hello " + request.GET["name"])',
    ),
    good=(
        'from markupsafe import Markup\n@app.route("/")\ndef page():\n    return Markup("<b>{}</b>").format(request.args["n"]) + "<br>"',
        'from flask import make_response, request\nfrom markupsafe import escape\nmake_response("Hello " + escape(request.args["name"]))',
        'from flask import jsonify, request\n@app.route("/")\ndef index():\n    return jsonify(request.args["name"])',
    ),
    calls={
        **on(_RESPONSES, _response),
        **on(_MARKUP, _markup),
        **on("streamlit.markdown streamlit.write", _streamlit),
        **on("jinja2.Environment jinja2.environment.Environment Environment", _autoescape),
        **on("flask.render_template_string render_template_string quart.render_template_string", _template),
        **on("mako.template.Template mako.lookup.TemplateLookup", _mako),
    },
    methods={
        **on("write", _write),
        **on("to_html", _table),
        **on("sub replace", _replace),
        **on("send_header set_header setHeader", _header),
        **on("send_response", _answer),
    },
    assign=_typed,
    returned=_returned,
)
