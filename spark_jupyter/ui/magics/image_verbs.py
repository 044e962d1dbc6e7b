"""Verbs for what the model may see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.constants import LOOK
from spark_jupyter.protocol.provider_messages import AllowImages
from spark_jupyter.routing.image_gate import not_allowed, reads_none
from spark_jupyter.ui.magics.turn_runner import place_of, prompt_with
from spark_jupyter.ui.magics.verb_table import verb

if TYPE_CHECKING:
    from spark_jupyter.ui.pair import Pair
    from spark_jupyter.ui.text.magic_line import MagicLine


@verb("have a vision model compare the last figure with the prompt, or with the words that follow")
def look(pair: Pair, line: MagicLine) -> None:
    """Look at the last figure; say why not where the model can't see it."""
    pair.engine.policy.refuse("images")
    if not pair.last_figure.png():
        raise pair.last_figure.missing("look at")
    support = pair.engine.image_support()
    if support.reads == "no":
        message, remedy = reads_none(support.model)
        raise SessionError(message, remedy=remedy)
    if not support.agreed:
        message, remedy = not_allowed(support.provider)
        raise SessionError(message, remedy=remedy)
    prompt_with(pair, line, f"{LOOK} {line.text}".strip(), place_of(pair, line), intent="explain")


@verb("on: images may be sent to this provider, also next time; off: not any more; alone: show the setting", "switch")
def images(pair: Pair, line: MagicLine) -> None:
    """Allow images to go to the provider in use, or no longer."""
    support = pair.engine.image_support(AllowImages(allowed=line.text == "on") if line.text else None)
    allowed = "may get images" if support.agreed else "gets no images"
    reads = {"yes": "reads them", "no": "reads none", "untested": "is tested with the first one"}[support.reads]
    print(
        f"{support.provider or 'The provider'} {allowed}; {support.model or 'the model'} {reads}. {support.refused}".strip()
    )
