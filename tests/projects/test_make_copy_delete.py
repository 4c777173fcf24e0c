"""Projects are made, started, copied and deleted in the browser.
A project cannot have the name of a page: /work/language/ would never be the project's.
The page that deletes a project says first what goes with it, or what forbids it.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import NestedObjects
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db.models import Model, ProtectedError
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from accounts.members import add_member
from accounts.models import Membership, Role
from annotation.models import Caption, Gold, Image, Mention, Project
from annotation.rules.box import Box
from annotation.rules.states import ProjectState
from exchange.dataset import DatasetBox
from pipeline.models import Entry, Judgment, KnownQuestion, LedgerEntry, Progress, Question, SettingsVersion, Transition
from pipeline.project.settings_versions import addresses_in, change_settings, current_settings, is_address, open_project
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from platforms.models import Offer, Recruitment
from projects.lifecycle.change_state import CHECKS, DraftIncompleteError, change_state, missing_before_start
from projects.lifecycle.pages import WHY_PROTECTED, plan_deletion
from projects.models import Run, StateChange
from tests.support.answers import make_known
from tests.support.members import maker
from tests.support.pictures import plain_jpeg
from tests.support.projects import answer, phrases, project_of, worker
from tests.support.recruiting import an_offer
from tests.support.rows import NOW, make_project, make_story, make_worker
from tests.support.runs import some_run
from tests.support.surveys import foil, import_survey
from tests.support.table import case
from workers.change_trust import change_trust
from workers.invitations import grant_access
from workers.models import Access, Invitation, Message, TrustChange, Worker
from workers.rules.trust_states import TrustEvent

pytestmark = pytest.mark.django_db
SAID = "is an address of the service itself: choose another name."


@pytest.fixture
def project(rita: User) -> Project:
    known = DatasetBox(Box(1, 1, 9, 9), category="cat")
    made = project_of(
        phrases("animals: a dog", "animals: a cat", name="1", chains=("x", "x"), boxes=[known]),
        phrases("people: a man", name="2"),
        settings=Settings(spend_cap_cents=500),
        gold=True,
    )
    add_member(rita, made, Role.REQUESTER)
    Project.objects.update(requester="A lab", purpose="Research", kept_days=90, data_card={"license": "MIT"})
    return made


class TestNew:
    def test_the_maker_of_a_draft_becomes_its_requester(self, requester: Client) -> None:
        answer = requester.post("/projects/new/", {"title": "Street scenes, 2026", "language": "en"})
        made = Project.objects.get()
        assert answer["Location"] == "/projects/street-scenes-2026/data/"
        assert (made.title, made.state) == ("Street scenes, 2026", "draft")
        assert Membership.objects.get().role == Role.REQUESTER and current_settings(made.pk)[1].caption_language == "en"

    @pytest.mark.parametrize("name", ["small", "new", "a b", "é"])
    def test_a_name_that_is_taken_or_no_name_is_refused(self, requester: Client, project: Project, name: str) -> None:
        answer = requester.post("/projects/new/", {"title": "T", "name": name, "language": "en"})
        assert answer.status_code == 400 and Project.objects.count() == 1

    @pytest.mark.both_engines
    def test_the_start_page_offers_it_to_those_with_the_right_alone(self, requester: Client) -> None:
        assert "New project" in requester.get("/").text
        open_project(name="only")
        add_member(User.objects.get(username="rita"), Project.objects.get(), Role.REQUESTER)
        assert "New project" not in requester.get("/").text, "a single project is shown at once"
        assert 'href="/?all=yes"' in requester.get("/").text and "New project" in requester.get("/?all=yes").text
        worker_client = Client()
        worker_client.force_login(User.objects.create_user("ada"))
        assert "New project" not in worker_client.get("/").text
        assert worker_client.get("/projects/new/").status_code == 403


class TestStart:
    def test_a_draft_without_images_or_phrases_is_not_started_and_says_why(self, requester: Client, rita: User) -> None:
        add_member(rita, open_project(name="empty", state=ProjectState.DRAFT), Role.REQUESTER)
        page = requester.post("/projects/empty/state/", {"state": "running"}, follow=True).text
        assert "cannot be started yet. It has no images" in page and Project.objects.get().state == "draft"
        assert not StateChange.objects.exists()

    def test_other_rooms_add_their_reasons(self, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
        Project.objects.update(state="draft")
        assert missing_before_start(Project.objects.get()) == []
        monkeypatch.setattr(
            "projects.lifecycle.change_state.CHECKS", [*CHECKS, lambda _: ["Verification questions lack."]]
        )
        with pytest.raises(DraftIncompleteError, match="Verification questions lack"):
            change_state(project.pk, ProjectState.RUNNING, None)

    def test_a_command_moves_a_project_and_refuses_what_is_no_move(self, project: Project) -> None:
        call_command("project_state", "small", "paused")
        assert Project.objects.get().state == "paused"
        with pytest.raises(CommandError, match="paused project cannot become archived"):
            call_command("project_state", "small", "archived")


@pytest.mark.usefixtures("at_once")
class TestCopy:
    def copied(self, requester: Client, **given: Any) -> Project:
        requester.post("/projects/small/copy/", {"title": "Second", **given})
        return Project.objects.get(name="second")

    def test_a_copy_has_the_settings_and_terms_and_is_a_draft(self, requester: Client, project: Project) -> None:
        copy = self.copied(requester)
        assert (copy.state, copy.requester, copy.purpose, copy.kept_days) == ("draft", "A lab", "Research", 90)
        assert copy.data_card == {"license": "MIT"} and current_settings(copy.pk)[1].spend_cap_cents == 500
        assert not copy.images.exists() and Membership.objects.filter(project=copy, role="requester").exists()

    def test_no_program_judges_in_a_copy(self, requester: Client, project: Project) -> None:
        settings = current_settings(project.pk)[1]
        change_settings(project_id=project.pk, settings=replace(settings, model_annotators=(7,)))
        assert current_settings(self.copied(requester).pk)[1] == settings

    def test_a_copy_with_images_has_a_fresh_record_and_nobodys_answers(self, requester: Client, project: Project):
        answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "same")
        copy = self.copied(requester, images="on")
        assert Run.objects.get(project=copy).state == "done"
        assert list(copy.images.values_list("name", "picture", "state")) == [
            ("1", "1.jpg", "linking"),
            ("2", "2.jpg", "linking"),
        ]
        assert sorted(one.text for one in Mention.objects.filter(image__project=copy)) == ["a cat", "a dog", "a man"]
        assert set(Entry.objects.filter(project=copy).values_list("kind", flat=True)) == {"import"}
        assert Gold.objects.get(image__project=copy).chains[0]["mentions"] == [0, 1]
        assert copy.images.get(name="1").known_boxes.get().category == "cat"
        assert Judgment.objects.filter(question__image__project=copy).count() == 0
        call_command("replay", "second")

    def test_a_copy_that_was_stopped_copies_each_image_once(self, requester: Client, project: Project) -> None:
        copy = self.copied(requester, images="on")
        copy.images.get(name="1").delete()
        run = Run.objects.get(project=copy)
        Run.objects.update(state="failed")
        requester.post(f"/projects/second/runs/{run.pk}/", {"command": "resume"})
        assert sorted(copy.images.values_list("name", flat=True)) == ["1", "2"]


class TestDelete:
    def test_the_page_says_what_goes_with_the_project(self, requester: Client, project: Project) -> None:
        page = requester.get("/projects/small/delete/").text
        for line in ("images: 2", "mentions: 3", "settings versions: 1", "2 picture files stay"):
            assert line in page

    def test_a_project_is_deleted_after_its_name_was_typed(self, requester: Client, project: Project) -> None:
        wrong = requester.post("/projects/small/delete/", {"typed": "smal"})
        assert wrong.status_code == 400 and 'value="smal" autofocus aria-invalid="true"' in wrong.text
        assert Project.objects.exists()
        page = requester.post("/projects/small/delete/", {"typed": "small"}, follow=True).text
        assert "The project small was deleted." in page
        assert not Project.objects.exists() and not Image.objects.exists() and not Entry.objects.exists()

    def test_a_project_with_answers_is_kept(self, requester: Client, project: Project) -> None:
        answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "same")
        assert "workers answered questions" in requester.get("/projects/small/delete/").text
        assert requester.post("/projects/small/delete/", {"typed": "small"}).status_code == 400
        assert Project.objects.exists()

    def test_a_project_is_not_deleted_under_a_running_import(self, requester: Client, project: Project) -> None:
        some_run(project)
        assert "an import is running" in requester.post("/projects/small/delete/", {"typed": "small"}).text
        assert Project.objects.exists()


def test_what_stands_first_or_beside_the_names_of_projects_is_an_address() -> None:
    paths = ["/", "/work/", "/work/{name}/", "/work/language/", "/work/{name}/{task}/", "/work/password/new/"]
    paths += ["/api/v1/{project}/files/", "/api/v1/schema/", "/pictures/{image_id}/", "/admin/workers/worker/"]
    assert addresses_in(paths) == {"work", "language", "password", "api", "schema", "pictures", "admin"}


def test_addresses_are_those_of_the_service_as_it_is() -> None:
    assert all(map(is_address, ("language", "my-data", "new", "admin", "projects", "work")))
    assert not any(map(is_address, ("small", "settings", "earned", "tasks", "assignments", "")))


@case("by page", "/projects/new/", {"name": "my-data", "language": "en"}, 400)
@case("by title", "/projects/new/", {"title": "My data", "name": "", "language": "en"}, 400)
@case("by copying", "/projects/mine/copy/", {"name": "language", "images": "on"}, 400)
@case("by survey", "/projects/new/survey/", {"name": "conversations", "kind": "caption_check", "votes": "3"}, 400)
@case("by API", "/api/v1/requester/projects/", {"name": "messages"}, 409)
def test_no_page_and_no_call_makes_such_a_project(path: str, given: Any, status: int, client: Client) -> None:
    user, form = maker("rita"), {"title": "T", **given}
    if "survey" in path:
        items = SimpleUploadedFile("items.jsonl", json.dumps(foil(0)).encode())
        form |= {"known": "0", "seed": "", "items": items}
    add_member(user, project_of(phrases("people: a man"), name="mine"), Role.REQUESTER)
    client.force_login(user)
    answer = client.post(path, form, "application/json") if status == 409 else client.post(path, form)
    assert answer.status_code == status and SAID in answer.text and Project.objects.count() == 1


def test_no_command_makes_such_a_project(tmp_path: Path) -> None:
    (tmp_path / "dog0.jpg").write_bytes(plain_jpeg())
    (tmp_path / "captions.csv").write_text("image,caption\ndog0.jpg,[a man]\n")

    with pytest.raises(CommandError, match=SAID):
        call_command("import_dataset", "my-data", str(tmp_path))

    with pytest.raises(CommandError, match=SAID):
        import_survey(tmp_path, [foil(0)], project="language")
    assert not Project.objects.exists()


def test_a_project_of_such_a_name_from_before_is_filled_all_the_same(tmp_path: Path) -> None:
    project_of(phrases("people: a man"), name="mine")
    Project.objects.update(name="language")
    (tmp_path / "one.jpg").write_bytes(plain_jpeg())
    (tmp_path / "captions.csv").write_text("image,caption\none.jpg,[a man]\n")
    call_command("import_dataset", "language", str(tmp_path))
    assert Project.objects.get().images.count() == 2


def address(project: Project) -> str:
    return reverse("projects:delete", args=[project.name])


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
    def test_the_page_lists_what_goes_with_it(self, idle: Project, boss: Client) -> None:
        page = shown(boss, idle)
        assert f"Delete {idle}?" in page and "cannot be brought back" in page
        mine = (Image, Caption, Gold, Question, KnownQuestion, Entry, Progress, SettingsVersion, Access, Invitation)
        for model in mine:
            rows: Any = model._default_manager
            assert rows.count() and f"{model._meta.verbose_name_plural}: {rows.count()}" in page, model

    def test_nothing_is_deleted_before_it_is_confirmed(self, idle: Project, boss: Client) -> None:
        shown(boss, idle)
        assert Project.objects.filter(pk=idle.pk).exists() and Image.objects.count() == 2

    def test_it_is_deleted_with_all_of_this_and_nothing_of_another(self, idle: Project, boss: Client) -> None:
        other, deleted = make_story(make_project("another")), plan_deletion(idle).deleted
        assert delete(boss, idle).redirect_chain[-1][0] == reverse("gallery:start")
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

    def test_messages_about_it_go_with_it(self, idle: Project, boss: Client) -> None:
        Message.objects.create(worker=make_worker(), project=idle, text="Welcome.")
        kept = Message.objects.create(worker=make_worker(), text="Of no single project.")
        assert "messages: 1" in shown(boss, idle)
        delete(boss, idle)
        assert list(Message.objects.all()) == [kept]

    def test_pictures_stay_and_the_page_says_so(self, idle: Project, boss: Client) -> None:
        Image.objects.filter(project=idle).update(picture="originals/ab/one.jpg")
        assert "Its 1 picture file stays in storage" in shown(boss, idle)

    def test_the_history_says_who_deleted_it(self, idle: Project, boss: Client) -> None:
        delete(boss, idle)
        entry = LogEntry.objects.get()
        assert entry.is_deletion() and entry.object_repr == str(idle) and entry.user.get_username() == "admin"


class TestAProjectThatIsProtected:
    def test_the_page_says_in_plain_words_what_forbids_it(self, boss: Client) -> None:
        page = shown(boss, make_story(make_project()).project)
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

    def test_a_confirmation_sent_all_the_same_deletes_nothing(self, boss: Client) -> None:
        project = make_story(make_project()).project
        assert "cannot be deleted" in delete(boss, project).text
        assert Project.objects.get() == project and Judgment.objects.count() == 1 and Image.objects.count() == 1

    @pytest.mark.parametrize("model", [LedgerEntry, TrustChange, Offer, Recruitment])
    def test_one_row_of_each_of_these_is_enough(self, model: type[Model], idle: Project, boss: Client) -> None:
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
        assert WHY_PROTECTED[model] in delete(boss, idle).text and model._default_manager.count() == 1
        assert Image.objects.filter(project=idle).count() == 2

    def test_the_database_layer_refuses_it_too(self) -> None:
        project = make_story(make_project()).project
        with pytest.raises(ProtectedError):
            project.delete()

    def test_every_model_that_protects_is_explained(self) -> None:
        project = make_story(make_project()).project
        assert {related.model for related in plan_deletion(project).protected} == set(WHY_PROTECTED)


def test_an_empty_project_has_only_its_settings(boss: Client) -> None:
    project = make_project()
    assert "settings versions: 1" in shown(boss, project)
    delete(boss, project)
    assert not Project.objects.exists() and not SettingsVersion.objects.exists()
