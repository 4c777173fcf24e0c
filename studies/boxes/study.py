"""The study of box policies: seconds, judgments and right chains of each policy in each world."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import fmean, stdev
from typing import Any, NamedTuple

from pipeline.rules.boxing.fit_box_prior import FinishedChain, fit_box_prior
from pipeline.rules.boxing.next_box_question import BoxRules
from studies.boxes.chain_run import ChainRun
from studies.boxes.policies import belief_policy, finished_chain, paper_loop
from studies.boxes.program import proposed_boxes
from studies.boxes.world import ERRORS, WORLDS, World, made_chain, made_workers

Policy = Callable[[ChainRun], None]
PAPER = "paper's loop"
USELESS = 0.0
"""The share of good boxes of a program that is not worth asking."""
DECILES = 10
FIRST_FIT = 100
"""The finished chains after which a running project first fits its prior: those of about 15 images."""
FEWEST_OF_ALL = 0.05
"""A part of the confidence with a smaller share of the chains is not compared."""


class Program(NamedTuple):
    """A simulated program."""

    share: float
    """Of its boxes that are good."""
    scores: bool = False
    """Whether it gives scores."""
    numbers: bool = True
    """Whether belief weighs how many boxes it proposes."""


class Row(NamedTuple):
    """The figures of one policy with one seed."""

    seconds: float
    """Worker-seconds a chain."""
    right: float
    """The share of chains that end exactly right; a chain in review is not right."""
    review: float
    said: float
    """The mean confidence of the chains that are not in review."""
    judgments: dict[str, float]
    """By task, a chain."""
    right_by_boxes: dict[str, float]
    """The share of right chains by the true number of boxes: 0, 1, 2 to 3, 4 or more."""

    def to_json(self) -> dict[str, Any]:
        return self._asdict()


class Way(NamedTuple):
    """One way to take the chains of a project to their ends."""

    name: str
    begin: Callable[[], Policy]
    """Returns the policy of a new project."""
    program: Program | None = None


@dataclass
class Found:
    """The runs of one policy in one world."""

    world: str
    policy: str
    rows: list[Row]
    confidences: list[tuple[float, bool]]
    """Of every chain that is not in review: the confidence, and whether it is right."""


def ways(sures: Iterable[float], *, learn: bool = False, programs: Sequence[Program] = ()) -> list[Way]:
    """Return the paper's loop, and the belief policy at each setting, alone and with the boxes of each program.

    `learn`: also let the belief policy fit its prior to its own chains. With programs it always does.
    """
    found = [Way(PAPER, lambda: paper_loop)]
    found += [Way(f"{PAPER}, {_named(one)}", lambda: paper_loop, one) for one in programs]
    for sure in sures:
        found.append(Way(f"belief, {sure:g}", partial(plain_policy, sure)))
        if learn or programs:
            found.append(Way(f"belief, {sure:g}, learning", partial(learning_policy, sure)))
        found += [
            Way(f"belief, {sure:g}, learning, {_named(one)}", partial(learning_policy, sure), one) for one in programs
        ]
    return found


def _named(program: Program) -> str:
    named = "useless boxes" if program.share == USELESS else f"{program.share:.0%} of boxes good"
    named += ", with scores" if program.scores and program.share != USELESS else ""
    return named if program.numbers else f"{named}, without their numbers"


def plain_policy(sure: float) -> Policy:
    """Return the belief policy with the shipped prior."""
    rules = BoxRules(sure)
    return lambda run: belief_policy(run, rules)


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
    chosen: Sequence[Way],
    seeds: Sequence[int],
    chains: int,
    *,
    checks: int = 40,
    step: Callable[[int], object] = lambda chains: None,
) -> Iterator[Found]:
    """Yield what each way makes of each world, on the same chains and workers.

    `checks`: known questions by which a worker's skill in a task is estimated; 0: not at all. `step` is told of chains.
    """
    for world in worlds:
        for way in chosen:
            found = Found(world, way.name, [], [])
            for seed in seeds:
                runs = played(WORLDS[world], way.begin(), seed, chains, checks=checks, program=way.program, step=step)
                found.rows.append(row_of(runs))
                found.confidences += [(run.confidence, run.right) for run in runs if run.ended != "review"]
            yield found


def played(
    world: World,
    policy: Policy,
    seed: int,
    chains: int,
    *,
    checks: int = 40,
    program: Program | None = None,
    step: Callable[[int], object] = lambda chains: None,
) -> list[ChainRun]:
    """Return this many chains after a policy has taken them to their ends, in order. `program`: proposes boxes."""
    crew = made_workers(world, seed, checks=checks)
    runs = []
    for number in range(chains):
        run = ChainRun(world, made_chain(world, seed, number), crew, Random(f"{seed} answers {number}"))
        if program:
            run.offers = proposed_boxes(world, run.chain, program.share, seed, scores=program.scores)
            run.proposed = len(run.offers) if program.numbers else None
        policy(run)
        runs.append(run)
        step(1)
    return runs


def row_of(runs: Sequence[ChainRun]) -> Row:
    """Return the figures of these chains."""
    said = [run.confidence for run in runs if run.ended != "review"]
    return Row(
        seconds=fmean(run.seconds for run in runs),
        right=fmean(run.right for run in runs),
        review=fmean(run.ended == "review" for run in runs),
        said=fmean(said) if said else 0.0,
        judgments={task: fmean(run.judgments[task] for run in runs) for task in ERRORS},
        right_by_boxes={
            name: fmean(own)
            for name, low, high in (("0", 0, 0), ("1", 1, 1), ("2-3", 2, 3), ("4+", 4, 99))
            if (own := [run.right for run in runs if low <= run.chain.boxes <= high])
        },
    )


def table(found: Sequence[Found]) -> str:
    """Return the figures as a table in Markdown: means over the seeds, and standard deviations."""
    names = ("policy", "s / chain", "exactly right %", "said %", "review %", "judgments", *ERRORS, "right by boxes %")
    lines = []
    for world in dict.fromkeys(one.world for one in found):
        lines += [f"\nWorld {world}:", f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
        for one in (each for each in found if each.world == world):
            rows = one.rows
            tasks = [fmean(row.judgments[task] for row in rows) for task in ERRORS]
            parts = dict.fromkeys(part for row in rows for part in row.right_by_boxes)
            cells = (
                one.policy,
                mean_and_sd([row.seconds for row in rows]),
                mean_and_sd([100 * row.right for row in rows]),
                "–" if one.policy.startswith(PAPER) else f"{100 * fmean(row.said for row in rows):.1f}",
                f"{100 * fmean(row.review for row in rows):.1f}",
                f"{sum(tasks):.2f}",
                *(f"{mean:.2f}" for mean in tasks),
                ", ".join(f"{part}: {100 * _mean_of_part(rows, part):.0f}" for part in parts),
            )
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _mean_of_part(rows: Sequence[Row], part: str) -> float:
    return fmean(row.right_by_boxes[part] for row in rows if part in row.right_by_boxes)


def mean_and_sd(values: Sequence[float]) -> str:
    """Return the mean, and the standard deviation where there are several values."""
    return f"{fmean(values):.1f}" + (f" ±{stdev(values):.1f}" if len(values) > 1 else "")


def calibration(confidences: Sequence[tuple[float, bool]]) -> str:
    """Return a table of what was said and what was right, by tenths of the confidence."""
    lines = ["| said | chains | mean said % | right % |", "|---|---|---|---|"]
    for tenth in range(DECILES):
        low, high = tenth / DECILES, (tenth + 1) / DECILES
        own = [one for one in confidences if low <= one[0] < high or (high == 1 and one[0] == 1)]
        if own:
            said, right = fmean(one[0] for one in own), fmean(one[1] for one in own)
            mark = "" if len(own) >= FEWEST_OF_ALL * len(confidences) else " (few)"
            lines.append(f"| {low:.1f}-{high:.1f} | {len(own)}{mark} | {100 * said:.1f} | {100 * right:.1f} |")
    return "\n".join(lines)
