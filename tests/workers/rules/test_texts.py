"""Texts of the service to workers, as they are stored."""

import json
from datetime import UTC, datetime, timedelta, timezone
from string import Formatter

from workers.rules.texts import WRITTEN, Text, time_in_words, time_written

VALUES = {"amount", "hours", "left", "needed", "reason", "right", "size", "task", "time"}


def test_a_text_is_stored_as_its_code_with_its_values():
    stored = Text.TRIES_LEFT.coded(left=2, hours=24)
    assert json.loads(json.dumps(stored)) == {"code": "TRIES_LEFT", "left": 2, "hours": 24}


def test_words_name_each_value_alike():
    for text in Text:
        assert {name for _, name, _, _ in Formatter().parse(text.value) if name is not None} <= VALUES, text


def test_a_time_is_written_in_utc_and_says_so() -> None:
    assert time_in_words(datetime(2026, 1, 2, 3, 4, 59, tzinfo=UTC)) == "2 Jan 2026, 03:04 UTC"
    assert time_in_words(datetime(2026, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=1)))) == "31 Dec 2025, 23:30 UTC"


def test_a_written_time_is_found_in_a_text_and_read() -> None:
    for month in range(1, 13):
        moment = datetime(2026, month, 28, 23, 59, tzinfo=UTC)
        found = WRITTEN.search(f"You can go on from {time_in_words(moment)}.")
        assert found and time_written(found[0]) == moment
    assert not WRITTEN.search("on 31 Foo 2026, 10:00 UTC or 3 Jan 2026")
