"""Sources of input besides requests: bots, brokers, dashboards, services, models and their tools."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import check

FED = {
    "a field of a side bar": "import streamlit as st\nx = st.sidebar.text_input('name')\n",
    "a column's field": "import streamlit as st\nleft, right = st.columns(2)\nx = left.text_area('name')\n",
    "a widget": "import ipywidgets\nfield = ipywidgets.Text()\nx = field.value\n",
    "an AWS function of any name": "import json\ndef run(event, context):\n    x = json.loads(event['body'])['x']\n",
    "a message to a Telegram bot": "from telegram import Update\nasync def run(update: Update, context):\n    x = update.message.text\n",
    "the words of its command": "from telegram import Update\nasync def run(update: Update, context):\n    x = ' '.join(context.args)\n",
    "a message to a Discord bot": "import discord\n@client.event\nasync def on_message(message):\n    x = message.content\n",
    "its command": "import discord\n@bot.command()\nasync def run(ctx, *, x: str):\n",
    "a command of Slack": "from slack_bolt import App\n@app.command('/run')\ndef run(ack, command):\n    x = command['text']\n",
    "a socket's event": "from flask_socketio import SocketIO\n@socketio.on('run')\ndef run(data):\n    x = data['x']\n",
    "a socket's text": "@app.websocket('/')\nasync def talk(websocket):\n    x = await websocket.receive_text()\n",
    "a topic": "from kafka import KafkaConsumer\nfor message in KafkaConsumer('t'):\n    x = message.value\n",
    "a queue": "import pika\ndef take(ch, method, properties, body):\n    x = body.decode()\n",
    "a page of Dash": "from dash import Dash, callback\n@callback(Output('o', 'children'), Input('i', 'value'))\ndef show(x):\n",
    "a remote procedure call": "class Runner(RunnerServicer):\n    def Run(self, request, context):\n        x = request.command\n",
    "a tool that a model calls": "from mcp.server.fastmcp import FastMCP\n@mcp.tool()\ndef look(x: str) -> str:\n",
    "a model of LangChain": "from langchain_openai import ChatOpenAI\nx = ChatOpenAI().invoke('write').content\n",
    "a chain": "from langchain_core.prompts import PromptTemplate\nchain = prompt | model | parser\nx = chain.invoke({})\n",
    "a model on this machine": "from transformers import pipeline\nwrite = pipeline('text-generation')\nx = write('a')[0]['text']\n",
    "its tokens": (
        "from transformers import AutoModel, AutoTokenizer\nmodel = AutoModel.from_pretrained('m')\n"
        "words = AutoTokenizer.from_pretrained('m')\nx = words.decode(model.generate(a)[0])\n"
    ),
}


@pytest.mark.parametrize("source", FED.values(), ids=FED.keys())
def test_what_others_send_is_input(source: str) -> None:
    last = source.rstrip("\n").rpartition("\n")[2]
    indent = " " * (len(last) - len(last.lstrip()) + 4 * last.endswith(":"))
    assert [
        finding.rule
        for finding in check(f"{source}{indent}import os\n{indent}os.system('convert ' + x)")
        if finding.blocks
    ] == ["command-injection"]


@pytest.mark.parametrize(
    "quiet",
    [
        "def show(update, context):\n    return open('data/' + update)",
        "from transformers import pipeline\nlabel = pipeline('text-classification')('a')[0]['label']\nopen('data/' + label)",
        "from telegram import Update\nasync def run(update: Update, context):\n    await update.message.reply_text(update.message.text)",
    ],
    ids=["no bot's function", "a label", "an answer to a message"],
)
def test_what_only_looks_alike_is_none(quiet: str) -> None:
    assert [finding for finding in check(quiet) if finding.blocks] == []


def test_a_function_given_to_a_page_is_called_with_what_visitors_type() -> None:
    reads = "import gradio as gr\ndef read(name):\n    return open('notes/' + name).read()\n"
    assert check(reads) == []
    assert [
        finding.cwe for finding in check(reads + "gr.Interface(fn=read, inputs='text', outputs='text').launch()")
    ] == [22]
    assert [finding.cwe for finding in check(reads + "button.click(read, field, shown)")] == [22]


def test_what_map_gives_is_what_the_function_gives() -> None:
    rest = "import requests\nfrom IPython.display import HTML\nposts = requests.get(url).json()\nHTML(''.join(map(card, posts)))"
    assert check("import html\ndef card(post):\n    return '<p>' + html.escape(post['a']) + '</p>'\n" + rest) == []
    assert [finding.cwe for finding in check("def card(post):\n    return '<p>{a}</p>'.format(**post)\n" + rest)] == [
        79
    ]


def test_input_or_nothing_is_input() -> None:
    assert [
        finding.cwe
        for finding in check(
            "import sqlite3\nx = input()\ncursor.execute('SELECT a FROM t WHERE n = {}'.format(x or ''))"
        )
    ] == [89]


def test_what_a_class_says_in_its_body_is_known_of_self() -> None:
    vault = (
        "from Crypto.Cipher import AES\nclass Vault:\n    iv = {}\n"
        "    def lock(self, text):\n        return AES.new(self.key, AES.MODE_CBC, self.iv)\n"
    )
    assert [finding.rule for finding in check(vault.format('b"1234567890123456"'))] == ["weak-cipher"]
    assert check("import os\n" + vault.format("os.urandom(16)")) == []


def test_a_helper_that_only_says_yes_or_no_is_a_guard_and_one_that_gives_something_is_none() -> None:
    redirect = "import flask\ntarget = flask.request.args['next']\nflask.redirect(target if near(target) else '/')"
    assert check("def near(target):\n    if target in PAGES:\n        return True\n    return False\n" + redirect) == []
    assert check("def near(target):\n    if target == '':\n        return None\n    return target\n" + redirect) != []
