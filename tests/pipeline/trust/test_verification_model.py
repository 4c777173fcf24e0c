"""The verification model: nobody is trusted; judgments count, or are asked again, batch by batch."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Project
from pipeline.models import Assignment, Judgment, Question, Transition
from pipeline.project.open_questions import open_for
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.tick import tick
from tests.support.projects import worker
from tests.support.trusting import ASK, ask, differences, hand_in, kennel, newcomer
from workers.models import TrustStatus, Worker
from workers.rules.trust import TrustModel

pytestmark = pytest.mark.django_db
NO_TEST = ProtocolSettings(test_questions=0)
VERIFY_ALL = replace(NO_TEST, trust={**NO_TEST.trust, ASK.value: TrustModel.VERIFICATION.value})


def asked(project: Project, who: Worker) -> Assignment:
    assignment = ask(project, who)
    assert assignment is not None, "nothing to lease"
    return assignment


def verdicts(who: Worker) -> set[str]:
    return set(Assignment.objects.filter(worker=who, state="submitted").values_list("acceptance", flat=True))


def test_judgments_wait_for_their_batch_and_then_act() -> None:
    project = kennel(80, stock=60, settings=VERIFY_ALL)
    ada = newcomer(project, "ada")
    assignments: list[Assignment] = []
    while len(assignments) < 12 and verdicts(ada) != {"accepted"}:
        assignment = asked(project, ada)
        hand_in(assignment)
        held = Question.objects.filter(id__in=assignment.questions)
        assert set(held.values_list("state", "assignment")) == {("open", assignment.id)}
        assignments.append(assignment)
        tick(project_id=project.id)
    assert verdicts(ada) == {"accepted"}
    known = sum(len(one.known) for one in assignments)
    assert 10 <= known < 20
    assert Transition.objects.filter(image__project=project, machine="chain").exists()


def test_a_refused_batch_goes_to_others_and_is_paid() -> None:
    rewards = {**NO_TEST.reward_cents, ASK.value: 20}
    project = kennel(80, stock=60, settings=replace(VERIFY_ALL, reward_cents=rewards))
    eve = newcomer(project, "eve")
    while verdicts(eve) != {"refused"}:
        assert hand_in(asked(project, eve), right=False).earned_cents == 20
        tick(project_id=project.id)
    going_again = Question.objects.filter(judgments__worker=eve)
    assert set(going_again.values_list("state", "assignment")) == {("open", None)}
    assert not set(asked(project, eve).questions) & set(going_again.values_list("id", flat=True))
    bob = worker(project, "bob")
    assert set(going_again.values_list("id", flat=True)) <= set(
        open_for(project.id, ASK, bob.id).values_list("id", flat=True)
    )
    assert differences(project) == []


def test_an_incomplete_batch_is_judged_after_a_day() -> None:
    project = kennel(30, stock=60, settings=VERIFY_ALL)
    ada = newcomer(project, "ada")
    hand_in(asked(project, ada))
    tick(project_id=project.id, now=timezone.now() + timedelta(hours=23))
    assert verdicts(ada) == {"waiting"}
    tick(project_id=project.id, now=timezone.now() + timedelta(hours=25))
    assert verdicts(ada) == {"accepted"}
    assert "Too few for a score" in Assignment.objects.get(worker=ada, state="submitted").acceptance_reason


def test_a_refused_judgment_never_acts_when_somebody_else_answers() -> None:
    project = kennel(40, stock=60, settings=replace(VERIFY_ALL, verification_rate=0.5))
    eve, bob = newcomer(project, "eve"), worker(project, "bob")
    while verdicts(eve) != {"refused"}:
        hand_in(asked(project, eve), right=False, real=3)
        tick(project_id=project.id)
    refused = set(Judgment.objects.filter(worker=eve, question__isnull=False).values_list("question_id", flat=True))
    TrustStatus.objects.filter(worker=bob).delete()
    while assignment := ask(project, bob):
        hand_in(assignment, real=1)
    tick(project_id=project.id, now=timezone.now() + timedelta(hours=25))
    folded = Judgment.objects.filter(question__in=refused, entry__isnull=False)
    assert folded.exists() and set(folded.values_list("worker", flat=True)) == {bob.id}
    assert differences(project) == []
