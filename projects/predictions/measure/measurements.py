"""Measurements as the page of models shows them: conclusions in a sentence, rows of a table, and which of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import Max, Q

from accounts.may import Action, projects_for
from annotation.models import Project
from projects.long_work import standing
from projects.models import ModelMeasurement
from projects.predictions.measure.copies import delete_these
from projects.predictions.measure.known_images import LEAST, MOST, Predicted, predicted, too_few
from runtime.intervals import Estimate
from runtime.words import interval, money, percent

Figures = Mapping[str, Mapping[str, Any]]


class Row(NamedTuple):
    """One figure without the program and with it. `part`: it is a part of the figure above."""

    words: str
    without: str
    with_it: str
    change: str
    interval: str = ""
    counts: tuple[str, str] = ("", "")
    """Parts and wholes of a share, without and with the program."""
    part: bool = False


def rows_of(values: Mapping[str, Any]) -> list[Row]:
    """Return the rows of the table of a measurement. Money and experts are left out where there are none."""
    figures = values["figures"]
    any_review = figures["review"]["without"] or figures["review"]["with"]

    def money_of(cents: float) -> str:
        return money(round(cents), values["currency"])

    return [
        _sum(figures, "answers", "Answers"),
        _sum(figures, "linking", "about links and chains", part=True),
        _sum(figures, "boxing", "about boxes", part=True),
        _sum(figures, "hours", "Hours of workers", lambda hours: f"{hours:,.2f}" if hours < 10 else f"{hours:,.1f}"),
        *([_sum(figures, "cents", "Money", money_of)] if values["paid"] else []),
        *([_sum(figures, "review", "Chains left to an expert", few=True)] if any_review else []),
        _share(figures, "boxes_right", "Final boxes that are right"),
        _share(figures, "boxes_found", "True boxes that were found"),
        _share(figures, "chains_exact", "Chains exactly right"),
    ]


def _sum(
    figures: Figures,
    name: str,
    words: str,
    form: Callable[[float], str] = lambda number: f"{number:,.0f}",
    *,
    part: bool = False,
    few: bool = False,
) -> Row:
    """`few`: a count that is too small for shares of it."""
    one = figures[name]
    row = Row(words, form(one["without"]), form(one["with"]), "–", part=part)
    if few:
        return row._replace(change=_signed(f"{one['with'] - one['without']:+,.0f}"))
    if one["change"] is None:
        return row
    value, low, high = (_signed(f"{100 * each:+.0f}") for each in one["change"])
    return row._replace(change=f"{value} %", interval=f"{low} to {high} %")


def _share(figures: Figures, name: str, words: str) -> Row:
    one = figures[name]
    sides = one["without"], one["with"]
    shares = [percent(part / whole if whole else None, 1) for part, whole in sides]
    counts = [f"{part:,.0f} of {whole:,.0f}" for part, whole in sides]
    row = Row(words, shares[0], shares[1], "–", counts=(counts[0], counts[1]))
    if one["change"] is None:
        return row
    value, low, high = (_signed(f"{100 * each:+.1f}") for each in one["change"])
    return row._replace(change=f"{value} points", interval=f"{low} to {high}")


def _signed(text: str) -> str:
    """Return a number with a sign as it is printed; one that rounds to nothing has none."""
    bare = text.lstrip("+-")
    return text.replace("-", "−") if bare.strip("0.%") else bare


def conclusion(program: str, values: Mapping[str, Any]) -> str:
    """Return what the measurement says, in a sentence on the work and one on the result."""
    figures, images = values["figures"], values["images"]
    if figures["answers"]["change"] is None:
        return f"Simulated: nobody has to be asked anything about these {images} images."
    answers, hours = (Estimate(*figures[name]["change"]) for name in ("answers", "hours"))
    work = f"{_more_or_less(answers, 'fewer answers', 'more answers')}, and {_time(hours)}"
    return f"Simulated: with {program} the same {images} images take {work}. {_result(figures, images)}"


def _more_or_less(change: Estimate, less: str, more: str) -> str:
    if change.high < 0:
        return f"{percent(-change.value)} {less}, likely {interval(-change.high, -change.low)}"
    if change.low > 0:
        return f"{percent(change.value)} {more}, likely {interval(change.low, change.high)}"
    return f"about as many answers: likely from {percent(-change.low)} fewer to {percent(change.high)} more"


def _time(change: Estimate) -> str:
    if change.high < 0 or change.low > 0:
        return _more_or_less(change, "less of workers’ time", "more of workers’ time")
    return f"about as much time: likely from {percent(-change.low)} less to {percent(change.high)} more"


def _result(figures: Figures, images: int) -> str:
    """Return how right the final boxes are, or that nothing tells."""
    one = figures["boxes_right"]
    if one["change"] is None:
        return "No boxes were drawn."
    with_it, without = (percent(part / whole, 1) for part, whole in (one["with"], one["without"]))
    _, low, high = one["change"]
    if low > 0 or high < 0:
        worse = "fewer" if high < 0 else "more"
        return f"Of the final boxes {worse} are right: {with_it}, and {without} without it."
    return f"As far as {images} images tell, as many of the final boxes are right: {with_it}, and {without} without it."


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


def _shown(row: ModelMeasurement, open_to: set[int], by_now: Predicted | None, version: int) -> Shown:
    sides = {"without it": row.copy_without, f"with {row.program.name}": row.copy_with}
    copies = [(words, copy) for words, copy in sides.items() if copy is not None and copy.pk in open_to]
    old = []
    if version != row.settings_version:
        old.append("The settings have changed since: measure again to compare with those of now.")
    if by_now is not None and row.begun_at is not None and by_now.newest > row.begun_at:
        old.append(f"{row.program.name} has predicted anew since: measure again.")
    return Shown(row, conclusion(row.program.name, row.values), rows_of(row.values), copies, old)
