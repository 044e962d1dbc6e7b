"""Images and the model, set by a magic in a real kernel."""

from __future__ import annotations

PICTURE = """
import base64
from IPython.display import Image, display
display(Image(data=base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")))
"""


def said(kernel, code):
    message_id = kernel.start(code)
    kernel.until(lambda: kernel.idle(message_id))
    errors = kernel.of(message_id, "error")
    return (errors[0]["evalue"] if errors else "") + kernel.text(message_id)


def test_a_model_without_eyes_says_why_it_can_not_look_and_what_to_do(start_kernel):
    kernel = start_kernel([{"answer": "I read that you have a figure.", "repeat": True}], alone=True)
    kernel.run("%load_ext spark_jupyter")
    assert "There is no figure to look at. Draw one first, or name a file: @plot.png." in said(kernel, "%spark look")
    assert "There is no figure to point at." in said(kernel, "%spark --wait what is wrong in @figure?")
    kernel.run(PICTURE)
    assert "script reads no images, so none was sent. Choose one that does" in said(kernel, "%spark look")
    shown = said(kernel, "%spark --wait why is this plot empty?")
    assert "I read that you have a figure." in shown
    assert "Images were not sent" in shown or "script reads no images, so none was sent." in shown
    assert "script reads none." in said(kernel, "%spark images")


def test_a_figure_is_seen_where_the_session_was_made_between_cells_on_another_thread(start_kernel):
    kernel = start_kernel([{"answer": "I read that you have a figure.", "repeat": True}])
    pair = "get_ipython().magics_manager.magics['line']['spark'].pair"
    idle = f"import threading\nidle = threading.Thread(target=lambda: {pair})\nidle.start()\nidle.join()"
    kernel.run(f"%load_ext spark_jupyter\n{idle}")
    kernel.run(PICTURE)
    assert "script reads no images, so none was sent." in said(kernel, "%spark look")
