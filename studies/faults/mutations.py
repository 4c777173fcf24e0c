"""Faults planted in the code of the service, to show that the campaign finds what it is there to find."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

LEFT_OUT = (".git", "var", "node_modules", "dist", ".venv", "docs", ".*_cache", "__pycache__", ".cache")
LINKED = (".venv", "frontend/dist")
"""Parts of the tree that a copy shares with the original."""


@dataclass(frozen=True)
class Mutation:
    """A piece of code that is replaced, and the faults that bring the difference to light."""

    name: str
    file: str
    old: str
    new: str
    only: tuple[str, ...] = ("restarted",)
    """Words of the faults that the campaign against this mutation uses."""

    def apply(self, root: Path) -> None:
        """Change the file below `root`. Raises ValueError if the old code is not there exactly once."""
        file = root / self.file
        text = file.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file} has the code of «{self.name}» {text.count(self.old)} times, not once")
        file.write_text(text.replace(self.old, self.new), encoding="utf-8")


SUBMIT, RECORD = "pipeline/asking/submit_assignment.py", "pipeline/record"
MUTATIONS = (
    Mutation(
        "a repeated submission is refused",
        SUBMIT,
        "        return stored_receipt(assignment, replies)\n",
        "        raise AssignmentEndedError\n",
    ),
    Mutation(
        "an assignment is read without a lock",
        "pipeline/asking/read_assignment.py",
        "Assignment.objects.select_for_update().filter(**{name: slot_for(Assignment, name)})",
        "Assignment.objects.filter(**{name: slot_for(Assignment, name)})",
    ),
    Mutation(
        "an answered question stays open",
        f"{RECORD}/question_state.py",
        '{"state": QuestionState.ANSWERED.value, "assignment": None}',
        '{"assignment": None}',
    ),
    Mutation(
        "leases never end",
        "pipeline/asking/end_lease.py",
        "    return ended + end_assignments(begun, Assignment.State.EXPIRED, now)\n",
        "    return ended + len(begun)\n",
    ),
    Mutation(
        "the sweep folds nothing",
        "pipeline/tick.py",
        "    folded = apply_judgments(AFTER_LINKING, project_id=project_id, now=now, rounds=rounds)\n",
        "    folded = apply_judgments((), project_id=project_id, now=now, rounds=rounds)\n",
        ("away for the last answers",),
    ),
    Mutation(
        "entries and rows of a fold are written apart",
        f"{RECORD}/append_entries.py",
        "    insert_many(Entry, EntryRow._fields, entries)\n",
        "    insert_many(Entry, EntryRow._fields, entries)\n    transaction.get_connection().connection.commit()\n",
        ("fold: entries written",),
    ),
    Mutation(
        "answers are stored after the commit",
        SUBMIT,
        "    insert_many(Judgment, _Row._fields, judgments, "
        'unless="(worker_id, known_id) WHERE known_id IS NOT NULL")\n',
        "    from functools import partial\n"
        "    store = partial(insert_many, Judgment, _Row._fields, judgments)\n"
        "    transaction.on_commit(lambda: reach('submit: committed') or store())\n",
        ("submit: committed",),
    ),
    Mutation(
        "an image is written piece by piece",
        "exchange/import_dataset.py",
        "        with transaction.atomic():\n            row = import_image(",
        "        if True:\n            row = import_image(",
        ("import: image half written",),
    ),
    Mutation(
        "an export is written in its place",
        "exchange/atomic.py",
        "            yield temporary / path.name\n",
        "            yield path\n            path.rename(temporary / path.name)\n",
        ("export: half written",),
    ),
    Mutation(
        "the sweep waits for long work",
        "config/queues.py",
        '"pipeline.*": {"queue": "soon"}',
        '"pipeline.*": {"queue": "long"}',
        ("are busy",),
    ),
    Mutation(
        "a killed master leaves its clock",
        "config/runners.py",
        "        die_with(before)\n",
        "",
        ("with its clock",),
    ),
    Mutation(
        "a copy finds its source by the name",
        "projects/data/watch.py",
        "Project.objects.filter(pk=run.source_project_id or 0).first()",
        "Project.objects.filter(name=run.source).first()",
        ("without the right",),
    ),
    Mutation(
        "a resumed run asks for no right",
        "projects/data/watch.py",
        "    if user is None or not may(user, Action.MANAGE, run.project_id):\n",
        "    if user is None:\n",
        ("without the right",),
    ),
    Mutation(
        "a copy asks for no right to its source",
        "projects/data/watch.py",
        "    if run.kind in (Kind.COPY, Kind.DRY_RUN):\n        _check_source(user, run)\n",
        "",
        ("without the right",),
    ),
    Mutation(
        "who comes second to a name gets the project",
        "pipeline/project/settings_versions.py",
        "        raise NameTakenError(name) from error\n",
        "        return Project.objects.get(name=name)\n",
        ("one name",),
    ),
    Mutation(
        "a late answer counts",
        "pipeline/asking/end_lease.py",
        "question.state == QuestionState.OPEN.value\n        and question.assignment_id in (assignment.id, None)\n",
        "True\n",
    ),
)


@contextmanager
def mutated(root: Path, mutation: Mutation, folder: Path) -> Iterator[Path]:
    """Copy the source tree into the folder, with one piece of its code replaced. Yields the copy's root."""
    copy = folder / "tree"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
    for part in LINKED:
        (copy / part).symlink_to((root / part).resolve())
    mutation.apply(copy)
    try:
        yield copy
    finally:
        shutil.rmtree(copy, ignore_errors=True)
