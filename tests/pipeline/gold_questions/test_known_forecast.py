"""The forecast of the stock, and the warnings to the requester."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Image, Project
from pipeline.gold_questions.known_forecast import (
    KnownForecast,
    known_forecasts,
    known_reports,
    warnings,
)
from pipeline.gold_questions.known_questions import Purpose, Source
from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from tests.support.projects import phrases, project_of, worker
from tests.support.rows import NOW
from tests.support.table import case
from workers.models import Access, TrustStatus, Worker
from workers.rules.trust import TrustModel
from workers.rules.trust_states import TrustState

pytestmark = pytest.mark.django_db
NEED = Task.BOX_REQUIREMENT
PLACE = {"task": NEED.value}
FEW = "but the qualification test takes 10: nobody can take it"
AGAIN = "of the stock left for another probation"


def stocked(verification: int, tests: int = 30, name: str = "small", **settings: Any) -> Project:
    """A project with so many questions of each purpose, a third of each answer."""
    project = project_of(phrases("animals: a dog"), name=name, settings=Settings(**settings))
    image = Image.objects.get(project=project)
    common = {"project": project, "image": image, "source": Source.GOLD, "shown": {}, **PLACE}
    purposes = [Purpose.TEST] * tests + [Purpose.VERIFICATION] * verification
    KnownQuestion.objects.bulk_create(
        KnownQuestion(key=str(number), truth=1 + number % 3, purpose=purpose, **common)
        for number, purpose in enumerate(purposes)
    )
    return project


def stands(project: Project, name: str, state: TrustState, seen: int = 0, **values: Any) -> Worker:
    """A worker who has seen so many of the verification questions."""
    who = worker(project, name, NEED)
    rows = KnownQuestion.objects.filter(project=project, purpose=Purpose.VERIFICATION).order_by("id")
    shown = list(rows.values_list("id", flat=True)[:seen])
    TrustStatus.objects.create(worker=who, project_id=project.id, state=state.value, seen=shown, **PLACE, **values)
    return who


def judge(project: Project, who: Worker, right: list[bool]) -> None:
    """Answers to the first verification questions."""
    ended = {"created_at": NOW, "expires_at": NOW, "ended_at": NOW, "state": "submitted"}
    assignment = Assignment.objects.create(project=project, worker=who, questions=[], **PLACE, **ended)
    rows = KnownQuestion.objects.filter(project=project, purpose=Purpose.VERIFICATION).order_by("id")
    for known, good in zip(rows, right, strict=False):
        said = {"known": known, "right": good, "answer": known.truth if good else 0}
        Judgment.objects.create(worker=who, assignment=assignment, created_at=timezone.now(), **said)


def forecast(project: Project) -> KnownForecast:
    return known_forecasts(project.id, [NEED])[NEED]


def said(project: Project) -> str:
    return " ".join(forecast(project).warnings)


LINK = Task.COREFERENCE_LINK
SWEEPING: dict[str, Any] = {"strategy": LinkStrategy.ADAPTIVE, "sweeps": True}


def linked(candidates: int, questions: int, truth: Any, **more: Any) -> Project:
    """A project with so many link questions, each with this number of candidates."""
    project = stocked(questions, tests=0, **more)
    mentions = [[number, number, 0, 2] for number in range(candidates + 1)]
    shown = {"mentions": mentions, "boxes": [], "new_box": None}
    KnownQuestion.objects.filter(project=project).update(task=LINK.value, shown=shown, truth=truth)
    return project


def test_sweeps_last_more_assignments_since_fewer_fit_into_one() -> None:
    # A sweep of twelve candidates is the work of 2.6 pairs.
    for candidates, truth, assignments in ((1, "same", 303), (12, {"same": [1]}, 791)):
        project = linked(candidates, 90, truth, name=str(candidates))
        assert known_forecasts(project.id)[LINK].each == assignments


@case("no sweeps where the project sweeps", (1, 9, "same"), SWEEPING, True)
@case("a sweep", (4, 9, {"same": [1]}), SWEEPING, False)
@case("no sweeps where nobody is asked any", (1, 9, "same"), {}, False)
def test_a_stock_without_sweeps_is_warned_of(stock: tuple[Any, ...], settings: dict[str, Any], *, warned: bool) -> None:
    project = linked(*stock, **settings)
    assert ("no sweeps among the verification questions" in " ".join(warnings(project.id))) is warned


def test_a_new_worker_spends_probation_first_and_then_two_of_a_hundred_and_a_trusted_one_the_rate_on_the_unseen():
    # 30 questions are three assignments of ten; the other 60 last 60 / (10 x 0.02) = 300.
    assert forecast(stocked(90)).each == 303
    project = stocked(60, name="other")
    stands(project, "ada", TrustState.TRUSTED, seen=40)
    stands(project, "bob", TrustState.TRUSTED, seen=10)
    assert (forecast(project).first, forecast(project).total) == (100, 350)


def test_on_probation_what_was_answered_counts_and_in_the_verification_model_everybody_uses_a_fifth() -> None:
    project, since = stocked(60), timezone.now() - timedelta(hours=1)
    judge(project, stands(project, "ada", TrustState.PROBATION, seen=20, probation_since=since), [True] * 20)
    (left,) = forecast(project).left
    assert (left.unseen, left.answered, left.assignments) == (40, 20, 1 + 150)
    project = stocked(60, name="other", trust=dict.fromkeys(PROTOCOL_TASKS, TrustModel.VERIFICATION.value))
    stands(project, "ada", TrustState.PROBATION, seen=20)
    assert (forecast(project).each, forecast(project).first) == (30, 20)


def test_without_a_rate_it_lasts_for_good() -> None:
    project = stocked(60, trusted_rate=0.0)
    stands(project, "ada", TrustState.TRUSTED)
    assert (forecast(project).each, forecast(project).first) == (None, None)
    report = known_reports(project.id, [NEED])[0]
    assert (report.new_worker, report.at_work) == ("any number", "nobody")


def test_what_a_worker_answered_as_a_real_question_is_not_left_for_them() -> None:
    project = stocked(40)
    ada = stands(project, "ada", TrustState.TRUSTED)
    KnownQuestion.objects.filter(purpose=Purpose.VERIFICATION, truth=1).update(not_for=[ada.id])
    (left,) = forecast(project).left
    assert left.unseen == KnownQuestion.objects.filter(purpose=Purpose.VERIFICATION).exclude(truth=1).count()


def test_of_workers_who_are_away_barred_virtual_or_trusted_by_hand_only_the_last_count() -> None:
    project = stocked(60)
    away = stands(project, "away", TrustState.TRUSTED)
    Access.objects.filter(worker=away).update(granted_at=timezone.now() - timedelta(days=40))
    stands(project, "barred", TrustState.BARRED)
    worker(project, "simulated", NEED, kind=Worker.Kind.VIRTUAL)
    assert forecast(project).left == []
    worker(project, "ada", NEED)
    assert forecast(project).first == 300


ON_PROBATION, ENOUGH = (
    ["on probation has seen too much", "(ada)."],
    ["25 test questions are enough for 2 of 3 tries of 10"],
)


def crowd(names: str, seen: int = 0, state: TrustState = TrustState.TRUSTED) -> Project:
    project = stocked(90)
    for name in names.split():
        stands(project, name, state, seen=seen)
    return project


@case("a good stock warns of nothing", lambda: crowd("ada"), [])
@case("a stock below probation is reported", lambda: stocked(29), ["29 verification questions, but probation takes 30"])
@case("a worker who has seen it all is named", lambda: crowd("ada", 90), ["has seen the whole stock", "(ada)."])
@case("who could not repeat probation is named", lambda: crowd("ada", 70), [f"too little {AGAIN}", "(ada)."])
@case("who saw too much on probation is named", lambda: crowd("ada", 70, TrustState.PROBATION), ON_PROBATION)
@case("of many workers three are named", lambda: crowd("a b c d e", 90), ["(a, b, c and 2 more)"])
@case("no test questions are reported", lambda: stocked(90, tests=0), [f"no test questions, {FEW}"])
@case("too few test questions are reported", lambda: stocked(90, tests=9), [f"9 test questions, {FEW}"])
@case("enough for two tries is said", lambda: stocked(90, tests=25), ENOUGH)
@case("a project without a test needs no test questions", lambda: stocked(90, tests=0, test_questions=0), [])
def test_the_stock_is_warned_of(made: Callable[[], Project], words: list[str]) -> None:
    told = said(made())
    assert bool(told) == bool(words) and all(one in told for one in words)


def test_an_empty_stock_is_reported_once_for_all_tasks_and_else_a_warning_names_them() -> None:
    project = project_of(phrases("animals: a dog"))
    assert [text.partition(":")[0] for text in warnings(project.id)] == ["All tasks", "All tasks"]
    first, *_ = warnings(stocked(90, name="other").id)
    assert first.startswith("Coreference link, chain verification, box drawing, box quality, box coverage: no ver")


def test_a_worker_who_has_seen_too_many_tests_is_named_and_a_lean_to_one_answer_reported() -> None:
    project = stocked(90)
    assert said(project) == "" and known_reports(project.id, [NEED])[0].one_button == "33 % by always “box”"
    tests = list(KnownQuestion.objects.filter(purpose=Purpose.TEST).values_list("id", flat=True)[:25])
    TrustStatus.objects.filter(worker=stands(project, "ada", TrustState.TESTING)).update(seen=tests)
    assert "too many of the test questions to take the test again: add some (ada)." in said(project)
    KnownQuestion.objects.filter(truth=3).update(truth=2)
    assert "“scene” is right in 67 %" in said(project)


def test_a_stock_that_one_button_passes_is_reported_with_the_score_of_the_button(admin_client: Client) -> None:
    project = stocked(20)
    KnownQuestion.objects.update(truth=1)
    assert "“box” is right in 100 %, and 83 % is enough: a worker who always gives this answer passes" in said(project)
    assert "in the test “box” is right in 100 %, and 80 % is enough" in said(project)
    page = admin_client.get(reverse("projects:known_questions", args=[project.name])).text
    assert "100 % by always “box”" in page and "no score can correct it" in page
    out = StringIO()
    call_command("known_questions", project.name, stdout=out)
    assert "score by one button: 100 % by always “box”" in out.getvalue()
    assert "no score can correct it" in out.getvalue()


@pytest.mark.both_engines
def test_a_question_that_most_trusted_workers_get_wrong_is_suspect_if_three_answered_it() -> None:
    project = stocked(60)
    for name, right in (("a", [False, True]), ("b", [False, False]), ("c", [True, True])):
        judge(project, stands(project, name, TrustState.TRUSTED), right)
    judge(project, stands(project, "barred", TrustState.BARRED), [True, False])
    report = known_reports(project.id, [NEED])[0]
    first = KnownQuestion.objects.filter(purpose=Purpose.VERIFICATION).earliest("id")
    assert report.suspects == [first] and report.share_right == "50 % of 6"
    Judgment.objects.filter(worker__name="c", known=first).delete()
    assert known_reports(project.id, [NEED])[0].suspects == []


def test_the_requester_sees_it_all_on_the_page_which_takes_as_many_statements_for_any_number_of_workers(admin_client):
    project = stocked(29)
    address, counts = reverse("projects:known_questions", args=[project.name]), []
    for names, words in (("abc", ["0 % of 3", "145 (435 for all 3)"]), ("defgh", ["0 % of 8"])):
        for name in names:
            judge(project, stands(project, name, TrustState.TRUSTED), [False])
        with CaptureQueriesContext(connection) as made:
            page = admin_client.get(address).text
        counts.append(len(made))
        for text in (*words, "probation takes 30", "box 10, scene 10, no box 9", "suspect question"):
            assert text in page, text
    assert counts[0] == counts[1] <= 20
