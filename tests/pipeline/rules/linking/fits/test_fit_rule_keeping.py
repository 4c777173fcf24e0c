"""Shares of chains that keep the rules of links, learnt from annotated images."""

import pytest

from pipeline.rules.linking.fits.fit_rule_keeping import JOINED, AnnotatedImage, with_rule_keeping
from pipeline.rules.linking.fits.logistic import L2
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.linking.prior.rule_keeping import KEEPS_CAPTIONS, KEEPS_RULES
from pipeline.rules.linking.transitivity import LinkMention
from workers.rules.share import logit


def image(*mentions: tuple[int, str, str], chains: str) -> AnnotatedImage:
    """Make an image of mentions (caption, types separated by "/", head), and the label of the chain of each."""
    made = [
        LinkMention(number, caption, number, frozenset(types.split("/")), head, ("a", head))
        for number, (caption, types, head) in enumerate(mentions)
    ]
    return made, chains


WHOLE = image((0, "people", "man"), (1, "people", "guy"), chains="AA")
IN_PARTS = image((0, "people", "man"), (0, "people", "guy"), chains="AA")
OTHER_TYPES = image((0, "people", "man"), (1, "animals", "dog"), chains="AA")
SHARING = image((0, "people", "man"), (1, "people", "man"), (0, "people", "lady"), chains="ABC")


def test_without_images_the_shares_are_the_default() -> None:
    fitted = with_rule_keeping(DEFAULT, [])
    assert (fitted.keeps_rules, fitted.keeps_captions) == (KEEPS_RULES, KEEPS_CAPTIONS)


@pytest.mark.parametrize(("field", "weight"), [("keeps_rules", 1 - JOINED), ("keeps_captions", 1.0)])
def test_a_share_lies_where_the_images_and_the_default_pull_alike(field: str, weight: float) -> None:
    fitted = getattr(with_rule_keeping(DEFAULT, [WHOLE] * 30 + [IN_PARTS] * 10), field)
    default = {"keeps_rules": KEEPS_RULES, "keeps_captions": KEEPS_CAPTIONS}[field]
    # 30 whole chains and 20 parts. All parts have one type, so that half of the change is of all types.
    people, change = fitted["people"].apart, logit(fitted[""].apart) - logit(default[""].apart)
    assert 30 * (1 - people) - 20 * weight * people == pytest.approx(L2 * change, abs=0.02)
    assert logit(people) - logit(default["people"].apart) == pytest.approx(2 * change, abs=0.005)
    assert logit(fitted["scene"].apart) - logit(default["scene"].apart) == pytest.approx(change, abs=0.005)


def test_types_that_differ_break_a_rule_of_chains_but_not_of_what_links_make_of_a_group() -> None:
    fitted = with_rule_keeping(DEFAULT, [OTHER_TYPES] * 10)
    for kind in ("people", "animals"):
        assert fitted.keeps_rules[kind].apart < KEEPS_RULES[kind].apart - 0.1
        assert fitted.keeps_captions[kind].apart > KEEPS_CAPTIONS[kind].apart


def test_chains_that_share_a_head_noun_count_for_themselves() -> None:
    fitted = with_rule_keeping(DEFAULT, [SHARING] * 10).keeps_rules["people"]
    gained = [logit(now) - logit(then) for now, then in zip(fitted, KEEPS_RULES["people"], strict=True)]
    assert gained[1] > 1.2 * gained[0] > 0
