"""Values of links, and links asked by lot, kept with the open questions of an image."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pipeline.rules.image import plan_group
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.pipeline.rules.image.test_linking import three
from tests.support.images import DOG, MAN, PARK, started

L = Task.COREFERENCE_LINK
ADAPTIVE = ProtocolSettings(strategy=Strategy.ADAPTIVE)
EXHAUSTIVE_PLUS = ProtocolSettings(strategy=Strategy.EXHAUSTIVE_PLUS)


def telling(value: float, foretold: float | None = None) -> Callable[..., LinkPlan]:
    """A strategy that always asks whether 0 and 1 are the same, of this value."""

    def plan(group: Any, heard: dict[Any, Any], **more: Any) -> LinkPlan:
        chains = tuple((mention.number,) for mention in group)
        by_lot = {} if foretold is None else {(0, 1): foretold}
        return LinkPlan(((0, 1),), chains, values={(0, 1): value}, foretold=by_lot)

    return plan


def test_a_link_asked_adaptively_keeps_its_value_in_step_with_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_group, "plan_adaptively", telling(0.75))
    story = three(ADAPTIVE)
    question = story.question(L)
    assert (question.value, question.foretold) == (0.75, None)
    monkeypatch.setattr(plan_group, "plan_adaptively", telling(0.25))
    story.judge(L, "same", worker=1)
    assert (story.question(L).number, story.question(L).value) == (question.number, 0.25)


def test_other_questions_have_no_value() -> None:
    asked = [*three(EXHAUSTIVE_PLUS).progress.open.values(), *started([PARK]).progress.open.values()]
    assert len(asked) == 4 and {one.value for one in asked} == {0.0}


def test_a_project_can_ask_adaptive_links_by_age(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_group, "plan_adaptively", telling(0.75))
    assert three(replace(ADAPTIVE, telling_first=False)).question(L).value == 0.0


def test_a_link_asked_by_lot_is_a_question_of_its_own_with_one_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_group, "plan_adaptively", telling(0.75))
    story = three(ADAPTIVE)
    planned = story.question(L).number
    monkeypatch.setattr(plan_group, "plan_adaptively", telling(1.0, foretold=0.9))
    story.judge(L, "same", worker=1)
    drawn = story.question(L)
    assert (drawn.number, drawn.value, drawn.foretold, drawn.barred) == (planned + 1, 1.0, 0.9, [1])
    monkeypatch.setattr(plan_group, "plan_adaptively", telling(0.5))
    story.judge(L, "different", worker=2)
    again = story.question(L)
    assert (again.number, again.value, again.foretold, again.barred) == (planned + 2, 0.5, None, [1, 2])
    assert [vote.answer for vote in story.progress.votes[0, 1]] == [True, False], "both count"


def test_a_link_asked_by_lot_that_is_asked_by_lot_again_is_another_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_group, "plan_adaptively", telling(1.0, foretold=0.9))
    story = three(ADAPTIVE)
    first = story.question(L).number
    story.judge(L, "same", worker=1)
    assert story.question(L).number == first + 1


def test_switching_values_on_plans_open_links_anew_with_the_next_entry() -> None:
    old = replace(ADAPTIVE, link_stop=0.001, telling_first=False)
    story = started([MAN, DOG], [("people", "he"), ("animals", "it")], settings=old)
    assert [one.value for one in story.progress.open.values()] == [0.0, 0.0]
    story.settings = replace(old, telling_first=True)
    story.judge(L, "same", worker=1, subject=[0])
    assert story.question(L, [1]).value > 0
