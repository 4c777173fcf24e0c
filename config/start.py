"""The start of every process: checks before it, and one line instead of a traceback for what an operator can mend.

`python -m config.start web|jobs|worker|beat|migrate` checks, and prepares what web serves; scripts/process.sh runs it
first.
"""

import errno
import gc
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import (
    BaseCommand,
    call_command,
    execute_from_command_line,
    get_commands,
    load_command_class,
)
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.exceptions import InconsistentMigrationHistory
from redis.exceptions import RedisError

from config.environment import data_folder
from config.processes import keep_what_is_loaded
from runtime.inside_django import missing_migrations
from runtime.installed import COMMAND

HELP: tuple[list[str], ...] = (["help"], ["--help"], ["-h"], [])
"""Arguments that ask for the list."""
COMMANDS: dict[str, dict[str, str]] = {
    "start": {
        "start": "demo import_dataset validate migrate serve",
        "how-to/new_project": "create_project project_state",
        "reference/settings": "change_settings",
        "how-to/find_workers": "invite",
    },
    "data": {
        "how-to/new_project": "chunk_captions",
        "how-to/models": "import_predictions",
        "how-to/verification_questions": "gold",
        "reference/formats": "export_dataset change_data_card refs_splits type_agreement",
        "how-to/evaluate": "evaluate dataset_statistics",
        "how-to/check_a_data_set": "doubts wrong_labels changes export_corrected",
        "how-to/survey": "survey_import survey_export",
        "how-to/operations": "archive_project bring_back",
    },
    "people": {
        "how-to/find_workers": "offer_cost try_offer publish status withdraw make_api_key skills signals recovery_link",
        "how-to/models": "let_judge name_family measure_program",
        "how-to/workers_data": "forget_worker",
        "how-to/operations": "createsuperuser changepassword",
    },
    "money": {
        "how-to/predict": "forecast dry_run",
        "how-to/study_with_people": "study",
        "how-to/new_project": "delete_dry_run",
        "why/results": "simulate compare_strategies",
        "reference/money": "ledger",
        "how-to/find_workers": "due_payments pay reconcile",
        "how-to/models": "note_price",
    },
    "upkeep": {
        "how-to/operations": "doctor run replay backup restore prune",
        "how-to/watch": "progress",
        "how-to/verification_questions": "known_questions",
        "how-to/adaptive_links": "fit_link_prior reasks",
        "reference/api": "operation",
    },
}
"""The commands of each group by the page of docs/ that explains them best, in the order in which people need them."""
PROGRAMS = {
    "data": {"evaluation": "Score systems on an exported data set, without the service."},
    "people": {"annotator": "Let a model answer questions and propose boxes, through the API."},
}
"""Commands of chainbox/launcher.py, which need no Django, by group."""
WIDTH = 20


def overview(program: str) -> str:
    """Return the list of the commands with a sentence about each. `program`: the name by which it was called."""
    lines = [f"{program} COMMAND [options]; {program} help COMMAND lists its options."]
    for group in COMMANDS:
        about = {name: _sentence(name) for name in commands_of(group)} | PROGRAMS.get(group, {})
        lines += ["", group, *(f"  {name:<{WIDTH}}{words}" for name, words in about.items())]
    return "\n".join([*lines, "", "Django's own commands work, too: shell, dbshell, sendtestemail and others.", ""])


def _sentence(name: str) -> str:
    command = load_command_class(get_commands()[name], name)
    assert isinstance(command, BaseCommand)
    return f"{command.help.partition('. ')[0].removesuffix('.')}."


def commands_of(group: str) -> list[str]:
    return [name for names in COMMANDS[group].values() for name in names.split()]


def page_of(name: str) -> str:
    """Return the page of docs/ about a command; the list of all commands if no page explains it."""
    pages = {command: page for group in COMMANDS.values() for page, names in group.items() for command in names.split()}
    return pages.get(name, "reference/commands")


NO_BROKER = {
    "web": f"web would take answers that no job follows: set it and start worker and beat, or run {COMMAND} serve",
    "jobs": "a job runner gets its jobs from Redis",
    "worker": "a worker gets its jobs from Redis",
    "beat": "beat hands the jobs that are due to Redis",
}
"""By process, the reason why it does not start without REDIS_URL."""
PREPARING = 0x636861696E
"""The number of the lock of PostgreSQL that a process holds while it prepares the service."""
LOOK_SECONDS = 1.0
"""The time between two looks at that lock."""
DATABASE_CAUSES = (
    (("no space left", "disk is full", "disk full"), "the disk is full: make room"),
    (("not a database", "malformed", "corrupt"), "it is damaged: put a backup in its place"),
    (("no such table", "no such column", "relation "), f"it is not up to date: run '{COMMAND} migrate'"),
    (("readonly", "read-only"), "it cannot be written: check the owner and rights of the file and its folder"),
    (("unable to open",), "it cannot be opened: check the owner and rights of the file and its folder"),
    (("locked",), "another process has been writing for 20 seconds: try again"),
    (("disk i/o",), "the disk cannot be read or written: check it"),
)
"""Parts of a database's messages in lower case, with what is wrong and what to do."""
DISK_CAUSES = {
    errno.ENOSPC: "the disk is full: make room",
    errno.EDQUOT: "the quota is used up: make room",
    errno.EROFS: "the disk is read-only: choose another CHAINBOX_DATA, or mount it writable",
    errno.EACCES: "no permission: check the owner and rights",
    errno.EPERM: "no permission: check the owner and rights",
    errno.EIO: "the disk cannot be read or written: check it",
    errno.ENOTDIR: "a file is in the place of a folder: move it away",
}


class ServiceNotReadyError(Exception):
    """The service is not ready for this process. The message says what to do."""


def run(arguments: Sequence[str]) -> None:
    """Run a command of Django. What an operator can mend ends it with one line; --traceback shows where it happened."""
    if arguments[1:2] == ["demo"] and not os.environ.get("CHAINBOX_DATA", "").strip():
        os.environ["CHAINBOX_DATA"] = str(data_folder() / "demo")  # apart from the projects of people
    try:
        _ = settings.DATA  # wrong settings come to light here: Django would hide all commands instead
        django.setup()
        keep_what_is_loaded()
        gc.enable()
        if [*arguments[1:]] in HELP:
            sys.stdout.write(overview(Path(arguments[0]).name))
            return
        execute_from_command_line(list(arguments))
    except SystemExit as end:
        if end.code and len(arguments) > 1:
            page = page_of(arguments[1])
            print(f"Help: docs/{page}.md, or /help/{page}/ of the running service.", file=sys.stderr)
        raise
    except Exception as error:
        line = explain(error)
        if line is None or "--traceback" in arguments:
            raise
        _end(line)


def explain(error: BaseException) -> str | None:
    """Return what is wrong and what to do, in one line; None for an error of the program itself."""
    if isinstance(error, ServiceNotReadyError | InconsistentMigrationHistory):
        return str(error)
    if isinstance(error, ImproperlyConfigured):
        return f"Wrong settings: {' '.join(str(error).split())}"
    if isinstance(error, DatabaseError | InterfaceError):
        return _explain_database(error)
    if isinstance(error, RedisError):
        return f"Redis does not answer: {_one_line(error)}. Check REDIS_URL, and that Redis runs."
    if isinstance(error, OSError) and error.errno in DISK_CAUSES:
        return f"{error.filename or 'A file'}: {DISK_CAUSES[error.errno]}."
    return None


def _explain_database(error: Exception) -> str | None:
    message = str(error).lower()
    where = settings.DATABASES["default"]
    is_file = where["ENGINE"].endswith("sqlite3")
    name = f"The database {where['NAME']}" if is_file else "The database of DATABASE_URL"
    for parts, cause in DATABASE_CAUSES:
        if any(part in message for part in parts):
            return f"{name}: {cause} ({_one_line(error)})."
    if is_file or not isinstance(error, django.db.OperationalError | InterfaceError):
        return None  # a wrong statement, or a broken constraint: an error of the program
    return f"{name} does not answer: {_one_line(error)}. Check DATABASE_URL, and that the database runs."


def _one_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def check(process: str) -> None:
    """Raise an error that `explain` explains if this process (web, jobs, worker, beat, migrate) cannot do its work."""
    if process in NO_BROKER and not settings.REDIS_URL:
        raise ImproperlyConfigured(f"REDIS_URL is not set: {NO_BROKER[process]}.")
    django.setup()
    probe = settings.DATA / f".probe-{os.getpid()}"
    try:
        probe.write_bytes(b"x" * 4096)
    finally:
        probe.unlink(missing_ok=True)
    if not _migrates(process) and missing_migrations():
        first = (
            f"start web, which runs '{COMMAND} migrate' first" if settings.MIGRATE else "run scripts/process.sh migrate"
        )
        raise ServiceNotReadyError(f"The database is not up to date: {first}.")
    from exchange.leftovers import remove_leftovers

    remove_leftovers()


def prepare(process: str) -> None:
    """Migrate and collect the static files, as the process needs it. A command each would take a second longer."""
    if process not in ("web", "migrate"):
        return
    with _one_at_a_time():
        if _migrates(process):
            call_command("migrate", verbosity=0, skip_checks=False)
        if process == "web":
            call_command("collectstatic", interactive=False, verbosity=0, skip_checks=False)


def _migrates(process: str) -> bool:
    return process == "migrate" or (process == "web" and settings.MIGRATE)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Let the block run in one process of the service at a time: of several web processes one migrates, others wait.

    The lock ends with its connection, however the process ends. Looks at intervals: an index that is built online
    would wait for a statement that waits for the lock.
    """
    if connection.vendor != "postgresql":
        yield  # a file, which one process prepares
        return
    with connection.cursor() as cursor:
        while not _is_true(cursor, "SELECT pg_try_advisory_lock(%s)"):
            time.sleep(LOOK_SECONDS)
        try:
            yield
        finally:
            _is_true(cursor, "SELECT pg_advisory_unlock(%s)")


def _is_true(cursor: Any, statement: str) -> bool:
    cursor.execute(statement, [PREPARING])
    return bool(cursor.fetchone()[0])


def _end(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.exit(1)


def start() -> None:
    """Check before the process that the only argument names, and prepare it."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        check(sys.argv[1])
        prepare(sys.argv[1])
    except Exception as error:
        line = explain(error)
        if line is None:
            raise
        _end(line)


if __name__ == "__main__":
    start()
