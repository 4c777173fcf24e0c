import random
from itertools import combinations
from statistics import fmean, stdev

import pytest

from pipeline.rules.linking.transitivity import LinkMention
from simulation.link_crowd import WORKER_SD, WORKERS, Image, LinkCrowd, PerfectLinks

PEOPLE = frozenset(["people"])
HEADS = ["man", "boy", "dog", "woman"]


def images(count: int = 40) -> list[Image]:
    """Images of five captions with three mentions each, every head right for its chain four times in five."""
    rng = random.Random("images")
    made: list[Image] = []
    for key in range(count):
        gold = {number: number % 3 for number in range(15)}
        heads = [HEADS[chain] if rng.random() < 0.8 else rng.choice(HEADS) for chain in gold.values()]
        mentions = [LinkMention(number, number // 3, number % 3, PEOPLE, heads[number]) for number in range(15)]
        made.append((f"image {key}", mentions, gold))
    return made


IMAGES = images()


@pytest.fixture(scope="module")
def crowd() -> LinkCrowd:
    return LinkCrowd(IMAGES, seed=1)


def pairs(*, same: bool) -> list[tuple[str, int, int]]:
    return [
        (key, a.number, b.number)
        for key, mentions, gold in IMAGES
        for a, b in combinations(mentions, 2)
        if a.caption != b.caption and (gold[a.number] == gold[b.number]) == same
    ]


def test_perfect_workers_answer_gold():
    perfect = PerfectLinks(IMAGES)
    assert perfect.answer("image 0", 0, 3, worker=5)
    assert not perfect.answer("image 0", 0, 4, worker=5)


@pytest.mark.parametrize(("same", "rate"), [(True, 0.047), (False, 0.0492)])
def test_the_mean_error_over_pairs_and_workers_is_the_rate_asked_for(crowd: LinkCrowd, rate: float, *, same: bool):
    errors = [crowd.error(*pair, worker) for pair in pairs(same=same) for worker in range(0, WORKERS, 40)]
    assert fmean(errors) == pytest.approx(rate, abs=0.003)


@pytest.mark.slow
@pytest.mark.parametrize("same", [True, False])
def test_workers_err_as_often_as_their_errors_say(crowd: LinkCrowd, *, same: bool):
    asked = [(*pair, worker) for pair in pairs(same=same) for worker in range(0, WORKERS, 60)]
    wrong = fmean(crowd.answer(*question) != same for question in asked)
    assert wrong == pytest.approx(fmean(crowd.error(*question) for question in asked), abs=0.005)


@pytest.mark.slow
def test_other_rates_can_be_asked_for():
    careless = LinkCrowd(IMAGES, seed=1, false_negative=0.094, false_positive=0.2)
    for same, rate in ((True, 0.094), (False, 0.2)):
        errors = [careless.error(*pair, worker) for pair in pairs(same=same) for worker in range(0, WORKERS, 40)]
        assert fmean(errors) == pytest.approx(rate, abs=0.012)


def test_a_worker_gives_the_same_answer_again_and_in_either_order(crowd: LinkCrowd):
    asked = [(key, a, b, worker) for key, a, b in pairs(same=True)[:200] for worker in (0, 586)]
    assert [crowd.answer(key, a, b, worker) for key, a, b, worker in asked] == [
        crowd.answer(key, b, a, worker) for key, a, b, worker in asked
    ]


def test_answers_depend_neither_on_the_order_of_questions_nor_on_mention_numbers(crowd: LinkCrowd):
    renumbered = [
        (
            key,
            [mention._replace(number=mention.number + 1000) for mention in mentions],
            {number + 1000: chain for number, chain in gold.items()},
        )
        for key, mentions, gold in IMAGES
    ]
    other = LinkCrowd(renumbered, seed=1)
    asked = pairs(same=False)[:300]
    there = {pair: other.answer(pair[0], pair[1] + 1000, pair[2] + 1000, 9) for pair in reversed(asked)}
    assert there == {pair: crowd.answer(*pair, 9) for pair in asked}


def test_another_seed_is_another_crowd(crowd: LinkCrowd):
    other = LinkCrowd(IMAGES, seed=2)
    assert any(crowd.answer(*pair, 9) != other.answer(*pair, 9) for pair in pairs(same=False)[:300])


def test_text_that_misleads_makes_a_pair_harder():
    gold = {0: "a", 1: "a"}
    alike, unlike = (
        LinkCrowd([("i", [LinkMention(0, 0, 0, PEOPLE, "man"), LinkMention(1, 1, 0, PEOPLE, head)], gold)], seed=1)
        for head in ("man", "boy")
    )
    assert unlike._difficulty("i", 0, 1) - alike._difficulty("i", 0, 1) == pytest.approx(0.6)


def test_workers_differ_around_zero(crowd: LinkCrowd):
    assert fmean(crowd._biases) == pytest.approx(0)
    assert stdev(crowd._biases) == pytest.approx(WORKER_SD, rel=0.1)


def test_no_pair_is_more_than_45_percent_hard_for_a_worker_like_the_mean():
    hopeless = LinkCrowd(IMAGES, seed=1, false_negative=0.9)
    usual = min(range(WORKERS), key=lambda worker: abs(hopeless._biases[worker]))
    assert {round(hopeless.error(*pair, usual), 2) for pair in pairs(same=True)} == {0.45}


def test_a_worker_who_does_not_exist_is_refused(crowd: LinkCrowd):
    with pytest.raises(ValueError, match="Worker 587: the crowd has workers 0 to 586"):
        crowd.answer("image 0", 0, 3, 587)


def test_images_without_any_pair_make_a_crowd():
    assert LinkCrowd([("i", [LinkMention(0, 0, 0, PEOPLE, "man")], {0: "a"})], seed=0).answer("i", 0, 0, 0) in (
        True,
        False,
    )
