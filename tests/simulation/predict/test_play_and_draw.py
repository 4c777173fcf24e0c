"""Images played in memory, by the rules of the service, with truths that are known or drawn."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from annotation.rules.box import Box
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.progress.mention_progress import MentionProgress
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from simulation.crowd import CROWDS
from simulation.mixed_crowd import MixedCrowd, kinds_of
from simulation.predict.belief import ENOUGH, JOINED, PAPER_RATES, WITH_WORDS, Belief, belief_of
from simulation.predict.crew import CrewPlan, Load, qualify
from simulation.predict.draw_truth import TruthDrawer
from simulation.predict.hidden_chains import join_chains
from simulation.predict.play_image import Played, play_image
from simulation.predict.subject import Subject
from simulation.simulate import SECONDS
from simulation.view import GoldChain, GoldImage
from workers.rules.trust import TrustModel

SETTINGS = ProtocolSettings()


def subject(*captions: str, name: str = "1") -> Subject:
    """Make an image with a mention for each caption, as in "people: a man"."""
    rows = [caption.partition(": ") for caption in captions]
    mentions = tuple(
        MentionProgress(number, number, number + 1, number + 1 + len(text.split()), [kind], text)
        for number, (kind, _, text) in enumerate(rows)
    )
    return Subject(name, 200, 100, mentions)


def truth(image: Subject, *chains: tuple[int, ...]) -> GoldImage:
    """Make a truth in which each chain has one box."""
    made = tuple(
        GoldChain(str(place), numbers, False, (Box(10 * place, 10, 10 * place + 50, 60),))
        for place, numbers in enumerate(chains)
    )
    return GoldImage(image.key, 200, 100, made, {number: chain for chain in made for number in chain.mentions})


HATS = subject("clothing: a red hat", "clothing: the hat", "clothing: blue shoes", "people: a man")
MUCH = Load(dict.fromkeys(PROTOCOL_TASKS, 400_000), SECONDS)
KNOWN = replace(HATS, known=truth(HATS, (0, 1), (2,), (3,)))


def played(
    image: Subject, crowd: str = "perfect", *, settings: ProtocolSettings = SETTINGS, workers: int = 20
) -> Played:
    assert image.known is not None
    people = MixedCrowd(CROWDS[crowd]([(image.known, image.for_links())], 1), kinds_of(workers, 0), 1)
    crew = qualify(CrewPlan(workers, trusted=workers), people, settings, 1, MUCH)
    return play_image(image, image.known, settings, people, crew, random.Random(1))


def test_a_perfect_crowd_finds_every_chain_and_the_answers_are_those_of_the_protocol() -> None:
    found = played(KNOWN)
    assert (found.chains, found.exact, found.review) == (3, 3, 0)
    assert found.judgments[Task.COREFERENCE_LINK] == 2
    assert found.judgments[Task.CHAIN_VERIFICATION] == 1
    assert found.judgments[Task.BOX_DRAWING] == found.judgments[Task.BOX_QUALITY] == 3
    assert found.judgments[Task.BOX_COVERAGE] == 6


def test_every_registered_strategy_is_played_and_the_same_call_gives_the_same_outcome() -> None:
    for strategy in Strategy:
        settings = replace(SETTINGS, strategy=strategy)
        assert played(KNOWN, "paper", settings=settings) == played(KNOWN, "paper", settings=settings)


def test_without_workers_the_chains_starve_and_go_to_review() -> None:
    found = played(KNOWN, workers=1)
    assert found.review > 0


def test_a_drawn_truth_keeps_each_mention_in_one_chain_and_joins_equal_heads_more_often() -> None:
    drawer, same, apart = TruthDrawer(HATS, Belief(joined=0.0)), 0, 0
    for seed in range(200):
        drawn = drawer.draw(random.Random(seed))
        assert sorted(number for chain in drawn.chains for number in chain.mentions) == [0, 1, 2, 3]
        assert all(box.fits(200, 100) for chain in drawn.chains for box in chain.boxes)
        same += drawn.chain_of[0] is drawn.chain_of[1]
        apart += drawn.chain_of[0] is drawn.chain_of[2]
        assert drawn.chain_of[2] is not drawn.chain_of[3]  # no type in common
    assert same > apart + 60


def test_some_drawn_chains_are_ones_that_links_cannot_make() -> None:
    drawer = TruthDrawer(HATS, Belief(joined=0.5))
    drawn = [drawer.draw(random.Random(seed)) for seed in range(60)]
    assert any(one.chain_of[2] is one.chain_of[3] for one in drawn)


def test_chains_that_links_cannot_make_are_drawn_by_their_words() -> None:
    texts = ("a red hat", "the hat", "the hat", "a pole")
    mentions = tuple(replace(HATS.mentions[0], number=n, start=3 * n, text=text) for n, text in enumerate(texts))
    image = replace(HATS, mentions=mentions)
    draws = (join_chains([[0], [1], [2], [3]], image, DEFAULT, 0.3, random.Random(seed)) for seed in range(300))
    joined = Counter(tuple(sorted(chain)) for chains in draws for chain in chains if len(chain) == 2)
    assert joined[1, 2] > 2 * joined[1, 3] > 0


def test_gold_is_taken_as_it_is_and_a_finished_image_may_hide_a_chain() -> None:
    assert TruthDrawer(KNOWN, Belief(joined=1.0)).draw(random.Random(1)) is KNOWN.known
    finished = TruthDrawer(replace(KNOWN, from_gold=False), Belief(joined=1.0))
    assert any(len(finished.draw(random.Random(seed)).chains) < 3 for seed in range(20))


def test_boxes_and_priors_are_learned_from_known_images() -> None:
    assert belief_of([]).prior is WITH_WORDS and belief_of([], DEFAULT).prior is DEFAULT
    learned = belief_of([KNOWN] * ENOUGH)
    assert learned.fitted and learned.learned_from == ENOUGH
    assert learned.rates["people"].mean < PAPER_RATES["people"].mean  # each known one has one box
    assert learned.joined < JOINED
    assert belief_of([replace(KNOWN, from_gold=False)] * 5).joined == pytest.approx(JOINED)


def test_bad_workers_are_turned_away_and_verification_questions_are_counted() -> None:
    assert KNOWN.known is not None
    people = MixedCrowd(CROWDS["paper"]([(KNOWN.known, KNOWN.for_links())], 1), kinds_of(20, 0.5), 1)
    trusted = qualify(CrewPlan(20, bad=0.5), people, SETTINGS, 1, MUCH).tasks[Task.COREFERENCE_LINK]
    assert set(trusted.allowed) >= set(range(8)) and len(trusted.allowed) < 15
    assert trusted.probation >= 30 * len(trusted.allowed) and trusted.tests >= 200 and 0 < trusted.rate < 0.05
    checked = replace(SETTINGS, trust=dict.fromkeys(PROTOCOL_TASKS, TrustModel.VERIFICATION.value))
    judged = qualify(CrewPlan(20, bad=0.5), people, checked, 1, MUCH).tasks[Task.COREFERENCE_LINK]
    assert judged.rate == pytest.approx(0.25) and judged.probation == 0
    honest, bad = judged.refused.get(0, 0.0), [judged.refused[n] for n in judged.allowed if n >= 10]
    assert honest < 0.01 and max(bad) > 0.01
