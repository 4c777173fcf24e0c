"""The admin of what is annotated: nothing is changed there, and lists can be searched and narrowed."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Caption, Image, Project
from tests.support.rows import make_image, make_project, make_story

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


def names(client: Client, model: str, **query: str) -> list[str]:
    """Return the rows of the list, narrowed by the query."""
    rows = client.get(reverse(f"admin:annotation_{model}_changelist"), query).context["cl"].result_list
    return [str(row) for row in rows]


def test_a_project_is_not_added_here(project: Project, admin_client: Client) -> None:
    assert admin_client.post(reverse("admin:annotation_project_add"), {"name": "new"}).status_code == 403
    assert list(Project.objects.all()) == [project]


def test_the_list_of_projects_counts_their_images(project: Project, admin_client: Client) -> None:
    make_project("empty")
    for _ in range(3):
        make_image(project)
    rows = admin_client.get(reverse("admin:annotation_project_changelist")).context["cl"].result_list
    assert {row.name: row.images_in_it for row in rows} == {"empty": 0, "parks": 3}


def test_images_are_found_by_name_state_and_missing_picture(project: Project, admin_client: Client) -> None:
    make_image(project, name="market", state="merged", picture="pictures/market.jpg")
    make_image(project, name="beach", state="linking")
    assert names(admin_client, "image", q="mark") == ["market"]
    assert names(admin_client, "image", state__exact="linking") == ["beach"]
    assert names(admin_client, "image", picture__isempty="1") == ["beach"]
    assert names(admin_client, "image", picture__isempty="0") == ["market"]


def test_captions_are_found_by_their_words(project: Project, admin_client: Client) -> None:
    make_image(project)
    other = make_image(project).captions.get()
    other.text = "A dog sleeps ."
    other.save()
    assert names(admin_client, "caption", q="dog") == ["A dog sleeps ."]


def test_a_list_shows_fifty_rows_a_page(project: Project, admin_client: Client) -> None:
    for _ in range(51):
        make_image(project)
    assert len(names(admin_client, "image")) == 50
    assert len(names(admin_client, "image", p="2")) == 1


def test_a_narrowed_list_of_a_large_table_does_not_count_the_whole_table(
    project: Project, admin_client: Client
) -> None:
    make_image(project)
    shown = admin_client.get(reverse("admin:annotation_chain_changelist"), {"q": "nothing"}).context["cl"]
    assert shown.full_result_count is None


def test_the_page_of_an_image_without_boxes_or_captions_opens(project: Project, admin_client: Client) -> None:
    image = Image.objects.create(project=project, name="bare", position=0, width=1, height=3000)
    page = admin_client.get(reverse("admin:annotation_image_change", args=[image.pk]))
    assert page.status_code == 200
    assert 'viewBox="0 0 1 3000"' in page.text


def test_text_of_a_caption_is_shown_as_text(project: Project, admin_client: Client) -> None:
    image = make_story(project)
    Caption.objects.filter(image=image).update(text="<img src=x onerror=alert(1)>")
    assert "<img src=x" not in admin_client.get(reverse("admin:annotation_caption_changelist")).text
