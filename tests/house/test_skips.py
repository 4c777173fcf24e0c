"""Reasons for a skip: a package that is not installed hides no failure of another kind."""

from typing import Any

import pytest

from tests.support.skips import printed_reason
from tests.support.table import row

ABSENT = "spacy is not installed (run scripts/setup.sh nlp)"


@row("", f"reading\n{ABSENT}\n", "Skipped: needs the extra nlp")
@row(f"assert 1 == 0, {ABSENT}", "", "Skipped: needs the extra nlp")
@row("assert 3 == 4", f"{ABSENT}\n4 images were read without it.\n", None)
def test_a_message_counts_where_the_program_ends_with_it(failure: str, printed: str, reason: str | None) -> None:
    options: dict[str, Any] = {"longrepr": None, "sections": [("Captured stderr call", printed)]}
    report = pytest.TestReport("test", ("test.py", 1, "test"), {}, "failed", when="call", **options)
    assert printed_reason(failure, report) == reason
