"""The code of a classroom, and what is signed with the secret of the servers: teacher's token, student's ticket, receipt.

Whoever has the token is a teacher of the classroom with its code, on every replica. Nothing of it is stored: a signature is an
HMAC (RFC 2104) of what it says.
"""

import hashlib
import hmac
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass

ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"  # base 20 of RFC 8628, 6.1: no vowels, so no words, and no two that look alike
LENGTH = 6
LASTS = 12 * 3600.0  # seconds that a token and a ticket are good
REREAD = 60.0  # seconds after which the shared secret is read again, which keeps it among what the store holds
SIGNED = 18  # bytes of a signature
SHORTEST = 16  # characters of a configured secret
KEY, RANDOM = "classroom secret", 32  # in the store; bytes
TEACHER, STUDENT, RECEIPT = "teacher", "student", "receipt"


@dataclass(frozen=True)
class Invitation:
    """A new classroom: its code, and the token of its teacher, which expires at ``expires`` (seconds since 1970)."""

    code: str
    token: str
    expires: float


def new_code() -> str:
    """A random code, one of 20^6."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def read_code(text: str) -> str:
    """The code in ``text``, which may be in small letters and have blanks and dashes; "" for what is no code."""
    code = "".join(text.split()).replace("-", "").upper()
    return code if text.isascii() and len(code) == LENGTH and set(code) <= set(ALPHABET) else ""


def check(secret: str) -> None:
    """ValueError for a configured secret that can be guessed; "" is none."""
    if secret and len(secret) < SHORTEST:
        raise ValueError(f"the classroom_secret has {len(secret)} characters; write {SHORTEST} or more, at random")


class Signer:
    """Signs with a secret that all replicas share: ``first(value)`` is the value that a server stored first."""

    def __init__(self, first: Callable[[bytes], bytes], clock: Callable[[], float] = time.time) -> None:
        self._first, self._clock = first, clock
        self._secret, self._read = secrets.token_bytes(RANDOM), -REREAD

    def now(self) -> float:
        """The time, in seconds since 1970."""
        return self._clock()

    def invite(self) -> Invitation:
        """A new code with the token of its teacher."""
        code, expires = new_code(), int(self._clock() + LASTS)
        return Invitation(code, self.timed(TEACHER, code, expires), expires)

    def timed(self, kind: str, code: str, expires: float) -> str:
        """The token of a teacher or the ticket of a student, good until ``expires``."""
        return f"{int(expires)}.{self.sign(kind, code, str(int(expires)))}"

    def expires(self, kind: str, code: str, text: str) -> float:
        """Until when a token or ticket is good; 0.0 for one that is not."""
        until = text.partition(".")[0]
        if not (text.isascii() and until.isdecimal() and len(until) < 12) or int(until) <= self._clock():
            return 0.0
        return float(until) if hmac.compare_digest(self.timed(kind, code, int(until)), text) else 0.0

    def sign(self, *parts: str) -> str:
        """The signature of ``parts``."""
        if (now := time.monotonic()) - self._read >= REREAD:
            self._secret, self._read = self._first(self._secret), now
        message = "\0".join(parts).encode("utf-8", "surrogatepass")
        return urlsafe_b64encode(hmac.digest(self._secret, message, hashlib.sha256)[:SIGNED]).decode()

    def signed(self, signature: str, *parts: str) -> bool:
        """Whether ``signature`` is that of ``parts``."""
        return signature.isascii() and hmac.compare_digest(self.sign(*parts), signature)
