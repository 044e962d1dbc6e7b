"""Earlier mistakes of the rules, by cause: false alarms, exaggerations and misses."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import check

HARMLESS = {
    "method is safe": (
        "import os\n"
        "class Files:\n"
        "    def safe_path(self, p):\n"
        "        return os.path.join('/srv', os.path.basename(p))\n"
        "files = Files()\n"
        "def f(request):\n"
        '    return {"t": open(files.safe_path(request.args["p"])).read()}\n'
    ),
    "helper checks": (
        "import re\n"
        "def is_safe(name):\n"
        '    return re.fullmatch("[a-z]+", name) is not None\n'
        "def f(request):\n"
        '    name = request.args["n"]\n'
        "    if not is_safe(name):\n"
        "        abort(400)\n"
        '    return {"t": open("/srv/" + name).read()}\n'
    ),
    "xss setHeader": (
        "class R(resource.Resource):\n"
        "    def render_GET(self, request):\n"
        '        request.setHeader("content-type","application/json")\n'
        '        return json.dumps({"q": request.args["q"]})\n'
    ),
    ".+ in class": (
        "import re\n"
        "def f(request):\n"
        '    name = request.args["n"]\n'
        '    if not re.fullmatch(r"[A-Za-z.+-]+", name):\n'
        "        abort(400)\n"
        '    return open("/srv/" + name).read()\n'
    ),
    "Env(**o)": ('from jinja2 import Environment\no = {"autoescape": True}\no.update(extra)\nenv = Environment(**o)\n'),
    "key object": (
        "from cryptography.hazmat.primitives.asymmetric import rsa\n"
        "private_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)\n"
        "print(private_key)\n"
    ),
    "SimpleCookie": (
        "from http.cookies import SimpleCookie\n"
        "def f(request):\n"
        "    c = SimpleCookie()\n"
        '    c["lang"] = request.args["lang"]\n'
        "    return c.output()\n"
    ),
    "server TLS": (
        'import ssl\nctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)\nctx.load_cert_chain("c.pem", "k.pem")\n'
    ),
    "redirect tag": (
        "from flask import Flask, request, redirect\n"
        "app=Flask(__name__)\n"
        '@app.route("/")\n'
        "def f():\n"
        '    tag = request.args["t"]\n'
        '    return redirect("/tags/%s" % tag)\n'
    ),
    "redirect /%s": (
        "from flask import Flask, request, redirect\n"
        "app=Flask(__name__)\n"
        '@app.route("/t/<tag>")\n'
        "def f(tag):\n"
        '    return redirect("/%s" % tag)\n'
    ),
    "int reraise": (
        "def f(request, cur):\n"
        '    a = request.args["a"]\n'
        "    try:\n"
        "        int(a)\n"
        "    except ValueError:\n"
        "        raise\n"
        '    cur.execute("SELECT * FROM t WHERE n = " + a)\n'
    ),
    "fn says password": (
        "import hashlib\ndef password_file_checksum(data):\n    return hashlib.sha256(data).hexdigest()\n"
    ),
    "blanks": ('password = " "\nPASSWORD = "        "\n'),
    "own ints": (
        "def f(cur):\n"
        "    n = len(rows)\n"
        "    limit = 10\n"
        "    for i in range(3):\n"
        '        cur.execute(f"SELECT * FROM t LIMIT {limit} OFFSET {i * limit + n}")\n'
    ),
    "own ints2": (
        "def f(cur, rows):\n"
        "    total = 0\n"
        "    for row in rows:\n"
        "        total += 1\n"
        '    cur.execute("UPDATE s SET n = %d" % total)\n'
        '    cur.execute(f"UPDATE s SET n = {total}")\n'
        '    cur.execute("UPDATE s SET n = " + str(total))\n'
    ),
    "enum": (
        "from enum import Enum\n"
        "class S(Enum):\n"
        '    A = "a"\n'
        '    B = "b"\n'
        "def f(cur):\n"
        "    for s in S:\n"
        "        cur.execute(f\"SELECT * FROM t WHERE s = '{s.value}'\")\n"
        '    cur.execute(f"SELECT * FROM {S.A.value}")\n'
    ),
    "path in KEY": (
        'KEY = "/etc/ssl/private/server.key"\n'
        'CREDENTIALS = "C:\\\\keys\\\\service.json"\n'
        'API_KEY = "config/api_key.txt"\n'
        'SECRET_KEY = "secrets/key.pem"\n'
    ),
    "test pw": ('def test_login(client):\n    r = client.post("/login", data={"user": "a", "password": "test"})\n'),
}
PEDANTIC = {
    "xml by param name": (
        "import xml.etree.ElementTree as ET\ndef count(xml_file):\n    return len(ET.parse(xml_file).getroot())\n"
    ),
    "werkzeug header": (
        "from flask import Flask, request, make_response\n"
        "app=Flask(__name__)\n"
        '@app.route("/")\n'
        "def f():\n"
        '    r = make_response("ok")\n'
        '    r.headers["X-Name"] = request.args["n"]\n'
        "    return r\n"
    ),
    "digits ops eval": (
        "def f(request):\n"
        '    e = request.args["e"]\n'
        '    if not set(e) <= set("0123456789+-*/(). "):\n'
        "        raise ValueError\n"
        "    return str(eval(e))\n"
    ),
    "digits ops eval2": (
        'ALLOWED = "0123456789+-*/(). "\n'
        "def f(request):\n"
        '    e = request.args["e"]\n'
        "    if any(c not in ALLOWED for c in e):\n"
        "        raise ValueError\n"
        '    return {"v": eval(e)}\n'
    ),
    "error caller's text": (
        "from flask import Flask, request\n"
        "app=Flask(__name__)\n"
        '@app.route("/")\n'
        "def f():\n"
        "    try:\n"
        '        n = int(request.args["n"])\n'
        "    except ValueError as e:\n"
        '        return "bad number: " + str(e), 400\n'
        '    return "ok"\n'
    ),
    "shell constants": (
        "import subprocess\n"
        'subprocess.run("git status | head -3", shell=True)\n'
        'CMD = "ls -l"\n'
        "subprocess.run(CMD, shell=True)\n"
    ),
    "weak-hash file": (
        "import hashlib\n"
        "def md5_of_file(path):\n"
        "    h = hashlib.md5()\n"
        '    with open(path, "rb") as f:\n'
        '        for chunk in iter(lambda: f.read(4096), b""):\n'
        "            h.update(chunk)\n"
        "    return h.hexdigest()\n"
    ),
    "weak-hash etag": (
        'import hashlib\ndef cache_name(url):\n    return hashlib.md5(url.encode()).hexdigest() + ".html"\n'
    ),
}
WEAK = {
    "placeholder sign": ('app.config["SECRET_KEY"] = "dev"\n'),
    "yaml page": (
        "import yaml\n"
        "from flask import Flask, request\n"
        "app=Flask(__name__)\n"
        '@app.route("/", methods=["POST"])\n'
        "def f():\n"
        "    d = yaml.safe_load(request.get_data())\n"
        '    return d["title"]\n'
    ),
    "helper says safe": (
        "import os\n"
        "def validate_path(p):\n"
        "    return p\n"
        "def f(request):\n"
        '    p = validate_path(request.args["p"])\n'
        '    return {"t": open(p).read()}\n'
    ),
    "method says safe": (
        "class Files:\n"
        "    def safe_path(self, p):\n"
        "        return '/srv/' + p\n"
        "files = Files()\n"
        "def f(request):\n"
        '    return {"t": open(files.safe_path(request.args["p"])).read()}\n'
    ),
    "helper check says safe": (
        "import os\n"
        "def is_safe(p):\n"
        "    return True\n"
        "def f(request):\n"
        '    p = request.args["p"]\n'
        "    if not is_safe(p):\n"
        "        abort(400)\n"
        '    return {"t": open(p).read()}\n'
    ),
    "secret_key.hex": ("import os\nsecret_key = os.urandom(32)\nprint(secret_key.hex())\n"),
    "exists": ('import os\ndef f(request):\n    return {"e": os.path.exists(request.GET["p"])}\n'),
    "mine in netloc": (
        "from urllib.parse import urlparse\n"
        "import requests\n"
        "def f(request, mine):\n"
        '    u = request.GET["u"]\n'
        "    if mine in urlparse(u).netloc:\n"
        '        return {"x": requests.get(u).status_code}\n'
    ),
    "json in tag": (
        "import json\n"
        "from flask import Flask, request, render_template_string\n"
        "app=Flask(__name__)\n"
        '@app.route("/")\n'
        "def f():\n"
        '    return render_template_string("<script>var x = {{ d|safe }}</script>", d=json.dumps(request.args))\n'
    ),
    "0644 os.open": ('import os\nsecret_path="app.key"\nfd = os.open("api_token", os.O_CREAT|os.O_WRONLY, 0o644)\n'),
    "unparsed": (
        'def f(request):\n    q = "SELECT\n * FROM t WHERE n = \' + request.args["n"]\n    eval(request.args["x"])\n'
    ),
    "sslctx": (
        "import ssl, smtplib\n"
        "c = ssl.SSLContext(ssl.PROTOCOL_TLSv1_2)\n"
        's = smtplib.SMTP("a.org", 587)\n'
        "s.starttls(context=c)\n"
    ),
    "next": (
        "from django.shortcuts import redirect\n"
        "def login(request):\n"
        '    return redirect(request.GET.get("next", "/"))\n'
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_harmless_is_left_alone(name: str) -> None:
    assert check(HARMLESS[name]) == []


@pytest.mark.parametrize("name", PEDANTIC)
def test_what_seldom_matters_is_a_hint(name: str) -> None:
    assert {finding.severity for finding in check(PEDANTIC[name])} == {"hint"}


@pytest.mark.parametrize("name", WEAK)
def test_a_weakness_is_seen(name: str) -> None:
    assert any(finding.severity != "hint" for finding in check(WEAK[name]))
