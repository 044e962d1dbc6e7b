"""Templates that hold input.

The template engine runs what is written in it.
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Trust


def _check(call: Call, state: State) -> Hit | None:
    template = call.argument(0, "source", "template_string", "text")
    flows = state.dangerous(template, Danger.TEMPLATE, Trust.LOCAL)
    return Hit(call.node, flows=flows) if flows else None


def _method(call: Call, state: State) -> Hit | None:
    if call.receiver.is_constant or "Sandbox" in call.receiver.name:
        return None
    flows = state.dangerous(call.argument(0, "source"), Danger.TEMPLATE, Trust.LOCAL)
    return Hit(call.node, flows=flows) if flows else None


def _format(call: Call, state: State) -> Hit | None:
    if call.receiver.text is not None and call.receiver.text != "\0":
        return None
    flows = state.certain(call.receiver, Danger.TEMPLATE, Trust.REMOTE)
    if flows:
        return Hit(
            call.node,
            flows=flows,
            severity="warn",
            cwe=134,
            message="Input is used as a format: {x.__class__} in it reads what it should not.",
            remedy="Keep the format fixed; input goes in as a value.",
        )
    return None


RULE: Final = Rule(
    id="template-injection",
    cwe=94,
    severity="block",
    message="Input becomes part of a template: with {{ … }} in it, it runs on the server.",
    remedy="Keep the template fixed and pass input as a variable: render_template_string('Hi {{ n }}', n=name).",
    bad=(
        'from flask import render_template_string, request\nrender_template_string("Hi " + request.args["n"])',
        'from jinja2 import Template\nTemplate(request.form["t"]).render()',
        'env.from_string(request.args["t"])',
    ),
    good=(
        'from flask import render_template_string, request\nrender_template_string("Hi {{ n }}", n=request.args["n"])',
        'from jinja2 import Template\nTemplate("Hi {{ n }}").render(n=input())',
        'from jinja2.sandbox import SandboxedEnvironment\nSandboxedEnvironment().from_string(request.form["t"])',
    ),
    calls=on(
        (
            "flask.render_template_string render_template_string jinja2.Template jinja2.environment.Template "
            "mako.template.Template django.template.Template Template tornado.template.Template bottle.template "
            "bottle.SimpleTemplate quart.render_template_string Cheetah.Template.Template chevron.render"
        ),
        _check,
    ),
    methods={**on("from_string", _method), **on("format", _format)},
)
