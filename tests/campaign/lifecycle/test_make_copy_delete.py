"""Projects are made, started, copied and deleted in the browser."""

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Gold, Image, Mention, Project
from annotation.rules.box import Box
from annotation.rules.states import ProjectState
from campaign.lifecycle.change_state import CHECKS, NotReadyError, change_state, missing_before_start
from campaign.models import ImportRun, StateChange
from exchange.dataset import DatasetBox
from members.add_member import add_member
from members.models import Membership, Role
from pipeline.models import Entry, Judgment
from pipeline.project.settings_versions import change_settings, current_settings, open_project
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.projects import answer, phrases, project_of, worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(rita: User) -> Project:
    known = DatasetBox(Box(1, 1, 9, 9), category="cat")
    made = project_of(
        phrases("animals: a dog", "animals: a cat", name="1", chains=("x", "x"), boxes=[known]),
        phrases("people: a man", name="2"),
        settings=ProtocolSettings(spend_cap_cents=500),
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
        assert Membership.objects.get().role == Role.REQUESTER
        assert current_settings(made.pk)[1].caption_language == "en"

    @pytest.mark.parametrize("name", ["small", "new", "a b", "é"])
    def test_a_name_that_is_taken_or_no_name_is_refused(self, requester: Client, project: Project, name: str) -> None:
        answer = requester.post("/projects/new/", {"title": "T", "name": name, "language": "en"})
        assert answer.status_code == 400
        assert Project.objects.count() == 1

    def test_a_title_without_letters_needs_a_name(self, requester: Client) -> None:
        page = requester.post("/projects/new/", {"title": "東京", "language": "en"}).text
        assert "The title has no letters that a name could be made of" in page

    @pytest.mark.both_engines
    def test_the_start_page_offers_it_to_those_with_the_right_alone(self, requester: Client) -> None:
        assert "New project" in requester.get("/").text
        open_project(name="only")
        add_member(User.objects.get(username="rita"), Project.objects.get(), Role.REQUESTER)
        assert "New project" not in requester.get("/").text, "a single project is shown at once"
        assert 'href="/?all=yes"' in requester.get("/").text
        assert "New project" in requester.get("/?all=yes").text
        worker_client = Client()
        worker_client.force_login(User.objects.create_user("ada"))
        assert "New project" not in worker_client.get("/").text
        assert worker_client.get("/projects/new/").status_code == 403


class TestStart:
    def test_a_draft_without_images_or_phrases_is_not_started_and_says_why(self, requester: Client, rita: User) -> None:
        draft = open_project(name="empty", state=ProjectState.DRAFT)
        add_member(rita, draft, Role.REQUESTER)
        page = requester.post("/projects/empty/state/", {"state": "running"}, follow=True).text
        assert "cannot be started yet. It has no images" in page
        assert Project.objects.get().state == "draft"
        assert not StateChange.objects.exists()

    def test_other_rooms_add_their_reasons(self, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
        Project.objects.update(state="draft")
        assert missing_before_start(Project.objects.get()) == []
        monkeypatch.setattr(
            "campaign.lifecycle.change_state.CHECKS", [*CHECKS, lambda _: ["Verification questions lack."]]
        )
        with pytest.raises(NotReadyError, match="Verification questions lack"):
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
        assert copy.data_card == {"license": "MIT"}
        assert current_settings(copy.pk)[1].spend_cap_cents == 500
        assert not copy.images.exists()
        assert Membership.objects.filter(project=copy, role="requester").exists()

    def test_no_program_judges_in_a_copy(self, requester: Client, project: Project) -> None:
        settings = current_settings(project.pk)[1]
        change_settings(project_id=project.pk, settings=replace(settings, jurors=(7,)))
        assert current_settings(self.copied(requester).pk)[1] == settings

    def test_a_copy_with_images_has_a_fresh_record_and_nobodys_answers(
        self, requester: Client, project: Project
    ) -> None:
        answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "same")
        copy = self.copied(requester, images="on")
        assert ImportRun.objects.get(project=copy).state == "done"
        assert list(copy.images.values_list("name", "picture", "state")) == [
            ("1", "1.jpg", "linking"),
            ("2", "2.jpg", "linking"),
        ]
        assert sorted(Mention.objects.filter(image__project=copy).values_list("text", flat=True)) == [
            *("a cat", "a dog", "a man"),
        ]
        assert set(Entry.objects.filter(project=copy).values_list("kind", flat=True)) == {"import"}
        assert Gold.objects.get(image__project=copy).chains[0]["mentions"] == [0, 1]
        assert copy.images.get(name="1").known_boxes.get().category == "cat"
        assert Judgment.objects.filter(question__image__project=copy).count() == 0
        call_command("replay", "second")

    def test_a_copy_that_was_stopped_copies_each_image_once(self, requester: Client, project: Project) -> None:
        copy = self.copied(requester, images="on")
        copy.images.get(name="1").delete()
        run = ImportRun.objects.get(project=copy)
        ImportRun.objects.update(state="failed")
        requester.post(f"/projects/second/data/runs/{run.pk}/", {"wish": "resume"})
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
        ImportRun.objects.create(project=project)
        page = requester.post("/projects/small/delete/", {"typed": "small"}).text
        assert "an import is running" in page
        assert Project.objects.exists()
