"""Images that a prompt points at, as they go to a model."""

from __future__ import annotations

import base64
import io
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import PIL.Image
import pytest

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.constants import IMAGE_EDGE, IMAGE_PIXELS, LONGEST_IMAGE
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Image, Output
from spark_jupyter.ui.image_lookup import LastFigure, images, read
from spark_jupyter.ui.mention_lookup import completions, describe


def picture(kind: str, width: int, height: int, *, noise: bool = False) -> bytes:
    written = io.BytesIO()
    made = PIL.Image.frombytes("RGB", (width, height), os.urandom(width * height * 3)) if noise else None
    (made or PIL.Image.new("RGB", (width, height), "teal")).save(written, kind)
    return written.getvalue()


FIGURE = base64.b64encode(picture("PNG", 40, 30)).decode()


def last(figure: str = "") -> LastFigure:
    publisher = Publisher()
    shown = LastFigure(publisher)
    publisher.show(**({"image/png": figure} if figure else {}))
    return shown


def found(text: str, folder: Path, *, figure: str = "", brought: tuple[Image, ...] = ()) -> tuple[Image, ...]:
    return images(text, brought, folder=folder, figure=last(figure))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_file_goes_along_as_it_is_where_it_is_small(tmp_path: Path, kind: str) -> None:
    data = picture(kind, 320, 200)
    (tmp_path / f"plot.{kind.lower()}").write_bytes(data)
    (image,) = found(f"what is wrong in @plot.{kind.lower()}?", tmp_path)
    assert (image.media_type, image.width, image.height) == (f"image/{kind.lower()}", 320, 200)
    assert base64.b64decode(image.data) == data
    assert image.name == f"plot.{kind.lower()}"


@pytest.mark.parametrize(("kind", "width", "height"), [("PNG", 4000, 1000), ("JPEG", 2000, 2000), ("WEBP", 50, 3000)])
def test_a_large_one_is_scaled_to_what_models_read(kind: str, width: int, height: int) -> None:
    image = read(picture(kind, width, height), name="large")
    assert max(image.width, image.height) <= IMAGE_EDGE
    assert image.width * image.height <= IMAGE_PIXELS
    assert image.width / image.height == pytest.approx(width / height, rel=0.05)
    with PIL.Image.open(io.BytesIO(base64.b64decode(image.data))) as sent:
        assert sent.size == (image.width, image.height)
        assert f"image/{sent.format.lower()}" == image.media_type  # type: ignore[union-attr]


def test_what_png_makes_too_large_becomes_a_photograph() -> None:
    image = read(picture("PNG", 1200, 900, noise=True), name="noise")
    assert len(image.data) <= LONGEST_IMAGE
    assert image.media_type in ("image/png", "image/jpeg")


def test_without_pillow_a_small_png_goes_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_jupyter.ui.image_lookup.find_spec", lambda name: None)
    assert (read(picture("PNG", 320, 200), name="p").width, read(picture("PNG", 320, 200), name="p").height) == (
        320,
        200,
    )
    with pytest.raises(SessionError, match="too large"):
        read(picture("PNG", 3200, 200), name="p")
    with pytest.raises(SessionError, match="without Pillow"):
        read(picture("JPEG", 32, 20), name="p")


def test_the_figure_is_meant_by_its_name_and_by_words_that_point_at_it(tmp_path: Path) -> None:
    for text in (
        "why is this plot empty?",
        "@figure: label the axes",
        "Warum ist dieses Diagramm leer?",
        "THE CHART ABOVE lies",
    ):
        (image,) = found(text, tmp_path, figure=FIGURE)
        assert (image.name, image.width, image.height) == ("figure", 40, 30)
    assert found("plot the sales per month", tmp_path, figure=FIGURE) == ()


def test_a_figure_that_a_client_brings_is_not_sent_twice(tmp_path: Path) -> None:
    brought = (read(base64.b64decode(FIGURE), name="figure"),)
    assert found("why is @figure empty?", tmp_path, figure=FIGURE, brought=brought) == ()


def test_an_image_that_is_not_there_is_said(tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("no picture")
    for text, said in [
        ("@figure", "no figure"),
        ("@none.png", "can't be read"),
        ("@text.png", "not a readable image"),
    ]:
        with pytest.raises(SessionError, match=said):
            found(text, tmp_path)
    assert found("why is this plot empty?", tmp_path) == ()


def test_images_are_completed_and_their_bytes_are_no_text_of_the_prompt(tmp_path: Path) -> None:
    (tmp_path / "plot.png").write_bytes(picture("PNG", 32, 20))
    assert completions("pl", {}, folder=tmp_path) == ["plot.png"]
    assert completions("fig", {}, folder=tmp_path) == ["figure"]
    text = describe(Prompt(turn_id="t", text="see @plot.png and @figure"), {}, folder=tmp_path)
    assert text.startswith("@plot.png\nplot.png: ")
    assert "\n" not in text.partition("\n")[2]


class Publisher:
    def __init__(self) -> None:
        self.hooks: list[Any] = []

    def register_hook(self, hook: Any) -> None:
        self.hooks.append(hook)

    def unregister_hook(self, hook: Any) -> None:
        self.hooks.remove(hook)

    def show(self, **data: object) -> None:
        message = {"content": {"data": data}}
        for hook in self.hooks:
            assert hook(message) is message


def test_the_last_figure_is_that_of_a_waiting_try_or_the_last_displayed_one() -> None:
    publisher = Publisher()
    tried: list[TrialResult] = []
    last = LastFigure(publisher, lambda: tried)
    assert last.png() == ""
    publisher.show(**{"image/png": FIGURE, "text/plain": "<Figure>"})
    publisher.show(**{"text/html": "<b>"})
    assert last.png() == FIGURE
    output = Output(kind="display_data", data={"image/png": "tried"})
    tried.append(TrialResult(turn_id="t", cell_id="c", outputs=(output,)))
    assert last.png() == "tried"
    last.close()
    assert publisher.hooks == []
    assert LastFigure(SimpleNamespace()).png() == ""


def test_of_a_plotly_figure_without_a_picture_no_earlier_figure_is_sent_and_it_is_said(tmp_path: Path) -> None:
    import plotly.graph_objects

    publisher = Publisher()
    shown = LastFigure(publisher)
    publisher.show(**{"image/png": FIGURE})
    bundle = {"application/vnd.plotly.v1+json": plotly.graph_objects.Figure().to_plotly_json(), "text/html": "<div>"}
    publisher.show(**bundle)
    assert images("why is this plot empty?", folder=tmp_path, figure=shown) == ()
    with pytest.raises(SessionError, match=r"interactive and has no picture.*kaleido"):
        images("@figure is empty", folder=tmp_path, figure=shown)
    publisher.show(**bundle, **{"image/png": FIGURE})
    assert shown.png() == FIGURE
