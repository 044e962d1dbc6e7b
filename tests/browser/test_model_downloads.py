"""Models for this machine: offered, downloaded, stopped and chosen in the dialog that connects a model."""

from __future__ import annotations

import pytest

from tests.browser.lab import code
from tests.model_hub import DATA, FILE, NAME

pytest.importorskip("huggingface_hub")


def test_a_model_is_downloaded_in_the_dialog_and_chosen(notebook, model, model_hub, tmp_path) -> None:
    place = f"http://127.0.0.1:{model_hub.server_address[1]}"
    names = {"HF_ENDPOINT": place, "HF_HOME": str(tmp_path / "hf"), "SPARK_MODELS": str(tmp_path / "models")}
    book = notebook([code(f"import os\nos.environ.update({names!r})\nprint('done')")], model([]))
    book.activate(0)
    book.command("notebook:run-cell")
    book.page.locator(".jp-OutputArea-output", has_text="done").wait_for()
    book.open_panel()
    book.panel.get_by_role("button", name="Connect a model…").first.click()
    form = book.page.get_by_role("form", name="Connect a model")
    form.get_by_text("Models for this machine").click()
    offer = form.locator(f"[data-model='{NAME}']")
    book.screenshot("models-for-this-machine")
    model_hub.slow.set()
    offer.get_by_role("button", name="Download").click()
    offer.get_by_role("progressbar").wait_for()
    book.screenshot("model-download")
    offer.get_by_role("button", name="Stop").click()
    offer.get_by_role("button", name="Go on").wait_for()
    assert offer.get_by_role("progressbar").count() == 0
    model_hub.slow.clear()
    offer.get_by_role("button", name="Go on").click()
    offer.get_by_role("button", name="Choose").click()
    path = tmp_path / "models" / FILE
    assert form.get_by_label("Model", exact=True).input_value() == str(path)
    assert path.read_bytes() == DATA
