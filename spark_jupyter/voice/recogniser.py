"""Recogniser of spoken prompts, by pocketsphinx.

A language model of what people ask, with the names of the notebook, is made when it starts. A word that the pronouncing dictionary does not
have is left to its letters: "sku" is heard as "s k u".
"""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.voice.language_model import trigram_model
from spark_jupyter.voice.phrases import phrases
from spark_jupyter.voice.spoken_names import spoken_names, written

if TYPE_CHECKING:
    from pocketsphinx import Decoder, NGramModel

SAMPLE_RATE = 16_000
"""Hz, of 16-bit samples in one channel."""
_COMMON_WORDS = 6_000
"""Words of everyday English that any prompt may hold."""
_LEAD = 0.6
"""Seconds of sound before what is known to be speech, which begins there."""
_PAUSE = 0.9
"""Seconds of silence that end an utterance."""


class Heard(Struct, frozen=True, omit_defaults=True):
    """What was heard: the words so far, or, at the end of an utterance (``final``), the prompt that they make."""

    text: str
    final: bool = False


class Recogniser:
    """Sound in, text out. What it hears is whole after a pause, or when it is told so."""

    def __init__(self, names: Sequence[str], tables: Sequence[str]) -> None:
        from pocketsphinx import Endpointer

        self._names = spoken_names([*tables, *names])
        self._decoder = _decoder(list(self._names), list(spoken_names(tables)))
        self._new_endpointer = Endpointer
        self._endpointer = Endpointer()
        self._waiting = b""
        self._before: deque[bytes] = deque(maxlen=round(_LEAD / self._endpointer.frame_length))
        self._last = ""
        self._is_listening = False
        self._silent = 0

    def hear(self, sound: bytes) -> Iterator[Heard]:
        """Take more sound: 16-bit samples, little end first, of any number of bytes."""
        self._waiting += sound
        size = self._endpointer.frame_bytes
        while len(self._waiting) >= size:
            frame, self._waiting = self._waiting[:size], self._waiting[size:]
            yield from self._hear_frame(frame)

    def end(self) -> Iterator[Heard]:
        """What was said until now is whole: the speaker has let go of the key."""
        self._waiting = b""
        self._endpointer = self._new_endpointer()
        yield from self._whole()

    def _hear_frame(self, frame: bytes) -> Iterator[Heard]:
        self._endpointer.process(frame)
        if not self._is_listening:
            self._before.append(frame)
            if not self._endpointer.in_speech:
                return
            frame = b"".join(self._before)
            self._before.clear()
            self._is_listening = True
            self._decoder.start_utt()
        self._decoder.process_raw(frame)
        self._silent = 0 if self._endpointer.in_speech else self._silent + 1
        if self._silent * self._endpointer.frame_length >= _PAUSE:
            yield from self._whole()
        elif (words := self._words()) != self._last:
            self._last = words
            yield Heard(written(words, self._names))

    def _whole(self) -> Iterator[Heard]:
        if self._is_listening:
            self._decoder.end_utt()
            self._is_listening = False
            self._silent = 0
            self._last = ""
            if words := self._words():
                yield Heard(written(words, self._names), final=True)

    def _words(self) -> str:
        """The most likely words so far."""
        found = self._decoder.hyp()
        return found.hypstr if found is not None else ""


def _decoder(names: Sequence[str], tables: Sequence[str]) -> Decoder:
    """A decoder that expects prompts with these names, as they are spoken."""
    from pocketsphinx import Config, Decoder, NGramModel

    config = Config(samprate=SAMPLE_RATE, loglevel="FATAL")
    everyday = NGramModel.readfile(config["lm"])
    dictionary = _pronounced_words(config["dict"])
    common = _common_words(everyday, dictionary)
    sentences = ([*_pronounceable(words, dictionary)] for words in phrases(names, tables))
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "prompts.lm")
        model.write_text(trigram_model(sentences, common), encoding="utf-8")
        config["lm"] = str(model)
        return Decoder(config)


def _pronounced_words(path: str) -> frozenset[str]:
    with open(path, encoding="utf-8") as file:
        return frozenset(line.split(maxsplit=1)[0] for line in file if "(" not in line)


def _common_words(model: NGramModel, dictionary: Iterable[str]) -> dict[str, float]:
    """The most frequent words, with their probability. The model gives logarithms to the base of 1.0001."""
    known = {word: 1.0001 ** model.prob([word]) for word in dictionary}
    return dict(sorted(known.items(), key=lambda item: -item[1])[:_COMMON_WORDS])


def _pronounceable(words: Iterable[str], dictionary: Collection[str]) -> Iterator[str]:
    for word in words:
        yield from [word] if word in dictionary else (f"{letter}." for letter in word if letter.isalpha())
