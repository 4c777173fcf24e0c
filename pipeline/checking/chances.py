"""Chances of labels [beyond paper 3]: how likely each label of a checked data set is right as it stands now.

They come from the beliefs that decide what is asked, whether anything was asked or not.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from annotation.rules.link_group import SameObject
from annotation.rules.states import BoxState, ChainState
from annotation.rules.transitivity import LinkMention, Pair, groups
from belief.boxes.box_belief import BoxBelief, believe_boxes
from belief.boxes.box_prior import BoxPrior
from belief.boxes.fit_box_errors import chance_seen
from pipeline.policies.adaptive_links import link_audit_of
from pipeline.policies.box_evidence import evidence_of_chain, proposed_boxes
from pipeline.policies.compose import adaptive_links, engine_of
from pipeline.policies.engine import Engine
from pipeline.policies.reference_set import is_of_reference, reference_boxes, trust_in_boxes
from pipeline.protocol.image.chain_steps import representative
from pipeline.protocol.image.merging import JOINED_CONFIDENCE
from pipeline.protocol.state.progress import BoxProgress, ChainAnswer, ChainProgress, ImageProgress
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings

ENDED = 0.999999
"""Bits that no answer tells: with this limit the links of an image are planned as if nothing more were asked."""
BY_AN_EXPERT = 0.99
"""The chance that a chain is right whose mentions an expert has set."""


class Chances(NamedTuple):
    """The chances, 0 to 1, that parts of a label are right; their product is the chance of the whole label."""

    mentions: float
    """Exactly these mentions are one thing."""
    boxes: float
    """All boxes are there and good, given that it needs boxes; 1 for a label without boxes."""
    flag: float
    """It has boxes and needs some, or it has none and needs none."""

    @property
    def doubt(self) -> float:
        """The chance that the label is wrong."""
        return 1 - self.mentions * self.boxes * self.flag


class LinkView(NamedTuple):
    """The belief about the links of an image, as if nothing more were asked."""

    mentions: Mapping[int, float]
    """By the name of a chain, the chance that it has exactly the right mentions."""
    together: Mapping[Pair, float]
    """By pair in reading order, the chance that the two are one thing; pairs that nothing tells of are left out."""


def link_view(progress: ImageProgress, settings: Settings) -> LinkView:
    """Return what is believed of the links: as kept where chains are placed, else as they would be placed now."""
    links = {number: mention.for_links() for number, mention in progress.mentions.items()}
    mention_chances = {
        name: _placed_chance(progress, chain, settings, links) for name, chain in progress.chains.items()
    }
    together = dict(progress.together)
    waiting = [chain for chain in progress.chains.values() if chain.state is ChainState.LINKING]
    for group in groups(links[number] for chain in waiting for number in chain.mentions):
        plan = adaptive_links(_ended(SameObject(settings))).believed(progress, group, link_audit_of(progress))
        together |= plan.together
        planned = {frozenset(chain): plan.links_right.get(chain[0], 0.0) for chain in plan.chains}
        for chain in waiting:
            mention_chances[chain.name] = planned.get(frozenset(chain.mentions), mention_chances[chain.name])
    return LinkView(mention_chances, together)


def _placed_chance(
    progress: ImageProgress, chain: ChainProgress, settings: Settings, links: Mapping[int, LinkMention]
) -> float:
    """Return the chance that the links of a placed chain are right.

    The kept one is lower, as no links make a chain that breaks their rules. Where such a chain is, the source says so.
    """
    if chain.confidence is None:
        return BY_AN_EXPERT
    if not is_of_reference(progress, chain, engine_of(settings).source):
        return chain.confidence
    whole = settings.learned.links.released(1.0, [links[number] for number in chain.mentions], links.values())
    return min(chain.confidence / whole, 1.0)


def chances_of(progress: ImageProgress, settings: Settings, links: LinkView | None = None) -> dict[int, Chances]:
    """Return the chances of the labels of an image, by the names of their chains. `links`: where they are known.

    A chain that was merged into another is part of that one's label.
    """
    links = links or link_view(progress, settings)
    parts: dict[int, list[ChainProgress]] = {}
    for chain in progress.chains.values():
        parts.setdefault(chain.name if chain.merged_into is None else chain.merged_into, []).append(chain)
    return {name: _chances(progress, chains, settings, links) for name, chains in parts.items()}


def _chances(progress: ImageProgress, chains: list[ChainProgress], settings: Settings, links: LinkView) -> Chances:
    told = [box_chances(box_belief(progress, chain, settings), engine_of(settings).box_rules.prior) for chain in chains]
    surest = max(told, key=lambda one: one[0] * one[1])  # boxes that are merged were found twice
    mentions = links.mentions[chains[0].name] if len(chains) == 1 else JOINED_CONFIDENCE
    return Chances(mentions, *surest)


def box_chances(belief: BoxBelief, prior: BoxPrior) -> tuple[float, float]:
    """Return the chances of `Chances.boxes` and `Chances.flag` of a chain as its boxes stand now."""
    none, seen = min(belief.p_no_box, 1.0), chance_seen(prior.unseen, len(belief.shown))
    if not belief.shown:
        return 1.0, none * seen
    some = 1 - none
    return (min(belief.p_complete / some, 1.0) * seen if some > 0 else 0.0), some


def box_belief(progress: ImageProgress, chain: ChainProgress, settings: Settings) -> BoxBelief:
    """Return what is believed of a chain's boxes. Before any of them was shown, those of the source are."""
    engine = engine_of(settings)
    progress, chain = _with_boxes(progress, chain, engine)
    evidence = evidence_of_chain(progress, chain, engine, proposed_boxes(progress, chain, engine))
    return believe_boxes(evidence, engine.box_rules.prior)


def _with_boxes(progress: ImageProgress, chain: ChainProgress, engine: Engine) -> tuple[ImageProgress, ChainProgress]:
    """Return the chain as it is when its boxes are first thought about: with those of the source."""
    source, prior = engine.source, engine.box_rules.prior
    if chain.representative not in chain.mentions:
        chain = replace(chain, representative=representative(progress, chain))
    taken = reference_boxes(progress, chain, source)
    if not taken:
        return progress, chain
    boxes, answers = dict(progress.boxes), []
    trust = trust_in_boxes(source, progress.types_of(chain), len(taken), prior)
    for number, pre_annotation in enumerate(taken, start=progress.next_box):
        shown = list(range(progress.next_box, number))
        answers.append(
            ChainAnswer(0, pre_annotation.worker, Task.BOX_DRAWING, number, shown, trust=trust, by_model=True)
        )
        boxes[number] = BoxProgress(
            number, chain.name, pre_annotation.box, BoxState.ACCEPTED, pre_annotation.worker, 0, pre_annotated=True
        )
    return replace(progress, boxes=boxes), replace(chain, answers=answers)


@lru_cache(maxsize=16)
def _ended(settings: SameObject[Settings]) -> Settings:
    return replace(settings.value, link_stop=ENDED, reask_rate=0.0)
