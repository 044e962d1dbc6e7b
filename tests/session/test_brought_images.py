"""Images that a person brings with a steer, and with deep work, go along with the requests."""

from __future__ import annotations

from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.deep_messages import BeginDeep, SteerDeep
from spark_jupyter.protocol.messages import Steer
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.protocol.values import Image
from spark_jupyter.providers.base import ImagesLeftOut
from spark_jupyter.session.deep.budget_use import overnight_budget
from tests.session.deep.playing import PLAN, DeepPlay, code
from tests.session.play import BAD, Play


def image(name: str) -> Image:
    return Image(media_type="image/png", data="aaaa", width=10, height=10, name=name)


def sent(request) -> list[str]:
    return [each.name for each in request.request.input[-1].images]


def test_the_images_of_a_steer_go_along_beside_those_of_the_prompt(play: Play) -> None:
    play.prompt("a plot", images=(image("first"),))
    assert sent(play.requests[-1]) == ["first"]
    play.text("```python\nx = 1\n")
    play.say(Steer(turn_id="t2", steers="t1", text="like this", images=(image("second"),)))
    assert sent(play.requests[-1]) == ["first", "second"]
    assert "## Images\nfirst\nsecond" in play.requests[-1].request.input[-1].text


def test_a_correction_after_a_steer_keeps_its_images(play: Play) -> None:
    play.prompt("a plot")
    play.text("```python\nx = 1\n")
    play.say(Steer(turn_id="t2", steers="t1", text="like this", images=(image("second"),)))
    before = len(play.requests)
    play.text(BAD)
    assert len(play.requests) == before + 1
    assert sent(play.requests[-1]) == ["second"]


def test_of_many_images_the_newest_go_along(play: Play) -> None:
    play.prompt("a plot", images=tuple(image(f"old{n}") for n in range(8)))
    play.say(Steer(turn_id="t2", steers="t1", text="like this", images=(image("new"),)))
    assert sent(play.requests[-1]) == [*(f"old{n}" for n in range(1, 8)), "new"]


def test_the_images_of_deep_work_go_along_with_plan_and_steps_also_after_a_pause() -> None:
    play = DeepPlay()
    play.begin(images=(image("sketch"),))
    assert sent(play.request_of(0)) == ["sketch"]
    play.says(0, PLAN)
    assert sent(play.request_of(1)) == ["sketch"]
    play.say(SteerDeep(work_id="w1", text="like this", images=(image("other"),)))
    assert sent(play.request_of(1)) == ["sketch", "other"]
    play.direct("pause")
    play.direct("go-on", cells=())
    assert sent(play.request_of(1)) == ["sketch", "other"]
    play.says(1, code("data = [1, 2]"))
    play.ran()
    assert sent(play.request_of(2)) == ["sketch", "other"]


def test_deep_work_says_in_its_log_that_images_were_left_out() -> None:
    play = DeepPlay()
    play.begin(images=(image("sketch"),))
    request = play.request_of(0)
    reason = "m reads no images, so none was sent."
    play.session.receive_model_event(request.job_id, request.attempt, ImagesLeftOut(reason), at=next(play.clock))
    assert play.log.count(reason) == 1


def test_images_that_the_kernel_found_go_along_once() -> None:
    play = DeepPlay()
    play.say(BeginDeep(work_id="w1", text="like @plot.png"), surroundings=Surroundings(images=(image("plot.png"),)))
    assert sent(play.request_of(0)) == ["plot.png"]


def test_an_overnight_work_has_the_budget_of_one_whoever_begins_it() -> None:
    play = DeepPlay()
    usual = play.session.deep.gear.budget
    play.begin(within="8h")
    assert play.work.budget == overnight_budget(usual)


def test_that_images_of_an_earlier_prompt_were_left_out_is_said_once(play: Play) -> None:
    def notice_of(turn_id: str, **brought: object) -> str:
        play.prompt("a plot", turn_id=turn_id, **brought)
        request = play.requests[-1]
        play.session.receive_model_event(
            request.job_id, request.attempt, ImagesLeftOut("It reads no images."), at=next(play.clock)
        )
        play.answer("```python\nx = 1\n```\n")
        return play.of(Meter)[-1].notice

    assert notice_of("t1", images=(image("first"),)) == "It reads no images."
    assert notice_of("t2") == ""
    assert notice_of("t3", images=(image("other"),)) == "It reads no images."
