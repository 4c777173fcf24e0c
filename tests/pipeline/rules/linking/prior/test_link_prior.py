"""The weights by which a group's partitions are likely before anybody is asked."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from pipeline.rules.jurors.shared_errors import SharedErrors
from pipeline.rules.linking.prior.link_prior import ANY_TYPE, DEFAULT, WORDLESS, LinkPrior, block_type
from pipeline.rules.linking.transitivity import LinkMention

SIZES = [0.5, 0, -1, -2.25, -3]


def mention(caption: int, *types: str, head: str = "man") -> LinkMention:
    return LinkMention(caption, caption, 0, frozenset(types), head, ("a", head))


def test_a_prior_survives_being_written_as_json():
    sizes: dict[str, tuple[float, ...]] = {"": (1.0, 0.0, -1.0, -2.0, -3.0), "people": (0.25,) * 5}
    prior = LinkPrior(sizes, {"same head": 1.5}, 480, alike={"guy man": 2.0}, heads={"boy kid": -1.0})
    prior = replace(prior, pairs_of_jurors={"7 12": SharedErrors(40.0, (3.0, 2.5), 1.0, 0.2, -1.5)})
    assert LinkPrior.from_json(json.loads(json.dumps(prior.to_json()))) == prior
    assert LinkPrior.from_json(DEFAULT.to_json()) == DEFAULT


def refusal(values: Any) -> str:
    """Return what is wrong with the values, or nothing if they are read."""
    try:
        LinkPrior.from_json(values)
    except ValueError as error:
        return str(error)
    return ""


def test_what_is_wrong_in_json_is_named():
    wrong: list[tuple[Any, str]] = [
        ([], "a link prior=[] should be an object"),
        ({}, "sizes is missing"),
        ({"sizes": []}, "sizes=[] should be an object"),
        ({"sizes": {"people": SIZES}}, 'sizes: weights under "" are missing'),
        ({"sizes": {"": SIZES}, "size": {}}, "size is unknown"),
        ({"sizes": {"": SIZES[:4]}}, "sizes['']=[0.5, 0, -1, -2.25] should be 5 numbers"),
        (
            {"sizes": {"": SIZES, "people": [*SIZES[:4], math.nan]}},
            "sizes['people'][4]=nan should be a number",
        ),
        ({"sizes": {"": [*SIZES[:4], True]}}, "[4]=True should be a number"),
        ({"sizes": {"": [*SIZES[:4], 1e300]}}, "should be a number from -100 to 100"),
        ({"sizes": {"": [*SIZES[:4], 10**400]}}, "should be a number from -100 to 100"),
        ({"sizes": {"": SIZES, "peple": SIZES}}, 'sizes: the name \'peple\' should be one of: "", "people"'),
        ({"sizes": {"": SIZES}, "pairs": {"same hat": 1}}, "pairs: the name 'same hat' should be one of: \"any pair\""),
        ({"sizes": {"": SIZES}, "pairs": {"same head": "1"}}, "pairs['same head']='1' should be a number"),
        (
            {"sizes": {"": SIZES}, "heads": {"man guy": 1}},
            "heads: the name 'man guy' should be two words in",
        ),
        ({"sizes": {"": SIZES}, "heads": {"man": 1}}, "heads: the name 'man' should be two words"),
        ({"sizes": {"": SIZES}, "alike": {"guy man": 101}}, "alike['guy man']=101 should be a number from"),
        (
            {"sizes": {"": SIZES}, "jurors": {"linker": {}}},
            "jurors: the name 'linker' should be the number of a program",
        ),
        ({"sizes": {"": SIZES}, "fitted_on": -1}, "fitted_on=-1 should be a whole number from 0"),
        ({"sizes": {"": SIZES}, "fitted_on": 1.5}, "fitted_on=1.5 should be a whole number from 0"),
        ({"sizes": {"": SIZES}, "temper": 0}, "temper=0 should be a number above 0 and up to 1"),
        ({"sizes": {"": SIZES}, "temper": 1.1}, "temper=1.1 should be a number above 0 and up to 1"),
    ]
    for values, message in wrong:
        assert message in refusal(values), values


def test_a_block_has_the_alphabetically_first_type_of_its_first_mention():
    assert block_type([mention(1, "animals"), mention(0, "scene", "other")]) == "other"


def test_a_block_without_types_counts_as_any():
    assert block_type([mention(0)]) == ANY_TYPE


def test_on_the_first_day_words_weigh_in_round_numbers_and_sizes_half():
    assert DEFAULT.fitted_on == 0
    assert all(round(weight, 1) == weight for weight in DEFAULT.pairs.values())
    assert DEFAULT.sizes["people"][4] == WORDLESS.sizes["people"][4] / 2
    man, men, dog = mention(0, "people"), mention(1, "people"), mention(2, "people", head="dog")
    pairs, _ = DEFAULT.scores([man, men, dog])
    assert pairs[0, 1] - pairs[0, 2] == pytest.approx(2.2)


def test_pairs_weigh_the_sum_of_their_features():
    prior = LinkPrior({"": (0.0,) * 5}, {"any pair": -0.5, "same head": 2.0})
    pairs, _ = prior.scores([mention(0, "people"), mention(1, "people"), mention(2, "people", head="dog")])
    assert pairs.tolist() == [[0, 1.5, -0.5], [1.5, 0, -0.5], [-0.5, -0.5, 0]]


def test_pairs_of_heads_weigh_as_captions_and_known_chains_tell():
    prior = LinkPrior({"": (0.0,) * 5}, {"heads alike": 0.5}, alike={"guy man": 3.0}, heads={"guy man": 0.25})
    group = [mention(0, "people"), mention(1, "people", head="guy"), mention(2, "people", head="dog")]
    assert prior.scores(group)[0].tolist() == [[0, 1.75, 0], [1.75, 0, 0], [0, 0, 0]]


def test_a_prior_from_before_there_were_heads_is_read():
    old = {name: value for name, value in DEFAULT.to_json().items() if name not in ("alike", "heads")}
    assert LinkPrior.from_json(old) == DEFAULT


def test_a_prior_that_was_stored_without_a_temper_counts_all_evidence_so_that_its_project_replays():
    stored = {name: value for name, value in DEFAULT.to_json().items() if name != "temper"}
    assert LinkPrior.from_json(stored) == replace(DEFAULT, temper=1.0)
    assert LinkPrior.from_json(DEFAULT.to_json()).temper == DEFAULT.temper < 1


def test_more_pairs_of_heads_than_a_version_of_the_settings_should_hold_are_refused():
    heads = {f"a b{number}": 1.0 for number in range(5_001)}
    with pytest.raises(ValueError, match="5,001 pairs of heads are more than the 5,000"):
        LinkPrior.from_json({"sizes": {"": SIZES}, "alike": heads})


def test_sizes_are_those_of_the_type_or_of_any():
    prior = LinkPrior({"": (0.0,) * 5, "people": (1.0, 2.0, 3.0, 4.0, 5.0)})
    _, sizes = prior.scores([mention(0, "people"), mention(1, "scene")])
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
