"""Values that no person types: NUL, halves of surrogate pairs, huge numbers, long texts, nested JSON."""

import json
import random
from typing import Any
from urllib.parse import quote

TEXTS = (
    *("", " ", "\0", "a\0b", "\x7f", "\u202e", "\ufeff", "\U0001f600", "é\u0301", "Ω" * 300, "x" * 3_000, "x" * 20_000),
    *("-1", "0", "1", "2147483648", "9223372036854775808", "9" * 40, "9" * 5_000, "1e400", "NaN", "²", "١٢", "0x10"),
    *("'", '"', "';--", "<script>alert(1)</script>", "{{7*7}}", "%s%n", "%(a)s", "\\", "\r\nX: y", "a\nb"),
    *("../../etc/passwd", "/", "//evil.example/", "javascript:alert(1)", "http://[", "nowhere", "null", "None", "[]"),
    *("2026-13-45", "0000-00-00", "0001-01-01", "9999-12-31 23:59:59", "infinity", "{}", "true", "__class__"),
)
BYTES = ("%ed%a0%80", "%ff%fe", "%c0%80", "%00", "%", "%zz", "%e2%82")
"""Parts of addresses that are not text in UTF-8."""
TYPES = (
    *("application/json", "application/json; charset=utf-16", "application/json; charset=nonsense", "text/plain"),
    *("application/x-www-form-urlencoded", "multipart/form-data", "multipart/form-data; boundary=x", "", "a/b/c"),
    "application/x-www-form-urlencoded; charset=nonsense",
)
NUMBERS = (-1, 0, 1, 2, 2**31, 2**63, 10**30, -(10**30), 0.5, 1e300, -0.0)


def text(rng: random.Random) -> str:
    return rng.choice(TEXTS)


def in_address(rng: random.Random) -> str:
    """Return a hostile value, percent-encoded."""
    return rng.choice(BYTES) if rng.random() < 0.2 else quote(text(rng), safe="")


def value(rng: random.Random, depth: int = 0) -> Any:
    """Return a hostile JSON value."""
    kind = rng.random()
    if kind < 0.35 or depth > 3:
        return rng.choice((None, True, False, text(rng), "\ud800", "x\udfff", *NUMBERS))
    if kind < 0.5:
        return rng.choice(NUMBERS)
    if kind < 0.7:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {text(rng) or "a": value(rng, depth + 1) for _ in range(rng.randrange(3))}


def mutated(rng: random.Random, good: Any) -> Any:
    """Return the JSON value with one of its parts replaced."""
    if rng.random() < 0.25:
        return value(rng)
    if isinstance(good, dict) and good:
        name = rng.choice(sorted(good))
        if rng.random() < 0.15:
            return {key: one for key, one in good.items() if key != name}
        return {**good, name: mutated(rng, good[name])}
    if isinstance(good, list) and good:
        place = rng.randrange(len(good))
        return [*good[:place], mutated(rng, good[place]), *good[place + 1 :]]
    return value(rng)


def body(rng: random.Random, good: Any) -> bytes:
    """Return JSON, or what looks like it."""
    kind = rng.random()
    if kind < 0.05:
        return ("[" * rng.choice((50, 900, 100_000))).encode()
    if kind < 0.1:
        return b'{"a":' * 500 + b"1" + b"}" * 500
    if kind < 0.15:
        return rng.randbytes(rng.randrange(200))
    sent = good if kind < 0.3 else mutated(rng, good)
    return json.dumps(sent, ensure_ascii=True).encode()[: None if kind < 0.95 else 20]
