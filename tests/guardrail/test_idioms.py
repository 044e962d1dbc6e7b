"""Idioms of web handlers and tools, with a weakness and mended: the first of each pair is found, and the second is left alone."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import check

PAIRS = {
    "a field of a request's model": (
        "ssrf",
        """
import requests
from pydantic import BaseModel
class Req(BaseModel):
    image_url: str
@app.post("/thumb")
def thumb(req: Req):
    return {"size": len(requests.get(req.image_url, timeout=5).content)}
""",
        """
import requests
from pydantic import BaseModel
class Req(BaseModel):
    image_id: int
@app.post("/thumb")
def thumb(req: Req):
    return {"size": len(requests.get(f"https://img.example.org/{req.image_id}", timeout=5).content)}
""",
    ),
    "the host that a client's own URL type tells": (
        "ssrf",
        """
import httpx
@app.post("/hook")
async def hook(payload: dict):
    async with httpx.AsyncClient() as client:
        r = await client.post(payload["url"], json={"ping": 1})
    return {"status": r.status_code}
""",
        """
import httpx
@app.post("/hook")
async def hook(payload: dict):
    host = httpx.URL(payload["url"]).host
    if host not in ALLOWED:
        raise HTTPException(400)
    async with httpx.AsyncClient() as client:
        r = await client.post(payload["url"], json={"ping": 1})
    return {"status": r.status_code}
""",
    ),
    "an argument of a command line that is one of few": (
        "path-traversal",
        """
import click, shutil
@click.command()
@click.argument("name")
def cli(name):
    shutil.rmtree(f"/data/{name}")
""",
        """
import click, shutil
@click.command()
@click.argument("name", type=click.Choice(["a", "b"]))
def cli(name):
    shutil.rmtree(f"/data/{name}")
""",
    ),
    "a query that a class hands to its own method": (
        "sql-injection",
        """
class Dao:
    def _q(self, sql):
        cur = self.conn.cursor()
        cur.execute(sql)
        return cur.fetchall()
    def by_name(self, name):
        return self._q("SELECT * FROM t WHERE name='" + name + "'")
""",
        """
class Dao:
    def _q(self, sql, params=()):
        cur = self.conn.cursor()
        cur.execute(sql, params)
        return cur.fetchall()
    def by_name(self, name):
        return self._q("SELECT * FROM t WHERE name=?", (name,))
""",
    ),
    "a table's name that was matched": (
        "sql-injection",
        """
def get(cur, table):
    cur.execute(f"SELECT * FROM {table} WHERE active = 1")
""",
        """
import re
def get(cur, table):
    if not re.match(r"^[a-z_]+$", table):
        raise ValueError(table)
    cur.execute(f"SELECT * FROM {table} WHERE active = 1")
""",
    ),
    "a command mended as its remedy says": (
        "command-injection",
        """
import subprocess
@app.post("/thumb")
def thumb():
    subprocess.call("convert %s -resize 100 out.png" % request.form["name"], shell=True)
    return "", 204
""",
        """
import subprocess
@app.post("/thumb")
def thumb():
    subprocess.call(["convert", request.form["name"], "-resize", "100", "out.png"])
    return "", 204
""",
    ),
    "a file below the server's folder": (
        "path-traversal",
        """
from http.server import BaseHTTPRequestHandler
class H(BaseHTTPRequestHandler):
    def do_GET(self):
        with open("." + self.path, "rb") as f:
            self.wfile.write(f.read())
""",
        """
from http.server import BaseHTTPRequestHandler
class H(BaseHTTPRequestHandler):
    def do_GET(self):
        full = os.path.realpath("." + self.path)
        if os.path.commonpath([full, ROOT]) != ROOT:
            self.send_error(404)
            return
        with open(full, "rb") as f:
            self.wfile.write(f.read())
""",
    ),
}


@pytest.mark.parametrize(("rule", "bad"), [(rule, bad) for rule, bad, _ in PAIRS.values()], ids=list(PAIRS))
def test_the_weakness_is_found(rule: str, bad: str) -> None:
    assert rule in {finding.rule for finding in check(bad)}


@pytest.mark.parametrize("mended", [mended for _, _, mended in PAIRS.values()], ids=list(PAIRS))
def test_the_mended_code_is_left_alone(mended: str) -> None:
    assert check(mended) == []
