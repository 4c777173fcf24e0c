"""Links asked at random: they are stored, replayed, and held against what workers said.
Agreement on parts, and answers of parts in figures that know only same and different.
The fate of answers of model annotators, and the work of people with and without them.
The work of model annotators, as it is counted for the page of models: waiting answers, speed and silence.
"""

from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.models import Role
from annotation.models import Chain, Project
from annotation.rules.states import ChainState, ImageState
from belief.links.answer_model import REASK_VALUE
from belief.models.records import LinkAudit
from exchange.statistics.statistics import measure, part_agreement
from exchange.statistics.tables import statistics_text
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.models import Entry, Judgment, Question
from pipeline.policies.adaptive_links import AUDIT
from pipeline.policies.models import AUDIT as AUDIT_OF_BOXES
from pipeline.project.settings_versions import change_settings
from pipeline.protocol.state.progress import NOTHING_DRAWN, ChainAnswer, ChainProgress, ImageProgress, TallyVote
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.record.intervene import act_as_expert, undo_entry, void_judgments
from pipeline.record.read_record import replay, stored_rows
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.dashboard.charts import charts
from projects.dashboard.figures import FigureGroup, figures_of_workers, refresh_figures
from projects.predictions.judges import speed_words
from projects.quality.answers import answered, disagrees
from projects.quality.calibration import CheckedLink, calibration_tenths, calibration_text, in_tenths
from projects.quality.program_work import PAUSE, AnswerOutcome, ProgramAnswers, Turn, answers_an_hour, program_work
from runtime import clock
from tests.support.answers import links_with_votes
from tests.support.members import sign_in
from tests.support.projects import answer, lease, phrases, project_of, submit, worker
from tests.support.settings_with import settings_with
from tests.support.table import case, row
from workers.models import Worker

pytestmark = pytest.mark.django_db

LINK = Task.COREFERENCE_LINK
OFTEN = Settings(strategy=LinkStrategy.ADAPTIVE, reask_rate=0.2)
WORDS = ("a man", "the man", "a player", "someone")


def said(phrase: str, adjective: str) -> str:
    """Put an adjective before the head noun."""
    *before, head = phrase.split()
    return " ".join([*before, adjective, head])


def images_of(settings: Settings, number: int = 20) -> Project:
    """Every image has words of its own, as lots depend on them."""
    texts = [[f"people: {said(one, f'q{image}{place}')}" for place, one in enumerate(WORDS)] for image in range(number)]
    return project_of(*[phrases(*of, name=str(image)) for image, of in enumerate(texts)], settings=settings)


def answer_links(project: Project, *, rounds: int = 30) -> None:
    """Let workers say of all links that they are the same, until none is open."""
    crew = [worker(project, f"worker-{number}", LINK) for number in range(6)]
    for _ in range(rounds):
        given = 0
        for who in crew:
            if mine := lease_assignment(project_id=project.pk, worker_id=who.pk, task=LINK):
                submit(mine, *["same"] * len(mine.questions))
                given += 1
        tick(project_id=project.pk)
        if not given:
            return
    raise AssertionError("links are still open")


def drawn(project: Project) -> int:
    return Question.objects.filter(project=project, predicted__isnull=False).count()


def test_links_asked_at_random_have_a_chance_and_one_answer_each_and_replay() -> None:
    project = images_of(OFTEN)
    answer_links(project)
    at_random = Question.objects.filter(predicted__isnull=False)
    assert at_random.count() > 2 and set(at_random.values_list("value", "state")) == {(REASK_VALUE, "closed")}
    for question in at_random:
        assert question.predicted is not None and 0 <= question.predicted <= 1 and question.judgments.count() == 1
        [judgment] = question.judgments.all()
        earlier = Question.objects.filter(image=question.image, subject=question.subject, id__lt=question.id)
        assert judgment.worker_id not in earlier.values_list("judgments__worker", flat=True)
    assert list(replay(project)) == []


def test_open_links_asked_at_random_replay_too() -> None:
    project = images_of(replace(OFTEN, link_stop=0.99), 30)
    assert 0 < Question.objects.filter(project=project, task=LINK.value, state="open").count() == drawn(project) < 20
    assert list(replay(project)) == []


def test_about_as_many_links_are_asked_at_random_as_the_setting_says() -> None:
    project = images_of(replace(OFTEN, reask_rate=0.1), 60)
    answer_links(project)
    assert 0.03 < drawn(project) / Judgment.objects.count() < 0.25


@pytest.mark.parametrize("settings", [replace(OFTEN, reask_rate=0.0), Settings(reask_rate=0.2)])
def test_without_a_share_or_with_a_strategy_of_the_paper_nothing_is_asked_at_random(settings: Settings) -> None:
    project = images_of(settings, 5)
    answer_links(project)
    assert drawn(project) == 0 and calibration_tenths(project.pk) == []


def test_the_share_can_change_on_the_way() -> None:
    project = images_of(replace(OFTEN, reask_rate=0.0), 20)
    who = worker(project, "ada", LINK)
    submit(lease_assignment(project_id=project.pk, worker_id=who.pk, task=LINK), *["same"] * 10)  # type: ignore[arg-type]
    tick(project_id=project.pk)
    change_settings(project_id=project.pk, settings=OFTEN)
    answer_links(project)
    assert drawn(project) > 0
    change_settings(project_id=project.pk, settings=replace(OFTEN, strategy=LinkStrategy.GREEDY_PLUS))
    tick(project_id=project.pk)
    assert list(replay(project)) == []


@pytest.mark.parametrize("settings", [OFTEN, replace(OFTEN, link_stop=0.99)])
def test_an_undo_gives_back_links_with_what_was_predicted_and_told(settings: Settings) -> None:
    project = images_of(settings, 30)
    asked = Question.objects.filter(project=project, task=LINK.value, state="open").order_by("-value").first()
    assert asked is not None and asked.value > 0 and (asked.predicted is None) is (settings is OFTEN)
    before = stored_rows([asked.image_id])[asked.image_id]
    act_as_expert(
        image_id=asked.image_id, action={"action": "retype", "mention": 0, "types": ["animals"]}, actor="rita"
    )
    assert stored_rows([asked.image_id])[asked.image_id] != before
    entry = Entry.objects.get(kind="expert")
    undo_entry(image_id=asked.image_id, entry=entry.sequence, actor="rita", reason="a slip")
    assert stored_rows([asked.image_id])[asked.image_id] == before
    assert list(replay(project)) == []


def test_a_voided_answer_to_a_link_asked_at_random_replays() -> None:
    project = images_of(OFTEN)
    linking = Chain.objects.filter(state=ChainState.LINKING.value).values("image")
    at_random = Judgment.objects.filter(
        question__predicted__isnull=False, question__image__in=linking, entry__isnull=False
    )
    crew = [worker(project, f"worker-{number}", LINK) for number in range(6)]
    while not at_random.exists():
        for who in crew:
            if mine := lease_assignment(project_id=project.pk, worker_id=who.pk, task=LINK):
                asked = (Question.objects.get(id=number) for number in mine.questions)
                # An answer at random that contradicts the others brings more questions.
                submit(mine, *("same" if one.predicted is None else "different" for one in asked))
        tick(project_id=project.pk)
    [voided, *_] = at_random.select_related("question")
    assert voided.question is not None
    void_judgments(image_id=voided.question.image_id, judgment_ids=[voided.pk], actor="rita", reason="a spammer")
    assert list(replay(project)) == []
    answer_links(project)
    assert list(replay(project)) == []


def test_predictions_are_held_against_what_workers_said(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    project = images_of(OFTEN)
    assert "No link was asked at random" in calibration_text(calibration_tenths(project.pk))
    answer_links(project)
    tenths = calibration_tenths(project.pk)
    assert sum(one.links for one in tenths) == drawn(project) and {one.observed for one in tenths} == {1.0}
    call_command("reasks", project.name)
    assert f"{100 * tenths[-1].low:.0f} to" in capsys.readouterr().out
    refresh_figures(project.pk)
    sign_in(client, project, Role.REQUESTER)
    assert "How sure, and how right" in client.get(f"/projects/{project.name}/dashboard/").text
    rows = client.get(f"/projects/{project.name}/dashboard/foretold.csv").getvalue().decode().splitlines()
    assert rows[0].startswith("foretold,links,mean") and len(rows) == 1 + len(tenths)


def test_answers_are_expected_to_err_as_often_as_the_project_s_crowd_does() -> None:
    project = images_of(OFTEN)
    answer_links(project)
    before = {one.low: one for one in calibration_tenths(project.pk)}
    careless = {"false_negative": 0.2, "false_positive": 0.2}
    change_settings(project_id=project.pk, settings=settings_with(OFTEN, link_errors=careless))
    after = {one.low: one for one in calibration_tenths(project.pk)}
    assert after.keys() == before.keys() and before
    for low, one in after.items():
        assert one.expected == pytest.approx(one.chance * 0.8 + (1 - one.chance) * 0.2, abs=1e-6)
        assert (one.chance, one.observed) == (before[low].chance, before[low].observed) and one.expected != before[
            low
        ].expected


A, B, NO, YES = "a is part of b", "b is part of a", "different", "same"


def test_agreement_on_parts_is_of_links_with_several_answers_of_which_one_is_a_part() -> None:
    project = links_with_votes([(A, A), (A, B), (A, NO), (YES, B), (NO, YES), (A,), (NO, "program"), (B, B, B)])
    assert part_agreement(project.pk) == {"links": 5, "part": 3, "direction": 2}
    assert part_agreement(project_of(name="never-asked").pk) is None


def test_the_dashboard_and_the_statistics_show_it_only_where_parts_are_asked_for(client: Client) -> None:
    project = links_with_votes([(A, A), (A, B), (B, NO), (B, B)])
    sign_in(client, project, Role.REQUESTER)
    assert "Agreement on parts" not in client.get("/projects/small/dashboard/").text
    refresh_figures(project.pk)
    assert "Agreement on parts" in client.get("/projects/small/dashboard/").text
    now = FigureGroup(figures_of_workers(project.pk), clock.now())
    (chart,) = (one for one in charts({"workers": now}, Settings()) if one.name == "parts")
    assert chart.rows == [["one is part of the other", 0.75, 4], ["which of them is the part", 0.5, 4]]
    statistics = measure([], parts=part_agreement(project.pk))
    assert statistics.as_json()["parts"] == {"links": 4, "part": 3, "direction": 2}
    assert statistics_text(statistics).splitlines()[-1].split() == ["4", "75.0", "%", "50.0", "%"]
    assert "parts" not in measure([]).as_json() and "on parts" not in statistics_text(measure([]))
    before = FigureGroup({**now.values, "parts": None}, now.at)
    assert "parts" not in [one.name for one in charts({"workers": before}, Settings())]


def test_a_part_is_different_for_agreement_skills_and_what_is_not_the_outcome() -> None:
    project = links_with_votes([(A, B), (A, NO), (B, YES)])
    task = figures_of_workers(project.pk)["tasks"][LINK.value]
    assert (task["agreement"], task["judged"]) == (5 / 6, 6)
    assert sorted(one.word for one in answered(project.pk, LINK)) == [*[NO] * 5, YES]
    assert [one.answer for one in Judgment.objects.filter(disagrees())] == [YES]


CROWD = {"yes_if_same": 0.9, "yes_if_different": 0.1}


def links(chance: float, same: int, of: int) -> list[CheckedLink]:
    return [CheckedLink(chance, number < same) for number in range(of)]


def test_links_are_counted_in_tenths_of_the_foretold_chance_and_without_links_there_is_nothing() -> None:
    tenths = in_tenths([*links(0.05, 1, 10), *links(0.95, 9, 10), *links(1.0, 10, 10)], **CROWD)
    assert [(one.low, one.links, one.observed) for one in tenths] == [(0.0, 10, 0.1), (0.9, 20, 0.95)]
    assert tenths[1].chance == pytest.approx(0.975)
    assert in_tenths([], **CROWD) == []


def test_the_expected_share_takes_the_crowd_s_errors_into_account() -> None:
    for chance, expected in ((0.0, 0.1), (0.5, 0.5), (1.0, 0.9)):
        (tenth,) = in_tenths(links(chance, 0, 1), **CROWD)
        assert tenth.expected == pytest.approx(expected)


def test_chances_hold_if_chance_explains_the_answers() -> None:
    (right,) = in_tenths(links(0.95, 87, 100), **CROWD)
    (wrong,) = in_tenths(links(0.95, 70, 100), **CROWD)
    (few,) = in_tenths(links(0.95, 2, 3), **CROWD)
    assert (right.holds, wrong.holds, few.holds) == (True, False, True)
    assert right.least < 0.87 < right.most


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


@case("a program that answered at once has no 0 s", 1200.0, 0.03, "1,200 answers an hour while at work; below 0.1 s")
@case("seconds are shown as measured", None, 4.24, "4.2 s")
@case("what took no time was not measured", None, 0.0, "")
@case("nothing was measured", None, None, "")
def test_the_speed_of_a_program_is_what_was_measured(an_hour: float | None, median: float | None, said: str) -> None:
    assert speed_words(an_hour, median) == (said and f"{said} from a request to its answers (median)")


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
