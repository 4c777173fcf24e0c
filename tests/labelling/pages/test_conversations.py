"""Messages on the workers' pages, and the labelling page before its script runs."""

import json
from dataclasses import replace
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Project
from labelling.messages import answer_worker, write_to_requester
from labelling.models import Conversation, SignIn
from pipeline.money.refuse_pay import refuse_pay
from pipeline.project.settings_versions import change_settings, current_settings
from tests.support.answers import handed_in
from tests.support.rows import make_project, make_worker
from workers.change_preferences import change_preferences
from workers.change_trust import change_trust
from workers.invitations import grant_access
from workers.messages import send_message
from workers.models import Access, Message, Worker
from workers.preferences import Preferences
from workers.rules.trust_states import TrustEvent
from workers.tokens import read_page_token

pytestmark = pytest.mark.django_db

MESSAGES = "/work/parks/messages/"


def test_a_receipt_a_test_and_a_refusal_lead_to_a_message_about_them(client: Client, ada: Worker, project: Project):
    work, test = handed_in(project, ada), handed_in(project, ada, kind="test", receipt={"test": [6, 10, 7, False]})
    refuse_pay(assignment_id=work.pk, reason="boxes around nothing", actor="boss")
    page = client.get("/work/parks/").text
    for one in (work, test):
        assert f'href="{MESSAGES}?assignment={one.token}"' in page
    assert (
        f'href="{MESSAGES}?assignment={work.token}">Ask the requester to look again'
        in client.get("/work/parks/earned/").text
    )
    assert "About your assignment “draw a box” of" in client.get(MESSAGES, {"assignment": str(work.token)}).text
    assert "About your test in “draw a box” of" in client.get(MESSAGES, {"assignment": str(test.token)}).text


def test_a_suspension_leads_to_a_message_about_the_status(client: Client, ada: Worker, project: Project) -> None:
    until = timezone.now() + timedelta(days=1)
    who: dict[str, Any] = {"worker_id": ada.pk, "project_id": project.pk, "task": "box_drawing"}
    change_trust(event=TrustEvent.SUSPEND, because="checked by hand", actor="boss", until=until, **who)
    page = client.get("/work/parks/").text
    assert f'href="{MESSAGES}?task=box_drawing">Ask the requester to look again' in page
    assert "You can go on from <time" in page
    assert "About your status in “draw a box”" in client.get(MESSAGES, {"task": "box_drawing"}).text


def test_looking_again_is_no_empty_promise(client: Client, ada: Worker) -> None:
    page = client.get("/work/parks/").text
    assert "You can always ask" not in page and f'<a href="{MESSAGES}">Ask the requester to look again.</a>' in page


def test_a_message_is_sent_and_shown(client: Client, ada: Worker, project: Project) -> None:
    done = handed_in(project, ada)
    page = client.post(MESSAGES, {"text": "Why <b>0</b>?", "assignment": done.token}, follow=True)
    assert page.redirect_chain == [(MESSAGES, 302)]
    assert "Your message was sent." in page.text and "has not answered yet" in page.text
    assert "Why &lt;b&gt;0&lt;/b&gt;?" in page.text and Conversation.objects.get().assignment == done


def test_an_answer_is_marked_as_new_until_it_is_read(client: Client, ada: Worker, project: Project) -> None:
    asked = write_to_requester(worker_id=ada.pk, project_id=project.pk, text="Why?")
    answer_worker(conversation_id=asked.pk, text="Because.", actor="boss")
    for address in ("/work/", "/work/parks/", MESSAGES):
        page = client.get(address).text
        assert "Because." in page and ">new</span>" in page and "boss" not in page, address
    assert "Messages (1 new)" in client.get("/work/parks/").text
    button = f"/work/conversations/{asked.pk}/read/"
    assert client.post(button, {"back": MESSAGES})["Location"] == MESSAGES and "Because." in client.get(MESSAGES).text
    for address in ("/work/", "/work/parks/", MESSAGES):
        assert ">new</span>" not in client.get(address).text, address


def test_a_reply_goes_on_with_the_conversation(client: Client, ada: Worker, project: Project) -> None:
    asked = write_to_requester(worker_id=ada.pk, project_id=project.pk, text="Why?")
    client.post(MESSAGES, {"text": "And when?", "conversation": asked.pk})
    assert [post.text for post in Conversation.objects.get().posts.all()] == ["Why?", "And when?"]


@pytest.mark.parametrize(("text", "status"), [("", 400), ("x" * 2001, 400)])
def test_a_bad_message_is_not_lost(client: Client, ada: Worker, text: str, status: int) -> None:
    page = client.post(MESSAGES, {"text": text})
    assert page.status_code == status and "Write a message of 1 to 2,000 characters." in page.text and text in page.text


def test_too_many_messages_are_refused_in_words(client: Client, ada: Worker) -> None:
    for number in range(10):
        assert client.post(MESSAGES, {"text": f"{number}"}).status_code == 302
    page = client.post(MESSAGES, {"text": "my eleventh"})
    assert page.status_code == 429 and "Wait an hour" in page.text and "my eleventh" in page.text


@pytest.mark.parametrize("query", [{"assignment": "nonsense"}])
def test_an_address_typed_by_hand_is_not_found(client: Client, ada: Worker, query: dict[str, str]) -> None:
    assert client.get(MESSAGES, query).status_code == 404
    assert client.post(MESSAGES, {"text": "x", **query}).status_code == 404


def test_the_conversations_of_others_stay_theirs(client: Client, ada: Worker, project: Project) -> None:
    bob = make_worker(name="bob")
    grant_access(bob, project.pk, ["box_drawing"])
    theirs = write_to_requester(worker_id=bob.pk, project_id=project.pk, text="between us")
    assert "between us" not in client.get(MESSAGES).text
    assert client.post(MESSAGES, {"text": "x", "conversation": theirs.pk}).status_code == 404
    done = handed_in(project, bob)
    assert "About your assignment" not in client.get(MESSAGES, {"assignment": str(done.token)}).text


def test_messages_are_shown_newest_first(client: Client, ada: Worker) -> None:
    for text in ("first words", "second words"):
        send_message(text=text, worker_ids=[ada.id])
    page = client.get("/work/").text
    assert 0 < page.index("second words") < page.index("first words")


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
    assert client.post(reverse("labelling:read", args=[1]), {"back": "https://evil.example/"})["Location"] == "/work/"


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
    address = reverse("projects:message_all", args=[project.name])
    assert "Message: This field is required." in admin_client.post(address, {"text": " "}, follow=True).text
    assert "Sent to 2 workers" in admin_client.post(address, {"text": "hello"}, follow=True).text
    sent = Message.objects.order_by("worker").values_list("worker", "project_id", "text")
    assert list(sent) == [(one.pk, project.pk, "hello") for one in (ada, bob)]


def test_where_nobody_may_answer_nobody_is_written_to(admin_client: Client) -> None:
    address = reverse("projects:message_all", args=[make_project("empty").name])
    assert "nobody may answer yet" in admin_client.post(address, {"text": "hello"}, follow=True).text


@pytest.fixture
def built(settings: Any, tmp_path: Any) -> None:
    """As if the front end were built: what the page asks for is looked at, not run."""
    settings.FRONTEND = tmp_path
    (tmp_path / ".vite").mkdir()
    (tmp_path / ".vite" / "draw.json").write_text('{"src/draw.tsx": {"file": "draw.js", "css": ["draw.css"]}}')
    (tmp_path / ".vite" / "gallery.json").write_text('{"src/gallery.ts": {"file": "g.js"}}')


@pytest.mark.usefixtures("built")
def test_says_what_the_script_needs_to_know(client: Client, ada: Worker) -> None:
    Project.objects.update(title='Dogs "and" men')
    text = client.get("/work/parks/box_drawing/").text
    root = text[text.index('<div id="work"') :]
    values = dict(pair.split('="') for pair in root[: root.index('">')].split('" data-')[1:])
    bearer = values.pop("bearer")
    assert json.loads(unescape(values.pop("preferences"))) == Preferences().to_json()
    assert read_page_token(bearer) == (ada.id, None, SignIn.objects.get().pk)
    place = {"project": "parks", "title": "Dogs &quot;and&quot; men", "task": "box_drawing", "home": "/work/parks/"}
    assert values == place | {"api": "/api/v1", "needed": "7", "met": "no", "draw-by": "drag"}


@pytest.mark.usefixtures("built")
@pytest.mark.both_engines
def test_tells_how_this_worker_and_this_project_draw(client: Client, ada: Worker) -> None:
    change_preferences(worker_id=ada.id, changes={"draw_by": "extreme points"})
    project = Project.objects.get()
    change_settings(project_id=project.id, settings=replace(current_settings(project.id)[1], draw_by="two clicks"))
    context = client.get("/work/parks/box_drawing/").context
    assert json.loads(context["preferences"])["draw_by"] == "extreme points" and context["draw_by"] == "two clicks"


@pytest.mark.usefixtures("built")
def test_tells_whether_the_project_asks_what_is_part_of_what(client: Client, ada: Worker) -> None:
    project, said = Project.objects.get(), []
    for asks in (False, True):
        change_settings(project_id=project.id, settings=replace(current_settings(project.id)[1], part_answers=asks))
        said.append(" data-part-answers " in client.get("/work/parks/box_drawing/").text)
    assert said == [False, True]


@pytest.mark.usefixtures("built")
def test_asks_for_nothing_but_the_style_and_the_script(client: Client, ada: Worker) -> None:
    text = client.get("/work/parks/box_drawing/").text
    assert text.count('href="data:image/svg+xml,') == 1
    assert (text.count("<link"), text.count("<script"), text.count("src=")) == (2, 1, 1) and "style=" not in text


@pytest.mark.usefixtures("built")
def test_is_not_shown_without_access(client: Client, ada: Worker) -> None:
    grant_access(ada, Project.objects.get().pk, ["box_quality"])
    Access.objects.filter(worker=ada, task="box_drawing").delete()
    response = client.get("/work/parks/box_drawing/", follow=True)
    assert response.redirect_chain == [("/work/parks/", 302)]
    assert "You have no access to “draw a box” here." in response.text


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("address", ["/work/parks/dancing/", "/work/nowhere/box_drawing/"])
def test_is_not_found_for_what_there_is_not(client: Client, ada: Worker, address: str) -> None:
    assert client.get(address).status_code == 404
