"""Code as it is met, with a weakness and mended: the first of each pair is found, and the second is left alone."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import check

HANDLER = """
import html, json
from http.server import BaseHTTPRequestHandler

class Handler(BaseHTTPRequestHandler):
"""

PAIRS = {
    "a page written by a handler": (
        "cross-site-scripting",
        HANDLER
        + """
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(json.dumps({"path": self.path}).encode())
""",
        HANDLER
        + """
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"path": self.path}).encode())
""",
    ),
    "the type announced for another answer": (
        "cross-site-scripting",
        HANDLER
        + """
    def do_GET(self):
        if self.path.startswith("/api"):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps({"path": self.path}).encode())
        else:
            self.send_response(404)
            self.end_headers()
            self.wfile.write(("No page " + self.path).encode())
""",
        HANDLER
        + """
    def do_GET(self):
        if self.path.startswith("/api"):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps({"path": self.path}).encode())
        else:
            self.send_response(404)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            self.wfile.write(("No page " + self.path).encode())
""",
    ),
    "a helper above its use": (
        "cross-site-scripting",
        HANDLER
        + """
    def answer(self, page):
        self.send_header("Content-Type", "text/html")
        self.wfile.write(page.encode())

    def do_GET(self):
        self.answer("<p>No page " + self.path + "</p>")
""",
        HANDLER
        + """
    def answer(self, page):
        self.send_header("Content-Type", "text/html")
        self.wfile.write(page.encode())

    def do_GET(self):
        self.answer("<p>No page " + html.escape(self.path) + "</p>")
""",
    ),
    "a helper below its use": (
        "cross-site-scripting",
        HANDLER
        + """
    def do_GET(self):
        self.answer("<p>No page " + self.path + "</p>")

    def answer(self, page):
        self.send_header("Content-Type", "text/html")
        self.wfile.write(page.encode())
""",
        HANDLER
        + """
    def do_GET(self):
        self.answer("<p>No page " + html.escape(self.path) + "</p>")

    def answer(self, page):
        self.send_header("Content-Type", "text/html")
        self.wfile.write(page.encode())
""",
    ),
    "a view that answers with a page": (
        "cross-site-scripting",
        """
from fastapi import FastAPI
from fastapi.responses import HTMLResponse
app = FastAPI()
@app.get("/hi", response_class=HTMLResponse)
def hi(name: str):
    return f"<h1>{name}</h1>"
""",
        """
from fastapi import FastAPI
app = FastAPI()
@app.get("/hi")
def hi(name: str):
    return f"<h1>{name}</h1>"
""",
    ),
    "a type among the headers returned": (
        "cross-site-scripting",
        """
import json
from flask import Flask, request
app = Flask(__name__)
@app.get("/a")
def a():
    return "<p>" + request.args["x"], 200, {"Content-Type": "text/html"}
""",
        """
import json
from flask import Flask, request
app = Flask(__name__)
@app.get("/a")
def a():
    return json.dumps({"x": request.args["x"]}), 200, {"Content-Type": "application/json"}
""",
    ),
    "an address fetched by a method below": (
        "ssrf",
        """
import requests
from flask import request
from flask.views import MethodView
class Preview(MethodView):
    def post(self):
        return {"length": len(self.fetch(request.form.get("url")))}
    def fetch(self, url):
        return requests.get(url, timeout=3).text
""",
        """
import requests
from flask import request
from flask.views import MethodView
class Preview(MethodView):
    def post(self):
        return {"length": len(self.fetch("https://api.example.com/pages?q=" + request.form.get("q")))}
    def fetch(self, url):
        return requests.get(url, timeout=3).text
""",
    ),
    "an address fetched by a helper": (
        "ssrf",
        """
import urllib.request
from flask import request
def fetch(url):
    return urllib.request.urlopen(url).read()
@app.get("/p")
def page():
    return {"n": len(fetch(request.args["u"]))}
""",
        """
import urllib.request
from urllib.parse import quote
from flask import request
def fetch(url):
    return urllib.request.urlopen(url).read()
@app.get("/p")
def page():
    return {"n": len(fetch("https://api.example.com/v1/" + quote(request.args["u"], safe="")))}
""",
    ),
    "an address of which only the scheme is checked": (
        "ssrf",
        """
import requests
from flask import request, abort
@app.get("/p")
def page():
    url = request.args["u"]
    if not url.startswith(("http://", "https://")):
        abort(400)
    return {"n": len(requests.get(url).text)}
""",
        """
import requests
from flask import request, abort
@app.get("/p")
def page():
    url = request.args["u"]
    if not url.startswith(("https://a.example.com/", "https://b.example.com/")):
        abort(400)
    return {"n": len(requests.get(url).text)}
""",
    ),
    "a path checked by a helper": (
        "path-traversal",
        """
import os
from flask import request, send_file
def inside(base, name):
    return os.path.realpath(os.path.join(base, name))
@app.get("/f")
def file():
    return send_file(inside("/srv", request.args["n"]))
""",
        """
import os
from flask import request, send_file
def inside(base, name):
    path = os.path.realpath(os.path.join(base, name))
    if not path.startswith(base + os.sep):
        raise ValueError("outside")
    return path
@app.get("/f")
def file():
    return send_file(inside("/srv", request.args["n"]))
""",
    ),
    "a redirect within the site": (
        "open-redirect",
        """
from fastapi.responses import RedirectResponse
@app.get("/go")
def go(target: str):
    if not target.startswith("/"):
        target = "/"
    return RedirectResponse(target)
""",
        """
from fastapi.responses import RedirectResponse
@app.get("/go")
def go(target: str):
    if not target.startswith("/") or target.startswith("//"):
        target = "/"
    return RedirectResponse(target)
""",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_the_weak_one_is_found_and_the_mended_one_is_left_alone(name: str) -> None:
    rule, weak, mended = PAIRS[name]
    assert rule in {finding.rule for finding in check(weak)}
    assert check(mended) == []


def test_an_upload_kept_under_its_senders_name_is_both_a_path_and_an_upload() -> None:
    found = check('f = request.files["f"]\nf.save("uploads/" + f.filename)')
    assert {(finding.rule, finding.cwe) for finding in found} == {("path-traversal", 22), ("unrestricted-upload", 434)}


def test_a_method_that_is_never_given_input_is_not_suspected() -> None:
    source = (
        HANDLER
        + "    def answer(self, page):\n        self.wfile.write(page)\n    def do_GET(self):\n        self.answer(b'ok')\n"
    )
    assert check(source) == []


def test_calls_of_functions_that_never_come_are_not_kept_without_end() -> None:
    from spark_jupyter.guardrail import Scanner
    from spark_jupyter.guardrail.taint_state import AWAITED_NAMES

    scanner = Scanner()
    scanner.feed("x = input()\n" + "".join(f"later_{n}(x)\n" for n in range(3 * AWAITED_NAMES)))
    assert len(scanner._interpreter.state.awaited) == AWAITED_NAMES
