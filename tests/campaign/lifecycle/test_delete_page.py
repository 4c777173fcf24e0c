"""The page that deletes a project says first what goes with it, or what forbids it."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import NestedObjects
from django.db.models import Model, ProtectedError
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from annotation.models import Caption, Gold, Image, Project
from campaign.lifecycle.delete_page import WHY_PROTECTED, plan_deletion
from members.models import Role
from pipeline.models import Entry, Judgment, KnownQuestion, LedgerEntry, Progress, Question, SettingsVersion, Transition
from pipeline.rules.tasks.task import Task
from platforms.models import Offer, Recruitment
from tests.support.answers import make_known
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of
from tests.support.recruiting import an_offer
from tests.support.rows import NOW, make_project, make_story, make_worker
from workers.change_trust import change_trust
from workers.grant_access import grant_access
from workers.models import Access, Invitation, Message, TrustChange, Worker
from workers.rules.trust_states import TrustEvent

pytestmark = pytest.mark.django_db


def address(project: Project) -> str:
    return reverse("campaign:delete", args=[project.name])


def shown(client: Client, project: Project) -> str:
    """The delete page's text, without the markup of links."""
    return strip_tags(client.get(address(project)).text)


def delete(client: Client, project: Project) -> Any:
    return client.post(address(project), {"typed": project.name}, follow=True)


@pytest.fixture
def idle() -> Project:
    """An imported project with open questions, gold and an invited worker, in which nobody has worked."""
    project = project_of(
        *(phrases("people: A man", "people: The man", name=name, chains=("1", "1")) for name in "ab"), gold=True
    )
    make_known(project.images.earliest("pk"), Task.BOX_QUALITY, "good")
    grant_access(make_worker(name="ada"), project.pk, [Task.BOX_QUALITY.value], trusted=True)
    Invitation.objects.create(project=project, note="colleagues")
    return project


class TestAProjectNobodyHasWorkedIn:
    def test_the_page_lists_what_goes_with_it(self, idle: Project, admin_client: Client) -> None:
        page = shown(admin_client, idle)
        assert f"Delete {idle}?" in page and "cannot be brought back" in page
        for model in (
            Image,
            Caption,
            Gold,
            Question,
            KnownQuestion,
            Entry,
            Progress,
            SettingsVersion,
            Access,
            Invitation,
        ):
            rows: Any = model._default_manager
            assert rows.count() and f"{model._meta.verbose_name_plural}: {rows.count()}" in page, model

    def test_nothing_is_deleted_before_it_is_confirmed(self, idle: Project, admin_client: Client) -> None:
        shown(admin_client, idle)
        assert Project.objects.filter(pk=idle.pk).exists() and Image.objects.count() == 2

    def test_it_is_deleted_with_all_of_this_and_nothing_of_another(self, idle: Project, admin_client: Client) -> None:
        other = make_story(make_project("another"))
        deleted = plan_deletion(idle).deleted
        assert delete(admin_client, idle).redirect_chain[-1][0] == reverse("gallery:start")
        for related in deleted:
            rows: Any = related.model._default_manager
            assert not any(rows.filter(**{path: idle.pk}).exists() for path in related.paths), related.model
        assert [image.project for image in Image.objects.all()] == [other.project]
        assert Entry.objects.count() == Transition.objects.count() == Question.objects.count() == 1
        assert list(Project.objects.all()) == [other.project]
        assert Worker.objects.filter(name="ada").exists(), "workers stay"

    def test_the_counts_are_those_of_django(self, idle: Project) -> None:
        collector = NestedObjects(using="default", origin=[idle])
        collector.collect([idle])
        djangos = {model: len(rows) for model, rows in collector.model_objs.items() if model is not Project}
        assert {related.model: related.count for related in plan_deletion(idle).deleted} == djangos

    def test_messages_about_it_go_with_it(self, idle: Project, admin_client: Client) -> None:
        Message.objects.create(worker=make_worker(), project=idle, text="Welcome.")
        kept = Message.objects.create(worker=make_worker(), text="Of no single project.")
        assert "messages: 1" in shown(admin_client, idle)
        delete(admin_client, idle)
        assert list(Message.objects.all()) == [kept]

    def test_pictures_stay_and_the_page_says_so(self, idle: Project, admin_client: Client) -> None:
        Image.objects.filter(project=idle).update(picture="originals/ab/one.jpg")
        assert "Its 1 picture file stays in storage" in shown(admin_client, idle)

    def test_the_history_says_who_deleted_it(self, idle: Project, admin_client: Client) -> None:
        delete(admin_client, idle)
        entry = LogEntry.objects.get()
        assert entry.is_deletion() and entry.object_repr == str(idle) and entry.user.get_username() == "admin"


class TestAProjectThatIsProtected:
    def test_the_page_says_in_plain_words_what_forbids_it(self, admin_client: Client) -> None:
        project = make_story(make_project()).project
        page = shown(admin_client, project)
        assert "parks cannot be deleted" in page
        for line in (
            "assignments: 1 (workers were given questions)",
            "judgments: 1 (workers answered questions)",
            "ledger: 1 (money was paid, promised or refused)",
            "trust changes: 1 (trust in workers was decided)",
            "offers: 1 (work was offered on a platform)",
            "recruitments: 1 (workers are or were recruited on a platform)",
            "screenings: 1 (a platform was told who passed a test)",
        ):
            assert line in page
        assert "Type parks to confirm" not in page

    def test_a_confirmation_sent_all_the_same_deletes_nothing(self, admin_client: Client) -> None:
        project = make_story(make_project()).project
        assert "cannot be deleted" in delete(admin_client, project).text
        assert Project.objects.get() == project and Judgment.objects.count() == 1 and Image.objects.count() == 1

    @pytest.mark.parametrize("model", [LedgerEntry, TrustChange, Offer, Recruitment])
    def test_one_row_of_each_of_these_is_enough(self, model: type[Model], idle: Project, admin_client: Client) -> None:
        worker = make_worker()
        if model is LedgerEntry:
            LedgerEntry.objects.create(
                worker=worker, project=idle, kind="bonus", cents=1, reason="kind", created_at=NOW
            )
        elif model is TrustChange:
            change_trust(
                worker_id=worker.pk, project_id=idle.pk, task="box_quality", event=TrustEvent.BAR, because="checked"
            )
        elif model is Offer:
            an_offer(idle)
        else:
            Recruitment.objects.create(platform="mturk", project=idle, created_at=NOW)
        page = delete(admin_client, idle).text
        assert WHY_PROTECTED[model] in page and model._default_manager.count() == 1
        assert Image.objects.filter(project=idle).count() == 2

    def test_the_database_layer_refuses_it_too(self) -> None:
        project = make_story(make_project()).project
        with pytest.raises(ProtectedError):
            project.delete()

    def test_every_model_that_protects_is_explained(self) -> None:
        project = make_story(make_project()).project
        assert {related.model for related in plan_deletion(project).protected} == set(WHY_PROTECTED)


def test_an_empty_project_has_only_its_settings(admin_client: Client) -> None:
    project = make_project()
    assert "settings versions: 1" in shown(admin_client, project)
    delete(admin_client, project)
    assert not Project.objects.exists() and not SettingsVersion.objects.exists()


def test_a_reviewer_cannot_delete_the_project(idle: Project, client: Client) -> None:
    sign_in(client, idle, Role.REVIEWER)
    assert client.get(address(idle)).status_code == 403
    assert client.post(address(idle), {"typed": idle.name}).status_code == 403
    assert Project.objects.filter(pk=idle.pk).exists()
