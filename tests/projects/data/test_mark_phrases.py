"""Phrases that are mended before the work begins: moved, joined, added, removed, everywhere, counted and undone."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from annotation.models import Chain, Image, Mention, Project
from annotation.rules.states import ChainState, ProjectState
from pipeline.models import Entry
from pipeline.tick import tick
from projects.data import phrase_operations
from projects.lifecycle.change_state import change_state
from projects.models import Upload
from tests.projects.data.conftest import make_source
from tests.support.runs import import_begun

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]
API = "/api/v1/requester/projects/ours/"
WORDS = "[a man] in [red] with [/animals a zorble] in [the background]"


@pytest.fixture
def filled(draft: Project, rita: User) -> Project:
    """Three images with one caption each, whose phrases are: a man, red, a zorble of a type that the source gave."""
    make_source(Upload.folder_of(draft.pk) / "files", 3, caption=WORDS)
    import_begun(draft, rita)
    assert phrases() == [["a man", "red", "a zorble"]] * 3
    return draft


def phrases() -> list[list[str]]:
    """Return the phrases of each image."""
    images = Image.objects.order_by("position")
    return [list(image.mentions.order_by("start").values_list("text", flat=True)) for image in images]


def mark(client: Client, start: int, end: int, *, image: int = 0, **more: bool) -> dict[str, Any]:
    number = Image.objects.get(position=image).pk
    asked = {"caption": 0, "start": start, "end": end, **more}
    answer = client.post(f"{API}phrases/{number}/", asked, content_type="application/json")
    return {"status": answer.status_code, **answer.json()}


def undo(client: Client) -> dict[str, Any]:
    return dict(client.post(f"{API}phrases/undo/", {}, content_type="application/json").json())


def test_a_boundary_is_moved_in_one_image(requester: Client, filled: Project) -> None:
    assert mark(requester, 1, 2)["sentence"] == "“a man” → “man”: 1 caption."
    assert phrases() == [["man", "red", "a zorble"], *[["a man", "red", "a zorble"]] * 2]
    call_command("replay", "ours")


def test_phrases_are_joined_in_every_caption_with_these_words(requester: Client, filled: Project) -> None:
    answer = mark(requester, 0, 4, everywhere=True)
    assert answer["sentence"] == "“a man” + “red” → “a man in red”: 3 captions." and answer["left"] == 0
    assert phrases() == [["a man in red", "a zorble"]] * 3
    joined = Mention.objects.filter(text="a man in red")
    assert all(row.types == ["people"] for row in joined), "the lists do not know the last word"
    acts = Entry.objects.filter(kind="expert")
    assert {(act.actor, act.data["action"]) for act in acts} == {("rita", "rechunk")} and len(acts) == 3
    call_command("replay", "ours")


def test_other_captions_change_only_where_their_phrases_are_the_same(requester: Client, filled: Project) -> None:
    mark(requester, 3, 4, remove=True)
    assert mark(requester, 0, 4, everywhere=True, image=1)["captions"] == 2
    assert phrases() == [["a man", "a zorble"], *[["a man in red", "a zorble"]] * 2]


def test_a_phrase_is_added_and_removed(requester: Client, filled: Project) -> None:
    mark(requester, 3, 4, remove=True)
    assert phrases()[0] == ["a man", "a zorble"]
    assert mark(requester, 2, 4)["sentence"] == "no phrase → “in red”: 1 caption."
    assert phrases()[0] == ["a man", "in red", "a zorble"]


def test_a_type_of_the_source_stays_when_the_boundary_moves(requester: Client, filled: Project) -> None:
    mark(requester, 6, 7)
    assert Mention.objects.get(text="zorble").types == ["animals"]


def test_a_phrase_covers_words_that_are_none_and_an_undo_brings_these_back(requester: Client, filled: Project) -> None:
    def texts() -> list[str]:
        parts = requester.get(f"{API}phrase-types/sample/").json()["images"][0]["captions"][0]["parts"]
        return [part["text"] for part in parts if part["phrase"]]

    mark(requester, 5, 10)
    assert texts() == ["a man", "red", "a zorble in the background"]
    undo(requester)
    assert texts() == ["a man", "red", "a zorble", "the background"]


def test_words_on_the_list_of_what_is_no_phrase_need_a_type_first(requester: Client, filled: Project) -> None:
    answer = mark(requester, 8, 10)
    assert answer["status"] == 400 and "“the background” is on the list of words" in answer["message"]


def test_each_undo_takes_the_newest_change_back_in_all_of_its_images(requester: Client, filled: Project) -> None:
    before = phrases()
    mark(requester, 1, 2)
    mark(requester, 5, 7, everywhere=True, remove=True)
    sample = requester.get(f"{API}phrase-types/sample/").json()
    assert sample["undo"] == "“a zorble” → no phrase everywhere (3 images)"
    assert undo(requester)["captions"] == 3 and phrases()[0] == ["man", "red", "a zorble"]
    assert undo(requester)["captions"] == 1 and phrases() == before
    assert undo(requester)["message"] == "There is no change of phrases to undo."
    mark(requester, 3, 4, remove=True)
    assert requester.get(f"{API}phrase-types/sample/").json()["undo"] == "“red” → no phrase (1 image)"
    call_command("replay", "ours")


def test_many_images_are_changed_in_several_calls_and_undone_as_one(
    requester: Client, filled: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phrase_operations, "IMAGES_AT_ONCE", 2)
    before = phrases()
    assert [mark(requester, 0, 4, everywhere=True)["left"] for _ in range(2)] == [1, 0]
    assert phrases() == [["a man in red", "a zorble"]] * 3
    assert [undo(requester)["left"] for _ in range(2)] == [1, 0] and phrases() == before


def test_mended_phrases_are_linked_once_the_project_starts_and_stay_as_they_are(
    requester: Client, filled: Project
) -> None:
    mark(requester, 0, 4, everywhere=True)
    change_state(filled.pk, ProjectState.RUNNING, None)
    tick(project_id=filled.pk)
    assert not Chain.objects.filter(state=ChainState.REVIEW.value).exists()
    assert Mention.objects.filter(text="a man in red", chain=None).count() == 0
    assert "The work on this image has begun" in mark(requester, 1, 2)["message"]
    assert "no change of phrases" in undo(requester)["message"]
    call_command("replay", "ours")
