"""A run over the links of one image: whatever a link policy asks is answered until it asks no more.

The policy is one of the service, and so are the progress and the votes that it reads. No image is annotated further.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from annotation.rules.transitivity import LinkMention, Pair
from pipeline.protocol.links.policy import Ask, Group, LinkPlan, LinkPolicy
from pipeline.protocol.links.strategies import PaperLinks
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.state.progress import ImageProgress, TallyVote
from simulation.link_crowd import WORKERS

Answer = Callable[[Ask, Sequence[TallyVote]], TallyVote]
"""Gives the next vote on a link that is asked, and gets the votes on it so far."""


class Crowd(Protocol):
    """Workers who answer link questions: `LinkCrowd`, or a crowd like it."""

    def answer(self, image: str, a: int, b: int, worker: int) -> bool: ...


class PairAnswers:
    """The answers of random workers to each pair, drawn once, so that every policy gets the same answers in turn.

    `most`: votes of each pair.
    """

    def __init__(self, crowd: Crowd, seed: int, most: int = PaperLinks.most) -> None:
        self._crowd, self._seed, self._most = crowd, seed, most
        self._drawn: dict[tuple[str, Pair], list[TallyVote]] = {}

    def vote(self, image: str, pair: Pair, turn: int) -> TallyVote:
        """Return the vote of the pair's worker number `turn`, counted from 0. Each worker judges a pair once."""
        if (image, pair) not in self._drawn:
            workers = random.Random(f"{self._seed} {image} {pair}").sample(range(WORKERS), self._most)
            votes = [TallyVote(0, worker, self._crowd.answer(image, *pair, worker)) for worker in workers]
            self._drawn[image, pair] = votes
        return self._drawn[image, pair][turn]

    def about(self, image: str) -> Answer:
        """Return the answers about one image."""
        return lambda ask, votes: self.vote(image, ask.pair, len(votes))


@dataclass(slots=True)
class BedMention(MentionProgress):
    """A mention of a test bed, which is given in the form in which links compare it."""

    linked: LinkMention = field(kw_only=True)

    def for_links(self) -> LinkMention:
        return self.linked


def begun(mentions: Iterable[LinkMention]) -> ImageProgress:
    """Return the progress of an image with these mentions, of which nothing was asked yet."""
    return ImageProgress(
        mentions={
            mention.number: BedMention(
                *(
                    mention.number,
                    mention.caption,
                    mention.start,
                    mention.start + len(mention.words),
                    sorted(mention.types),
                ),
                *(" ".join(mention.words), " ".join(mention.before)),
                linked=mention,
            )
            for mention in mentions
        }
    )


def groups_of(policy: LinkPolicy, image: ImageProgress) -> list[tuple[LinkMention, ...]]:
    """Return the groups of an image that the policy plans together."""
    return policy.groups(mention.for_links() for mention in image.mentions.values())


def link_run(policy: LinkPolicy, image: ImageProgress, answer: Answer) -> list[LinkPlan]:
    """Let everything be answered that the policy asks of an image. Returns the last plan of each group.

    The image keeps the votes: a run by another policy goes on from there.
    """
    plans = []
    for group in groups_of(policy, image):
        while (plan := ask_once(policy, image, group, answer)).asks:
            pass
        plans.append(plan)
    return plans


def ask_once(policy: LinkPolicy, image: ImageProgress, group: Group, answer: Answer) -> LinkPlan:
    """Plan a group, and add the next vote to each link that the plan asks about."""
    plan = policy.plan(image, group)
    image.notes.update(plan.notes)
    for ask in plan.asks:
        votes = image.votes.setdefault(ask.pair, [])
        image.sequence += 1
        votes.append(answer(ask, votes)._replace(entry=image.sequence))
    return plan


def votes_in(image: ImageProgress) -> int:
    """Count the votes on all links of an image."""
    return sum(map(len, image.votes.values()))
