"""Acts of requesters while the service runs: they resume what they may not any more, and take one name at once."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory

import httpx
from django.contrib.auth.models import User

from accounts.members import add_member
from accounts.models import Membership, RightKind, Role, Scope
from accounts.requester_tokens import make_requester_token
from accounts.rights import give_right
from annotation.models import Project
from exchange.import_dataset import import_dataset
from pipeline.settings.settings import Settings
from projects.data.copy_operations import begin_copy
from projects.data.operations import NewImport, SourceProject, begin_import
from projects.lifecycle.copies import make_draft
from projects.models import Run
from projects.operation import Caller
from projects.runs import resume, start
from projects.uploads.files import keep_text
from simulation.scenes.scene import write_source

ENDS_WITHIN = 120.0
"""Seconds in which a resumed run must end: a job runner may have to come back from the fault before."""
AT_ONCE = 3
AGAIN = (429, 502, 503, 504)
"""Answers after which a requester sends the same again."""
PAUSED = Run.State.PAUSED


def resume_without_right() -> list[str]:
    """Resume copies and an import of which nothing may come in any more. Returns what came in all the same."""
    return [said for case in (_name_taken, _source_lost, _project_lost) if (said := case(token_hex(3)))]


def _name_taken(mark: str) -> str:
    """Give the source's name to another project of the same people while a copy is paused."""
    user, source = _requester(mark), _pictured(f"source-{mark}", 1)
    add_member(user, source, Role.REQUESTER)
    copy = make_draft(user, name=f"copy-{mark}")
    run = _paused(copy, user, source)
    source.delete()
    add_member(user, _pictured(f"source-{mark}", 2), Role.REQUESTER)
    return _nothing_came(run, user, "a copy whose source's name was taken")


def _source_lost(mark: str) -> str:
    user, source = _requester(mark), _pictured(f"source-{mark}", 1)
    add_member(user, source, Role.REQUESTER)
    copy = make_draft(user, name=f"copy-{mark}")
    run = _paused(copy, user, source)
    Membership.objects.filter(user=user, project=source).delete()
    return _nothing_came(run, user, "a copy by somebody who lost the source")


def _project_lost(mark: str) -> str:
    """Let the resumed import of uploaded files be that of somebody who is not a requester any more."""
    user = _requester(mark)
    no_phrases = Settings(caption_language="de")  # none are looked for
    project = make_draft(user, name=f"import-{mark}", settings=no_phrases)
    keep_text(project, "captions.json", _coco())
    run = start(begin_import, project, Caller(user, user.username), NewImport(), send=False)
    Run.objects.filter(pk=run.pk).update(state=PAUSED)
    Membership.objects.filter(user=user, project=project).delete()
    return _nothing_came(run, user, "an import by somebody who lost the project")


def _requester(mark: str) -> User:
    user = User.objects.create_user(f"requester-{mark}")
    give_right(user, RightKind.PROJECTS, by=None)
    return user


def _pictured(name: str, seed: int) -> Project:
    """Return a new project with two images."""
    with TemporaryDirectory(prefix="chainbox-faults-") as folder:
        write_source(Path(folder) / "scenes", seed, 2, pictures=False)
        import_dataset(project_name=name, path=Path(folder) / "scenes")
    return Project.objects.get(name=name)


def _coco() -> str:
    size = {"width": 100, "height": 100}
    captions = [{"id": 1, "image_id": 1, "caption": "[a man]"}]
    return json.dumps({"images": [{"id": 1, "file_name": "1.jpg", **size}], "annotations": captions})


def _paused(project: Project, user: User, source: Project) -> Run:
    given = SourceProject(source=source.name, source_id=source.pk)
    run = start(begin_copy, project, Caller(user, user.username), given, send=False)
    Run.objects.filter(pk=run.pk).update(state=PAUSED)
    return run


def _nothing_came(run: Run, user: User, what: str) -> str:
    """Resume the run, and tell what is wrong once it has ended; empty if it ended with nothing."""
    resume(run, user)
    end = time.monotonic() + ENDS_WITHIN
    while (now := Run.objects.get(pk=run.pk)).state in Run.OPEN and time.monotonic() < end:
        time.sleep(0.2)
    images = run.project.images.count()
    if images or now.state != Run.State.FAILED:
        return f"{what} took {images} images, and is {now.state}"
    return ""


# --- One name at once ---


def take_one_name(port: int) -> list[str]:
    """Let three requesters make a project of one name at the same moment. Returns what is wrong: one of them has it."""
    name = f"birds-{token_hex(3)}"
    users = [_requester(token_hex(3)) for _ in range(AT_ONCE)]
    tokens = [make_requester_token(user, name="all", scopes=tuple(Scope.values)) for user in users]
    gate = threading.Barrier(AT_ONCE)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        statuses = list(pool.map(lambda token: _make(port, token, name, gate), tokens))
    members = list(Membership.objects.filter(project__name=name).values_list("user", flat=True))
    wrong = [f"making {name} was answered {status}" for status in statuses if status not in (201, 409)]
    if statuses.count(201) > 1:
        wrong.append(f"{statuses.count(201)} requesters were told that they made {name}")
    if Project.objects.filter(name=name).count() != 1 or len(members) != 1:
        wrong.append(f"{name} has {len(members)} requesters")
    if 201 in statuses and members != [users[statuses.index(201)].pk]:
        wrong.append(f"{name} is not the project of the requester who made it")
    return wrong


def _make(port: int, token: str, name: str, gate: threading.Barrier) -> int:
    """Ask for the project, with all others, until the service answers, and return the status."""
    address, headers = f"http://127.0.0.1:{port}/api/v1/requester/projects/", {"Authorization": f"Token {token}"}
    gate.wait()
    end = time.monotonic() + ENDS_WITHIN
    status = 0
    while time.monotonic() < end:
        with suppress(httpx.TransportError):
            status = httpx.post(address, json={"name": name, "title": name}, headers=headers, timeout=10).status_code
            if status not in AGAIN:
                return status
        time.sleep(0.3)
    return status
