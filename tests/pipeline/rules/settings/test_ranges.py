"""The error of each kind of setting; test_protocol.py holds the values that are refused."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from pipeline.rules.settings import ranges
from pipeline.rules.settings.protocol import ProtocolSettings


def refusal(read: Callable[[Any], object], value: Any) -> ValueError | None:
    """Return the error of reading the value."""
    try:
        read(value)
    except ValueError as error:
        return error
    return None


def test_a_value_out_of_range_is_refused_with_the_allowed_values():
    out_of_range: dict[Any, list[Any]] = {ranges.Count: [0, True, 1.5], ranges.Rate: [float("nan"), "1"]}
    for kind, values in out_of_range.items():
        read = partial(TypeAdapter(kind).validate_python, strict=True)
        for value in values:
            error = refusal(read, value)
            assert isinstance(error, ValidationError), value
            assert re.search(r"should be a (whole )?number from", str(error)), value


def test_a_number_is_kept_as_it_was_written():
    read = TypeAdapter[float](ranges.Rate)
    kept = [read.validate_python(value, strict=True) for value in (0, 1, 0.5)]
    assert repr(kept) == "[0, 1, 0.5]"


def test_the_message_names_the_setting_the_value_and_what_it_should_be():
    wrong: list[tuple[str, Any, str]] = [
        ("consensus_lead", 0, "consensus_lead=0 should be a whole number from 1"),
        ("consensus_most", 1, "consensus_most: 1 should be at least consensus_lead, which is 2"),
        ("link_stop", 1, "link_stop=1 should be a number between 0 and 1"),
        ("merge_iou", "0.8", "merge_iou='0.8' should be a number above 0 and at most 1"),
        ("starved_hours", 10**400, "should be a number above 0 and at most 8760"),
        ("currency", "usd", "currency='usd' should be three capital letters, such as USD"),
        ("caption_language", "Arabic!", "caption_language='Arabic!' should be a language tag, such as ar or pt-BR, or"),
        ("strategy", "guessing", "strategy='guessing' should be 'exhaustive', 'greedy'"),
        ("drawn_at_once", ["ghosts"], "drawn_at_once[0]='ghosts' should be one of: \"people\""),
        ("mergeable_types", [["people"]], "mergeable_types[0][1] is missing"),
        ("mergeable_types", "people", "mergeable_types='people' should be a list"),
        ("batch", {"box_quality": 10}, "batch={'box_quality': 10} should have a value for each task"),
        ("dictionaries", {"replace": {}}, 'dictionaries: the name \'replace\' should be one of: "add", "remove"'),
        ("dictionaries", {"add": []}, "dictionaries['add']=[] should be an object with named values"),
    ]
    for setting, value, message in wrong:
        said = str(refusal(ProtocolSettings.from_json, {setting: value}))
        assert said.startswith("Settings out of range: ") and message in said, f"{setting}: {value!r}"


def test_every_wrong_setting_is_named_at_once():
    with pytest.raises(ValueError, match=r"probation=0 .*; tests=0 "):
        ProtocolSettings(tests=0, probation=0)
