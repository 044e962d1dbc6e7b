"""Source of suggestions: the provider of the turns, another model there, or a provider of their own."""

from __future__ import annotations

import pytest

from spark_jupyter.engine.configuration import Options
from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.provider_choice import Wish, with_environment
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.provider_messages import Configure, UseProvider
from spark_jupyter.providers.profiles import Secret, Settings, choose, load_profiles
from spark_jupyter.routing.link import linker
from tests.engine.test_completer import Typist


@pytest.fixture
def engine_with(play_answers):
    """An engine on a server that plays one answer to prompts, and what it is for suggestions."""
    engines = []

    def make(answers, **options) -> Typist:
        info = play_answers(answers, models=("script", "small"))
        settings = Settings(base_url=info.url, api_key=Secret(info.token), model="script")
        engines.append(Engine(linker(settings), **options))
        return Typist(engines[-1])

    yield make
    for engine in engines:
        engine.close()


BOTH = [{"model": "script", "answer": "1", "repeat": True}, {"model": "small", "answer": "2", "repeat": True}]


def test_without_a_wish_the_model_of_the_prompts_makes_them(engine_with):
    asks = engine_with(BOTH)
    asks.complete("x = ")
    assert asks.done().text == "1"


def test_a_model_of_their_own_is_asked_at_the_same_place(engine_with):
    asks = engine_with(BOTH, options=Options(suggest=Wish(by=UseProvider(model="small"))))
    asks.complete("x = ")
    assert asks.done().text == "2"


def test_a_provider_of_their_own_gets_the_completions_and_not_the_prompts(engine_with, play_answers):
    other = play_answers([{"answer": "3", "repeat": True}])
    asks = engine_with([{"answer": "```python\nx = 1\n```\n", "repeat": True}])
    asks.engine.submit(Configure(suggest=UseProvider(base_url=other.url, key=other.token, model="script")))
    asks.complete("x = ")
    assert asks.done().text == "3"
    asks.engine.submit(Prompt(turn_id="t1", text="values"))
    asks.wait("t1", 60)
    assert asks.view.proposals["t1-1"].source == "x = 1"


def test_a_provider_that_was_not_asked_yet_is_not_said_to_have_the_model_of_the_prompts(engine_with):
    asks = engine_with(BOTH)
    asks.complete("x = ")
    assert asks.done().text == "1"
    assert asks.engine.suggest(lambda sources: sources.words).startswith("script at ")
    asks.engine.suggest(lambda sources: sources.use(UseProvider(profile="mistral-fim")))
    assert asks.engine.suggest(lambda sources: sources.words) == "mistral-fim"


def test_an_empty_wish_gives_them_back_to_the_provider_of_the_prompts(engine_with):
    asks = engine_with(BOTH, options=Options(suggest=Wish(by=UseProvider(model="small"))))
    asks.engine.submit(Configure(suggest=UseProvider()))
    asks.complete("x = ")
    assert asks.done().text == "1"


def test_where_suggestions_are_off_nobody_is_asked(engine_with):
    asks = engine_with(BOTH, options=Options(suggest=Wish(mode="off")))
    asks.complete("x = ", completion_id="c1", asked=True)
    done = asks.done("c1")
    assert (done.text, done.first_text) == ("", None)
    assert "switched off" in done.problem
    asks.complete("x = ", completion_id="c2")
    assert asks.done("c2").problem == ""


def test_on_request_a_pause_in_typing_asks_nobody_and_a_key_does(engine_with):
    asks = engine_with(BOTH, options=Options(suggest=Wish(mode="ask")))
    asks.complete("x = ", completion_id="c1")
    assert asks.done("c1").first_text is None
    asks.complete("x = ", completion_id="c2", asked=True)
    assert asks.done("c2").text == "1"


def test_a_model_that_can_not_be_told_how_much_to_think_is_asked_without(play_answers):
    fail = {"status": 400, "code": "unsupported_parameter", "message": "reasoning.effort is not supported"}
    info = play_answers([{"fail": fail}, {"answer": "1", "repeat": True}])
    engine = Engine(linker(Settings(base_url=info.url, api_key=Secret(info.token), model="script")))
    try:
        asks = Typist(engine)
        asks.complete("x = ")
        assert asks.done().text == "1"
    finally:
        engine.close()


def test_the_environment_names_a_place_of_their_own_with_a_key_of_its_own():
    environ = {"SPARK_SUGGEST_PROFILE": "mistral-fim", "SPARK_SUGGEST_MODEL": "small", "SPARK_SUGGEST_API_KEY": "k"}
    found = with_environment(UseProvider(), environ)
    assert (found.profile, found.model, found.key_env) == ("mistral-fim", "small", "SPARK_SUGGEST_API_KEY")
    chosen = with_environment(UseProvider(profile="ollama-fim"), environ)
    assert (chosen.profile, chosen.model, chosen.key_env) == ("ollama-fim", "", ""), "a key goes where it belongs"


def test_a_profile_that_only_suggests_never_answers_prompts_by_itself():
    profiles = load_profiles()
    assert choose(profiles=profiles, environ={"MISTRAL_API_KEY": "k"}) is None
    prompts = choose(profiles=profiles, settings=Settings(base_url="https://api.mistral.ai/v1", model="m"))
    assert prompts is not None
    assert prompts.dialect == "chat"
    suggests = choose(
        profiles=profiles,
        settings=Settings(base_url="https://api.mistral.ai/v1", suggests=True),
        environ={"MISTRAL_API_KEY": "k", "SPARK_API_KEY": "other", "SPARK_MODEL": "big"},
    )
    assert suggests is not None
    assert (suggests.dialect, suggests.model, suggests.key) == ("fim", "codestral-latest", "k")


def test_a_profile_may_name_a_model_for_suggestions(play_answers, own_home):
    info = play_answers(BOTH, models=("script", "small"))
    folder = own_home / "jupyter_config_dir" / "spark_jupyter"
    folder.mkdir(parents=True)
    profile = (
        f'[mine]\nbase_url = "{info.url}"\ndialect = "responses-websocket"\nmodel = "script"\nsuggest_model = "small"\n'
    )
    (folder / "profiles.toml").write_text(profile)
    engine = Engine(linker(Settings(profile="mine", api_key=Secret(info.token))))
    try:
        asks = Typist(engine)
        asks.complete("x = ")
        assert asks.done().text == "2"
        assert engine.suggest(lambda sources: sources.words).startswith("small at ")
    finally:
        engine.close()


def test_another_suggestion_is_asked_for_with_more_variety_and_without_where_the_model_takes_none(play_answers):
    fail = {"status": 400, "code": "unsupported_parameter", "message": "temperature is not supported"}
    info = play_answers([{"fail": fail}, {"answer": "2", "repeat": True}])
    engine = Engine(linker(Settings(base_url=info.url, api_key=Secret(info.token), model="script")))
    try:
        asks = Typist(engine)
        asks.complete("x = ", other_than=("1",))
        assert asks.done().text == "2"
        asks.complete("x = ", completion_id="c2", other_than=("2",))
        assert asks.done("c2").text == "", "what was suggested already is no other one"
    finally:
        engine.close()
