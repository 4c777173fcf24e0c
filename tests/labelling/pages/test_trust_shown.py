"""A worker sees the test, a score that moves in steps, and the history of their trust with its reasons."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.translation import override

from annotation.models import Box, Project
from labelling.open_tasks import TaskOffer, open_tasks
from labelling.pages.worker_status import IN_WORDS, ShownScores, score_in_words, shown_score, trust_story
from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from tests.labelling.conftest import with_account
from tests.support.trusting import ASK, TEST, add_stock, ask, given_to, hand_in, kennel, newcomer, work
from workers.change_trust import change_trust
from workers.models import TrustChange, TrustStatus, Worker
from workers.rules.score import Score, Scores
from workers.rules.trust_states import TrustEvent

pytestmark = pytest.mark.django_db
SETTINGS = Settings(test_questions=2, probation=5, probation_most=5, test_wait_hours=24)
DAY = timedelta(days=1)


@pytest.fixture
def project() -> Project:
    return kennel(3, stock=30, tests=6, settings=SETTINGS)


@pytest.fixture
def ada(project: Project) -> Worker:
    return with_account(newcomer(project, "ada"))


def offer(project: Project, who: Worker) -> TaskOffer:
    return next(one for one in open_tasks(project, who.id) if one.task == ASK)


def change(project: Project, who: Worker, event: TrustEvent, because: str = "", **more: Any) -> TrustChange:
    place: dict[str, Any] = {"worker_id": who.id, "project_id": project.id, "task": ASK.value}
    return change_trust(**place, event=event, because=because, **more)


class TestAnOffer:
    def test_is_the_test_first(self, project: Project, ada: Worker, page: Client) -> None:
        found = offer(project, ada)
        assert (found.state, found.open, found.questions, found.reward_cents) == ("test", 2, 2, 0)
        text = page.get("/work/small/").text
        assert "Take the test" in text and "1 of its 2 questions must be right" in text
        assert "take the test first" in page.get("/work/").text

    def test_says_that_the_test_is_begun(self, project: Project, ada: Worker, page: Client) -> None:
        ask(project, ada)
        assert (offer(project, ada).state, offer(project, ada).is_begun) == ("test", True)
        assert "Continue the test" in page.get("/work/small/").text

    def test_waits_after_a_failed_test_and_then_counts_tries(self, project: Project, ada: Worker, page: Client) -> None:
        hand_in(given_to(project, ada), right=False)
        found = offer(project, ada)
        assert found.state == "waiting" and "You may take the test again from" in found.message
        TrustStatus.objects.update(test_from=timezone.now() - DAY)
        assert offer(project, ada).state == "test"
        text = page.get("/work/small/").text
        assert "try 2 of 3" in text and "<td>0 of 2 right</td>" in text and "qualification test</span>" in text

    def test_waits_where_no_test_can_be_made(self, project: Project, ada: Worker) -> None:
        KnownQuestion.objects.filter(purpose=TEST).first().delete()  # type: ignore[union-attr]
        KnownQuestion.objects.filter(purpose=TEST).update(not_for=[ada.id])
        assert (offer(project, ada).state, offer(project, ada).open) == ("waiting", 0)

    def test_of_the_same_looks_is_made_on_probation_and_when_trusted(self, project: Project, ada: Worker) -> None:
        work(project, ada, 1)
        assert TrustStatus.objects.get().state == "probation"
        on_probation = offer(project, ada)
        work(project, ada, 1)
        assert TrustStatus.objects.get().state == "trusted"
        trusted = offer(project, ada)
        assert (on_probation.state, trusted.state) == ("open", "open")
        assert (on_probation.questions, on_probation.message) == (trusted.questions, trusted.message)

    def test_on_probation_is_open_while_others_have_nothing(self, project: Project, ada: Worker) -> None:
        work(project, ada, 1)
        project.questions.update(barred=[ada.id], barred_count=1)
        assert (offer(project, ada).state, offer(project, ada).open) == ("open", 1)

    def test_on_probation_waits_where_the_stock_is_used_up(self, project: Project, ada: Worker) -> None:
        work(project, ada, 1)
        KnownQuestion.objects.update(retired_at=timezone.now())
        found = offer(project, ada)
        assert (found.state, found.message[:25]) == ("waiting", "There is no new work for ")

    def test_needs_no_test_where_the_project_has_none(self) -> None:
        untested = kennel(1, stock=30, settings=Settings(test_questions=0))
        assert offer(untested, newcomer(untested, "ben")).state == "open"


class TestAShownScore:
    def outcomes(self, project: Project, ada: Worker, *rights: bool, at: datetime) -> None:
        unasked = KnownQuestion.objects.filter(project=project, judgments=None, purpose="verification")
        values = {"created_at": at, "expires_at": at, "ended_at": at, "questions": [], "state": "submitted"}
        assignment = Assignment.objects.create(project=project, worker=ada, task=ASK.value, **values)
        Judgment.objects.bulk_create(
            Judgment(known=known, right=right, worker=ada, assignment=assignment, answer=1, created_at=at)
            for known, right in zip(unasked[: len(rights)], rights, strict=True)
        )

    def shown(self, project: Project, ada: Worker, now: datetime, since: datetime | None = None) -> Scores:
        return shown_score(ada.id, project.id, ASK, since, now).scores

    def test_moves_by_ten_answers_and_on_another_day(self, project: Project, ada: Worker) -> None:
        monday = datetime.fromisoformat("2026-05-04T10:00:00+00:00")
        self.outcomes(project, ada, *[True] * 9, at=monday)
        assert self.shown(project, ada, monday + DAY) == Scores()
        self.outcomes(project, ada, False, True, at=monday + DAY)
        evening = monday + DAY + timedelta(hours=13)
        assert self.shown(project, ada, evening) == Scores()
        assert self.shown(project, ada, evening + timedelta(hours=1)).overall == Score(9, 10)

    def test_begins_anew_with_the_score_itself(self, project: Project, ada: Worker) -> None:
        monday = datetime.fromisoformat("2026-05-04T10:00:00+00:00")
        self.outcomes(project, ada, *[False] * 10, at=monday)
        assert self.shown(project, ada, monday + DAY, since=monday) == Scores()
        assert self.shown(project, ada, monday + DAY, since=monday - DAY).overall == Score(0, 10)

    def test_counts_boxes_that_were_judged(self, project: Project, ada: Worker) -> None:
        monday = datetime.fromisoformat("2026-05-04T10:00:00+00:00")
        values: dict[str, Any] = {"image": project.images.first(), "chain": 0, "x0": 0, "y0": 0, "x1": 9, "y1": 9}
        Box.objects.bulk_create(
            Box(number=n, drawn_by_id=ada.id, judged_at=monday, state="accepted" if n else "discarded", **values)
            for n in range(10)
        )
        shown = shown_score(ada.id, project.id, Task.BOX_DRAWING, None, monday + DAY)
        assert (shown.scores.overall, shown.boxes) == (Score(9, 10), Score(9, 10))
        assert shown_score(ada.id, project.id, ASK, None, monday + DAY) == ShownScores()

    def test_is_told_against_what_is_needed(self) -> None:
        assert score_in_words(ShownScores(), 0.8) == ["No score yet. Needed: 80 %."]
        few = Scores.of([True] * 27 + [False] * 3)
        assert score_in_words(ShownScores(few), 0.8) == [
            "You: 27 of 30 right on checked questions, 90 %. Needed: 80 %."
        ]
        many = ShownScores(Scores.of([False] * 10 + [True] * 30), Score(19, 20))
        assert score_in_words(many, 0.7) == [
            "You: 30 of 40 right on checked questions and judged boxes, 75 %. Needed: 70 %.",
            "The last 30: 30 right, 100 %.",
            "Your boxes: 19 of 20 approved, 95 %.",
        ]

    def test_is_on_the_page_with_a_picture_of_it(self, project: Project, ada: Worker, page: Client) -> None:
        work(project, ada, 1)
        assert "No score yet. Needed: 83 %." in page.get("/work/small/").text
        self.outcomes(project, ada, *[True] * 10, at=timezone.now() - DAY)
        text = page.get("/work/small/").text
        assert "You: 10 of 10 right on checked questions, 100 %." in text and 'class="got" width="100"' in text


class TestTheStory:
    def test_tells_of_the_test_and_keeps_the_end_of_probation_back(self, project: Project, ada: Worker) -> None:
        work(project, ada, 2)
        assert TrustStatus.objects.get().state == "trusted"
        assert [(one.words, one.reason) for one in trust_story(project.id, ada.id)] == [
            ("You passed the qualification test.", "Qualification test: 2 of 2 right; 1 are needed.")
        ]
        with override("de"):
            assert "2 von 2 richtig" in trust_story(project.id, ada.id)[0].reason

    @pytest.mark.both_engines
    def test_tells_of_a_low_score_without_figures(self, project: Project, ada: Worker, page: Client) -> None:
        work(project, ada, 1)
        work(project, ada, 1, right=False)
        first, *_ = trust_story(project.id, ada.id)
        assert TrustChange.objects.latest("id").event == TrustEvent.FAIL_PROBATION
        assert (first.words, first.reason) == (IN_WORDS[TrustEvent.LOSE_TRUST], "")
        assert "your next answers decide whether you can go on" in page.get("/work/small/").text

    def test_tells_why_and_until_when_somebody_is_suspended(self, project: Project, ada: Worker, page: Client) -> None:
        work(project, ada, 1)
        change(project, ada, TrustEvent.SUSPEND, "Too fast to be read.", actor="the boss", until=timezone.now() + DAY)
        text = page.get("/work/small/").text
        assert "Suspended." in text and "You can go on from" in text
        assert text.count("<q>Too fast to be read.</q>") == 2 and "the boss" not in text
        assert "Box or no box: suspended" in page.get("/work/").text

    def test_tells_who_is_barred_by_figures_and_lets_them_appeal(self, project: Project, ada: Worker, page: Client):
        add_stock(project, 30)
        work(project, ada, 1)
        work(project, ada, 2, right=False)
        tick(project_id=project.id)
        assert offer(project, ada).state == "barred"
        text = page.get("/work/small/").text
        assert "Barred." in text and "below what is needed once more" in text
        assert "Appeal to the requester" in text and "interval" not in text

    def test_has_words_for_everything_else_that_can_happen(self) -> None:
        assert {*TrustEvent} - {*IN_WORDS} == {TrustEvent.BEGIN_TEST, TrustEvent.PASS_PROBATION}
