"""Speaking to the prompt box: words appear, act, and steer."""

from __future__ import annotations

import base64

import pytest

pytest.importorskip("pocketsphinx")

from tests.browser.lab import Notebook, code
from tests.voice.speech import needs_flite, speak, wav

pytestmark = [pytest.mark.own_page, needs_flite]

MICROPHONE = """() => {
  // A microphone that hears a sound when it is told to.
  navigator.mediaDevices.getUserMedia = async () => {
    const context = new AudioContext();
    const target = context.createMediaStreamDestination();
    window.hear = async text => {
      const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
      const source = context.createBufferSource();
      source.buffer = await context.decodeAudioData(bytes.buffer);
      source.connect(target);
      const over = new Promise(resolve => { source.onended = resolve; });
      source.start();
      await over;
    };
    return target.stream;
  };
}"""
RECOGNISER = """() => {
  // A recogniser that hears what the test says it does: window.heard(text) while somebody speaks, window.whole at the end.
  class Recogniser {
    constructor() {
      window.heard = (text, final = false) => this.onmessage({ data: JSON.stringify({ text, final }) });
      window.setTimeout(() => this.onopen());
    }
    send(data) {
      if (data.byteLength === 0) {
        window.whole && window.heard(window.whole, true);
        this.close();
      }
    }
    close() {
      delete window.heard;
      window.setTimeout(() => this.onclose?.());
    }
  }
  window.WebSocket = new Proxy(window.WebSocket, {
    construct: (target, [url, ...rest]) => (String(url).includes('spark/voice') ? new Recogniser() : new target(url, ...rest))
  });
}"""
BROWSERS_OWN = """() => {
  // The browser's own recognition, which hears "show orders".
  window.SpeechRecognition = class {
    start() {
      window.setTimeout(() => this.hear('show', false));
    }
    stop() {
      this.hear('show orders', true);
      this.onend();
    }
    hear(transcript, isFinal) {
      this.onresult({ resultIndex: 0, results: [Object.assign([{ transcript }], { isFinal })] });
    }
  };
}"""
HELD = 600
"""Milliseconds for which a key is held that says something."""
TABLE = 'import pandas as pd\norders = pd.DataFrame({"region": ["N", "S"], "Unit Price": [1.0, 2.0]})'


class Speaker:
    """A person who holds the microphone's button while they speak."""

    def __init__(self, book: Notebook) -> None:
        self._book = book
        self.button = book.panel.locator(".spark-Microphone button")
        book.page.evaluate(MICROPHONE)

    def say(self, text: str, *, shown: bool = False) -> None:
        self.button.dispatch_event("pointerdown")
        self.speak(text, shown=shown)
        self.button.dispatch_event("pointerup")
        self.ends()

    def is_heard_as(self, text: str) -> None:
        """From now on, whatever the sound."""
        self._book.page.evaluate(RECOGNISER)
        self._book.page.evaluate("text => { window.whole = text; }", text)

    def speak(self, text: str, *, shown: bool = False) -> None:
        self._book.page.wait_for_function("() => window.hear")
        self._book.page.evaluate("sound => window.hear(sound)", base64.b64encode(wav(speak(text))).decode())
        if shown:
            self._book.page.wait_for_function("() => document.querySelector('.spark-Panel .spark-Prompt-box').value")

    def ends(self) -> None:
        self._book.page.wait_for_function(
            "() => document.querySelector('.spark-Microphone button').getAttribute('aria-pressed') === 'false'"
        )
        self._book.page.evaluate("() => { delete window.hear; }")


@pytest.fixture
def speaker(notebook, model):
    def begin(*answers: dict[str, object], rate: int = 1000) -> tuple[Notebook, Speaker]:
        book: Notebook = notebook([code(TABLE)], model(list(answers) or [{"answer": "Nothing."}], rate=rate))
        book.execute(TABLE)
        book.open_panel()
        book.box.focus()
        book.panel.locator(".spark-Status-provider").wait_for()
        return book, Speaker(book)

    return begin


def test_what_is_said_stands_in_the_box_with_the_names_of_the_table(speaker):
    book, person = speaker()
    person.say("average unit price by region", shown=True)
    assert book.box.input_value() == "average Unit Price by region"
    person.say("plot the total revenue per month as a line")
    assert book.box.input_value().startswith("average Unit Price by region plot the total")
    book.screenshot("voice")


def test_a_draft_is_written_while_somebody_speaks(speaker):
    said = {"match": "total revenue per month", "answer": "```python\nmonths = 12\nmonths\n```", "repeat": True}
    book, person = speaker(said, {"answer": "Nothing.", "repeat": True})
    book.command("spark:drafts")
    book.page.locator(".spark-StatusItem", has_text="Drafts").wait_for()
    person.is_heard_as("plot the total revenue per month as a line")
    person.button.focus()
    book.page.keyboard.down(" ")
    book.page.wait_for_function("() => window.heard")
    book.page.evaluate("text => window.heard(text)", "plot the total revenue per month")
    draft = book.page.locator(".spark-Draft[data-state=done] .spark-Draft-line", has_text="months = 12")
    draft.wait_for()
    assert person.button.get_attribute("aria-pressed") == "true"  # somebody listens still
    book.screenshot("draft-spoken")
    book.page.wait_for_timeout(HELD)  # the draft may stand there sooner
    book.page.keyboard.up(" ")
    person.ends()
    draft.wait_for()


def test_commands_act_and_leave_the_box_alone(speaker):
    book, person = speaker({"answer": "```python\nprint(orders)\n```"})
    person.say("average unit price by region")
    person.say("send it")
    book.wait_state("ready")
    assert book.box.input_value() == ""
    person.say("run it")
    book.wait_until("cells => cells.at(-1).execution_count !== null")


def test_words_steer_an_answer_that_is_written(speaker):
    long = "```python\n" + "\n".join(f"value_{number} = {number}" for number in range(2000)) + "\n```"
    book, person = speaker({"answer": long}, {"match": "horizontal", "answer": "```python\nturned = 1\n```"}, rate=100)
    book.prompt("many values")
    book.wait_state("streaming")
    person.say("no horizontal")
    book.wait_state("ready")
    assert any("turned = 1" in source for source in book.sources())


def test_stop_cancels_what_is_written_and_the_space_bar_is_held(speaker):
    long = "```python\n" + "\n".join(f"value_{number} = {number}" for number in range(9000)) + "\n```"
    book, person = speaker({"answer": long}, rate=100)
    book.prompt("many values")
    book.wait_state("streaming")
    person.is_heard_as("stop")
    person.button.press(" ", delay=HELD)
    book.panel.locator('.spark-Turn[data-outcome="cancelled"]').wait_for()
    assert book.box.input_value() == ""


def test_undo_that_takes_the_last_run_back_and_two_presses_do_as_well(speaker):
    book, person = speaker()
    book.execute("orders = 0")
    book.activate(0)
    book.command("notebook:run-cell")
    book.wait_until("cells => cells[0].execution_count !== null")
    person.is_heard_as("undo that")
    person.button.press("Enter")
    book.page.wait_for_function("() => window.heard")
    person.button.press("Enter")
    book.page.locator(".Toastify__toast", has_text="orders restored").wait_for()


def test_who_gets_no_microphone_is_told_why(speaker):
    book, person = speaker()
    book.page.evaluate(
        "() => { navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError')); }"
    )
    person.button.dispatch_event("pointerdown")
    book.panel.get_by_text("The browser does not allow the microphone").wait_for()
    assert person.button.get_attribute("aria-pressed") == "false"


def test_the_browsers_own_recognition_is_chosen_in_the_settings_and_says_where_the_sound_goes(speaker):
    book, person = speaker()
    assert "stays with your Jupyter server" in person.button.get_attribute("title")
    book.page.evaluate(BROWSERS_OWN)
    book.set("spark-jupyter:trust", "voice", "browser")
    book.page.wait_for_function(
        "() => document.querySelector('.spark-Microphone button')?.title.includes('may send the sound to its maker')"
    )
    person.button.dispatch_event("pointerdown")
    book.page.wait_for_function("() => document.querySelector('.spark-Panel .spark-Prompt-box').value === 'show'")
    book.page.wait_for_timeout(HELD)
    person.button.dispatch_event("pointerup")
    book.page.wait_for_function(
        "() => document.querySelector('.spark-Panel .spark-Prompt-box').value === 'show orders'"
    )
