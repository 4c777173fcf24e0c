"""The prior of links: its weights, its JSON, the partitions it weighs, rule keeping, records of models."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from annotation.rules.mention_type import NOUN_TYPES
from annotation.rules.transitivity import LinkMention
from belief.links.link_prior import (
    ANY_TYPE,
    DEFAULT,
    KEEPS_CAPTIONS,
    KEEPS_RULES,
    SAME_APART,
    SAME_SHARING,
    TEMPER_APART,
    TEMPER_SHARING,
    WORDLESS,
    LinkPrior,
    RuleKeeping,
    block_type,
    chance_of_link,
    shares_a_head,
    tempered,
)
from belief.links.partitions import Partitions, all_partitions, ruled_out_matrix
from belief.models.error_correlation import ErrorCorrelation
from belief.models.records import MIN_ANSWERS, NEW_LINK_MODEL, LinkRecord
from workers.rules.score import logit

SIZES = [0.5, 0, -1, -2.25, -3]


def mention(caption: int, *types: str, head: str = "man") -> LinkMention:
    return LinkMention(caption, caption, 0, frozenset(types), head, ("a", head))


def test_a_prior_survives_being_written_as_json():
    sizes: dict[str, tuple[float, ...]] = {"": (1.0, 0.0, -1.0, -2.0, -3.0), "people": (0.25,) * 5}
    prior = LinkPrior(sizes, {"same head": 1.5}, 480, alike={"guy man": 2.0}, heads={"boy kid": -1.0})
    prior = replace(
        prior,
        model_annotators={"7": LinkRecord(same=(3.0, 1.0))},
        pairs_of_models={"7 12": ErrorCorrelation(40.0, (3.0, 2.5), 1.0, 0.2, -1.5)},
    )
    assert LinkPrior.from_json(json.loads(json.dumps(prior.to_json()))) == prior
    assert LinkPrior.from_json(DEFAULT.to_json()) == DEFAULT and "model_annotators" not in DEFAULT.to_json()


def refusal(values: Any) -> str:
    """Return what is wrong with the values, or nothing if they are read."""
    try:
        LinkPrior.from_json(values)
    except ValueError as error:
        return str(error)
    return ""


def test_what_is_wrong_in_json_is_named():
    sizes: dict[str, Any] = {"sizes": {"": SIZES}}
    wrong: list[tuple[Any, str]] = [
        ([], "a link prior=[] should be an object"),
        ({}, "sizes is missing"),
        ({"sizes": []}, "sizes=[] should be an object"),
        ({"sizes": {"people": SIZES}}, 'sizes: weights under "" are missing'),
        (sizes | {"size": {}}, "size is unknown"),
        ({"sizes": {"": SIZES[:4]}}, "sizes['']=[0.5, 0, -1, -2.25] should be 5 numbers"),
        ({"sizes": {"": SIZES, "people": [*SIZES[:4], math.nan]}}, "sizes['people'][4]=nan should be a number"),
        ({"sizes": {"": [*SIZES[:4], True]}}, "[4]=True should be a number"),
        ({"sizes": {"": [*SIZES[:4], 1e300]}}, "should be a number from -100 to 100"),
        ({"sizes": {"": [*SIZES[:4], 10**400]}}, "should be a number from -100 to 100"),
        ({"sizes": {"": SIZES, "peple": SIZES}}, 'sizes: the name \'peple\' should be one of: "", "people"'),
        (sizes | {"pairs": {"same hat": 1}}, "pairs: the name 'same hat' should be one of: \"any pair\""),
        (sizes | {"pairs": {"same head": "1"}}, "pairs['same head']='1' should be a number"),
        (sizes | {"heads": {"man guy": 1}}, "heads: the name 'man guy' should be two words in"),
        (sizes | {"heads": {"man": 1}}, "heads: the name 'man' should be two words"),
        (sizes | {"alike": {"guy man": 101}}, "alike['guy man']=101 should be a number from"),
        (sizes | {"model_annotators": {"linker": {}}}, "the name 'linker' should be the number of a program"),
        (sizes | {"model_annotators": {"7": {"same": [-3.0, 1.0]}}}, "model_annotators['7']['same'][0]=-3.0 should be"),
        (sizes | {"fitted_on": -1}, "fitted_on=-1 should be a whole number from 0"),
        (sizes | {"fitted_on": 1.5}, "fitted_on=1.5 should be a whole number from 0"),
        (sizes | {"temper": 0}, "temper=0 should be a number above 0 and up to 1"),
        (sizes | {"temper": 1.1}, "temper=1.1 should be a number above 0 and up to 1"),
    ]
    for values, message in wrong:
        assert message in refusal(values), values


def test_a_block_has_the_alphabetically_first_type_of_its_first_mention_and_without_types_counts_as_any():
    assert block_type([mention(1, "animals"), mention(0, "scene", "other")]) == "other"
    assert block_type([mention(0)]) == ANY_TYPE


def test_on_the_first_day_words_weigh_in_round_numbers_and_sizes_half():
    assert DEFAULT.fitted_on == 0
    assert all(round(weight, 1) == weight for weight in DEFAULT.pairs.values())
    assert DEFAULT.sizes["people"][4] == WORDLESS.sizes["people"][4] / 2
    man, men, dog = mention(0, "people"), mention(1, "people"), mention(2, "people", head="dog")
    pairs = DEFAULT.words([man, men, dog])
    assert pairs[0, 1] - pairs[0, 2] == pytest.approx(2.2)


def test_pairs_weigh_the_sum_of_their_features_and_pairs_of_heads_as_captions_and_known_chains_tell():
    prior = LinkPrior({"": (0.0,) * 5}, {"any pair": -0.5, "same head": 2.0})
    pairs = prior.words([mention(0, "people"), mention(1, "people"), mention(2, "people", head="dog")])
    assert pairs.tolist() == [[0, 1.5, -0.5], [1.5, 0, -0.5], [-0.5, -0.5, 0]]
    prior = LinkPrior({"": (0.0,) * 5}, {"heads alike": 0.5}, alike={"guy man": 3.0}, heads={"guy man": 0.25})
    group = [mention(0, "people"), mention(1, "people", head="guy"), mention(2, "people", head="dog")]
    assert prior.words(group).tolist() == [[0, 1.75, 0], [1.75, 0, 0], [0, 0, 0]]


def test_a_prior_that_was_stored_without_heads_or_without_a_temper_counts_all_evidence_so_that_its_project_replays():
    def without(*names: str) -> LinkPrior:
        return LinkPrior.from_json({name: value for name, value in DEFAULT.to_json().items() if name not in names})

    assert (without("alike", "heads", "joins"), without("temper")) == (DEFAULT, replace(DEFAULT, temper=1.0))
    assert LinkPrior.from_json(DEFAULT.to_json()).temper == DEFAULT.temper < 1


def test_more_pairs_of_heads_than_a_version_of_the_settings_should_hold_are_refused():
    heads = {f"a b{number}": 1.0 for number in range(5_001)}
    with pytest.raises(ValueError, match="5,001 pairs of heads are more than the 5,000"):
        LinkPrior.from_json({"sizes": {"": SIZES}, "alike": heads})


def test_sizes_are_those_of_the_type_or_of_any():
    prior = LinkPrior({"": (0.0,) * 5, "people": (1.0, 2.0, 3.0, 4.0, 5.0)})
    sizes = prior.weights([mention(0, "people"), mention(1, "scene")]).sizes
    assert sizes.tolist() == [[1, 2, 3, 4, 5], [0] * 5]


def test_sizes_give_the_means_of_table_4():
    for kind, mentions, chains, share in [
        ("people", 3.17, 59_766, 0.942),
        ("clothing", 1.76, 42_380, 0.699),
        ("body parts", 1.50, 12_809, 0.280),
        ("animals", 3.63, 5_086, 0.120),
        ("vehicles", 2.77, 5_561, 0.138),
        ("instruments", 2.85, 1_827, 0.043),
        ("scene", 2.03, 46_919, 0.797),
        (ANY_TYPE, 1.94, 82_098, 0.918),
    ]:
        rates = [math.exp(weight) * math.comb(5, size) for size, weight in enumerate(WORDLESS.sizes[kind], start=1)]
        rate = sum(rates)
        mean = sum(size * one for size, one in enumerate(rates, start=1)) / rate
        assert mean == pytest.approx(mentions, abs=0.02), kind
        assert rate / (1 - math.exp(-rate)) == pytest.approx(chains / (31_783 * share), abs=0.02), kind


def test_a_program_that_nobody_knows_says_nothing_and_one_that_errs_less_speaks_more_for_what_it_says():
    assert not NEW_LINK_MODEL.is_known and NEW_LINK_MODEL.ratio(same=True) == NEW_LINK_MODEL.ratio(same=False) == 0
    assert LinkRecord(same=(MIN_ANSWERS, 0.0)).is_known
    worse, better = (LinkRecord((100.0 - wrong, wrong), (100.0 - wrong, wrong)) for wrong in (20.0, 5.0))
    assert 0 < worse.ratio(same=True) < better.ratio(same=True)
    assert 0 > worse.ratio(same=False) > better.ratio(same=False)


def test_both_kinds_of_error_weigh_in_their_own_answers():
    lumps = LinkRecord(same=(1000.0, 0.0), different=(700.0, 300.0))
    assert lumps.of_pairs().miss == pytest.approx(0.3, abs=0.01)
    assert lumps.ratio(same=True) == pytest.approx(math.log(0.99 / 0.3), abs=0.05)
    assert lumps.ratio(same=False) < -4


BELL = {1: 1, 2: 2, 3: 5, 4: 15, 5: 52, 6: 203}


def free(mentions: int) -> np.ndarray:
    return np.zeros((mentions, mentions), dtype=bool)


def test_where_nothing_is_ruled_out_they_are_counted_by_bell_numbers() -> None:
    for mentions, ways in BELL.items():
        found = all_partitions(free(mentions), 1000)
        assert found is not None, mentions
        assert len(found.labels) == len(set(map(tuple, found.labels.tolist()))) == ways


def test_a_pair_that_is_ruled_out_is_never_together_and_there_are_none_where_there_would_be_too_many() -> None:
    found = all_partitions(ruled_out_matrix([0b010, 0b001, 0b000]), 1000)
    assert found is not None and sorted(map(tuple, found.labels.tolist())) == [(0, 1, 0), (0, 1, 1), (0, 1, 2)]
    assert all_partitions(free(6), 202) is None


def test_pairs_sizes_and_blocks_follow_from_the_labels() -> None:
    known = Partitions(np.array([[0, 0, 1], [0, 1, 1], [0, 1, 2]], dtype=np.int16))
    assert [one.tolist() for one in known.pairs] == [[0, 0, 1], [1, 2, 2]]
    assert known.together.tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert known.shares.tolist() == [[0.5, 0, 0], [0, 0, 0.5], [0, 0, 0]]
    assert known.sizes.tolist() == [[2, 2, 1], [1, 2, 2], [1, 1, 1]]
    firsts = list(zip(*(part.tolist() for part in known.firsts), strict=True))
    assert firsts == [(0, 0), (0, 2), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]
    assert known.places_of_sizes.tolist() == [1, 10, 0, 6, 0, 5, 10], "five sizes for each mention"
    numbers = known.numbers
    assert numbers[1, 0] == numbers[2, 0] != numbers[0, 0], "{0} has one number wherever it is a block"
    assert numbers[0, 2] == numbers[2, 2] and numbers[0, 0] == numbers[0, 1]
    assert len(set(numbers.ravel().tolist())) == 5


def placed(number: int, text: str) -> LinkMention:
    words = tuple(text.split())
    return LinkMention(number, number, 0, frozenset({"other"}), words[-1], words)


CANDY, CANE, BOY, DOG = (placed(*one) for one in enumerate(("the candy", "his candy cane", "a boy", "a dog")))


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
    assert chance_of_link(0.0, BOY, placed(7, "another boy")) == SAME_SHARING
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
