"""Refusals in all their forms, and that no key gets through."""

from __future__ import annotations

import json

import pytest

from spark_jupyter.exceptions import (
    AuthenticationFailed,
    ConnectionLost,
    ModelNotFound,
    Overloaded,
    QuotaUsedUp,
    RateLimited,
    RequestRefused,
)
from spark_jupyter.providers.refusals import bad_response, read_refusal, scrub, to_error, withhold


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Incorrect API key provided: sk-proj-abc123DEF456. Find yours", "sk-proj-abc123DEF456"),
        ("Incorrect API key provided: sk-ab***********wxyz.", "sk-ab***********wxyz"),
        ("Authorization: Bearer abc.def.ghi failed", "abc.def.ghi"),
        ("key gsk_0123456789 is bad", "gsk_0123456789"),
        ("xai-0123456789abc", "xai-0123456789abc"),
        ("csk-0123456789abc", "csk-0123456789abc"),
        ("Authorization: Bearer auth.9f8e7d6c failed", "9f8e7d6c"),
        ("Incorrect key: Bearer abc.def.ghi", "abc.def.ghi"),
    ],
)
def test_what_looks_like_a_key_is_withheld(text: str, secret: str) -> None:
    assert secret not in scrub(text)
    assert "withheld" in scrub(text)


def test_a_placeholder_for_a_key_is_withheld_and_no_letter_of_a_word_is() -> None:
    error = ConnectionLost("The key 'k' was refused, so ask again.", remedy="Check k, and keep it.")
    withhold(error, "k")
    assert str(error).startswith("The key '(key withheld)' was refused, so ask again.")
    assert error.remedy == "Check (key withheld), and keep it."


def test_a_key_that_is_known_is_withheld_whatever_it_looks_like() -> None:
    error = to_error(read_refusal("the word hunter2 is wrong"))
    withhold(error, "hunter2")
    assert "the word (key withheld) is wrong" in str(error)


@pytest.mark.parametrize("field", ["message", "code", "type", "param"])
def test_nothing_that_a_provider_says_drives_a_terminal_or_hides(field: str) -> None:
    said = "\x1b]52;c;cm0=\x07 \x9b2J \u202egnp \U000e0041 \r\n" + "AK" + "IAQ3EGRTB4ZK7XWNYD password=hunter2"
    for status in (0, 400, 401, 404, 429, 500):
        refusal = read_refusal({"error": {field: said}}, status=status)
        shown = str(to_error(refusal, model="m", where="here")) + refusal.param
        assert not {char for char in shown if ord(char) < 32 or 127 <= ord(char) < 160 or char in "\u202e\U000e0041"}
        assert "IAQ3EGRTB" not in shown
        assert "hunter2" not in shown


@pytest.mark.parametrize(
    "text",
    [
        "task-oriented models: ask-me, disk-usage, pk, skip; the key is missing",
        "Send it as a bearer token in the header 'Authorization', or by Bearer authentication.",
    ],
)
def test_ordinary_words_are_left_alone(text: str) -> None:
    assert scrub(text) == text


def test_long_texts_are_cut() -> None:
    assert len(scrub("word " * 1000)) <= 400
    assert len(str(bad_response("rubbish", data=b"x" * 10_000))) < 500


@pytest.mark.parametrize(
    ("headers", "message", "expected"),
    [
        ({"Retry-After": "12"}, "", 12.0),
        ({"retry-after-ms": "250", "Retry-After": "9"}, "", 0.25),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:10 GMT", "Date": "Wed, 21 Oct 2026 07:28:00 GMT"}, "", 10.0),
        ({"Retry-After": "soon"}, "", None),
        ({"Retry-After": "-3"}, "", 0.0),
        ({}, "Please try again in 1.5s.", 1.5),
        ({}, "Please try again in 20ms. Visit …", 0.02),
        ({}, "Please retry after 2 minutes", 120.0),
        ({}, "Limit 3, used 3", None),
    ],
)
def test_when_to_come_back_is_read_wherever_it_stands(
    headers: dict[str, str], message: str, expected: float | None
) -> None:
    body = json.dumps({"error": {"message": message}})
    error = to_error(read_refusal(body, status=429, headers=headers))
    assert isinstance(error, RateLimited)
    assert error.retry_after == expected


@pytest.mark.parametrize(
    "body",
    [
        b'{"error":{"message":"why","code":"c","type":"t","param":"p"}}',
        b'{"message":"why","code":"c"}',
        b'{"error":"why"}',
        b'{"detail":"why"}',
        b'[{"error":{"message":"why"}}]',
        b"why",
        b"<html><body><h1>why</h1></body></html>",
    ],
)
def test_the_reason_is_found_in_every_form_of_body(body: bytes) -> None:
    assert read_refusal(body, status=400).message == "why"
    assert isinstance(to_error(read_refusal(body, status=400)), RequestRefused)


def test_a_body_of_any_bytes_is_no_reason_to_fail() -> None:
    for body in (b"", b"\xff\xfe\x00", b"null", b"[]", b'{"error":null}', b'{"error":[1]}'):
        error = to_error(read_refusal(body, status=502))
        assert error.message
        assert error.remedy


def test_a_fault_of_the_server_is_said_in_its_words_without_a_code_that_says_no_more() -> None:
    error = to_error(read_refusal({"error": {"code": "server_error", "message": "The model ended."}}), where="here")
    assert error.message == "here failed: The model ended."


@pytest.mark.parametrize(
    ("status", "error", "expected"),
    [
        (404, {"code": "model_not_found", "message": "?"}, ModelNotFound),
        (404, {"message": 'model "llama9" not found, try pulling it first', "type": "not_found_error"}, ModelNotFound),
        (400, {"message": "The requested model 'x' is not supported.", "code": "invalid_request"}, ModelNotFound),
        (404, {"message": "The model `x` does not exist or you do not have access to it."}, ModelNotFound),
        (404, {"code": "DeploymentNotFound", "message": "The API deployment does not exist."}, ModelNotFound),
        (404, {"message": "Not Found"}, RequestRefused),
        (400, {"message": "previous response not found", "code": "previous_response_not_found"}, RequestRefused),
        (401, {"message": "who?"}, AuthenticationFailed),
        (0, {"code": "invalid_api_key", "message": "who?"}, AuthenticationFailed),
        (429, {"code": "insufficient_quota", "message": "pay"}, QuotaUsedUp),
        (500, {"message": "oh"}, RequestRefused),
        (503, {"message": "overloaded"}, Overloaded),
        (529, {"type": "overloaded_error", "message": "Overloaded"}, Overloaded),
        (0, {"type": "overloaded_error", "message": "Overloaded"}, Overloaded),
        (404, {"type": "not_found_error", "message": "model: claude-9"}, ModelNotFound),
        (
            404,
            {"code": 404, "status": "NOT_FOUND", "message": "models/x is not found for API version v1beta"},
            ModelNotFound,
        ),
        (400, {"type": "invalid_request_error", "message": "Your credit balance is too low."}, QuotaUsedUp),
        (
            400,
            {"code": 400, "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]},
            AuthenticationFailed,
        ),
        (0, {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "quota"}, RateLimited),
        (429, {"code": "429", "type": "budget_exceeded", "message": "Budget has been exceeded!"}, QuotaUsedUp),
        (402, {"code": 402, "message": "Insufficient credits"}, QuotaUsedUp),
        (403, {"code": "403", "type": "key_model_access_denied", "message": "key not allowed"}, ModelNotFound),
    ],
)
def test_a_refusal_becomes_the_error_that_says_what_to_do(
    status: int, error: dict[str, str], expected: type[Exception]
) -> None:
    typed = to_error(read_refusal(json.dumps({"error": error}), status=status), model="x", where="here")
    assert isinstance(typed, expected)
    assert typed.remedy
    assert "here" in typed.message


def test_a_refusal_has_one_code_for_machines() -> None:
    assert to_error(read_refusal(b"", status=400)).code == "request_refused"


@pytest.mark.parametrize(
    "page", [b"<!DOCTYPE html><html><head><title>Log in\x1b[2J</title></head>", b"\n <html><p>Hello"]
)
def test_a_web_page_in_place_of_an_answer_is_called_one(page: bytes) -> None:
    error = bad_response("no list of models", data=page, where="proxy.example")
    assert error.message.startswith("proxy.example sent a web page")
    assert ("'Log in" in error.message) == (b"title" in page)
    assert "\x1b" not in error.message
    assert "<" not in error.message
    assert "log in" in error.remedy
