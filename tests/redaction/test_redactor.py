"""Credentials become placeholders, and come back."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jupyter.redaction.redactor import Redactor

# built from parts, so that no scanner of this repository takes them for real ones
AWS = "AKIA" + "IOSFODNN7QWERTYU"
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
OPENAI = "sk-proj-" + "Abc123Def456Ghi789Jkl012Mno345"
JWT = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
PEM = "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEpAIBAAKCAQEA7bq\nabc123==\n-----END RSA PRIVATE " + "KEY-----"


@pytest.fixture
def redactor():
    return Redactor(environ={})


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"key = '{AWS}'", AWS),
        (f"# old: {AWS}", AWS),
        (f"git clone https://{GITHUB}@github.com/x/y", GITHUB),
        (f"client = Client('{OPENAI}')", OPENAI),
        (f"jwt {JWT} end", JWT),
        ("password = 'hunter2!'", "hunter2!"),
        ('PASSWORD="correct horse battery"', "correct horse battery"),
        ("connect(host='h', passwd='s3cr3tpw')", "s3cr3tpw"),
        ('{"api_key": "9f8a7b6c5d4e"}', "9f8a7b6c5d4e"),
        ("config['client_secret'] = 'q9w8e7r6t5'", "q9w8e7r6t5"),
        ("os.environ['MY_API_KEY'] = 'q9w8e7r6t5'", "q9w8e7r6t5"),
        ("os.environ.setdefault('MY_API_KEY', 'q9w8e7r6t5')", "q9w8e7r6t5"),
        ("hf_token: str = 'q9w8e7r6t5'", "q9w8e7r6t5"),
        ("%env WANDB_API_KEY=0123456789abcdef0123", "0123456789abcdef0123"),
        ("export DB_PASSWORD=Zx81Spectrum", "Zx81Spectrum"),
        ("!tool --token 0123abcd4567efgh", "0123abcd4567efgh"),
        ("postgresql://me:S3cret@db.example.com/x", "S3cret"),
        ("headers = {'Authorization': 'Bearer abcdef1234567890abcd'}", "abcdef1234567890abcd"),
        (f"x = '''{PEM}'''", PEM),
    ],
)
def test_a_secret_is_withheld_and_put_back(redactor, text, secret):
    safe = redactor.withhold(text)
    assert secret not in safe
    assert "SPARK_SECRET_1_" in safe
    assert redactor.restore(safe) == text


@pytest.mark.parametrize(
    "text",
    [
        "api_key = 'YOUR_KEY'",
        "api_key = 'your-api-key-here'",
        "password = '<password>'",
        "password = 'changeme'",
        "token = '${TOKEN}'",
        "api_key = os.environ['OPENAI_API_KEY']",
        "api_key=os.environ.get('X_KEY')",
        "password = getpass.getpass('Password: ')",
        "password = input('Enter your password')",
        "tokenizer = 'bert-base-uncased'",
        "pad_token = '[PAD]'",
        "eos_token='</s>'",
        "token = 'word'",
        "df.sort_values(key='name')",
        "primary_key = 'customer_id'",
        "sha = '2fd4e1c67a2d28fced849ee1bb76e7391b93eb12'",
        "url = 'https://user:password@example.com'",
        "f'postgresql://{user}:{password}@{host}'",
        "api_key='sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'",
        "key = columns[0]",
        "print('token', token)",
        "secret = secrets.token_hex(16)",
        "import numpy as np\nx = np.zeros((3, 4))",
        "http://localhost:8888/lab/tree/a@b.ipynb",
        "SPARK_SECRET_9_AWS_KEY",
        "password = 'SPARK_SECRET_9_PASSWORD'",
    ],
)
def test_placeholders_and_code_are_no_secrets(redactor, text):
    assert redactor.withhold(text) == text
    assert redactor.withheld == ()


def test_the_user_is_told_what_was_withheld_and_where_but_not_the_secret(redactor):
    redactor.withhold(f"key = '{AWS}'", where="cell 3")
    redactor.withhold("password = 'hunter2!'", where="the last error")
    redactor.withhold(f"key = '{AWS}'", where="cell 3")
    assert redactor.withheld == ("AWS access key in cell 3", "password in the last error")
    redactor.forget_withheld()
    assert redactor.withheld == ()


def test_a_secret_has_one_placeholder_in_all_texts(redactor):
    first = redactor.withhold("password = 'hunter2!'")
    again = redactor.withhold("login('me', 'hunter2!')")
    assert first == "password = 'SPARK_SECRET_1_PASSWORD'"
    assert again == "login('me', 'SPARK_SECRET_1_PASSWORD')"


def test_two_secrets_have_two_placeholders_and_kinds(redactor):
    assert redactor.withhold(f"a = '{AWS}'; password = 'hunter2!'") == (
        "a = 'SPARK_SECRET_1_AWS_KEY'; password = 'SPARK_SECRET_2_PASSWORD'"
    )


def test_a_short_secret_is_not_replaced_where_it_is_just_a_word(redactor):
    assert "SPARK_SECRET_1_" in redactor.withhold("password = 'pear'")
    assert redactor.withhold("fruit = 'pear'") == "fruit = 'pear'"


def test_a_key_in_the_environment_is_withheld_wherever_it_appears():
    environ = {"MY_SERVICE_KEY": "plain words", "PWD": "/home/someone", "SHORT_KEY": "abc", "EDITOR": "vi visual"}
    redactor = Redactor(environ=environ)
    text = "out: plain words in /home/someone abc vi visual"
    safe = redactor.withhold(text, where="cell 1")
    assert safe == "out: SPARK_SECRET_1_MY_SERVICE_KEY in /home/someone abc vi visual"
    assert redactor.withheld == ("value of MY_SERVICE_KEY in cell 1",)
    assert redactor.restore(safe) == text


def test_a_key_that_is_set_later_is_withheld_from_then_on():
    environ = {}
    redactor = Redactor(environ=environ)
    assert redactor.withhold("say swordfish99") == "say swordfish99"
    environ["LATE_TOKEN"] = "swordfish99"
    assert redactor.withhold("say swordfish99") == "say SPARK_SECRET_1_LATE_TOKEN"


def test_what_is_withheld_twice_stays_as_it_is(redactor):
    once = redactor.withhold(f"password = 'hunter2!' # {AWS}\n{PEM}")
    assert redactor.withhold(once) == once


def test_a_placeholder_that_a_model_made_up_stays(redactor):
    redactor.withhold("password = 'hunter2!'")
    assert redactor.restore("SPARK_SECRET_7_PASSWORD") == "SPARK_SECRET_7_PASSWORD"
    assert redactor.restore("SPARK_SECRET_1_PASSWORD_X") == "hunter2!_X"


def test_of_an_edit_only_those_credentials_come_back_that_its_cell_has(redactor):
    safe = redactor.withhold('password = "hunter2!"\napi_key = "another-one-2"')
    mine = redactor.restore(safe, of='password = "hunter2!"')
    assert "hunter2!" in mine
    assert "another-one-2" not in mine


def test_a_copy_gets_the_placeholder_of_what_was_withheld_wherever_it_stands(redactor):
    safe = redactor.withhold('password = "hunter2!"')
    assert redactor.cover('password = "hunter2!"') == safe
    assert redactor.cover("x = 'a hunter2! b'").count("SPARK_SECRET_1") == 1


@given(st.text(alphabet="pasword=:'\" \nAKI0123456789/@{}[]()-_sktoken", max_size=300))
def test_any_text_comes_back_as_it_was(text):
    redactor = Redactor(environ={"A_KEY": "pas=word", "B_TOKEN": "0123456789"})
    assert redactor.restore(redactor.withhold(text)) == text


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "password = ",
            "A" * 50 + " ",
            "token=\n",
            "a:b@",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "x_",
            "eyJ",
            "sk-",
        ),
        *(
            "password=[",
            "login('",
            "https://a:",
            "docker login ",
            "  password\n",
            "| token ",
            "abandon ",
            "a, b = ",
            "kind: Secret\ndata:\n  a: b\n",
            "<table><tr>",
            "def f(a, password): ",
            "connect('x', ",
            "echo x | ",
            "\\",
            '"',
            "{",
            "  ",
        ),
    ],
)
def test_a_long_text_of_one_kind_is_no_trap(redactor, piece):
    text = piece * (50_000 // len(piece))
    assert redactor.restore(redactor.withhold(text)) == text


def test_a_picture_in_a_text_goes_as_a_placeholder_and_comes_back(redactor):
    picture = base64.b64encode(bytes(range(256)) * 8).decode()
    text = f"# Report\n![a](data:image/png;base64,{picture})\nkey = '{AWS}'\n"
    hidden = redactor.withhold(text, where="cell 1")
    assert picture[:100] not in hidden
    assert "EMBEDDED_FILE" in hidden
    assert AWS not in hidden
    assert redactor.withheld == ("AWS access key in cell 1",)
    assert redactor.restore(hidden, of=text) == text
    assert redactor.withhold(f"x = '{picture}'") == f"x = '{picture}'"


def test_a_small_picture_goes_as_it_is(redactor):
    text = "![a](data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=)"
    assert redactor.withhold(text) == text
