"""Two people whom the server knows, with one kernel: a key and a daily limit for each, and a name at what each did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.lab import Notebook, code
from tests.browser.server import LabServer
from tests.engine.test_own_keys import provider  # noqa: F401  # a fixture

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.engine.test_own_keys import Provider

pytestmark = [pytest.mark.own_page, pytest.mark.own_server]
PROFILE = """
[class]
base_url = "{url}"
dialect = "chat"
model = "m"
prices = {{ "m" = {{ input = 100000.0, output = 100000.0, as_of = 2026-11-01 }} }}
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """A Jupyter server that knows its users."""
    server = LabServer(tmp_path_factory.mktemp("lab"), knows_users=True)
    yield server
    server.close()


@pytest.fixture
def people(lab: LabServer, browser, notebook, provider: Provider) -> Iterator[tuple[Notebook, Notebook]]:  # noqa: F811
    """Ada and Eve, each in a browser of their own, with one kernel that has a key."""
    file = lab.config / "spark_jupyter" / "profiles.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(PROFILE.format(url=provider.url))
    name = lab.write("shared.ipynb", [code("x = 1")])
    contexts = [browser.new_context(viewport={"width": 1280, "height": 800}) for _ in range(2)]
    ada, eve = (Notebook(lab, context.new_page(), name) for context in contexts)
    ada.open(query="reset&as=ada")
    ada.execute("import os; os.environ.update(SPARK_PROFILE='class', SPARK_API_KEY='the-kernels')")
    eve.open(query="reset&as=eve")
    yield ada, eve
    for context in contexts:
        context.close()


def answered(book: Notebook, prompt: str) -> None:
    """Prompt, and wait for the end of the answer."""
    book.prompt(prompt)
    book.panel.locator(".spark-Turn[data-outcome='completed']", has_text=prompt).wait_for()


def give_key(book: Notebook, key: str) -> None:
    """Have one's prompts use this key."""
    book.panel.get_by_role("button", name="Connect a model…").first.click()
    form = book.page.get_by_role("form", name="Your own key")
    form.get_by_text("Your own key", exact=True).click()  # unfolds it
    form.locator("input").fill(key)
    form.get_by_role("button", name="Use for my prompts").click()
    form.get_by_text("Your prompts use your own key").wait_for()
    book.page.keyboard.press("Escape")
    form.wait_for(state="detached")


def test_each_prompts_with_a_key_of_their_own_and_up_to_a_limit_of_their_own(people, provider: Provider) -> None:  # noqa: F811
    ada, eve = people
    answered(ada, "first")
    give_key(ada, "sk-of-ada")
    answered(ada, "second")
    answered(eve, "third")
    assert provider.keys == ["the-kernels", "sk-of-ada", "the-kernels"]
    assert "sk-of-ada" not in eve.page.content()
    ada.execute("get_ipython().run_line_magic('config', 'SparkMagics.person_cost = 1.5')")
    ada.prompt("fourth")
    ada.panel.get_by_text("Your limit of $1.50 for today is used up").wait_for()
    answered(eve, "fifth")
    assert provider.keys[3:] == ["the-kernels"]
    assert eve.panel.get_by_text("Your limit").count() == 0
    eve.panel.locator(".spark-Turn", has_text="second").locator(".spark-Person", has_text="Ada").wait_for()
    assert eve.panel.locator(".spark-Turn", has_text="fifth").locator(".spark-Person").count() == 0
    for book, name in ((ada, "ada"), (eve, "eve")):
        book.screenshot(f"people-{name}")
