"""Explore: what a search finds and shows, and how many statements it takes.
Exports of what a search found: exactly these images, in every format, once for each selection.
Ctrl-K finds a requester's projects, their pages and settings, and the documentation; nothing that is not theirs.
"""

import io
import json
import re
from datetime import timedelta
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Role
from annotation.models import Box, Chain, Image, Mention, Project
from annotation.storage import store
from exchange.jsonl.write import pseudonym
from exchange.models import Selection
from exchange.publish_export import forget_exports
from pipeline.models import Assignment, Judgment, Question
from runtime import clock
from tests.support.kept import Kept, kept_rows
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of
from tests.support.projects import worker as make_worker
from tests.support.rows import make_judgment, make_project

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def scenes(number: int = 1) -> Project:
    """Make images of a dog and a man, of a hotdog, and of two dogs, so many times each."""
    images = []
    for at in range(number):
        images += [
            phrases("animals: a dog", "people: a man", name=f"dog {at}"),
            phrases("other: a hotdog", "people: a man", name=f"hotdog {at}"),
            phrases("animals: two dogs", "animals: the dogs", "clothing: a hat", name=f"dogs {at}"),
        ]
    project = project_of(*images)
    for image in project.images.all():
        Chain.objects.filter(image=image).delete()
        for mention in image.mentions.all():
            chain = 0 if "dogs" in mention.text else mention.number
            Mention.objects.filter(pk=mention.pk).update(chain=chain)
            Chain.objects.get_or_create(image=image, name=chain, state="complete", representative=chain)
        Box.objects.create(image=image, number=0, chain=0, x0=10, y0=10, x1=60, y1=60, state="accepted")
        Box.objects.create(
            image=image, number=1, chain=1 if image.mentions.count() == 2 else 2, x0=70, y0=10, x1=90, y1=60
        )
    return project


def search(client: Client, project: Project, **asked: Any) -> Any:
    response = client.get(f"/projects/{project.name}/explore/", asked)
    assert response.status_code == 200
    return response


def names(response: Any) -> list[str]:
    return [card.image.name for card in response.context["cards"]]


kept = kept_rows(scenes)


@pytest.fixture
def project(kept: Kept, db: None, client: Client) -> Project:
    kept.write()
    made = Project.objects.get()
    sign_in(client, made, Role.REQUESTER)
    return made


def test_a_search_for_dog_finds_the_dogs_and_not_the_hotdog(client: Client, project: Project) -> None:
    page = search(client, project, words="dog")
    assert names(page) == ["dog 0", "dogs 0"]
    assert (page.context["images"], page.context["chains"]) == ("2 images", "2 chains")


def test_only_the_found_chain_s_phrases_and_boxes_are_drawn(client: Client, project: Project) -> None:
    first, second = search(client, project, words="dog").context["cards"]
    assert [(box.x, box.chains) for box in first.boxes] == [(10, [1])]
    said = [[piece.text for piece in caption if piece.chain] for caption in second.captions]
    assert said == [["two dogs"], ["the dogs"]]
    everything = search(client, project).context["cards"][0]
    assert [(box.x, box.pending) for box in everything.boxes] == [(10, False), (70, True)]


def test_what_is_chosen_must_be_true_of_one_chain(client: Client, project: Project) -> None:
    assert names(search(client, project, words="dog", type="people")) == []
    assert names(search(client, project, words="man", type="people")) == ["dog 0", "hotdog 0"]
    assert names(search(client, project, words="dog", boxes="1")) == ["dog 0", "dogs 0"]
    assert names(search(client, project, words="man", boxes="1")) == []
    assert names(search(client, project, words="man", boxes="0")) == ["dog 0", "hotdog 0"]
    Chain.objects.filter(image__name="dogs 0", name=0).update(state="drawing")
    assert names(search(client, project, words="dog", chain="drawing")) == ["dogs 0"]
    assert names(search(client, project, type="clothing")) == ["dogs 0"]


def test_captions_and_names_of_images_are_searched_if_asked(client: Client, project: Project) -> None:
    assert names(search(client, project, words="hat", where="captions")) == ["dogs 0"]
    assert names(search(client, project, words="hotd", where="names")) == ["hotdog 0"]
    assert names(search(client, project, words="hotd", where="captions")) == []


def test_the_state_of_the_image_is_a_choice(client: Client, project: Project) -> None:
    Image.objects.filter(name="dogs 0").update(state="in review")
    assert names(search(client, project, image="in review", words="dog")) == ["dogs 0"]


def test_a_worker_is_found_by_name_and_by_pseudonym(client: Client, project: Project) -> None:
    ada = make_worker(project, "ada")
    make_judgment(Image.objects.get(name="hotdog 0"), ada)
    for name in ("ada", pseudonym(project.pk, ada.pk)):
        assert names(search(client, project, worker=name)) == ["hotdog 0"]
    nobody = search(client, project, worker="ad")
    assert names(nobody) == [] and "Nobody called" in nobody.text


DISAGREEMENTS: list[tuple[str, str, Any, bool]] = [
    ("box_quality", "good", "bad", True), ("box_quality", "good", "good", False),
    ("coreference_link", "same", "different", True), ("box_requirement", "box required", 2, True),
    ("box_requirement", "box required", 1, False), ("box_requirement", "no box required", 3, False),
    ("box_requirement", "no box required", 1, True), ("box_drawing", "box", {"none_missing": True}, False),
]  # fmt: skip
"""A task, the outcome of its question, the answer of a worker, and whether he disagrees."""


def test_disagreement_is_a_judgment_that_is_not_the_outcome(client: Client, project: Project) -> None:
    ada = make_worker(project, "ada")
    for number, (task, outcome, answer, differs) in enumerate(DISAGREEMENTS):
        old, who = make_judgment(Image.objects.get(name="dog 0"), ada), make_worker(project, f"bob {number}")
        Question.objects.filter(judgments=old).update(task=task, outcome=outcome)
        Assignment.objects.filter(pk=old.assignment_id).update(worker=who)
        kept = {"question": old.question, "assignment": old.assignment, "created_at": old.created_at}
        Judgment.objects.create(worker=who, answer=answer, **kept)
        found = names(search(client, project, worker=who.name, disagree="1"))
        assert found == (["dog 0"] if differs else []), (task, outcome, answer)


def test_a_viewer_cannot_search_by_who_answered(client: Client) -> None:
    project = scenes()
    make_judgment(Image.objects.get(name="dog 0"), make_worker(project, "ada"))
    sign_in(client, project, Role.VIEWER)
    page = search(client, project, worker="ada")
    assert len(names(page)) == 3 and "Worker <input" not in page.text and "ledger" not in page.text


@pytest.mark.slow
def test_pages_lead_on_and_back_without_leaving_out_an_image(client: Client) -> None:
    project = scenes(20)
    sign_in(client, project, Role.VIEWER)
    first = search(client, project, words="dog")
    on = re.search(r'rel="next" href="\?([^"]+)"', first.text)
    assert on and "Previous" not in first.text
    second = client.get(f"/projects/{project.name}/explore/?{on[1].replace('&amp;', '&')}")
    assert len(names(first)) == 24 and len(names(second)) == 16 and len({*names(first), *names(second)}) == 40
    back = re.search(r'rel="prev" href="\?([^"]+)"', second.text)
    assert back and 'rel="next"' not in second.text
    assert names(client.get(f"/projects/{project.name}/explore/?{back[1].replace('&amp;', '&')}")) == names(first)


def test_the_number_of_statements_is_at_most_twenty_and_does_not_grow(client: Client, project: Project) -> None:
    few = statements(client, project)
    Project.objects.update(name="smaller")
    assert statements(client, scenes(4)) == few and max(few) <= 20


def statements(client: Client, project: Project) -> list[int]:
    """Count the statements of three searches that find images on each of which somebody has worked."""
    ada, counts = make_worker(project, "ada"), []
    for image in project.images.all():
        make_judgment(image, ada)
    sign_in(client, project, Role.REQUESTER, f"reader {project.pk}")
    for asked in ({"words": "dog"}, {"words": "dog", "boxes": "1", "worker": "ada"}, {}):
        with CaptureQueriesContext(connection) as captured:
            assert names(search(client, project, **asked))
        counts.append(len(captured))
    return counts


def test_a_stranger_s_address_is_no_error(client: Client, project: Project) -> None:
    odd = {"words": "dog'%s\\", "type": "x", "boxes": "-1", "after": "9" * 30, "before": "²", "image": "x"}
    assert client.get(f"/projects/{project.name}/explore/", odd).status_code == 200


@pytest.fixture
def plain(project: Project, settings: Any, tmp_path: Any) -> Project:
    """The images without what the record, which JSON Lines hold, knows nothing of."""
    settings.MEDIA_ROOT = tmp_path
    Box.objects.all().delete()
    Chain.objects.all().delete()
    Mention.objects.update(chain=None)
    return project


def take(client: Client, project: Project, **asked: str) -> ZipFile:
    response = client.post(f"/projects/{project.name}/explore/export/", asked, follow=True)
    assert response.status_code == 200, response.text
    return ZipFile(io.BytesIO(b"".join(response)))  # type: ignore[arg-type]


def images_in(packed: ZipFile) -> list[str]:
    (name,) = (one for one in packed.namelist() if ".card/" not in one)
    return [line["name"] for line in map(json.loads, packed.read(name).splitlines()) if line["kind"] == "image"]


def test_exactly_the_found_images_are_exported(client: Client, plain: Project) -> None:
    assert images_in(take(client, plain, format="jsonl", words="dog", unfinished="1")) == ["dog 0", "dogs 0"]
    assert images_in(take(client, plain, format="jsonl", words="hotdog", unfinished="1")) == ["hotdog 0"]


def test_unfinished_images_are_left_out_unless_they_are_wanted(client: Client, plain: Project) -> None:
    Image.objects.filter(name="dogs 0").update(state="merged")
    assert images_in(take(client, plain, format="jsonl", words="dog")) == ["dogs 0"]
    page = client.post(f"/projects/{plain.name}/explore/export/", {"format": "coco", "words": "hotdog"}, follow=True)
    assert "Nothing to export" in page.text


@pytest.mark.parametrize("wanted", ["coco", "flickr30k-entities"])
def test_the_other_formats_hold_the_same_images(client: Client, plain: Project, wanted: str) -> None:
    packed = take(client, plain, format=wanted, words="dog", unfinished="1")
    text = b"".join(packed.read(name) for name in packed.namelist()).decode()
    said = " ".join(packed.namelist()) + text
    assert "dogs 0" in said and "hotdog 0" not in said


def test_the_same_search_is_packed_once_and_another_one_again(client: Client, plain: Project) -> None:
    for words in ("dog", "dog", "hotdog"):
        take(client, plain, format="coco", words=words, unfinished="1")
    assert Selection.objects.count() == 2 and len(store().listdir(f"exports/project.{plain.pk}")[1]) == 2


def test_a_selection_of_another_project_is_not_found(client: Client, plain: Project) -> None:
    other = Project.objects.create(name="other")
    row = Selection.objects.create(project=other, digest="0" * 16, images=[], include_unmerged=True)
    assert client.get(f"/projects/{plain.name}/export/coco/?selection={row.digest}").status_code == 404


def test_a_viewer_gets_no_judgments_this_way(client: Client, plain: Project) -> None:
    viewer = Client()
    sign_in(viewer, plain, Role.VIEWER, "viewer")
    asked = {"format": "jsonl", "unfinished": "1"}
    assert viewer.post(f"/projects/{plain.name}/explore/export/", asked).status_code == 403


def test_selections_are_forgotten_with_their_archives(client: Client, plain: Project) -> None:
    take(client, plain, format="coco", words="dog", unfinished="1")
    forget_exports(clock.now() + timedelta(days=6))
    assert Selection.objects.exists()
    forget_exports(clock.now() + timedelta(days=8))
    assert not Selection.objects.exists()


@pytest.fixture
def dogs() -> Project:
    make_project("cats")
    return make_project("dogs")


def found(client: Client, words: str) -> list[str]:
    page = client.get("/find/", {"q": words, "project": "dogs"}).content.decode()
    return re.findall(r'href="([^"]+)"', page)


def test_finds_projects_pages_settings_and_help(client: Client, dogs: Project) -> None:
    client.force_login(User.objects.create_superuser("ada"))
    assert reverse("gallery:project", args=["cats"]) in found(client, "cats")
    assert any(address.endswith("/dogs/dashboard/") for address in found(client, "dashboard"))
    assert any("/settings/#s-" in address for address in found(client, "test questions"))
    assert any(address.startswith("/help/how-to/") for address in found(client, "review"))


def test_without_words_lists_the_pages_of_the_project(client: Client, dogs: Project) -> None:
    client.force_login(User.objects.create_superuser("ada"))
    assert any(address.endswith("/dogs/dashboard/") for address in found(client, ""))


def test_shows_a_reviewer_only_their_project_and_their_pages(client: Client, dogs: Project) -> None:
    sign_in(client, dogs, Role.REVIEWER)
    addresses = found(client, "")
    assert not any("cats" in address or "settings" in address for address in addresses)
    assert any("dogs" in address for address in addresses)
