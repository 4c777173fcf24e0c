"""Markdown of a data card: tables, and texts of requesters, which are shown as they are and never act as markup."""

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from html import escape

ADDRESS = re.compile(r"https?://[\w./~%?=&#:+,;@!$-]+")
MARKUP = re.compile(r"([\\`*_{}\[\]#!|~$])")
"""Signs that act within a line of Markdown: no text of a requester begins one."""
RIGHT_TO_LEFT = frozenset({"R", "AL", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"})
NEWLINES = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""Characters that end a line, for people or for programs."""
HIDDEN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that YAML takes only written out."""


def plain(text: str) -> str:
    """Return a text of a requester as one line of Markdown: an address is a link, everything else is only text."""
    if ADDRESS.fullmatch(text):
        return f"<{text}>"
    lines = [_line(line) for line in NEWLINES.split(text.strip())]
    shown = "<br>".join(lines)
    turned = any(unicodedata.bidirectional(letter) in RIGHT_TO_LEFT for letter in text)
    return f'<bdi dir="auto">{shown}</bdi>' if turned else shown


def _line(line: str) -> str:
    text = HIDDEN.sub("\ufffd", line)
    return MARKUP.sub(r"\\\1", escape(text, quote=False))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; empty without rows. A head that begins with > is that of a column of numbers."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if not lines:
        return ""
    marks = ("---:" if head.startswith(">") else "---" for head in heads)
    names = (head.removeprefix(">") for head in heads)
    return "\n".join([f"| {' | '.join(names)} |", f"| {' | '.join(marks)} |", *lines])


def bullets(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def code(text: str) -> str:
    """Return a text of several lines as code, whatever it holds."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    shown = "\n".join(HIDDEN.sub("\ufffd", line) for line in NEWLINES.split(text.strip()))
    return f"{fence}\n{shown}\n{fence}"


def yaml_text(text: str) -> str:
    """Return a text as one of YAML, on one line. JSON's texts are YAML's, but for characters that YAML refuses."""
    quoted = json.dumps(text, ensure_ascii=False)
    return re.sub(
        r"[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]", lambda one: f"\\u{ord(one[0]):04x}", quoted
    )
