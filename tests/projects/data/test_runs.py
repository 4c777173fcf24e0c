"""Runs of imports: they can be paused, resumed, cancelled, and survive a crash; what was left out is listed.
Imports by a command leave runs and are stopped as those from a page; large ones leave no rest of pieces.
Sources on the server and in buckets: only those below what an administrator allowed.
Runs hold what they read by its id, and ask for the right whenever they go on.
An image whose name holds what no database keeps is left out by this name; the others come in, and counts add up.
"""

import csv
import shutil
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.members import add_member
from accounts.models import Membership, Right, RightKind, Role
from annotation.models import Image, Project
from annotation.rules.states import Survey
from exchange import jobs, read_ahead
from exchange.dataset import shown_text
from pipeline.project.settings_versions import open_project
from projects import operation
from projects.data import operations
from projects.data.copy_operations import begin_copy, begin_dry_run
from projects.data.operations import ImageCounter, NewImport, SourceProject, begin_import
from projects.models import ImportProblem, ItemsFile, Run, Upload
from projects.operation import COMMAND_LINE, Caller, Progress
from projects.runs import AnyOperation, resume, row_of, start, stop
from projects.surveys.import_items import ItemsSource, import_items
from projects.uploads.files import keep_text
from runtime import clock
from runtime.models import JobRun
from runtime.pieces import PIECE
from runtime.runs import send_waiting
from tests.projects.conftest import Later, work_on
from tests.projects.data.conftest import make_source
from tests.support.members import maker
from tests.support.odd_sources import FORMATS, OddSource, odd_source
from tests.support.projects import phrases, project_of
from tests.support.runs import counts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("look_at_every_image")]

State = Run.State


def begun(project: Project, source: Path | str = "") -> Run:
    """Begin an import of the source, or of the uploaded files."""
    return start(begin_import, project, Caller(rita_of(project), "rita"), NewImport(source=str(source)))


def copying(project: Project, user: User, source: Project, operation: AnyOperation) -> Run:
    return start(operation, project, Caller(user, "rita"), SourceProject(source=source.name, source_id=source.pk))


def rita_of(project: Project) -> User:
    """Return the project's requester, by whose right a run goes on."""
    user = User.objects.filter(username="rita").first() or maker("rita")
    add_member(user, project, Role.REQUESTER)
    return user


def fresh(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def wish_after(images: int, run: Run, wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the requester wish something when so many images are in the project."""
    look = Progress.look

    def wish(self: Progress) -> None:
        if Image.objects.count() == images:
            stop(run, wanted)
        look(self)

    monkeypatch.setattr(Progress, "look", wish)


def test_an_import_counts_what_it_does_and_ends(draft: Project, source: Path, at_once: None) -> None:
    run = begun(draft, source)
    now = row_of(fresh(run))
    assert (now.state, now.done, now.total, now.counts) == ("done", 6, 6, "6 of 6 images")
    assert (counts(run).images, counts(run).left_out, now.message) == (6, 0, "6 images imported")
    assert draft.images.count() == 6


def test_the_request_does_not_wait_for_the_import(requester: Client, draft: Project, source: Path, later: Later):
    requester.post("/projects/ours/data/import/", {"source": str(source)})
    assert (Run.objects.get().state, draft.images.count()) == ("waiting", 0)
    later.pop()()
    assert (Run.objects.get().state, draft.images.count()) == ("done", 6)


def test_a_paused_import_goes_on_where_it_stopped(draft: Project, source: Path, later: Later, monkeypatch: Any):
    run = begun(draft, source)
    with monkeypatch.context() as patched:
        wish_after(2, run, "pause", patched)
        later.pop()()
    assert (fresh(run).state, fresh(run).requested, draft.images.count()) == ("paused", "", 2)
    before = list(draft.images.values_list("pk", flat=True))
    resume(run, rita_of(run.project))
    later.pop()()
    assert (fresh(run).state, counts(run).already_there, counts(run).images) == ("done", 2, 4)
    assert list(draft.images.order_by("position").values_list("position", flat=True)) == list(range(6))
    assert set(before) < set(draft.images.values_list("pk", flat=True))


def test_a_cancelled_import_keeps_what_it_has_and_is_not_resumed(
    draft: Project, source: Path, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(draft, source)
    wish_after(3, run, "cancel", monkeypatch)
    later.pop()()
    assert (fresh(run).state, draft.images.count()) == ("cancelled", 3)
    resume(run, rita_of(run.project))
    assert not later


def test_an_import_that_waits_or_is_paused_is_cancelled_at_once(draft: Project, source: Path, later: Later) -> None:
    run = begun(draft, source)
    stop(run, "pause")
    assert fresh(run).state == State.PAUSED
    later.pop()()
    assert (fresh(run).state, draft.images.count()) == ("paused", 0)
    stop(run, "cancel")
    assert fresh(run).state == State.CANCELLED


def test_a_process_that_is_killed_is_found_and_the_import_begins_again(
    draft: Project, source: Path, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(draft, source)
    killed(run, later, monkeypatch)
    assert (fresh(run).state, draft.images.count()) == ("running", 2) and row_of(fresh(run)).interrupted
    send_waiting()
    later.pop()()
    assert (fresh(run).state, counts(run).already_there, draft.images.count()) == ("done", 2, 6)


def killed(run: Run, later: Later, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process die in the middle: nothing more is written, and its signs of life end."""
    later.clear()
    with monkeypatch.context() as patched:
        wish_after(2, run, "pause", patched)
        work_on(run.pk)
    Run.objects.filter(pk=run.pk).update(state=State.RUNNING, requested="", ended_at=None)
    past = clock.now() - timedelta(minutes=1)
    JobRun.objects.filter(key=run.key).update(state="running", held_until=past, holder="gone 1", tries=1)


@pytest.mark.both_engines
def test_an_import_whose_process_dies_every_time_has_failed_and_can_be_resumed(
    draft: Project, source: Path, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(draft, source)
    killed(run, later, monkeypatch)
    JobRun.objects.filter(key=run.key).update(tries=3)
    send_waiting()
    now = row_of(fresh(run))
    assert now.state == "failed" and "ended before the work was done" in now.problem
    resume(fresh(run), rita_of(run.project))
    later.pop()()
    assert (fresh(run).state, draft.images.count()) == ("done", 6)


def test_an_interrupted_import_is_paused_at_once(draft: Project, source: Path, later: Later, monkeypatch: Any):
    run = begun(draft, source)
    killed(run, later, monkeypatch)
    stop(fresh(run), "pause")
    assert fresh(run).state == State.PAUSED


def test_an_error_that_nobody_foresaw_shows_on_the_page_and_the_import_can_be_resumed(
    draft: Project, source: Path, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: Any) -> None:
        raise ValueError("a bug")

    run = begun(draft, source)
    with monkeypatch.context() as patched:
        patched.setattr(operations, "import_dataset", fail)
        with pytest.raises(ValueError, match="a bug"):
            later.pop()()
    assert (fresh(run).state, fresh(run).problem) == ("failed", "ValueError: a bug")
    resume(run, rita_of(run.project))
    later.pop()()
    assert fresh(run).state == State.DONE


def test_a_run_that_is_resumed_while_its_last_part_ends_is_not_forgotten(draft: Project, source: Path, later: Later):
    run = begun(draft, source)
    later.clear()
    JobRun.objects.filter(key=run.key).update(state="done")
    row_of(fresh(run))
    later.pop()()
    assert fresh(run).state == State.DONE


def command(source: Path, project: str = "ours", **options: Any) -> None:
    call_command("import_dataset", project, str(source), **options)


def test_a_command_leaves_a_run_as_a_page_does_with_what_was_left_out(draft: Project, source: Path, capsys: Any):
    (source / "0.jpg").write_bytes(b"no picture")
    command(source)
    run = Run.objects.get()
    assert (run.state, counts(run).images, counts(run).left_out, run.done, run.total) == ("done", 5, 1, 6, 6)
    assert (run.input["source"], run.user, run.problems.get().image) == (str(source), None, "0.jpg")
    assert counts(run).note.startswith("Pictures used: 5 of 6") and row_of(run).state == "done"
    assert "1 image was left out for the reasons above" in capsys.readouterr().out
    command(source, "other", use="pre_annotations")
    made = Run.objects.get(project__name="other")
    assert (made.state, made.input["program"]) == ("done", f"import of {source.name}")
    assert counts(made).images == made.project.images.count() == 5 and made.project.state == "draft"


def test_a_command_that_is_refused_leaves_a_run_that_has_failed_and_no_new_project(draft: Project, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    for name in ("ours", "other"):
        with pytest.raises(CommandError, match="is in no known format"):
            command(tmp_path / "empty", name)
    run = Run.objects.get()
    assert (run.project, run.state) == (draft, "failed") and "is in no known format" in run.problem
    assert not Project.objects.filter(name="other").exists()


def test_a_command_waits_for_no_other_import_but_goes_on_after_one_that_was_killed(
    draft: Project, source: Path, later: Later
) -> None:
    run = begun(draft, source)
    with pytest.raises(CommandError, match="Another import of this project has not ended yet"):
        command(source)
    stop(run)
    dead = start(begin_import, draft, COMMAND_LINE, NewImport(source=str(source)))
    Run.objects.filter(pk=dead.pk).update(state=State.RUNNING)
    past = clock.now() - timedelta(minutes=1)
    JobRun.objects.create(key=dead.key, job="", state="running", held_until=past, holder="gone 1")
    command(source)
    assert fresh(dead).state == "failed" and "The command was killed" in fresh(dead).problem
    assert (Run.objects.latest("id").state, draft.images.count()) == ("done", 6)


@pytest.mark.parametrize("wanted", ["pause", "cancel", ""])
def test_a_command_is_stopped_from_the_page_or_by_ctrl_c(
    wanted: str, draft: Project, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = Progress.look

    def wish(self: Progress) -> None:
        if Image.objects.count() == 2:
            if not wanted:
                raise KeyboardInterrupt
            stop(self.run, wanted)
        look(self)

    monkeypatch.setattr(Progress, "look", wish)
    with pytest.raises(CommandError, match="What is done stays; run the same command again"):
        command(source)
    run = Run.objects.get()
    assert run.state == ("paused" if wanted == "pause" else "cancelled")
    assert (draft.images.count(), counts(run).images) == (2, 2)
    monkeypatch.setattr(Progress, "look", look)
    command(source)
    assert (draft.images.count(), counts(Run.objects.latest("id")).already_there) == (6, 2)


@pytest.mark.usefixtures("at_once")
@pytest.mark.both_engines
def test_what_was_left_out_is_listed_and_downloaded_with_the_reasons(requester: Client, draft: Project, source: Path):
    (source / "0.jpg").unlink()
    (source / "1.jpg").write_bytes(b"no picture")
    with (source / "captions.csv").open("a") as file:
        file.write("=cmd.jpg,[a man]\n")
    run = begun(draft, source)
    assert (counts(run).images, counts(run).left_out) == (4, 3)
    assert "3 images left out: the reasons" in requester.get("/projects/ours/data/").text
    answer = requester.get(f"/projects/ours/data/runs/{run.pk}/left-out.csv")
    rows = list(csv.reader(b"".join(answer).decode().splitlines()))
    assert rows[0] == ["image", "file", "line", "why"]
    assert {row[0] for row in rows[1:]} == {"0.jpg", "1.jpg", "'=cmd.jpg"}
    assert any("is missing" in row[3] for row in rows) and any("is not a picture" in row[3] for row in rows)


def test_what_was_mended_is_imported_by_the_next_run_and_nothing_twice(draft: Project, source: Path, at_once: None):
    picture = (source / "0.jpg").read_bytes()
    (source / "0.jpg").unlink()
    begun(draft, source)
    (source / "0.jpg").write_bytes(picture)
    run = begun(draft, source)
    assert (counts(run).images, counts(run).already_there, draft.images.count()) == (1, 5, 6)
    assert not ImportProblem.objects.filter(run=run).exists()


def test_uploaded_files_are_removed_when_all_of_them_were_imported(draft: Project, at_once: None, settings: Any):
    make_source(Upload.folder_of(draft.pk) / "files", 2)
    begun(draft)
    assert draft.images.count() == 2 and not Upload.folder_of(draft.pk).exists()


def test_uploaded_files_stay_while_something_is_left_out(draft: Project, at_once: None) -> None:
    make_source(Upload.folder_of(draft.pk) / "files", 2)
    keep_text(draft, "captions.csv", "image,caption\n0.jpg,[a man]\nnone.jpg,[a man]\n")
    begun(draft)
    assert draft.images.count() == 1 and Upload.folder_of(draft.pk).exists()


def test_a_source_without_captions_fails_in_words_without_a_path_of_the_server(draft: Project, at_once: None) -> None:
    folder = make_source(Upload.folder_of(draft.pk) / "files", 2)
    (folder / "captions.csv").unlink()
    run = fresh(begun(draft))
    assert run.state == State.FAILED and "the uploaded files: is in no known format" in run.problem
    assert str(folder) not in run.problem


def test_wishes_come_over_the_page_and_the_api(requester: Client, draft: Project, source: Path, later: Later):
    run = begun(draft, source)
    address = f"/projects/ours/runs/{run.pk}/"
    called = f"/api/v1/requester{address}"
    assert requester.post(called, {"command": "fly"}, "application/json").status_code == 400
    assert "should be" in requester.post(address, {"command": "fly"}, follow=True).text
    assert requester.post(called, {"command": "pause"}, "application/json").json()["state"] == "paused"
    assert requester.get(f"/api/v1/requester/projects/ours/runs/{'9' * 30}/").status_code == 404
    assert requester.post(address, {"command": "resume"})["Location"] == "/projects/ours/data/"
    assert fresh(run).state == "waiting"


@pytest.mark.usefixtures("at_once")
def test_captions_in_a_language_without_a_chunker_wait_and_the_page_says_so(requester: Client):
    requester.post("/projects/new/", {"title": "Auf Deutsch", "language": "de"})
    project = Project.objects.get(name="auf-deutsch")
    make_source(Upload.folder_of(project.pk) / "files", 2, caption="Ein Mann mit Hund.")
    begun(project)
    assert counts(Run.objects.get()).without_phrases == 2
    page = requester.get("/projects/auf-deutsch/data/").text
    assert "Phrases are found in English captions only" in page and "2 images wait for phrases" in page
    assert "No image has phrases" in page


@pytest.mark.parametrize(
    "where", ["/etc", "{sets}/../..", "{sets}-other", "relative/path", "s3://bucket/sets/", "{sets}/link"]
)
@pytest.mark.usefixtures("later")
def test_a_folder_or_bucket_that_no_administrator_allowed_is_refused(requester: Client, source: Path, where: str):
    sets = source.parent
    (sets / "link").symlink_to("/etc")
    (sets.parent / "sets-other").mkdir()
    page = requester.post("/projects/ours/data/import/", {"source": where.format(sets=sets)}, follow=True)
    assert "is not allowed" in page.text or "is not a source" in page.text
    assert not Run.objects.exists()


def test_a_bucket_is_allowed_by_the_beginning_of_its_address(settings: Any, requester: Client, later: Later) -> None:
    settings.IMPORT_SOURCES = ["s3://sets/photos"]
    for address in ("s3://sets/photos-private/", "s3://sets/", "s3://set"):
        requester.post("/projects/ours/data/import/", {"source": address})
    assert not Run.objects.exists()
    requester.post("/projects/ours/data/import/", {"source": "s3://sets/photos/may/"})
    assert Run.objects.get().input["source"] == "s3://sets/photos/may/"


def test_a_large_import_asks_job_runners_for_help_and_can_be_paused(
    draft: Project, source: Path, later: Later, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(operation, "LOOK_SECONDS", 0)
    monkeypatch.setattr(jobs, "start", lambda job, *_: asked.append(job.name))
    monkeypatch.setattr(read_ahead, "LEAST_IMAGES", 3)
    monkeypatch.setattr(read_ahead, "PIECE_IMAGES", 2)
    run = begun(draft, source)
    settings.CELERY_TASK_ALWAYS_EAGER = False
    with monkeypatch.context() as patched:
        wish_after(3, run, "pause", patched)
        later.pop()()
    assert (fresh(run).state, fresh(run).done, draft.images.count()) == ("paused", 3, 3)
    assert set(asked) == {"exchange.help_import"} and not JobRun.objects.filter(key__startswith=PIECE).exists()
    settings.CELERY_TASK_ALWAYS_EAGER = True  # the request itself goes to no broker
    resume(run, rita_of(run.project))
    settings.CELERY_TASK_ALWAYS_EAGER = False
    later.pop()()
    assert (fresh(run).state, counts(run).already_there, counts(run).images) == ("done", 3, 3)


COPIES = [begin_copy, begin_dry_run]
SPOILT = "name of no text"


@pytest.fixture
def source_project(rita: User) -> Project:
    """Another project of the requester, with pictures."""
    made = project_of(phrases("people: a man", name="1"), phrases("animals: a dog", name="2"), name="source")
    add_member(rita, made, Role.REQUESTER)
    return made


def paused(run: Run) -> Run:
    Run.objects.filter(pk=run.pk).update(state=State.PAUSED)
    return Run.objects.get(pk=run.pk)


def resumed(requester: Client, run: Run, later: Later) -> Run:
    """Resume the run on its page, and let its job work."""
    requester.post(f"/projects/ours/runs/{run.pk}/", {"command": "resume"})
    work_on(run.pk)
    return Run.objects.get(pk=run.pk)


@pytest.mark.parametrize("operation", COPIES, ids=lambda operation: operation.name)
def test_a_copy_whose_source_was_deleted_takes_nothing_of_a_project_that_took_the_name(
    requester: Client, rita: User, draft: Project, source_project: Project, later: Later, operation: AnyOperation
) -> None:
    run = paused(copying(draft, rita, source_project, operation))
    Project.objects.get(pk=source_project.pk).delete()
    secret = project_of(phrases("people: a secret", name="secret"), name="source")
    add_member(rita, secret, Role.REQUESTER)  # even where the right to both is there
    run = resumed(requester, run, later)
    assert (run.state, draft.images.count()) == ("failed", 0)
    assert run.problem == "The project 'source', of which this is a copy, was deleted."


@pytest.mark.both_engines
@pytest.mark.parametrize("operation", COPIES, ids=lambda operation: operation.name)
def test_a_copy_stops_for_who_lost_the_source_while_it_was_paused(
    requester: Client, rita: User, draft: Project, source_project: Project, later: Later, operation: AnyOperation
) -> None:
    run = paused(copying(draft, rita, source_project, operation))
    Membership.objects.filter(project=source_project).update(role=Role.VIEWER)
    run = resumed(requester, run, later)
    assert (run.state, draft.images.count()) == ("failed", 0)
    assert "rita does not manage the project 'source' any more" in run.problem


@pytest.mark.both_engines
def test_a_copy_stops_at_the_next_image_for_who_loses_the_source_meanwhile(
    rita: User, draft: Project, source_project: Project, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = ImageCounter.step

    def lose(self: ImageCounter, **counts: Any) -> None:
        Membership.objects.filter(project=source_project).delete()
        step(self, **counts)

    monkeypatch.setattr(ImageCounter, "step", lose)
    work_on(copying(draft, rita, source_project, begin_copy).pk)
    assert (Run.objects.get().state, draft.images.count()) == ("failed", 1)


def test_a_source_with_another_name_is_still_the_source(
    requester: Client, rita: User, draft: Project, source_project: Project, later: Later
) -> None:
    run = paused(copying(draft, rita, source_project, begin_copy))
    Project.objects.filter(pk=source_project.pk).update(name="renamed")
    assert (resumed(requester, run, later).state, draft.images.count()) == ("done", 2)


@pytest.mark.usefixtures("later")
def test_another_requester_resumes_by_a_right_of_their_own(rita: User, draft: Project, source_project: Project):
    run = paused(copying(draft, rita, source_project, begin_copy))
    eve = maker("eve")
    add_member(eve, draft, Role.REQUESTER)
    resume(run, eve)
    work_on(run.pk)
    assert (Run.objects.get().state, draft.images.count()) == ("failed", 0), "eve does not manage the source"
    add_member(eve, source_project, Role.REQUESTER)
    resume(run, eve)
    work_on(run.pk)
    assert (Run.objects.get().state, Run.objects.get().user, draft.images.count()) == ("done", eve, 2)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("lost", ["the role", "the right to read folders", "the account"])
def test_an_import_from_a_folder_of_the_server_stops_for_who_lost(rita: User, draft: Project, source: Path, lost: str):
    run = begun(draft, source)
    if lost == "the role":
        Membership.objects.update(role=Role.REVIEWER)
    elif lost == "the right to read folders":
        Right.objects.filter(kind=RightKind.FOLDERS).delete()
    else:
        rita.delete()
    work_on(run.pk)
    assert (Run.objects.get().state, draft.images.count()) == ("failed", 0)


def test_a_requester_without_the_right_is_neither_offered_nor_given_folders_of_the_server(
    requester: Client, draft: Project, source: Path, later: Later
) -> None:
    Right.objects.filter(kind=RightKind.FOLDERS).delete()
    assert str(source.parent) not in requester.get("/projects/ours/data/").text
    page = requester.post("/projects/ours/data/import/", {"source": str(source)}, follow=True).text
    assert "is a right that an administrator gives" in page
    address = "/api/v1/requester/projects/ours/imports/"
    assert requester.post(address, {"source": str(source)}, "application/json").status_code == 400
    assert not Run.objects.exists()


def test_an_import_goes_into_its_own_project_though_another_has_the_name_by_now(
    rita: User, draft: Project, source: Path, later: Later
) -> None:
    run = begun(draft, source)
    Project.objects.filter(pk=draft.pk).update(name="renamed")
    taker = open_project(name="ours")
    work_on(run.pk)
    assert (taker.images.count(), draft.images.count()) == (0, 6)


@pytest.mark.usefixtures("later")
def test_items_are_not_asked_about_pictures_of_a_project_that_was_lost(rita: User, source_project: Project):
    survey = open_project(name="check", survey=Survey.CAPTION_CHECK)
    add_member(rita, survey, Role.REQUESTER)
    ItemsFile.objects.create(project=survey, name="items.jsonl", text="{}", items=1, source=source_project)
    run = start(import_items, survey, Caller(rita, "rita"), ItemsSource(source=source_project.name))
    Membership.objects.filter(project=source_project).delete()
    work_on(run.pk)
    assert "rita may not look at the project any more that has the pictures" in Run.objects.get().problem
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
    run = Run.objects.get()
    assert (run.state, draft.images.count()) == ("failed", 0)
    assert f"holds a link that leads out of the allowed folders: {what}" in run.problem


def test_links_that_stay_inside_are_followed(requester: Client, draft: Project, source: Path, at_once: None) -> None:
    elsewhere = source.parent / "elsewhere"
    elsewhere.mkdir()
    (source / "0.jpg").rename(elsewhere / "0.jpg")
    (source / "0.jpg").symlink_to(elsewhere / "0.jpg")
    (source / "round").symlink_to(source)
    requester.post("/projects/ours/data/import/", {"source": str(source)})
    assert (Run.objects.get().state, draft.images.count()) == ("done", 6)


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
        ("csv", "\x00", False), ("jsonl", "\x00", False), ("jsonl", "\ud800", False), ("jsonl", "\x00", True),
        ("coco", "\x00", True), ("coco", "\udcff", False), ("entities", "\x1b", True), ("entities", "\udcff", False),
    ],
)  # fmt: skip
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
    run = fresh(begun(draft))
    assert (run.state, run.problem) == ("done", "")
    assert (counts(run).images, counts(run).left_out) == (len(source.whole), source.in_file - len(source.whole))
    told = set(ImportProblem.objects.values_list("image", flat=True))
    names = [one.written for one in source.images if one.fault == SPOILT]
    names = [Path(name).stem for name in names] if kind == "entities" else names
    assert {shown_text(name) for name in names} <= told
