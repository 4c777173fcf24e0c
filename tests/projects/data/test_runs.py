"""Runs of imports: they can be paused, resumed, cancelled, and survive a crash; what was left out is listed.
Imports by a command leave runs, are refused and are stopped as those from a page.
Sources on the server and in buckets: only those below what an administrator allowed.
Large imports that other job runners help with: paused and resumed as others, without a rest of pieces.
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

from accounts.add_member import add_member
from accounts.models import Membership, Right, RightKind, Role
from annotation.models import Image, Project
from annotation.rules.states import Survey
from exchange import jobs, read_ahead
from exchange.dataset import shown_text
from pipeline.project.settings_versions import open_project
from projects import long_work
from projects.data import carry_out
from projects.data.runs import begin, begin_import, resume, standing
from projects.data.watch import RunWatch
from projects.long_work import BusyError, stop
from projects.models import ImportProblem, ImportRun, ItemsFile, Upload
from projects.models.long_work import Wanted
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
from tests.support.table import row

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("look_at_every_image")]

State = ImportRun.State


def begun(project: Project, source: Path) -> ImportRun:
    return begin(project, rita_of(project), ImportRun.Kind.IMPORT, str(source))


def rita_of(project: Project) -> User:
    """Return the project's requester, by whose right a run goes on."""
    user = User.objects.filter(username="rita").first() or maker("rita")
    add_member(user, project, Role.REQUESTER)
    return user


def fresh(run: ImportRun) -> ImportRun:
    return ImportRun.objects.get(pk=run.pk)


def wish_after(images: int, run: ImportRun, wanted: Wanted, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the requester wish something when so many images are in the project."""
    look = RunWatch.look

    def wish(self: RunWatch) -> None:
        if Image.objects.count() == images:
            stop(run, wanted)
        look(self)

    monkeypatch.setattr(RunWatch, "look", wish)


def test_an_import_counts_what_it_does_and_ends(draft: Project, source: Path, at_once: None) -> None:
    now = standing(fresh(begun(draft, source)))
    assert (now["state"], now["done"], now["total"], now["images"], now["leftOut"]) == ("done", 6, 6, 6, 0)
    assert draft.images.count() == 6


def test_the_request_does_not_wait_for_the_import(requester: Client, draft: Project, source: Path, later: Later):
    requester.post("/projects/ours/data/import/", {"source": str(source)})
    assert (ImportRun.objects.get().state, draft.images.count()) == ("waiting", 0)
    later.pop()()
    assert (ImportRun.objects.get().state, draft.images.count()) == ("done", 6)


def test_a_paused_import_goes_on_where_it_stopped(draft: Project, source: Path, later: Later, monkeypatch: Any):
    run = begun(draft, source)
    with monkeypatch.context() as patched:
        wish_after(2, run, Wanted.PAUSE, patched)
        later.pop()()
    assert (fresh(run).state, fresh(run).wanted, draft.images.count()) == ("paused", "", 2)
    before = list(draft.images.values_list("pk", flat=True))
    resume(run, rita_of(run.project))
    later.pop()()
    assert (fresh(run).state, fresh(run).already_there, fresh(run).images) == ("done", 2, 4)
    assert list(draft.images.order_by("position").values_list("position", flat=True)) == list(range(6))
    assert set(before) < set(draft.images.values_list("pk", flat=True))


def test_a_cancelled_import_keeps_what_it_has_and_is_not_resumed(
    draft: Project, source: Path, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(draft, source)
    wish_after(3, run, Wanted.CANCEL, monkeypatch)
    later.pop()()
    assert (fresh(run).state, draft.images.count()) == ("cancelled", 3)
    resume(run, rita_of(run.project))
    assert not later


def test_an_import_that_waits_or_is_paused_is_cancelled_at_once(draft: Project, source: Path, later: Later) -> None:
    run = begun(draft, source)
    stop(run, Wanted.PAUSE)
    assert fresh(run).state == State.PAUSED
    later.pop()()
    assert (fresh(run).state, draft.images.count()) == ("paused", 0)
    stop(run, Wanted.CANCEL)
    assert fresh(run).state == State.CANCELLED


def test_a_process_that_is_killed_is_found_and_the_import_begins_again(
    draft: Project, source: Path, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(draft, source)
    killed(run, later, monkeypatch)
    assert (fresh(run).state, draft.images.count()) == ("running", 2) and standing(fresh(run))["interrupted"]
    send_waiting()
    later.pop()()
    assert (fresh(run).state, fresh(run).already_there, draft.images.count()) == ("done", 2, 6)


def killed(run: ImportRun, later: Later, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process die in the middle: nothing more is written, and its signs of life end."""
    later.clear()
    with monkeypatch.context() as patched:
        wish_after(2, run, Wanted.PAUSE, patched)
        work_on(run.pk)
    ImportRun.objects.filter(pk=run.pk).update(state=State.RUNNING, wanted="", ended_at=None)
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
    now = standing(fresh(run))
    assert now["state"] == "failed" and "ended before the work was done" in now["problem"]
    resume(fresh(run), rita_of(run.project))
    later.pop()()
    assert (fresh(run).state, draft.images.count()) == ("done", 6)


def test_an_interrupted_import_is_paused_at_once(draft: Project, source: Path, later: Later, monkeypatch: Any):
    run = begun(draft, source)
    killed(run, later, monkeypatch)
    stop(fresh(run), Wanted.PAUSE)
    assert fresh(run).state == State.PAUSED


def test_an_error_that_nobody_foresaw_shows_on_the_page_and_the_import_can_be_resumed(
    draft: Project, source: Path, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: Any) -> None:
        raise ValueError("a bug")

    run = begun(draft, source)
    with monkeypatch.context() as patched:
        patched.setattr(carry_out, "import_dataset", fail)
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
    standing(fresh(run))
    later.pop()()
    assert fresh(run).state == State.DONE


def command(source: Path, project: str = "ours", **options: Any) -> None:
    call_command("import_dataset", project, str(source), **options)


def test_a_command_leaves_a_run_as_a_page_does_with_what_was_left_out(draft: Project, source: Path):
    (source / "0.jpg").write_bytes(b"no picture")
    command(source, owner=rita_of(draft).username)
    run = ImportRun.objects.get()
    assert (run.state, run.images, run.left_out, run.done, run.total) == ("done", 5, 1, 6, 6)
    assert (run.source, str(run.user), run.problems.get().image) == (str(source), "rita", "0.jpg")
    assert run.note.startswith("Pictures used: 5 of 6") and standing(run)["state"] == "done"
    command(source, "other", use="pre_annotations")
    made = ImportRun.objects.get(project__name="other")
    assert (made.state, made.use, made.program) == ("done", "pre_annotations", f"import of {source.name}")
    assert made.images == made.project.images.count() == 5


def test_a_command_that_is_refused_leaves_a_run_that_has_failed_and_no_new_project(draft: Project, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    for name in ("ours", "other"):
        with pytest.raises(CommandError, match="is in no known format"):
            command(tmp_path / "empty", name)
    run = ImportRun.objects.get()
    assert (run.project, run.state) == (draft, "failed") and "is in no known format" in run.problem
    assert not Project.objects.filter(name="other").exists()


@row("finished", "", "The project is finished: reopen it")
@row("archived", "", "The project is finished: reopen it")
@row("running", "caption_check", "ours is a survey: it has no phrases, chains and boxes")
def test_a_command_fills_no_project_that_the_page_does_not_fill(
    state: str, survey: str, why: str, draft: Project, source: Path
) -> None:
    Project.objects.update(state=state, survey=survey)
    with pytest.raises(CommandError, match=why):
        command(source)
    with pytest.raises(BusyError, match=why):
        begin_import(Project.objects.get(), rita_of(draft), str(source))
    assert not draft.images.exists() and not ImportRun.objects.exists()


def test_a_command_waits_for_no_other_import_but_goes_on_after_one_that_was_killed(
    draft: Project, source: Path, later: Later
) -> None:
    run = begun(draft, source)
    with pytest.raises(CommandError, match="Another import of this project has not ended yet"):
        command(source)
    stop(run, Wanted.CANCEL)
    dead = begin(draft, None, ImportRun.Kind.IMPORT, str(source), at_once=False)
    ImportRun.objects.filter(pk=dead.pk).update(state=State.RUNNING)
    past = clock.now() - timedelta(minutes=1)
    JobRun.objects.create(key=dead.key, job="", state="running", held_until=past, holder="gone 1")
    command(source)
    assert fresh(dead).state == "failed" and "The command was killed" in fresh(dead).problem
    assert (draft.import_runs.latest("id").state, draft.images.count()) == ("done", 6)


@pytest.mark.parametrize("wanted", [Wanted.PAUSE, Wanted.CANCEL, None])
def test_a_command_is_stopped_from_the_page_or_by_ctrl_c(
    wanted: Wanted | None, draft: Project, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = RunWatch.look

    def wish(self: RunWatch) -> None:
        if Image.objects.count() == 2:
            if wanted is None:
                raise KeyboardInterrupt
            stop(self.row, wanted)
        look(self)

    monkeypatch.setattr(RunWatch, "look", wish)
    with pytest.raises(CommandError, match="Imported images stay"):
        command(source)
    run = ImportRun.objects.get()
    assert run.state == ("paused" if wanted is Wanted.PAUSE else "cancelled")
    assert (draft.images.count(), run.images) == (2, 2)
    monkeypatch.setattr(RunWatch, "look", look)
    command(source)
    assert (draft.images.count(), ImportRun.objects.latest("id").already_there) == (6, 2)


@pytest.mark.usefixtures("at_once")
@pytest.mark.both_engines
def test_what_was_left_out_is_listed_and_downloaded_with_the_reasons(requester: Client, draft: Project, source: Path):
    (source / "0.jpg").unlink()
    (source / "1.jpg").write_bytes(b"no picture")
    with (source / "captions.csv").open("a") as file:
        file.write("=cmd.jpg,[a man]\n")
    run = begun(draft, source)
    assert (fresh(run).images, fresh(run).left_out) == (4, 3)
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
    assert (fresh(run).images, fresh(run).already_there, draft.images.count()) == (1, 5, 6)
    assert not ImportProblem.objects.filter(run=run).exists()


def test_uploaded_files_are_removed_when_all_of_them_were_imported(draft: Project, at_once: None, settings: Any):
    make_source(Upload.folder_of(draft.pk) / "files", 2)
    begin(draft, rita_of(draft), ImportRun.Kind.IMPORT)
    assert draft.images.count() == 2 and not Upload.folder_of(draft.pk).exists()


def test_uploaded_files_stay_while_something_is_left_out(draft: Project, at_once: None) -> None:
    make_source(Upload.folder_of(draft.pk) / "files", 2)
    keep_text(draft, "captions.csv", "image,caption\n0.jpg,[a man]\nnone.jpg,[a man]\n")
    begin(draft, rita_of(draft), ImportRun.Kind.IMPORT)
    assert draft.images.count() == 1 and Upload.folder_of(draft.pk).exists()


def test_a_source_without_captions_fails_in_words_without_a_path_of_the_server(draft: Project, at_once: None) -> None:
    folder = make_source(Upload.folder_of(draft.pk) / "files", 2)
    (folder / "captions.csv").unlink()
    run = fresh(begin(draft, rita_of(draft), ImportRun.Kind.IMPORT))
    assert run.state == State.FAILED and "the uploaded files: is in no known format" in run.problem
    assert str(folder) not in run.problem


def test_only_one_run_of_a_project_works_at_a_time(draft: Project, source: Path, later: Later) -> None:
    begun(draft, source)
    with pytest.raises(BusyError):
        begun(draft, source)


def test_wishes_come_over_the_page_and_from_nobody_else(requester: Client, draft: Project, source: Path, later: Later):
    run = begun(draft, source)
    address = f"/projects/ours/data/runs/{run.pk}/"
    assert requester.post(address, {"wish": "fly"}).status_code == 400
    assert requester.post(address, {"wish": "pause"}).json()["state"] == "paused"
    eye, client = User.objects.create_user("eye"), Client()
    add_member(eye, draft, Role.REVIEWER)
    client.force_login(eye)
    assert client.post(address, {"wish": "resume"}).status_code == 403
    other = open_project(name="theirs")
    add_member(User.objects.get(username="rita"), other, Role.REQUESTER)
    assert requester.get(f"/projects/theirs/data/runs/{run.pk}/").status_code == 404
    assert requester.get(f"/projects/ours/data/runs/{'9' * 30}/").status_code == 404
    assert requester.post(address, {"wish": "resume"}).json()["state"] == "waiting"


@pytest.mark.usefixtures("at_once")
def test_captions_in_a_language_without_a_chunker_wait_and_the_page_says_so(requester: Client):
    requester.post("/projects/new/", {"title": "Auf Deutsch", "language": "de"})
    project = Project.objects.get(name="auf-deutsch")
    make_source(Upload.folder_of(project.pk) / "files", 2, caption="Ein Mann mit Hund.")
    begin(project, rita_of(project), ImportRun.Kind.IMPORT)
    assert ImportRun.objects.get().without_phrases == 2
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
    assert not ImportRun.objects.exists()


def test_a_bucket_is_allowed_by_the_beginning_of_its_address(settings: Any, requester: Client, later: Later) -> None:
    settings.IMPORT_SOURCES = ["s3://sets/photos"]
    for address in ("s3://sets/photos-private/", "s3://sets/", "s3://set"):
        requester.post("/projects/ours/data/import/", {"source": address})
    assert not ImportRun.objects.exists()
    requester.post("/projects/ours/data/import/", {"source": "s3://sets/photos/may/"})
    assert ImportRun.objects.get().source == "s3://sets/photos/may/"


def test_a_large_import_asks_job_runners_for_help_and_can_be_paused(
    draft: Project, source: Path, later: Later, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(long_work, "LOOK_SECONDS", 0)
    monkeypatch.setattr(jobs, "start", lambda job, *_: asked.append(job.name))
    monkeypatch.setattr(read_ahead, "LEAST_IMAGES", 3)
    monkeypatch.setattr(read_ahead, "PIECE_IMAGES", 2)
    run = begun(draft, source)
    settings.CELERY_TASK_ALWAYS_EAGER = False
    with monkeypatch.context() as patched:
        wish_after(3, run, Wanted.PAUSE, patched)
        later.pop()()
    assert (fresh(run).state, fresh(run).done, draft.images.count()) == ("paused", 3, 3)
    assert set(asked) == {"exchange.help_import"} and not JobRun.objects.filter(key__startswith=PIECE).exists()
    settings.CELERY_TASK_ALWAYS_EAGER = True  # the request itself goes to no broker
    resume(run, rita_of(run.project))
    settings.CELERY_TASK_ALWAYS_EAGER = False
    later.pop()()
    assert (fresh(run).state, fresh(run).already_there, fresh(run).images) == ("done", 3, 3)


Kind = ImportRun.Kind
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
    run = ImportRun.objects.get(pk=begin(draft, user, ImportRun.Kind.IMPORT).pk)
    assert (run.state, run.problem) == ("done", "")
    assert (run.images, run.left_out) == (len(source.whole), source.in_file - len(source.whole))
    told = set(ImportProblem.objects.values_list("image", flat=True))
    names = [one.written for one in source.images if one.fault == SPOILT]
    names = [Path(name).stem for name in names] if kind == "entities" else names
    assert {shown_text(name) for name in names} <= told
