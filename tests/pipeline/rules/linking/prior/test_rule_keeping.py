"""The shares of chains that keep the rules of links, and what follows from them."""

import pytest

from annotation.rules.mention_type import NOUN_TYPES
from pipeline.rules.linking.prior.link_prior import DEFAULT, LinkPrior
from pipeline.rules.linking.prior.rule_keeping import (
    KEEPS_CAPTIONS,
    KEEPS_RULES,
    SAME_APART,
    SAME_SHARING,
    TEMPER_APART,
    TEMPER_SHARING,
    RuleKeeping,
    chance_of_link,
    shares_a_head,
    tempered,
)
from pipeline.rules.linking.transitivity import LinkMention
from workers.rules.share import logit


def mention(number: int, text: str) -> LinkMention:
    words = tuple(text.split())
    return LinkMention(number, number, 0, frozenset({"other"}), words[-1], words)


CANDY, CANE, BOY, DOG = (mention(*one) for one in enumerate(("the candy", "his candy cane", "a boy", "a dog")))


def test_a_head_is_shared_if_it_is_a_word_of_a_mention_outside_the_chain_or_the_other_way_round() -> None:
    everything = [CANDY, CANE, BOY, DOG]
    assert shares_a_head([CANDY], everything) and shares_a_head([CANE], everything)
    assert not shares_a_head([BOY, DOG], everything)
    assert not shares_a_head([CANDY, CANE], everything), "both are in the chain"


def test_chances_of_links_are_drawn_towards_even_and_more_so_where_a_head_is_shared() -> None:
    for chance in (0.2, 0.5, 0.95):
        assert logit(tempered(chance, sharing=False)) == pytest.approx(TEMPER_APART * logit(chance))
        assert logit(tempered(chance, sharing=True)) == pytest.approx(TEMPER_SHARING * logit(chance))
    assert tempered(0.95, sharing=True) < tempered(0.95, sharing=False) < 0.95


def test_what_links_tell_apart_may_still_be_one_thing_in_a_chain_that_breaks_a_rule() -> None:
    assert chance_of_link(0.0, BOY, DOG) == SAME_APART
    assert chance_of_link(0.0, BOY, mention(7, "another boy")) == SAME_SHARING
    assert chance_of_link(0.5, BOY, DOG) == pytest.approx(0.5 + 0.5 * SAME_APART)
    assert chance_of_link(1.0, BOY, DOG) == 1


@pytest.mark.parametrize("default", [KEEPS_RULES, KEEPS_CAPTIONS], ids=["rules", "captions"])
def test_the_default_has_every_type_and_doubts_chains_that_share_a_head_more(default: dict[str, RuleKeeping]) -> None:
    assert set(default) == {*NOUN_TYPES, ""}
    assert all(0 < shares.sharing < shares.apart < 1 for shares in default.values())


def test_a_share_is_above_0_and_up_to_1() -> None:
    def keeping(share: object) -> dict[str, object]:
        return DEFAULT.to_json() | {"keeps_rules": {"": [share, 0.5]}}

    assert [LinkPrior.from_json(keeping(share)).keeps_rules[""].apart for share in (0.001, 1.0)] == [0.001, 1.0]
    for share in (0.0, 1.1, "1"):
        with pytest.raises(ValueError, match="should be a number above 0 and up to 1"):
            LinkPrior.from_json(keeping(share))
