"""Table 2 [paper 3.1.1] with a simulated crowd: what each link strategy costs, and the chains it gets exactly right.

The test bed has real mentions and chains. A gold chain whose mentions shared types do not connect is split into its
connected parts, because no question could join them. A gold chain with two mentions of one caption is kept and cannot
be matched.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from statistics import fmean, stdev
from typing import Protocol

from annotation.rules.mention import words_before
from annotation.rules.mention_type import MentionType
from annotation.rules.pronoun import linked_as
from annotation.rules.sentences import sentence_numbers
from exchange.dataset import DatasetImage, DatasetMention
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.link_strategy import Strategy, plan_links
from pipeline.rules.linking.transitivity import WHOLE, LinkMention, Pair, can_corefer, groups, part_of
from simulation.link_crowd import WORKERS, LinkCrowd

MOST_VOTES = 5


@dataclass(frozen=True, slots=True)
class BedImage:
    """One image of the test bed; `gold` names the chain of every mention number."""

    key: str
    mentions: tuple[LinkMention, ...]
    gold: Mapping[int, str]

    def chains(self) -> set[tuple[int, ...]]:
        """The gold chains: mention numbers in reading order."""
        members: dict[str, list[int]] = {}
        for mention in self.mentions:
            members.setdefault(self.gold[mention.number], []).append(mention.number)
        return {tuple(numbers) for numbers in members.values()}


@dataclass(frozen=True, slots=True)
class Figures:
    """One strategy on one sample of images, in percent."""

    cost: float
    """All judgments, repeats included, over the pairs that can corefer; 100 means one judgment for each pair."""
    matched_chains: float
    """Gold chains found with exactly the same mentions."""
    matched_links: float
    """Asked links whose final verdict (see `final_verdicts`) is the gold verdict."""
    false_positive_rate: float
    """The share of asked links that differ in gold and have the final verdict "yes"."""
    false_negative_rate: float
    """The share of asked links that corefer in gold and have the final verdict "no"."""


NAMES = [figure.name for figure in fields(Figures)]
PAPER = {
    Strategy.EXHAUSTIVE: Figures(100.00, 81.84, 95.03, 4.92, 4.70),
    Strategy.GREEDY: Figures(57.00, 81.55, 94.46, 5.74, 4.99),
    Strategy.EXHAUSTIVE_PLUS: Figures(119.74, 90.67, 98.33, 1.04, 2.28),
    Strategy.GREEDY_PLUS: Figures(66.94, 86.07, 96.40, 3.14, 4.05),
}


class Answers(Protocol):
    """A crowd: `LinkCrowd`, or one like it."""

    def answer(self, image: str, a: int, b: int, worker: int) -> bool: ...


class PairAnswers:
    """The answers of random workers to each pair, drawn once, so that every strategy gets the same answers in turn."""

    def __init__(self, crowd: Answers, seed: int, most: int = MOST_VOTES) -> None:
        self._crowd, self._seed, self._most = crowd, seed, most
        self._drawn: dict[tuple[str, Pair], list[tuple[int, bool]]] = {}

    def vote(self, image: str, pair: Pair, turn: int) -> bool:
        """Return the answer of the pair's worker number `turn`, counted from 0. Each worker judges a pair once."""
        return self.vote_of(image, pair, turn)[1]

    def vote_of(self, image: str, pair: Pair, turn: int) -> tuple[int, bool]:
        """Return this worker and the answer."""
        if (image, pair) not in self._drawn:
            workers = random.Random(f"{self._seed} {image} {pair}").sample(range(WORKERS), self._most)
            self._drawn[image, pair] = [(worker, self._crowd.answer(image, *pair, worker)) for worker in workers]
        return self._drawn[image, pair][turn]


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

    def add_link(self, *, same: bool, verdict: bool) -> None:
        """Count one link: whether it is one in gold, and by its judgments."""
        self.same += same
        self.different += not same
        self.missed += same and not verdict
        self.wrong += verdict and not same

    def figures(self) -> Figures:
        asked = self.same + self.different
        return Figures(
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


def bed_image(image: DatasetImage, *, whole: bool = False, by_sentence: bool = False) -> BedImage:
    """Return the mentions whose chain is known, numbered in reading order, with gold split as described above.

    `whole`: gold stays as it is, though some chains break a rule of links. `by_sentence`: mentions of one caption have
    their sentences, as in projects that go beyond the rules.
    """
    known = sorted(
        (mention for mention in image.mentions if mention.chain is not None),
        key=lambda mention: (mention.caption, mention.start),
    )
    sentences = [sentence_numbers(one.text, one.offsets) if by_sentence else () for one in image.captions]
    mentions = tuple(
        LinkMention(
            number=number,
            caption=mention.caption,
            start=mention.start,
            types=frozenset(linked_as(mention.types, own)),
            head=own[-1],
            words=own,
            before=tuple(words_before(image.captions[mention.caption].words, mention.start).lower().split()),
            pronoun=MentionType.PRONOUN.value in mention.types,
            part=part_of(
                sentences[mention.caption][mention.start],
                mention.start,
                pronoun=MentionType.PRONOUN.value in mention.types,
            )
            if by_sentence
            else WHOLE,
        )
        for number, (mention, own) in enumerate((one, _words(image, one)) for one in known)
    )
    names = [mention.chain for mention in known]
    gold = {number: str(name) for number, name in enumerate(names)}
    if whole:
        return BedImage(image.name, mentions, gold)
    for name in set(names):
        for part, members in enumerate(groups(mention for mention in mentions if names[mention.number] == name)):
            gold |= {member.number: f"{name}/{part}" for member in members}
    return BedImage(image.name, mentions, gold)


def _words(image: DatasetImage, mention: DatasetMention) -> tuple[str, ...]:
    return tuple(word.lower() for word in image.captions[mention.caption].words[mention.start : mention.end])


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
    found: dict[Strategy, list[Figures]] = {strategy: [] for strategy in PAPER}
    for seed in range(seeds):
        drawn = random.Random(f"images {seed}").sample(bed, min(sample, len(bed)))
        answers = PairAnswers(LinkCrowd([(image.key, image.mentions, image.gold) for image in drawn], seed), seed)
        for strategy in PAPER:
            figures = run_strategy(strategy, drawn, answers)
            found[strategy].append(figures)
            progress(f"seed {seed + 1} of {seeds}: {strategy}, cost {figures.cost:.1f} %")
    return [_row(strategy, runs) for strategy, runs in found.items()]


def run_strategy(strategy: Strategy, images: Iterable[BedImage], answers: PairAnswers) -> Figures:
    """Answer the strategy's questions until none is open, then compare chains and links with gold."""
    counts = LinkCounts()
    for image in images:
        chains: set[tuple[int, ...]] = set()
        for group in groups(image.mentions):
            votes, plan = _asked(strategy, group, image.key, answers)
            chains.update(plan.chains)
            counts.judgments += sum(len(cast) for cast in votes.values())
            for (one, another), verdict in final_verdicts(votes).items():
                counts.add_link(same=image.gold[one] == image.gold[another], verdict=verdict)
        gold = image.chains()
        counts.admissible += admissible_pairs(image)
        counts.chains += len(gold)
        counts.matched_chains += len(gold & chains)
    return counts.figures()


def final_verdicts(votes: Mapping[Pair, Sequence[bool]]) -> dict[Pair, bool]:
    """Return the verdict on each asked link: its only judgment, or the majority if it was asked again.

    Overruling drops a "yes" that contradicts other links. It changes the chains, not the verdicts.
    """
    return {pair: 2 * sum(cast) > len(cast) for pair, cast in votes.items()}


def _asked(
    strategy: Strategy, group: Sequence[LinkMention], image: str, answers: PairAnswers
) -> tuple[dict[Pair, list[bool]], LinkPlan]:
    votes: dict[Pair, list[bool]] = {}
    while (plan := plan_links(strategy, group, votes, most=MOST_VOTES)).open:
        for pair in plan.open:
            cast = votes.setdefault(pair, [])
            cast.append(answers.vote(image, pair, len(cast)))
    return votes, plan


def admissible_pairs(image: BedImage) -> int:
    """Count the pairs of mentions that can corefer."""
    return sum(can_corefer(one, another) for one, another in combinations(image.mentions, 2))


def _row(strategy: Strategy, runs: Sequence[Figures]) -> dict[str, str | float]:
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
