"""Usual check [beyond paper 3]: the settings of a project that begins to check a data set.

Where no program judges boxes, little makes a box doubtful, and the audit alone tells how many are wrong. What counts
then is how many chains are in it, and not how many the data set has.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from pipeline.settings.policy_names import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings

USUAL: Mapping[str, Any] = MappingProxyType({"link_stop": 0.15})
"""Values in place of defaults: most labels are right, so fewer answers tell enough of links."""
AUDITED_CHAINS = 600
"""Chains in the audit: if 12 % of all labels are wrong, their share is known to about 2 points."""
MIN_AUDIT_RATE, MAX_AUDIT_RATE = 0.03, 0.2


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


def usual_audit_rate(chains: int) -> float:
    """Return the share of chains whose boxes people judge, from 0 to 1, for a data set with this many chains."""
    return round(min(max(AUDITED_CHAINS / max(chains, 1), MIN_AUDIT_RATE), MAX_AUDIT_RATE), 2)
