"""Broken ciphers, modes, key lengths, and repeated initialisation vectors."""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, always, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Value

_BROKEN: Final = "DES DES3 ARC2 ARC4 Blowfish XOR CAST RC4 RC2"
_SEALS: Final = "AESGCM AESCCM AESOCB3 ChaCha20Poly1305"
"""Authenticated ciphers; AESSIV and AESGCMSIV tolerate a repeated nonce."""
_HAZMAT: Final = "TripleDES ARC4 Blowfish CAST5 IDEA SEED RC2"


def _is_fixed(value: Value) -> bool:
    return isinstance(value.const, str | bytes) or (value.safe and value.text is not None)


def _aes(call: Call, state: State) -> Hit | None:
    mode = call.argument(1, "mode")
    if mode.name.endswith("MODE_ECB") or (mode.const == 1) or (not call.given(1, "mode") and len(call.args) == 1):
        return Hit(
            call.node,
            message="In ECB mode equal blocks stay equal: the picture shows through.",
            remedy="Use AES.MODE_GCM with a new nonce each time.",
        )
    vector = call.argument(2, "iv", "nonce", "IV")
    if call.given(2, "iv", "nonce", "IV") and _is_fixed(vector):
        return Hit(
            call.node,
            cwe=1204 if mode.name.endswith(("CBC", "CFB", "OFB")) else 329,
            message="The initialisation vector is always the same: equal beginnings show.",
            remedy="Make a new one each time: os.urandom(16), and send it along.",
        )
    if vector.name.startswith("random."):
        return Hit(call.node, cwe=338)
    return None


def _mode(call: Call, state: State) -> Hit | None:
    if call.tail == "ECB":
        return Hit(call.node)
    vector = call.argument(0, "initialization_vector", "nonce")
    if _is_fixed(vector):
        return Hit(
            call.node,
            cwe=329,
            message="The initialisation vector is always the same.",
            remedy="Make a new one each time: os.urandom(16).",
        )
    return None


def _sealed(call: Call, state: State) -> Hit | None:
    """``AESGCM(key).encrypt(nonce, …)``: two texts under one nonce give away both, and the key that vouches (NIST SP 800-38D, 8)."""
    nonce = call.argument(0, "nonce")
    if _is_fixed(nonce):
        return Hit(
            call.node,
            cwe=323,
            message="The nonce is always the same: two texts that are sealed under it give each other away.",
            remedy="Make a new one each time, os.urandom(12), and send it along.",
        )
    return None


def _bits(call: Call, state: State) -> Hit | None:
    if "EllipticCurve" in call.name or call.name.startswith("ec."):
        return None
    size = call.argument(
        1
        if "cryptography" in call.name or (call.name.startswith(("rsa.", "dsa.", "dh.")) and state.uses("cryptography"))
        else 0,
        "key_size",
        "bits",
        "nbits",
    )
    if not isinstance(size.const, int):
        size = next(
            (
                value
                for value in call.args
                if isinstance(value.const, int) and value.const >= 256 and value.const != 65537
            ),
            Value(),
        )
    small = isinstance(size.const, int) and 64 <= size.const < 2048
    if small:
        return Hit(
            call.node,
            cwe=326,
            message=f"A key of {size.const!r} bits can be broken.",
            remedy="Use at least 2048 bits, better 3072.",
        )
    return None


def _padding(call: Call, state: State) -> Hit | None:
    """PKCS #1 v1.5 is broken for hiding, not for signing (RFC 8017, 7.2)."""
    if "PKCS1_v1_5" in call.name or call.argument(1, "padding").name.endswith("PKCS1v15()"):
        return Hit(
            call.node,
            cwe=780,
            message="With this padding, anybody who can have many messages decrypted can read other people's.",
            remedy="Use OAEP: padding.OAEP(...), PKCS1_OAEP.new(key).",
        )
    return None


def _curve(call: Call, state: State) -> Hit | None:
    curve = call.argument(0, "curve")
    weak = curve.name.rstrip("()").endswith(
        ("SECP192R1", "SECT163K1", "SECT163R2", "SECP160R1", "SECT233K1", "SECT233R1")
    )
    if weak:
        return Hit(call.node, cwe=326, message="This curve is too small.", remedy="Use ec.SECP256R1() or Ed25519.")
    return None


RULE: Final = Rule(
    id="weak-cipher",
    cwe=327,
    severity="warn",
    message="This cipher is broken: what it hides can be read.",
    remedy="Use cryptography.fernet.Fernet, or AES in GCM mode with a new nonce each time.",
    bad=(
        "from Crypto.Cipher import DES\nDES.new(key, DES.MODE_CBC, iv)",
        "from Crypto.Cipher import AES\nAES.new(key, AES.MODE_ECB)",
        "from Crypto.Cipher import AES\nAES.new(key, AES.MODE_CBC, b'0' * 16)",
    ),
    good=(
        "from Crypto.Cipher import AES\nAES.new(key, AES.MODE_GCM)",
        "from Crypto.Cipher import AES\nimport os\nAES.new(key, AES.MODE_CBC, os.urandom(16))",
        "from cryptography.hazmat.primitives.asymmetric import rsa\nrsa.generate_private_key(public_exponent=65537, key_size=3072)",
    ),
    calls={
        **on(" ".join(f"Crypto.Cipher.{name}.new {name}.new" for name in _BROKEN.split()), always),
        **on(
            " ".join(
                f"algorithms.{name} cryptography.hazmat.primitives.ciphers.algorithms.{name} "
                f"cryptography.hazmat.decrepit.ciphers.algorithms.{name}"
                for name in _HAZMAT.split()
            )
            + " pyDes.des pyDes.triple_des",
            always,
        ),
        **on("Crypto.Cipher.AES.new AES.new", _aes),
        **on(
            " ".join(
                f"cryptography.hazmat.primitives.ciphers.aead.{name}().encrypt {name}().encrypt"
                for name in _SEALS.split()
            ),
            _sealed,
        ),
        **on("Crypto.Cipher.PKCS1_v1_5.new", _padding),
        **on(
            (
                "cryptography.hazmat.primitives.ciphers.modes.ECB modes.ECB cryptography.hazmat.primitives.ciphers.modes.CBC "
                "modes.CBC cryptography.hazmat.primitives.ciphers.modes.CTR modes.CTR modes.GCM cryptography.hazmat.primitives.cip"
                "hers.modes.GCM"
            ),
            _mode,
        ),
        **on(
            (
                "cryptography.hazmat.primitives.asymmetric.rsa.generate_private_key rsa.generate_private_key "
                "cryptography.hazmat.primitives.asymmetric.dsa.generate_private_key dsa.generate_private_key "
                "Crypto.PublicKey.RSA.generate Crypto.PublicKey.DSA.generate RSA.generate DSA.generate rsa.newkeys "
                "cryptography.hazmat.primitives.asymmetric.dsa.generate_parameters cryptography.hazmat.primitives.asymmetric.dh.ge"
                "nerate_parameters RSA.generate_ OpenSSL.crypto.PKey().generate_key_"
            ),
            _bits,
        ),
        **on("cryptography.hazmat.primitives.asymmetric.ec.generate_private_key ec.generate_private_key", _curve),
    },
    methods={
        **on("generate_key", lambda call, state: _bits(call, state) if "PKey" in call.name else None),
        **on("encrypt decrypt", _padding),
    },
)
