"""Sentences for the reasons why a provider cuts an answer short."""

from __future__ import annotations

from spark_jupyter.source.invisible_text import printable

_KEPT = "What arrived is kept"
_SENTENCES = {
    "max_output_tokens": f"The answer is longer than the model may write at once. {_KEPT}: Continue (%spark continue) asks for the rest.",
    "paused": f"The provider paused the answer. {_KEPT}: Continue (%spark continue) asks for the rest.",
    "context_window": f"The conversation is too long for the model. {_KEPT}; begin a new conversation, or use a shorter notebook.",
    "content_filter": f"The provider's content filter stopped the answer. {_KEPT}; ask in other words.",
    "refusal": f"The model refused. {_KEPT}; ask in other words.",
    "tool_call": f"The model asked for a tool, and there is none here. {_KEPT}; ask for code instead.",
}
_MAY_GO_ON = frozenset({"max_output_tokens", "paused"})
_MOST = 80


def may_go_on(reason: str) -> bool:
    """True if the model would write more if it were asked to."""
    return reason in _MAY_GO_ON


def sentence(reason: str) -> str:
    """The sentence for a stop reason. A reason that is not known here is quoted."""
    known = _SENTENCES.get(reason)
    return known or f"The provider cut the answer short ({printable(reason[:_MOST])}). {_KEPT}."
