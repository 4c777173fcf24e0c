"""Runs hold what they read by its id, and ask for the right whenever they go on.
An image whose name holds what no database keeps is left out by this name; the others come in, and counts add up.
"""

import shutil
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Image, Project
from annotation.rules.states import Survey
from campaign.data.runs import begin, resume
from campaign.data.watch import RunWatch
from campaign.models import ImportProblem, ImportRun, ItemsFile, Upload
from exchange.dataset import shown_text
from members.add_member import add_member
from members.models import Membership, Right, RightKind, Role
from pipeline.project.settings_versions import open_project
from tests.campaign.conftest import Later, work_on
from tests.support.members import maker
from tests.support.odd_sources import FORMATS, OddSource, odd_source
from tests.support.projects import phrases, project_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("look_at_every_image")]

Kind, State = ImportRun.Kind, ImportRun.State
SPOILT = "name of no text"


@pytest.fixture
def source_project(rita: User) -> Project:
    """Another project of the requester, with pictures."""
    made = project_of(phrases("people: a man", name="1"), phrases("animals: a dog", name="2"), name="source")
    add_member(rita, made, Role.REQUESTER)
    return made


def paused(run: ImportRun) -> ImportRun:
    ImportRun.objects.filter(pk=run.pk).update(state=State.PAUSED)
    return ImportRun.objects.get(pk=run.pk)


def resumed(requester: Client, run: ImportRun, later: Later) -> ImportRun:
    """Resume the run on its page, and let its job work."""
    requester.post(f"/projects/ours/data/runs/{run.pk}/", {"wish": "resume"})
    work_on(run.pk)
    return ImportRun.objects.get(pk=run.pk)


@pytest.mark.parametrize("kind", [Kind.COPY, Kind.DRY_RUN])
def test_a_copy_whose_source_was_deleted_takes_nothing_of_a_project_that_took_the_name(
    requester: Client, rita: User, draft: Project, source_project: Project, later: Later, kind: ImportRun.Kind
) -> None:
    run = paused(begin(draft, rita, kind, source_project))
    Project.objects.get(pk=source_project.pk).delete()
    secret = project_of(phrases("people: a secret", name="secret"), name="source")
    add_member(rita, secret, Role.REQUESTER)  # even where the right to both is there
    run = resumed(requester, run, later)
    assert (run.state, draft.images.count()) == ("failed", 0)
    assert run.problem == "The project 'source', of which this is a copy, was deleted."


@pytest.mark.both_engines
@pytest.mark.parametrize("kind", [Kind.COPY, Kind.DRY_RUN])
def test_a_copy_stops_for_who_lost_the_source_while_it_was_paused(
    requester: Client, rita: User, draft: Project, source_project: Project, later: Later, kind: ImportRun.Kind
) -> None:
    run = paused(begin(draft, rita, kind, source_project))
    Membership.objects.filter(project=source_project).update(role=Role.VIEWER)
    run = resumed(requester, run, later)
    assert (run.state, draft.images.count()) == ("failed", 0)
    assert "rita does not manage the project 'source' any more" in run.problem


@pytest.mark.both_engines
def test_a_copy_stops_at_the_next_image_for_who_loses_the_source_meanwhile(
    rita: User, draft: Project, source_project: Project, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = RunWatch.step

    def lose(self: RunWatch, **counts: Any) -> None:
        Membership.objects.filter(project=source_project).delete()
        step(self, **counts)

    monkeypatch.setattr(RunWatch, "step", lose)
    work_on(begin(draft, rita, Kind.COPY, source_project).pk)
    assert (ImportRun.objects.get().state, draft.images.count()) == ("failed", 1)


def test_a_source_with_another_name_is_still_the_source(
    requester: Client, rita: User, draft: Project, source_project: Project, later: Later
) -> None:
    run = paused(begin(draft, rita, Kind.COPY, source_project))
    Project.objects.filter(pk=source_project.pk).update(name="renamed")
    assert (resumed(requester, run, later).state, draft.images.count()) == ("done", 2)


@pytest.mark.usefixtures("later")
def test_another_requester_resumes_by_a_right_of_their_own(rita: User, draft: Project, source_project: Project):
    run = paused(begin(draft, rita, Kind.COPY, source_project))
    eve = maker("eve")
    add_member(eve, draft, Role.REQUESTER)
    resume(run, eve)
    work_on(run.pk)
    assert (ImportRun.objects.get().state, draft.images.count()) == ("failed", 0), "eve does not manage the source"
    add_member(eve, source_project, Role.REQUESTER)
    resume(run, eve)
    work_on(run.pk)
    assert (ImportRun.objects.get().state, ImportRun.objects.get().user, draft.images.count()) == ("done", eve, 2)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("lost", ["the role", "the right to read folders", "the account"])
def test_an_import_from_a_folder_of_the_server_stops_for_who_lost(rita: User, draft: Project, source: Path, lost: str):
    run = begin(draft, rita, Kind.IMPORT, str(source))
    if lost == "the role":
        Membership.objects.update(role=Role.REVIEWER)
    elif lost == "the right to read folders":
        Right.objects.filter(kind=RightKind.FOLDERS).delete()
    else:
        rita.delete()
    work_on(run.pk)
    assert (ImportRun.objects.get().state, draft.images.count()) == ("failed", 0)


def test_a_requester_without_the_right_is_neither_offered_nor_given_folders_of_the_server(
    requester: Client, draft: Project, source: Path, later: Later
) -> None:
    Right.objects.filter(kind=RightKind.FOLDERS).delete()
    assert str(source.parent) not in requester.get("/projects/ours/data/").text
    page = requester.post("/projects/ours/data/import/", {"source": str(source)}, follow=True).text
    assert "is a right that an administrator gives" in page
    address = "/api/v1/requester/projects/ours/imports/"
    assert requester.post(address, {"source": str(source)}, "application/json").status_code == 400
    assert not ImportRun.objects.exists()


def test_an_import_goes_into_its_own_project_though_another_has_the_name_by_now(
    rita: User, draft: Project, source: Path, later: Later
) -> None:
    run = begin(draft, rita, Kind.IMPORT, str(source))
    Project.objects.filter(pk=draft.pk).update(name="renamed")
    taker = open_project(name="ours")
    work_on(run.pk)
    assert (taker.images.count(), draft.images.count()) == (0, 6)


@pytest.mark.usefixtures("later")
def test_items_are_not_asked_about_pictures_of_a_project_that_was_lost(rita: User, source_project: Project):
    survey = open_project(name="check", survey=Survey.CAPTION_CHECK)
    add_member(rita, survey, Role.REQUESTER)
    ItemsFile.objects.create(project=survey, name="items.jsonl", text="{}", items=1, source=source_project)
    run = begin(survey, rita, Kind.ITEMS, source_project)
    Membership.objects.filter(project=source_project).delete()
    work_on(run.pk)
    assert "rita may not look at the project any more that has the pictures" in ImportRun.objects.get().problem
    assert not Image.objects.filter(project=survey).exists()


@pytest.mark.parametrize("what", ["captions.csv", "0.jpg", "more"])
def test_a_link_that_leads_out_of_an_allowed_folder_is_not_followed(
    requester: Client, draft: Project, source: Path, tmp_path: Path, at_once: None, what: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("image,caption\n0.jpg,[a secret]\n")
    path = source / what
    path.unlink(missing_ok=True)
    path.symlink_to(outside if what == "more" else outside / "secret")
    requester.post("/projects/ours/data/import/", {"source": str(source)})
    run = ImportRun.objects.get()
    assert (run.state, draft.images.count()) == ("failed", 0)
    assert f"holds a link that leads out of the allowed folders: {what}" in run.problem


def test_links_that_stay_inside_are_followed(requester: Client, draft: Project, source: Path, at_once: None) -> None:
    elsewhere = source.parent / "elsewhere"
    elsewhere.mkdir()
    (source / "0.jpg").rename(elsewhere / "0.jpg")
    (source / "0.jpg").symlink_to(elsewhere / "0.jpg")
    (source / "round").symlink_to(source)
    requester.post("/projects/ours/data/import/", {"source": str(source)})
    assert (ImportRun.objects.get().state, draft.images.count()) == ("done", 6)


def spoilt_source(tmp_path: Path, kind: str, character: str) -> OddSource:
    """Return the first odd source of the kind that has an image of such a name."""
    for seed in count(FORMATS.index(kind), len(FORMATS)):
        source = odd_source(tmp_path / str(seed), seed)
        if any(one.fault == SPOILT and one.spoilt == character for one in source.images):
            return source
    raise AssertionError("seeds do not end")


@pytest.mark.both_engines
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "character", "packed"),
    [
        *(("csv", "\x00", False), ("jsonl", "\x00", False), ("jsonl", "\ud800", False), ("jsonl", "\x00", True)),
        *(("coco", "\x00", True), ("coco", "\udcff", False), ("entities", "\x1b", True), ("entities", "\udcff", False)),
    ],
)
@pytest.mark.usefixtures("at_once")
def test_only_this_image_is_left_out(draft: Project, tmp_path: Path, kind: str, character: str, *, packed: bool):
    source = spoilt_source(tmp_path, kind, character)
    user, folder = maker("rita"), Upload.folder_of(draft.pk) / "files"
    add_member(user, draft, Role.REQUESTER)
    if packed:
        folder.mkdir(parents=True)
        shutil.make_archive(str(folder / "packed"), "zip", source.folder)
    else:
        shutil.copytree(source.folder, folder)
    run = ImportRun.objects.get(pk=begin(draft, user, ImportRun.Kind.IMPORT).pk)
    assert (run.state, run.problem) == ("done", "")
    assert (run.images, run.left_out) == (len(source.whole), source.in_file - len(source.whole))
    told = set(ImportProblem.objects.values_list("image", flat=True))
    names = [one.written for one in source.images if one.fault == SPOILT]
    names = [Path(name).stem for name in names] if kind == "entities" else names
    assert {shown_text(name) for name in names} <= told
