"""Both comms on a real ipykernel, also while it runs a cell."""

from __future__ import annotations

import threading

from spark_jupyter.protocol.completion_messages import Complete, Completed
from spark_jupyter.protocol.messages import Cancel, Hello, Problem, Prompt, Resend, Snapshot, Steer
from spark_jupyter.protocol.proposal_messages import Accept

from .conftest import BUSY, FrontEnd

CODE = "\n".join(f"value_{n} = {n}" for n in range(300))
ANSWER = {"answer": f"```python\n{CODE}\n```\n", "repeat": True}
STALLS = {**ANSWER, "stall_after": 300}


def loaded(kernel):
    kernel.run("%load_ext spark_jupyter")
    return FrontEnd(kernel)


def test_a_front_end_is_greeted_and_told_that_it_writes(start_kernel):
    kernel = start_kernel([ANSWER])
    front = loaded(kernel)
    hello = kernel.until(lambda: [event for event in front.said if isinstance(event, Hello)])[0]
    assert hello.writer
    assert hello.subshells
    assert any(isinstance(event, Snapshot) for event in front.said)
    assert kernel.until(lambda: front.answers)[0] == {"ack": 0}


def test_a_turn_streams_to_the_front_end(start_kernel):
    kernel = start_kernel([ANSWER])
    front = loaded(kernel)
    front.say(Prompt(turn_id="t1", text="values"))
    kernel.until(lambda: front.view.turns.get("t1") and front.view.turns["t1"].outcome)
    assert front.view.proposals["t1-1"].source == CODE
    front.say(Accept(cell_id="t1-1"))
    kernel.until(lambda: front.view.proposals["t1-1"].state == "accepted")


def test_prompt_steer_and_cancel_work_while_a_cell_runs_and_leave_it_running(start_kernel):
    kernel = start_kernel([STALLS])
    front = loaded(kernel)
    busy = kernel.start_busy()
    front.say(Prompt(turn_id="t1", text="values"))
    kernel.until(lambda: "t1-1" in front.view.proposals)
    front.say(Steer(turn_id="t2", steers="t1", text="again"))
    kernel.until(lambda: "t2" in front.view.turns and front.view.turns["t1"].outcome == "superseded")
    front.say(Cancel())
    kernel.until(lambda: front.view.turns["t2"].outcome == "cancelled")
    assert not kernel.idle(busy), "the user's cell was not disturbed"
    kernel.process.interrupt()
    kernel.until(lambda: kernel.idle(busy))


def test_a_prompt_by_magic_while_a_front_end_is_there_reaches_it_and_commands_still_pass_by_a_busy_cell(
    start_kernel,
):
    kernel = start_kernel([STALLS])
    front = loaded(kernel)
    busy = kernel.start("%spark values\n" + BUSY)
    kernel.until(lambda: front.view.streaming and front.view.proposals)
    front.say(Cancel())
    kernel.until(lambda: [turn.outcome for turn in front.view.turns.values()][-1] == "cancelled")
    assert not kernel.idle(busy)


def test_a_front_end_that_comes_back_gets_what_it_missed(start_kernel):
    may_end = threading.Event()
    kernel = start_kernel([ANSWER], may_end=may_end)
    front = loaded(kernel)
    front.say(Prompt(turn_id="t1", text="values"))
    kernel.until(lambda: "t1-1" in front.view.proposals)
    last, view = front.frames[-1].seq, front.view  # more may come while it goes
    front.close()
    back = FrontEnd(kernel, last_seq=last, life=view.hello.life)
    may_end.set()
    kernel.until(lambda: any(getattr(event, "outcome", None) for event in back.said))
    view.receive_all(back.said)
    assert view.proposals["t1-1"].source == CODE
    assert not any(isinstance(event, Snapshot) for event in back.said)


def test_frames_are_sent_again_on_request(start_kernel):
    kernel = start_kernel([ANSWER])
    front = loaded(kernel)
    front.say(Prompt(turn_id="t1", text="values"))
    kernel.until(lambda: front.view.turns.get("t1") and front.view.turns["t1"].outcome)
    before = len(front.frames)
    front.say(Resend(from_seq=2))
    kernel.until(lambda: any(frame.seq == 2 for frame in front.frames[before:]))


def test_when_the_writer_goes_the_next_front_end_writes(start_kernel):
    kernel = start_kernel([ANSWER])
    first = loaded(kernel)
    # each has threads of its own in the kernel: the second could be the first
    kernel.until(lambda: first.view.hello.writer)
    second = FrontEnd(kernel)
    kernel.until(lambda: second.view.hello.package)
    assert not second.view.hello.writer
    first.close()
    kernel.until(lambda: second.view.hello.writer)


def test_another_version_gets_one_clear_message_and_is_closed(start_kernel):
    kernel = start_kernel([ANSWER])
    front = loaded(kernel)
    front.say(Cancel(), version=99)
    answer = kernel.until(lambda: [answer for answer in front.answers if "problem" in answer])[0]
    assert "99" in answer["problem"]
    kernel.until(lambda: any(m["msg_type"] == "comm_close" for m in kernel.messages))


def test_garbage_is_answered_and_changes_nothing(start_kernel):
    kernel = start_kernel([ANSWER])
    front = loaded(kernel)
    for data in ({}, {"frame": "no json"}, {"frame": '{"v":1,"seq":1,"msgs":[{"type":"Nonsense"}]}'}):
        kernel.send("comm_msg", {"comm_id": front.commands, "data": data}, front.subshell)
    front.seq = 1  # what was numbered counts as taken, or it would be sent again for ever
    kernel.until(lambda: len([answer for answer in front.answers if "problem" in answer]) == 3)
    front.say(Prompt(turn_id="t1", text="values"))
    kernel.until(lambda: front.view.turns.get("t1") and front.view.turns["t1"].outcome == "completed")


def test_a_command_that_does_not_fit_comes_back_as_a_problem(start_kernel):
    kernel = start_kernel([ANSWER])
    front = loaded(kernel)
    front.say(Accept(cell_id="nothing"))
    kernel.until(lambda: any(isinstance(event, Problem) for event in front.said))


def test_a_client_that_attaches_before_its_events_comm_is_open_is_greeted_when_it_is(start_kernel):
    kernel = start_kernel([ANSWER])
    kernel.run("%load_ext spark_jupyter")
    front = FrontEnd(kernel, events_last=True)
    kernel.until(lambda: front.view.hello.writer)
    assert not any("problem" in answer for answer in front.answers)


def test_cells_are_written_where_the_prompt_came_from(start_kernel):
    kernel = start_kernel([ANSWER])
    first = loaded(kernel)
    kernel.until(lambda: first.view.hello.writer)
    second = FrontEnd(kernel)
    kernel.until(lambda: second.view.hello.package)
    second.say(Prompt(turn_id="t1", text="values"))
    kernel.until(lambda: second.view.hello.writer and not first.view.hello.writer)


def test_ghost_text_comes_while_a_cell_runs_and_leaves_it_running(start_kernel):
    kernel = start_kernel([{"answer": "range(10):", "repeat": True}])
    front = loaded(kernel)
    busy = kernel.start_busy()
    front.say(Complete(completion_id="c1", cell_id="cell-2", before="for i in "))
    told = kernel.until(lambda: [event for event in front.said if isinstance(event, Completed) and event.done])
    assert told[0].text == "range(10):"
    assert not kernel.idle(busy)
    kernel.process.interrupt()
    kernel.until(lambda: kernel.idle(busy))


def test_what_is_suggested_while_a_cell_runs_is_judged_by_the_kernel_and_known_from_it(start_kernel):
    refused = {"fail": {"status": 400, "code": "no", "message": "no"}}
    kernel = start_kernel(
        [{"match": "mean", "answer": 'ammount"].mean()', "repeat": True}, {**refused, "repeat": True}]
    )
    front = loaded(kernel)
    kernel.run("import pandas as pd\nsales = pd.DataFrame({'city': ['Rome'], 'amount': [1.0]})")
    busy = kernel.start_busy()

    def done(completion_id):
        return [e for e in front.said if isinstance(e, Completed) and e.done and e.completion_id == completion_id]

    front.say(Complete(completion_id="c1", cell_id="here", before='# mean\nsales["'))
    told = kernel.until(lambda: done("c1"))[0]
    assert (told.text, told.mends[0].wrong) == ('amount"].mean()', "ammount")
    front.say(Complete(completion_id="c2", cell_id="here", before='sales["ci'))
    assert kernel.until(lambda: done("c2"))[0].text == 'ty"]'
    assert not kernel.idle(busy)
    kernel.process.interrupt()
    kernel.until(lambda: kernel.idle(busy))


PLOT = """
%matplotlib inline
import pathlib, time
from matplotlib import pyplot as plt
figure, axes = plt.subplots()
axes.plot([1, 2])
print("begun")
while not pathlib.Path(GO).exists():
    time.sleep(0.01)
axes.set_title(str(plt.get_fignums()))
"""


def test_a_message_of_a_front_end_runs_no_hook_of_cells_while_a_cell_draws(start_kernel, tmp_path):
    kernel = start_kernel([ANSWER])
    front = loaded(kernel)
    cell = kernel.start(f"GO = {str(tmp_path / 'go')!r}\n{PLOT}")
    kernel.until(lambda: kernel.of(cell, "stream"))
    front.say(Prompt(turn_id="t1", text="values"))
    kernel.until(lambda: front.view.turns.get("t1") and front.view.turns["t1"].outcome)
    (tmp_path / "go").touch()
    kernel.until(lambda: kernel.idle(cell))
    drawn = [m for m in kernel.messages if m["msg_type"] == "display_data" and "image/png" in m["content"]["data"]]
    assert [message["parent_header"]["msg_id"] for message in drawn] == [cell]
    assert kernel.run("print(axes.get_title())").strip() == "[1]"
