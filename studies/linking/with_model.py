"""Adaptive links beside a model annotator [beyond paper 3.1.1], with a simulated crowd and real mentions.

The images of a fold are linked one after the other by the service's own rules: the audit, the program before people,
and refits on the project's own answers. Each way to ask gets the same people's answers to a pair, in the same order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from annotation.rules.transitivity import can_corefer, groups
from pipeline.policies.compose import adaptive_links
from pipeline.policies.link_models import link_audit_of
from pipeline.protocol.image.machine import begin
from pipeline.protocol.links.policy import Ask
from pipeline.protocol.state.progress import ImageProgress, TallyVote
from pipeline.settings.policy_names import LinkStrategy
from pipeline.settings.settings import Settings
from simulation.link_crowd import LinkCrowd, stable_uniform
from simulation.link_run import Answer, PairAnswers, link_run, votes_in
from studies.linking.adaptive_frontier import GOALS, Point, cost_of
from studies.linking.calibration import Said
from studies.linking.known import folds_of
from studies.linking.new_project import MOST
from studies.tables import with_spread
from studies.whole_campaign.campaign_cost import CampaignImage
from studies.whole_campaign.colleagues import MODEL
from studies.whole_campaign.own_settings import OwnSettings


@dataclass(slots=True)
class Linked:
    """The images of a fold, linked in one way up to one stop."""

    way: str
    stop: float
    fold: int
    seed: int
    pairs: int = 0
    """Pairs of mentions that can corefer."""
    gold: int = 0
    """Gold chains."""
    judgments: int = 0
    """People's answers."""
    by_model_annotator: int = 0
    exact: int = 0
    chains: list[Said] = field(default_factory=list)
    """The confidence of every chain that links made, and whether gold has this chain."""

    @property
    def point(self) -> Point:
        """The cost, people's judgments for 100 pairs that can corefer, and the percentage of exact chains."""
        return Point(100 * self.judgments / self.pairs, 100 * self.exact / self.gold)


class LinkBed:
    """One image of a fold: its gold chains in the parts that links can make."""

    def __init__(self, image: CampaignImage) -> None:
        self.subject, self.mentions = image.subject, image.subject.for_links()
        chain_of = {number: chain.name for number, chain in image.gold.chain_of.items()}
        self.gold: dict[int, str] = {}
        for name in sorted(set(chain_of.values())):
            own = [mention for mention in self.mentions if chain_of[mention.number] == name]
            for part, members in enumerate(groups(own)):
                self.gold |= {member.number: f"{name}/{part}" for member in members}

    def chains(self) -> set[frozenset[int]]:
        return {frozenset(one for one in self.gold if self.gold[one] == name) for name in self.gold.values()}


@dataclass(frozen=True, slots=True)
class Crew:
    """People, and the model annotator before them, who answer about the links of an image."""

    answers: PairAnswers
    wrong: float | None
    """The share of the model annotator's wrong answers, 0 to 1; None: there is no model annotator."""
    seed: int

    def about(self, image: LinkBed) -> Answer:
        """Return their answers: the model annotator's first, the same every time, then those of people."""

        def answer(ask: Ask, votes: Sequence[TallyVote]) -> TallyVote:
            people = sum(not vote.by_model for vote in votes)
            if self.wrong is None or people < len(votes) or MODEL in ask.barred:
                return self.answers.vote(image.subject.key, ask.pair, people)
            same = image.gold[ask.pair[0]] == image.gold[ask.pair[1]]
            wrong = stable_uniform(self.seed, "juror of links", image.subject.key, *ask.pair) < self.wrong
            return TallyVote(0, MODEL, same != wrong, by_model=True)

        return answer


def linked_folds(
    bed: Sequence[CampaignImage],
    ways: Mapping[str, float | None],
    *,
    folds: int,
    images: int,
    seeds: int,
    seed: int,
    stops: Sequence[float],
    done: Callable[[], object] = lambda: None,
) -> Iterator[Linked]:
    """Yield each fold, seed, way and stop. `ways`: the model's share of wrong answers; None: no model.

    The project begins with the default prior. `done` is called after each image. Raises ValueError for images that are
    too few.
    """
    if min(folds, images, seeds) < 1 or len(bed) < folds * images:
        raise ValueError(f"{len(bed)} images do not make {folds} folds of {images}.")
    for fold, (inside, _) in enumerate(folds_of(bed, folds, images, seed)):
        beds = [LinkBed(image) for image in inside]
        for number in range(seed, seed + seeds):
            crowd = LinkCrowd([(bed.subject.key, bed.mentions, bed.gold) for bed in beds], 1000 * number + fold)
            answers = PairAnswers(crowd, number, most=MOST)
            for way, wrong in ways.items():
                for stop in stops:
                    linked, own = Linked(way, stop, fold, number), OwnSettings(_settings(stop, wrong))
                    for place, image in enumerate(beds):
                        rng = Random(f"links {number} {fold} {place}").getrandbits(32)
                        progress = begin(image.subject.first_entry())
                        progress.seed = rng
                        link_run(adaptive_links(own.settings), progress, Crew(answers, wrong, number).about(image))
                        _count(linked, image, progress, own.settings)
                        own.learn(progress)
                        done()
                    yield linked


def _settings(stop: float, wrong: float | None) -> Settings:
    model_annotators = () if wrong is None else (MODEL,)
    return Settings(strategy=LinkStrategy.ADAPTIVE, link_stop=stop, link_most=MOST, model_annotators=model_annotators)


def _count(linked: Linked, image: LinkBed, progress: ImageProgress, settings: Settings) -> None:
    gold = image.chains()
    by_model_annotator = sum(map(len, progress.votes_by(model=True).values()))
    linked.by_model_annotator += by_model_annotator
    linked.judgments += votes_in(progress) - by_model_annotator
    linked.pairs += sum(can_corefer(one, other) for one, other in combinations(image.mentions, 2))
    linked.gold += len(gold)
    for group in groups(image.mentions):
        plan = adaptive_links(settings).believed(progress, group, link_audit_of(progress))
        right = [frozenset(chain) in gold for chain in plan.chains]
        linked.exact += sum(right)
        confidence = [plan.confidence[chain[0]] for chain in plan.chains]
        linked.chains += (Said(image.subject.key, *one) for one in zip(confidence, right, strict=True))


def cost_lines(found: Sequence[Linked]) -> str:
    """Return for each way people's judgments for 100 pairs at each goal, and at each stop what it costs and gets."""
    lines = []
    for way in dict.fromkeys(one.way for one in found):
        own = [one for one in found if one.way == way]
        runs = sorted({(one.fold, one.seed) for one in own})
        lines.append(way)
        for goal in GOALS:
            costs = [cost_of([one.point for one in own if (one.fold, one.seed) == run], goal) for run in runs]
            reached = [cost for cost in costs if cost is not None]
            what = with_spread(reached) if reached else "not reached"
            lines.append(f"  {goal:g} % of chains: {what}, in {len(reached)} of {len(runs)} folds")
        for stop in dict.fromkeys(one.stop for one in own):
            points = [one.point for one in own if one.stop == stop]
            cases = [case for one in own if one.stop == stop for case in one.chains]
            said, right = (100 * sum(values) / len(cases) for values in zip(*(case[1:] for case in cases), strict=True))
            lines.append(
                f"  stop {stop:<5g} cost {with_spread([one.cost for one in points])}, exact chains"
                f" {with_spread([one.chains for one in points])} %, said {said:.1f} %, right {right:.1f} %"
            )
    return "\n".join(lines)
