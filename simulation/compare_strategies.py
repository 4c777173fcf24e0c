"""Table 2 [paper 3.1.1] with a simulated crowd: what each link strategy costs, and the chains it gets exactly right.

The test bed has real mentions and chains. Gold chains are split by types: no question could join parts that no shared
type connects. A gold chain with two mentions of one caption is kept and cannot be matched.
"""

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from itertools import combinations
from statistics import fmean, stdev
from typing import Protocol

from annotation.rules.mention import sentence_numbers, words_before
from annotation.rules.mention_type import MentionType, linked_as
from annotation.rules.transitivity import WHOLE, LinkMention, Pair, can_corefer, groups, part_of
from belief.links.fit_known import parts_by_rules
from exchange.dataset import DatasetImage, DatasetMention
from pipeline.protocol.links.policy import Group, LinkPlan, LinkPolicy
from pipeline.protocol.links.strategies import PaperLinks, Strategy
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.state.progress import ImageProgress, TallyVote
from simulation.crowd import WORKERS, LinkCrowd


@dataclass(frozen=True, slots=True)
class BedImage:
    """One image of the test bed; `gold` names the chain of every mention number, `whole` the one it was split from."""

    key: str
    mentions: tuple[LinkMention, ...]
    gold: Mapping[int, str]
    whole: Mapping[int, str] = field(default_factory=dict)

    def chains(self) -> set[tuple[int, ...]]:
        """The gold chains: mention numbers in reading order."""
        members: dict[str, list[int]] = {}
        for mention in self.mentions:
            members.setdefault(self.gold[mention.number], []).append(mention.number)
        return {tuple(numbers) for numbers in members.values()}


class GoldForm(StrEnum):
    """The forms in which known chains count."""

    WHOLE = "whole"
    """As they are, though some break a rule of links."""
    BY_TYPES = "by types"
    """Split where no shared type connects mentions; two mentions of one caption stay together."""
    BY_RULES = "by rules"
    """Split so that no chain breaks a rule of links."""

    def parts(self, chain: Iterable[LinkMention]) -> Sequence[Sequence[LinkMention]]:
        """Return the parts of a chain that count as one each."""
        match self:
            case GoldForm.WHOLE:
                return [tuple(chain)]
            case GoldForm.BY_TYPES:
                return groups(chain)
            case GoldForm.BY_RULES:
                return parts_by_rules(chain)


def bed_image(image: DatasetImage, gold: GoldForm = GoldForm.BY_TYPES, *, by_sentence: bool = False) -> BedImage:
    """Return the mentions whose chain is known, numbered in reading order.

    `by_sentence`: mentions of long captions have parts of their own, as in projects that go beyond the rules.
    """
    known = sorted(
        (mention for mention in image.mentions if mention.chain is not None),
        key=lambda mention: (mention.caption, mention.start),
    )
    sentences = [sentence_numbers(caption.text, caption.offsets) if by_sentence else () for caption in image.captions]
    mentions = tuple(
        LinkMention(
            number=number,
            caption=mention.caption,
            start=mention.start,
            types=frozenset(linked_as(mention.types, words)),
            head=words[-1],
            words=words,
            before=tuple(words_before(image.captions[mention.caption].words, mention.start).lower().split()),
            pronoun=MentionType.PRONOUN.value in mention.types,
            part=part_of(sentences[mention.caption][mention.start], mention.start)
            if by_sentence and (max(sentences[mention.caption]) or MentionType.PRONOUN.value in mention.types)
            else WHOLE,
        )
        for number, (mention, words) in enumerate((mention, _words(image, mention)) for mention in known)
    )
    names = [mention.chain for mention in known]
    chain_of: dict[int, str] = {}
    for name in set(names):
        for part, members in enumerate(gold.parts(mention for mention in mentions if names[mention.number] == name)):
            chain_of |= {member.number: f"{name}/{part}" for member in members}
    return BedImage(image.name, mentions, chain_of, {number: str(name) for number, name in enumerate(names)})


def _words(image: DatasetImage, mention: DatasetMention) -> tuple[str, ...]:
    return tuple(word.lower() for word in image.captions[mention.caption].words[mention.start : mention.end])


def admissible_pairs(image: BedImage) -> int:
    """Count the pairs of mentions that can corefer."""
    return sum(can_corefer(first, another) for first, another in combinations(image.mentions, 2))


Votes = Mapping[Pair, Sequence[TallyVote]]
"""The votes so far on the pairs of a link question."""
Answer = Callable[[Sequence[int], Votes], Mapping[Pair, TallyVote]]
"""Gets the subject of a link question, and gives the next vote on each of its pairs; no vote: nobody may answer."""


class LinkWorkers(Protocol):
    """Workers who answer link questions: `LinkCrowd`, or a crowd like it."""

    def answer(self, image: str, a: int, b: int, worker: int) -> bool: ...

    def sweep(self, image: str, a: int, candidates: Sequence[int], worker: int) -> Collection[int]: ...


class PairAnswers:
    """The answers of random workers to each pair, drawn once, so that every policy gets the same answers in turn.

    `most`: votes of each pair.
    """

    def __init__(self, crowd: LinkWorkers, seed: int, most: int = PaperLinks.most) -> None:
        self._crowd, self._seed, self._most = crowd, seed, most
        self._drawn: dict[tuple[str, Pair], list[TallyVote]] = {}

    def vote(self, image: str, pair: Pair, turn: int) -> TallyVote:
        """Return the vote of the pair's worker number `turn`, counted from 0. Each worker judges a pair once."""
        if (image, pair) not in self._drawn:
            workers = random.Random(f"{self._seed} {image} {pair}").sample(range(WORKERS), self._most)
            votes = [TallyVote(0, worker, self._crowd.answer(image, *pair, worker)) for worker in workers]
            self._drawn[image, pair] = votes
        return self._drawn[image, pair][turn]

    def swept(self, image: str, subject: Sequence[int], votes: Votes) -> dict[Pair, TallyVote]:
        """Return the votes of the first worker who has judged no pair of the sweep, in an order of the mention's."""
        about, *candidates = subject
        judged = {vote.worker for cast in votes.values() for vote in cast}
        order = random.Random(f"{self._seed} {image} sweep {about}").sample(range(WORKERS), WORKERS)
        worker = next(worker for worker in order if worker not in judged)
        touched = self._crowd.sweep(image, about, candidates, worker)
        return {pair: TallyVote(0, worker, n in touched) for pair, n in zip(votes, candidates, strict=True)}

    def about(self, image: str) -> Answer:
        """Return the answers about one image."""

        def answer(subject: Sequence[int], votes: Votes) -> dict[Pair, TallyVote]:
            if len(votes) > 1:
                return self.swept(image, subject, votes)
            return {pair: self.vote(image, pair, len(cast)) for pair, cast in votes.items()}

        return answer


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
    """Plan a group, and add the next vote to each pair that the plan asks about."""
    plan = policy.plan(image, group)
    image.notes.update(plan.notes)
    for ask in plan.asks:
        image.sequence += 1
        cast = answer(ask.subject, {pair: image.votes.get(pair, []) for pair in image.pairs_of(ask.subject)})
        if not cast:
            image.unswept.append(ask.subject[0])
        for pair, vote in cast.items():
            image.votes.setdefault(pair, []).append(vote._replace(entry=image.sequence))
    return plan


def votes_in(image: ImageProgress) -> int:
    """Count the votes on all links of an image."""
    return sum(map(len, image.votes.values()))


def questions_in(image: ImageProgress) -> int:
    """Count the answered link questions of an image: votes of one entry answered one."""
    return len({vote.entry for votes in image.votes.values() for vote in votes})


def further_candidates(image: ImageProgress) -> int:
    """Count the candidates of answered sweeps, the first of each left out."""
    return votes_in(image) - questions_in(image)


@dataclass(frozen=True, slots=True)
class StrategyFigures:
    """One strategy on one sample of images, in percent."""

    cost: float
    """All judgments, repeats included, over the pairs that can corefer; 100 means one judgment for each pair."""
    matched_chains: float
    """Gold chains found with exactly the same mentions."""
    matched_links: float
    """Asked links whose final verdict, that of most of their judgments, is the gold verdict.

    Overruling drops a "yes" that contradicts other links. It changes the chains, not the verdicts.
    """
    false_positive_rate: float
    """The share of asked links that differ in gold and have the final verdict "yes"."""
    false_negative_rate: float
    """The share of asked links that corefer in gold and have the final verdict "no"."""


NAMES = [figure.name for figure in fields(StrategyFigures)]
PAPER = {
    Strategy.EXHAUSTIVE: StrategyFigures(100.00, 81.84, 95.03, 4.92, 4.70),
    Strategy.GREEDY: StrategyFigures(57.00, 81.55, 94.46, 5.74, 4.99),
    Strategy.EXHAUSTIVE_PLUS: StrategyFigures(119.74, 90.67, 98.33, 1.04, 2.28),
    Strategy.GREEDY_PLUS: StrategyFigures(66.94, 86.07, 96.40, 3.14, 4.05),
}


@dataclass(slots=True)
class LinkCounts:
    """Counts of the asked links, by gold and by the majority of their judgments.

    As in table 2 the judgments count: a link that was overruled later counts as it was answered.
    """

    same: int = 0
    different: int = 0
    missed: int = 0
    """False negatives: "same" in gold, "different" by the judgments."""
    wrong: int = 0
    """False positives: "different" in gold, "same" by the judgments."""
    judgments: int = 0
    admissible: int = 0
    """Pairs of mentions that can corefer."""
    chains: int = 0
    """Gold chains."""
    matched_chains: int = 0
    """Gold chains that the links alone make exactly, before any verification."""

    def add_link(self, votes: Sequence[TallyVote], *, same: bool) -> None:
        """Count one link: whether it is one in gold, and by most of its judgments."""
        verdict = 2 * sum(bool(vote.answer) for vote in votes) > len(votes)
        self.same += same
        self.different += not same
        self.missed += same and not verdict
        self.wrong += verdict and not same

    def figures(self) -> StrategyFigures:
        asked = self.same + self.different
        return StrategyFigures(
            cost=_percent(self.judgments, self.admissible),
            matched_chains=_percent(self.matched_chains, self.chains),
            matched_links=_percent(asked - self.missed - self.wrong, asked),
            false_positive_rate=_percent(self.wrong, self.different),
            false_negative_rate=_percent(self.missed, self.same),
        )

    def percentages(self) -> dict[str, float]:
        """Return the figures by name, with two places."""
        figures = self.figures()
        names = ("matched_links", "false_positive_rate", "false_negative_rate", "cost", "matched_chains")
        return {name: round(getattr(figures, name), 2) for name in names}


def compare_strategies(
    images: Iterable[DatasetImage],
    *,
    sample: int = 200,
    seeds: int = 3,
    progress: Callable[[str], None] = lambda line: None,
) -> list[dict[str, str | float]]:
    """Return a row per strategy: each figure's mean over `seeds` crowds and, as `NAME_sd`, its standard deviation.

    Each seed draws its own crowd and its own `sample` of the images (all of them if there are fewer). `progress` gets a
    line after each strategy. The standard deviation of a single seed is 0. Raises ValueError if no pair in the images
    can corefer, or if a number is below 1.
    """
    if sample < 1 or seeds < 1:
        raise ValueError(f"{sample} images and {seeds} seeds: give at least one of each.")
    bed = [bed_image(image) for image in images]
    if not any(admissible_pairs(image) for image in bed):
        raise ValueError(
            "No image has two mentions that can corefer (different captions, a common type): nothing can be compared."
        )
    found: dict[Strategy, list[StrategyFigures]] = {strategy: [] for strategy in PAPER}
    for seed in range(seeds):
        drawn = random.Random(f"images {seed}").sample(bed, min(sample, len(bed)))
        answers = PairAnswers(LinkCrowd([(image.key, image.mentions, image.gold) for image in drawn], seed), seed)
        for strategy in PAPER:
            figures = run_strategy(strategy, drawn, answers)
            found[strategy].append(figures)
            progress(f"seed {seed + 1} of {seeds}: {strategy}, cost {figures.cost:.1f} %")
    return [_row(strategy, runs) for strategy, runs in found.items()]


def run_strategy(strategy: Strategy, images: Iterable[BedImage], answers: PairAnswers) -> StrategyFigures:
    """Answer the strategy's questions until none is open, then compare chains and links with gold."""
    policy, counts = PaperLinks(strategy), LinkCounts()
    for image in images:
        progress = begun(image.mentions)
        plans = link_run(policy, progress, answers.about(image.key))
        chains = {chain for plan in plans for chain in plan.chains}
        counts.judgments += votes_in(progress)
        for (first, another), votes in progress.votes.items():
            counts.add_link(votes, same=image.gold[first] == image.gold[another])
        gold = image.chains()
        counts.admissible += admissible_pairs(image)
        counts.chains += len(gold)
        counts.matched_chains += len(gold & chains)
    return counts.figures()


def _row(strategy: Strategy, runs: Sequence[StrategyFigures]) -> dict[str, str | float]:
    row: dict[str, str | float] = {"strategy": strategy.value}
    for name in NAMES:
        values = [getattr(figures, name) for figures in runs]
        row[name] = round(fmean(values), 3)
        row[f"{name}_sd"] = round(stdev(values), 3) if len(values) > 1 else 0.0
    return row


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def table(rows: Iterable[Mapping[str, str | float]]) -> str:
    """Format the rows: the simulated figures with their spread, and below them the paper's, measured with people."""
    heads = ["cost", "exact chains", "links right", "false positives", "false negatives"]
    lines = [f"{'%':<27}" + "".join(f"{head:>17}" for head in heads)]
    for row in rows:
        cells = "".join(f"{row[name]:>9.2f} ±{row[name + '_sd']:>5.2f} " for name in NAMES)
        paper = PAPER[Strategy(str(row["strategy"]))]
        lines.append(f"{row['strategy']:<16}{'simulated':<11}{cells}")
        lines.append(f"{'':<16}{'paper':<11}" + "".join(f"{getattr(paper, name):>9.2f}{'':<8}" for name in NAMES))
    return "\n".join(line.rstrip() for line in lines)
