"""Code of programs that are not web pages: their own command line, files in memory, wrappers that leave the choice to a caller.

Each was blocked once in the source of a package that people use.
"""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import check

NOT_BLOCKED = {
    "a program started again with its own arguments": """
import subprocess, sys
argv = sys.argv[1:]
subprocess.Popen([sys.executable] + argv)
""",
    "a fixed program with the rest of the command line": """
import subprocess, sys
subprocess.check_output(["bandit"] + sys.argv[1:] + ["-f", "json"])
""",
    "a compressed answer that is opened in memory": """
import gzip
from io import BytesIO
from urllib.request import urlopen
data = urlopen("https://example.org/a.gz").read()
with gzip.open(BytesIO(data), "rt") as lines:
    text = lines.read()
""",
    "a requirement that is called req": """
import os
def build(req: InstallRequirement, folder: str) -> None:
    os.replace(req.path, os.path.join(folder, os.path.basename(req.path)))
""",
    "a cache below a path of the user's choice": """
import os, shutil
def home(path):
    return os.path.expanduser(path)
def clear(path="~/cache"):
    path = home(path)
    shutil.rmtree(path)
""",
    "a name quoted by SQL's own rule": """
def quoted(name):
    return '"' + name.replace('"', '""') + '"'
def drop(cursor, name):
    cursor.execute(f"DROP TABLE {quoted(name)}")
""",
    "a caller may choose not to verify": """
import ssl
def context(verify=True):
    made = ssl.create_default_context()
    if not verify:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    return made
""",
    "a wrapper's own attribute": """
class Context:
    def __init__(self):
        self.check_hostname = False
""",
    "an address that was looked up and is not of the own network": """
import ipaddress, socket, requests
from urllib.parse import urlparse
from flask import abort, request
url = request.args["url"]
ip = ipaddress.ip_address(socket.gethostbyname(urlparse(url).hostname))
if ip.is_private or ip.is_loopback:
    abort(400)
requests.get(url, timeout=5, allow_redirects=False)
""",
    "the last part of a path": """
from pathlib import Path
from flask import request, send_file
send_file(Path("data") / Path(request.args["name"]).name)
""",
}

BLOCKED = {
    "an address may be of the own network": """
import ipaddress, requests
from flask import request
ip = ipaddress.ip_address(request.args["ip"])
requests.get(f"http://{ip}/", timeout=5)
""",
    "the program is named by a request": """
import subprocess
from flask import request
subprocess.Popen([request.args["program"]] + ["-v"])
""",
    "a request's text in a shell, behind a list": """
import subprocess
from flask import request
subprocess.run(["sh", "-c"] + ["ls " + request.args["d"]])
""",
    "a name that a request sends to a quote of one's own": """
from flask import request
name = request.args["name"].replace("'", "")
cursor.execute(f"SELECT * FROM t WHERE name = '{name}'")
""",
    "the home itself": 'import os, shutil\nshutil.rmtree(os.path.expanduser("~"))\n',
    "a handler with a request that is annotated": """
from django.http import HttpRequest
def view(request: HttpRequest):
    return open("data/" + request.GET["name"]).read()
""",
    "nobody may choose": "import ssl\nmade = ssl.create_default_context()\nmade.check_hostname = False\n",
}


@pytest.mark.parametrize("name", NOT_BLOCKED)
def test_what_a_program_does_for_its_own_user_is_not_blocked(name: str) -> None:
    assert [finding for finding in check(NOT_BLOCKED[name]) if finding.blocks] == []


@pytest.mark.parametrize("name", BLOCKED)
def test_what_somebody_else_decides_is_blocked(name: str) -> None:
    assert any(finding.blocks for finding in check(BLOCKED[name]))
