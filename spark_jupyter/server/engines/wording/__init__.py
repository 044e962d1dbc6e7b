"""A prompt as people write it → as the grammars of ``phrases`` read it: without what is only polite, without explanations that change
nothing, and with the columns' own names where it speaks of them loosely ("who earns the most", "the oldest patient").

``frames.py`` needs nothing but the words, ``meaning.py`` looks at the user's tables, ``following.py`` is about follow-ups. What they do
not know stays as it is: whether the whole of it is understood is decided by who reads it then. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import marks
from spark_jupyter.server.engines.query import naming
from spark_jupyter.server.engines.wording import frames, meaning

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Namespace

_LONGEST = 480
"""Letters of a prompt that is looked at: a longer one is no sentence of the grammars."""


def _as_named(prompt: str, namespace: Namespace) -> str:
    """The prompt with the names of lists and dictionaries that it spells out: "each shoe size", of ``shoe_sizes``."""
    for one in namespace.variables:
        if "_" in one.name and naming.kind(one) and one.name.replace("_", "").isalpha():
            spelt = re.escape(one.name.strip("_").removesuffix("s")).replace("_", "[ -]")
            prompt = re.sub(rf"(?<![\w.]){spelt}s?(?!\w)", one.name, prompt, flags=re.IGNORECASE)
    return prompt


def plain(prompt: str, namespace: Namespace) -> str:
    """The prompt in plain words; itself where nothing about it is loose."""
    if len(prompt) > _LONGEST or "\n" in prompt.strip():
        return prompt
    prompt = _as_named(prompt, namespace)
    texts: list[str] = []

    def kept(found: re.Match[str]) -> str:
        texts.append(found[0])
        return f"⟦{len(texts) - 1}⟧"

    text = marks.FILE.sub(kept, marks.QUOTED.sub(kept, prompt.replace("’", "'")))
    own = frozenset(
        word.lower()
        for one in namespace.variables
        for name in (one.name, *(column.name for column in one.columns))
        for word in re.findall(r"[^\W\d_]+", name)
    )
    text = meaning.told(frames.plain(text, own), namespace)
    text = re.sub(r"⟦(\d+)⟧", lambda found: texts[int(found[1])], text)
    return " ".join(text.split()).strip(" ,;") or prompt
