"""Table 2 [paper 3.1.1] with a simulated crowd: what each link strategy costs, and the chains it gets exactly right.

The test bed has real mentions and chains. Gold chains are split by types: no question could join parts that no shared
type connects. A gold chain with two mentions of one caption is kept and cannot be matched.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from statistics import fmean, stdev

from exchange.dataset import DatasetImage
from pipeline.protocol.links.strategies import PaperLinks, Strategy
from pipeline.protocol.state.progress import TallyVote
from simulation.crowd import LinkCrowd
from simulation.link_run import BedImage, PairAnswers, admissible_pairs, bed_image, begun, link_run, votes_in


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
