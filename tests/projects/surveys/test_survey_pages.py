"""Every page of a survey: it opens, or it says that a survey has no such page.
A requester makes a survey: the file is checked, the pictures come, the items are asked, the draft is started.
Results of a survey: shares, disputed items and words, and the file of votes.
The figures of a survey, once its workers have skills, and beside a project whose figures cannot be computed.
"""

import io
import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import URLPattern, reverse

from accounts.members import add_member
from accounts.models import Role
from annotation.models import Project
from annotation.pictures import store_picture
from annotation.rules.states import ProjectState
from exchange.jsonl.write import pseudonym
from pipeline.models import KnownQuestion, Question
from pipeline.project.settings_versions import current_settings, open_project
from pipeline.protocol.tasks.task import Task
from pipeline.record.apply_judgments import apply_judgments
from projects import jobs
from projects import urls as project_urls
from projects.access import Kinds
from projects.dashboard.figures import read_figures, refresh_figures
from projects.gallery import urls as gallery_urls
from projects.jobs import refresh_figures_job
from projects.models import Figures, ItemsFile, Run
from projects.templatetags.projects import MENU_OF_SURVEY
from runtime import clock
from tests.support.api import ApiWorker
from tests.support.main_buttons import main_buttons
from tests.support.members import sign_in
from tests.support.pictures import plain_jpeg
from tests.support.projects import phrases, project_of, worker
from tests.support.runs import counts
from tests.support.surveys import ATOM, CHECK, atom, foil, survey, vote
from tests.support.table import row
from workers.models import SkillEstimate, Worker

pytestmark = pytest.mark.django_db

OF_A_PROJECT = [
    (app, one)
    for app, patterns in (("projects", project_urls.urlpatterns), ("gallery", gallery_urls.urlpatterns))
    for one in patterns
    if isinstance(one, URLPattern) and "<slug:name>" in str(one.pattern)
]
ANSWERS = {
    CHECK: ({"verdict": "correct"}, {"verdict": "wrong", "word": 1, "right": "boy"}, {"verdict": "correct"}),
    ATOM: ("yes", "no", "yes"),
}
NEW, PAGE = "/projects/new/survey/", "/projects/my-check/items/"
TERMS = {"title": "My check", "kind": "caption_check", "votes": "3", "known": "0", "seed": ""}
RIGHT, WRONG = {"verdict": "correct"}, {"verdict": "wrong", "word": 1, "right": "boy"}


def answered(folder: Path, client: Client, task: Task) -> Project:
    """A running survey with answers of three workers, on which they disagree."""
    lines = [foil(0), foil(1), foil(2), foil(3)] if task is CHECK else [atom("dog"), atom("idea", "action")]
    project = survey(folder, lines, task)
    for name, answer in zip(("ada", "bob", "cyd"), ANSWERS[task], strict=True):
        api = ApiWorker(client, worker(project, name, task), project=project.name)
        work = api.ask(task)
        api.submit(work, *[answer] * len(work["questions"]))
        apply_judgments(project_id=project.pk)
    refresh_figures(project.pk, anew=True)
    return project


def address_of(project: Project, app: str, pattern: URLPattern) -> str:
    image = project.images.all()[0].pk
    values: dict[str, Any] = {"name": project.name, "image_id": image, "export_format": "coco", "state": "none"}
    values |= {"worker_id": Worker.objects.get(name="ada").pk, "file": "report.json"}
    values["chart"] = "votes" if "results" in str(pattern.pattern) else "hours"
    names = re.findall(r"<\w+:(\w+)>", str(pattern.pattern))
    return reverse(f"{app}:{pattern.name}", kwargs={name: values.get(name, 1) for name in names})


def kinds_of(pattern: URLPattern) -> Kinds:
    """Return the kinds of projects that have the page."""
    kinds: Kinds = getattr(pattern.callback, "kinds", Kinds())
    return kinds


@pytest.mark.slow
@pytest.mark.parametrize("task", [CHECK, ATOM])
def test_every_page_of_a_survey_opens_or_says_that_there_is_none(tmp_path: Path, client: Client, task: Task) -> None:
    project = answered(tmp_path, client, task)
    for role in (Role.REQUESTER, Role.REVIEWER, Role.VIEWER):
        browser = Client()
        sign_in(browser, project, role, f"a {role}")
        every_page_opens_or_says_that_there_is_none(browser, project, role)


def every_page_opens_or_says_that_there_is_none(client: Client, project: Project, role: Role) -> None:
    opened = set()
    for app, pattern in OF_A_PROJECT:
        found = client.get(address_of(project, app, pattern))
        assert found.status_code in (200, 202, 302, 403, 404, 405), (pattern, found.status_code)
        if found.status_code == 404 and not kinds_of(pattern).surveys:
            assert "A survey has no such page" in found.text
        if found.status_code == 200:
            opened.add(pattern.name)
            assert found.streaming or len(main_buttons(found.text)) < 2, pattern
        if found.streaming:
            b"".join(found)
    expected = {"project", "image"}
    if role != Role.VIEWER:
        expected |= {"results", "results_table", "votes", "gold"}
    if role == Role.REQUESTER:
        expected |= {"items", "settings", "workers", "worker", "invitations", "recruit", "money", "known_questions"}
        expected |= {"assignments", "alerts", "delete"}
    without = {pattern.name for _, pattern in OF_A_PROJECT if not kinds_of(pattern).surveys}
    assert (expected - opened, opened & without) == (set(), set())


def test_a_survey_has_no_program_that_judges(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [foil(0)], CHECK)
    sign_in(client, project, Role.REQUESTER)
    found = client.post(reverse("projects:judge", args=[project.name]))
    assert found.status_code == 404 and "A survey has no such page" in found.text


@pytest.mark.both_engines
def test_every_entry_of_the_menu_leads_to_a_page(tmp_path: Path, client: Client) -> None:
    project = answered(tmp_path, client, CHECK)
    sign_in(client, project, Role.REQUESTER)
    addresses = [reverse(name, args=[project.name]) for group in MENU_OF_SURVEY.values() for name, _, _ in group]
    assert [client.get(address).status_code for address in addresses] == [200] * 9
    assert not {"projects:explore", "projects:predict"} & {
        name for group in MENU_OF_SURVEY.values() for name, _, _ in group
    }


@pytest.mark.both_engines
def test_an_ordinary_project_has_no_pages_of_a_survey(client: Client) -> None:
    project = project_of(phrases("people: a man"), name="plain")
    sign_in(client, project, Role.REQUESTER)
    of_surveys = {pattern.name for _, pattern in OF_A_PROJECT if kinds_of(pattern).only_surveys}
    assert of_surveys == {"results", "results_table", "votes", "items"}
    for name in of_surveys - {"results_table"}:
        found = client.get(reverse(f"projects:{name}", args=[project.name]))
        assert (found.status_code, "Only a survey has this page" in found.text) == (404, True), name


def file_of(lines: Iterable[Mapping[str, Any] | str], name: str = "items.jsonl") -> SimpleUploadedFile:
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    return SimpleUploadedFile(name, "".join(f"{text}\n" for text in texts).encode())


def make(client: Client, *lines: Mapping[str, Any] | str, **terms: Any) -> Any:
    return client.post(NEW, {**TERMS, "items": file_of(lines), **terms})


def upload(client: Client, path: str, data: bytes, name: str = "my-check") -> None:
    address = f"/api/v1/requester/projects/{name}/files/?path={path}&offset=0&size={len(data)}"
    assert client.post(address, data, content_type="application/octet-stream").status_code == 200


def words(response: Any) -> str:
    return " ".join(response.text.split())


def pictured(user: User | None, name: str, images: Iterable[str]) -> Project:
    """A project with pictures; the user is its viewer."""
    project = project_of(*(phrases("people: a man", name=one) for one in images), name=name)
    project.images.update(picture=store_picture(io.BytesIO(plain_jpeg()), picture_format="JPEG"))
    if user is not None:
        add_member(user, project, Role.VIEWER)
    return project


def test_every_faulty_line_is_named_with_its_remedy_and_nothing_is_written(requester: Client) -> None:
    found = make(requester, foil(0), "not json", {**foil(1), "place": 3}, {"image": "a.jpg"})
    said = words(found)
    assert found.status_code == 400 and "3 lines of the file are not items" in said
    assert "<td>2</td><td>No JSON" in said and "<td>3</td><td>Place is 3" in said and "<td>4</td><td>" in said
    assert "A line is an item of FOIL" in said and not Project.objects.exists() and not ItemsFile.objects.exists()


@row({"votes": "2"}, "2 is even")
@row({"known": "5"}, "5 verification questions")
@row({"title": ""}, "This field is required")
@row({"kind": "box_quality"}, "Select a valid choice")
@row({"items": ""}, "This field is required")
@row({"items": SimpleUploadedFile("items.jsonl", b"\xff\xfe\n")}, "items.jsonl is not text in UTF-8")
def test_a_wrong_field_makes_no_survey(terms: dict[str, Any], sentence: str, requester: Client) -> None:
    found = make(requester, foil(0), **terms)
    assert found.status_code == 400 and sentence in words(found) and not Project.objects.exists()


def test_items_are_asked_about_the_pictures_of_a_project_of_ones_own(requester: Client, rita: User) -> None:
    source = pictured(rita, "photos", ["0", "1"])
    assert make(requester, foil(0), foil(1), source=str(source.pk), votes="5").status_code == 302
    project = Project.objects.get(name="my-check")
    assert (project.title, project.survey, project.state) == ("My check", "caption_check", "draft")
    assert current_settings(project.pk)[1].survey_votes == 5 and Question.objects.filter(project=project).count() == 4
    assert Run.objects.get().state == Run.State.DONE and not ItemsFile.objects.exists()
    assert "4 questions on 2 pictures" in words(requester.get(PAGE))


def test_pictures_of_projects_of_others_are_not_offered(requester: Client, rita: User) -> None:
    source = pictured(None, "secret", ["0"])
    assert "secret" not in words(requester.get(NEW))
    assert make(requester, foil(0), source=str(source.pk)).status_code == 400
    assert not Project.objects.filter(name="my-check").exists()


@pytest.mark.both_engines
def test_pictures_that_the_project_lacks_are_named(requester: Client, rita: User) -> None:
    source = pictured(rita, "photos", ["0"])
    found = make(requester, foil(0), foil(7), source=str(source.pk))
    assert found.status_code == 400 and "1 picture is missing in the project photos: 7.jpg" in words(found)


def test_the_page_names_missing_pictures_until_they_are_uploaded_and_then_asks_the_items(requester: Client) -> None:
    make(requester, foil(0), foil(1))
    upload(requester, "images/0.jpg", plain_jpeg())
    said = words(requester.get(PAGE))
    assert "1 of 2 pictures are here." in said and "<code>1.jpg</code>" in said and "0.jpg</code>" not in said
    upload(requester, "images/1.jpg", plain_jpeg())
    assert "All 2 pictures are here." in words(requester.get(PAGE))
    requester.post(PAGE, {"action": "import"})
    assert Question.objects.count() == 4 and not ItemsFile.objects.exists()


@pytest.mark.both_engines
def test_pictures_come_in_a_zip(requester: Client) -> None:
    make(requester, foil(0))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("photos/0.jpg", plain_jpeg())
    upload(requester, "photos.zip", packed.getvalue())
    assert "All 1 picture is here." in words(requester.get(PAGE))
    requester.post(PAGE, {"action": "import"})
    assert Question.objects.count() == 2


def test_an_import_without_its_pictures_fails_and_says_which_are_missing(requester: Client) -> None:
    make(requester, foil(0), foil(1))
    requester.post(PAGE, {"action": "import"})
    assert "The pictures are missing: upload them first." in words(requester.get(PAGE))
    upload(requester, "images/0.jpg", plain_jpeg())
    requester.post(PAGE, {"action": "import"})
    assert "1 picture is missing in the uploaded files: 1.jpg." in words(requester.get(PAGE))
    assert not Question.objects.exists()


@pytest.mark.both_engines
def test_more_items_are_added_and_those_that_are_there_are_passed_over(requester: Client, rita: User) -> None:
    source = pictured(rita, "photos", ["0", "1"])
    make(requester, foil(0), source=str(source.pk))
    lines = file_of([foil(0), foil(1)])
    requester.post(PAGE, {"action": "give", "items": lines, "source": str(source.pk), "known": "0"})
    assert Question.objects.filter(project__name="my-check").count() == 4
    assert counts(Run.objects.latest("pk")).already_there == 1


def test_known_items_fill_the_stock(requester: Client, rita: User) -> None:
    source = pictured(rita, "photos", [str(number) for number in range(20)])
    make(requester, *(foil(number) for number in range(20)), source=str(source.pk), known="3")
    assert KnownQuestion.objects.filter(purpose="verification").count() == 3
    said = words(requester.get("/projects/my-check/gold/"))
    assert "Verification questions" in said and "<td>3 <span" in said


def test_a_draft_without_questions_is_not_started_and_its_steps_lead_to_the_items(requester: Client) -> None:
    assert make(requester, atom("dog"), kind=ATOM.value).url == PAGE
    found = requester.post("/projects/my-check/state/", {"state": "running"}, follow=True)
    assert found.redirect_chain[-1][0] == PAGE
    assert "It asks nothing yet: import items on its page “Items”." in words(found)
    steps = words(found).split('aria-label="Steps to the start"')[1].split("</nav>")[0]
    assert [name in steps for name in ("Items", "Settings", "Invite workers", "Phrases", "Predict")] == [True] * 3 + [
        False
    ] * 2


def test_only_who_may_make_projects_makes_a_survey(client: Client, db: None) -> None:
    client.force_login(User.objects.create_user("visitor"))
    assert client.get(NEW).status_code == 403 and open_project(name="plain").survey == ""


@pytest.fixture
def checked(tmp_path: Path, client: Client) -> Project:
    """Two pictures with a correct caption ("man") and a foil ("dog") each; three of six workers answer each caption.

    Ada and Bob call every caption correct; the others are always right.
    """
    project = survey(tmp_path, [foil(0), foil(1)])
    for name in ("ada", "bob"):
        vote(project, client, name, CHECK, man=RIGHT, dog=RIGHT)
    for name in ("cyd", "dan", "eve", "fay"):
        vote(project, client, name, CHECK, man=RIGHT, dog=WRONG)
    sign_in(client, project, Role.REQUESTER)
    return project


def votes(client: Client, project: Project) -> list[dict[str, Any]]:
    found: Any = client.get(f"/projects/{project.name}/results/votes.jsonl")
    return [json.loads(line) for line in b"".join(found).splitlines()]


def text_of(client: Client, address: str) -> str:
    return " ".join(client.get(address).text.split())


def rows_of(client: Client, project: Project, chart: str) -> dict[str, list[str]]:
    lines = client.get(f"/projects/{project.name}/results/{chart}.csv").getvalue().decode().splitlines()
    return {line.split(",")[0]: line.split(",")[1:] for line in lines[1:]}


def test_shares_and_histogram_are_those_of_the_votes(checked: Project, client: Client) -> None:
    said: dict[str, list[bool]] = defaultdict(list)
    for one in votes(client, checked):
        said[one["item"]].append((one["answer"] == "wrong") == one["item"].endswith(":foil"))
    right = {item: sum(some) for item, some in said.items()}
    assert sorted(map(len, said.values())) == [3] * 4 and min(right.values()) < 3
    foils = [number for item, number in right.items() if item.endswith(":foil")]
    majority, unanimous = (sum(number >= least for number in foils) / 2 for least in (2, 3))
    table = rows_of(client, checked, "agreement")
    assert table["correct captions"] == ["2", "1.0", "1.0"] and table["foils"] == ["2", str(majority), str(unanimous)]
    assert table["overall"] == ["4", str((1 + majority) / 2), str((1 + unanimous) / 2)]
    bars = rows_of(client, checked, "votes")
    assert {int(number): int(counts[1]) for number, counts in bars.items()} == {n: foils.count(n) for n in range(4)}


def test_disputed_captions_are_listed_with_pseudonyms_and_no_names(checked: Project, client: Client) -> None:
    page = text_of(client, f"/projects/{checked.name}/results/")
    listed = page.split('id="listed-title"')[1]
    assert "past" in listed and '<mark title="the exchanged word">dog</mark>' in listed
    assert "<mark" not in listed.replace('<mark title="the exchanged word">dog</mark>', "")
    assert "wrong: “dog”, rather “boy”" in listed and '<span class="wrong">correct</span>' in listed
    assert any(name in listed for name in {pseudonym(checked.pk, one.pk) for one in Worker.objects.all()})
    assert not any(f">{name}<" in page for name in ("ada", "bob", "cyd"))


def test_the_downloaded_votes_are_the_bytes_of_survey_export(checked: Project, client: Client, tmp_path: Path) -> None:
    written = tmp_path / "votes.jsonl"
    call_command("survey_export", checked.name, out=written, stdout=StringIO())
    found: Any = client.get(f"/projects/{checked.name}/results/votes.jsonl")
    assert b"".join(found) == written.read_bytes() and written.stat().st_size
    assert found["Content-Disposition"] == f'attachment; filename="{checked.name}-votes.jsonl"'


def test_open_questions_count_the_votes_that_they_still_need(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [foil(0), foil(1)])
    vote(project, client, "ada", CHECK, man=RIGHT, dog=WRONG)
    sign_in(client, project, Role.REQUESTER)
    live = client.get(f"/api/v1/requester/projects/{project.name}/results/").json()["texts"]
    assert (live["tile.decided"], live["tile.open"], live["tile.votes"]) == ("0.0 %", "4", "2")
    page = text_of(client, f"/projects/{project.name}/results/")
    assert "they need 10 votes more" in page and "No question is decided yet." in page


def test_the_share_of_visual_words_is_told_by_category(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [atom("dog"), atom("man"), atom("idea"), atom("be", "action")], ATOM)
    for name, idea in (("ada", "yes"), ("bob", "no"), ("cyd", "no")):
        vote(project, client, name, ATOM, dog="yes", man="yes", idea=idea, be="no")
    sign_in(client, project, Role.REQUESTER)
    assert rows_of(client, project, "visual") == {
        "entity": [str(2 / 3), "3", "3", str(2 / 3)],
        "action": ["0.0", "1", "1", "1.0"],
        "all": ["0.5", "4", "4", "0.75"],
    }
    page = text_of(client, f"/projects/{project.name}/results/?kind=action").split('id="listed-title"')[1]
    assert "<b>be</b>" in page and "<b>dog</b>" not in page and "not visual" in page


def test_a_reviewer_reads_results_without_money_and_a_viewer_reads_neither(checked: Project, client: Client) -> None:
    sign_in(client, checked, Role.REVIEWER, "rev")
    page = text_of(client, f"/projects/{checked.name}/results/")
    assert "Judged right" in page and "Spend cap" not in page and "Needs you today" not in page
    sign_in(client, checked, Role.VIEWER, "vic")
    for address in ("results/", "results/votes.jsonl", "results/agreement.csv"):
        assert client.get(f"/projects/{checked.name}/{address}").status_code == 403


def test_figures_of_a_survey_are_computed_once_a_worker_has_a_skill(client: Client, tmp_path: Path) -> None:
    project = survey(tmp_path, [foil(0)])
    figures: dict[str, Any] = {"accuracy": 0.93, "low": 0.8, "high": 0.97, "answers": 30, "known_answers": 10}
    figures |= {"worker": worker(project, "ada", CHECK), "computed_at": clock.now()}
    SkillEstimate.objects.create(project=project, task=CHECK.value, **figures)
    refresh_figures(project.pk, anew=True)
    found = read_figures(project.pk)["workers"].values
    assert found["scores"] == {CHECK.value: [0, 0, 0, 0, 0, 0, 0, 1, 0]} and list(found["tasks"]) == [CHECK.value]


def test_a_project_whose_figures_fail_freezes_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (project_of(phrases("animals: a dog"), name=name) for name in ("first", "second"))
    assert {first.state, second.state} == {ProjectState.RUNNING.value}

    def refresh(project_id: int) -> None:
        if project_id == first.pk:
            raise KeyError("caption_check")
        refresh_figures(project_id)

    monkeypatch.setattr(jobs, "refresh_figures", refresh)
    refresh_figures_job()
    assert set(Figures.objects.values_list("project_id", flat=True)) == {second.pk}
