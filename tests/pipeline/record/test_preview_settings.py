"""The effect of other settings, said before: it is what then happens, and nothing is written."""

from dataclasses import replace
from typing import Any

import pytest

from annotation.models import Image, Project
from pipeline.models import Entry, Progress, Question, Transition
from pipeline.project.settings_versions import change_settings
from pipeline.record.append_entries import NewEntry, append_entries, lock_progress
from pipeline.record.preview_settings import preview_settings
from pipeline.record.replay import replay
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.prior.link_prior import WORDLESS
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import lease, phrases, project_of, submit, worker

pytestmark = pytest.mark.django_db
LINK = Task.COREFERENCE_LINK
STRATEGIES = list(Strategy)


def images(number: int) -> list[Any]:
    words = ("a man", "the man", "a tall man", "a player", "someone")
    return [phrases(*(f"people: {one}" for one in words), name=str(one)) for one in range(number)]


def begun_project(strategy: Strategy, number: int = 6) -> Project:
    """Make a project in which some links are answered and folded, some answered, some on loan, most untouched."""
    project = project_of(*images(number), settings=ProtocolSettings(strategy=strategy, link_stop=0.02))
    size = min(4, Question.objects.filter(state="open").count())
    for name, said in (("ada", "same"), ("bob", "different")):
        submit(lease(project, worker(project, name, LINK), LINK, size=size), *[said, "same"] * 2)
        tick(project_id=project.id)
    lease(project, worker(project, "cleo", LINK), LINK, size=1)
    submit(lease(project, worker(project, "dan", LINK), LINK, size=1), "same")
    return project


def do_nothing(project: Project) -> None:
    """Append one entry to every image that by itself changes no question: a report that sends nothing to review."""
    report = {"what": "image", "number": 0, "worker": 10**6, "expert": False}
    locked = lock_progress(list(Image.objects.filter(project=project).values_list("id", flat=True)))
    append_entries(locked, {row.image_id: [NewEntry(EntryKind.REPORT, report)] for row in locked})


def link_numbers(project: Project) -> set[tuple[int, int]]:
    rows = Question.objects.filter(project=project, task=LINK.value).exclude(state="closed")
    return set(rows.values_list("image_id", "number"))


@pytest.mark.parametrize("new", STRATEGIES, ids=str)
@pytest.mark.parametrize("old", STRATEGIES, ids=str)
def test_what_is_said_before_a_change_of_strategy_is_what_the_next_entries_do(old: Strategy, new: Strategy) -> None:
    project = begun_project(old, number=3)
    settings = ProtocolSettings(strategy=new, link_stop=0.02)
    said = preview_settings(project_id=project.id, settings=settings)
    before = link_numbers(project)
    change_settings(project_id=project.id, settings=settings, reason="compare")
    do_nothing(project)
    after = link_numbers(project)
    assert said.exact and said.follow == Image.objects.exclude(state="merged").count()
    assert (said.effect.open_links, said.effect.closed_links) == (len(before), len(before - after))
    assert said.effect.opened_links == len(after - before)
    assert list(replay(project)) == []


def test_a_preview_writes_nothing() -> None:
    project = begun_project(Strategy.EXHAUSTIVE)
    tables = (Entry, Question, Transition)
    rows = [table.objects.count() for table in tables]
    states = list(Progress.objects.order_by("image_id").values_list("state", flat=True))
    said = preview_settings(project_id=project.id, settings=ProtocolSettings(strategy=Strategy.GREEDY))
    assert said.effect.closed_links > 0
    assert [table.objects.count() for table in tables] == rows
    assert list(Progress.objects.order_by("image_id").values_list("state", flat=True)) == states


def test_answers_that_a_strategy_of_one_answer_a_pair_does_not_read_are_counted() -> None:
    project = project_of(
        phrases("people: a man", "people: the man"),
        settings=ProtocolSettings(strategy=Strategy.ADAPTIVE, link_stop=0.001, link_prior=WORDLESS.to_json()),
    )
    for name in ("ada", "bob", "cleo"):
        submit(lease(project, worker(project, name, LINK), LINK, size=1), "same" if name == "ada" else "different")
        tick(project_id=project.id)
    said = preview_settings(project_id=project.id, settings=ProtocolSettings(strategy=Strategy.EXHAUSTIVE)).effect
    assert (said.votes, said.unread_votes, said.placed_chains) == (3, 2, 2)
    plus = preview_settings(project_id=project.id, settings=ProtocolSettings(strategy=Strategy.EXHAUSTIVE_PLUS)).effect
    assert plus.unread_votes == 0


def test_links_that_workers_have_or_have_answered_are_said_to_stay_open() -> None:
    project = begun_project(Strategy.EXHAUSTIVE)
    said = preview_settings(project_id=project.id, settings=ProtocolSettings(strategy=Strategy.GREEDY)).effect
    assert said.kept_links == 2


def test_of_many_images_a_sample_is_looked_at_and_said_to_be_one() -> None:
    project = begun_project(Strategy.EXHAUSTIVE, number=12)
    greedy = ProtocolSettings(strategy=Strategy.GREEDY)
    whole = preview_settings(project_id=project.id, settings=greedy)
    part = preview_settings(project_id=project.id, settings=greedy, most=6)
    assert whole.exact and not part.exact
    assert (part.looked_at, part.follow) == (6, 12)
    assert part.scaled(3) == 6
    assert abs(part.scaled(part.effect.closed_links) - whole.effect.closed_links) < 0.5 * whole.effect.closed_links


def test_if_begun_images_stay_only_the_others_are_looked_at() -> None:
    project = begun_project(Strategy.EXHAUSTIVE)
    greedy = ProtocolSettings(strategy=Strategy.GREEDY)
    said = preview_settings(project_id=project.id, settings=greedy, begun_follow=False)
    assert (said.begun, said.fresh) == (1, 5) and said.follow == 5
    assert said.effect.votes == 0


def test_chains_whose_votes_suffice_under_a_lower_limit_are_counted() -> None:
    project = project_of(phrases("animals: a dog"), settings=ProtocolSettings(no_box_votes=3))
    for name in ("ada", "bob"):
        submit(lease(project, worker(project, name), Task.BOX_REQUIREMENT, size=1), 3)
        tick(project_id=project.id)
    lower = replace(ProtocolSettings(), no_box_votes=2)
    assert preview_settings(project_id=project.id, settings=lower).effect.met_tallies == 1
    assert preview_settings(project_id=project.id, settings=replace(lower, no_box_votes=3)).effect.met_tallies == 0
