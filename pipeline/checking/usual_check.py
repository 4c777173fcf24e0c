"""Usual check [beyond paper 3]: the settings of a project that begins to check a data set."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from pipeline.settings.policy_names import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings

USUAL: Mapping[str, Any] = MappingProxyType({"link_stop": 0.15})
"""Values in place of defaults: most labels are right, so fewer answers tell enough of links."""


def to_check(settings: Settings, source: int) -> Settings:
    """Return the settings that check what a program says. What the requester has chosen stays.

    `source`: the number of the program that stands for the data set.
    """
    defaults = Settings()
    usual = {name: value for name, value in USUAL.items() if getattr(settings, name) == getattr(defaults, name)}
    kinds: dict[str, Any] = {
        "strategy": LinkStrategy.ADAPTIVE,
        "box_policy": BoxPolicyName.BELIEF,
        "pre_annotations": True,
    }
    return replace(settings, reference_set=source, **kinds, **usual)
