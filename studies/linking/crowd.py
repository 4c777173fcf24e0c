"""The crowd of the study [beyond paper 3.1.1]: simulated workers, some of them spammers, and what is known of each."""

from functools import cache
from random import Random

from pipeline.rules.linking.adaptive.answer_model import CrowdErrors, Heard, worker_shift
from pipeline.rules.linking.transitivity import Pair
from simulation.compare_strategies import PairAnswers
from simulation.link_crowd import LinkCrowd

MOST = 15
CHECKS = 50
"""Verification questions that each worker has answered, where the skill of workers is known."""


class Spammed:
    """A crowd of which a share of the workers answers at random."""

    def __init__(self, crowd: LinkCrowd, seed: int, share: float) -> None:
        self._crowd, self._seed, self._share = crowd, seed, share

    def answer(self, image: str, a: int, b: int, worker: int) -> bool:
        if self.is_spammer(worker):
            return Random(f"spam {self._seed} {image} {a} {b} {worker}").random() < 0.5
        return self._crowd.answer(image, a, b, worker)

    def is_spammer(self, worker: int) -> bool:
        return Random(f"spammer {self._seed} {worker}").random() < self._share

    def mean_error(self, worker: int) -> float:
        return 0.5 if self.is_spammer(worker) else self._crowd.mean_error(worker)


class Crew:
    """Answers pair by pair, each with what the service would know of its worker.

    `skills`: every worker has answered CHECKS verification questions; else nothing is known of anybody.
    """

    def __init__(self, crowd: LinkCrowd, seed: int, *, spam: float = 0.0, skills: bool = False) -> None:
        people = Spammed(crowd, seed, spam)
        self.answers = PairAnswers(people, seed, most=MOST)
        self._skills = skills
        self._right = cache(lambda worker: _right(people, seed, worker))

    def heard(self, image: str, pair: Pair, turn: int, errors: CrowdErrors) -> Heard:
        """Return the answer number `turn` to a pair, counted from 0, weighed against these errors of the crowd."""
        worker, same = self.answers.vote_of(image, pair, turn)
        return Heard(same, worker_shift(self._right(worker) / CHECKS, CHECKS, errors) if self._skills else 0.0)


def _right(crowd: Spammed, seed: int, worker: int) -> int:
    chance = Random(f"checks {seed} {worker}")
    return sum(chance.random() >= crowd.mean_error(worker) for _ in range(CHECKS))
