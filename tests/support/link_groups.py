"""Groups of mentions for tests of links, with answers that are right or drawn from known weights; and a plain beam.
Links with several answers each, in a project that asks what is part of what.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from random import Random

import numpy as np

from annotation.models import Project
from annotation.rules.link_group import link_group
from annotation.rules.transitivity import LinkMention, Pair
from belief.links.answer_model import CrowdErrors, Heard
from belief.links.link_prior import LinkPrior
from belief.links.partitions import SIZES, Flags, Weights, all_partitions, posterior, ruled_out_matrix
from belief.links.refit_from_answers import JudgedGroup
from pipeline.models import Judgment, Question
from pipeline.policies.adaptive_links import GroupPlan, plan_adaptively
from pipeline.protocol.links.policy import LinkPlan
from pipeline.protocol.tasks.task import Task
from pipeline.settings.policy_names import LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from tests.support.projects import lease, phrases, project_of, submit, worker
from workers.models import Worker

EVEN = LinkPrior({"": (0.0,) * 5})
YES, NO = Heard(True), Heard(False)
Known = Mapping[Pair, Sequence[Heard]]
HEADS = ("man", "boy", "player")
PLANTED = LinkPrior({"": (0.0, -1.0, -1.0, -1.0, 0.0)}, {"any pair": -1.0, "same head": 3.0})
"""A world in which only heads tell."""
ALIKE = [LinkMention(number, number, 1, frozenset({"people"}), "man", ("the", "man")) for number in range(2)]
OTHER = [ALIKE[0], ALIKE[1]._replace(head="boy", words=("the", "boy"))]
"""Two pairs: with the same head, and with another one."""


def people(count: int, captions: int = 5) -> list[LinkMention]:
    """One after another over the captions."""
    types, words = frozenset({"people"}), ("a", "man")
    made = [LinkMention(n, n % captions, n // captions, types, "man", words) for n in range(count)]
    return sorted(made, key=lambda mention: (mention.caption, mention.start))


def asked(plan: GroupPlan | LinkPlan) -> tuple[Pair, ...]:
    """Return the pairs that are asked about."""
    return tuple(ask.pair for ask in plan.asks)


def plan(mentions: Sequence[LinkMention], heard: Known | None = None, stop: float = 0.02, **more: object) -> GroupPlan:
    return plan_adaptively(mentions, heard or {}, prior=EVEN, stop=stop, **more)  # type: ignore[arg-type]


def ask_all(mentions: Sequence[LinkMention], gold: Mapping[int, int], stop: float = 0.02) -> tuple[GroupPlan, int]:
    """With workers who are always right. The plan at the end, and how many judgments it took."""
    heard: dict[Pair, list[Heard]] = {}
    while (now := plan(mentions, heard, stop)).asks:
        (pair,) = asked(now)
        heard.setdefault(pair, []).append(Heard(gold[pair[0]] == gold[pair[1]]))
    return now, sum(map(len, heard.values()))


def drawn(number: int, prior: LinkPrior, errors: CrowdErrors, seed: int, captions: int = 3) -> list[JudgedGroup]:
    """Draw groups of people, their chains by the prior, and one answer to each pair by the errors."""
    chance = Random(seed)
    return [_group(prior, errors, chance, captions) for _ in range(number)]


def _group(prior: LinkPrior, errors: CrowdErrors, chance: Random, captions: int) -> JudgedGroup:
    mentions = [
        LinkMention(number, number, 1, frozenset({"people"}), head, ("the", head))
        for number, head in enumerate(chance.choices(HEADS, k=captions))
    ]
    partitions = all_partitions(ruled_out_matrix(link_group(tuple(mentions)).ruled_out), 2500)
    assert partitions is not None
    labels = partitions.labels
    chances = posterior(partitions, Weights(np.zeros((captions, captions)), *prior.scores(mentions))).chances
    truth = labels[chance.choices(range(len(labels)), chances.tolist())[0]]
    heard = {}
    for one, another in combinations(range(captions), 2):
        same = bool(truth[one] == truth[another])
        wrong = chance.random() < (errors.false_negative if same else errors.false_positive)
        heard[one, another] = [Heard(same != wrong)]
    return JudgedGroup(mentions, heard)


def odds(prior: LinkPrior, pair: list[LinkMention]) -> float:
    """Of two mentions to be one chain, as a logarithm."""
    words, sizes = prior.scores(pair)
    return float(words[0, 1] + sizes[0, 1] - sizes[0, 0] - sizes[1, 0])


def plain_beam(ruled_out: Flags, weights: Weights, width: int) -> list[tuple[tuple[int, ...], float]]:
    """Return the labels of about the `width` likeliest partitions, each with its score."""
    kept: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    for mention in range(len(ruled_out)):
        larger = []
        for labels, _ in kept:
            for block in range(max(labels, default=-1) + 2):
                if not any(ruled_out[mention, other] for other, own in enumerate(labels) if own == block):
                    longer = (*labels, block)
                    larger.append((longer, plain_score(longer, weights)))
        best = sorted(range(len(larger)), key=lambda place: -round(larger[place][1], 9))[:width]
        kept = [larger[place] for place in sorted(best)]
    return kept


def plain_score(labels: tuple[int, ...], weights: Weights) -> float:
    """Return the sum over the blocks of what their pairs, words and sizes add."""
    score = 0.0
    for block in set(labels):
        members = [mention for mention, own in enumerate(labels) if own == block]
        pairs = [(one, other) for one in members for other in members if one < other]
        score += sum(weights.pairs[pair] for pair in pairs)
        score += 2 / len(members) * sum(weights.words[pair] for pair in pairs)
        score += weights.sizes[members[0], min(len(members), SIZES) - 1]
    return score


def links_with_votes(votes: Sequence[tuple[str, ...]]) -> Project:
    """Make a project with a link for each of these tuples of answers, the first of which has closed it.

    "program" is the answer of a program, that B is part of A.
    """
    images = [phrases("people: three men", "people: one of them", name=str(number)) for number in range(len(votes))]
    project = project_of(*images, settings=Settings(strategy=LinkStrategy.EXHAUSTIVE, part_answers=True))
    assignment = lease(project, worker(project, "ada"), Task.COREFERENCE_LINK)
    places = dict(Question.objects.values_list("pk", "image__position"))
    submit(assignment, *(votes[places[number]][0] for number in assignment.questions))
    tick(project_id=project.pk)
    given = list(Judgment.objects.order_by("question__image__position"))
    for judgment, (_, *others) in zip(given, votes, strict=True):
        for number, one in enumerate(others):
            kind = Worker.Kind.PROGRAM if one == "program" else Worker.Kind.PERSON
            judgment.pk, judgment.answer = None, "b is part of a" if one == "program" else one
            judgment.worker = worker(project, f"{kind} {number}", kind=kind)
            judgment.save()
    return project
