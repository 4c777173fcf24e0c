"""Whether an event was sent by Prolific, just now."""

import base64
import hmac

MOST_SECONDS = 5 * 60
"""Between sending and arriving; an event that is older is a replay, or lost anyway."""


def sign(secret: str, timestamp: str, body: bytes) -> str:
    made = hmac.digest(secret.encode(), timestamp.encode() + body, "sha256")
    return base64.b64encode(made).decode()


def is_genuine(*, secret: str, timestamp: str, body: bytes, signature: str, now: float) -> bool:
    """`timestamp`: Unix seconds, as the header has them. Without a secret nothing is genuine."""
    if not secret or not timestamp.isascii() or not timestamp.isdecimal():
        return False
    if abs(now - int(timestamp)) > MOST_SECONDS:
        return False
    return hmac.compare_digest(sign(secret, timestamp, body).encode(), signature.encode())
