"""Sweeps in the database: asked, answered, voided, given up and replayed, and read by what shows and counts answers."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Chain
from exchange.data_card.counts import agreement
from exchange.data_card.facts import count
from exchange.load_project import load_answers
from pipeline.errors import BadAnswerError
from pipeline.models import Judgment, Progress, Question
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import Task
from pipeline.record.intervene import act_as_expert, void_judgments
from pipeline.record.read_record import replay
from pipeline.record.starve_questions import starve_questions
from pipeline.settings.of_belief import LinkStrategy
from projects.dashboard.figures import figures_of_workers
from projects.people.answers import shown_answers
from projects.quality.answers import answered, disagrees
from projects.quality.detect_signals import _timed
from projects.quality.estimate_skills import link_verdicts
from projects.review.image_history import judgments
from projects.review.workbench import QueueFilters, waiting_chains, waiting_places
from tests.support.projects import answer, lease, submit, worker
from tests.support.sweeps import ask_sweeps, project_of_men, swept
from tests.support.table import row

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("ask_sweeps")]
LINK = Task.COREFERENCE_LINK
__all__ = ["ask_sweeps"]


def test_a_sweep_is_one_judgment_of_which_one_entry_makes_a_vote_on_each_pair() -> None:
    project = project_of_men()
    answer(project, worker(project, "ada"), LINK, {"same": [2]})
    asked = Question.objects.order_by("number").values_list("subject", "state", "outcome")
    assert list(asked) == [([0, 1, 2, 3], "closed", "swept"), ([1, 2, 3], "open", "")]
    votes = from_json(Progress.objects.get().state).votes
    told = {pair: [(vote.entry, vote.answer) for vote in cast] for pair, cast in votes.items()}
    assert told == {(0, 1): [(2, False)], (0, 2): [(2, True)], (0, 3): [(2, False)]}
    answer(project, worker(project, "ada"), LINK, {"same": [3]})
    answer(project, worker(project, "bob"), LINK, "different")
    assert sorted(Chain.objects.values_list("name", "state")) == [(0, "verification"), (1, "verification")]
    assert list(replay(project)) == [] and Judgment.objects.count() == 3


@row({"same": [0]})
@row({"same": [3, 2]})
@row("different")
def test_a_wrong_answer_to_a_sweep_is_refused(wrong: Any) -> None:
    project = project_of_men()
    held = lease(project, worker(project, "ada"), LINK)
    with pytest.raises(BadAnswerError, match="The answer to a sweep"):
        submit(held, wrong)


def test_a_voided_sweep_is_asked_of_others() -> None:
    project = swept([1, 3])
    judgment = Judgment.objects.get()
    void_judgments(image_id=project.images.get().id, judgment_ids=[judgment.id], actor="eve", reason="haste")
    state = from_json(Progress.objects.get().state)
    assert (state.votes, state.voided) == ({}, {(0, other): [judgment.worker_id] for other in (1, 2, 3)})
    assert [question.barred for question in state.open.values()] == [[judgment.worker_id]]
    assert list(replay(project)) == []


def test_pairs_are_asked_in_place_of_a_sweep_that_everybody_has_skipped() -> None:
    project = project_of_men(LinkStrategy.EXHAUSTIVE_PLUS)
    Question.objects.update(skipped=[worker(project, "ada", LINK).pk], skipped_count=1)
    assert starve_questions(project_id=project.pk, now=timezone.now() + timedelta(days=30)) == 1
    state = from_json(Progress.objects.get().state)
    assert (state.unswept, state.skipped) == ([0], [])
    assert [question.subject for question in state.open.values()] == [[0, 1]] and list(replay(project)) == []


# --- Readers of answers ---


def test_exports_count_an_answer_on_each_pair_and_once_for_a_chain() -> None:
    image = swept([2], [2, 3]).images.get()
    found = load_answers([image.id], {})[image.id]
    assert found.of_link(0, 2) is not None and found.of_link(1, 2) is None
    assert [found.of_link(0, other).people for other in (1, 2, 3)] == [{"no": 1}, {"yes": 1}, {"no": 1}]  # type: ignore[union-attr]
    assert found.of_chain([0, 1, 2], links=True).people == {LINK.value: 1}


def test_the_data_card_counts_answers_by_question_and_agreement_by_pair() -> None:
    project = swept([2])
    answer(project, worker(project, "ada"), LINK, {"same": []})
    counts = count([project.images.get().id])[1].tasks[LINK.value]
    assert (counts.questions, counts.single, counts.answers, dict(counts.by_word)) == (2, 2, 2, {"a sweep": 2})
    assert agreement(counts.profiles).questions == 0


def test_a_sweep_agrees_with_no_outcome_and_is_against_none() -> None:
    project = swept([2], [])
    assert figures_of_workers(project.pk)["tasks"][LINK.value]["judged"] == 0
    assert not Judgment.objects.filter(disagrees()).exists()
    first, second = shown_answers(list(Judgment.objects.order_by("pk")))
    assert (first.answer, first.verdict, first.good) == ("the same: “the man”", "outcome: swept", None)
    assert (second.answer, second.phrases) == ("none of them", ["a man", "a boy", "the man", "the boy"])


def test_skills_are_measured_by_the_verdict_on_each_pair_and_seconds_held_against_those_of_a_pair_by_the_work() -> None:
    project = swept([2])
    (verdicts,) = link_verdicts(project.pk, 9).values()
    words = {verdict.item[1:]: verdict.word for verdict in verdicts}
    assert words == {(0, 1): "different", (0, 2): "same", (0, 3): "different"} and len(verdicts) == 3
    (given,) = answered(project.pk, LINK)
    assert given.work == pytest.approx(9.7 / 7.5)
    (timed,) = _timed(LINK, [given._replace(seconds=9.7, simulated=True)])[given.worker]
    assert timed.seconds == pytest.approx(7.5)


def test_workers_differ_about_the_pairs_of_a_sweep_that_one_touched_and_another_did_not() -> None:
    project = swept([1, 2], [2])
    answer(project, worker(project, "ada"), LINK, {"same": [2]})
    answer(project, worker(project, "bob"), LINK, "different")
    for chain in (0, 3):
        act_as_expert(image_id=project.images.get().id, action={"action": "review", "chain": chain}, actor="eve")
    lines = waiting_chains(waiting_places(project, QueueFilters()))
    assert [(line.place[1], line.disputes) for line in lines] == [(0, 1), (3, 0)]
    assert [place[1] for place in waiting_places(project, QueueFilters(disputed=True))] == [0]


def test_the_history_of_an_image_tells_what_was_touched() -> None:
    image = swept([1, 2], []).images.get()
    told = [one.answer for one in judgments(image, from_json(Progress.objects.get().state), {})]
    assert sorted(told) == ["none of them", "the same: “a boy” and “the man”"]
