"""Table 2 [paper 3.1.1] with a simulated crowd: what each link strategy costs, and the chains it gets exactly right.

The test bed: real mentions and chains; a gold chain that no shared types hold together is split into its connected
parts, since no question could join them; one with two mentions of a caption is kept, and can't be matched.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from statistics import fmean, stdev

from exchange.dataset import DatasetImage
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.link_strategy import Strategy, plan_links
from pipeline.rules.linking.transitivity import LinkMention, Pair, can_corefer, groups
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
    """Judgments of any kind, repeats included, over the pairs that can corefer (100: one judgment for each pair)."""
    matched_chains: float
    """Gold chains found with exactly the same mentions."""
    matched_links: float
    """Asked links whose final verdict (see `final_verdicts`) is the gold one."""
    false_positive_rate: float
    """Of the asked links that gold says differ, those whose final verdict is "yes"."""
    false_negative_rate: float
    """Of the asked links that gold says corefer, those whose final verdict is "no"."""


NAMES = [figure.name for figure in fields(Figures)]
PAPER = {
    Strategy.EXHAUSTIVE: Figures(100.00, 81.84, 95.03, 4.92, 4.70),
    Strategy.GREEDY: Figures(57.00, 81.55, 94.46, 5.74, 4.99),
    Strategy.EXHAUSTIVE_PLUS: Figures(119.74, 90.67, 98.33, 1.04, 2.28),
    Strategy.GREEDY_PLUS: Figures(66.94, 86.07, 96.40, 3.14, 4.05),
}


class PairAnswers:
    """Random workers' answers to each pair, drawn once, so that all strategies hear the same workers in turn."""

    def __init__(self, crowd: LinkCrowd, seed: int, most: int = MOST_VOTES) -> None:
        self._crowd, self._seed, self._most = crowd, seed, most
        self._drawn: dict[tuple[str, Pair], list[bool]] = {}

    def vote(self, image: str, pair: Pair, turn: int) -> bool:
        """The answer of the pair's next worker, who has not judged it before; `turn` counts from 0."""
        if (image, pair) not in self._drawn:
            workers = random.Random(f"{self._seed} {image} {pair}").sample(range(WORKERS), self._most)
            self._drawn[image, pair] = [self._crowd.answer(image, *pair, worker) for worker in workers]
        return self._drawn[image, pair][turn]


@dataclass(slots=True)
class Tally:
    """Counts over the images of one sample."""

    judgments: int = 0
    admissible: int = 0
    gold_chains: int = 0
    exact_chains: int = 0
    same: int = 0
    different: int = 0
    false_negatives: int = 0
    false_positives: int = 0

    def add_links(self, verdicts: Mapping[Pair, bool], gold: Mapping[int, str]) -> None:
        for (one, another), verdict in verdicts.items():
            if gold[one] == gold[another]:
                self.same += 1
                self.false_negatives += not verdict
            else:
                self.different += 1
                self.false_positives += verdict

    def figures(self) -> Figures:
        wrong, asked = self.false_negatives + self.false_positives, self.same + self.different
        return Figures(
            cost=_percent(self.judgments, self.admissible),
            matched_chains=_percent(self.exact_chains, self.gold_chains),
            matched_links=_percent(asked - wrong, asked),
            false_positive_rate=_percent(self.false_positives, self.different),
            false_negative_rate=_percent(self.false_negatives, self.same),
        )


def bed_image(image: DatasetImage) -> BedImage:
    """The image's mentions whose chain is known, numbered in reading order, with gold split as the test bed says."""
    known = sorted(
        (mention for mention in image.mentions if mention.chain is not None),
        key=lambda mention: (mention.caption, mention.start),
    )
    mentions = tuple(
        LinkMention(
            number=number,
            caption=mention.caption,
            start=mention.start,
            types=frozenset(mention.types),
            head=image.captions[mention.caption].words[mention.end - 1].lower(),
            words=tuple(word.lower() for word in image.captions[mention.caption].words[mention.start : mention.end]),
        )
        for number, mention in enumerate(known)
    )
    names = [mention.chain for mention in known]
    gold: dict[int, str] = {}
    for name in set(names):
        for part, members in enumerate(groups(mention for mention in mentions if names[mention.number] == name)):
            gold |= {member.number: f"{name}/{part}" for member in members}
    return BedImage(image.name, mentions, gold)


def compare_strategies(
    images: Iterable[DatasetImage],
    *,
    sample: int = 200,
    seeds: int = 3,
    progress: Callable[[str], None] = lambda line: None,
) -> list[dict[str, str | float]]:
    """A row per strategy: the figures over `seeds` crowds, each as the mean and, under its name with `_sd`, the spread.

    Each seed draws its own `sample` of the images (all of them, if there are fewer) and its own crowd. `progress` gets
    a line for every strategy done. The spread is the standard deviation between seeds, 0 for a single one. Raises
    ValueError where there is nothing to compare: no pair in the images that can corefer, or a number under 1.
    """
    if sample < 1 or seeds < 1:
        raise ValueError(f"{sample} images and {seeds} seeds: at least one of each is needed.")
    bed = [bed_image(image) for image in images]
    if not any(admissible_pairs(image) for image in bed):
        raise ValueError(
            "No image has two mentions that can corefer (different captions, a type in common): nothing to ask."
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
    """Ask what the strategy asks until nothing is open, then hold chains and links against gold."""
    tally = Tally()
    for image in images:
        chains: set[tuple[int, ...]] = set()
        for group in groups(image.mentions):
            votes, plan = _asked(strategy, group, image.key, answers)
            chains.update(plan.chains)
            tally.judgments += sum(len(cast) for cast in votes.values())
            tally.add_links(final_verdicts(votes), image.gold)
        gold = image.chains()
        tally.admissible += admissible_pairs(image)
        tally.gold_chains += len(gold)
        tally.exact_chains += len(gold & chains)
    return tally.figures()


def final_verdicts(votes: Mapping[Pair, Sequence[bool]]) -> dict[Pair, bool]:
    """What the workers said of each asked link in the end: the only judgment, or the majority where it was asked again.

    Overruling, which drops a "yes" that does not fit the others, changes the chains and not what was said.
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
    """How many pairs of its mentions can corefer."""
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
    """The rows as text: each simulated figure with its spread, and in the line below the paper's, found with people."""
    heads = ["cost", "exact chains", "links right", "false positives", "false negatives"]
    lines = [f"{'%':<27}" + "".join(f"{head:>17}" for head in heads)]
    for row in rows:
        cells = "".join(f"{row[name]:>9.2f} ±{row[name + '_sd']:>5.2f} " for name in NAMES)
        paper = PAPER[Strategy(str(row["strategy"]))]
        lines.append(f"{row['strategy']:<16}{'simulated':<11}{cells}")
        lines.append(f"{'':<16}{'paper':<11}" + "".join(f"{getattr(paper, name):>9.2f}{'':<8}" for name in NAMES))
    return "\n".join(line.rstrip() for line in lines)
