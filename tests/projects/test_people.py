"""Pages of workers: who is listed, what a worker's page says, and what a requester does there.
The page of invitations: a requester makes links, sees who came, and closes them.
Money on the requesters' pages: what is owed, bonuses, and what is done about bad work.
"""

import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Role
from annotation.models import Project
from annotation.rules.states import ProjectState
from labelling.models import Conversation, Post
from pipeline.models import Assignment, Entry, Judgment, KnownQuestion, LedgerEntry, Question
from pipeline.money.ledger import account_of
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.tick import tick
from projects.lifecycle import change_state
from projects.quality.answers import words_of_question
from tests.support.members import sign_in
from tests.support.money import ASK, paying, work
from tests.support.projects import lease, phrases, project_of, worker
from tests.support.projects import worker as make_worker
from tests.support.rows import NOW, make_conversation, make_judgment, make_story
from workers.models import Access, Invitation, Message, TrustChange, TrustStatus, Worker, WorkerSignal
from workers.rules.trust_states import IllegalMoveError

pytestmark = pytest.mark.django_db

LINK = {"mentions": [[0, 0, 0, 2], [1, 1, 0, 2]], "boxes": [], "new_box": None}
PAGE = "/projects/small/workers/invite/"
TERMS = {"trusted": "no", "tasks": ["coreference_link", "box_quality"], "most": "6", "days": "14", "note": "class"}


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


def test_all_with_access_or_answers_are_listed_and_no_others(client: Client, project: Project, ada: Worker) -> None:
    make_worker(project, "bob", kind=Worker.Kind.PROGRAM)
    make_worker(project_of(phrases("people: a man"), name="other"), "stranger")
    listed = page(client, project)
    assert names(listed) == ["ada", "bob"]
    row = listed.context["page"][0]
    assert (row.answers, row.right, row.checked) == (3, 1, 2)
    assert "50 %" in listed.text and "trusted by hand" in listed.text
    assert names(page(client, project, query="?kind=program")) == ["bob"]
    assert names(page(client, project, query="?name=AD")) == ["ada"]
    assert names(page(client, project, query="?sort=worker")) == ["ada", "bob"]


def test_the_list_is_filtered_by_trust_in_a_task(client: Client, project: Project, ada: Worker) -> None:
    make_worker(project, "bob")
    TrustStatus.objects.create(worker=ada, project=project, task="box_quality", state="barred")
    assert names(page(client, project, query="?trust=barred")) == ["ada"]
    assert names(page(client, project, query="?trust=barred&task=box_drawing")) == []


@pytest.mark.parametrize(
    ("sort", "first"),
    [("-answers", "ada"), ("-owed_cents", "zoe"), ("score", "ada"), ("-seen", "ada"), ("-worker", "zoe")],
)
def test_the_list_is_sorted(client: Client, project: Project, ada: Worker, sort: str, first: str) -> None:
    zoe = make_worker(project, "zoe")
    LedgerEntry.objects.create(worker=zoe, project=project, kind="bonus", cents=500, reason="thanks", created_at=NOW)
    assert names(page(client, project, query=f"?sort={sort}"))[0] == first


def test_answers_are_shown_with_their_phrases_and_never_with_numbers(client: Client, project: Project, ada: Worker):
    shown = page(client, project, ada)
    answers = shown.context["page"]
    assert [one.phrases for one in answers] == [["a man", "the guy"]] * 3
    assert [(one.verdict, one.good) for one in answers] == [
        ("wrong: same is right", False),
        ("right", True),
        ("outcome: different", False),
    ]
    assert "[0, 1]" not in shown.text and "coreference_link" not in shown.text.replace('value="coreference_link"', "")
    assert len(page(client, project, ada, "?kind=wrong").context["page"]) == 1
    assert len(page(client, project, ada, "?task=box_quality").context["page"]) == 0


def test_the_score_has_wilson_s_interval(client: Client, project: Project, ada: Worker) -> None:
    rows = {row.task: row for row in page(client, project, ada).context["standing"]}
    _, low, high = rows["coreference link"].estimate
    assert (round(low, 3), round(high, 3)) == (0.095, 0.905)


def test_a_worker_is_barred_from_one_task_with_the_reason(client: Client, project: Project, ada: Worker) -> None:
    given = {"task": "box_quality", "event": "is barred", "reason": "only ever said good"}
    address = f"/projects/{project.name}/workers/{ada.pk}/trust/"
    done = client.post(address, given, follow=True)
    (change,) = TrustChange.objects.all()
    assert (change.new, change.actor, change.reason) == ("barred", "grace", "only ever said good")
    assert "The worker is barred." in done.text and "only ever said good" in done.text
    refused = client.post(address, given)
    assert refused.status_code == 400 and "A worker who is barred" in refused.text and TrustChange.objects.count() == 1


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

    monkeypatch.setattr("projects.people.operations.decide_trust", forestalled)
    given = {"task": "box_quality", "event": "is suspended", "days": "7", "reason": "looks copied"}
    late = client.post(f"/projects/{project.name}/workers/{ada.pk}/trust/", given)
    assert late.status_code == 409 and "cannot be suspended" in late.text and "looks copied" in late.text


def test_messages_go_both_ways(client: Client, project: Project, ada: Worker) -> None:
    asked = make_conversation(ada, ada.assignments.get())
    assert "Please look again." in page(client, project, ada).text
    address = f"/projects/{project.name}/workers/{ada.pk}/message/"
    client.post(address, {"text": "I did.", "conversation": str(asked.pk)})
    client.post(address, {"text": "Thank you!"})
    assert Post.objects.latest("pk").text == "I did." and Conversation.objects.get().waits_since is None
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
def test_a_payment_in_cash_is_recorded_once_and_never_more_than_is_owed(client: Client, project: Project, ada: Worker):
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
    assert paid.count() == 1


def test_the_ledger_is_sent_as_the_command_writes_it(client: Client, project: Project, ada: Worker) -> None:
    sent = client.get(f"/projects/{project.name}/workers/money/?format=csv")
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
    assert counts[0] == counts[1] and counts[0][0] <= 20


def test_a_question_is_put_into_words(project: Project) -> None:
    question = Question(task="coreference_link", image=project.images.get(), shown=LINK)
    assert words_of_question(question) == "coreference link: “a man”, “the guy”, in beach"
    question.shown = {}
    assert words_of_question(question) == "coreference link, in beach"


def test_admin_lists_of_questions_and_judgments_show_phrases(client: Client, project: Project, ada: Worker) -> None:
    client.force_login(User.objects.create_superuser("boss"))
    for name in ("question", "judgment"):
        assert "coreference link: “a man”, “the guy”, in beach" in client.get(f"/admin/pipeline/{name}/").text
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
    client.post(address, {})
    assert not given.exists()


def test_a_new_task_begins_with_the_test_unless_the_worker_is_trusted(client: Client, project: Project) -> None:
    for name, ticked, state in (("bob", {}, "invited"), ("cyd", {"trusted": "on"}, None)):
        who = make_worker(project, name, Task.BOX_QUALITY)
        client.post(
            f"/projects/{project.name}/workers/{who.pk}/access/", {"tasks": ["box_quality", "box_drawing"], **ticked}
        )
        status = TrustStatus.objects.filter(worker=who, task="box_drawing").first()
        assert (status and status.state) == state


@pytest.mark.parametrize(("needs", "found"), [("appeal", ["bob"]), ("message", ["cyd"]), ("signal", ["ada"])])
def test_the_list_shows_who_waits_for_something(client: Client, project: Project, ada: Worker, needs: str, found: Any):
    bob, cyd = make_worker(project, "bob"), make_worker(project, "cyd")
    TrustStatus.objects.update_or_create(
        worker=bob, project=project, task="box_quality", defaults={"state": "barred", "appealed": True}
    )
    Conversation.objects.create(worker=cyd, project=project, subject="receipt", waits_since=NOW)
    signal = {"kind": "far too fast", "task": "box_quality", "chance": 1e-4, "words": "fast", "evidence": {}}
    WorkerSignal.objects.create(project=project, workers=[ada.pk], found_at=NOW, **signal)
    assert names(page(client, project, query=f"?needs={needs}")) == found


@pytest.fixture
def inviting(client: Client) -> Project:
    made = project_of(phrases("people: a man", "people: the guy"))
    sign_in(client, made, Role.REQUESTER, "grace")
    return made


def said(client: Client) -> str:
    return re.sub(r"\s+", " ", client.get(PAGE).text)


@pytest.mark.usefixtures("inviting")
def test_a_link_is_made_with_its_terms_shown_and_leads_to_the_page_on_which_people_join(client: Client) -> None:
    assert client.post(PAGE, TERMS).status_code == 302
    made = Invitation.objects.get()
    assert (made.tasks, made.trusted, made.most, made.note) == (TERMS["tasks"], False, 6, "class")
    assert made.expires_at is not None
    page = said(client)
    assert f"http://testserver/join/{made.code}/" in page
    assert "same or different, check a box" in page and "0 of 6" in page
    assert client.get(f"/join/{made.code}/").status_code == 200


def test_a_link_for_trusted_people_opens_all_tasks_without_limits(client: Client, inviting: Project) -> None:
    client.post(PAGE, {"trusted": "yes", "days": ""})
    made = Invitation.objects.get()
    assert (made.tasks, made.trusted, made.most, made.expires_at) == ([], True, None, None)
    assert "all tasks" in said(client)


@pytest.mark.parametrize("wrong", [{"trusted": "friends"}, {"most": "0"}, {"days": "-1"}, {"tasks": ["cooking"]}])
def test_wrong_terms_are_refused_beside_the_field(client: Client, inviting: Project, wrong: dict[str, str]) -> None:
    response = client.post(PAGE, {**TERMS, **wrong})
    assert response.status_code == 400 and b'class="error"' in response.content and not Invitation.objects.exists()


def test_a_draft_says_which_known_questions_its_newcomers_lack(client: Client, inviting: Project) -> None:
    Project.objects.update(state=ProjectState.DRAFT.value)
    client.post(PAGE, TERMS)
    page = said(client)
    assert "Before the project can be started" in page and 'href="/projects/small/gold/"' in page


def test_a_running_project_warns_of_a_stock_that_is_too_small(client: Client, inviting: Project) -> None:
    assert "verification questions" in client.post(PAGE, TERMS, follow=True).text


def test_a_link_is_for_trusted_people_until_newcomers_could_begin(
    client: Client, inviting: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chosen() -> str:
        (answer,) = re.findall(r'name="trusted" value="(\w+)"[^>]*checked', client.get(PAGE).text)
        return str(answer)

    assert chosen() == "yes" and "Known questions are missing" in client.get(PAGE).text
    monkeypatch.setattr(change_state, "needed_questions", lambda settings: {})
    assert chosen() == "no" and "Known questions are missing" not in client.get(PAGE).text


@pytest.mark.both_engines
def test_nobody_joins_by_a_closed_link_and_whoever_joined_stays(client: Client, inviting: Project) -> None:
    client.post(PAGE, TERMS)
    made = Invitation.objects.get()
    worker(inviting, "bob")
    client.post(f"{PAGE}{made.pk}/close/")
    assert client.get(f"/join/{made.code}/").status_code == 410 and Access.objects.filter(worker__name="bob").exists()
    page = said(client)
    assert "expired or closed" in page and made.code not in page


def test_the_page_of_workers_leads_to_invitations_before_anybody_joined(client: Client, inviting: Project) -> None:
    page = client.get("/projects/small/workers/").text
    assert page.count(f'href="{PAGE}"') == 2 and "Nobody has joined yet" in page
    worker(inviting, "bob")
    page = client.get("/projects/small/workers/").text
    assert (
        "Nobody has joined yet" not in page
        and "None of the workers fits" in client.get("/projects/small/workers/?name=zoe").text
    )


@pytest.fixture
def owing() -> Project:
    return paying()


@pytest.fixture
def paid(owing: Project) -> Worker:
    return worker(owing, "ada")


def act(client: Client, action: str, *chosen: Assignment, **said: Any) -> Any:
    address = reverse("projects:assignments", args=[chosen[0].project.name, chosen[0].worker_id])
    return client.post(address, {"act": action, "row": [one.pk for one in chosen], **said}, follow=True)


def give(client: Client, who: Worker, project: Project, **values: Any) -> Any:
    given = {"amount": "0.05", "reason": "careful work", "reference": "bonus 1", **values}
    address = reverse("projects:worker_bonus", args=[project.name, who.pk])
    return client.post(address, {f"bonus-{name}": value for name, value in given.items()}, follow=True)


class TestABonus:
    @pytest.mark.both_engines
    def test_it_is_owed_once_although_it_was_sent_twice(self, owing: Project, paid: Worker, boss: Client):
        work(owing, paid)
        assert "ada gets a bonus of $0.05" in give(boss, paid, owing).text
        give(boss, paid, owing)
        assert account_of(paid.id, owing.id).owed == 15 and LedgerEntry.objects.get().actor == "admin"

    @pytest.mark.parametrize(
        ("values", "message"), [({"amount": "0"}, "greater than or equal to 0.01"), ({"reason": " "}, "required")]
    )
    def test_what_cannot_be_is_refused_on_the_form(
        self, owing: Project, paid: Worker, boss: Client, values: dict[str, Any], message: str
    ) -> None:
        response = give(boss, paid, owing, **values)
        assert response.status_code == 400 and message in response.text and not LedgerEntry.objects.exists()

    def test_one_beyond_the_spend_cap_is_refused(self, boss: Client) -> None:
        project = paying(name="capped", spend_cap_cents=12)
        bob = worker(project, "bob")
        work(project, bob)
        response = give(boss, bob, project)
        assert response.status_code == 400 and "spend cap" in response.text and not LedgerEntry.objects.exists()


def test_workers_are_shown_page_by_page_and_the_sums_are_of_all(owing: Project, boss: Client, monkeypatch: Any):
    monkeypatch.setattr("projects.people.money_page.PER_PAGE", 2)
    address, counts = reverse("projects:money", args=[owing.name]), []
    for several in (("ada", "bob", "cyd"), ("dan", "eve")):
        for name in several:
            work(owing, worker(owing, name))
        with CaptureQueriesContext(connection) as made:
            first = boss.get(address)
        counts.append(len(made))
    assert counts[0] == counts[1] <= 24
    assert names(first) == ["ada", "bob"] and dict(first.context["sums"])["owed"] == "$0.50"
    assert "page=2" in first.text
    last = boss.get(address, {"page": "3"})
    assert names(last) == ["eve"] and 'rel="next"' not in last.text and "$0.50" in last.text
    assert names(boss.get(address, {"sort": "-worker"})) == ["eve", "dan"]


class TestBadWork:
    def test_it_is_paid_and_not_used_after_a_reason_is_given(self, owing: Project, paid: Worker, boss: Client):
        done = work(owing, paid)
        tick(project_id=owing.id)
        asked = act(boss, "soft", done)
        assert "Pay, but do not use" in asked.text and 'name="sent"' in asked.text
        assert Assignment.objects.get(id=done.id).acceptance == ""
        assert "nothing had followed" in act(boss, "soft", done, sent="yes", reason="one button").text
        done.refresh_from_db()
        assert (done.acceptance, done.acceptance_reason) == ("refused", "one button")
        assert account_of(paid.id, owing.id).owed == 10
        assert LogEntry.objects.get().change_message == "Pay, but do not use: one button"

    @pytest.mark.parametrize("action", ["soft", "refuse", "restore"])
    def test_without_a_reason_it_only_asks_again(self, owing: Project, paid: Worker, boss: Client, action: str) -> None:
        done = work(owing, paid)
        assert "This field is required" in act(boss, action, done, sent="yes", reason=" ").text
        assert Assignment.objects.get(id=done.id).acceptance == ""
        assert not LedgerEntry.objects.exists() and not Message.objects.exists()

    @pytest.mark.both_engines
    def test_pay_is_refused_in_part_and_the_refusal_taken_back(self, owing: Project, paid: Worker, boss: Client):
        done = work(owing, paid)
        assert "0.04 refused" in act(boss, "refuse", done, sent="yes", reason="empty", cents=4).text
        assert account_of(paid.id, owing.id).owed == 6
        assert "0.04 are owed again" in act(boss, "restore", done, sent="yes", reason="my mistake").text
        assert account_of(paid.id, owing.id).owed == 10

    def test_what_one_does_not_allow_does_not_stop_the_others(self, owing: Project, paid: Worker, boss: Client) -> None:
        done, held = work(owing, paid), lease(owing, paid, ASK, size=1)
        assert held is not None
        page = act(boss, "refuse", Assignment.objects.get(id=held.id), done, sent="yes", reason="empty").text
        assert "The assignment is active" in page and "0.10 refused" in page

    def test_assignments_of_somebody_else_are_not_touched(self, owing: Project, paid: Worker, boss: Client):
        of_bob = work(owing, worker(owing, "bob"))
        address = reverse("projects:assignments", args=[owing.name, paid.pk])
        boss.post(address, {"act": "soft", "row": [of_bob.pk], "sent": "yes", "reason": "one button"})
        of_bob.refresh_from_db()
        assert of_bob.acceptance == ""

    @pytest.mark.parametrize("sent", [{}, {"act": "soft"}, {"row": ["1"]}, {"act": "burn", "row": ["1", "9" * 40]}])
    def test_a_choice_of_nothing_says_what_to_choose(self, owing: Project, paid: Worker, boss: Client, sent: Any):
        address = reverse("projects:assignments", args=[owing.name, paid.pk])
        assert "Choose assignments, and what to do about them." in boss.post(address, sent, follow=True).text
