"""Workers get the adaptive links whose answers tell most; all other questions go by age."""

from dataclasses import replace

import pytest

from annotation.models import Project
from exchange.dataset import DatasetImage
from pipeline.asking.draw_items import WINDOW
from pipeline.asking.end_lease import return_assignment
from pipeline.asking.free_questions import FreeQuestions
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.models import Question
from pipeline.project.settings_versions import change_settings
from pipeline.record.replay import replay
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import lease, phrases, project_of, submit, worker

pytestmark = pytest.mark.django_db

LINK = Task.COREFERENCE_LINK
ADAPTIVE = ProtocolSettings(strategy=Strategy.ADAPTIVE, link_stop=0.02, reask_share=0.0)
WORDS = ("a man", "the man", "a tall man", "a player", "someone")


def pairs(number: int) -> list[DatasetImage]:
    """Return images of two phrases."""
    return [phrases("people: a man", "people: someone", name=str(one)) for one in range(number)]


def with_values(*values: float, settings: ProtocolSettings = ADAPTIVE) -> tuple[Project, list[int]]:
    """Return a project whose links have these values, and the ids of the links, the oldest first."""
    project = project_of(*pairs(len(values)), settings=settings)
    ids = list(Question.objects.order_by("id").values_list("id", flat=True))
    assert len(ids) == len(values)
    for number, value in zip(ids, values, strict=True):
        Question.objects.filter(id=number).update(value=value)
    return project, ids


def test_links_are_leased_by_value_and_of_equal_value_the_oldest_first() -> None:
    project, (a, b, c, d, e) = with_values(0.2, 0.9, 0.2, 0.0, 0.5)
    assert lease(project, worker(project, "ada"), LINK, size=3).questions == [b, e, a]
    assert lease(project, worker(project, "bob"), LINK, size=3).questions == [c, d], "little is better than nothing"


def test_a_new_link_of_much_value_goes_before_older_ones() -> None:
    project, (_, b) = with_values(0.2, 0.1)
    Question.objects.filter(id=b).update(value=0.3)
    assert lease(project, worker(project, "ada"), LINK, size=1).questions == [b]


def test_an_assignment_that_was_returned_is_drawn_the_same() -> None:
    project, (_, b, c) = with_values(0.1, 0.3, 0.2)
    ada = worker(project, "ada")
    first = lease(project, ada, LINK, size=2)
    return_assignment(assignment_id=first.token, worker_id=ada.id)
    assert lease(project, ada, LINK, size=2).questions == first.questions == [b, c]


def test_a_worker_who_may_not_answer_the_best_link_gets_the_next() -> None:
    project, (a, b) = with_values(0.3, 0.2)
    ada = worker(project, "ada")
    Question.objects.filter(id=a).update(barred=[ada.id], barred_count=1)
    assert lease(project, ada, LINK, size=1).questions == [b]
    assert lease_assignment(project_id=project.id, worker_id=worker(project, "bob").id, task=LINK, size=1)


def test_verification_questions_are_mixed_among_the_most_telling_three_hundred() -> None:
    project, ids = with_values(0.4, 0.1, 0.3)
    free = FreeQuestions(project.id, LINK, worker(project, "ada").id, True)
    assert [number for number, _ in free.window(WINDOW)] == [ids[0], ids[2], ids[1]] and WINDOW == 300
    assert [number for number, _ in free.window(2)] == [ids[0], ids[2]]


@pytest.mark.parametrize("strategy", [Strategy.GREEDY_PLUS, Strategy.EXHAUSTIVE])
def test_links_of_the_paper_s_strategies_have_no_value_and_go_by_age(strategy: Strategy) -> None:
    project = project_of(*pairs(4), settings=replace(ADAPTIVE, strategy=strategy))
    ids = list(Question.objects.order_by("id").values_list("id", flat=True))
    assert set(Question.objects.values_list("value", flat=True)) == {0.0}
    assert lease(project, worker(project, "ada"), LINK, size=4).questions == ids


def test_the_value_of_a_link_is_kept_with_its_row_through_answers_changes_and_replay() -> None:
    project = project_of(phrases(*(f"people: {one}" for one in WORDS)), settings=ADAPTIVE)
    ada, bob = worker(project, "ada"), worker(project, "bob")
    seen = set()
    for who, said in ((ada, "same"), (bob, "different"), (ada, "same")):
        seen.add(Question.objects.get(state="open").value)
        submit(lease(project, who, LINK, size=1), said)
        tick(project_id=project.id)
        assert list(replay(project)) == []
    assert len(seen) == 3 and min(seen) > 0.02
    change_settings(project_id=project.id, settings=replace(ADAPTIVE, telling_first=False))
    submit(lease(project, bob, LINK, size=1), "same")
    tick(project_id=project.id)
    assert Question.objects.get(state="open").value == 0.0 and list(replay(project)) == []


def test_a_stored_value_that_the_record_does_not_make_is_found() -> None:
    project, _ = with_values(0.123)
    assert [one.what for one in replay(project)] == ["questions 0"]
