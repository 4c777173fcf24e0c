"""Begin a check [beyond paper 3]: usual settings, and priors that a checked data set teaches of its own labels.

Few of its labels are wrong, so what is usual in it is right. Where it is wrong it mostly breaks its own habits.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Protocol

from annotation.rules.box import Box
from belief.boxes.box_prior import BoxPrior
from belief.boxes.fit_box_prior import FinishedChain, fit_box_prior
from belief.links.fit_known import AnnotatedImage, fit_known
from belief.links.link_prior import LinkPrior
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
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


class ALabel(Protocol):
    """A chain as the data set has it."""

    @property
    def mentions(self) -> tuple[int, ...]: ...
    @property
    def boxes(self) -> tuple[Box, ...]: ...


LabelledImage = tuple[Sequence[MentionProgress], Sequence[ALabel]]


def link_prior_of(images: Sequence[LabelledImage], alike: Mapping[str, float] | None = None) -> LinkPrior:
    """Return the prior of links. `alike`: as in `fit_link_prior`. Raises ValueError if nothing can be learned."""
    return fit_known((_linked(*image) for image in images), alike)


def box_prior_of(images: Iterable[LabelledImage]) -> BoxPrior:
    """Return the prior of boxes."""
    return fit_box_prior(_finished(mentions, label) for mentions, labels in images for label in labels)


def _linked(mentions: Sequence[MentionProgress], labels: Sequence[ALabel]) -> AnnotatedImage:
    chain_of = {number: str(place) for place, label in enumerate(labels) for number in label.mentions}
    known = [mention for mention in mentions if mention.number in chain_of]
    return [mention.for_links() for mention in known], [chain_of[mention.number] for mention in known]


def _finished(mentions: Sequence[MentionProgress], label: ALabel) -> FinishedChain:
    own = [mention for mention in mentions if mention.number in label.mentions]
    longest = min(own, key=lambda one: (one.start - one.end, one.order))
    types = frozenset(kind for mention in own for kind in mention.types)
    return FinishedChain(types, longest.words, longest.head, tuple(range(len(label.boxes))))
