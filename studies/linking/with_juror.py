"""Adaptive links beside a program that judges them [beyond paper 3.1.1], with a simulated crowd and real mentions.

The images of a fold are linked one after the other by the service's own rules: the lot, the program before people, and
refits on the project's own answers. Each way to ask gets the same people's answers to a pair, in the same order.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from annotation.rules.transitivity import Pair, can_corefer, groups
from pipeline.policies.compose import adaptive_links, compose
from pipeline.policies.engine import engine_of
from pipeline.policies.link_models import lot_of
from pipeline.protocol.context import NO_CONTEXT, Context, context_of
from pipeline.protocol.image.machine import EntryKind, RecordEntry, apply, begin
from pipeline.protocol.state.progress import ImageProgress, OpenQuestion
from pipeline.protocol.tasks import coreference_link
from pipeline.protocol.tasks.task import Task
from pipeline.settings.policy_names import LinkStrategy
from pipeline.settings.settings import Settings
from simulation.compare_strategies import PairAnswers
from simulation.link_crowd import LinkCrowd, stable_uniform
from studies.linking.adaptive_frontier import GOALS, Point, cost_of
from studies.linking.calibration import Said
from studies.linking.known import folds_of
from studies.linking.new_project import MOST
from studies.tables import with_spread
from studies.whole_campaign.campaign_cost import CampaignImage
from studies.whole_campaign.colleagues import JUROR
from studies.whole_campaign.own_settings import OwnSettings

LINK = Task.COREFERENCE_LINK


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
    by_juror: int = 0
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
            own = [one for one in self.mentions if chain_of[one.number] == name]
            for part, members in enumerate(groups(own)):
                self.gold |= {one.number: f"{name}/{part}" for one in members}

    def chains(self) -> set[frozenset[int]]:
        return {frozenset(one for one in self.gold if self.gold[one] == name) for name in self.gold.values()}


@dataclass(frozen=True, slots=True)
class Crew:
    """People, and the juror before them."""

    answers: PairAnswers
    wrong: float | None
    """The share of the juror's wrong answers, 0 to 1; None: there is no juror."""
    seed: int

    def juror_says(self, image: LinkBed, pair: Pair) -> bool:
        """Tell whether the juror holds the two mentions to be one thing; the same every time."""
        same = image.gold[pair[0]] == image.gold[pair[1]]
        return same != (stable_uniform(self.seed, "juror of links", image.subject.key, *pair) < (self.wrong or 0.0))


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
    """Yield each fold, seed, way and stop. `ways`: the share of the juror's wrong answers; None: there is no juror.

    The project begins with the default prior. `done` is called after each image. Raises ValueError for images that are
    too few.
    """
    if min(folds, images, seeds) < 1 or len(bed) < folds * images:
        raise ValueError(f"{len(bed)} images do not make {folds} folds of {images}.")
    for fold, (inside, _) in enumerate(folds_of(bed, folds, images, seed)):
        beds = [LinkBed(image) for image in inside]
        for number in range(seed, seed + seeds):
            crowd = LinkCrowd([(one.subject.key, one.mentions, one.gold) for one in beds], 1000 * number + fold)
            answers = PairAnswers(crowd, number, most=MOST)
            for way, wrong in ways.items():
                for stop in stops:
                    linked, own = Linked(way, stop, fold, number), OwnSettings(_settings(stop, wrong))
                    for place, image in enumerate(beds):
                        lot = Random(f"links {number} {fold} {place}").getrandbits(32)
                        progress = _link(linked, image, own.settings, Crew(answers, wrong, number), lot)
                        _count(linked, image, progress, own.settings)
                        own.learn(progress)
                        done()
                    yield linked


def _settings(stop: float, wrong: float | None) -> Settings:
    jurors = () if wrong is None else (JUROR,)
    return Settings(strategy=LinkStrategy.ADAPTIVE, link_stop=stop, link_most=MOST, jurors=jurors)


def _link(linked: Linked, image: LinkBed, settings: Settings, crew: Crew, lot: int) -> ImageProgress:
    """Let the links of an image be answered until none is open."""
    progress = begin(image.subject.first_entry())
    _enter(progress, EntryKind.START, {}, settings, context_of(compose(settings).needs, seed=lot))
    while questions := [one for one in progress.open.values() if one.task is LINK]:
        for question in questions:
            if question.number in progress.open:  # else another answer of this round closed it
                _answer(linked, image, settings, crew, progress, question)
    return progress


def _answer(
    linked: Linked,
    image: LinkBed,
    settings: Settings,
    crew: Crew,
    progress: ImageProgress,
    question: OpenQuestion,
) -> None:
    pair = question.subject[0], question.subject[1]
    if engine_of(settings).is_juror(JUROR, LINK) and JUROR not in question.barred:
        worker, same = JUROR, crew.juror_says(image, pair)
        linked.by_juror += 1
    else:
        worker, same = crew.answers.vote_of(image.subject.key, pair, len(progress.votes_by(model=False).get(pair, ())))
        linked.judgments += 1
    said = coreference_link.Answer.SAME if same else coreference_link.Answer.DIFFERENT
    data: dict[str, object] = {"question": question.number, "worker": worker, "answer": said.value}
    context = context_of(compose(settings).needs, task=LINK, by_model=worker == JUROR)
    _enter(progress, EntryKind.JUDGMENT, data, settings, context)


def _enter(
    progress: ImageProgress,
    kind: EntryKind,
    data: dict[str, object],
    settings: Settings,
    context: Context = NO_CONTEXT,
) -> None:
    apply(progress, RecordEntry(progress.sequence + 1, kind, data, context), compose(settings))


def _count(linked: Linked, image: LinkBed, progress: ImageProgress, settings: Settings) -> None:
    gold = image.chains()
    linked.pairs += sum(can_corefer(one, other) for one, other in combinations(image.mentions, 2))
    linked.gold += len(gold)
    for group in groups(image.mentions):
        plan = adaptive_links(settings).believed(progress, group, lot_of(progress))
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
            reached = [one for one in costs if one is not None]
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
