"""A scripted crew answers both surveys in Chromium, by keyboard and by touch, from the items to the exported votes."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext

from annotation.models import Project
from exchange.jsonl.write import pseudonym
from pipeline.models import Question
from pipeline.record.replay import replay
from pipeline.rules.tasks.task import Task
from tests.support.browsers import new_context
from tests.support.labelling_page import LabellingPage, complaints, sign_in
from tests.support.projects import worker
from tests.support.survey_crew import (
    Arrows,
    Finger,
    Hand,
    Keys,
    Respondent,
    answer_survey,
    by_item,
    pressed_of,
    scene_survey,
)
from tests.support.surveys import export
from workers.models import Worker

pytestmark = pytest.mark.django_db(transaction=True)

SEED = 8
Sit = Callable[..., list[Respondent]]


@pytest.fixture
def sit(chromium: Browser, live_server: Any) -> Iterator[Sit]:
    """sit(project, hand, ...): a crew with a browser for each hand; None sends requests. An error of a page fails."""
    contexts: list[BrowserContext] = []
    complained: list[list[str]] = []

    def begin(project: Project, *hands: Hand | None) -> list[Respondent]:
        crew = []
        for number, hand in enumerate(hands):
            who = worker(project, f"{type(hand).__name__.lower()}-{number}", Task(project.survey))
            crew.append(Respondent(who, hand, open_page(project, who, hand), Random(f"{SEED} {number}")))
        return crew

    def open_page(project: Project, who: Worker, hand: Hand | None) -> LabellingPage | None:
        if hand is None:
            return None
        contexts.append(new_context(chromium, **hand.options))
        sign_in(contexts[-1], live_server.url, who)
        page = contexts[-1].new_page()
        complained.append(complaints(page))
        return LabellingPage(page, live_server.url, project.name)

    yield begin
    for context in contexts:
        context.close()
    assert complained and [one for lines in complained for one in lines] == []


def verdict(answer: Any) -> str:
    return answer if isinstance(answer, str) else str(answer["verdict"])


def check_votes(project: Project, crew: list[Respondent], folder: Path) -> list[dict[str, Any]]:
    """Check that the exported votes are exactly what the crew pressed; return them."""
    votes = export(project, folder)
    exported = {(vote["worker"], vote["item"]): pressed_of(vote) for vote in votes}
    pressed = {(pseudonym(project.pk, one.who.pk), item): said for one in crew for item, said in one.said.items()}
    assert exported == pressed and len(votes) == len(pressed)
    assert list(replay(project)) == []
    return votes


@pytest.mark.smoke
def test_captions_are_checked_by_keyboard_and_by_touch(sit: Sit, tmp_path: Path) -> None:
    project = scene_survey(tmp_path, Task.CAPTION_CHECK)
    crew = sit(project, Keys(), Finger(), Arrows(), None, None, None)
    answer_survey(crew, project)
    votes = check_votes(project, crew, tmp_path)
    for respondent in crew:
        pictures = [item.split(":")[0] for item in respondent.said]
        assert len(pictures) == len(set(pictures))
    script = by_item(crew)
    assert len(script) == 8 and {len(said) for said in script.values()} == {3}
    for item, said in script.items():
        three = [vote for vote in votes if vote["item"] == item]
        majority, agreeing = Counter(map(verdict, said)).most_common(1)[0]
        counted = Counter(vote["answer"] for vote in three)
        assert counted[majority] == agreeing >= 2
        if item.endswith(":correct"):
            assert [vote["right"] for vote in three] == [vote["answer"] == "correct" for vote in three]
    outcomes = Counter(Question.objects.filter(state="closed").values_list("outcome", flat=True))
    assert outcomes == Counter(Counter(map(verdict, said)).most_common(1)[0][0] for said in script.values())
    # The seed has both: right words that were typed, and people who do not agree.
    assert any(vote["replacement"] for vote in votes)
    assert {len(set(map(verdict, said))) for said in script.values()} == {1, 2}


def test_words_are_judged_by_keyboard_and_by_touch(sit: Sit, tmp_path: Path) -> None:
    project = scene_survey(tmp_path, Task.ATOM_VISUAL)
    crew = sit(project, Keys(), Finger(), None)
    answer_survey(crew, project)
    votes = check_votes(project, crew, tmp_path)
    script = by_item(crew)
    assert len(script) == 3 and {len(said) for said in script.values()} == {3}
    for item, said in script.items():
        three = [vote["answer"] for vote in votes if vote["item"] == item]
        assert Counter(three) == Counter(said)
    outcomes = Counter(Question.objects.filter(state="closed").values_list("outcome", flat=True))
    assert outcomes == Counter(Counter(said).most_common(1)[0][0] for said in script.values())
