"""A requester changes how links are asked while answers wait and questions are with workers: every answer counts."""

from dataclasses import replace
from typing import Any

import pytest

from annotation.models import Project
from pipeline.models import Entry, Progress, Question, Transition
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.replay import replay
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import lease, phrases, project_of, submit, worker

pytestmark = pytest.mark.django_db

LINK = Task.COREFERENCE_LINK
STRATEGIES = list(Strategy)
CHANGES = [(old, new) for old in STRATEGIES for new in STRATEGIES if old is not new]


def images(number: int) -> list[Any]:
    """Return images of five captions; every mention can corefer with every other."""
    words = ("a man", "the man", "a tall man", "a player", "someone")
    return [phrases(*(f"people: {one}" for one in words), name=str(one)) for one in range(number)]


def project_with(strategy: Strategy, number: int = 2) -> Project:
    return project_of(*images(number), settings=ProtocolSettings(strategy=strategy, link_stop=0.02))


def change(project: Project, **values: Any) -> None:
    _, settings = current_settings(project.id)
    change_settings(project_id=project.id, settings=replace(settings, **values), reason="changed while in use")


def votes(project: Project) -> int:
    """Return how many votes on links count in the images' progress."""
    states = Progress.objects.filter(project=project).values_list("state", flat=True)
    return sum(len(cast) for state in states for *_, cast in state["votes"])


def late(project: Project) -> int:
    return Transition.objects.filter(project=project, reason="late judgment").count()


def finish(project: Project) -> None:
    """Answer all links until none is open: mention n is the same as mention m if both are even or both odd."""
    crew = [worker(project, f"more-{number}", LINK) for number in range(16)]
    for _ in range(60):
        for who in crew:
            given = 0
            while Question.objects.filter(project=project, task=LINK.value, state="open").exists():
                some = answer_some(project, who, 20)
                given += some
                if not some:
                    break
            if given:
                tick(project_id=project.id)
        if not Question.objects.filter(project=project, task=LINK.value).exclude(state="closed").exists():
            return
    raise AssertionError("links are still open")


def answer_some(project: Project, who: Any, size: int) -> int:
    try:
        mine = lease(project, who, LINK, size=size)
    except AssertionError:
        return 0
    return len(submit(mine, *truth(mine.questions)).stored)


def truth(questions: list[int]) -> list[str]:
    pairs = dict(Question.objects.filter(id__in=questions).values_list("id", "subject"))
    return ["same" if pairs[one][0] % 2 == pairs[one][1] % 2 else "different" for one in questions]


@pytest.mark.parametrize(("old", "new"), CHANGES, ids=str)
def test_every_answer_given_and_every_question_on_loan_counts_under_the_new_strategy(
    old: Strategy, new: Strategy
) -> None:
    project = project_with(old)
    for number in range(2):  # so that some groups are half placed
        answer_some(project, worker(project, f"early-{number}", LINK), 5)
        tick(project_id=project.id)
    size = 1 if old is Strategy.ADAPTIVE else 3  # it asks one pair of a group at a time
    on_loan = [lease(project, worker(project, name, LINK), LINK, size=size) for name in ("ada", "bob")]
    waiting = answer_some(project, worker(project, "cleo", LINK), size)
    before = votes(project)
    change(project, strategy=new)
    tick(project_id=project.id)
    assert votes(project) == before + waiting
    stored = [submit(mine, *truth(mine.questions)).stored for mine in on_loan]
    assert [len(some) for some in stored] == [len(mine.questions) for mine in on_loan]
    tick(project_id=project.id)
    assert votes(project) == before + waiting + sum(map(len, stored))
    finish(project)
    assert late(project) == 0
    assert (
        votes(project) == Entry.objects.filter(project=project, kind="judgment", judgment__question__task=LINK).count()
    )
    assert list(replay(project)) == []


def test_twenty_answers_that_wait_when_the_strategy_changes_are_not_lost() -> None:
    project = project_with(Strategy.EXHAUSTIVE)
    assert answer_some(project, worker(project, "ada", LINK), 20) == 20
    change(project, strategy=Strategy.ADAPTIVE)
    tick(project_id=project.id)
    assert (votes(project), late(project)) == (20, 0)
    assert list(replay(project)) == []


def test_a_question_that_nobody_has_is_withdrawn_with_the_first_answer_after_the_change() -> None:
    project = project_with(Strategy.EXHAUSTIVE, number=1)
    mine = lease(project, worker(project, "ada", LINK), LINK, size=2)
    change(project, strategy=Strategy.ADAPTIVE)
    answer_some(project, worker(project, "bob", LINK), 1)
    tick(project_id=project.id)
    left = Question.objects.filter(project=project, state="open").values_list("id", flat=True)
    assert set(left) == set(mine.questions)
    assert list(replay(project)) == []


def test_a_question_that_comes_back_unanswered_is_asked_once_more() -> None:
    project = project_with(Strategy.EXHAUSTIVE, number=1)
    ada, bob = (worker(project, name, LINK) for name in ("ada", "bob"))
    mine = lease(project, ada, LINK, size=2)
    change(project, strategy=Strategy.GREEDY)
    answer_some(project, bob, 1)
    tick(project_id=project.id)
    submit(mine)  # all left out
    assert votes(project) == 1
    assert Question.objects.filter(project=project, state="open").count() == 2
    finish(project)
    assert not Transition.objects.filter(project=project, new="review").exists()
    assert list(replay(project)) == []


def test_answers_of_a_change_that_concerns_no_links_need_no_note_in_the_record() -> None:
    project = project_with(Strategy.EXHAUSTIVE)
    change(project, no_box_votes=3, consensus_lead=1)
    answer_some(project, worker(project, "ada", LINK), 4)
    tick(project_id=project.id)
    assert not any("out" in data for data in Entry.objects.filter(project=project).values_list("data", flat=True))
    assert votes(project) == 4


def test_all_answers_of_a_pair_count_where_the_new_strategy_asks_each_pair_once() -> None:
    # The words leave the pair in doubt: of "a man" and "the man" one "same" would be enough.
    project = project_of(
        phrases("people: a man", "people: a player"),
        settings=ProtocolSettings(strategy=Strategy.ADAPTIVE, link_stop=0.001),
    )
    for name, said in (("ada", "same"), ("bob", "different"), ("cleo", "different")):
        submit(lease(project, worker(project, name, LINK), LINK, size=1), said)
        tick(project_id=project.id)
    assert Question.objects.filter(project=project, task=LINK.value, state="open").exists()
    change(project, strategy=Strategy.EXHAUSTIVE)
    submit(lease(project, worker(project, "dan", LINK), LINK, size=1), "different")
    tick(project_id=project.id)
    state = Progress.objects.get(project=project).state
    assert [row[1] for row in state["chains"]] == [[0], [1]]
    assert list(replay(project)) == []
