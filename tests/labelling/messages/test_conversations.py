"""A worker writes to the requester about an assignment, a refusal, a test or a status; the answer comes back."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import transaction
from django.test import Client
from django.utils import timezone

from accounts.models import Role
from annotation.models import Project
from labelling.messages import (
    NOBODY,
    WAITS,
    BadMessageError,
    NoSuchConversationError,
    TooManyMessagesError,
    answer_worker,
    delete_messages,
    enqueue_mail,
    read_answers,
    send_due_mail,
    send_due_mail_job,
    send_mail_job,
    unread_answers,
    write_to_requester,
)
from labelling.models import Conversation, OutgoingMail, Post
from pipeline.money.refuse_pay import refuse_pay
from runtime import clock
from tests.support.answers import handed_in
from tests.support.members import member
from tests.support.rows import make_project, make_worker
from workers.invitations import grant_access
from workers.messages import send_message
from workers.models import Access, Message, Worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def ada(project: Project) -> Worker:
    return worker_in(project, "ada", "ada@example.org")


def worker_in(project: Project, name: str, address: str = "") -> Worker:
    made = make_worker(name=name, user=User.objects.create_user(name, address))
    grant_access(made, project.pk, ["box_drawing"])
    return made


def write(who: Worker, project: Project, text: str = "Please look again.", **about: Any) -> Conversation:
    return write_to_requester(worker_id=who.pk, project_id=project.pk, text=text, **about)


class TestAMessage:
    def test_says_by_itself_what_it_is_about(self, project: Project, ada: Worker) -> None:
        plain, test, refused = (handed_in(project, ada, kind=kind) for kind in ("work", "test", "work"))
        refuse_pay(assignment_id=refused.pk, reason="boxes around nothing", actor="boss")
        tokens: list[dict[str, Any]] = [{"token": one.token} for one in (plain, test, refused)]
        about = [*tokens, {"task": "box_drawing"}, {}]
        written = [write(ada, project, **one) for one in about]
        assert [one.subject for one in written] == ["receipt", "test", "refusal", "standing", "other"]
        assert [one.task for one in written] == [*4 * ["box_drawing"], ""]

    def test_waits_until_it_is_answered_and_waits_again_when_the_worker_replies(
        self, project: Project, ada: Worker
    ) -> None:
        asked = write(ada, project)
        assert asked.waits_since
        answer_worker(conversation_id=asked.pk, text="We looked.", actor="boss")
        asked.refresh_from_db()
        assert asked.waits_since is None
        write(ada, project, "Thank you.", conversation_id=asked.pk)
        asked.refresh_from_db()
        assert asked.waits_since
        said = [("", "Please look again."), ("boss", "We looked."), ("", "Thank you.")]
        assert [(post.actor, post.text) for post in asked.posts.all()] == said

    @pytest.mark.parametrize("text", ["", "  \r\n ", "x" * 2001, "a\0b"])
    def test_is_neither_empty_nor_endless_and_a_line_break_is_one_character(
        self, project: Project, ada: Worker, text: str
    ) -> None:
        with pytest.raises(BadMessageError):
            write(ada, project, text)
        assert not Conversation.objects.exists()
        assert write(ada, project, "a\r\n" * 1000).posts.get().text == ("a\n" * 1000).strip()

    def test_is_about_what_is_the_workers_own(self, project: Project, ada: Worker) -> None:
        bob = worker_in(project, "bob")
        theirs, other = write(bob, project), make_project("streets")
        tokens: list[dict[str, Any]] = [{"token": token} for token in (handed_in(project, bob).token, uuid4())]
        for about in [*tokens, {"conversation_id": theirs.pk}, {"conversation_id": 10**30}, {"task": "dancing"}]:
            with pytest.raises(NoSuchConversationError):
                write(ada, project, **about)
        with pytest.raises(NoSuchConversationError):
            write(ada, other)
        assert list(Conversation.objects.all()) == [theirs]

    def test_can_be_written_by_who_has_lost_access(self, project: Project, ada: Worker) -> None:
        handed_in(project, ada)
        Access.objects.all().delete()
        assert write(ada, project).subject == "other"

    def test_is_refused_after_ten_in_an_hour(self, project: Project, ada: Worker) -> None:
        for number in range(10):
            write(ada, project, str(number))
        with pytest.raises(TooManyMessagesError):
            write(ada, project)
        assert write(worker_in(project, "bob"), project)
        Post.objects.update(created_at=timezone.now() - timedelta(hours=2))
        assert write(ada, project)


class TestAnAnswer:
    def test_is_unread_until_the_worker_has_read_it(self, project: Project, ada: Worker) -> None:
        asked, bob = write(ada, project), worker_in(project, "bob")
        answer = answer_worker(conversation_id=asked.pk, text="We looked.", actor="boss")
        assert list(unread_answers(ada.pk)) == [answer]
        assert read_answers(conversation_id=asked.pk, worker_id=bob.pk) == 0
        assert read_answers(conversation_id=10**30, worker_id=ada.pk) == 0
        assert read_answers(conversation_id=asked.pk, worker_id=ada.pk) == 1
        assert not unread_answers(ada.pk).exists()

    def test_goes_out_by_mail_once_where_there_is_an_address(self, project: Project, ada: Worker) -> None:
        answer = answer_worker(conversation_id=write(ada, project).pk, text="We looked.", actor="boss")
        assert answer.mail and answer.mail.state == "due" and not mail.outbox
        assert (send_due_mail(), send_due_mail()) == (1, 0)
        (sent,) = mail.outbox
        assert (sent.to, sent.subject) == (["ada@example.org"], "An answer from parks")
        assert "We looked." in sent.body and "/work/parks/messages/" in sent.body and "boss" not in sent.body
        answer.mail.refresh_from_db()
        assert (answer.mail.state, answer.mail.text) == ("sent", ""), "no text stays in the table"

    def test_stays_on_the_page_where_there_is_no_address_or_no_mail_server(
        self, project: Project, ada: Worker, settings: Any
    ) -> None:
        bob = worker_in(project, "bob")
        assert answer_worker(conversation_id=write(bob, project).pk, text="We looked.", actor="boss").mail is None
        settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
        assert answer_worker(conversation_id=write(ada, project).pk, text="We looked.", actor="boss").mail is None

    @pytest.mark.both_engines
    def test_is_not_sent_to_an_account_that_was_closed_meanwhile(self, project: Project, ada: Worker) -> None:
        answer_worker(conversation_id=write(ada, project).pk, text="We looked.", actor="boss")
        User.objects.update(is_active=False)
        assert (send_due_mail(), mail.outbox) == (0, [])
        given_up = OutgoingMail.objects.get()
        assert (given_up.state, given_up.text, given_up.problem) == ("failed", "", NOBODY)

    @pytest.mark.both_engines
    def test_is_sent_again_for_a_day_while_the_mail_server_fails(
        self, project: Project, ada: Worker, settings: Any, caplog: pytest.LogCaptureFixture
    ) -> None:
        answer_worker(conversation_id=write(ada, project).pk, text="We looked.", actor="boss")
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1  # nobody listens there
        now, after = clock.now(), timedelta()
        for tries, wait in enumerate(WAITS, start=1):
            with clock.moved(after):
                assert (send_due_mail(), send_due_mail()) == (0, 0)  # the second one comes before its time
            sent = OutgoingMail.objects.get()
            assert (sent.state, sent.tries) == ("due", tries) and "refused" in sent.problem
            after += wait + timedelta(seconds=1)
            assert now + after - timedelta(minutes=1) < sent.due_at < now + after + timedelta(minutes=1)
        with clock.moved(after):
            send_due_mail()
        assert OutgoingMail.objects.get().state == "failed"
        assert "was not sent" in caplog.text and "ada@example.org" not in caplog.text

    @pytest.mark.both_engines
    def test_arrives_once_the_mail_server_is_back(self, project: Project, ada: Worker, settings: Any) -> None:
        answer_worker(conversation_id=write(ada, project).pk, text="We looked.", actor="boss")
        working = settings.EMAIL_BACKEND
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
        send_due_mail_job()
        settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
        OutgoingMail.objects.update(due_at=clock.now())
        send_due_mail_job()
        assert OutgoingMail.objects.get().tries == 1, "where mail is off, mail waits"
        settings.EMAIL_BACKEND = working
        send_due_mail_job()
        assert [sent.to for sent in mail.outbox] == [["ada@example.org"]]

    def test_is_mailed_after_the_commit_and_by_a_job_runner(
        self, project: Project, settings: Any, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
    ) -> None:
        started: list[Any] = []
        monkeypatch.setattr("labelling.messages.start", started.append)
        enqueue_mail()
        settings.CELERY_TASK_ALWAYS_EAGER = False
        with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
            enqueue_mail()
            assert started == []
        assert started == [send_mail_job]


def test_everything_written_with_a_worker_can_be_forgotten(project: Project, ada: Worker) -> None:
    bob = worker_in(project, "bob")
    for one in (ada, bob):
        answer_worker(conversation_id=write(one, project).pk, text="We looked.", actor="boss")
        send_message(text="Thank you.", worker_ids=[one.pk])
    assert delete_messages(ada.pk) == 3
    assert {one.worker for one in Conversation.objects.all()} == {bob}
    assert {one.worker for one in Message.objects.all()} == {bob}
    assert send_due_mail() == 0 and not mail.outbox


@pytest.mark.both_engines
def test_a_requester_finds_who_waits_and_answers(project: Project, ada: Worker, client: Client) -> None:
    client.force_login(member(project, Role.REQUESTER, "boss"))
    asked = write(ada, project, "<b>Please</b>")
    waiting = f"/projects/{project.name}/workers/?needs=message"
    assert [row.worker for row in client.get(waiting).context["page"]] == [ada]
    assert "&lt;b&gt;Please" in client.get(f"/projects/{project.name}/workers/{ada.pk}/").text
    address, about = f"/projects/{project.name}/workers/{ada.pk}/message/", {"conversation": asked.pk}
    client.post(address, {**about, "text": " "})
    assert asked.posts.count() == 1
    client.post(address, {**about, "text": "We looked."})
    assert [(post.actor, post.text) for post in asked.posts.all()] == [("", "<b>Please</b>"), ("boss", "We looked.")]
    assert not client.get(waiting).context["page"]
    assert "mail to be sent" in client.get(f"/admin/labelling/conversation/{asked.pk}/change/").text
