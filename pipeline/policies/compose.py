"""Compose [paper 3]: make the rules of one version of a project's settings: the only place that chooses policies."""

from dataclasses import replace
from functools import lru_cache

from annotation.rules.same_object import SameObject
from pipeline.policies.adaptive_links import AdaptiveLinks
from pipeline.policies.belief_boxes import BeliefBoxes
from pipeline.policies.beyond_rules import BeyondRules
from pipeline.policies.engine import ENGINES, engine_of
from pipeline.policies.needs import needs_of
from pipeline.policies.reference_set import ReferencePaperLinks
from pipeline.protocol.boxes.paper_loop import PaperLoop
from pipeline.protocol.links.policy import LinkPolicy
from pipeline.protocol.links.strategies import PaperLinks, Strategy
from pipeline.protocol.rules import Rules
from pipeline.settings.policy_names import BoxPolicy, LinkStrategy
from pipeline.settings.settings import Settings


def compose(settings: Settings) -> Rules:
    """Return the rules of these settings. The same settings share them."""
    return _compose(SameObject(settings))


@lru_cache(maxsize=ENGINES)
def _compose(settings: SameObject[Settings]) -> Rules:
    chosen = settings.value
    by_belief = chosen.box_policy is BoxPolicy.BELIEF
    boxes = BeliefBoxes(chosen) if by_belief else PaperLoop(chosen)
    return Rules(chosen, _links(chosen), boxes, needs_of(chosen))


def _links(settings: Settings) -> LinkPolicy:
    if settings.strategy is LinkStrategy.ADAPTIVE:
        return adaptive_links(settings)
    how = Strategy(settings.strategy), settings.consensus_lead, settings.consensus_most
    source = engine_of(settings).source
    return ReferencePaperLinks(*how, source) if source.program else PaperLinks(*how)


def adaptive_links(settings: Settings) -> AdaptiveLinks:
    """Return what the settings believe of links, whether their strategy asks by it or not."""
    return BeyondRules(settings) if engine_of(settings).links_beyond_rules else AdaptiveLinks(settings)


def compose_for_right_answers(settings: Settings) -> Rules:
    """Return the rules by which an image goes through the protocol where every answer is right.

    Adaptive links are replaced by *greedy plus*, which asks much the same links in a fraction of the time.
    """
    if settings.strategy is LinkStrategy.ADAPTIVE:
        settings = replace(settings, strategy=LinkStrategy.GREEDY_PLUS)
    return compose(settings)
