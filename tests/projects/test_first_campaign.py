"""A first campaign, read as a requester reads it who never saw the service: who sees uploads, what becomes of pasted
captions, how many people are needed and whether anybody can answer, and what the formats of an export are for.
"""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.members import add_member
from accounts.models import Role
from annotation.models import Project
from annotation.rules.states import ProjectState
from exchange.registry import FORMATS, installed_formats
from platforms.models import Recruitment
from projects.crew import crew_of, only_others
from projects.lifecycle.change_state import missing_before_start
from projects.models import Run, Upload
from projects.uploads.files import keep_text, take_piece
from runtime import clock
from tests.projects.conftest import Later
from tests.support.main_buttons import main_buttons
from tests.support.members import maker, sign_in
from tests.support.pictures import plain_jpeg
from tests.support.projects import phrases, project_of, worker
from tests.support.runs import some_run
from workers.invitations import invite
from workers.models import Access, Worker

pytestmark = pytest.mark.django_db

PUBLIC = "Everybody who opens this site sees what you upload."
SHARED = "You share the account demo-requester with all visitors of this demo"
NOBODY = "Nobody can answer yet"


@pytest.fixture(autouse=True)
def _own_folders(own_folders: None) -> None:
    """Keep all files of these tests with them."""


def started(client: Client, *, trusting: str = "") -> Project:
    """Return a running project of a requester who invited nobody, or people by a link with this note."""
    project = project_of(phrases("people: a man", "people: the guy"))
    sign_in(client, project, Role.REQUESTER, "rita")
    if trusting:
        invite(project_id=project.pk, trusted=True, note=trusting)
    return project


def read(client: Client, page: str = "") -> str:
    return re.sub(r"\s+", " ", client.get(f"/projects/small/{page}").text)


class TestUploads:
    @pytest.mark.parametrize("path", ["/?all=yes", "/projects/small/data/"])
    def test_say_who_sees_them_and_who_shares_the_account(self, client: Client, settings: Any, path: str) -> None:
        user = maker("demo-requester")
        user.set_password("x")
        user.save()
        add_member(user, project_of(), Role.REQUESTER)
        client.force_login(user)
        assert "data-drop" in client.get(path).text and PUBLIC not in client.get(path).text
        settings.GALLERY_PUBLIC = True
        assert PUBLIC in client.get(path).text and SHARED not in client.get(path).text
        settings.DEMO = True
        assert SHARED not in client.get(path).text  # an account of somebody, with a password
        user.set_unusable_password()
        user.save()
        client.force_login(user)
        assert SHARED in client.get(path).text

    def test_are_named_by_the_start_until_they_are_imported(self, client: Client) -> None:
        project = project_of()
        assert missing_before_start(project) == ["It has no images: import some on its page “Data”."]
        Upload.objects.create(project=project, files=2, bytes=10)
        assert missing_before_start(project) == [
            "Its uploaded files are not imported yet: import them on its page “Data”."
        ]
        some_run(project, "begin_import", state=Run.State.RUNNING)
        assert missing_before_start(project) == ["An import is running: wait for its end, pause it or cancel it."]


class TestPastedCaptions:
    @pytest.fixture
    def draft(self, client: Client) -> Project:
        project = project_of()
        Project.objects.update(state=ProjectState.DRAFT.value)
        sign_in(client, project, Role.REQUESTER, "rita")
        return project

    def picture(self, project: Project, name: str) -> None:
        data = plain_jpeg()
        take_piece(project, f"images/{name}", offset=0, size=len(data), data=data)

    def paste(self, client: Client) -> str:
        return client.post("/projects/small/data/captions/", {"captions": "a.jpg,[A man] runs."}, follow=True).text

    def test_are_the_next_step_of_pictures_alone(self, client: Client, draft: Project) -> None:
        self.picture(draft, "a.jpg")
        page = client.get("/projects/small/data/").text
        assert main_buttons(page) == ["Import with these captions"]
        assert "Captions are missing: paste them below, or add captions.csv." in page

    def test_are_imported_at_once_with_the_pictures(self, client: Client, draft: Project, later: Later) -> None:
        self.picture(draft, "a.jpg")
        assert "Import the uploaded files" not in self.paste(client)  # it is on its way
        (job,) = later
        job()
        assert draft.images.count() == 1 and not missing_before_start(draft)

    def test_wait_for_pictures_that_are_not_there(self, client: Client, draft: Project) -> None:
        assert "1 caption is kept as captions.csv." in self.paste(client) and not Run.objects.exists()

    def test_wait_with_the_files_of_another_format(self, client: Client, draft: Project) -> None:
        self.picture(draft, "a.jpg")
        keep_text(draft, "captions.json", "{}")
        self.paste(client)
        assert not Run.objects.exists()


class TestNobodyWhoCanAnswer:
    @pytest.mark.parametrize("page", ["", "dashboard/"])
    def test_is_said_with_what_to_do(self, client: Client, page: str) -> None:
        started(client)
        text = read(client, page)
        assert (
            NOBODY in text
            and "Nobody has access yet; 6 workers are enough." in text
            and "Nothing needs you" not in text
        )
        assert 'action="/work/small/try/"' in text and main_buttons(text) == ["Invite workers"]

    def test_shows_the_link_to_send(self, client: Client) -> None:
        project = started(client, trusting="friends")
        code = project.invitations.get().code
        assert f'<code class="token">http://testserver/join/{code}/</code>' in read(client)

    def test_ends_with_the_requesters_own_answers(self, client: Client) -> None:
        project = started(client)
        assert client.post("/work/small/try/").headers["Location"] == "/work/small/"
        assert set(Access.objects.values_list("worker__user__username", flat=True)) == {"rita"}
        assert NOBODY not in read(client) and project.state == "running"

    def test_is_no_word_for_visitors_for_drafts_or_where_programs_or_strangers_answer(
        self, client: Client, settings: Any
    ) -> None:
        settings.GALLERY_PUBLIC = True
        project = started(client)
        assert NOBODY not in read(Client())
        worker(project, "model", kind=Worker.Kind.PROGRAM)
        assert NOBODY in read(client)  # a program alone brings no project to its end
        Recruitment.objects.create(project=project, platform="mturk", created_at=clock.now())
        assert NOBODY not in read(client)
        Project.objects.update(state=ProjectState.DRAFT.value)
        assert NOBODY not in read(client)


class TestPeopleNeeded:
    def test_are_one_sentence_on_every_page(self, client: Client) -> None:
        project = started(client)
        worker(project, "ada")
        said = crew_of(project).needed
        assert said.startswith("1 worker has access.") and said.endswith("nobody gets to the end alone.")
        assert all(said in read(client, page) for page in ("", "dashboard/", "predict/", "workers/invite/"))

    def test_are_no_word_where_there_are_enough_or_nobody_is_asked_any_more(self, client: Client) -> None:
        project = started(client)
        project.state = ProjectState.FINISHED.value
        assert crew_of(project).needed == ""
        project.state = ProjectState.RUNNING.value
        for name in ("ada", "bob", "cyd", "dan", "eve", "fay"):
            worker(project, name)
        assert crew_of(project).needed == ""

    def test_are_named_by_open_questions_that_wait_for_others(self) -> None:
        assert only_others(1).startswith("Only other people can answer 1 question: ")


def test_the_export_says_what_each_format_is_for_and_which_to_take(client: Client) -> None:
    started(client)
    text = read(client)
    assert all(f"{name}<small>{FORMATS[name].title}" in text.replace("&#x27;", "'") for name in installed_formats())
    assert "Not sure? Take coco." in text


def test_the_last_step_of_a_draft_that_can_start_is_a_button(client: Client) -> None:
    project = started(client)
    Project.objects.update(state=ProjectState.DRAFT.value)
    last = '<button class="link" form="life" name="state" value="running">Start</button>'
    assert last not in read(client)
    invite(project_id=project.pk, trusted=True)
    assert last in read(client) and 'id="life"' in read(client)
