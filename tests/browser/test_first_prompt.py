"""Before the first prompt: who will answer, what could be asked, and how another model is connected."""

from __future__ import annotations

import re

import pytest

from tests.browser.lab import code

MODELS = "spark-jupyter:models"
TABLE = "import pandas as pd\nsales = pd.DataFrame({'region': ['north', 'south'], 'revenue': [1.5, 2.5]})"


def test_the_panel_says_who_will_answer_and_what_could_be_asked(notebook, model) -> None:
    book = notebook([code(TABLE)], model([{"answer": "```python\ny = 2\n```\n"}]))
    book.activate(0)
    book.command("notebook:run-cell")
    book.open_panel()
    book.panel.locator(".spark-Welcome-who", has_text=re.compile("^Connected to script at")).wait_for()
    ideas = book.panel.get_by_role("group", name="Ideas for a prompt")
    ideas.get_by_text("average revenue by region in sales and plot it").wait_for()
    assert ideas.get_by_role("button").count() == 3
    book.screenshot("before-the-first-prompt")
    ideas.get_by_text("average revenue by region").click()
    book.page.wait_for_function("() => document.activeElement?.tagName === 'TEXTAREA'")
    book.in_box("average revenue by region in sales and plot it")
    assert book.panel.locator(".spark-Turn").count() == 0
    book.box.press("Enter")
    book.wait_state("ready", 1)


def test_a_no_of_the_recipe_books_leads_to_the_form_that_connects_a_model_and_to_what_they_can_do(notebook) -> None:
    book = notebook([code("def tax(net):\n    return net * 0.19"), code("y = 2")])
    book.open_panel()
    book.activate(0)
    book.panel.get_by_label("Edit this cell").check()
    book.prompt("make it sound like a pirate")
    turn = book.panel.locator('.spark-Turn[data-outcome="refused"]')
    turn.wait_for()
    book.screenshot("no")
    book.activate(1)
    turn.get_by_role("button", name="add a docstring").click()
    book.panel.get_by_text("Edit cell 1").wait_for()
    book.in_box("add a docstring")
    turn.get_by_role("button", name="Connect a model…").click()
    form = book.page.get_by_role("form", name="Connect a model")
    book.page.wait_for_function("() => document.activeElement?.closest('.spark-Connect')")
    book.page.keyboard.press("Escape")
    form.wait_for(state="detached")
    book.page.wait_for_function("() => document.activeElement?.textContent === 'Connect a model…'")


def test_in_a_low_window_the_buttons_of_the_dialog_stay_in_sight_and_all_of_it_is_reached(notebook, model) -> None:
    book = notebook([code("x = 1")], model([]))
    book.open_panel()
    book.page.set_viewport_size({"width": 1280, "height": 560})
    book.panel.get_by_role("button", name="Connect a model…").first.click()
    dialog = book.page.get_by_role("dialog")
    in_sight = dialog.get_by_role("button", name="Connect", exact=True).bounding_box()
    assert in_sight is not None
    assert in_sight["y"] + in_sight["height"] <= 560
    dialog.get_by_text("Deep model:").click()
    use = dialog.get_by_role("button", name="Use for deep work").element_handle()
    # the cards of the providers come later than the dialog and move what is below them
    dialog.locator("[data-provider=openai]").wait_for()
    reached = "(use) => { use.scrollIntoView(); return use.getBoundingClientRect().bottom <= window.innerHeight; }"
    book.page.wait_for_function(reached, arg=use)


@pytest.mark.own_page  # it changes settings
def test_what_the_form_says_is_in_sight_also_in_a_low_window_and_an_empty_folder_of_models_is_named(
    notebook, model, tmp_path
) -> None:
    book = notebook([code("x = 1")], model([]))
    book.open_panel()
    book.set(MODELS, "modelFolder", str(tmp_path))
    book.page.set_viewport_size({"width": 1280, "height": 640})
    book.panel.get_by_role("button", name="Connect a model…").first.click()
    book.page.get_by_text(f"There is no model file (.gguf) in {tmp_path}").wait_for()
    form = book.page.get_by_role("form", name="Connect a model")
    form.get_by_role("textbox", name="Base URL").fill("http://127.0.0.1:9/v1")
    form.get_by_role("button", name="Test").click()
    form.get_by_text("Can't reach 127.0.0.1:9").wait_for()
    said = form.locator(".spark-Connect-answer").bounding_box()
    assert said is not None
    assert said["y"] + said["height"] <= 640
    book.screenshot("connect-low")


def test_a_model_is_tested_and_connected_in_the_panel_and_its_key_is_kept_nowhere(notebook, model) -> None:
    other = model([{"answer": "```python\nfrom_the_other = 1\n```\n"}])
    book = notebook([code("x = 1")], model([{"answer": "```python\nfrom_the_first = 1\n```\n"}]))
    book.open_panel()
    book.panel.get_by_role("button", name="Connect a model…").first.click()
    form = book.page.get_by_role("form", name="Connect a model")
    form.locator("[data-provider=openai]").click()
    book.page.wait_for_function("() => document.activeElement?.type === 'password'")
    key_page = form.get_by_role("link", name="Get a key from OpenAI")
    assert key_page.get_attribute("href") == "https://platform.openai.com/api-keys"
    book.screenshot("connect-openai")
    form.locator("[data-provider='']").click()
    key_page.wait_for(state="detached")
    form.get_by_role("textbox", name="Base URL").fill("http://127.0.0.1:9/v1")
    form.get_by_role("button", name="Test").click()
    form.locator('.spark-Connect-answer[data-ok="false"]').wait_for()
    book.screenshot("connect-failed")
    form.get_by_role("textbox", name="Base URL").fill(other.url)
    form.get_by_label("API key", exact=True).fill(other.token)
    form.get_by_role("button", name="Test").click()
    form.locator('.spark-Connect-answer[data-ok="true"]', has_text="It lists 2 models").wait_for()
    form.get_by_role("group", name="Models of this provider").get_by_role("button", name="script", exact=True).click()
    assert form.get_by_label("Model", exact=True).input_value() == "script"
    book.screenshot("connect-tested")
    form.get_by_role("button", name="Connect", exact=True).click()
    form.wait_for(state="detached")
    book.page.locator(".Toastify__toast", has_text="script").wait_for()
    book.prompt("go")
    book.wait_state("ready", 1)
    assert book.sources()[1] == "from_the_other = 1"
    kept = book.page.evaluate("() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")
    assert other.token not in kept
    book.save()
    assert other.token not in (book.server.root / book.name).read_text()


@pytest.mark.own_page  # the server knows who is here
def test_a_person_gives_a_key_for_their_own_prompts_and_takes_it_back(page, notebook, model) -> None:
    identity = {"username": "ada", "name": "Ada", "display_name": "Ada", "initials": "A", "color": None}
    page.route("**/api/me?*", lambda route: route.fulfill(json={"identity": identity, "permissions": {}}))
    book = notebook([code("x = 1")], model([]))
    book.open_panel()
    book.panel.get_by_role("button", name="Connect a model…").first.click()
    form = page.get_by_role("form", name="Your own key")
    form.get_by_text("Your own key", exact=True).click()  # unfolds it
    form.get_by_text("Your prompts use the kernel's key").wait_for()
    form.locator("input").fill("sk-of-ada")
    form.get_by_role("button", name="Use for my prompts").click()
    form.get_by_text("Your prompts use your own key").wait_for()
    book.screenshot("own-key")
    assert "sk-of-ada" not in page.content()
    assert "sk-of-ada" not in page.evaluate("() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")
    form.get_by_role("button", name="Forget my key").click()
    form.get_by_text("Your prompts use the kernel's key").wait_for()


@pytest.mark.own_page  # it changes settings
def test_who_stands_in_the_settings_answers_in_a_running_kernel_after_a_yes_and_in_a_new_one_at_once(
    notebook, model
) -> None:
    other = model([{"answer": "```python\nfrom_the_other = 1\n```\n", "repeat": True}])
    book = notebook([code("x = 1")], model([{"answer": "```python\nfrom_the_first = 1\n```\n"}]))
    book.open_panel()
    behind = book.panel.locator("[data-behind]")
    who = book.panel.locator(".spark-Status-provider")
    book.panel.locator(".spark-Welcome-who", has_text="script at").wait_for()
    try:
        book.set(MODELS, "baseUrl", "http://127.0.0.1:9/v1")
        behind.get_by_role("button", name="Use it here").click()
        book.panel.get_by_role("alert").get_by_text("nothing has changed: Can't reach 127.0.0.1:9").wait_for()
        behind.wait_for(state="detached")
        give_key = f"import os; os.environ['OTHER_KEY'] = {other.token!r}"
        book.execute(give_key)
        book.set(MODELS, "keyVariable", "OTHER_KEY")
        book.set(MODELS, "baseUrl", other.url)
        behind.get_by_role("button", name="Use it here").wait_for()
        book.screenshot("settings-name-another")
        behind.get_by_role("button", name="Use it here").click()
        book.panel.locator("[data-refused]").wait_for(state="detached")
        book.prompt("go")
        book.wait_state("ready", 1)
        assert book.sources()[1] == "from_the_other = 1"
        book.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
        book.execute(f"{give_key}\n%load_ext spark_jupyter")
        who.get_by_text(other.url.split("/")[2]).wait_for()
        assert behind.count() == 0
    finally:
        book.set(MODELS, "baseUrl", None)
        book.set(MODELS, "keyVariable", None)


def test_in_a_notebook_that_was_saved_with_its_outputs_what_its_cells_define_is_known_before_they_have_run(
    notebook, model
) -> None:
    server = model([{"answer": "```python\ntotal = sum(masses)\n```\n"}])
    book = notebook([code("masses = [1.2, 0.9]", execution_count=1)], server)
    book.activate(0)
    book.prompt("add them up")
    book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
    book.wait_state("ready", 1)
    assert book.sources()[1] == "total = sum(masses)"
    assert "is not defined" not in book.panel.inner_text()


def test_a_magic_that_the_kernel_does_not_know_is_answered_with_an_offer_to_load_it(notebook, model) -> None:
    book = notebook([code("%spark say one")], model([{"answer": "```python\none = 1\n```\n"}]))
    book.activate(0)
    book.page.keyboard.press("Control+Enter")
    toast = book.page.locator(".Toastify__toast", has_text="not loaded in this kernel")
    toast.get_by_role("button", name="Load it", exact=True).wait_for()
    toast.get_by_role("button", name="Load it in every kernel").click()
    book.page.locator(".Toastify__toast", has_text="load Spark by themselves").wait_for()
    book.wait_state("ready", 1)
    assert book.sources() == ["%spark say one", "one = 1"]


def test_a_question_that_ipython_takes_for_help_is_answered_with_the_same_offer(notebook, model) -> None:
    question = "%spark which category sells best?"
    book = notebook([code(question)], model([{"answer": "```python\nbest = 1\n```\n"}]))
    book.activate(0)
    book.page.keyboard.press("Control+Enter")
    toast = book.page.locator(".Toastify__toast", has_text="not loaded in this kernel")
    toast.get_by_role("button", name="Load it", exact=True).click()
    book.wait_state("ready", 1)
    assert book.sources() == [question, "best = 1"]


READS_SLOWLY = """import os, time
while not os.path.exists("go"):
    time.sleep(0.05)
sales = pd.DataFrame({"region": ["n", "s"], "revenue": [1.5, 2.5]})"""


def test_a_prompt_waits_offline_for_the_table_that_a_running_cell_makes(notebook) -> None:
    book = notebook([code("%load_ext spark_jupyter\nimport pandas as pd"), code(READS_SLOWLY), code()])
    book.activate(0)
    book.command("notebook:run-cell")
    book.wait_until("cells => cells[0].execution_count !== null")
    book.activate(1)
    book.start("notebook:run-cell")
    book.wait_until("cells => cells[1].executionState === 'running'")
    book.prompt("average revenue by region")
    book.panel.get_by_text("Waiting for the running cell").wait_for()
    (book.server.root / "go").touch()
    book.wait_until("cells => cells.some(cell => cell.source.includes('sales.groupby'))")
