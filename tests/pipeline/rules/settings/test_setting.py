"""The description of a setting takes its range from the checks, so the two cannot disagree."""

from dataclasses import replace
from typing import Any

from pipeline.rules.settings.guide import GUIDE
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.setting import Kind, Limits, Setting, for_each_task
from pipeline.rules.tasks.task import PROTOCOL_TASKS

NUMBERS = [one for one in GUIDE if one.kind in (Kind.NUMBER, Kind.PERCENT)]
ROOM = {"consensus_most": 10**6, "probation_most": 10**6}


def accepted(setting: Setting, number: float) -> bool:
    value: Any = for_each_task(*[number] * len(PROTOCOL_TASKS)) if setting.per_task else number
    free: dict[str, Any] = {name: most for name, most in ROOM.items() if name != setting.name}
    if setting.name in ROOM:
        free |= {"consensus_lead": 1, "probation": 1}
    try:
        replace(ProtocolSettings(**free), **{setting.name: value})
    except ValueError:
        return False
    return True


def test_the_described_range_is_what_the_settings_accept():
    assert NUMBERS
    for setting in NUMBERS:
        limits = setting.limits
        edges = [edge for edge in limits[:4] if edge is not None]
        assert edges, f"a number has a range: {setting.name}"
        step = 1 if limits.whole else 0.001
        for edge in edges:
            for number in (edge - step, edge, edge + step):
                tried = int(number) if limits.whole else number
                assert accepted(setting, tried) == limits.holds(tried), f"{setting.name}: {tried}"


def test_a_range_in_words():
    expected = {
        Limits(least=1): "1 or more",
        Limits(above=0): "more than 0",
        Limits(least=1, most=50): "between 1 and 50",
        Limits(above=0, most=1): "more than 0 and at most 1",
        Limits(above=0, below=1): "more than 0 and less than 1",
        Limits(least=0, most=100_000): "between 0 and 100,000",
        Limits(least=1, most=99, odd=True): "an odd number between 1 and 99",
        Limits(): "any number",
    }
    assert {limits: limits.words() for limits in expected} == expected


def test_a_share_is_said_per_cent():
    assert Limits(above=0, below=1).words(100) == "more than 0 and less than 100"


def test_every_number_has_a_unit_or_is_a_share():
    assert all(one.unit or one.kind is Kind.PERCENT for one in NUMBERS)
