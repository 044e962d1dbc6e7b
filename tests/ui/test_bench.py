"""``spark-jupyter bench``: providers side by side, at tasks whose answers run."""

from __future__ import annotations

import ast
import json
import os
import re

import nbformat
import pytest

from spark_jupyter.exceptions import ConfigurationError, ProviderError
from spark_jupyter.protocol.meter_messages import Extra, Meter
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.ui.cli.bench import bench_command, load_test
from spark_jupyter.ui.cli.bench.bench_command import Plan, compare, read_kept, run, run_task
from spark_jupyter.ui.cli.bench.bench_results import Provider, TaskResult, summary, verdicts
from spark_jupyter.ui.cli.bench.bench_tasks import TASKS, Task
from spark_jupyter.ui.cli.bench.measurement import measure, report
from spark_jupyter.ui.cli.main import main

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="a copy needs fork")

SOLUTIONS = {
    "primes": "def primes(n):\n    found, k = [], 2\n    while len(found) < n:\n        if all(k % p for p in found):\n"
    "            found.append(k)\n        k += 1\n    return found",
    "sort-dicts": "ordered = sorted(rows, key=lambda row: row['age'], reverse=True)",
    "group-sum": "per_city = sales.groupby('city')['count'].sum()",
    "missing": "filled = sales.assign(price=sales['price'].fillna(sales['price'].median()))",
    "revenue": "sales['revenue'] = sales['price'] * sales['count']",
    "monthly": "monthly = sales.groupby(sales['day'].dt.strftime('%Y-%m').rename('month'))['count'].sum().reset_index()",
    "pivot": "table = sales.pivot_table(index='city', columns=sales['day'].dt.month, values='count', aggfunc='sum', fill_value=0)",
    "join": "joined = people.merge(cities, on='city', how='left')",
    "filter": "names = sorted(people[(people['age'] < 40) & (people['city'] == 'Bern')]['name'])",
    "rank": "people['place'] = people['age'].rank(method='min', ascending=False).astype(int)",
    "bins": "people['group'] = ['young' if age < 30 else 'old' for age in people['age']]",
    "rolling": "smooth = values.rolling(3).mean()",
    "words": "import re\nfrom collections import Counter\ncounts = Counter(re.findall(r'[a-z]+', text.lower()))",
    "log": "import datetime\nerrors = []\nfor line in log:\n    day, time, level, message = line.split(' ', 3)\n"
    "    if level == 'ERROR':\n        errors.append((datetime.datetime.fromisoformat(f'{day} {time}'), message))",
    "nested": "totals = {}\nfor order in orders:\n    name = order['customer']['name']\n"
    "    totals[name] = totals.get(name, 0) + sum(item['n'] * item['price'] for item in order['items'])",
    "flatten": "import pandas as pd\nitems = pd.DataFrame([{'order': o['id'], 'customer': o['customer']['name'], **item}"
    " for o in orders for item in o['items']])",
    "matrix": "x = np.linalg.solve(A, b)",
    "distance": "distances = np.linalg.norm(points[:, None] - points[None], axis=-1)",
    "memo": "def ways(n):\n    a, b = 1, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a",
    "figure": "import matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as plt\nfig, ax = plt.subplots()\n"
    "per_city = sales.groupby('city')['count'].sum()\nax.bar(per_city.index, per_city)\nax.set_title('Sales')",
}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_each_task_can_be_done_and_is_not_done_by_nothing(task: Task) -> None:
    def run_with(answer: str) -> None:
        namespace: dict[str, object] = {}
        for source in (task.setup, answer, *task.checks):
            exec(compile(ast.parse(source), task.name, "exec"), namespace)

    run_with(SOLUTIONS[task.name])
    with pytest.raises((NameError, AssertionError, KeyError, AttributeError)):
        run_with("")


def test_there_are_twenty_and_each_has_its_name() -> None:
    assert len({task.name for task in TASKS}) == len(TASKS) == 20


SMALL = Task(name="small", prompt="Put 1 into x.", setup="y = 1", checks=("assert x == y",))


def settings_of(info: object) -> Settings:
    return Settings(base_url=info.url, api_key=Secret(info.token), model="script")  # type: ignore[attr-defined]


def code(text: str) -> dict[str, object]:
    return {"answer": f"```python\n{text}\n```\n"}


@needs_fork
@pytest.mark.parametrize(
    ("answers", "passed"),
    [
        ([code("x = y")], "at first"),
        ([code("x = 7"), code("x = 1")], "corrected"),
        ([code("x = 7"), code("x = 8")], "no"),
    ],
)
def test_a_task_passes_at_first_or_after_one_correction_or_not(play_answers, answers, passed) -> None:
    result = run_task(settings_of(play_answers(answers)), SMALL)
    assert result.passed == passed
    assert result.meter.output_tokens > 0
    assert result.seconds > 0


@needs_fork
def test_what_is_kept_is_not_measured_again_and_the_rest_is(play_answers, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("spark_jupyter.ui.cli.bench.bench_command.TASKS", (SMALL,))
    first = settings_of(play_answers([code("x = 1")]))
    file, report = tmp_path / "figures.json", tmp_path / "report.ipynb"
    said = {"against": (), "turns": 1, "prompt": "hi", "save": file, "report_to": None, "budget": None, "as_json": True}
    begun = json.loads(run(first, tasks=0, **said))
    assert begun[0]["turns"]
    gone_on = json.loads(run(first, tasks=1, **{**said, "report_to": report}))
    assert gone_on[0]["turns"] == begun[0]["turns"], "they were kept"
    assert gone_on[0]["summary"]["at_first"] == 1
    assert [provider.tasks[0].task for provider in read_kept(file)] == ["small"]
    nbformat.validate(nbformat.read(report, as_version=4))


def test_a_file_that_is_no_earlier_run_is_said_and_left_alone(tmp_path) -> None:
    file = tmp_path / "notes.json"
    file.write_text('{"mine": 1}')
    with pytest.raises(ConfigurationError, match="can't be continued"):
        read_kept(file)
    assert file.read_text() == '{"mine": 1}'


def test_the_first_token_is_shown_cold_and_warm_and_python_s_own_loading_is_not_the_provider_s(
    play_answers, monkeypatch
) -> None:
    info = play_answers([{**code("x = 1"), "repeat": True}])
    loaded: list[str] = []
    monkeypatch.setattr("spark_jupyter.ui.cli.bench.measurement.import_module", loaded.append)
    monkeypatch.setenv("SPARK_BASE_URL", info.url)
    monkeypatch.setenv("SPARK_API_KEY", info.token)
    options = {
        "tasks": 0,
        "turns": 3,
        "prompt": "hi",
        "save": None,
        "report_to": None,
        "budget": None,
        "as_json": False,
    }
    said = run(Settings(), against=(), **options)
    assert re.search(rf"^{info.url}\n.*\n  first token: cold \d+ ms, warm \d+ ms \(\d+ to \d+\)$", said, re.MULTILINE)
    assert re.search(
        r"first token: cold .*\nfirst token: warm ", report(measure(Settings(), prompt="hi", turns=3), as_json=False)
    )
    assert "spark_jupyter.connection.websocket_pool" in loaded


def test_a_budget_ends_it_and_what_was_measured_is_kept(play_answers) -> None:
    kept: list[list[Provider]] = []
    plan = Plan(
        providers=(("a", settings_of(play_answers([code("x = 1")]))),), prompt="hi", turns=1, tasks=(), budget=1.0
    )
    with pytest.raises(ConfigurationError, match="price is not known"):
        compare(plan, known=(), tell=lambda line: None, keep=kept.append)
    assert kept[0][0].turns


def test_a_provider_that_can_not_be_reached_is_said(unused_port) -> None:
    plan = Plan(
        providers=(("a", Settings(base_url=f"ws://127.0.0.1:{unused_port}/v1", model="m")),),
        prompt="hi",
        turns=1,
        tasks=(),
    )
    with pytest.raises(ProviderError):
        compare(plan, known=(), tell=lambda line: None, keep=lambda providers: None)


def test_a_provider_that_is_named_twice_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="named twice"):
        run(
            Settings(profile="groq"),
            against=("groq",),
            tasks=0,
            turns=1,
            prompt="hi",
            save=None,
            report_to=None,
            budget=None,
            as_json=False,
        )


def provider(name: str, *, rate: float, seconds: float, cost: float | None, again: bool = False) -> Provider:
    extra = (Extra(kind="attempt", requests=1),) if again else ()
    meter = Meter(turn_id="t", first_token=0.1, tokens_per_second=rate, first_second=int(rate), cost=cost, extra=extra)
    passed = "corrected" if again else "at first"
    task = TaskResult(task="t", passed=passed, seconds=seconds, meter=meter)
    return Provider(name=name, banner="", model="m", cold=0.2, turns=(meter, meter), tasks=(task,))


def test_it_says_plainly_what_the_difference_is() -> None:
    fast, slow = (
        provider("fast", rate=1500, seconds=5.0, cost=0.01),
        provider("slow", rate=100, seconds=7.0, cost=None, again=True),
    )
    assert verdicts([summary(fast), summary(slow)]) == ["fast against slow: end to end 1.4×, tokens/s 15.0×"]
    told = bench_command.text([fast, slow])
    assert "end to end: 5.00 s (5.00 to 5.00)" in told
    assert "passed: 0 of 1 at first, 1 after one correction" in told
    assert "cost: $0.0300" in told
    assert "cost: unknown" in told


def test_the_report_runs_by_itself() -> None:
    book = bench_command.notebook(
        [provider("fast", rate=1500, seconds=5.0, cost=0.01), provider("slow", rate=1, seconds=7.0, cost=None)]
    )
    namespace: dict[str, object] = {}
    import matplotlib

    matplotlib.use("agg")
    for cell in book["cells"]:  # type: ignore[union-attr]
        if cell["cell_type"] == "code":  # type: ignore[index,call-overload]
            exec(cell["source"], namespace)  # type: ignore[index,call-overload]
    assert namespace["summaries"][0]["name"] == "fast"  # type: ignore[index]


def test_nothing_of_a_name_drives_a_terminal() -> None:
    assert "\x1b" not in bench_command.text([provider("\x1b[2J", rate=1, seconds=1.0, cost=None)])


def test_a_models_name_ends_no_block_of_the_notebook():
    hostile = Provider(name="a", banner="", model="m\n````\n![](http://elsewhere.example/x)", cold=0.1)
    heading = bench_command.notebook([hostile])["cells"][0]["source"]
    assert heading.count("`````") == 2
    assert heading.endswith("\n`````")


def test_many_clients_at_once_are_counted_and_so_is_what_the_others_were_told(script_environment):
    full = {"fail": {"status": 400, "code": "full", "message": "The class is full."}, "repeat": True}
    script_environment([*[{"answer": "```python\nx = 1\n```\n"}] * 6, full])
    load = load_test.measure_load(Settings(), prompt="write", turns=2, clients=4)
    assert (len(load.first), sum(load.failures.values())) == (6, 2)
    assert "4 clients: 6 answers" in load_test.report(load, as_json=False)


def test_where_no_client_was_answered_the_command_fails(script_environment, capsys):
    full = {"fail": {"status": 400, "code": "full", "message": "The class is full."}, "repeat": True}
    script_environment([full])
    with pytest.raises(SystemExit, match="1"):
        main(["bench", "--clients", "2", "--turns", "1"])
    assert "2 clients: 0 answers" in capsys.readouterr().out


@pytest.mark.parametrize(("shares", "index"), [([5, 5, 5], 1.0), ([9, 0, 0], 1 / 3), ([0, 0], 1.0)])
def test_shares_are_fair_where_all_are_alike(shares, index):
    assert load_test.fairness(shares) == pytest.approx(index)
