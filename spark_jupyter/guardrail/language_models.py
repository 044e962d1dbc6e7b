"""Calls to language models.

An answer is somebody else's text, and may be anything.
"""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Value, words

_TAILS: Final = words("create invoke ainvoke run predict apredict complete chat generate completion")
_CHAINS: Final = ("langchain", "langchain_core", "langchain_openai", "langchain_community", "langchain_anthropic")
_CALLS: Final = re.compile(
    r"(?:completions?|responses|messages|Completion|ChatCompletion)\.create$|^(?:ollama|litellm)"
    r"\.\w+$|(?:llm|chain|agent|chat_model)\.(?:invoke|run|predict|complete)$|"
    r"(?:Chat\w*|LLM\w*|AI|Ollama|Pipeline|Chain|Agent|Anthropic)\(\)\.(?:a?invoke|a?predict|run|complete)$|from_pretrained\(\)\.generate$"
)


def asks(name: str, tail: str, state: State) -> bool:
    """True if a call asks a model: of a service, of LangChain or on this machine."""
    if tail not in _TAILS:
        return False
    chain = not name and tail in ("invoke", "ainvoke") and state.uses(*_CHAINS)  # prompt | model | parser
    return chain or _CALLS.search(name) is not None


def pipeline(event: Call) -> Value | None:
    """``pipeline("text-generation")`` of transformers writes, where others measure or choose."""
    task = event.argument(0, "task").known_text or ""
    writes = "text" in task.split("2")[-1] and "classification" not in task
    return Value("transformers.pipeline(text)") if event.name == "transformers.pipeline" and writes else None
