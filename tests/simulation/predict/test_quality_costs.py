"""Costs of tests and verification questions: with many crews, in the time that the work takes, and what is left."""

from dataclasses import replace
from statistics import fmean, stdev

import pytest

from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from simulation.predict.crew import CrewPlan, Load
from simulation.predict.quality_costs import QualityCosts, ToCome
from simulation.predict.read_project import SoFar
from simulation.simulate import SECONDS
from workers.rules.trust import TrustModel

SETTINGS = ProtocolSettings()
PLAN = CrewPlan(20, bad=0.3)
LITTLE = Load(dict.fromkeys(PROTOCOL_TASKS, 500.0), SECONDS)
LONG = replace(LITTLE, seconds={task: 200 * seconds for task, seconds in SECONDS.items()})
CONTROL = QualityCosts(PLAN, "paper", 1)


def mean_tests(crews: list[ToCome]) -> float:
    return fmean(sum(one.tests.values()) for one in crews)


def known_of(crews: list[ToCome]) -> list[float]:
    return [sum(one.known.values()) for one in crews]


@pytest.mark.slow
def test_who_fails_the_test_takes_it_again_only_if_the_work_lasts_so_long() -> None:
    assert LITTLE.tries(SETTINGS, 20) == 1 and LONG.tries(SETTINGS, 20) == SETTINGS.tests
    assert LITTLE.tries(replace(SETTINGS, test_wait_hours=0.0), 20) == SETTINGS.tests
    assert mean_tests(CONTROL.to_come(SETTINGS, LITTLE, SoFar())) == 6 * 20 * SETTINGS.test_questions
    assert mean_tests(CONTROL.to_come(SETTINGS, LONG, SoFar())) > 1.2 * 6 * 20 * SETTINGS.test_questions


def test_crews_of_one_kind_differ_and_small_ones_are_looked_at_more_often() -> None:
    found = known_of(CONTROL.to_come(SETTINGS, LITTLE, SoFar()))
    assert len(found) == 12 and stdev(found) > 10
    assert len(QualityCosts(CrewPlan(100), "paper", 1).to_come(SETTINGS, LITTLE, SoFar())) == 3
    trusted = QualityCosts(replace(PLAN, trusted=20), "paper", 1).to_come(SETTINGS, LITTLE, SoFar())
    assert known_of(trusted) == [0.0, 0.0]


@pytest.mark.slow
def test_only_newcomers_take_tests_and_probation() -> None:
    half = QualityCosts(CrewPlan(20, trusted=10), "perfect", 1).to_come(SETTINGS, LITTLE, SoFar())
    assert mean_tests(half) == 6 * 10 * SETTINGS.test_questions
    assert fmean(sum(one.probation.values()) for one in half) == 6 * 10 * SETTINGS.probation
    whole = QualityCosts(CrewPlan(20), "perfect", 1).to_come(SETTINGS, LITTLE, SoFar())
    assert fmean(known_of(whole)) > fmean(known_of(half)) > 6 * 10 * SETTINGS.probation
    checked = replace(SETTINGS, trust=dict.fromkeys(PROTOCOL_TASKS, TrustModel.VERIFICATION.value))
    trusted = QualityCosts(CrewPlan(20, trusted=20), "perfect", 1).to_come(checked, LITTLE, SoFar())
    assert mean_tests(trusted) == 0 and fmean(known_of(trusted)) == 6 * 500 * 0.25


def test_a_crew_that_has_qualified_takes_no_test_again() -> None:
    everybody = dict.fromkeys(PROTOCOL_TASKS, 20)
    half = SoFar(real=dict.fromkeys(PROTOCOL_TASKS, 250), known=dict.fromkeys(Task, 500), begun=everybody)
    left = CONTROL.to_come(SETTINGS, LITTLE, half)
    assert mean_tests(left) == 0.0
    assert 0 < fmean(known_of(left)) < 0.05 * 6 * 250
    few = replace(half, known=dict.fromkeys(PROTOCOL_TASKS, 100), begun=dict.fromkeys(Task, 5))
    assert mean_tests(CONTROL.to_come(SETTINGS, LITTLE, few)) > 0
    assert fmean(known_of(CONTROL.to_come(SETTINGS, LITTLE, few))) > 1000


@pytest.mark.slow
def test_bad_workers_are_admitted_less_often_and_a_task_without_work_costs_nothing() -> None:
    good = QualityCosts(CrewPlan(20), "perfect", 1).admitted(SETTINGS, LITTLE)
    assert set(good.values()) == {1.0}
    assert all(0.4 < share < 0.95 for share in CONTROL.admitted(SETTINGS, LITTLE).values())
    nothing = Load(dict.fromkeys(PROTOCOL_TASKS, 0.0), SECONDS)
    assert known_of(CONTROL.to_come(SETTINGS, nothing, SoFar())) == [0.0] * 12


def test_the_verification_model_asks_every_worker_all_the_time() -> None:
    checked = replace(SETTINGS, trust=dict.fromkeys(PROTOCOL_TASKS, TrustModel.VERIFICATION.value))
    # A fifth of what is asked are verification questions, so a quarter of the real ones.
    assert fmean(known_of(CONTROL.to_come(checked, LITTLE, SoFar()))) == 6 * 500 * 0.25
