"""Trust study, parts a to c: what each kind of worker contributes, and what a crowd mixed of them gives."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from statistics import fmean
from typing import Any

from pipeline.rules.settings import MINIMUM
from pipeline.rules.task import Task
from simulation.trust_career import Batches, Career, rules_for, run_batches, run_career
from simulation.trust_crowd import CHANCE, HONEST_QUALITY, MIXES, Kind, Mix, Person, people
from workers.rules.batch_verdict import BatchRules
from workers.rules.score import Rule
from workers.rules.trust_states import State

Row = dict[str, str | float]
Case = Callable[[], Row]
REJECTED = {
    Task.COREFERENCE_LINK: "2",
    Task.CHAIN_VERIFICATION: "2",
    Task.BOX_REQUIREMENT: "<< 1",
    Task.BOX_DRAWING: "38.3",
    Task.BOX_QUALITY: "52.7",
    Task.BOX_COVERAGE: "35.4",
}
"""Percent of the jobs of workers who were not trusted [paper table 3]."""
SETTINGS: dict[str, dict[str, Any]] = {
    "bare, 30": {"rule": Rule.BARE},
    "interval, 30 (default)": {},
    "interval, 60": {"probation": 60, "probation_most": 60},
    "interval, 30 to 60": {"probation_most": 60},
    "interval, 30 to 120": {"probation_most": 120},
}


@dataclass(frozen=True, slots=True)
class Size:
    """How much is simulated."""

    people: int = 120
    """Of each kind."""
    work: int = 1000
    """Real questions that each would answer."""
    seed: int = 1


def percent(values: Iterable[bool | float]) -> float:
    """The mean, in percent."""
    return round(100 * fmean(values), 2)


@cache
def careers(task: Task, kind: Kind, size: Size, setting: str, fixed: float | None = None) -> tuple[Career, ...]:
    """The same people under each setting."""
    crowd = [Person(task, kind, number, size.seed, fixed) for number in range(size.people)]
    return tuple(run_career(one, rules_for(one, **SETTINGS[setting]), work=size.work) for one in crowd)


@cache
def batches(task: Task, kind: Kind, size: Size, rule: Rule) -> tuple[Batches, ...]:
    rules = BatchRules(minimum=MINIMUM[task], rule=rule)
    return tuple(run_batches(one, rules, work=size.work // 3) for one in people(task, kind, size.people, size.seed))


# a. Table 3


def table_3(size: Size) -> list[Case]:
    """Trusted workers, their quality and what is refused, beside the paper's table."""
    rules = {Rule.BARE: "bare, 30", Rule.INTERVAL: "interval, 30 (default)"}
    return [
        partial(_table_3_row, task, mix, rule, setting, size)
        for mix in MIXES
        for task in Task
        for rule, setting in rules.items()
    ]


def _table_3_row(task: Task, mix: str, rule: Rule, setting: str, size: Size) -> Row:
    shares = MIXES[mix]
    crowd = {kind: careers(task, kind, size, setting) for kind in shares}
    trusted = {
        kind: [one for one in crowd[kind] if one.standing.state is State.TRUSTED and one.outcomes] for kind in crowd
    }
    weight = sum(shares[kind] * len(trusted[kind]) for kind in shares)
    on_questions = sum(shares[kind] * fmean(one.outcomes) for kind in shares for one in trusted[kind])
    real = _total(shares, {kind: fmean(one.real for one in crowd[kind]) for kind in shares})
    voided = _total(shares, {kind: fmean(one.voided for one in crowd[kind]) for kind in shares})
    return {
        "mix": mix,
        "task": task.label,
        "rule": rule.value,
        "trusted, of 1000": round(1000 * weight / size.people),
        "quality %": round(100 * on_questions / weight, 1) if weight else "-",
        "paper": round(100 * HONEST_QUALITY[task], 1),
        "honest barred %": percent(one.is_barred for one in crowd[Kind.HONEST]),
        "asked again %": round(100 * voided / (real + voided), 2) if real + voided else 0.0,
        "refused, verification model %": _refused(task, shares, rule, size),
        "paper refused %": REJECTED[task],
        "guessed, verification model %": _guessed(task, shares, rule, size),
    }


def _refused(task: Task, mix: Mix, rule: Rule, size: Size) -> float:
    crowd = {kind: batches(task, kind, size, rule) for kind in mix}
    refused = _total(mix, {kind: fmean(one.refused for one in crowd[kind]) for kind in mix})
    return round(100 * refused / _total(mix, {kind: fmean(one.assignments for one in crowd[kind]) for kind in mix}), 1)


def _guessed(task: Task, mix: Mix, rule: Rule, size: Size) -> float:
    return _share(mix, {kind: fmean(one.real for one in batches(task, kind, size, rule)) for kind in mix})


def _total(mix: Mix, means: dict[Kind, float]) -> float:
    return sum(share * means[kind] for kind, share in mix.items())


# b. What counts and was guessed


def leaks(size: Size) -> list[Case]:
    """The share of real judgments that count and come from workers who know nothing; the goal is 1 %."""
    return [partial(_leak_row, task, setting, size) for task in Task for setting in SETTINGS]


def _leak_row(task: Task, setting: str, size: Size) -> Row:
    real = {kind: _mean_real(task, kind, size, setting) for kind in Kind}
    guess = {Kind.HONEST: 0.7, Kind.GUESS_55: 0.3}
    row: Row = {"task": task.label, "setting": setting}
    row |= {f"{name} %": _share(mix, real) for name, mix in MIXES.items() if len(mix) > 1}
    row["30 % who are 55 % right %"] = _share(guess, real)
    if task is Task.BOX_DRAWING:
        row["30 % bad, 3 of 10 gold none missing %"] = _share(
            MIXES["30 % bad"], {**real, Kind.ONE_BUTTON: _mean_real(task, Kind.ONE_BUTTON, size, setting, 0.3)}
        )
    return row | _honest_columns(careers(task, Kind.HONEST, size, setting), MINIMUM[task])


def _honest_columns(crowd: Sequence[Career], minimum: float) -> Row:
    """What a setting costs the honest: those clearly above the minimum apart from all of them."""
    good = [one for one in crowd if one.person.accuracy >= minimum + 0.05]
    return {
        "honest barred %": percent(one.is_barred for one in crowd),
        "5 points above, barred %": percent(one.is_barred for one in good),
        "verification questions, honest": round(fmean(len(one.seen) for one in crowd), 1),
    }


def _mean_real(task: Task, kind: Kind, size: Size, setting: str, fixed: float | None = None) -> float:
    return fmean(one.real for one in careers(task, kind, size, setting, fixed))


def _share(mix: Mix, real: dict[Kind, float]) -> float:
    total = _total(mix, real)
    guessed = sum(mix[kind] * real[kind] for kind in (*CHANCE, Kind.GUESS_55) if kind in mix)
    return round(100 * guessed / total, 2) if total else 0.0


# c. Careless workers


def careless_curve(size: Size) -> list[Case]:
    """Judgments leaked by careless workers against honest workers barred, for coreference links."""
    lengths = [(30, 30), (60, 60), (120, 120), (30, 60), (30, 120)]
    return [
        partial(_curve_row, minimum, rule, first, most, size)
        for minimum in (0.75, 0.80, 0.85)
        for rule in Rule
        for first, most in lengths
        if rule is Rule.INTERVAL or first == most
    ]


def _curve_row(minimum: float, rule: Rule, first: int, most: int, size: Size) -> Row:
    def run(kind: Kind) -> list[Career]:
        crowd = people(Task.COREFERENCE_LINK, kind, size.people, size.seed)
        changes = {"minimum": minimum, "rule": rule, "probation": first, "probation_most": most}
        return [run_career(one, rules_for(one, **changes), work=size.work, stock=400) for one in crowd]

    return {
        "minimum": minimum,
        "rule": rule.value,
        "probation": f"{first}" if first == most else f"{first} to {most}",
        "leaked by 75 %": round(fmean(one.real for one in run(Kind.CARELESS_75))),
        "leaked by 65 %": round(fmean(one.real for one in run(Kind.CARELESS_65))),
    } | _honest_columns(run(Kind.HONEST), MINIMUM[Task.COREFERENCE_LINK])
