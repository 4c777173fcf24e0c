"""The requesters' API and its client, over HTTP against a running service.
Images with their captions and phrases, as a requester's program gets them.
The API's reference as a page names every call of requesters' programs, and nothing of workers.
Surveys by a requester's program: they are listed with what they ask, and their votes come as a file.
A program adds webhooks, tests them, and reads the log of what was sent.
"""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.test import Client

from accounts.members import add_member
from accounts.models import RequesterToken, Role, Scope
from accounts.requester_tokens import TokenError, find_requester_token, make_requester_token
from annotation.models import Project
from clients.chainbox_client import Chainbox, Refused
from labelling.models import Conversation
from pipeline.protocol.tasks.task import Task
from pipeline.record.apply_judgments import apply_judgments
from projects.alerts.post_hook import signature
from projects.api.pages import calls
from projects.api.urls import urlpatterns
from projects.models import Alert, AlertChannel, Delivery
from runtime import clock
from surveys.votes import lines_of
from tests.support.api import ApiWorker
from tests.support.members import member, sign_in
from tests.support.projects import answer, worker
from tests.support.rows import make_project
from tests.support.surveys import CHECK, foil, survey
from tests.support.table import row
from tests.support.web_server import Answering, Receiver

pytestmark = pytest.mark.django_db


def with_scopes(service: Chainbox, requester: User, *scopes: Scope, project: Project | None = None) -> Chainbox:
    return Chainbox(service.address, make_requester_token(requester, name="few", scopes=scopes, project=project))


@pytest.mark.both_engines
def test_a_program_makes_a_project_and_finds_it_as_a_draft(service: Chainbox) -> None:
    assert service.create_project("streets", title="Street scenes").progress()["state"] == "draft"
    assert [(one["name"], one["images"]) for one in service.projects()] == [("small", 3), ("streets", 0)]
    with pytest.raises(Refused, match="There is a project 'streets' already") as refused:
        service.create_project("streets")
    assert (refused.value.status, refused.value.code) == (409, "taken")


@pytest.mark.both_engines
def test_a_program_tells_of_the_data_set_and_takes_it_back(service: Chainbox) -> None:
    made = service.create_project("streets", data_card={"license": "CC-BY-4.0", "creators": " Ada\nBob "})
    assert Project.objects.get(name="streets").data_card == {"license": "CC-BY-4.0", "creators": "Ada\nBob"}
    told = made.tell(license="", uses="Research.")
    assert {name: text for name, text in told.items() if text} == {"creators": "Ada\nBob", "uses": "Research."}
    assert Project.objects.get(name="streets").data_card == {"creators": "Ada\nBob", "uses": "Research."}


def test_the_token_goes_to_no_other_server_and_a_change_is_not_repeated_elsewhere(tmp_path: Path) -> None:
    with Answering(lambda path, headers: (200, b"votes", {})) as store:
        leads = {"Location": f"{store.url}/votes"}
        with Answering(lambda path, headers: (302, b"", leads)) as server:
            service = Chainbox(server.url, "a token")
            service.project("ours").votes(tmp_path / "votes")
            assert (tmp_path / "votes").read_bytes() == b"votes"
            with pytest.raises(Refused) as refused:
                service.project("ours").start()
    assert refused.value.status == 302 and len(store.got) == 1
    assert "Authorization" in server.got[0][0] and "Authorization" not in store.got[0][0]


@row("soon", 2.0)
@row("nan", 2.0)
@row("-7", 2.0)
@row("1e9", 600.0)
@row("7", 7.0)
def test_a_wait_that_nobody_can_read_is_short_and_none_lasts_for_ever(
    said: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("clients.chainbox_client.time.sleep", slept.append)
    busy = [(503, b"", {"Retry-After": said}), (200, b"[]", {})]
    with Answering(lambda path, headers: busy.pop(0)) as server:
        assert Chainbox(server.url, "a token").projects() == []
    assert slept == [seconds]


@pytest.mark.both_engines
def test_a_program_asks_for_known_questions_and_annotates_an_image(service: Chainbox) -> None:
    small = service.project("small")
    assert {one["known"] for one in small.known_questions()["tasks"]} == {0}
    chains = [{"phrases": [[n, 0, 2]], "boxes": [[100 * n, 0, 100 * n + 40, 60]]} for n in (0, 1)]
    assert any(one["tests"] or one["known"] for one in small.annotate_image("1", chains)["tasks"])
    with pytest.raises(Refused, match="no image 'none'"):
        small.annotate_image("none", chains)


def test_a_program_pauses_and_resumes_a_project(service: Chainbox) -> None:
    small = service.project("small")
    small.pause()
    assert small.progress()["state"] == "paused"
    small.start()
    assert small.progress()["state"] == "running"
    with pytest.raises(Refused, match="running project cannot become archived"):
        service.call("POST", "projects/small/state/", {"state": "archived"})


def test_progress_counts_questions_and_judgments_by_task(service: Chainbox, project: Project) -> None:
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "different")
    found = service.project("small").progress()
    links = found["tasks"][0]
    assert (links["task"], links["open"], links["judgments"]) == ("coreference_link", 2, 1)
    assert found["money"] == {"currency": "USD", "earned_cents": 0, "paid_cents": 0, "owed_cents": 0, "cap_cents": 0}


@pytest.mark.both_engines
def test_judgments_come_page_by_page_with_their_phrases_and_a_pseudonym(
    service: Chainbox, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(project, worker(project, "lovelace"), Task.COREFERENCE_LINK, "same", "different", "same")
    monkeypatch.setattr("clients.chainbox_client.ROWS", 2)
    found = list(service.project("small").judgments())
    assert [row["answer"] for row in found] == ["same", "different", "same"]
    assert found[0]["phrases"] == ["a dog", "a cat"] and "lovelace" not in json.dumps(found)
    assert list(service.project("small").judgments(after=found[1]["id"])) == found[2:]


def test_settings_change_with_a_reason_unless_somebody_changed_them_before(service: Chainbox) -> None:
    small = service.project("small")
    version, values = small.settings()
    assert small.change_settings("shorter leases", lease_minutes=20) == version + 1
    assert small.settings()[1] == {**values, "lease_minutes": 20}
    with pytest.raises(Refused, match="was made in the meantime"):
        small.change_settings("late", based_on=version, lease_minutes=30)


def test_an_export_is_fetched_as_a_file(service: Chainbox, tmp_path: Path) -> None:
    file = service.project("small").export("jsonl", tmp_path / "out.zip")
    with ZipFile(file) as archive:
        card, name = "small-jsonl.jsonl.card/", "small-jsonl.jsonl"
        assert sorted(archive.namelist()) == [name, f"{card}README.md", f"{card}croissant.json"]
        assert json.loads(archive.read(name).splitlines()[0])["kind"] == "project"


def test_a_token_allows_its_scopes_alone(service: Chainbox, requester: User) -> None:
    reader = with_scopes(service, requester, Scope.READ)
    assert reader.projects()
    for forbidden in (reader.project("small").pause, lambda: list(reader.project("small").judgments())):
        with pytest.raises(Refused, match=r"This token allows read; this call needs") as refused:
            forbidden()
        assert refused.value.status == 403


def test_a_token_for_one_project_opens_no_other_and_makes_none(service: Chainbox, requester: User, project: Project):
    service.create_project("streets")
    only = with_scopes(service, requester, *Scope, project=project)
    assert [one["name"] for one in only.projects()] == ["small"]
    with pytest.raises(Refused, match="no such project"):
        only.project("streets").progress()
    with pytest.raises(Refused, match="makes no others"):
        only.create_project("more")


def test_a_token_allows_no_more_than_its_user_may_do(service: Chainbox, project: Project) -> None:
    viewer = with_scopes(service, member(project, Role.VIEWER, "eye"), *Scope)
    with pytest.raises(Refused, match="You need the role requester"):
        viewer.project("small").pause()


def test_expired_and_revoked_tokens_and_tokens_of_closed_accounts_do_not_count(requester: User, monkeypatch: Any):
    token = make_requester_token(requester, name="short", scopes=["read"], days=1)
    assert find_requester_token(token)
    later = clock.now() + timedelta(days=2)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert find_requester_token(token) is None
    monkeypatch.undo()
    requester.is_active = False
    requester.save()
    assert find_requester_token(token) is None


def test_a_token_of_nobody_is_refused(service: Chainbox) -> None:
    with pytest.raises(Refused, match="This token does not count") as refused:
        Chainbox(service.address, "x" * 48).projects()
    assert refused.value.status == 401


@pytest.mark.both_engines
def test_a_requester_makes_a_token_on_the_page_sees_it_once_and_revokes_it(requester: User, client: Client) -> None:
    client.force_login(requester)
    page = client.post("/account/tokens/", {"name": "nightly", "scopes": ["read", "export"], "days": "30"})
    (row,) = RequesterToken.objects.all()
    shown = page.text.split('<code class="token">')[1].split("</code>")[0]
    assert find_requester_token(shown) == row and shown not in client.get("/account/tokens/").text
    client.post(f"/account/tokens/{row.pk}/revoke/")
    assert find_requester_token(shown) is None


@row({"name": ""}, "1 to 100 characters")
@row({"scopes": []}, "Choose one or more of read")
@row({"scopes": ["all"]}, "not 'all'")
@row({"days": 0}, "1 to 3650 days, not 0")
def test_a_token_that_cannot_be_made_says_why(wrong: dict[str, object], words: str, requester: User) -> None:
    with pytest.raises(TokenError, match=words):
        make_requester_token(requester, **{"name": "one", "scopes": ["read"], **wrong})  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "NONSENSE", "PUT"])
def test_a_method_that_a_call_does_not_have_is_refused(service: Chainbox, method: str) -> None:
    with pytest.raises(Refused) as refused:
        service.call(method, "projects/small/", {})
    assert refused.value.status == 405


def test_every_image_comes_with_its_captions_phrases_types_and_picture(service: Chainbox, project: Project) -> None:
    images = list(service.project(project.name).phrases())
    assert [one["name"] for one in images] == ["0", "1", "2"]
    first = images[0]
    assert first["captions"] == ["a dog", "a cat"]
    assert first["phrases"] == [
        {"caption": 0, "words": [0, 2], "text": "a dog", "types": ["animals"]},
        {"caption": 1, "words": [0, 2], "text": "a cat", "types": ["animals"]},
    ]
    assert (first["width"], first["height"], first["state"]) == (200, 100, "linking")
    assert first["url"].endswith("0.jpg") and first["full_url"] != first["url"]


def test_pages_hold_each_image_once(service: Chainbox, project: Project) -> None:
    names, after = [], 0
    while after is not None:
        page = service.call("GET", f"projects/{project.name}/phrases/", after=after, most=1)
        names += [one["name"] for one in page["images"]]
        after = page["after"]
    assert names == ["0", "1", "2"]


def test_a_page_costs_as_many_statements_for_many_images_as_for_one(
    requester: User, project: Project, client: Any, django_assert_max_num_queries: Any
) -> None:
    client.force_login(requester)
    costs = []
    for most in (1, 3):
        with django_assert_max_num_queries(20) as seen:
            assert client.get(f"/api/v1/requester/projects/{project.name}/phrases/?most={most}").status_code == 200
        costs.append(len(seen))
    assert costs[0] == costs[1]


def test_every_call_is_there_with_what_is_sent_and_what_comes_back(client: Client) -> None:
    sign_in(client, make_project(), Role.REQUESTER)
    page = client.get("/account/tokens/api/").text
    assert {call.path for call in calls()} >= {f"/api/v1/requester/{_plain(str(one.pattern))}" for one in urlpatterns}
    assert all(f"{call.method} {call.path}" in page for call in calls())
    begin = next(call for call in calls() if call.name == "begin_forecast")
    assert begin.about and {one.name for one in begin.parameters} == {"project"} and begin.sends and begin.answers
    assert all(call.about for call in calls())


def test_it_is_linked_from_the_tokens_and_shown_to_requesters_alone(client: Client) -> None:
    sign_in(client, make_project(), Role.REQUESTER)
    assert 'href="/account/tokens/api/"' in client.get("/account/tokens/").text
    stranger = Client()
    stranger.force_login(User.objects.create_user("ada"))
    assert stranger.get("/account/tokens/api/").status_code == 403 and Project.objects.count() == 1


def _plain(pattern: str) -> str:
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", pattern)


@pytest.fixture
def checked(requester: User, own_folders: None, at_once: None, tmp_path: Path) -> Project:
    """A survey with one vote."""
    made = survey(tmp_path, [foil(0)])
    add_member(requester, made, Role.REQUESTER)
    api = ApiWorker(Client(), worker(made, "ada", CHECK), project=made.name)
    api.submit(api.ask(CHECK), {"verdict": "correct"})
    apply_judgments(project_id=made.pk)
    return made


def test_a_program_lists_surveys_and_downloads_their_votes(service: Chainbox, checked: Project, tmp_path: Path) -> None:
    assert {one["name"]: one["survey"] for one in service.call("GET", "projects/")} == {
        "small": "",
        "survey": "caption_check",
    }
    service.project("survey").votes(tmp_path / "votes.jsonl")
    assert (tmp_path / "votes.jsonl").read_text() == "".join(lines_of(checked)) != ""
    assert [one["task"] for one in service.project("survey").progress()["tasks"]] == ["caption_check"]


def test_calls_about_chains_are_refused_for_a_survey_and_votes_for_an_ordinary_project(
    service: Chainbox, checked: Project, tmp_path: Path
) -> None:
    for method, path in (("POST", "forecasts/"), ("POST", "imports/"), ("GET", "predictions/"), ("GET", "gold/")):
        with pytest.raises(Refused, match="is a survey"):
            service.call(method, f"projects/survey/{path}", {} if method == "POST" else None)
    with pytest.raises(Refused, match="is not a survey"):
        service.project("small").votes(tmp_path / "votes.jsonl")


@pytest.fixture(autouse=True)
def _hooks_on_this_machine(settings: Any, at_once: None) -> None:
    settings.HOOKS_TO_PRIVATE = True


@pytest.mark.both_engines
def test_a_webhook_is_added_tested_changed_and_deleted(service: Chainbox, receiver: Receiver) -> None:
    small = service.project("small")
    made = small.add_webhook(receiver.url)
    (listed,) = small.webhooks()
    assert "key" not in listed and listed["address"] == receiver.url and small.try_webhook(made["id"]) == ""
    ((headers, body),) = receiver.got
    assert json.loads(body)["kind"] == "test"
    assert headers["X-Chainbox-Signature"] == signature(made["key"], headers["X-Chainbox-Time"], body)
    small.choose_alerts(made["id"], ["review", "budget"])
    assert AlertChannel.objects.get().kinds == ["review", "budget"]
    small.delete_webhook(made["id"])
    assert small.webhooks() == []


def test_a_test_that_is_not_taken_says_why(service: Chainbox, receiver: Receiver) -> None:
    small = service.project("small")
    receiver.answers = [500]
    made = small.add_webhook(receiver.url, ["review"])
    assert made["kinds"] == ["review"] and "answered 500" in small.try_webhook(made["id"])
    assert not Delivery.objects.exists()


def test_a_mailbox_is_listed(service: Chainbox, project: Project, requester: Any) -> None:
    requester.email = "boss@example.org"
    requester.save()
    AlertChannel.objects.create(project=project, kind="mail", user=requester, kinds=["review"])
    found = service.project("small").webhooks()
    assert [(one["channel"], one["address"]) for one in found] == [("mail", "boss@example.org")]


def test_the_log_of_deliveries_is_read_page_by_page(service: Chainbox, project: Project, monkeypatch: Any):
    hook = AlertChannel.objects.create(project=project, kind="hook", url="https://example.org/", secret="x", kinds=[])
    for kind, state in (("review", "sent"), ("stock", "failed"), ("money", "due")):
        alert = Alert.objects.create(project=project, kind=kind, count=1, words=kind, path="/", began_at=clock.now())
        Delivery.objects.create(alert=alert, channel=hook, state=state, due_at=clock.now(), problem="no answer")
    monkeypatch.setattr("clients.chainbox_client.ROWS", 2)
    found = list(service.project("small").deliveries())
    assert [(row["kind"], row["state"]) for row in found] == [("review", "sent"), ("stock", "failed"), ("money", "due")]
    assert list(service.project("small").deliveries(after=found[0]["id"])) == found[1:]


def test_a_program_reads_what_workers_wrote_and_answers(service: Chainbox, project: Project) -> None:
    begun = Conversation.objects.create(worker=worker(project, "ada"), project=project, subject="other")
    small = service.project("small")
    (found,) = small.messages()
    assert (found["worker"], found["id"]) == ("ada", begun.pk)
    small.write_to_worker(found["worker_id"], "Thank you.", conversation=begun.pk)
    assert small.messages(unanswered=True) == []
