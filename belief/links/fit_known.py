"""Fit of all that known chains teach of links [beyond paper 3.1.1]: the prior, rule keeping and joins."""

from collections.abc import Iterable, Iterator, Mapping

from annotation.rules.transitivity import groups
from belief.links.fit_joins import with_joins
from belief.links.fit_link_prior import GoldGroup, fit_link_prior
from belief.links.fit_rule_keeping import AnnotatedImage, with_rule_keeping
from belief.links.link_prior import LinkPrior


def fit_known(images: Iterable[AnnotatedImage], alike: Mapping[str, float] | None = None) -> LinkPrior:
    """Return the prior of images like these. `alike`: as in `fit_link_prior`. Raises ValueError if nothing is known."""
    known = list(images)
    prior = fit_link_prior(known_groups(known), alike=alike)
    return with_joins(with_rule_keeping(prior, known), known)


def known_groups(images: Iterable[AnnotatedImage]) -> Iterator[GoldGroup]:
    """Yield every group of mentions of these images."""
    for mentions, chains in images:
        chain_of = {mention.number: chain for mention, chain in zip(mentions, chains, strict=True)}
        for group in groups(mentions):
            yield group, [chain_of[mention.number] for mention in group]
