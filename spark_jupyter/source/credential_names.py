"""Classification of names: ``db_pass``, ``X-API-Key``, ``mot_de_passe``, ``TOKEN_2``."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Literal

Kind = Literal[
    "PASSWORD", "PIN", "SECRET", "CREDENTIAL", "API_KEY", "KEY", "TOKEN", "SESSION", "SIGNATURE", "SEED_PHRASE", "CARD"
]

WORDS: dict[Kind, str] = {
    "PASSWORD": "password",
    "PIN": "PIN",
    "SECRET": "secret",
    "CREDENTIAL": "credential",
    "API_KEY": "API key",
    "KEY": "key",
    "TOKEN": "token",
    "SESSION": "session",
    "SIGNATURE": "signature",
    "SEED_PHRASE": "seed phrase",
    "CARD": "payment card",
}
"""Names of withheld values for the user."""
SAID_BY_NAME: frozenset[Kind] = frozenset({"PASSWORD", "SECRET", "CREDENTIAL", "API_KEY"})
"""Kinds for which the name is enough; for the others the value must also look like one (``token = "the"``)."""

_PART = re.compile(r"[A-ZÀ-ÖØ-Þ]+(?![^\W\d_A-ZÀ-ÖØ-Þ])|[A-ZÀ-ÖØ-Þ]?[^\W\d_A-ZÀ-ÖØ-Þ]+")
_PASSWORD = frozenset(
    "password passwords passwd passwds passphrase passphrases passcode pwd pswd psw pw pwrd passw passwrd paswd pasword passowrd passwrod "
    "psswd psswrd passkey psk userpass assword "
    "dbpass dbpw mypass rootpass smtppass mailpass sshpass pgpass rootpw adminpass adminpw "
    # German, French, Spanish, Catalan, Galician, Basque, Portuguese, Dutch, Swedish, Norwegian, Danish, Icelandic
    "passwort passwörter passwoerter kennwort kennwörter pwort geheimwort codewort losungswort geheimzahl zugangscode motdepasse "
    "contraseña contrasena contraseñas contrasenas contrasenya contrasinal pasahitza lykilorð senha senhas "
    "wachtwoord wachtwoorden lösenord losenord loesenord passord adgangskode kodeord "
    # Finnish, Polish, Czech, Hungarian, Italian and Romanian, Turkish, Lithuanian, Latvian, Estonian, Croatian, Slovenian, Indonesian
    "salasana hasło haslo heslo jelszó jelszo parola parolă şifre sifre şifresi slaptažodis slaptazodis parole parool lozinka "
    "zaporka geslo katasandi "
    # Russian, Ukrainian, Greek, Chinese, Japanese, Korean, Arabic, Hebrew
    "пароль пароли κωδικός κωδικος 密码 密碼 口令 パスワード 비밀번호 암호 سر סיסמה".split()
)
_PHRASES_BY_KIND: dict[Kind, str] = {
    "PASSWORD": (
        "mot de passe, mots de passe, pass word, pass phrase, pass code, palabra clave, parola chiave, clave acceso, "
        "de acceso, clave secreta, palavra passe, parola ordine, kata sandi, mật khẩu, mat khau, access code, unlock "
        "code, door code, entry code, alarm code, kata laluan, code secret, كلمة المرور, كلمة السر, wifi key, wlan "
        "key, wpa key"
    ),
    "SEED_PHRASE": "seed phrase, seed words, recovery phrase, recovery words, wallet words",
    "API_KEY": (
        "clave api, chave api, chiave api, clé api, cle api, ключ api, totp seed, otp seed, wallet pk, backup code, "
        "backup codes, recovery codes, recovery code"
    ),
    "SESSION": "session id",
    "KEY": "api key id",
    "CARD": "card number, card no",
    "PIN": "pin code, pin number",
    "CREDENTIAL": "login info, login data, login details",
}
_PHRASES: dict[tuple[str, ...], Kind] = {
    tuple(phrase.split()): kind for kind, phrases in _PHRASES_BY_KIND.items() for phrase in phrases.split(", ")
}
_SECRET = frozenset(
    "secret secrets geheim geheimnis segredo segreto secreto sekret тайна секрет 秘密 totpsecret clientsecret".split()
)
_CREDENTIAL = frozenset("credential credentials cred creds zugangsdaten credenciales credenziali identifiants".split())
_KEY = frozenset(
    {"key", "keys", "schlüssel", "schluessel", "clave", "chave", "chiave", "clé", "cle", "ключ", "sleutel", "nyckel"}
)
_OF_KEY = frozenset(
    "api access secret private priv auth account service db database client subscription signing encryption encrypt master storage "
    "shared license licence functions admin app application ssh fernet aes hmac jwt webhook consumer deploy sas gateway wallet "
    "crypto cipher openai anthropic azure google aws gcp mistral cohere gemini groq cerebras deepseek together fireworks replicate "
    "openrouter pinecone stripe sendgrid twilio mailgun datadog sentry wandb kaggle algolia tavily serper serpapi langsmith "
    "langchain".split()
)
_NO_KEY_OF = frozenset(
    "primary foreign sort cache row partition object group join merge hash natural surrogate business lookup dict idempotency public "
    "inchi record index col column compound composite unique dedup sha md5 run job dag task song musical hot shortcut answer".split()
)
"""Words before ``key`` whose keys are ids or buttons."""
_GLUED = re.compile(
    r"(?:pass(?:word|wd|wort|phrase)|pwd)s?$|(?<=[a-z]{3})pw$|^(?!tres|encom|under|over|high|low|band|multi|single)[a-z]{4,}pass$|(?:api|access|secret|private|auth)keys?$|tokens?$|secrets?$|passw$"
)
_TOKEN = frozenset("token tokens tok toks tkn mdp jeton jetons токен pat bearer authorization otp".split())
_ABOUT_TOKENS = frozenset(
    "pad eos bos unk sep cls mask special next prev previous max min num n stop start end first last new input output total per prompt "
    "completion image text word sub page continuation cancellation think eot eom fim".split()
)
_NOT_A_PASS = frozenset(
    "low high band season bus ski rail day "
    "first second third one two single multi forward backward by boarding all next last num n max min by did can will "
    "must should to will test tests".split()
)
_ABOUT = frozenset(
    "field fields label labels name names type types url uri urls path paths file filename files dir env var vars variable column "
    "columns col cols header headers length len min max policy regex pattern prompt message msg error errors hint hints count "
    "limit size input widget reset form title help expiry expires expired expiration ttl format class cls manager provider store "
    "service template icon strength placeholder validator validators validation context required enabled hasher checker arn id ids "
    "scope scopes word words index idx usage uses used kind algorithm alg issuer audience budget ratio rate endpoint link links page age "
    "rotation version position positions mode method methods schema description text button box option options param params "
    "parameter parameters entry location ref reference logprobs bearer counts lengths per attempts retries change changed updated "
    "created at on manager generator".split()
)


def parts(name: str) -> list[str]:
    """The words of a name, small, without numbers: ``adminPassword2`` → ``["admin", "password"]``."""
    return [part.lower() for part in _PART.findall(name)]


@lru_cache(maxsize=16_384)
def kind_of(name: str) -> Kind | None:
    """Kind of a value with this name; None if the name says nothing of a credential or is about one (``password_length``)."""
    words = parts(name[-80:])
    if not words:
        return None
    if name in ("TAN", "mTAN", "OTP", "otp"):
        return "PIN"
    for size in (2, 3):
        for at in range(len(words) - size, -1, -1):
            kind = _PHRASES.get(tuple(words[at : at + size]))
            if kind == "PASSWORD" or (kind and at + size == len(words)):
                return None if words[-1] in _ABOUT and words[-1] not in words[at : at + size] else kind
    if "." in name and any(
        pair in (("account", "key"), ("access", "key"), ("secret", "key")) for pair in pairwise(words)
    ):
        return "API_KEY"  # fs.azure.account.key.NAME.blob.core.windows.net
    if words[-1] in _ABOUT and words[-1] != "bearer":
        return None
    return _of_words(words)


_IN_ASIA = re.compile("密码|密碼|口令|密钥|密鑰|パスワード|暗証番号|秘密鍵|비밀번호|암호|비밀키|รหัสผ่าน")
"""Words of scripts without blanks between words."""


def _of_words(words: list[str]) -> Kind | None:
    if _IN_ASIA.search(words[-1]):
        return "PASSWORD"
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if not _PASSWORD.isdisjoint(words):
        return "PASSWORD"
    if last in ("pass", "passe"):
        return None if before in _NOT_A_PASS else "PASSWORD"
    if last in _KEY or (len(words) > 1 and before in _KEY):
        return _of_key(words)
    if before == "key" or last.startswith("key"):
        return None
    if not _SECRET.isdisjoint(words):
        return "SECRET"
    if last in _CREDENTIAL:
        return "CREDENTIAL"
    if last in _TOKEN or before in _TOKEN:
        return None if not _ABOUT_TOKENS.isdisjoint(words) else "TOKEN"
    return _of_word(last)


def _of_key(words: list[str]) -> Kind | None:
    if not _OF_KEY.isdisjoint(words):
        return "API_KEY"
    if words[-1] == "key" and _NO_KEY_OF.isdisjoint(words):
        return "KEY"
    return {"clave": "TOKEN", "chave": "TOKEN"}.get(" ".join(words))  # type: ignore[return-value]


def _of_word(word: str) -> Kind | None:
    """Kind of a single word, which may be several words glued together."""
    if word in ("cvv", "cvc", "cvn"):
        return "CARD"
    if word in ("appid", "appkey", "apptoken"):
        return "KEY"
    if word in ("pin", "pins", "pincode", "pincodes", "puk"):
        return "PIN"
    if word in ("mnemonic", "seedphrase"):
        return "SEED_PHRASE"
    if word in ("sessionid", "sid", "cookie", "jsessionid", "phpsessid"):
        return "SESSION"
    if word in ("sig", "signature"):
        return "SIGNATURE"
    if word == "auth":
        return "TOKEN"
    match = _GLUED.search(word)
    if match is None:
        return None
    if "token" in match[0]:
        return "TOKEN"
    if "key" in match[0]:
        return "API_KEY"
    return "SECRET" if "secret" in match[0] else "PASSWORD"


_CREDENTIAL_ENDINGS = re.compile(
    r"(?i)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD|_PW|_PAT|_AUTH|CREDENTIALS?)_?\d*$"
)


@lru_cache(maxsize=4_096)
def names_a_credential(variable: str) -> bool:
    """True if an environment variable of this name holds a credential."""
    if variable.upper() in ("PWD", "OLDPWD"):
        return False
    return _CREDENTIAL_ENDINGS.search(variable) is not None or kind_of(variable) in SAID_BY_NAME
