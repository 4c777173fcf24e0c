"""The language of workers' pages and of the API; nothing that is stored depends on it."""

from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import translation

from annotation.models import Project
from labelling.messages import answer_worker, send_due_mail, write_to_requester
from pipeline.models import Assignment, Entry
from pipeline.protocol.tasks.task import Task
from tests.support.api import ApiWorker
from tests.support.labelling_page import session_of
from tests.support.projects import worker
from tests.support.six_tasks import six_tasks
from workers.models import TrustChange, Worker
from workers.preferences import Preferences

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ada() -> Worker:
    return worker(six_tasks(), "ada")


@pytest.fixture
def client(ada: Worker) -> Client:
    client = Client(headers={"accept-language": "de-AT,de;q=0.9,en;q=0.5"})
    client.cookies["sessionid"] = session_of(ada)
    return client


GERMAN = {
    "/work/": "Meine Projekte", "/work/small/": "Dasselbe oder nicht", "/work/small/earned/": "Mein Verdienst",
    "/work/small/messages/": "Nachrichten mit dem Auftraggeber", "/work/my-data/": "Was über Sie gespeichert ist",
    "/work/my-data/delete/": "Endgültig löschen", "/account/password/reset/": "Passwort vergessen",
    "/work/nowhere/": "Diese Seite gibt es nicht",
}  # fmt: skip


@pytest.mark.both_engines
def test_a_german_browser_is_answered_in_german(client: Client) -> None:
    for address, words in GERMAN.items():
        answer = client.get(address)
        assert words in answer.text and '<html lang="de">' in answer.text, address
        assert answer["Content-Language"] == "de" and "Accept-Language" in answer["Vary"], address


def test_the_labelling_page_loads_the_words_before_its_script(client: Client) -> None:
    text = client.get("/work/small/box_drawing/").text
    assert '<html lang="de">' in text and "Rahmen zeichnen · " in text
    assert text.index("/assets/de-") < text.index("/assets/draw-")
    assert "/assets/de-" not in client.get("/work/small/box_drawing/", headers={"accept-language": "en"}).text


def test_the_sign_in_page_speaks_german_and_so_do_its_mistakes() -> None:
    client = Client(headers={"accept-language": "de"})
    assert "Passwort vergessen?" in client.get("/account/login/").text
    wrong = client.post("/account/login/", {"login": "nobody", "password": "wrong"})
    assert "Der Name oder das Passwort ist falsch." in wrong.text


def test_a_language_that_is_not_there_is_english(client: Client) -> None:
    for language in ("fr", "xx-nonsense", "", "*"):
        answer = client.get("/work/", headers={"accept-language": language})
        assert "My projects" in answer.text and '<html lang="en">' in answer.text, language


def test_a_choice_counts_more_than_the_browser_and_leads_back(client: Client, ada: Worker) -> None:
    answer = client.post("/work/language/", {"language": "en", "next": "/work/small/"})
    assert answer["Location"] == "/work/small/" and "My projects" in client.get("/work/").text
    ada.refresh_from_db()
    assert Preferences.from_json(ada.preferences).language == "en"


def test_a_language_that_is_not_there_cannot_be_chosen(client: Client, ada: Worker) -> None:
    client.post("/work/language/", {"language": "fr", "next": "https://elsewhere.example/"})
    assert "Meine Projekte" in client.get("/work/").text
    ada.refresh_from_db()
    assert Preferences.from_json(ada.preferences).language == ""


def test_pages_for_requesters_stay_english(client: Client, admin_client: Client) -> None:
    for address in ("/admin/", "/"):
        text = admin_client.get(address, headers={"accept-language": "de"}).text
        assert "Sprache" not in text and "Abmelden" not in text and 'lang="de"' not in text


def test_the_next_request_and_jobs_in_this_thread_are_english_again(client: Client) -> None:
    client.get("/work/")
    assert translation.get_language() == "en"


def test_refusals_and_offers_of_the_api_follow_the_browser(ada: Worker) -> None:
    client = Client(headers={"accept-language": "de"})
    assert client.get("/api/v1/projects/small/tasks/").status_code == 401
    caller = ApiWorker(client, ada, "small")
    status, unknown = caller.call("GET", "projects/nowhere/tasks/")
    assert (status, unknown["code"]) == (404, "not_found") and unknown["message"].startswith(
        "Dieses Projekt gibt es nicht"
    )
    status, offers = caller.call("GET", "projects/small/tasks/")
    assert offers[0]["task"] == "coreference_link" and offers[0]["label"] == "Dasselbe oder nicht"
    status, wrong = caller.call("POST", "projects/small/messages/", {"text": " "})
    assert wrong["message"] == "text: Dieses Feld darf nicht leer sein."


def test_nothing_that_is_stored_changes_with_the_language() -> None:
    stored: list[Any] = []
    for language in ("en", "de"):
        project = six_tasks(language)
        who = worker(project, f"ada-{language}")
        caller = ApiWorker(Client(headers={"accept-language": language}), who, language)
        work = caller.ask(Task.COREFERENCE_LINK)
        told = caller.submit(work, *["same"] * len(work["questions"]))
        entries = Entry.objects.filter(project=project).order_by("image", "sequence")
        recorded = entries.values_list("kind", "reason", "actor")
        changes = TrustChange.objects.filter(project=project).values_list("event", "reason", "figures")
        kept = Assignment.objects.get(token=work["token"]).receipt or {}
        stored.append((list(recorded), list(changes), kept["sequel"], kept["stored"], told["stored"]))
    assert stored[0] == stored[1]


@pytest.mark.both_engines
def test_mail_with_an_answer_is_in_the_language_that_the_worker_chose(client: Client, ada: Worker) -> None:
    assert ada.user is not None
    client.post("/work/language/", {"language": "de"})
    ada.user.email = "ada@example.org"
    ada.user.save()
    written = write_to_requester(worker_id=ada.pk, project_id=Project.objects.get().pk, text="Why?")
    answer_worker(conversation_id=written.pk, text="Because.", actor="rita")
    assert send_due_mail() == 1
    assert mail.outbox[0].subject.startswith("Eine Antwort von ") and "hat Ihnen geantwortet" in mail.outbox[0].body
