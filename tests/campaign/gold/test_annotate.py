"""A reviewer annotates sampled images, and known questions of all six tasks come out."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Gold, Project
from annotation.rules.states import ProjectState
from campaign.gold.make_questions import make_questions
from campaign.models import GoldAnnotation, GoldImage
from members.models import Role
from pipeline.models import Entry, Judgment, KnownQuestion, LedgerEntry
from pipeline.record.intervene import act_as_expert
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from pipeline.stock.known_questions import Purpose
from tests.campaign.gold.conftest import FAR, RIGHT_SHEET, address, draw, otherwise, send
from tests.support.members import sign_in
from workers.grant_access import worker_for

MAN = {"mentions": [0, 1], "non_visual": "", "boxes": [FAR]}


def tasks_of(**filters: object) -> set[str]:
    return set(KnownQuestion.objects.filter(retired_at=None, **filters).values_list("task", flat=True))


@pytest.mark.slow
def test_one_annotated_image_gives_questions_of_all_six_tasks(rita: Client, draft: Project) -> None:
    (row,) = draw(rita)
    reply = send(rita, row)
    assert reply.status_code == 200 and reply.json()["finished"]
    assert tasks_of() == {task.value for task in PROTOCOL_TASKS}
    assert set(KnownQuestion.objects.values_list("source", "added_by")) == {("gold", "rita")}
    assert Gold.objects.get().complete
    page = rita.get("/projects/small/gold/").text
    assert "settled" in page and "Coreference link" in page


def test_annotating_is_no_judgment_and_nothing_of_the_record(rita: Client, draft: Project) -> None:
    before = list(Entry.objects.values_list("image", "sequence", "kind"))
    (row,) = draw(rita)
    send(rita, row)
    assert list(Entry.objects.values_list("image", "sequence", "kind")) == before
    assert not Judgment.objects.exists() and not LedgerEntry.objects.exists()


def test_what_is_not_finished_is_kept_and_counts_for_nothing(rita: Client, draft: Project) -> None:
    (row,) = draw(rita)
    begun = [{"mentions": [0, 1], "non_visual": "", "boxes": [FAR]}, *({"mentions": [n]} for n in range(2, 7))]
    assert send(rita, row, begun, finish=False).json()["finished"] is False
    assert rita.get(address(row)).json()["chains"][0]["boxes"] == [FAR]
    assert not KnownQuestion.objects.exists()
    refused = send(rita, row, begun)
    assert refused.status_code == 400 and "5 of 6 chains have neither" in refused.json()["problem"]
    assert not Gold.objects.exists() and "begun" in rita.get("/projects/small/gold/").text


def test_looking_at_an_image_begins_nothing(rita: Client, ada: Client, draft: Project) -> None:
    (row,) = draw(rita)
    read = ada.get(address(row)).json()
    assert [one["mentions"] for one in read["chains"]] == [[n] for n in range(7)] and read["revision"] == 0
    assert not GoldAnnotation.objects.exists()


def test_two_windows_do_not_overwrite_each_other(rita: Client, draft: Project) -> None:
    (row,) = draw(rita)
    send(rita, row, finish=False)
    stale = {"chains": RIGHT_SHEET, "revision": 0, "finish": True}
    refused = rita.post(address(row), stale, content_type="application/json")
    assert refused.status_code == 409 and "another window" in refused.json()["problem"]


@pytest.mark.parametrize("body", ["{", "[]", '{"chains": 1, "revision": 0}', '{"chains": [], "revision": 0}'])
def test_a_sheet_of_another_shape_is_refused_in_words(rita: Client, draft: Project, body: str) -> None:
    (row,) = draw(rita)
    refused = rita.post(address(row), body, content_type="application/json")
    assert refused.status_code == 400 and refused.json()["problem"]


def test_an_image_for_one_person_is_not_annotated_by_another(rita: Client, ada: Client, draft: Project) -> None:
    (row,) = draw(rita)
    send(ada, row, finish=False)
    refused = rita.get(address(row))
    assert refused.status_code == 400 and "annotated by ada" in refused.json()["problem"]


@pytest.mark.slow
def test_in_a_draft_a_corrected_image_gives_its_questions_anew(rita: Client, draft: Project) -> None:
    (row,) = draw(rita)
    send(rita, row)
    send(rita, row, otherwise(MAN))
    rows = KnownQuestion.objects.filter(task=Task.BOX_DRAWING.value)
    missing = [one.truth for one in rows if one.shown["mentions"][0][0] in (0, 1) and one.truth]
    assert missing == [[FAR]]


@pytest.mark.slow
def test_after_the_start_wrong_questions_are_retired_and_the_others_stay(rita: Client, draft: Project) -> None:
    (row,) = draw(rita)
    send(rita, row)
    Project.objects.update(state=ProjectState.RUNNING.value)
    before = set(KnownQuestion.objects.values_list("id", flat=True))
    send(rita, row, otherwise(MAN))
    assert before <= set(KnownQuestion.objects.values_list("id", flat=True))
    for one in KnownQuestion.objects.filter(id__in=before):
        of_the_man = {place[0] for place in one.shown["mentions"]} & {0, 1}
        assert (one.retired_at is not None) == bool(of_the_man), one.shown


def test_who_annotated_an_image_is_never_asked_its_questions_as_a_worker(rita: Client, draft: Project) -> None:
    worker = worker_for(User.objects.get(username="rita"))
    (row,) = draw(rita)
    send(rita, row)
    assert KnownQuestion.objects.exists()
    assert all(one.not_for == [worker.pk] for one in KnownQuestion.objects.all())


@pytest.mark.slow
def test_a_question_that_was_retired_by_hand_does_not_come_back(rita: Client, draft: Project) -> None:
    first, second = draw(rita, 2)
    send(rita, first)
    retired = KnownQuestion.objects.filter(purpose=Purpose.VERIFICATION)[0]
    KnownQuestion.objects.filter(pk=retired.pk).update(retired_at=retired.created_at)
    send(rita, second)
    make_questions(draft)
    assert KnownQuestion.objects.get(key=retired.key, task=retired.task).retired_at is not None


def test_the_sheet_follows_phrases_that_an_expert_changed(rita: Client, draft: Project) -> None:
    (row,) = draw(rita)
    send(rita, row, finish=False)
    add = [[7, 0, 0, 1, ["people"], "a"]]
    act_as_expert(image_id=row.image_id, action={"action": "rechunk", "remove": [0], "add": add}, actor="rita")
    assert [one["mentions"] for one in rita.get(address(row)).json()["chains"]] == [[7], [1], [2, 3], [4], [5], [6]]


def test_images_are_drawn_once_and_only_those_that_can_be_annotated(rita: Client, draft: Project) -> None:
    draft.images.filter(name="0").update(picture="")
    Gold.objects.create(image=draft.images.get(name="1"), chains=[])
    assert {row.image.name for row in draw(rita, 99)} == {"2", "3", "4", "5", "6", "7"}
    page = rita.post("/projects/small/gold/", {"count": 5, "annotators": 1}, follow=True).text
    assert "No image is left to annotate" in page
    for count in ("0", "101", "x", ""):
        answer = rita.post("/projects/small/gold/", {"count": count}, follow=True)
        assert "Draw 1 to 100 images" in answer.text


@pytest.mark.both_engines
def test_an_image_is_left_out_until_questions_were_made_of_it(rita: Client, ada: Client, draft: Project) -> None:
    first, second = draw(rita, 2)
    send(rita, first)
    for row, words in ((first, "it stays"), (second, "no longer in the sample")):
        path = f"/projects/small/gold/{row.image_id}/remove/"
        assert ada.post(path).status_code == 403
        assert words in rita.post(path, follow=True).text
    assert list(GoldImage.objects.all()) == [first]


def test_the_next_image_is_one_that_waits_for_this_person(rita: Client, ada: Client, draft: Project) -> None:
    first, second, third = draw(rita, 3)
    send(ada, second, finish=False)
    assert rita.get(address(first)).json()["next"] == f"/projects/small/gold/{third.image_id}/"
    assert ada.get(address(first)).json()["next"] == f"/projects/small/gold/{second.image_id}/"
    send(rita, third)
    assert rita.get(address(first)).json()["next"] is None


@pytest.mark.slow
def test_right_answers_that_came_with_the_data_give_questions_at_once(client: Client, drawn: Project) -> None:
    sign_in(client, drawn, Role.REQUESTER, "rita")
    assert "Make questions of them" in client.get("/projects/drawn/gold/").text
    page = client.post("/projects/drawn/gold/", {"imported": "yes"}, follow=True).text
    assert "Known questions were added: coreference link" in page
    assert tasks_of(source="gold") == {task.value for task in PROTOCOL_TASKS}
    again = client.post("/projects/drawn/gold/", {"imported": "yes"}, follow=True).text
    assert "give no more questions" in again


@pytest.mark.slow
def test_the_page_takes_the_same_statements_for_any_number_of_images(rita: Client, draft: Project) -> None:
    counts = []
    for more in (1, 4):
        rows = draw(rita, more)
        send(rita, rows[-1])
        with CaptureQueriesContext(connection) as taken:
            rita.get("/projects/small/gold/")
        counts.append(len(taken))
    assert counts[0] == counts[1] <= 20
