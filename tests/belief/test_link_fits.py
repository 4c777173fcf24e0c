"""Fits of links: by known chains, by answers, and by answers of models."""

from dataclasses import replace
from functools import cache
from itertools import combinations
from math import log
from random import Random

import numpy as np
import pytest

from annotation.rules.transitivity import LinkMention
from belief.known_answers import IMAGINED_KNOWN, KnownAnswers
from belief.links.answer_model import LAPSE, PAPER_ERRORS, CrowdErrors, LinkAnswer
from belief.links.fit_known import (
    JOINED,
    L2,
    AnnotatedImage,
    LinkedImage,
    fit_joins,
    fit_known,
    fit_logistic,
    joins_answered,
    joins_of,
    known_groups,
    with_joins,
    with_rule_keeping,
)
from belief.links.fit_link_prior import (
    MIN_SEEN,
    Example,
    GoldGroup,
    fit_link_prior,
    frequent_heads,
    layout_of,
    maximise,
    prior_of,
    weights_of,
)
from belief.links.join_features import DEFAULT_JOINS
from belief.links.link_prior import ALIKE, ANY_TYPE, DEFAULT, KEEPS_CAPTIONS, KEEPS_RULES, LinkPrior
from belief.links.models import calibrate_links, forecasts_of, with_link_models
from belief.links.partitions import SIZES
from belief.links.program_links import WEAK, log_ratios
from belief.links.refit_from_answers import (
    BASE_MISREAD,
    IMAGINED_LINKS,
    JudgedGroup,
    KnownLinkAnswers,
    refit_from_answers,
    refit_programs,
)
from belief.models.calibration import ALONE, BOTH
from belief.models.records import LinkRecord
from tests.support.link_groups import PLANTED, drawn
from workers.rules.score import logit


def image(*mentions: tuple[int, str, str], chains: str) -> AnnotatedImage:
    """Make an image of mentions (caption, types separated by "/", head), and the label of the chain of each."""
    made = [
        LinkMention(number, caption, number, frozenset(types.split("/")), head, ("a", head))
        for number, (caption, types, head) in enumerate(mentions)
    ]
    return made, chains


WHOLE_IMAGE = image((0, "people", "man"), (1, "people", "guy"), chains="AA")
IN_PARTS = image((0, "people", "man"), (0, "people", "guy"), chains="AA")
OTHER_TYPES = image((0, "people", "man"), (1, "animals", "dog"), chains="AA")
SHARING = image((0, "people", "man"), (1, "people", "man"), (0, "people", "lady"), chains="ABC")


def test_without_images_the_shares_are_the_default() -> None:
    fitted = with_rule_keeping(DEFAULT, [])
    assert (fitted.keeps_rules, fitted.keeps_captions) == (KEEPS_RULES, KEEPS_CAPTIONS)


@pytest.mark.parametrize(("field", "weight"), [("keeps_rules", 1 - JOINED), ("keeps_captions", 1.0)])
def test_a_share_lies_where_the_images_and_the_default_pull_alike(field: str, weight: float) -> None:
    fitted = getattr(with_rule_keeping(DEFAULT, [WHOLE_IMAGE] * 30 + [IN_PARTS] * 10), field)
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


MODEL = 70


def judged(number: int, wrong: float, *, in_audit: bool = True, seed: int = 1) -> list[JudgedGroup]:
    """Groups whose pairs people judged, and a program that differs from them on a share."""
    draw = Random(seed)
    return [
        group._replace(
            model_answers={
                pair: [(MODEL, said[0].same != (draw.random() < wrong))] for pair, said in group.answers.items()
            },
            audited=in_audit,
        )
        for group in groups(number, seed)
    ]


@cache
def groups(number: int, seed: int) -> list[JudgedGroup]:
    return drawn(number, PLANTED, PAPER_ERRORS, seed)


def record(judged: list[JudgedGroup]) -> LinkRecord:
    return with_link_models(PLANTED, judged, PAPER_ERRORS).model_annotators[str(MODEL)]


@pytest.mark.parametrize("wrong", [0.02, 0.2])
def test_errors_are_found_from_peoples_answers(wrong: float):
    found = record(judged(80, wrong))
    assert found.is_known and found.of_pairs() == pytest.approx((wrong, wrong), abs=0.07)


def test_answers_outside_the_audit_are_not_counted_and_pairs_that_people_did_not_judge_say_nothing():
    assert record(judged(40, 0.1, in_audit=False)).answers == 0
    assert with_link_models(PLANTED, [judged(1, 0.0)[0]._replace(answers={})], PAPER_ERRORS) == PLANTED


@pytest.mark.parametrize("alike", [False, True], ids=["apart", "alike"])
def test_two_models_are_apart_unless_they_err_about_the_same_pairs(*, alike: bool):
    draw = Random(5)

    def second(first: bool, truth: bool) -> bool:  # noqa: FBT001
        return first if alike else truth != (draw.random() < 0.2)

    by_both = [
        group._replace(
            model_answers={
                pair: [(MODEL, same), (71, second(same, group.answers[pair][0].same))]
                for pair, ((_, same),) in group.model_answers.items()
            }
        )
        for group in judged(80, 0.2)
    ]
    (pair,) = with_link_models(PLANTED, by_both, PAPER_ERRORS).pairs_of_models.values()
    assert (pair.are_apart, pair.are_shared) == (not alike, alike)


def group(*phrases: str, chains: list[int], kind: str = "people") -> GoldGroup:
    mentions = [
        LinkMention(number, number, 0, frozenset({kind}), phrase.split()[-1], tuple(phrase.split()))
        for number, phrase in enumerate(phrases)
    ]
    return mentions, chains


def pair(one: str, another: str, *, same: bool) -> GoldGroup:
    return group(one, another, chains=[7, 7] if same else [7, 3])


BY_HEAD = [
    group("a man", "a tall man", "a dog", chains=[5, 5, 9]),
    group("a red hat", "a blue hat", "one hat", chains=[1, 1, 1]),
    group("a boat", "a car", "boats", chains=[2, 8, 2]),
    group("a wall", "a tree", chains=[4, 6]),
]


@cache
def by_head() -> LinkPrior:
    return fit_link_prior(BY_HEAD)


def test_what_tells_chains_apart_in_gold_gets_weight():
    prior = fit_link_prior(BY_HEAD, l2=0.3)
    assert prior.pairs["same head"] > 0.5 and prior.pairs["any pair"] < 0


def test_without_a_penalty_worth_naming_the_prior_says_what_gold_says_how_often():
    gold = [pair("a man", "somebody", same=True)] * 3 + [pair("a man", "somebody", same=False)] * 7
    _, pairs, sizes, _ = fit_link_prior(gold, l2=1e-6).weights(gold[0][0])
    together, apart = pairs[0, 1] + sizes[0, 1], sizes[0, 0] + sizes[1, 0]
    assert together - apart == pytest.approx(log(3 / 7), abs=0.001)


def test_two_heads_that_are_often_one_thing_weigh_for_themselves():
    gold = [pair("a guy", "a man", same=True)] * 6 + [pair("a lady", "a man", same=False)] * 6
    prior = fit_link_prior(gold, l2=0.3)
    assert prior.heads["guy man"] > 0.2 and prior.heads["lady man"] < -0.2
    assert fit_link_prior([*gold, pair("a clown", "a man", same=True)]).heads.keys() == prior.heads.keys()


def test_gold_tells_how_much_the_heads_of_captions_weigh():
    gold = [pair(f"a guy{n}", f"a man{n}", same=n % 2 == 0) for n in range(20)]
    right = {f"guy{n} man{n}": 1.0 if n % 2 == 0 else -1.0 for n in range(20)}
    prior = fit_link_prior(gold, alike=right)
    assert prior.pairs["heads alike"] > 0.5 and prior.alike == right
    assert fit_link_prior(gold).pairs["heads alike"] == 0


def test_a_larger_penalty_gives_smaller_weights_and_the_order_of_groups_does_not_matter():
    assert 0 < fit_link_prior(BY_HEAD, l2=30.0).pairs["same head"] < by_head().pairs["same head"]
    assert by_head() == fit_link_prior(reversed(BY_HEAD))


def test_a_type_with_gold_has_sizes_of_its_own_and_types_without_gold_get_what_those_have_in_common():
    lonely = group("a tree", "a tree", chains=[0, 1], kind="scene")
    prior = fit_link_prior([*BY_HEAD, lonely, lonely])
    assert set(prior.sizes) == {ANY_TYPE, "people", "scene"}
    assert prior.sizes["scene"][0] > prior.sizes[ANY_TYPE][0]
    alone = [group("a tree", "a wall", chains=[0, 1], kind=kind) for kind in ("people", "scene")]
    common = fit_link_prior(alone).sizes[ANY_TYPE]
    assert common[0] > 0 > common[1]


def test_groups_that_teach_nothing_or_are_of_too_many_partitions_are_left_out():
    mentions, chains = pair("a man", "a man", same=True)
    one_caption = [mention._replace(caption=0, start=number) for number, mention in enumerate(mentions)]
    no_type_shared = [mention._replace(types=frozenset({str(mention.number)})) for mention in mentions]
    useless = [
        group("a man", chains=[0]), (one_caption, chains), (no_type_shared, chains),
        group(*["a man"] * 9, chains=[0] * 9),
    ]  # fmt: skip
    assert fit_link_prior([*BY_HEAD, *useless]).fitted_on == len(BY_HEAD)
    with pytest.raises(ValueError, match="nothing to learn from"):
        fit_link_prior(useless)


SURE = LinkRecord((95.0, 5.0), (95.0, 5.0))
KNOWN = replace(PLANTED, model_annotators={str(MODEL): SURE})


def test_a_model_that_errs_as_its_record_says_counts_in_full_and_what_is_held_is_stored_with_the_prior():
    prior = calibrate_links(KNOWN, judged(30, 0.1), PAPER_ERRORS)
    own = prior.calibrations[str(MODEL)]
    assert prior.model_annotators[str(MODEL)].weight == 1 and own.chains > 15 and own.forecasts > 8
    assert not own.is_too_sure and prior.calibrations[BOTH] == own and prior.calibrations[ALONE].forecasts
    prior = calibrate_links(KNOWN, judged(5, 0.1), PAPER_ERRORS)
    assert LinkPrior.from_json(prior.to_json()) == prior
    assert "calibrations" not in PLANTED.to_json()


def test_a_model_that_errs_more_often_counts_less_until_it_does_not():
    prior = calibrate_links(KNOWN, judged(100, 0.5), PAPER_ERRORS)
    lighter = prior.model_annotators[str(MODEL)]
    assert prior.calibrations[str(MODEL)].is_too_sure and lighter.weight < 0.7
    assert lighter.ratio(same=True) == pytest.approx(lighter.weight * SURE.ratio(same=True))
    assert calibrate_links(prior, judged(15, 0.1), PAPER_ERRORS).model_annotators[str(MODEL)].weight == 1


def test_only_groups_of_the_audit_are_held_and_a_pair_that_models_did_not_judge_is_no_claim():
    assert calibrate_links(KNOWN, judged(30, 0.1, in_audit=False), PAPER_ERRORS).calibrations[str(MODEL)].chains == 0
    assert calibrate_links(PLANTED, judged(5, 0.1), PAPER_ERRORS).calibrations == {}
    assert not list(forecasts_of(judged(1, 0.0)[0], {}, KNOWN, PAPER_ERRORS, people=True))


def test_a_weight_lies_where_the_facts_and_the_pull_balance() -> None:
    true = np.array([1.0] * 8 + [0.0] * 2)
    (weight,) = fit_logistic(np.ones((10, 1)), np.zeros(10), true, np.ones(10), l2=3.0)
    assert 8 - 10 / (1 + np.exp(-weight)) == pytest.approx(3.0 * weight, abs=1e-6)


def test_facts_that_the_logits_foretell_change_nothing_and_it_ends_where_all_facts_agree() -> None:
    (weight,) = fit_logistic(np.ones((4, 1)), np.zeros(4), np.array([1.0, 1.0, 0.0, 0.0]), np.ones(4))
    assert weight == pytest.approx(0.0, abs=1e-9)
    (weight,) = fit_logistic(np.full((50, 1), 9.0), np.full(50, -40.0), np.ones(50), np.ones(50))
    assert np.isfinite(weight) and weight > 0


def test_a_fact_that_counts_twice_is_like_two_facts() -> None:
    twice = fit_logistic(np.ones((2, 1)), np.zeros(2), np.array([1.0, 0.0]), np.array([2.0, 1.0]))
    assert twice == pytest.approx(fit_logistic(np.ones((3, 1)), np.zeros(3), np.array([1.0, 1.0, 0.0]), np.ones(3)))


GUY = LinkMention(0, 0, 0, frozenset({"people"}), "guy")
MAN = LinkMention(1, 1, 0, frozenset({"people"}), "man")
KNOWN_ROW = LinkPrior(
    sizes={"": (0.5, 0.0, -1.0, -2.0, -3.0), "scene": (1.5, 0.0, -1.0, -2.0, -3.0)},
    pairs={"same head": 1.25, ALIKE: 0.5},
    alike={"guy man": 2.0},
    heads={"boy kid": 0.75},
)


def test_a_prior_comes_back_from_its_row() -> None:
    layout = layout_of([[GUY, MAN]], KNOWN_ROW.heads, KNOWN_ROW.alike, KNOWN_ROW.sizes)
    again = prior_of(weights_of(KNOWN_ROW, layout), layout, fitted_on=3)
    assert (again.alike, again.heads, again.fitted_on) == (KNOWN_ROW.alike, KNOWN_ROW.heads, 3)
    assert again.sizes == {**KNOWN_ROW.sizes, "people": KNOWN_ROW.sizes[""]}
    assert {name: weight for name, weight in again.pairs.items() if weight} == KNOWN_ROW.pairs


def test_pairs_of_heads_that_enough_groups_have_are_frequent() -> None:
    assert frequent_heads([[GUY, MAN]] * MIN_SEEN) == ["guy man"]
    assert frequent_heads([[GUY, MAN]] * (MIN_SEEN - 1)) == []
    assert frequent_heads([[GUY, MAN._replace(caption=0)]] * MIN_SEEN) == []


def test_few_answers_change_little_and_a_refit_keeps_the_share_of_the_evidence_that_counts():
    few = refit_from_answers(drawn(5, PLANTED, CrowdErrors(0.3, 0.3), 3), DEFAULT)
    assert few.groups == 5 and few.errors == pytest.approx(PAPER_ERRORS, abs=0.01)
    assert max(abs(few.prior.pairs[name] - weight) for name, weight in DEFAULT.pairs.items()) < 0.35
    given = replace(PLANTED, temper=0.6)
    assert refit_from_answers(drawn(5, PLANTED, PAPER_ERRORS, 3), given).prior.temper == 0.6


def test_a_pair_that_divides_people_does_not_make_the_crowd_look_worse():
    calm = drawn(20, PLANTED, PAPER_ERRORS, 5)
    first = {pair: said[:1] for pair, said in calm[0].answers.items()}
    torn = {pair: [*said, *[LinkAnswer(number % 2 == 0) for number in range(8)]] for pair, said in first.items()}
    before, after = (
        refit_from_answers([*calm[1:], calm[0]._replace(answers=own)], PLANTED).errors for own in (first, torn)
    )
    assert after == pytest.approx(before, abs=0.003)


def test_known_questions_show_how_often_people_err_and_what_most_of_them_misread():
    groups = drawn(20, PLANTED, PAPER_ERRORS, 5)
    all_right, all_wrong = KnownAnswers(5, 0), KnownAnswers(0, 5)
    without, missed, joined = (
        refit_from_answers(groups, PLANTED, KnownLinkAnswers([all_right] * 100, different)).errors
        for different in ([], [all_right] * 100, [*[all_right] * 90, *[all_wrong] * 10])
    )
    assert without.misjoined < 4 * BASE_MISREAD and missed.misjoined < without.misjoined
    assert 10 / 125 < joined.misjoined < 0.3, "of what most people join, more is wrong than of all that is different"
    assert joined.false_positive == pytest.approx((10 + IMAGINED_KNOWN * without.false_positive) / 125, abs=0.005)
    assert missed.false_positive < 0.3 * without.false_positive
    denied = refit_from_answers(groups, PLANTED, KnownLinkAnswers([*[all_right] * 70, *[all_wrong] * 30])).errors
    assert denied.false_negative > 0.2


def in_lists(group: JudgedGroup, candidates: int) -> JudgedGroup:
    """Return the group with answers that were given in sweeps of so many candidates."""
    listed = {pair: [one._replace(listed=candidates) for one in given] for pair, given in group.answers.items()}
    return group._replace(answers=listed)


def test_what_is_overlooked_in_lists_is_learned_apart_from_what_is_misjudged() -> None:
    pairs, found = drawn(60, PLANTED, PAPER_ERRORS, 0, captions=5), []
    for overlooked in (0.005, 0.03):
        crowd = PAPER_ERRORS._replace(overlooked=overlooked)
        missed = PAPER_ERRORS._replace(false_negative=1 - (1 - crowd.false_negative) * crowd.noticed(9))
        swept = [in_lists(group, 9) for group in drawn(240, PLANTED, missed, 1, captions=5)]
        found.append(refit_from_answers([*pairs, *swept], PLANTED).errors)
    assert found[0].overlooked < 0.01 < 0.015 < found[1].overlooked < 0.035
    assert [errors.false_negative for errors in found] == pytest.approx([PAPER_ERRORS.false_negative] * 2, abs=0.02)
    assert refit_from_answers(pairs, PLANTED).errors.overlooked == PAPER_ERRORS.overlooked, "no sweep, no lesson"


def test_ten_thousand_answers_to_known_sweeps_give_back_how_often_people_overlook() -> None:
    crowd, draw = PAPER_ERRORS._replace(overlooked=0.03), Random(1)

    def answered(candidates: int) -> KnownAnswers:
        seen = (1 - crowd.false_negative) * crowd.noticed(candidates)
        right = sum(draw.random() < seen for _ in range(10))
        return KnownAnswers(right, 10 - right)

    pairs, swept = [answered(1) for _ in range(200)], [(k, answered(k)) for k in draw.choices([3, 6, 12], k=1000)]
    groups = drawn(20, PLANTED, PAPER_ERRORS, 5)
    found = refit_from_answers(groups, PLANTED, KnownLinkAnswers(pairs, swept=swept)).errors
    assert found.overlooked == pytest.approx(crowd.overlooked, abs=0.003)
    assert found.false_negative == pytest.approx(crowd.false_negative, abs=0.008)


def swept_with_lapses(share: float, seed: int) -> list[JudgedGroup]:
    """Return groups with sweeps of their first mention, about which this share of answers is drawn by chance."""
    chance, groups = Random(seed), []
    for number, group in enumerate(drawn(300, PLANTED, PAPER_ERRORS, seed, captions=7), 1):
        is_lapse = chance.random() < share
        swept = {
            pair: [LinkAnswer(chance.random() < 0.5 if is_lapse else answer.same, 0.0, 6, number)]
            for pair, (answer,) in group.answers.items()
            if pair[0] == 0
        }
        groups.append(group._replace(answers={**group.answers, **swept}))
    return groups


def test_how_many_answers_to_sweeps_are_lapses_is_learned() -> None:
    learned = [refit_from_answers(swept_with_lapses(share, 3), PLANTED).errors for share in (0.0, 0.25)]
    assert learned[0].lapse < LAPSE < 0.15 < learned[1].lapse < 0.3
    assert refit_from_answers(drawn(20, PLANTED, PAPER_ERRORS, 0), PLANTED).errors.lapse == LAPSE, "no sweep"


def test_without_answers_the_prior_stays_the_given_one():
    inactive = [group._replace(answers={}) for group in drawn(3, PLANTED, PAPER_ERRORS, 6)]
    assert refit_from_answers(inactive, PLANTED) == (PLANTED, PAPER_ERRORS, 0)
    assert refit_from_answers([], DEFAULT) == (DEFAULT, PAPER_ERRORS, 0)


def test_types_without_answers_keep_the_sizes_they_were_given():
    learned = refit_from_answers(drawn(20, PLANTED, PAPER_ERRORS, 7), DEFAULT).prior
    moved = np.array(learned.sizes[""]) - np.array(DEFAULT.sizes[""])
    assert learned.sizes["scene"] == pytest.approx(tuple(np.array(DEFAULT.sizes["scene"]) + moved), abs=0.001)
    assert len(learned.sizes["people"]) == SIZES


def test_a_fit_leaves_a_valley_between_two_explanations_of_the_answers():
    counts = np.array([[-1], [0], [1]], dtype=np.float32)
    either = Example(np.array([0]), counts, np.arange(3), np.array([5.0, 0.0, 5.0]))
    (weight,) = maximise([either], np.array([0.1]), 0.01)
    assert weight > 1


def judged_links(groups: int, wrong: int) -> list[JudgedGroup]:
    """Groups of two men and a lady, with answers to all pairs; a program joins the lady to a man in `wrong` of them."""
    texts = (("a", "man"), ("the", "surfer"), ("a", "lady"))
    people = frozenset({"people"})
    mentions = tuple(LinkMention(place, place, 0, people, words[-1], words) for place, words in enumerate(texts))
    answers = {pair: [LinkAnswer(pair == (0, 1))] * 3 for pair in combinations(range(3), 2)}
    bad, good = [[0, 2], [1]], [[0, 1], [2]]
    return [JudgedGroup(mentions, answers, {7: bad if number < wrong else good}) for number in range(groups)]


def test_errors_are_those_that_answers_show_and_those_of_imagined_pairs():
    # Wrong on 10 of 50 pairs that are one thing, and on 10 of 100 that are not.
    missed = (10 + IMAGINED_LINKS * WEAK.false_negative) / (50 + IMAGINED_LINKS)
    false = (10 + IMAGINED_LINKS * WEAK.false_positive) / (100 + IMAGINED_LINKS)
    assert refit_programs(judged_links(50, 10), DEFAULT, PAPER_ERRORS)[7] == pytest.approx((missed, false), abs=0.01)


def test_with_few_answers_a_program_stays_near_an_unknown_one_and_one_that_is_mostly_wrong_is_set_aside():
    rates = refit_programs(judged_links(1, 0), DEFAULT, PAPER_ERRORS)
    assert rates[7] == pytest.approx(WEAK, abs=0.05)
    rates = refit_programs(judged_links(30, 28), DEFAULT, PAPER_ERRORS)
    assert log_ratios(rates[7]) == (0.0, 0.0)


def test_nothing_is_learned_from_groups_without_answers_or_without_a_program():
    group = judged_links(1, 0)[0]
    assert refit_programs([group._replace(answers={}), group._replace(program_chains={})], DEFAULT, PAPER_ERRORS) == {}


AGAIN = image((0, "other", "table"), (0, "other", "table"), chains="AA")
TWO = image((0, "other", "table"), (0, "other", "table"), chains="AB")
WHOLE = image((0, "other", "table"), (1, "other", "table"), chains="AA")


def test_without_images_the_weights_are_the_default() -> None:
    assert with_joins(DEFAULT, []).joins == DEFAULT_JOINS


def test_only_parts_that_the_rules_keep_apart_are_learnt_from_and_a_chain_of_three_gives_three_pairs() -> None:
    assert joins_of(*AGAIN).same.tolist() == [1.0] and joins_of(*TWO).same.tolist() == [0.0]
    assert joins_of(*WHOLE).same.tolist() == []
    three = image((0, "other", "table"), (0, "other", "table"), (0, "scene", "room"), chains="AAA")
    assert joins_of(*three).same.tolist() == [1.0, 1.0, 1.0]


def test_what_is_one_thing_in_the_images_becomes_likelier() -> None:
    same, different = (with_joins(DEFAULT, [example] * 20).joins for example in (AGAIN, TWO))
    assert same["any same head"] > DEFAULT_JOINS["any same head"] > different["any same head"]


def test_answers_tell_what_gold_would() -> None:
    mentions, _ = AGAIN
    yes, no = (
        joins_answered(LinkedImage(mentions, "AA", {(0, 1): [LinkAnswer(same)] * 3}), DEFAULT, PAPER_ERRORS)
        for same in (True, False)
    )
    assert yes.same[0] > 0.8 and no.same[0] < 0.01
    assert yes.values == pytest.approx(joins_of(*AGAIN).values)


def test_a_project_whose_chains_keep_the_rules_learns_it_from_a_few_answers() -> None:
    mentions = image((0, "other", "sky"), (1, "scene", "cloud"), chains="AB")[0]
    heard = joins_answered(LinkedImage(mentions, "AB", {(0, 1): [LinkAnswer(False)]}), DEFAULT, PAPER_ERRORS)
    many = heard._replace(values=heard.values.repeat(60, axis=0), same=heard.same.repeat(60))
    moved = {name: DEFAULT_JOINS[name] - weight for name, weight in fit_joins([many], DEFAULT_JOINS).items()}
    assert moved["any two chains"] > 0.5 and max(moved, key=moved.__getitem__) == "any two chains"
    assert moved["any two chains"] > 5 * moved["no common type"] > 0


def test_pairs_that_nobody_was_asked_about_tell_nothing() -> None:
    assert len(joins_answered(LinkedImage(*TWO, {}), DEFAULT, PAPER_ERRORS).same) == 0
    assert len(joins_answered(LinkedImage(*WHOLE, {(0, 1): [LinkAnswer(True)]}), DEFAULT, PAPER_ERRORS).same) == 0


def test_one_fit_learns_words_rules_and_joins_and_each_group_of_an_image_is_known_by_itself() -> None:
    prior, other = fit_known([WHOLE] * 10 + [AGAIN] * 10), fit_known([WHOLE] * 20)
    assert prior.fitted_on == 10 and prior.keeps_captions["other"] < other.keeps_captions["other"]
    assert prior.joins["any same head"] > other.joins["any same head"]
    assert [len(mentions) for mentions, _ in known_groups([WHOLE, OTHER_TYPES])] == [2, 1, 1]
