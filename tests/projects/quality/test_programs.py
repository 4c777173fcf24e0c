"""The fate of answers of model annotators, and the work of people with and without them.
The work of model annotators, as it is counted for the page of models: waiting answers, speed and silence.
"""

from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Any

import pytest

from annotation.models import Project
from annotation.rules.states import ChainState, ImageState
from belief.models.audit import LinkAudit
from pipeline.models import Question
from pipeline.policies.link_models import AUDIT
from pipeline.policies.models import AUDIT as AUDIT_OF_BOXES
from pipeline.project.settings_versions import change_settings
from pipeline.protocol.state.answer import NOTHING_DRAWN, ChainAnswer
from pipeline.protocol.state.progress import ChainProgress, ImageProgress, TallyVote
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.policy_names import BoxPolicyName
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.quality.program_answers import AnswerOutcome, ProgramAnswers
from projects.quality.program_work import PAUSE, Turn, answers_an_hour, program_work
from runtime import clock
from tests.support.projects import answer, lease, phrases, project_of, submit, worker
from tests.support.table import row
from workers.models import Worker

ADA, BEA, QWEN = 1, 2, 9
REQUIRED, DREW, QUALITY, COVERED = Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE


def heard(worker: int, task: Task, answer: Any, *boxes: int) -> ChainAnswer:
    return ChainAnswer(1, worker, task, answer, list(boxes), by_model=worker == QWEN)


def chain(
    *answers: ChainAnswer, state: ChainState = ChainState.COMPLETE, in_audit: bool | None = False
) -> ImageProgress:
    notes = {} if in_audit is None else {AUDIT_OF_BOXES: in_audit}
    return ImageProgress(chains={0: ChainProgress(0, [0], state, answers=list(answers), notes=notes)})


def counted(*images: ImageProgress, at_work: tuple[int, ...] = (QWEN,)) -> ProgramAnswers:
    found = ProgramAnswers(at_work, dict.fromkeys(PROTOCOL_TASKS, 10.0), dict.fromkeys(PROTOCOL_TASKS, 2.0))
    for one in images:
        found.add(one)
    return found


@row(False, ChainState.COMPLETE, True, AnswerOutcome.EVIDENCE)
@row(False, ChainState.QUALITY, True, AnswerOutcome.EVIDENCE)
@row(True, ChainState.QUALITY, True, AnswerOutcome.AUDIT)
@row(None, ChainState.QUALITY, True, AnswerOutcome.AUDIT)
@row(False, ChainState.COMPLETE, False, AnswerOutcome.EVIDENCE)
@row(False, ChainState.QUALITY, False, AnswerOutcome.ASIDE)
def test_an_answer_is_evidence_outside_the_audit_unless_its_program_was_set_aside_before_the_chain_ended(
    *, in_audit: bool | None, state: ChainState, at_work: bool, fate: AnswerOutcome
) -> None:
    one = chain(heard(QWEN, QUALITY, "good", 3), state=state, in_audit=in_audit)
    assert counted(one, at_work=(QWEN,) if at_work else ()).outcomes == {QWEN: {(QUALITY, fate): 1}}


def test_an_answer_that_was_taken_back_is_set_aside_and_no_box_is_no_box_whatever_its_reason() -> None:
    found = counted(chain(heard(QWEN, QUALITY, None, 3), heard(ADA, QUALITY, "bad", 3)))
    assert found.outcomes == {QWEN: {(QUALITY, AnswerOutcome.ASIDE): 1}} and not found.calibration
    assert counted(chain(heard(QWEN, REQUIRED, 2), heard(ADA, REQUIRED, 3))).calibration == {
        QWEN: {(REQUIRED, False): 1}
    }


def test_an_answer_is_held_against_what_more_people_said_about_the_same_boxes() -> None:
    same = heard(QWEN, COVERED, "all there", 1, 2)
    for others, held in (
        ([heard(ADA, COVERED, "all there", 2, 1)], {(COVERED, False): 1}),
        ([heard(ADA, COVERED, "more needed", 1, 2)], {(COVERED, True): 1}),
        ([heard(ADA, DREW, 7, 1, 2)], {(COVERED, True): 1}),
        ([heard(ADA, DREW, NOTHING_DRAWN, 1, 2)], {(COVERED, False): 1}),
        ([heard(ADA, COVERED, "more needed", 1)], {}),
        ([heard(ADA, QUALITY, "bad", 1)], {}),
        ([heard(ADA, COVERED, "more needed", 1, 2), heard(BEA, COVERED, "all there", 1, 2)], {}),
    ):
        assert dict(counted(chain(same, *others)).calibration.get(QWEN, {})) == held, others


def test_links_are_held_against_people_and_count_by_the_audit_of_their_image() -> None:
    def linked(audit: LinkAudit | None, *people: bool) -> ImageProgress:
        votes = {(0, 1): [*(TallyVote(1, ADA, one) for one in people), TallyVote(2, QWEN, True, by_model=True)]}
        notes = {} if audit is None else {AUDIT: audit.value}
        return ImageProgress(state=ImageState.BOXING, votes=votes, notes=notes)

    link = Task.COREFERENCE_LINK
    found = counted(linked(LinkAudit.BOTH, False), linked(LinkAudit.PEOPLE, True), linked(None))
    assert found.outcomes == {QWEN: {(link, AnswerOutcome.EVIDENCE): 1, (link, AnswerOutcome.AUDIT): 2}}
    assert found.calibration == {QWEN: {(link, True): 1, (link, False): 1}}


def test_the_saving_is_what_chains_of_the_audit_took_more_with_an_interval_that_follows_from_their_differences() -> (
    None
):
    audit = [chain(*(heard(ADA, COVERED, "all there", 1) for _ in range(2 + n % 3)), in_audit=True) for n in range(12)]
    others = [chain(heard(QWEN, COVERED, "all there", 1), heard(ADA, DREW, 1)) for _ in range(5)]
    saved = counted(*audit, *others).saved(QWEN, "boxes")
    assert saved is not None and (saved.number, saved.audit) == (5, 12)
    assert (saved.seconds, saved.cents) == (5 * (30 - 10), 5 * (6 - 2))
    assert saved.least_seconds < saved.seconds < saved.most_seconds
    assert saved.most_seconds - saved.least_seconds == pytest.approx(2 * 1.645 * 5 * 10 * (2 / 3 / 11) ** 0.5, rel=1e-3)
    assert counted(*audit, *others).saved(QWEN, "links") is None


def test_nothing_is_said_of_the_saving_without_ten_chains_of_the_audit_or_one_that_the_program_answered_about() -> None:
    audit = [chain(heard(ADA, COVERED, "all there", 1), in_audit=True) for _ in range(10)]
    other = chain(heard(QWEN, COVERED, "all there", 1))
    assert counted(*audit[1:], other).saved(QWEN, "boxes") is None
    assert counted(*audit, chain(heard(ADA, COVERED, "all there", 1))).saved(QWEN, "boxes") is None
    assert counted(*audit, other).saved(QWEN, "boxes") is not None


AT = datetime.fromisoformat("2026-01-05T12:00:00+00:00")
HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


def at(moment: datetime) -> AbstractContextManager[None]:
    """Let the block happen at this moment, or some milliseconds later."""
    return clock.moved(moment - clock.now())


def turn(after: timedelta, took: timedelta, answers: int = 10) -> Turn:
    return Turn(AT + after, AT + after + took, answers, "box_quality")


def test_answers_an_hour_leave_out_pauses_and_count_overlapping_turns_once() -> None:
    assert answers_an_hour([turn(0 * HOUR, 30 * MINUTE)]) == 20
    assert answers_an_hour([turn(0 * HOUR, 30 * MINUTE), turn(30 * MINUTE + PAUSE, 20 * MINUTE)]) == 20
    assert answers_an_hour([turn(0 * HOUR, 30 * MINUTE), turn(9 * HOUR, 30 * MINUTE)]) == 20
    assert answers_an_hour([turn(0 * HOUR, HOUR), turn(10 * MINUTE, 20 * MINUTE)]) == 20
    assert answers_an_hour([turn(0 * HOUR, 0 * HOUR)]) is None


@pytest.fixture
def project(db: None) -> Project:
    with at(AT):
        return project_of(phrases("scene: a park"), phrases("scene: a sea", name="2"), phrases("scene: ice", name="3"))


@pytest.fixture
def qwen(project: Project) -> Worker:
    made = worker(project, "qwen", kind=Worker.Kind.PROGRAM)
    set_to_work(project, AT, made.pk)
    return made


def set_to_work(project: Project, moment: datetime, *model_annotators: int) -> None:
    with at(moment):
        settings = Settings(box_policy=BoxPolicyName.BELIEF, model_annotators=model_annotators, batch=FEW)
        change_settings(project_id=project.pk, settings=settings)


FEW = {**Settings().batch, REQUIRED.value: 1}


def work_of(project: Project, program: Worker, now: datetime) -> dict[str, Any]:
    with at(now):
        found: dict[str, Any] = program_work(project.pk)[str(program.pk)]
    return found


def test_a_project_without_programs_takes_one_statement(project: Project, django_assert_num_queries: Any) -> None:
    answer(project, worker(project, "ada"), REQUIRED, 1)
    with django_assert_num_queries(1):
        assert program_work(project.pk) == {}


def test_answers_wait_until_recorded_and_are_then_of_the_audit_of_a_new_program(project: Project, qwen: Worker) -> None:
    submit(lease(project, qwen, REQUIRED, now=AT), 2, now=AT + 3 * SECOND)
    assert work_of(project, qwen, AT + MINUTE)["tasks"] == [["box_requirement", 1, 0, 0, 0, 1, 0, 0]]
    answer(project, worker(project, "ada"), REQUIRED, 1)
    found = work_of(project, qwen, AT + MINUTE)
    assert found["tasks"] == [["box_requirement", 1, 0, 1, 0, 0, 0, 0]] and found["whole"]
    assert (found["saved"], found["median"], found["an_hour"]) == ({}, 3.0, 1200.0)


def silences(project: Project, qwen: Worker, now: datetime) -> list[tuple[int, int]]:
    """Return the silences until now in whole hours since the beginning."""
    found = work_of(project, qwen, now)["silences"]
    since = [[round((datetime.fromisoformat(one) - AT) / HOUR) for one in each] for each in found]
    return [(begin, end) for begin, end in since]


def test_a_program_at_work_that_asks_for_nothing_and_could_answer_is_silent(project: Project, qwen: Worker) -> None:
    submit(lease(project, qwen, REQUIRED, now=AT), 2, now=AT + SECOND)
    assert (silences(project, qwen, AT + HOUR), silences(project, qwen, AT + 3 * HOUR)) == ([], [(0, 3)])
    set_to_work(project, AT + 2 * HOUR)
    assert silences(project, qwen, AT + 3 * HOUR) == [(0, 2)]


def test_a_silence_ends_with_the_next_request_and_a_program_that_has_answered_everything_is_not_silent(
    project: Project, qwen: Worker
) -> None:
    for hours in (0, 4, 4):
        submit(lease(project, qwen, REQUIRED, now=AT + hours * HOUR), 2, now=AT + hours * HOUR + SECOND)
    tick(project_id=project.pk, now=AT + 4 * HOUR + SECOND)
    assert Question.objects.filter(project=project, state="open").count() == 3, "people are asked the same"
    assert silences(project, qwen, AT + 9 * HOUR) == [(0, 4)]
