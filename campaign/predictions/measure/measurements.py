"""Measurements as the page of models shows them: the one at work, and the last complete one of each program."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import Max, Q

from annotation.models import Project
from campaign.long_work import standing
from campaign.models import ModelMeasurement
from campaign.predictions.measure.copies import delete_these
from campaign.predictions.measure.in_words import Row, conclusion, rows_of
from campaign.predictions.measure.known_images import LEAST, MOST, Predicted, predicted, too_few
from members.may import Action, projects_for
from workers.models import Worker


@dataclass(frozen=True, slots=True)
class Shown:
    """The last complete measurement of a program."""

    row: ModelMeasurement
    conclusion: str
    rows: list[Row]
    copies: list[tuple[str, Project]]
    """The copies that are still there, each with words for it, as far as the visitor may look at them."""
    old: list[str]
    """Sentences on what has changed since."""
    is_newest: bool = False
    """No other program was measured later."""

    @property
    def are_gone(self) -> bool:
        return not (self.row.copy_without or self.row.copy_with)

    @property
    def from_workers(self) -> int:
        """Images whose right answers are what workers made of them."""
        return int(self.row.values["images"] - self.row.values["with_gold"])


@dataclass(frozen=True, slots=True)
class OfProgram:
    """A program's last measurement, and whether there can be one now."""

    shown: Shown | None
    images: int
    """Images that a measurement takes."""
    too_few: str
    """The reason against a measurement now; empty: there can be one."""


class OnPage(NamedTuple):
    """All that the page shows of measurements."""

    newest: ModelMeasurement | None
    """The last one that was begun, however it stands."""
    programs: dict[int, OfProgram]


def settled(row: ModelMeasurement) -> dict[str, Any]:
    """Return where a measurement stands. One that was stopped or failed leaves no copies, whoever ended it."""
    stands = standing(row)
    if row.state in (row.State.CANCELLED, row.State.FAILED) and (row.copy_without_id or row.copy_with_id):
        delete_these([row.copy_without, row.copy_with])
    return stands | {"doing": row.doing}


def measurements(project: Project, user: User, programs: Sequence[tuple[int, str]], version: int) -> OnPage:
    """Return what the page shows of each of these programs, given by number and name.

    `version`: that of the project's settings now.
    """
    rows = _rows(project)
    done = [row for row in rows if row.state == row.State.DONE]
    copies = {copy.pk for row in done for copy in (row.copy_without, row.copy_with) if copy is not None}
    open_to = (
        set(projects_for(user, Action.LOOK).filter(pk__in=copies).values_list("pk", flat=True)) if copies else set()
    )
    by_now = predicted(project)
    shown = {row.program_id: _shown(row, open_to, by_now.get(row.program_id), version) for row in done}
    if done:
        newest = done[0].program_id
        shown[newest] = replace(shown[newest], is_newest=True)
    found = {}
    for number, name in programs:
        known = by_now[number].known if number in by_now else 0
        found[number] = OfProgram(shown.get(number), min(known, MOST), too_few(name, known) if known < LEAST else "")
    return OnPage(rows[0] if rows else None, found)


def _rows(project: Project) -> list[ModelMeasurement]:
    """Return the last measurement and the last complete one of each program, the newest first."""
    all_of_them = ModelMeasurement.objects.filter(project=project).order_by()
    done = all_of_them.filter(state=ModelMeasurement.State.DONE).values("program").annotate(newest=Max("pk"))
    last = all_of_them.values("project").annotate(newest=Max("pk"))
    wanted = Q(pk__in=done.values("newest")) | Q(pk__in=last.values("newest"))
    rows = all_of_them.filter(wanted).order_by("-pk")
    return list(rows.select_related("program", "copy_without", "copy_with"))


def measurable(project: Project, number: str) -> Worker | None:
    """Return the program with this number if it predicted anything in the project."""
    if not number.isdecimal() or len(number) > 18:
        return None
    return Worker.objects.filter(pk=int(number), model_predictions__project=project).first()


def _shown(row: ModelMeasurement, open_to: set[int], by_now: Predicted | None, version: int) -> Shown:
    sides = {"without it": row.copy_without, f"with {row.program.name}": row.copy_with}
    copies = [(words, copy) for words, copy in sides.items() if copy is not None and copy.pk in open_to]
    old = []
    if version != row.settings_version:
        old.append("The settings have changed since: measure again to compare with those of now.")
    if by_now is not None and row.begun_at is not None and by_now.newest > row.begun_at:
        old.append(f"{row.program.name} has predicted anew since: measure again.")
    return Shown(row, conclusion(row.program.name, row.values), rows_of(row.values), copies, old)
