"""Planners of links [beyond paper 3.1.1]: group by group as the rules have it, or whole images beyond them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from annotation.rules.transitivity import LinkMention, groups, reading_order
from pipeline.policies.adaptive_links import GroupPlan, plan_adaptively
from pipeline.policies.beyond_rules import plan_beyond_rules


class Plans(Protocol):
    def __call__(self, mentions: Sequence[LinkMention], heard: object, **options: object) -> GroupPlan: ...


class Planner(NamedTuple):
    """One way to plan the links of an image."""

    plan: Plans
    beyond: bool = False

    def groups(self, mentions: Iterable[LinkMention]) -> list[tuple[LinkMention, ...]]:
        """Return the mentions that are planned together."""
        return [tuple(sorted(mentions, key=reading_order))] if self.beyond else groups(mentions)


BY_RULES = Planner(plan_adaptively)  # type: ignore[arg-type]
BEYOND_RULES = Planner(plan_beyond_rules, beyond=True)  # type: ignore[arg-type]
