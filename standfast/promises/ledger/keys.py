"""What the ledger's key does: names become pseudonyms, and what rows hold is sealed."""

import hmac
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from standfast.errors import InputError, type_of

BYTES = 32
NONCE = 12
WRONG = (
    "this key is not the one that the ledger was made with; nothing was read. Give the key of "
    "this ledger"
)
HEX = re.compile(r"[0-9a-fA-F]{64}")


def new_key() -> str:
    """A new random key as 64 hexadecimal digits; keep it apart from the database.

    >>> len(new_key())
    64
    """
    return os.urandom(BYTES).hex()


def master_of(key: Any) -> bytes:
    """The key's 32 bytes, given so or as 64 hexadecimal digits."""
    if isinstance(key, str):
        text = key.strip()
        if HEX.fullmatch(text):
            return bytes.fromhex(text)
        raise InputError(
            f"the key is a text of {len(text)} characters; it must be 64 hexadecimal digits, as "
            "'standfast ledger init' writes them"
        )
    if isinstance(key, bytes | bytearray):
        if len(key) == BYTES:
            return bytes(key)
        raise InputError(f"the key has {len(key)} bytes; it must have {BYTES}")
    raise InputError(
        f"the key is {type_of(key)}; give 32 bytes or 64 hexadecimal digits, and keep them apart "
        "from the database"
    )


@dataclass(frozen=True, repr=False)
class Keyring:
    """What is derived from the key of one ledger. The key itself is never stored."""

    salt: bytes
    pseudonyms: bytes
    identities: bytes
    head: bytes
    wrapping: AESGCM
    check: bytes

    @classmethod
    def derive(cls, key: Any, salt: bytes) -> "Keyring":
        """All keys of the ledger that has this salt."""
        master = master_of(key)

        def derived(purpose: str) -> bytes:
            info = b"standfast ledger 1: " + purpose.encode()
            return HKDF(SHA256(), BYTES, salt, info).derive(master)

        return cls(
            salt,
            derived("pseudonyms"),
            derived("identities"),
            derived("head"),
            AESGCM(derived("wrapping")),
            derived("check"),
        )

    def pseudonym(self, subject: Any) -> bytes:
        """The keyed hash that stands for a person: nobody without the key can say whose it is."""
        return hmac.digest(self.pseudonyms, name_of(subject).encode(), "sha256")

    def identity(self, *parts: bytes) -> bytes:
        """What two issues of the same promise have in common."""
        return hmac.digest(self.identities, b"".join(parts), "sha256")[:16]

    def seal_of_head(self, content: bytes) -> bytes:
        """What only the key's owner can write beside the last event."""
        return hmac.digest(self.head, content, "sha256")

    def wrapped(self, count: int) -> tuple[list[bytes], list[bytes]]:
        """New random keys of so many people, bare and wrapped."""
        random, nonces = os.urandom(BYTES * count), os.urandom(NONCE * count)
        bare = [random[i : i + BYTES] for i in range(0, len(random), BYTES)]
        ahead = [nonces[i : i + NONCE] for i in range(0, len(nonces), NONCE)]
        encrypt = self.wrapping.encrypt
        return bare, [n + encrypt(n, k, None) for n, k in zip(ahead, bare, strict=True)]

    def unwrapped(self, wrapped: Sequence[bytes]) -> list[bytes]:
        """People's own keys."""
        decrypt = self.wrapping.decrypt
        try:
            return [decrypt(one[:NONCE], one[NONCE:], None) for one in wrapped]
        except (InvalidTag, ValueError, TypeError) as error:
            raise InputError(
                "a person's key in the ledger is damaged; 'standfast ledger verify' says which"
            ) from error


def sealed(keys: Iterable[bytes], plain: Sequence[bytes], bound_to: Sequence[bytes]) -> list[bytes]:
    """Each text encrypted under its person's key, and tied to what it belongs to."""
    nonces = os.urandom(NONCE * len(plain))
    return [
        nonces[NONCE * i : NONCE * (i + 1)]
        + AESGCM(key).encrypt(nonces[NONCE * i : NONCE * (i + 1)], text, owner)
        for i, (key, text, owner) in enumerate(zip(keys, plain, bound_to, strict=True))
    ]


def opened(keys: Iterable[bytes], found: Sequence[bytes], bound_to: Sequence[bytes]) -> list[bytes]:
    """What was sealed; an altered row is refused, never decrypted to noise."""
    try:
        return [
            AESGCM(key).decrypt(one[:NONCE], one[NONCE:], owner)
            for key, one, owner in zip(keys, found, bound_to, strict=True)
        ]
    except (InvalidTag, ValueError, TypeError) as error:
        raise InputError(
            "a row of the ledger was altered; 'standfast ledger verify' says which"
        ) from error


def name_of(subject: Any) -> str:
    """A subject as text: a text or a whole number, so that 7 and "7" are one person."""
    if isinstance(subject, Integral) and not isinstance(subject, bool):
        return str(int(subject))
    if not isinstance(subject, str):
        raise InputError(
            f"a subject is {type_of(subject)}; people are named by texts or whole numbers"
        )
    if not subject.strip():
        raise InputError("a subject is empty; every person needs a name or a number")
    try:
        subject.encode()
    except UnicodeEncodeError as error:
        raise InputError("a subject holds half a character; write it in UTF-8") from error
    return subject
