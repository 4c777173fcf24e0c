"""Pages of workers: who is listed, what a worker's page says, and what a requester does there."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Project
from members.models import Role
from messaging.models import Conversation, Post
from pipeline.models import Entry, Judgment, KnownQuestion, LedgerEntry, Question
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from reports.question_words import words_of_question
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of
from tests.support.projects import worker as make_worker
from tests.support.rows import NOW, make_conversation, make_judgment, make_story
from workers.models import Access, Message, TrustChange, TrustStatus, Worker, WorkerSignal
from workers.rules.trust_states import IllegalMoveError

pytestmark = pytest.mark.django_db
LINK = {"mentions": [[0, 0, 0, 2], [1, 1, 0, 2]], "boxes": [], "new_box": None}


@pytest.fixture
def project(client: Client) -> Project:
    made = project_of(phrases("people: a man", "people: the guy", name="beach"))
    Entry.objects.all().delete()  # plain rows of judgments bring their own
    sign_in(client, made, Role.REQUESTER, "grace")
    return made


@pytest.fixture
def ada(project: Project) -> Worker:
    """Return a worker who answered a link with "same" and two verification questions, one of them wrong."""
    who = make_worker(project, "ada")
    judgment = make_judgment(project.images.get(), who, Task.COREFERENCE_LINK)
    Question.objects.filter(judgments=judgment).update(shown=LINK, outcome="different", subject=[0, 1], chain=None)
    common = {"worker": who, "assignment": judgment.assignment, "created_at": NOW}
    for number, right in enumerate((True, False)):
        asked = {"project": project, "task": "coreference_link", "image": project.images.get(), "shown": LINK}
        known = KnownQuestion.objects.create(**asked, truth="same", key=str(number), source="expert")
        Judgment.objects.create(known=known, right=right, answer="same" if right else "different", **common)
    return who


def page(client: Client, project: Project, who: Worker | None = None, query: str = "") -> Any:
    response = client.get(f"/projects/{project.name}/workers/{f'{who.pk}/' if who else ''}{query}")
    assert response.status_code == 200
    return response


def names(response: Any) -> list[str]:
    return [row.worker.name for row in response.context["page"]]


def test_everybody_with_access_or_answers_is_listed_and_nobody_of_other_projects(
    client: Client, project: Project, ada: Worker
) -> None:
    make_worker(project, "bob", kind=Worker.Kind.PROGRAM)
    make_worker(project_of(phrases("people: a man"), name="other"), "stranger")
    listed = page(client, project)
    assert names(listed) == ["ada", "bob"]
    row = listed.context["page"][0]
    assert (row.answers, row.right, row.checked) == (3, 1, 2)
    assert "50%" in listed.text and "trusted by hand" in listed.text
    assert names(page(client, project, query="?kind=program")) == ["bob"]
    assert names(page(client, project, query="?name=AD")) == ["ada"]
    assert names(page(client, project, query="?sort=name")) == ["ada", "bob"]


def test_the_list_is_filtered_by_trust_in_a_task(client: Client, project: Project, ada: Worker) -> None:
    make_worker(project, "bob")
    TrustStatus.objects.create(worker=ada, project=project, task="box_quality", state="barred")
    assert names(page(client, project, query="?trust=barred")) == ["ada"]
    assert names(page(client, project, query="?trust=barred&task=box_drawing")) == []


@pytest.mark.parametrize(("sort", "first"), [("answers", "ada"), ("owed", "zoe"), ("score", "ada"), ("seen", "ada")])
def test_the_list_is_sorted(client: Client, project: Project, ada: Worker, sort: str, first: str) -> None:
    zoe = make_worker(project, "zoe")
    LedgerEntry.objects.create(worker=zoe, project=project, kind="bonus", cents=500, reason="thanks", created_at=NOW)
    assert names(page(client, project, query=f"?sort={sort}"))[0] == first


def test_answers_are_shown_with_their_phrases_and_never_with_numbers(
    client: Client, project: Project, ada: Worker
) -> None:
    shown = page(client, project, ada)
    answers = shown.context["answers"]
    assert [one.phrases for one in answers] == [["a man", "the guy"]] * 3
    assert [(one.verdict, one.good) for one in answers] == [
        ("wrong: same is right", False),
        ("right", True),
        ("outcome: different", False),
    ]
    assert "[0, 1]" not in shown.text and "coreference_link" not in shown.text.replace('value="coreference_link"', "")
    wrong = page(client, project, ada, "?kind=wrong")
    assert len(wrong.context["answers"]) == 1
    assert len(page(client, project, ada, "?task=box_quality").context["answers"]) == 0


def test_the_score_has_wilson_s_interval(client: Client, project: Project, ada: Worker) -> None:
    rows = {row.task: row for row in page(client, project, ada).context["standing"]}
    low, high = rows["coreference link"].interval
    assert (round(low, 3), round(high, 3)) == (0.095, 0.905)


def test_a_worker_of_another_project_has_no_page_here(client: Client, project: Project) -> None:
    stranger = make_worker(project_of(phrases("people: a man"), name="other"), "stranger")
    assert client.get(f"/projects/{project.name}/workers/{stranger.pk}/").status_code == 404


def test_a_worker_is_barred_from_one_task_with_the_reason(client: Client, project: Project, ada: Worker) -> None:
    given = {"task": "box_quality", "event": "is barred", "reason": "only ever said good"}
    address = f"/projects/{project.name}/workers/{ada.pk}/trust/"
    done = client.post(address, given, follow=True)
    (change,) = TrustChange.objects.all()
    assert (change.new, change.actor, change.reason) == ("barred", "grace", "only ever said good")
    assert "The worker is barred." in done.text and "only ever said good" in done.text
    refused = client.post(address, given)
    assert refused.status_code == 400
    assert "A worker who is barred" in refused.text
    assert TrustChange.objects.count() == 1


def test_a_suspension_of_all_tasks_needs_days(client: Client, project: Project, ada: Worker) -> None:
    address = f"/projects/{project.name}/workers/{ada.pk}/trust/"
    given = {"task": "", "event": "is suspended", "reason": "looks copied"}
    assert client.post(address, given).status_code == 400
    client.post(address, {**given, "days": "3"})
    assert set(TrustStatus.objects.filter(worker=ada).values_list("state", flat=True)) == {"suspended"}
    assert TrustStatus.objects.filter(worker=ada).count() == len(PROTOCOL_TASKS)


def test_without_a_reason_nothing_is_decided(client: Client, project: Project, ada: Worker) -> None:
    given = {"task": "box_quality", "event": "is suspended", "days": "7", "reason": " "}
    unsaid = client.post(f"/projects/{project.name}/workers/{ada.pk}/trust/", given)
    field = re.search("<textarea[^>]*id_reason[^>]*>", unsaid.text)
    assert unsaid.status_code == 400 and field and "autofocus" in field[0] and "id_reason_error" in field[0]
    assert 'value="7"' in unsaid.text and '<option value="is suspended" selected' in unsaid.text
    assert not TrustChange.objects.exists()


def test_a_decision_that_somebody_else_forestalls_keeps_the_typed_reason(
    client: Client, project: Project, ada: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forestalled(**decided: Any) -> None:
        raise IllegalMoveError("A worker who is barred cannot be suspended.")

    monkeypatch.setattr("campaign.people.act.decide_trust", forestalled)
    given = {"task": "box_quality", "event": "is suspended", "days": "7", "reason": "looks copied"}
    late = client.post(f"/projects/{project.name}/workers/{ada.pk}/trust/", given)
    assert late.status_code == 409
    assert "cannot be suspended" in late.text and "looks copied" in late.text


def test_messages_go_both_ways(client: Client, project: Project, ada: Worker) -> None:
    asked = make_conversation(ada, ada.assignments.get())
    assert "Please look again." in page(client, project, ada).text
    address = f"/projects/{project.name}/workers/{ada.pk}/message/"
    client.post(address, {"text": "I did.", "conversation": str(asked.pk)})
    client.post(address, {"text": "Thank you!"})
    assert Post.objects.latest("pk").text == "I did."
    assert Conversation.objects.get().waits_since is None
    assert Message.objects.get().text == "Thank you!"
    said = page(client, project, ada).text
    assert "I did." in said and "Thank you!" in said


@pytest.mark.both_engines
def test_a_signal_is_shown_and_dismissed_with_a_note(client: Client, project: Project, ada: Worker) -> None:
    found = {"project": project, "kind": "far too fast", "task": "box_quality", "workers": [ada.pk]}
    signal = WorkerSignal.objects.create(**found, chance=1e-4, words="40 took 0.2 s.", evidence={}, found_at=NOW)
    assert "40 took 0.2 s." in page(client, project, ada).text
    address = f"/projects/{project.name}/workers/{ada.pk}/dismiss/{signal.pk}/"
    unsaid = client.post(address, {"note": " "})
    assert unsaid.status_code == 400 and "autofocus aria-invalid" in unsaid.text
    assert WorkerSignal.objects.get().dismissed_at is None
    client.post(address, {"note": "a keyboard user"})
    assert WorkerSignal.objects.get().dismissed_by == "grace"
    assert "40 took 0.2 s." not in page(client, project, ada).text


def pay(client: Client, who: Worker, **given: str) -> Any:
    """Send the form of a payment as the page has it, with these fields changed."""
    here = f"/projects/small/workers/{who.pk}/"
    form = client.get(here).context["payment"]
    typed = {f"pay-{name}": value for name, value in {**form.initial, "reason": "in cash", **given}.items()}
    return client.post(f"{here}pay/", typed)


@pytest.mark.slow
@pytest.mark.both_engines
def test_a_payment_in_cash_is_recorded_once_and_never_more_than_is_owed(
    client: Client, project: Project, ada: Worker
) -> None:
    ada.assignments.update(state="submitted", earned_cents=320)
    paid = LedgerEntry.objects.filter(worker=ada, kind="paid")
    more = pay(client, ada, amount="3.21")
    assert more.status_code == 400 and not paid.exists()
    assert "Only $3.20 are owed." in more.text and 'value="3.21"' in more.text and "autofocus" in more.text
    for _ in range(2):  # a double click
        assert pay(client, ada, amount="3.00", reference="once", paid_on="2026-01-31").status_code == 302
    entry = paid.get()
    assert (entry.cents, entry.actor, entry.reason) == (300, "grace", "in cash (paid on 31 January 2026)")
    shown = page(client, project, ada)
    assert shown.context["payment"].initial["amount"] == "0.20" and "in cash (paid on" in shown.text
    assert "sent before, with another amount" in pay(client, ada, amount="0.10", reference="once").text
    nowhere = pay(client, ada, reason=" ")
    assert nowhere.context["payment"].errors.keys() == {"reason"} and 'value="0.20"' in nowhere.text
    sign_in(client, project, Role.REVIEWER, "vic")
    assert client.post(f"/projects/small/workers/{ada.pk}/pay/").status_code == 403
    assert paid.count() == 1


def test_the_ledger_is_sent_as_the_command_writes_it(client: Client, project: Project, ada: Worker) -> None:
    sent = client.get(f"/projects/{project.name}/ledger.csv")
    header, line = sent.getvalue().decode().splitlines()
    assert header.startswith("worker,kind,currency,earned_cents") and line.startswith("ada,person,")
    assert "attachment" in sent["Content-Disposition"]


def test_the_number_of_statements_does_not_grow_with_workers_and_answers(client: Client, project: Project) -> None:
    counts = []
    for number in (2, 9):
        for at in range(number):
            who = make_worker(project, f"w{number}-{at}")
            make_judgment(project.images.get(), who)
        with CaptureQueriesContext(connection) as listed:
            page(client, project)
        for _ in range(number):
            make_judgment(project.images.get(), who)
        with CaptureQueriesContext(connection) as shown:
            page(client, project, who)
        counts.append((len(listed), len(shown)))
    assert counts[0] == counts[1]
    assert counts[0][0] <= 20


def test_a_question_is_put_into_words(project: Project) -> None:
    image = project.images.get()
    question = Question(task="coreference_link", image=image, shown=LINK)
    assert words_of_question(question) == "coreference link: “a man”, “the guy”, in beach"
    question.shown = {}
    assert words_of_question(question) == "coreference link, in beach"


def test_admin_lists_of_questions_and_judgments_show_phrases(client: Client, project: Project, ada: Worker) -> None:
    client.force_login(User.objects.create_superuser("boss"))
    for name in ("question", "judgment"):
        listed = client.get(f"/admin/pipeline/{name}/")
        assert "coreference link: “a man”, “the guy”, in beach" in listed.text
    make_story(project)
    assert client.get(f"/admin/pipeline/judgment/{Judgment.objects.latest('pk').pk}/change/").status_code == 200
    chains = client.get("/admin/annotation/chain/?q=men").context["cl"].result_list
    assert not chains
    chains = client.get("/admin/annotation/chain/?q=man").context["cl"].result_list
    assert {str(one.words) for one in chains} == {"A man", "a man"}


def test_access_is_given_and_taken_away_on_the_page(client: Client, project: Project, ada: Worker) -> None:
    address = f"/projects/{project.name}/workers/{ada.pk}/access/"
    client.post(address, {"tasks": ["box_quality", "box_drawing"]})
    given = Access.objects.filter(worker=ada, project=project)
    assert set(given.values_list("task", flat=True)) == {"box_quality", "box_drawing"}
    assert client.post(address, {"tasks": ["no such task"]}).status_code == 400
    client.post(address, {})
    assert not given.exists()


def test_a_task_that_is_new_to_a_worker_begins_with_the_test_unless_the_worker_is_trusted(
    client: Client, project: Project
) -> None:
    for name, ticked, state in (("bob", {}, "invited"), ("cyd", {"trusted": "on"}, None)):
        who = make_worker(project, name, Task.BOX_QUALITY)
        client.post(
            f"/projects/{project.name}/workers/{who.pk}/access/", {"tasks": ["box_quality", "box_drawing"], **ticked}
        )
        status = TrustStatus.objects.filter(worker=who, task="box_drawing").first()
        assert (status and status.state) == state


@pytest.mark.parametrize(("needs", "found"), [("appeal", ["bob"]), ("message", ["cyd"]), ("signal", ["ada"])])
def test_the_list_shows_who_waits_for_something(
    client: Client, project: Project, ada: Worker, needs: str, found: list[str]
) -> None:
    bob, cyd = make_worker(project, "bob"), make_worker(project, "cyd")
    TrustStatus.objects.update_or_create(
        worker=bob, project=project, task="box_quality", defaults={"state": "barred", "appealed": True}
    )
    Conversation.objects.create(worker=cyd, project=project, subject="receipt", waits_since=NOW)
    signal = {"kind": "far too fast", "task": "box_quality", "chance": 1e-4, "words": "fast", "evidence": {}}
    WorkerSignal.objects.create(project=project, workers=[ada.pk], found_at=NOW, **signal)
    assert names(page(client, project, query=f"?needs={needs}")) == found
