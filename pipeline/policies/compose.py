"""Compose [paper 3]: make the rules of one version of a project's settings: the only place that chooses policies."""

from dataclasses import replace
from functools import lru_cache

from annotation.rules.link_group import SameObject
from pipeline.policies.adaptive_links import AdaptiveLinks
from pipeline.policies.belief_boxes import BeliefBoxes
from pipeline.policies.engine import Engine
from pipeline.policies.join_links import JoinLinks
from pipeline.policies.reference_set import ReferencePaperLinks
from pipeline.protocol.boxes.paper_loop import PaperLoop
from pipeline.protocol.links.policy import LinkPolicy
from pipeline.protocol.links.strategies import PaperLinks, Strategy
from pipeline.protocol.rules import Rules
from pipeline.protocol.tasks.task import BOX_TASKS, Task
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings

VERSIONS = 256
"""The versions of settings whose rules are cached."""


def compose(settings: Settings) -> Rules:
    """Return the rules of these settings. The same settings share them."""
    return _composed(SameObject(settings))[0]


def engine_of(settings: Settings) -> Engine:
    """Return what these settings believe with. The same settings share one."""
    return _composed(SameObject(settings))[1]


@lru_cache(maxsize=VERSIONS)
def _composed(version: SameObject[Settings]) -> tuple[Rules, Engine]:
    settings = version.value
    by_links, by_boxes = settings.strategy is LinkStrategy.ADAPTIVE, settings.box_policy is BoxPolicyName.BELIEF
    of_links, of_boxes = (Task.COREFERENCE_LINK,) if by_links else (), BOX_TASKS if by_boxes else ()
    engine = Engine(settings, frozenset({*of_links, *of_boxes}))
    links = _adaptive(engine) if by_links else _paper_links(engine)
    boxes = BeliefBoxes(engine) if by_boxes else PaperLoop(settings)
    return Rules(settings, links, boxes, engine.needs), engine


def _paper_links(engine: Engine) -> LinkPolicy:
    settings = engine.settings
    how = Strategy(settings.strategy), settings.consensus_lead, settings.consensus_most
    return ReferencePaperLinks(*how, engine.source) if engine.source.program else PaperLinks(*how)


def _adaptive(engine: Engine) -> AdaptiveLinks:
    settings = engine.settings
    by_rules = settings.reference_set or not settings.beyond_rules or Task.COREFERENCE_LINK not in engine.weighed
    return AdaptiveLinks(engine) if by_rules else JoinLinks(engine)


def adaptive_links(settings: Settings) -> AdaptiveLinks:
    """Return what the settings believe of links, whether their strategy asks by it or not."""
    return _adaptive(engine_of(settings))


def compose_for_right_answers(settings: Settings) -> Rules:
    """Return the rules by which an image goes through the protocol where every answer is right.

    Adaptive links without sweeps are replaced by *greedy plus*, which asks much the same in a fraction of the time.
    """
    if settings.strategy is LinkStrategy.ADAPTIVE and not engine_of(settings).link_shapes:
        settings = replace(settings, strategy=LinkStrategy.GREEDY_PLUS)
    return compose(settings)
