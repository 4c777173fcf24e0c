"""Trust study, part a: trusted workers, their quality and refused work, beside table 3 of the paper."""

from functools import cache, partial
from statistics import fmean

from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from simulation.career import Career, run_career, settings_with
from simulation.trust_crowd import HONEST_QUALITY, MIXES, Mix, WorkerKind, people
from studies.trust.batches import Batches, run_batches
from studies.trust.crowd_mixes import Case, Row, Size, guessed, mean_real, percent, total
from workers.rules.score import Rule
from workers.rules.trust import TrustModel
from workers.rules.trust_states import TrustState

REJECTED = {
    Task.COREFERENCE_LINK: "2",
    Task.CHAIN_VERIFICATION: "2",
    Task.BOX_REQUIREMENT: "<< 1",
    Task.BOX_DRAWING: "38.3",
    Task.BOX_QUALITY: "52.7",
    Task.BOX_COVERAGE: "35.4",
}
"""The percentage of assignments that were rejected [paper table 3]."""


def table_3(size: Size) -> list[Case]:
    """Return a case for every mix, task and comparison."""
    return [partial(_row, task, mix, rule, size) for mix in MIXES for task in PROTOCOL_TASKS for rule in reversed(Rule)]


def _row(task: Task, mix: str, rule: Rule, size: Size) -> Row:
    shares = MIXES[mix]
    crowd = {kind: _careers(task, kind, rule, size) for kind in shares}
    real = {kind: mean_real(crowd[kind], size.work) for kind in shares}
    voided = total(shares, {kind: fmean(one.voided for one in crowd[kind]) for kind in shares})
    answered = total(shares, real) + voided
    return {
        "mix": mix,
        "task": task.label,
        "rule": rule.value,
        **_trusted(shares, crowd),
        "paper": round(100 * HONEST_QUALITY[task], 1),
        "honest barred %": percent(one.is_barred for one in crowd[WorkerKind.HONEST]),
        "guessed %": guessed(shares, real),
        "asked again %": round(100 * voided / answered, 2) if answered else 0.0,
        **_verification_model(task, shares, rule, size),
    }


def _trusted(shares: Mix, crowd: dict[WorkerKind, tuple[Career, ...]]) -> Row:
    """Count the workers who are trusted at the end, and their right answers to verification questions."""
    weights, quality = {}, {}
    for kind, some in crowd.items():
        trusted = [one for one in some if one.trust.state is TrustState.TRUSTED]
        weights[kind] = len(trusted) / len(some)
        quality[kind] = fmean(fmean(one.outcomes) for one in trusted) if trusted else 0.0
    every = total(shares, weights)
    right = total(shares, {kind: weights[kind] * quality[kind] for kind in shares})
    return {"trusted, of 1000": round(1000 * every), "quality %": round(100 * right / every, 1) if every else "-"}


def _verification_model(task: Task, shares: Mix, rule: Rule, size: Size) -> Row:
    crowd = {kind: _batches(task, kind, rule, size) for kind in shares}
    refused = total(shares, {kind: fmean(one.refused for one in crowd[kind]) for kind in shares})
    done = total(shares, {kind: fmean(one.assignments for one in crowd[kind]) for kind in shares})
    real = {kind: fmean(one.real for one in crowd[kind]) for kind in shares}
    return {
        "refused, verification model %": round(100 * refused / done, 1) if done else 0.0,
        "paper refused %": REJECTED[task],
        "guessed, verification model %": guessed(shares, real),
    }


@cache
def _careers(task: Task, kind: WorkerKind, rule: Rule, size: Size) -> tuple[Career, ...]:
    settings = settings_with(below_minimum=rule.value)
    return tuple(run_career(one, settings, work=size.work) for one in people(task, kind, 2 * size.people, size.seed))


@cache
def _batches(task: Task, kind: WorkerKind, rule: Rule, size: Size) -> tuple[Batches, ...]:
    model = {each.value: TrustModel.VERIFICATION.value for each in PROTOCOL_TASKS}
    settings = settings_with(below_minimum=rule.value, trust=model)
    crowd = people(task, kind, 2 * size.people, size.seed)
    return tuple(run_batches(one, settings, work=size.work // 3) for one in crowd)
