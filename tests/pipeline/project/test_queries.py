import pytest

from pipeline.project.queries import link_sources, stream_progress
from pipeline.rules.tasks.task import Task
from tests.support.projects import answer, phrases, project_of, worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def test_progress_comes_in_import_order() -> None:
    project = project_of(*(phrases("animals: a dog", name=name) for name in ("c", "a", "b")))
    order = list(project.images.order_by("position").values_list("id", flat=True))
    assert [image for image, _ in stream_progress(project)] == order


def test_sources_of_links_are_those_of_finished_images() -> None:
    project = project_of(phrases("animals: a dog", "animals: a cat", "scene: a park"))
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "different")
    assert link_sources(project) == {}
    for name in ("ada", "bob"):
        answer(project, worker(project, name), Task.BOX_REQUIREMENT, 3, 3, 3)
    assert link_sources(project) == {"asked no": 1, "ruled out by type": 2}
