"""A version for images without answers alone: begun images stay with theirs, and the record repeats it exactly."""

from dataclasses import replace

import pytest
from django.core.management import call_command
from django.db import transaction

from annotation.models import Project
from pipeline.models import Entry, Question, SettingsVersion
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.append_entries import lock_progress
from pipeline.record.intervene import preview_expert
from pipeline.record.replay import replay
from pipeline.record.versions_of_images import settings_of_image
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.pipeline.record.test_changed_strategy import finish, images
from tests.support.projects import lease, project_of, submit, worker

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
