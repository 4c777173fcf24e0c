"""The queue shows what waits, and finds it by reason, type, worker and disagreement."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Project
from campaign.review.queue import Filters, waiting_chains, waiting_places
from members.models import Role
from pipeline.record.intervene import act_as_expert, report_problem
from pipeline.rules.tasks.task import Task
from tests.support.links_with_votes import links_with_votes
from tests.support.members import sign_in
from tests.support.projects import answer, phrases, project_of, worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(client: Client) -> Project:
    """A dog about whose box ada and bob disagree, and a park that an expert reports."""
    made = project_of(phrases("animals: a dog"), phrases("scene: a park", name="2"))
    for name, said in (("ada", 3), ("bob", 1)):
        answer(made, worker(made, name, Task.BOX_REQUIREMENT), Task.BOX_REQUIREMENT, said)
    dog, park = made.images.order_by("position")
    act_as_expert(image_id=dog.id, action={"action": "review", "chain": 0}, actor="eve")
    report_problem(image_id=park.id, what="mention", number=0, worker_id=None, actor="eve", expert=True)
    sign_in(client, made, Role.REVIEWER, "eve")
    return made


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, {"a dog", "a park"}),
        ({"reason": "mention reported as wrong"}, {"a park"}),
        ({"type": "animals"}, {"a dog"}),
        ({"type": "dragons"}, {"a dog", "a park"}),
        ({"worker": "ada"}, {"a dog"}),
        ({"worker": "nobody"}, set()),
        ({"disputed": "yes"}, {"a dog"}),
        ({"disputed": "yes", "type": "scene"}, set()),
    ],
)
def test_chains_are_found_by_each_filter(
    client: Client, project: Project, query: dict[str, str], found: set[str]
) -> None:
    page = client.get(reverse("campaign:review", args=[project.name]), query).text
    assert {phrase for phrase in ("a dog", "a park") if f"<b>{phrase}</b>" in page} == found


def test_the_filters_stay_on_the_way_through_the_queue(client: Client, project: Project) -> None:
    page = client.get(reverse("campaign:review", args=[project.name]), {"type": "animals"}).text
    dog = project.images.get(position=0)
    assert f"{reverse('campaign:bench', args=[project.name, dog.id])}?chain=0&amp;type=animals" in page
    data = reverse("campaign:bench_data", args=[project.name, dog.id])
    assert client.get(data, {"type": "animals"}).json()["next"] is None
    assert "chain=0" in client.get(data).json()["next"]


def test_the_reason_that_an_expert_typed_is_read_in_the_queue_and_on_the_page_of_the_image(
    client: Client, project: Project
) -> None:
    dog = project.images.get(position=0)
    for reason in ("", "is a wolf"):
        act_as_expert(image_id=dog.id, action={"action": "send", "chain": 0, "to": "requirement"}, actor="eve")
        act_as_expert(image_id=dog.id, action={"action": "review", "chain": 0}, actor="eve", reason=reason)
    assert "changed by an expert: “is a wolf”" in client.get(reverse("campaign:review", args=[project.name])).text
    page = client.get(reverse("gallery:image", args=[project.name, dog.id])).text
    assert "waits for an expert: changed by an expert, “is a wolf”" in page


@pytest.mark.both_engines
def test_a_link_is_in_dispute_where_answers_differ_for_chains_for_which_a_part_is_another_thing() -> None:
    votes = [("different", "a is part of b"), ("a is part of b", "b is part of a"), ("b is part of a", "same")]
    project = links_with_votes(votes)
    for image in project.images.all():
        act_as_expert(image_id=image.id, action={"action": "review", "chain": 0}, actor="eve")
    lines = waiting_chains(waiting_places(project, Filters()))
    assert [(one.image_name, one.disputes) for one in lines] == [("0", 0), ("1", 0), ("2", 1)]
    assert waiting_places(project, Filters(disputed=True)) == [lines[2].place]
