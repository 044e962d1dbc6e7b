"""Bug reports, made on the command line."""

from __future__ import annotations

from spark_jupyter.recordings.recording_file import Ask, End, Exchange, Failure, Header, Request, Text, encode, load
from tests.ui.commands import spark

KEY = "sk-" + "ant-api03-Zk3" * 6


def test_a_report_has_the_versions_and_no_credentials_and_says_what_is_in_it(tmp_path):
    path = tmp_path / "lesson.spark.jsonl"
    line = f"api_key = '{KEY}'\n"
    exchange = Exchange(
        Request(fingerprint="f", model="m", ask=Ask(request=f"use {KEY}", intent="edit", edited="c1", edit="x\ny")),
        (Text(line, ((1000, 5), (500, len(line) - 5))),),
        End(outcome="failed", error=Failure(code="overloaded", message=KEY)),
    )
    path.write_bytes(encode(Header(version=1, made="2026-11-27", package="1"), [exchange]))
    done = spark("report", path)
    assert done.returncode == 0, done.stderr
    written = tmp_path / "lesson-report.spark.jsonl"
    assert KEY not in written.read_text() + done.stdout
    (found,) = load(written).exchanges
    assert found.text.startswith("api_key = 'SPARK_SECRET_")
    assert (found.milliseconds, found.request.fingerprint) == (1500, "f")
    assert "Python" in load(written).header.environment
    assert "(edits c1, 2 lines)" in done.stdout
    assert "m: failed (overloaded)" in done.stdout
    assert "Nothing was sent." in done.stdout
    again = spark("report", path)
    assert (again.returncode, written.exists()) == (1, True)
    assert "can't be written" in again.stderr
