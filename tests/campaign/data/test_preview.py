"""The preview: words get other types, the sample follows at once, and all images of a draft when that is wanted."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from annotation.models import Caption, Chain, Mention, Project
from annotation.rules.states import ChainState, ProjectState
from campaign.data.runs import begin
from campaign.lifecycle.change_state import change_state
from campaign.models import ImportRun, Upload
from pipeline.models import Entry, Progress, Question, SettingsVersion
from pipeline.project.settings_versions import current_settings
from pipeline.tick import tick
from tests.campaign.data.conftest import make_source

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once")]
PREVIEW = "/projects/ours/data/preview/"


@pytest.fixture
def filled(draft: Project, rita: User) -> Project:
    """Three images: a type from the lists, one that the source gave, and a phrase that is none."""
    folder = make_source(
        Upload.folder_of(draft.pk) / "files", 3, caption="[a zorble] near [/animals a zorble] in [the background]"
    )
    assert (folder / "captions.csv").exists()
    begin(draft, rita, ImportRun.Kind.IMPORT)
    assert draft.images.count() == 3
    return draft


def mend(client: Client, words: str, choice: str) -> Any:
    asked = {"words": words.split(), "type": choice, "page": 0}
    return client.post(f"{PREVIEW}types/", asked, content_type="application/json")


def apply(client: Client) -> ImportRun:
    client.post(f"{PREVIEW}types/")
    return ImportRun.objects.filter(kind="types").latest("id")


def types_of_all() -> list[tuple[str, list[str]]]:
    rows = Mention.objects.order_by("image__position", "start")
    return list(rows.values_list("text", "types"))


def test_the_sample_shows_phrases_with_types_and_what_is_no_phrase(requester: Client, filled: Project) -> None:
    sample = requester.get(f"{PREVIEW}sample/").json()
    first, given, none = [part for part in sample["images"][0]["captions"][0]["parts"] if "words" in part]
    assert (first["text"], first["types"], first["head"]) == ("a zorble", ["other"], [2, 8])
    assert (given["types"], given["head"]) == (["animals"], [0, 0])
    assert (none["text"], none["types"]) == ("the background", [])
    assert sample["differing"] == 0


def test_a_word_that_gets_a_type_is_on_the_projects_lists_and_changes_the_sample(
    requester: Client, filled: Project
) -> None:
    answer = mend(requester, "a zorble", "vehicles").json()
    parts = [part for part in answer["images"][0]["captions"][0]["parts"] if "words" in part]
    assert parts[0]["types"] == ["vehicles"]
    assert parts[1]["types"] == ["animals"], "the source gave this type"
    assert (answer["said"], answer["differing"]) == ("“zorble” is of type vehicles.", 3)
    settings = current_settings(filled.pk)[1]
    assert settings.dictionaries == {"add": {"vehicles": ["zorble"]}, "remove": {}}
    assert "rita" in SettingsVersion.objects.filter(project=filled).latest("version").reason
    assert {tuple(types) for _, types in types_of_all()} == {("other",), ("animals",)}, "images wait for the requester"


def test_a_shipped_word_moves_to_another_list_and_back_without_a_trace(requester: Client, filled: Project) -> None:
    mend(requester, "two dogs", "vehicles")
    assert current_settings(filled.pk)[1].dictionaries == {"add": {"vehicles": ["dog"]}, "remove": {"animals": ["dog"]}}
    mend(requester, "a dog", "animals")
    assert current_settings(filled.pk)[1].dictionaries == {"add": {}, "remove": {}}


def test_applying_the_lists_changes_every_image_in_its_record(requester: Client, filled: Project) -> None:
    mend(requester, "a zorble", "vehicles")
    run = apply(requester)
    assert (run.state, run.done, run.images) == ("done", 3, 3)
    assert types_of_all() == [("a zorble", ["vehicles"]), ("a zorble", ["animals"])] * 3
    acts = Entry.objects.filter(kind="expert")
    assert {(act.actor, act.data["action"]) for act in acts} == {("rita", "retype")}
    call_command("replay", "ours")
    assert apply(requester).images == 0, "nothing is changed twice"


def test_a_phrase_that_is_none_is_taken_out_and_comes_back(requester: Client, filled: Project) -> None:
    mend(requester, "a zorble", "non visual")
    apply(requester)
    assert types_of_all() == [("a zorble", ["animals"])] * 3
    assert Caption.objects.filter(non_visual=[[0, 2], [6, 8]]).count() == 3
    mend(requester, "the background", "scene")
    mend(requester, "a zorble", "vehicles")
    apply(requester)
    assert types_of_all()[:3] == [("a zorble", ["vehicles"]), ("a zorble", ["animals"]), ("the background", ["scene"])]
    call_command("replay", "ours")


@pytest.mark.both_engines
def test_new_phrases_of_a_draft_are_linked_like_all_others_once_it_starts(requester: Client, filled: Project) -> None:
    mend(requester, "the background", "animals")
    apply(requester)
    assert not Question.objects.exists()
    change_state(filled.pk, ProjectState.RUNNING, None)
    tick(project_id=filled.pk)
    assert not Chain.objects.filter(state=ChainState.REVIEW.value).exists()
    chains = Mention.objects.filter(text="the background").values_list("chain", flat=True)
    assert len(chains) == 3 and None not in chains
    call_command("replay", "ours")


def test_images_of_a_draft_are_not_begun_before_it_is_started(filled: Project) -> None:
    tick(project_id=filled.pk)
    assert set(Progress.objects.values_list("due", flat=True)) == {"links"}


def test_a_word_that_decides_nothing_is_refused_in_words(requester: Client, filled: Project) -> None:
    answer = mend(requester, "red and black", "animals")
    assert answer.status_code == 400
    assert "No word of “red and black” can be listed" in answer.json()["error"]
    assert mend(requester, "a zorble", "planets").status_code == 400
    broken = requester.post(f"{PREVIEW}types/", "{", content_type="application/json")
    assert broken.status_code == 400


def test_word_lists_of_a_running_project_are_not_changed_here(requester: Client, filled: Project) -> None:
    change_state(filled.pk, ProjectState.RUNNING, None)
    assert mend(requester, "a zorble", "vehicles").status_code == 409
    page = requester.post(f"{PREVIEW}types/", follow=True).text
    assert "Workers have begun" in page
    assert not ImportRun.objects.filter(kind="types").exists()


def test_another_dozen_shows_other_images(requester: Client, draft: Project, rita: User) -> None:
    make_source(Upload.folder_of(draft.pk) / "files", 30)
    begin(draft, rita, ImportRun.Kind.IMPORT)
    names = [
        {one["name"] for one in requester.get(f"{PREVIEW}sample/?page={page}").json()["images"]} for page in (0, 1)
    ]
    assert [len(some) for some in names] == [12, 12]
    assert not names[0] & names[1]
