"""Input stays input on its way through objects, helpers and threads, and what it does not touch stays harmless."""

from __future__ import annotations

import textwrap

import pytest

from spark_jupyter.guardrail import check

KEEPS = "class Job:\n    def __init__(self, name):\n        self.name = name\n"
READS = "def read(name):\n    open('data/' + name)\n"
WAYS = {
    "a dataclass": ("@dataclass\nclass Job:\n    name: str\n", "open('data/' + Job(request.args['x']).name)"),
    "a named tuple": ("Job = namedtuple('Job', 'name')\n", "open('data/' + Job(request.args['x']).name)"),
    "a model that is validated": (
        "class Job(BaseModel):\n    name: str\n",
        "open('data/' + Job.model_validate(request.json).name)",
    ),
    "an object": (KEEPS, "open('data/' + Job(request.args['x']).name)"),
    "its method": (KEEPS + "    def read(self):\n        open('data/' + self.name)\n", "Job(request.args['x']).read()"),
    "its property": (
        KEEPS + "    @property\n    def path(self):\n        return 'data/' + self.name\n",
        "open(Job(request.args['x']).path)",
    ),
    "keywords of any name": (
        "def read(**options):\n    open('data/' + options['name'])\n",
        "read(name=request.args['x'])",
    ),
    "any number of arguments": ("def read(*names):\n    open('data/' + names[0])\n", "read(request.args['x'])"),
    "a lambda with a name": ("read = lambda name: open('data/' + name)\n", "read(request.args['x'])"),
    "a generator": (
        "def parts(text):\n    yield text.strip()\n",
        "for part in parts(request.args['x']):\n    open('data/' + part)",
    ),
    "a thread": (READS, "Thread(target=read, args=(request.args['x'],)).start()"),
    "a pool": (READS, "pool.submit(read, request.args['x'])"),
}
IMPORTS = (
    "from collections import namedtuple\nfrom dataclasses import dataclass\nfrom threading import Thread\n"
    "from pydantic import BaseModel\nfrom flask import Flask, request\napp = Flask(__name__)\n"
)


def handler(body: str) -> str:
    return "@app.post('/')\ndef answer():\n" + textwrap.indent(body, "    ") + "\n    return 'done'\n"


@pytest.mark.parametrize(("above", "body"), WAYS.values(), ids=WAYS.keys())
def test_input_is_followed_through(above: str, body: str) -> None:
    assert [finding.cwe for finding in check(IMPORTS + above + handler(body))] == [22]


@pytest.mark.parametrize(("above", "body"), WAYS.values(), ids=WAYS.keys())
def test_what_is_no_input_is_not_blamed_on_the_same_way(above: str, body: str) -> None:
    constant = body.replace("request.args['x']", "'report.txt'").replace("request.json", "{'name': 'report.txt'}")
    assert check(IMPORTS + above + handler(constant)) == []


def test_a_field_that_is_a_number_and_one_that_is_the_programs_own_are_no_input() -> None:
    above = "@dataclass\nclass Job:\n    name: str\n    number: int\n    folder: str\n"
    made = "job = Job(request.args['x'], int(request.args['n']), 'data')\n"
    assert check(IMPORTS + above + handler(made + "open(f'data/{job.number}')\nopen(job.folder + '/a')")) == []


HELPERS = {
    "a template": ("def text(source):\n    return jinja2.Template(source).render()\n", "text(request.json['t'])", 94),
    "a page": ("def page(name):\n    return make_response('<p>' + name)\n", "return page(request.args['n'])", 79),
    "fields": (
        "def change(one, data):\n    for k, v in data.items():\n        setattr(one, k, v)\n",
        "change(user, request.json)",
        915,
    ),
}


@pytest.mark.parametrize(("above", "body", "cwe"), HELPERS.values(), ids=HELPERS.keys())
def test_what_a_helper_does_with_input_is_found_where_it_is_called(above: str, body: str, cwe: int) -> None:
    imports = "import jinja2\nfrom flask import make_response\n"
    assert check(imports + above) == []
    assert cwe in {finding.cwe for finding in check(imports + IMPORTS + above + handler(body))}
