"""Messages: a requester writes them, a worker reads them at home."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Project
from tests.support.rows import make_project, make_worker
from workers.grant_access import grant_access
from workers.messages import send_message
from workers.models import Message, Worker

pytestmark = pytest.mark.django_db


def test_messages_are_shown_newest_first(client: Client, ada: Worker) -> None:
    for text in ("first words", "second words"):
        send_message(text=text, worker_ids=[ada.id])
    page = client.get("/work/").text
    assert 0 < page.index("second words") < page.index("first words")


def test_a_message_is_written_out_and_not_run(client: Client, ada: Worker) -> None:
    send_message(text="<script>alert(1)</script>", worker_ids=[ada.id])
    page = client.get("/work/").text
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page


@pytest.mark.both_engines
def test_a_project_shows_its_own_messages_and_those_of_none(client: Client, ada: Worker, project: Project) -> None:
    send_message(text="about parks", worker_ids=[ada.id], project_id=project.id)
    send_message(text="about all", worker_ids=[ada.id])
    send_message(text="about streets", worker_ids=[ada.id], project_id=make_project(name="streets").id)
    page = client.get("/work/parks/").text
    assert ["about parks" in page, "about all" in page, "about streets" in page] == [True, True, False]


def test_a_message_is_marked_as_read_and_kept(client: Client, ada: Worker) -> None:
    send_message(text="well done", worker_ids=[ada.id])
    message = Message.objects.get()
    button = reverse("labelling:read", args=[message.id])
    assert client.get(button).status_code == 405
    assert client.post(button, {"back": "/work/parks/"})["Location"] == "/work/parks/"
    message.refresh_from_db()
    assert message.read_at is not None
    page = client.get("/work/").text
    assert page.index("Messages you have read") < page.index("well done")


def test_reading_leads_to_no_other_site(client: Client, ada: Worker) -> None:
    response = client.post(reverse("labelling:read", args=[1]), {"back": "https://evil.example/"})
    assert response["Location"] == "/work/"


def test_nobody_marks_the_message_of_another_as_read(client: Client, ada: Worker) -> None:
    send_message(text="for bob", worker_ids=[make_worker().id])
    message = Message.objects.get()
    client.post(reverse("labelling:read", args=[message.id]))
    message.refresh_from_db()
    assert message.read_at is None


@pytest.mark.both_engines
def test_a_requester_writes_to_everybody_who_may_answer(admin_client: Client, ada: Worker, project: Project) -> None:
    bob, robot = make_worker(), make_worker(kind="program")
    make_worker()
    for worker in (bob, robot):
        grant_access(worker, project.id, ["box_drawing", "box_quality"])
    address = reverse("campaign:message_all", args=[project.name])
    assert "write a message" in admin_client.post(address, {"text": " "}, follow=True).text
    assert "Sent to 2 workers" in admin_client.post(address, {"text": "hello"}, follow=True).text
    sent = Message.objects.order_by("worker").values_list("worker", "project_id", "text")
    assert list(sent) == [(one.pk, project.pk, "hello") for one in (ada, bob)]


def test_where_nobody_may_answer_nobody_is_written_to(admin_client: Client) -> None:
    address = reverse("campaign:message_all", args=[make_project("empty").name])
    assert "nobody may answer yet" in admin_client.post(address, {"text": "hello"}, follow=True).text
