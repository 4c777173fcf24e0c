"""Changed settings: what they would change is shown before, and begun images may stay with their version."""

from dataclasses import replace

import pytest
from django.core.management import call_command
from django.db import transaction

from annotation.models import Image, Project
from pipeline.models import Entry, Progress, Question, SettingsVersion, Transition
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.append_entries import NewEntry, append_entries, lock_progress
from pipeline.record.intervene import preview_expert
from pipeline.record.preview_settings import preview_settings
from pipeline.record.read_record import settings_of_image
from pipeline.record.replay import replay
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.prior.link_prior import WORDLESS
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.pipeline.record.test_changed_strategy import finish, images
from tests.support.projects import lease, phrases, project_of, submit, worker

pytestmark = pytest.mark.django_db
LINK = Task.COREFERENCE_LINK


@pytest.fixture
def project() -> Project:
    """Three images of ten pairs each; the first is begun under the exhaustive strategy."""
    made = project_of(*images(3), settings=ProtocolSettings(strategy=Strategy.EXHAUSTIVE))
    answer(made, "ada", 4)
    return made


def answer(project: Project, name: str, size: int) -> None:
    submit(lease(project, worker(project, name, LINK), LINK, size=size), *["different"] * size)
    tick(project_id=project.id)


def change(project: Project, *, begun_follow: bool, **values: object) -> int:
    settings = replace(current_settings(project.id)[1], **values)  # type: ignore[arg-type]
    return change_settings(project_id=project.id, settings=settings, reason="a try", begun_follow=begun_follow)


def strategies(project: Project) -> list[str]:
    rows = project.images.order_by("position").values_list("id", flat=True)
    return [settings_of_image(project.id, image).strategy.value for image in rows]


def open_links(project: Project, position: int) -> int:
    return Question.objects.filter(image__position=position, task=LINK.value, state="open").count()


def test_begun_images_keep_their_questions_and_the_others_get_the_new_ones(project: Project) -> None:
    change(project, begun_follow=False, strategy=Strategy.GREEDY)
    assert strategies(project) == ["exhaustive", "greedy", "greedy"]
    answer(project, "bob", 7)  # six of the first image, one of the second
    assert (open_links(project, 0), open_links(project, 1)) == (0, 2)  # two chains are compared with the third phrase
    first = Entry.objects.filter(image__position=0, kind="judgment")
    assert set(first.values_list("settings_version", flat=True)) == {1}
    assert set(Entry.objects.filter(image__position=1, kind="judgment").values_list("settings_version", flat=True)) == {
        2
    }
    finish(project)
    assert list(replay(project)) == []
    call_command("replay", project.name)


def test_an_image_is_begun_with_its_first_answer_and_then_follows_what_it_began_under(project: Project) -> None:
    change(project, begun_follow=False, strategy=Strategy.GREEDY)
    answer(project, "bob", 7)
    change(project, begun_follow=False, strategy=Strategy.EXHAUSTIVE_PLUS)
    assert strategies(project) == ["exhaustive", "greedy", "exhaustive plus"]
    finish(project)
    assert list(replay(project)) == []


def test_a_version_that_concerns_no_image_moves_no_begun_image(project: Project) -> None:
    change(project, begun_follow=False, strategy=Strategy.GREEDY)
    change(project, begun_follow=True, spend_cap_cents=500)
    assert strategies(project) == ["exhaustive", "greedy", "greedy"]
    assert current_settings(project.id)[1].spend_cap_cents == 500


def test_a_later_version_for_all_images_takes_the_begun_ones_along(project: Project) -> None:
    change(project, begun_follow=False, strategy=Strategy.GREEDY)
    change(project, begun_follow=True, no_box_votes=3)
    assert strategies(project) == ["greedy"] * 3
    finish(project)
    assert list(replay(project)) == []


def test_the_same_settings_once_more_let_begun_images_follow(project: Project) -> None:
    change(project, begun_follow=False, strategy=Strategy.GREEDY)
    change(project, begun_follow=True)
    assert strategies(project) == ["greedy"] * 3


def test_an_adaptive_version_for_new_images_weighs_no_answers_of_the_old_ones(project: Project) -> None:
    change(project, begun_follow=False, strategy=Strategy.ADAPTIVE, link_stop=0.02)
    answer(project, "bob", 7)
    finish(project)
    assert list(replay(project)) == []


def test_a_preview_of_an_experts_act_uses_the_settings_of_its_image(project: Project) -> None:
    change(project, begun_follow=False, strategy=Strategy.GREEDY)
    image = project.images.get(position=0)
    action = {"action": "link", "first": 0, "second": 1, "same": True}
    assert preview_expert(image_id=image.id, action=action).after.link_rules.startswith("exhaustive ")


def test_a_version_says_from_which_version_on_begun_images_follow(project: Project) -> None:
    change(project, begun_follow=False, strategy=Strategy.GREEDY)
    change(project, begun_follow=True, spend_cap_cents=500)
    change(project, begun_follow=True, no_box_votes=3)
    rows = SettingsVersion.objects.order_by("version").values_list("begun_from", flat=True)
    assert list(rows) == [None, 2, 2, None]


def test_the_fold_asks_nothing_more_of_the_database_while_every_image_follows(
    project: Project, django_assert_num_queries: object
) -> None:
    ids = list(project.images.values_list("id", flat=True))
    with transaction.atomic(), django_assert_num_queries(1):  # type: ignore[operator]
        lock_progress(ids)
    change(project, begun_follow=False, strategy=Strategy.GREEDY)
    with transaction.atomic():
        assert [row.version for row in lock_progress(ids)] == [1, 2, 2]


STRATEGIES = list(Strategy)


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
