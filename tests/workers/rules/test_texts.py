"""Texts of the service to workers, as they are stored."""

import json
from string import Formatter

from workers.rules.texts import Text

VALUES = {"amount", "hours", "left", "needed", "reason", "right", "size", "task", "time"}


def test_a_text_is_stored_as_its_code_with_its_values():
    stored = Text.TRIES_LEFT.coded(left=2, hours=24)
    assert json.loads(json.dumps(stored)) == {"code": "TRIES_LEFT", "left": 2, "hours": 24}


def test_words_name_each_value_alike():
    for text in Text:
        assert {name for _, name, _, _ in Formatter().parse(text.value) if name is not None} <= VALUES, text
