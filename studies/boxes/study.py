"""The study of box policies: seconds, judgments and right chains of each policy in each world."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from statistics import fmean
from typing import NamedTuple

from pipeline.rules.boxing.fit_box_prior import FinishedChain, fit_box_prior
from pipeline.rules.boxing.next_box_question import BoxRules
from studies.boxes.chain_run import ChainRun
from studies.boxes.policies import belief_policy, finished_chain, paper_loop
from studies.boxes.world import ERRORS, WORLDS, World, made_chain, made_workers
from studies.linking.calibration import Said
from studies.tables import markdown, with_spread

Policy = Callable[[ChainRun], None]
PAPER = "paper's loop"
FIRST_FIT = 100
"""The finished chains after which a running project first fits its prior: those of about 15 images."""


class Row(NamedTuple):
    """The figures of one policy with one seed."""

    seconds: float
    """Worker-seconds a chain."""
    right: float
    """The share of chains that end exactly right; a chain in review is not right."""
    review: float
    judgments: dict[str, float]
    """By task, a chain."""
    right_by_boxes: dict[str, float]
    """The share of right chains by the true number of boxes: 0, 1, 2 to 3, 4 or more."""


@dataclass
class Found:
    """The runs of one policy in one world."""

    world: str
    policy: str
    rows: list[Row] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    """The confidence of every chain that is not in review, and whether it is right."""


def policies(sures: Iterable[float]) -> dict[str, Callable[[], Policy]]:
    """Return by name what makes the policy of a new project: the paper's loop, and belief with and without learning."""
    found: dict[str, Callable[[], Policy]] = {PAPER: lambda: paper_loop}
    for sure in sures:
        found[f"belief, {sure:g}"] = partial(plain_policy, sure)
        found[f"belief, {sure:g}, learning"] = partial(learning_policy, sure)
    return found


def plain_policy(sure: float) -> Policy:
    """Return the belief policy with the shipped prior."""
    return partial(belief_policy, rules=BoxRules(sure))


def learning_policy(sure: float) -> Policy:
    """Return a belief policy that begins with the shipped prior and fits it anew as the project runs.

    It is fitted on the finished chains whenever they have doubled, from `FIRST_FIT` on.
    """
    rules = BoxRules(sure)
    finished: list[FinishedChain] = []

    def policy(run: ChainRun) -> None:
        nonlocal rules
        belief_policy(run, rules)
        if run.ended != "review":
            finished.append(finished_chain(run))
            size = len(finished)
            if size >= FIRST_FIT and size % FIRST_FIT == 0 and (size // FIRST_FIT).bit_count() == 1:
                rules = BoxRules(sure, fit_box_prior(finished))

    return policy


def compare(
    worlds: Sequence[str],
    sures: Iterable[float],
    seeds: Sequence[int],
    chains: int,
    step: Callable[[int], object] = lambda chains: None,
) -> Iterator[Found]:
    """Yield what each policy makes of each world, on the same chains and workers. `step` is told of chains."""
    for world in worlds:
        for name, begin in policies(sures).items():
            found = Found(world, name)
            for seed in seeds:
                runs = played(WORLDS[world], begin(), seed, chains, step)
                found.rows.append(row_of(runs))
                found.said += [
                    Said(f"{seed} {run.chain.number}", run.confidence, run.right)
                    for run in runs
                    if run.ended != "review" and name != PAPER
                ]
            yield found


def played(
    world: World, policy: Policy, seed: int, chains: int, step: Callable[[int], object] = lambda chains: None
) -> list[ChainRun]:
    """Return this many chains after a policy has taken them to their ends, in order."""
    crew = made_workers(world, seed)
    runs = []
    for number in range(chains):
        runs.append(ChainRun(world, made_chain(world, seed, number), crew, Random(f"{seed} answers {number}")))
        policy(runs[-1])
        step(1)
    return runs


def row_of(runs: Sequence[ChainRun]) -> Row:
    """Return the figures of these chains."""
    return Row(
        seconds=fmean(run.seconds for run in runs),
        right=fmean(run.right for run in runs),
        review=fmean(run.ended == "review" for run in runs),
        judgments={task: fmean(run.judgments[task] for run in runs) for task in ERRORS},
        right_by_boxes={
            name: fmean(own)
            for name, low, high in (("0", 0, 0), ("1", 1, 1), ("2-3", 2, 3), ("4+", 4, 99))
            if (own := [run.right for run in runs if low <= run.chain.boxes <= high])
        },
    )


def table(found: Sequence[Found]) -> str:
    """Return the figures as a table in Markdown: means over the seeds, and standard deviations."""
    head = ("world", "policy", "s / chain", "exactly right %", "review %", *ERRORS, "right by boxes %")
    return markdown(head, map(_cells, found))


def _cells(one: Found) -> list[str]:
    parts = dict.fromkeys(part for row in one.rows for part in row.right_by_boxes)
    by_boxes = {part: [row.right_by_boxes[part] for row in one.rows if part in row.right_by_boxes] for part in parts}
    return [
        one.world,
        one.policy,
        with_spread([row.seconds for row in one.rows]),
        with_spread([100 * row.right for row in one.rows]),
        with_spread([100 * row.review for row in one.rows]),
        *(f"{fmean(row.judgments[task] for row in one.rows):.2f}" for task in ERRORS),
        ", ".join(f"{part}: {100 * fmean(shares):.0f}" for part, shares in by_boxes.items()),
    ]
