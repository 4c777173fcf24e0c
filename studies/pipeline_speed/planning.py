"""The time to find the next question of a group as large as an image may hold, from the first to the last answer."""

import random
import time
from collections.abc import Sequence
from functools import cache

import numpy as np
from tqdm import tqdm

from annotation.rules.transitivity import PLANNED_WHOLE, LinkMention, Pair
from belief.links.answer_model import PAPER_ERRORS
from pipeline.policies.adaptive_links import AdaptiveLinks
from pipeline.policies.compose import engine_of
from pipeline.protocol.links.policy import Group, LinkPlan
from pipeline.protocol.state.progress import ImageProgress, TallyVote
from pipeline.settings.settings import Settings
from simulation.compare_strategies import GoldForm, Votes, bed_image, begun, link_run
from simulation.scenes.scene import make_scenes
from studies.pipeline_speed.figure import Figure

CAPTIONS = 5
SHIFT = 0.7
"""The standard deviation of the workers' shifts."""
NOUNS = ("man", "woman", "boy", "girl", "worker", "player", "rider", "people")
LARGE, NARRATED = "a large group", "a large group of narrations"
QUANTILES = {
    "plan-median": (LARGE, "median", 0.5, 5.0),
    "plan-worst": (LARGE, "99th percentile", 0.99, 100.0),
    "narrations-median": (NARRATED, "median", 0.5, 5.0),
    "narrations-worst": (NARRATED, "99th percentile", 0.99, 100.0),
}
"""The words of each figure, the share of questions that take no longer, and the goal in milliseconds."""


def plan(name: str, *, mentions: int = PLANNED_WHOLE, groups: int) -> Figure:
    """Measure one of QUANTILES over all questions of made-up groups."""
    of, quantile, share, goal = QUANTILES[name]
    seeds = tqdm(range(groups), unit="group", desc=name, disable=None)
    planned = [time_ for seed in seeds for time_ in _times(of, mentions, seed)]
    details = {
        "mentions": mentions,
        "groups": groups,
        "questions": len(planned),
        "groups and answers": "made up (seeded)",
    }
    what = f"Next question of {of}, {quantile}"
    return Figure(name, what, float(np.quantile(planned, share)), "ms", goal, True, details)


class Timed(AdaptiveLinks):
    """The policy of a new project, which keeps the processor milliseconds of each plan."""

    def __init__(self) -> None:
        super().__init__(engine_of(Settings()))
        self.times: list[float] = []

    def plan(self, image: ImageProgress, group: Group) -> LinkPlan:
        began = time.process_time()
        plan = super().plan(image, group)
        self.times.append(1000 * (time.process_time() - began))
        return plan


@cache  # both figures are of the same plans
def _times(of: str, size: int, seed: int) -> list[float]:
    """Annotate a group to the end. Returns the processor milliseconds of each question."""
    mentions, gold = (narrated_group if of == NARRATED else made_group)(size, seed)
    policy, crowd = Timed(), random.Random(f"crowd {seed}")

    def answer(subject: Sequence[int], votes: Votes) -> dict[Pair, TallyVote]:
        wrong = {pair: crowd.random() < PAPER_ERRORS.mean for pair in votes}
        worker, skill = max(map(len, votes.values())), round(crowd.gauss(0, SHIFT), 3)
        return {pair: TallyVote(0, worker, (gold[pair[0]] == gold[pair[1]]) != wrong[pair], skill) for pair in votes}

    link_run(policy, begun(mentions), answer)
    return policy.times


def narrated_group(size: int, seed: int) -> tuple[list[LinkMention], dict[int, str]]:
    """Return the first mentions of made narrations, which pronouns join to one group, and the gold chain of each."""
    images = (
        bed_image(scene.image, GoldForm.WHOLE, by_sentence=True) for scene in make_scenes(seed, 99, narrated=True)
    )
    image = next(image for image in images if len(image.mentions) >= size)
    return list(image.mentions[:size]), dict(image.gold)


def made_group(size: int, seed: int) -> tuple[list[LinkMention], dict[int, int]]:
    """Return a group of people over five captions, and the gold chain of each mention by its number."""
    draw = random.Random(f"group {seed}")
    each = size // CAPTIONS
    mentions: list[LinkMention] = []
    gold: dict[int, int] = {}
    for caption in range(CAPTIONS):
        for start, chain in enumerate(draw.sample(range(2 * each), each)):
            noun = NOUNS[chain % len(NOUNS)] if draw.random() < 0.7 else draw.choice(NOUNS)
            gold[len(mentions)] = chain
            mentions.append(LinkMention(len(mentions), caption, start, frozenset({"people"}), noun, ("a", noun)))
    return mentions, gold
