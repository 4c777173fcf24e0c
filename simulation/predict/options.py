"""Options: the ways to ask that a project could choose, read from what is registered.

A link strategy, a trust model, or any other choice by which an image's questions are asked appears here by itself once
the settings know it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from pipeline.policies.compose import compose
from pipeline.protocol.settings import SettingKind
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.settings.guide import GUIDE, Setting
from pipeline.settings.of_belief import BoxPolicyName
from pipeline.settings.settings import Settings
from runtime.words import percent

CHECKS = ((0.5, 0.5), (0.35, 0.65), (0.25, 0.8), (0.17, 0.9), (0.1, 0.95), (0.05, 0.98))
"""Values of `link_stop` and `box_sure` for a checked data set, from cheaper to better."""
STOPS = (0.3, 0.1, 0.03)
"""Values of `link_stop`, in bits, for the strategies that stop when an answer tells too little."""
SURE = 0.95
"""The confidence from which chains go on unverified, under the strategies that stop: these know one."""
POLICIES = ("trust",)
"""Choices that are read when work is leased or judged, and not by an image, and that act on cost and quality."""
POLICY_WORDS = {BoxPolicyName.PAPER: (), BoxPolicyName.BELIEF: ("boxes by belief",)}
"""The words of values whose own names say too little here; the paper's loop of the box tasks goes without saying."""


@dataclass(frozen=True, slots=True)
class ForecastOption:
    """One way to ask: the settings that it changes, by name, and its words."""

    changes: dict[str, Any]
    words: tuple[str, ...]

    @property
    def label(self) -> str:
        return ", ".join(self.words)

    def settings(self, base: Settings) -> Settings:
        """Return the project's settings with the changes."""
        return replace(base, **self.changes)


def registered() -> list[Setting]:
    """Return the choices that act on images, and the policies, in the order of the form."""
    return [
        setting
        for setting in GUIDE
        if setting.kind is SettingKind.CHOICE and (setting.acts_on_images or setting.name in POLICIES)
    ]


def options(base: Settings) -> list[ForecastOption]:
    """Return every combination of what is registered, with several stops where a strategy has one.

    How a checked data set is asked about is settled: there are several stops, and nothing else.
    """
    if base.reference_set:
        return [
            ForecastOption(
                {"link_stop": link, "box_sure": box}, (f"links to {link:g} bits", f"boxes to {percent(box)}")
            )
            for link, box in CHECKS
        ]
    choices = [[_chosen(setting, choice.value) for choice in setting.choices] for setting in registered()]
    ways = (way for parts in product(*choices) for way in _with_sweeps(base, _merged(parts)))
    return [option for way in ways for option in _with_stops(base, way)]


def _chosen(setting: Setting, value: str) -> ForecastOption:
    values: Any = dict.fromkeys((task.value for task in PROTOCOL_TASKS), value) if setting.per_task else value
    words = POLICY_WORDS[BoxPolicyName(value)] if setting.name == "box_policy" else (value,)
    return ForecastOption({setting.name: values}, words)


def _merged(parts: tuple[ForecastOption, ...]) -> ForecastOption:
    changes: dict[str, Any] = {}
    for part in parts:
        changes |= part.changes
    return ForecastOption(changes, tuple(word for part in parts for word in part.words))


def _with_sweeps(base: Settings, option: ForecastOption) -> Iterator[ForecastOption]:
    """Yield the option without and with sweeps, where it can ask any."""
    swept = ForecastOption({**option.changes, "sweeps": True}, (*option.words, "sweeps"))
    without = ForecastOption({**option.changes, "sweeps": False}, option.words)
    digests = {compose(way.settings(base)).links.digest for way in (without, swept)}
    yield from (without, swept) if len(digests) > 1 else (option,)


def _with_stops(base: Settings, option: ForecastOption) -> Iterator[ForecastOption]:
    rules = {compose(option.settings(replace(base, link_stop=stop))).links.digest for stop in STOPS}
    if len(rules) == 1:  # the strategy reads no stop
        yield option
        return
    for stop in STOPS:
        changes = {**option.changes, "link_stop": stop, "verify_below": min(base.verify_below, SURE)}
        yield ForecastOption(changes, (*option.words, f"stop at {stop:g} bits"))
