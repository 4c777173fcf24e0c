"""The operation that measures what a program saves, and measurements as the page of models shows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple, cast

from annotated_types import MaxLen
from django.contrib.auth.models import User

from accounts.may import Action, projects_for
from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from projects.models import Run
from projects.operation import Caller, Estimate, Input, Refused, Work, operation
from projects.predictions.import_predictions import LONGEST_NAME
from projects.predictions.measure.work import (
    MAX_IMAGES,
    MEASUREMENT,
    MIN_IMAGES,
    WITH,
    WITHOUT,
    MeasuredFigure,
    MeasurementResult,
    Predicted,
    copies_of,
    delete_copies_of,
    measure_predictions,
    predicted,
    too_few,
)
from projects.runs import RunRow, row_of, start
from runtime.words import interval, money, percent
from workers.models import Worker

Figures = Mapping[str, MeasuredFigure]


class MeasuredRow(NamedTuple):
    """One figure without the program and with it. `part`: it is a part of the figure above."""

    words: str
    without: str
    with_it: str
    change: str
    interval: str = ""
    counts: tuple[str, str] = ("", "")
    """Parts and wholes of a share, without and with the program."""
    part: bool = False


def measured_rows(values: MeasurementResult) -> list[MeasuredRow]:
    """Return the rows of the table of a measurement. Money and experts are left out where there are none."""
    figures = values.figures
    any_review = figures["review"].without or figures["review"].with_program

    def money_of(cents: float) -> str:
        return money(round(cents), values.currency)

    return [
        _sum(figures, "answers", "Answers"),
        _sum(figures, "linking", "about links and chains", part=True),
        _sum(figures, "boxing", "about boxes", part=True),
        _sum(figures, "hours", "Hours of workers", lambda hours: f"{hours:,.2f}" if hours < 10 else f"{hours:,.1f}"),
        *([_sum(figures, "cents", "Money", money_of)] if values.paid else []),
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
) -> MeasuredRow:
    """`few`: a count that is too small for shares of it."""
    figure = figures[name]
    without, with_it = cast(float, figure.without), cast(float, figure.with_program)
    row = MeasuredRow(words, form(without), form(with_it), "–", part=part)
    if few:
        return row._replace(change=_signed(f"{with_it - without:+,.0f}"))
    if figure.change is None:
        return row
    value, low, high = (_signed(f"{100 * number:+.0f}") for number in figure.change.numbers)
    return row._replace(change=f"{value} %", interval=f"{low} to {high} %")


def _share(figures: Figures, name: str, words: str) -> MeasuredRow:
    figure = figures[name]
    sides = _both(figure)
    shares = [percent(part / whole if whole else None, 1) for part, whole in sides]
    counts = [f"{part:,.0f} of {whole:,.0f}" for part, whole in sides]
    row = MeasuredRow(words, shares[0], shares[1], "–", counts=(counts[0], counts[1]))
    if figure.change is None:
        return row
    value, low, high = (_signed(f"{100 * number:+.1f}") for number in figure.change.numbers)
    return row._replace(change=f"{value} points", interval=f"{low} to {high}")


def _both(figure: MeasuredFigure) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the parts and wholes of a share, without the program and with it."""
    return cast(Any, (figure.without, figure.with_program))


def _signed(text: str) -> str:
    """Return a number with a sign as it is printed; one that rounds to nothing has none."""
    bare = text.lstrip("+-")
    return text.replace("-", "−") if bare.strip("0.%") else bare


def conclusion(program: str, values: MeasurementResult) -> str:
    """Return what the measurement says, in a sentence on the work and one on the result."""
    figures, images = values.figures, values.images
    answers, hours = figures["answers"].change, figures["hours"].change
    if answers is None or hours is None:
        return f"Simulated: nobody has to be asked anything about these {images} images."
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
    right = figures["boxes_right"]
    if right.change is None:
        return "No boxes were drawn."
    without, with_it = (percent(part / whole, 1) for part, whole in _both(right))
    _, low, high = right.change.numbers
    if low > 0 or high < 0:
        worse = "fewer" if high < 0 else "more"
        return f"Of the final boxes {worse} are right: {with_it}, and {without} without it."
    return f"As far as {images} images tell, as many of the final boxes are right: {with_it}, and {without} without it."


@dataclass(frozen=True, slots=True)
class ShownMeasurement:
    """The last complete measurement of a program."""

    row: Run
    result: MeasurementResult
    conclusion: str
    rows: list[MeasuredRow]
    copies: list[tuple[str, Project]]
    """The copies that are still there, each with words for it, as far as the visitor may look at them."""
    old: list[str]
    """Sentences on what has changed since."""
    is_newest: bool = False
    """No other program was measured later."""

    are_gone: bool = False
    """Both copies were deleted."""

    @property
    def from_workers(self) -> int:
        """Images whose right answers are what workers made of them."""
        return self.result.images - self.result.with_gold


@dataclass(frozen=True, slots=True)
class OfProgram:
    """A program's last measurement, and whether there can be one now."""

    shown: ShownMeasurement | None
    images: int
    """Images that a measurement takes."""
    too_few: str
    """The reason against a measurement now; empty: there can be one."""


class OnPage(NamedTuple):
    """All that the page shows of measurements."""

    newest: Run | None
    """The last one that was begun, however it stands."""
    programs: dict[int, OfProgram]


def measurements(project: Project, user: User, programs: Sequence[tuple[int, str]], version: int) -> OnPage:
    """Return what the page shows of each of these programs, given by number and name.

    `version`: that of the project's settings now.
    """
    runs = list(project.runs.filter(operation=MEASUREMENT))
    done: dict[str, Run] = {}
    for run in runs:
        if run.state == Run.State.DONE:
            done.setdefault(run.input["program"], run)
    copies = copies_of(done.values())
    open_to = set(projects_for(user, Action.LOOK).filter(pk__in=[copy.pk for copy in copies.values()]))
    by_now, last = predicted(project), next(iter(done), "")
    found = {}
    for number, name in programs:
        known = by_now[number].known if number in by_now else 0
        shown = None
        if name in done:
            sides = {words: copies.get((done[name].pk, side)) for words, side in
                     (("without it", WITHOUT), (f"with {name}", WITH))}  # fmt: skip
            shown = replace(
                _shown(done[name], by_now.get(number), version),
                copies=[(words, copy) for words, copy in sides.items() if copy in open_to and copy is not None],
                are_gone=not any(sides.values()),
                is_newest=name == last,
            )
        found[number] = OfProgram(shown, min(known, MAX_IMAGES), too_few(name, known) if known < MIN_IMAGES else "")
    return OnPage(runs[0] if runs else None, found)


def _shown(run: Run, by_now: Predicted | None, version: int) -> ShownMeasurement:
    program, result = run.input["program"], MeasurementResult.model_validate(run.result)
    old = []
    if version != run.input["settings_version"]:
        old.append("The settings have changed since: measure again to compare with those of now.")
    if by_now is not None and run.begun_at is not None and by_now.newest > run.begun_at:
        old.append(f"{program} has predicted anew since: measure again.")
    return ShownMeasurement(run, result, conclusion(program, result), measured_rows(result), [], old)


class MeasuredProgram(Input):
    program: Annotated[str, MaxLen(LONGEST_NAME)]
    """The name of a program with predictions in the project."""


class MeasurementInput(MeasuredProgram):
    settings_version: int
    """The version of the settings that both copies have."""


@operation(
    name=MEASUREMENT,
    surveys=False,
    path="measurements/",
    status=201,
    refusals=(409,),
    command="measure_program",
    guide="../how-to/models.md#measure-a-program",
    say=lambda run: f"{run.input['program']} is being measured.",
    work=Work(
        do=measure_predictions,
        title="measurement",
        lane="measurement",
        page="projects:models",
        clean=delete_copies_of,
        say=lambda run: [conclusion(run.input["program"], MeasurementResult.model_validate(run.result))],
    ),
)
def measure_program(project: Project, inputs: MeasuredProgram, caller: Caller) -> RunRow:
    """Measure a program: simulated workers annotate known images with it and without it. One at a time."""
    if project.dry_run:
        message = "This is a dry run already: measure programs in the project itself."
        raise Refused("invalid", message, 400, field="program")
    if not Worker.objects.filter(name=inputs.program, model_predictions__project=project).exists():
        message = "This program has predicted nothing in this project."
        raise Refused("invalid", message, 400, field="program")
    version = current_settings(project.pk)[0]
    values = MeasurementInput(program=inputs.program, settings_version=version)
    return row_of(start(measure_program, project, caller, values))
