"""Credentials that are found, and harmless text that is left alone."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jupyter.prompting.dialogue import withheld_prompt
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.redaction.namespace_secrets import held_in
from spark_jupyter.redaction.redactor import Redactor
from spark_jupyter.source.credential_names import kind_of, names_a_credential
from tests.redaction.secret_corpus import Harmless, Sample, harmless, samples

SAMPLES, HARMLESS = samples(), harmless()
VALUE = "tr0ub4" + "dor3x"


def test_the_corpus_is_large_enough_to_say_something():
    assert len(SAMPLES) >= 150
    assert len({sample.kind for sample in SAMPLES}) >= 40
    assert len({line.text for line in HARMLESS}) >= 500
    assert all(sample.secrets for sample in SAMPLES)


@pytest.mark.parametrize("half", [0, 1])
def test_at_least_95_of_100_texts_with_credentials_leave_without_them(half):
    texts = [sample for sample in SAMPLES if sample.half == half]
    leaking = [sample for sample in texts if sample.leaks()]
    assert len(leaking) <= 0.05 * len(texts), leaking


PLACES = {
    "a cell": lambda text: (Prompt(turn_id="t", text="", cells=(NotebookCell(id="1", source=text),)), Surroundings()),
    "Markdown": lambda text: (
        Prompt(turn_id="t", text="", cells=(NotebookCell(id="1", cell_type="markdown", source=text),)),
        Surroundings(),
    ),
    "an output": lambda text: (
        Prompt(turn_id="t", text="", cells=(NotebookCell(id="1", outputs=text),)),
        Surroundings(),
    ),
    "a traceback": lambda text: (
        Prompt(turn_id="t", text="", cells=(NotebookCell(id="1", error=text),)),
        Surroundings(),
    ),
    "the last traceback": lambda text: (Prompt(turn_id="t", text=""), Surroundings(last_error=text)),
    "the variables": lambda text: (Prompt(turn_id="t", text=""), Surroundings(variables=text)),
    "the prompt": lambda text: (Prompt(turn_id="t", text=text), Surroundings()),
}


def sent(text: str, place: str, environ: dict[str, str]) -> str:
    prompt, surroundings = withheld_prompt(Redactor(environ=environ), *PLACES[place](text))
    cell = prompt.cells[0] if prompt.cells else NotebookCell(id="")
    return "".join(
        (prompt.text, cell.source, cell.outputs, cell.error, surroundings.variables, surroundings.last_error)
    )


@pytest.mark.parametrize("place", PLACES)
def test_wherever_it_stands_a_credential_of_95_of_100_kinds_does_not_leave_and_of_harmless_lines_1_is_touched(place):
    first = [sample for sample in SAMPLES if not sample.kind.startswith(("round", "later"))]
    leaking = {
        sample.kind
        for sample in first
        if any(secret in sent(sample.text, place, sample.environ) for secret in sample.secrets)
    }
    assert len(leaking) <= 0.05 * len({sample.kind for sample in first}), leaking
    some = HARMLESS[::8]
    touched = [line for line in some if sent(line.text, place, {}) != line.text]
    assert len(touched) <= 0.01 * len(some), touched


@pytest.mark.parametrize("half", [0, 1])
def test_at_most_1_of_100_harmless_texts_is_touched(half):
    texts = [line for line in HARMLESS if line.half == half]
    touched = [line for line in texts if line.withheld()]
    assert len(touched) <= 0.01 * len(texts), touched


def test_every_text_of_the_corpus_comes_back_as_it_was():
    def comes_back(text: Sample | Harmless) -> bool:
        redactor = Redactor(environ=getattr(text, "environ", {}))
        return redactor.restore(redactor.withhold(text.text)) == text.text

    assert [text for text in (*SAMPLES, *HARMLESS) if not comes_back(text)] == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(
            (name, "PASSWORD")
            for name in ("db_pass", "DB_PASS_2", "adminPassword", "passwort", "mot_de_passe", "smtpPwd", "PGPASSWORD")
        ),
        *(
            (name, "API_KEY")
            for name in ("X-API-Key", "OPENAI_API_KEY", "apikey", "aws_secret_access_key", "azureKey", "api_key2")
        ),
        *((name, "TOKEN") for name in ("hf_token", "accessToken", "_authToken", "GITHUB_TOKEN_2")),
        *(
            (name, None)
            for name in (
                "password_length",
                "token_type",
                "pad_token",
                "max_tokens",
                "bypass",
                "low_pass",
                "primary_key",
            )
        ),
        *(
            (name, None)
            for name in ("tokenizer", "compass", "passengers", "author", "keyboard", "pwd_context", "secret_name", "")
        ),
    ],
)
def test_a_name_says_what_its_value_is(name, kind):
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    "name", ["DB_PASS", "APP_PWD", "KEY_PASSPHRASE", "TOKEN_2", "API_KEY3", "HASURA_SECRET", "NPM_TOKEN"]
)
def test_a_variable_of_the_environment_is_known_by_its_name(name):
    assert names_a_credential(name)
    assert Redactor(environ={name: VALUE}).withhold(f"got {VALUE}") != f"got {VALUE}"


@pytest.mark.parametrize("name", ["PWD", "OLDPWD", "PATH", "HOME", "KEYBOARD", "TOKENIZERS_PARALLELISM"])
def test_other_variables_are_not(name):
    assert not names_a_credential(name)


@pytest.mark.parametrize(
    "text",
    [
        VALUE[::-1],
        VALUE.encode().hex(),
        VALUE.encode().hex(":"),
        VALUE.encode().hex().upper(),
        base64.b64encode(VALUE.encode()).decode(),
        base64.b64encode(f"me:{VALUE}".encode()).decode(),
        base64.b64encode(f"x{VALUE}y".encode()).decode(),
        base64.b32encode(VALUE.encode()).decode(),
        "".join(f"\\x{byte:02x}" for byte in VALUE.encode()),
        str(list(VALUE)),
        str(list(VALUE.encode())),
        f"'{VALUE[:5]}' + '{VALUE[5:]}'",
        f"a = '{VALUE[:5]}'\nb = '{VALUE[5:]}'\nprint(a + b)",
        f"x={VALUE}&y=1",
        f"'{VALUE}'",
    ],
)
def test_a_known_value_is_found_however_it_is_written(text):
    safe = Redactor(environ={"DB_PASS": VALUE}).withhold(f"out: {text}!")
    assert text not in safe
    assert VALUE[:5] not in safe
    assert "SPARK_SECRET_1_" in safe


def test_a_known_value_in_a_url_is_found():
    value = "p@ss wörd/7"
    assert Redactor(environ={"DB_PASS": value}).withhold(f"q={quote(value, safe='')}") == "q=SPARK_SECRET_1_DB_PASS"


def test_a_value_that_is_no_unicode_is_found_too():
    value = "caf\udce9-latte7"
    assert Redactor(environ={"DB_PASS": value}).withhold(f"q={value} {VALUE}") == f"q=SPARK_SECRET_1_DB_PASS {VALUE}"


@pytest.mark.parametrize("text", ["harbor_master = 1", "my_harbor", "harbors", "Harbor1harbor1", "harbor1x = 2"])
def test_a_known_value_inside_a_longer_word_is_that_words(text):
    assert Redactor(environ={"DB_PASS": "harbor", "APP_PASS": "harbor1"}).withhold(text) == text


def test_what_the_kernel_holds_is_known():
    redactor = Redactor(environ={})
    with redactor.at_once([("db_pass", "mulberry")]):
        assert redactor.withhold("out: mulberry") == "out: SPARK_SECRET_1_DB_PASS"


def test_a_namespace_holds_what_its_names_and_forms_say():
    class Own(str):
        __slots__ = ()

    github = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    namespace = {
        "db_pass": "mulberry",
        "anything": github,
        "config": {"password": b"elderberry", "host": "db.example.com", 3: "x"},
        "password": Own("his class's methods could run"),
        "api_key": "YOUR_API_KEY",
        "token": "the",
        "_password": "underscored",
        "n": 3,
    }
    assert dict(held_in(namespace)) == {"db_pass": "mulberry", "anything": github, "config.password": "elderberry"}


FRAGMENTS = st.sampled_from(
    [
        *(
            "password",
            "db_pass",
            "token",
            "api_key",
            " = ",
            "=",
            ":",
            ": ",
            "'",
            '"',
            "`",
            "\n",
            "  ",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ",",
            "|",
        ),
        *(
            "f'",
            "+",
            "\\",
            "hunter2!",
            "x7k9fjq02m",
            "eyJ",
            ".",
            "sk-",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "é",
            "@",
        ),
        *(
            "://",
            "auth=(",
            "curl -u ",
            "mysql -p",
            "Name: password, dtype: object",
            "78376b39666a7130326d",
            "_",
            "a",
            "1",
        ),
    ]
)


@given(st.lists(FRAGMENTS | st.text(max_size=3), max_size=60).map("".join))
def test_whatever_is_withheld_comes_back(text):
    redactor = Redactor(environ={"A_KEY": "x7k9fjq02m"})
    safe = redactor.withhold(text)
    assert redactor.restore(safe) == text
    assert redactor.restore(redactor.withhold(safe)) == text


@given(FRAGMENTS, FRAGMENTS)
def test_however_often_something_is_repeated_there_is_an_end(one, other):
    text = (one + other) * 500
    redactor = Redactor(environ={"A_KEY": "x7k9fjq02m"})
    assert redactor.restore(redactor.withhold(text)) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("kaggle config set -n key -v 3f9a07c41be8d2650f7a9c3e1d5b8a24", "3f9a07c41be8d2650f7a9c3e1d5b8a24"),
        ("**Login:** kim / Seidenschwanz1", "Seidenschwanz1"),
        ("# Passwords:\n- dwh Kleiber12\n- ftp Zaunkoenig7", "Zaunkoenig7"),
        ("2FA backup codes\nk3p9-x7qd\nm2v8-c4rt", "m2v8-c4rt"),
    ],
)
def test_a_line_that_speaks_of_a_credential_gives_away_what_is_no_word(text, secret):
    assert secret not in Redactor(environ={}).withhold(text)


@pytest.mark.parametrize(
    "text",
    [
        'token = secret_of("oauth2_scheme")',
        "The password is hashed with argon2 and kept in db/users2024",
        "docker run -p 5432:5432 -e POSTGRES_PASSWORD=$PGPASS postgres:16",
        "Passwords were reset on 2024-03-01 for 12 users",
    ],
)
def test_names_of_the_code_files_ports_and_dates_beside_the_word_are_left_alone(text):
    assert Redactor(environ={}).withhold(text) == text


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        ('password = "-".join(["bramble", "finch"])', ("bramble", "finch")),
        ("pwd = bytes([104, 117, 110, 116, 101, 114]).decode()", ("104, 117, 110, 116, 101, 114",)),
        ('password = "21rewolfnus"[::-1]', ("21rewolfnus",)),
        ("password = ''.join(chr(c) for c in [115, 51, 99, 114, 51])", ("115, 51, 99, 114, 51",)),
        ("url = f\"postgresql://{user}:{'whinchat1'}@{host}/db\"", ("whinchat1",)),
    ],
)
def test_a_value_is_found_however_its_expression_puts_it_together(text, secrets):
    safe = Redactor(environ={}).withhold(text)
    assert [secret for secret in secrets if secret in safe] == []


@pytest.mark.parametrize(
    "text",
    [
        'password = base64.b64decode(os.environ["PW_B64"]).decode()',
        'password = client.access_secret_version(name="projects/1/secrets/db/versions/3").payload',
        'is_password = kind == "lantern"',
    ],
)
def test_what_an_expression_tells_to_something_else_is_no_value(text):
    assert Redactor(environ={}).withhold(text) == text
