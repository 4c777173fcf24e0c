"""The error of each kind of setting; test_protocol.py holds the values that are refused."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from pipeline.rules.settings import ranges
from pipeline.rules.settings.protocol import ProtocolSettings


@pytest.mark.parametrize(
    ("kind", "value"),
    [(ranges.Count, 0), (ranges.Count, True), (ranges.Count, 1.5), (ranges.Rate, float("nan")), (ranges.Rate, "1")],
)
def test_a_value_out_of_range_is_refused_with_the_allowed_values(kind: Any, value: Any):
    with pytest.raises(ValidationError, match=r"should be a (whole )?number from"):
        TypeAdapter(kind).validate_python(value, strict=True)


@pytest.mark.parametrize("value", [0, 1, 0.5])
def test_a_number_is_kept_as_it_was_written(value: float):
    read = TypeAdapter[float](ranges.Rate).validate_python(value, strict=True)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
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
    ],
)
def test_the_message_names_the_setting_the_value_and_what_it_should_be(setting: str, value: Any, message: str):
    with pytest.raises(ValueError) as caught:
        ProtocolSettings.from_json({setting: value})
    assert str(caught.value).startswith("Settings out of range: ")
    assert message in str(caught.value)


def test_every_wrong_setting_is_named_at_once():
    with pytest.raises(ValueError, match=r"probation=0 .*; tests=0 "):
        ProtocolSettings(tests=0, probation=0)
