"""The operation that forecasts cost and quality: its assumptions, the sample, its simulation under every way to ask."""

from __future__ import annotations

from collections import Counter as Tried
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Annotated, NamedTuple

from annotated_types import Ge, Le
from pydantic import Field, ValidationInfo, field_validator

from annotation.models import Project
from annotation.rules.states import BoxState
from pipeline.gold_questions.known_questions import count_known
from pipeline.known.prediction_score import LEAST_TRIED
from pipeline.policies.compose import engine_of
from pipeline.project.settings_versions import all_settings, current_settings
from pipeline.protocol.settings import BoxSettings
from pipeline.protocol.tasks.task import JUDGING, PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from platforms.models import Recruitment
from projects.forecast.results import (
    ForecastEnd,
    ForecastResult,
    ForecastSaving,
    ForecastWay,
    PartOfForecast,
    PhraseCost,
    Way,
    result_of,
    saving_of,
    ways_of,
)
from projects.lifecycle.change_state import NEW_WORKER_STATES
from projects.models import Run
from projects.operation import Caller, CannotBeDone, Choice, Estimate, Input, Progress, Work, operation
from projects.predictions.scores import pre_annotations_by_program
from projects.quality.program_work import seconds_of_people
from projects.runs import RunRow, row_of, start
from runtime.intervals import IntervalEstimate as Interval
from runtime.words import counted, interval, percent
from simulation.crowd import CROWDS, WORKERS
from simulation.predict.crew import CrewPlan
from simulation.predict.draw_truth import Belief, belief_of, fitted_prior
from simulation.predict.estimate import SamplingFrame
from simulation.predict.forecast import (
    Behind,
    ChainCost,
    ForecastImages,
    ForecastPlan,
    OptionForecast,
    forecast,
    look_back,
)
from simulation.predict.options import ForecastOption, options
from simulation.predict.subject import (
    SoFar,
    Subject,
    draw_images,
    finished_of,
    judgments_of,
    known_images,
    phrases_of,
    read_so_far,
    read_subjects,
    renumbered,
)
from simulation.programs import Programs, band, with_programs
from workers.invitations import open_invitations
from workers.models import Access, TrustStatus, Worker
from workers.rules.trust_states import TrustState


class ForecastAssumptions(Input):
    """Assumptions about the workers and the programs."""

    workers: Annotated[int, Ge(1), Le(WORKERS), Field(title="Workers who begin")] | None = None
    """Workers who begin; empty: those who are invited or at work, or else 20 newcomers."""
    trusted: Annotated[int, Ge(0), Le(WORKERS), Field(title="Trusted among them, without a test")] | None = None
    """Those among them who are trusted from the start, and take no test; empty: those invited, if these are assumed."""
    crowd: Annotated[str, Choice(CROWDS), Field(title="Workers answer")] = "paper"
    """The errors of simulated workers."""
    bad_percent: Annotated[int, Ge(0), Le(90), Field(title="Bad workers among them, in percent")] = 0
    """Bad workers among them, in percent."""
    assume_program: Annotated[bool, Field(title="Assume a model annotator")] = False
    """It takes the place of the programs at work, which are simulated as measured."""
    program_errors: Annotated[int, Ge(0), Le(50), Field(title="Errors of a model annotator, in percent")] | None = None
    """Errors of an assumed model annotator, in percent; empty: 22, in a band from 8, independent, to 30."""
    good_percent: (
        Annotated[int, Ge(0), Le(100), Field(title="Good boxes of a program that proposes, in percent")] | None
    ) = None
    """Good boxes of an imagined program that proposes, in percent; empty: as the boxes tried so far."""
    sample: Annotated[int, Ge(2), Le(300), Field(title="Images to simulate")] = 30
    """Images to simulate, 2 to 300."""
    repetitions: Annotated[int, Ge(2), Le(10), Field(title="Times each is simulated")] = 2
    """Times each is simulated, 2 to 10."""

    @field_validator("trusted")
    @classmethod
    def _no_more_than_begin(cls, trusted: int | None, info: ValidationInfo) -> int | None:
        workers = info.data.get("workers")
        if workers is not None and (trusted or 0) > workers:
            raise ValueError(f"Only {workers} workers begin: trust that many at most")
        return trusted


class ForecastInput(ForecastAssumptions):
    """The same with numbers of workers, and what else a forecast hangs on."""

    workers: int = 20
    trusted: int = 0
    seed: int = 0
    settings_version: int
    """The version of the settings that it began from."""

    @property
    def imagines_program(self) -> bool:
        """Whether an assumed model annotator takes the place of the programs at work."""
        return self.assume_program or self.program_errors is not None

    @property
    def all_trusted(self) -> int:
        """The number of workers who are trusted from the start."""
        return min(self.trusted, self.workers)

    @property
    def new_workers(self) -> int:
        """The number of workers who take the test and probation."""
        return self.workers - self.all_trusted


NOW = ForecastOption({}, ("as it is now",))
STOCK = 70
"""Verification questions of each task: as many as are recommended."""


def make_forecast(run: Run, progress: Progress) -> ForecastResult:
    """Return the forecasts of every way to ask.

    Raises Stopped, and CannotBeDone for a project without phrases.
    """
    made = prepare(run.project, ForecastInput.model_validate(run.input))
    base, stage, ways = made.base, made.stage, options(made.base)
    played = sum(1 + len(made.ends_of(way)) for way in (NOW, *ways)) + bool(made.programs)
    total = len(stage.sample) - len(stage.todo) + played * len(stage.todo)

    def step() -> None:
        progress.advance(progress.done + 1, total)

    behind = made.look_back(step)
    now = made.forecasts(NOW, behind, step)
    found = [
        [replace(figures, option=way) for figures in now]
        if way.settings(base) == base
        else made.forecasts(way, behind, step)
        for way in ways
    ]
    return ForecastResult(
        saving=_saving(made, [now, *found], behind, step),
        now=_way(now, base),
        ways=[_way(forecasts, base) for forecasts in found],
        images=made.images,
        finished=made.done.images,
        sample=len(stage.sample),
        known=sum(subject.known is not None for subject in stage.sample),
        learned_from=made.belief.learned_from,
        fitted=made.belief.fitted,
        scale=behind.scale.factor if behind.scale else 1.0,
        currency=base.currency,
        paid=any(base.reward_cents.values()),
        wrong_share=made.belief.wrong,
    )


def present(project: Project, inputs: ForecastInput, *, use_gold: bool = True) -> OptionForecast:
    """Return the forecast of the present settings alone. `use_gold`: gold counts as a known truth."""
    made = prepare(project, inputs, use_gold=use_gold)
    return forecast(made.stage, NOW, made.base, made.todo, made.look_back())


def _way(forecasts: Sequence[OptionForecast], base: Settings) -> ForecastWay:
    """Return the first forecast with intervals over all."""
    found = forecasts[0].over(forecasts[1:])
    settings = found.option.settings(base)
    return ForecastWay(
        words=list(found.option.words),
        changes=found.option.changes,
        current=settings == base,
        judgments=_figures(found.judgments),
        hours=_figures(found.hours),
        cents=_figures(found.cents),
        exact=_figures(found.exact, digits=4),
        by_task={task.value: round(found.by_task[task], 1) for task in PROTOCOL_TASKS},
        known=round(found.known, 1),
        review=round(found.review, 1),
        labels={name: _figures(label) for name, label in found.labels.items()},
        parts={name: _part(*part) for name, part in found.parts.items()},
        admitted={task.value: round(fmean(found.admitted[task]), 3) for task in PROTOCOL_TASKS},
        negative=_cost(found.negative),
        positive=_cost(found.positive),
    )


def _figures(figure: Interval, digits: int = 2) -> Estimate:
    value, low, high = (round(number, digits) for number in figure)
    return Estimate(value=value, low=low, high=high)


def _part(judgments: float, hours: float, cents: float) -> PartOfForecast:
    return PartOfForecast(judgments=round(judgments, 2), hours=round(hours, 2), cents=round(cents, 2))


def _cost(cost: ChainCost | None) -> PhraseCost | None:
    return cost and PhraseCost(**{name: round(amount, 2) for name, amount in cost._asdict().items()})


@dataclass(frozen=True, slots=True)
class ForecastBasis:
    """Everything that forecasts of one project share."""

    base: Settings
    programs: Programs
    belief: Belief
    stage: ForecastImages
    todo: SamplingFrame
    """The sample among images that are not finished."""
    done: SamplingFrame
    """The sample among finished images."""
    so_far: SoFar
    actual: list[float]
    """The answers to real questions that each finished image of the sample took."""
    ends: Sequence[ForecastBasis] = ()
    """The same with the assumed errors at either end of their band; none where no program judges."""

    @property
    def images(self) -> int:
        return self.todo.images + self.done.images

    def look_back(self, step: Callable[[], object] = lambda: None) -> Behind:
        """Compare the finished images with their forecast. `step` is called after each image."""
        return look_back(self.stage, self.base, self.done, self.so_far, self.actual, step)

    def ends_of(self, option: ForecastOption) -> Sequence[ForecastBasis]:
        """Return the ends of the band, if errors are assumed of what programs judge under an option."""
        return self.ends if self.programs.are_assumed(option.settings(self.base)) else ()

    def forecasts(
        self, option: ForecastOption, behind: Behind, step: Callable[[], object] = lambda: None
    ) -> list[OptionForecast]:
        """Return the forecasts of an option: in the middle of the band of assumed errors, then at its ends."""
        every = (self, *self.ends_of(option))
        return [forecast(basis.stage, option, basis.base, basis.todo, behind, step) for basis in every]


def prepare(project: Project, inputs: ForecastInput, *, use_gold: bool = True, is_new: bool = False) -> ForecastBasis:
    """Draw the sample, its truths and its crowd.

    `use_gold`: gold counts as a known truth. `is_new`: the project is forecast as before its first answer.

    Half of the sample at most are finished images. A project that is finished is predicted as if it began. Programs
    that judge are simulated, too, by what was measured of them: none is asked.
    Raises CannotBeDone for a project without phrases.
    """
    chosen = renumbered(stored := all_settings(project.pk)[inputs.settings_version])
    phrases = phrases_of(project.pk)
    if not phrases:
        raise CannotBeDone("No image has phrases yet: find them on the page “Phrases”, then predict.")
    finished = finished_of(project.pk) & phrases.keys()
    anew = is_new or len(finished) == len(phrases)
    done = [] if anew else sorted(finished)
    todo = [image for image in phrases if anew or image not in finished]
    done_drawn = draw_images(done, inputs.sample // 2, inputs.seed)
    todo_drawn = draw_images(todo, inputs.sample - len(done_drawn), inputs.seed)
    learned_from = known_images(project.pk, inputs.seed, use_gold=use_gold, use_finished=not is_new)
    known = list(read_subjects(learned_from, use_gold=use_gold))
    belief = belief_of(known, fitted_prior(chosen))
    belief = replace(belief, wrong=1 - chosen.reference_trust if chosen.reference_set else 0.0)
    names = dict(Worker.objects.filter(pk__in=chosen.model_annotators).values_list("pk", "name"))
    wrong = None if inputs.program_errors is None else inputs.program_errors / 100
    good = _share_good(project.pk, chosen) if inputs.good_percent is None else inputs.good_percent / 100
    (base, programs), *ends = (
        with_programs(chosen, names, len(phrases), assumed, good, imagined=inputs.imagines_program)
        for assumed in band(wrong)
    )
    crew = CrewPlan(inputs.workers, inputs.bad_percent / 100, stocks(project.pk), inputs.all_trusted)
    seconds = seconds_of_people(project.pk)
    plan = ForecastPlan(
        inputs.crowd, crew, inputs.repetitions, inputs.seed, measured_seconds=seconds, programs=programs
    )
    ahead, behind = (_unseen(drawn, stored.reference_set, use_gold=use_gold) for drawn in (todo_drawn, done_drawn))
    answers = judgments_of(done_drawn, chosen.model_annotators)
    stage = ForecastImages(ahead, belief, plan, sum(phrases.values()), behind)
    middle = ForecastBasis(
        base,
        programs,
        belief,
        stage,
        _frame(ahead, todo, phrases),
        _frame(behind, done, phrases),
        SoFar() if anew else read_so_far(project.pk, chosen.model_annotators),
        [float(answers.get(image, 0)) for image in done_drawn],
    )
    at_ends = [replace(middle, base=base, programs=other, stage=stage.beside(other)) for base, other in ends]
    return replace(middle, ends=at_ends)


def _share_good(project_id: int, settings: BoxSettings) -> float | None:
    """Return the share of proposed boxes that were kept, of all programs together; None: too few were tried."""
    found = sum(pre_annotations_by_program(project_id).values(), Tried()) if settings.pre_annotations else Tried()
    kept, tried = found[BoxState.ACCEPTED.value], found[BoxState.ACCEPTED.value] + found[BoxState.DISCARDED.value]
    return kept / tried if tried >= LEAST_TRIED else None


def stocks(project_id: int) -> dict[Task, int]:
    """Return the verification questions of each task; of a task without any, as many as are recommended."""
    return {task: count_known(project_id, task) or STOCK for task in PROTOCOL_TASKS}


def _unseen(ids: Sequence[int], checked: int, *, use_gold: bool) -> list[Subject]:
    """Read the images as they were before anybody answered: what workers found is not truth, and gold is."""
    found = read_subjects(ids, use_gold=use_gold, checked=checked)
    return [subject if subject.from_gold else replace(subject, known=None) for subject in found]


def _frame(sample: Sequence[Subject], ids: Sequence[int], phrases: dict[int, int]) -> SamplingFrame:
    known = fmean(subject.known is not None for subject in sample) if sample else 0.0
    return SamplingFrame(
        [len(subject.mentions) for subject in sample], sum(phrases[image] for image in ids), len(ids), known
    )


def _saving(
    made: ForecastBasis, ways: Sequence[Sequence[OptionForecast]], behind: Behind, step: Callable[[], object]
) -> ForecastSaving | None:
    """Return what the programs save, with and without them; None if there are none.

    Compared are the present settings if programs judge under them, or else the first way under which they judge all.
    """
    base, programs = made.base, made.programs
    if not programs or base.reference_set:
        return None
    now = ways[0]
    if engine_of(base).judged_tasks or not programs.model_annotators:
        with_them = now
    else:
        options = ((way, way[0].option.settings(base)) for way in ways)
        alike = (
            way
            for way, settings in options
            if engine_of(settings).judged_tasks == JUDGING and settings.trust == base.trust
        )
        with_them = next(alike, now)
    option = with_them[0].option
    alone = ForecastOption({**option.changes, "model_annotators": (), "pre_annotations": False}, option.words)
    return ForecastSaving(
        with_programs=_way(with_them, base),
        band=[
            ForecastEnd(**end.programs.assumed._asdict(), way=_way([found], base))
            for end, found in zip(made.ends_of(option), with_them[1:], strict=True)
        ],
        without=_way([forecast(made.stage, alone, base, made.todo, behind, step)], base),
        done_hours=round(made.so_far.hours_done(made.stage.plan.seconds), 2),
        errors=list(programs.described),
        new=programs.new,
    )


NEWCOMERS = 20
"""Workers who are assumed where nobody is invited."""
NOT_ADMITTED = (TrustState.SUSPENDED.value, TrustState.BARRED.value)


class Expected(NamedTuple):
    """Workers who will work, as far as one can know before they come."""

    trusted: int
    """Workers who are trusted, and places of invitations that trust people at once."""
    new_workers: int
    """Workers who have yet to pass the test or probation, and places of other invitations."""
    unlimited: bool
    """Anybody may come besides: by an invitation without a limit, or from a platform."""

    @property
    def workers(self) -> int:
        return self.trusted + self.new_workers

    @property
    def words(self) -> str:
        if not self.workers:
            return (
                "Anybody may join: say how many you expect."
                if self.unlimited
                else "Nobody is invited yet: say how many you expect."
            )
        named = [(self.trusted, "trusted"), (self.new_workers, "new")]
        said = " and ".join(f"{number} {word}" for number, word in named if number)
        more = " Others may join, too: add those whom you expect." if self.unlimited else ""
        return f"Invited or at work: {said}.{more}"


def expected(project: Project) -> Expected:
    """Count the people who work for the project, and the places that invitations still have."""
    workers = _workers(project)
    places = {True: 0, False: 0}
    usable = open_invitations(project.pk)
    for trusted, most, joined in usable.exclude(most=None).values_list("trusted", "most", "joined"):
        places[trusted] += (most or 0) - joined
    recruits = Recruitment.objects.filter(project=project, active=True).exists()
    return Expected(
        trusted=workers[True] + places[True],
        new_workers=workers[False] + places[False],
        unlimited=recruits or usable.filter(most=None).exists(),
    )


def who_works(project: Project, workers: int | None = None, trusted: int | None = None) -> dict[str, int]:
    """Return the workers whom a prediction assumes: those named, or else those invited, or else newcomers."""
    if workers is not None:
        return {"workers": workers, "trusted": trusted or 0}
    found = expected(project)
    workers, invited = (min(found.workers, WORKERS), found.trusted) if found.workers else (NEWCOMERS, 0)
    return {"workers": workers, "trusted": min(invited if trusted is None else trusted, workers)}


def _workers(project: Project) -> dict[bool, int]:
    """Count people by whether they are trusted on every task that they may work on. Who is barred is left out."""
    people = Access.objects.filter(project=project, worker__kind=Worker.Kind.PERSON, worker__closed_at=None)
    states: dict[int, set[str]] = {worker: set() for worker in people.values_list("worker", flat=True)}
    for worker, state in TrustStatus.objects.filter(project=project, worker__in=states).values_list("worker", "state"):
        states[worker].add(state)
    able = [found for found in states.values() if not found or not found <= set(NOT_ADMITTED)]
    new = sum(bool(found & set(NEW_WORKER_STATES)) for found in able)
    return {True: len(able) - new, False: new}


def _counts(run: Run) -> str:
    """Return how far a forecast is, over all ways to ask."""
    if not run.total:
        return "Waiting for its turn."
    return f"{run.done:,} of {counted(run.total, 'image')}, over all ways to ask."


def _lines(run: Run) -> Iterator[str]:
    result = result_of(run)
    assert result is not None
    yield "Simulated; in brackets the 90 % interval."
    ways = ways_of(result)
    yield from map(_line, ways)
    if ways[0].negative:
        yield ways[0].negative
    saving = saving_of(result)
    if saving is not None:
        for words, way in saving.rows:
            yield f"{words}, {_line(way)}"


def _line(way: Way) -> str:
    judgments = "{:.0f} judgments ({:.0f} to {:.0f})".format(*way.judgments)
    hours = "{:.1f} h ({:.1f} to {:.1f})".format(*way.hours)
    exact = f"{percent(way.exact[0], 1)} of chains exact ({interval(way.exact[1], way.exact[2], 1)})"
    if way.labels:
        found = "{:.0f} ({:.0f} to {:.0f})".format(*way.labels["found"])
        exact = f"{found} of {way.labels['wrong'][0]:.0f} wrong labels found, {way.left:.0f} left"
    return f"{way.words}: {judgments}, {hours}, {way.money[0]}, {exact}"


@operation(
    surveys=False,
    path="forecasts/",
    status=201,
    refusals=(409,),
    command="forecast",
    guide="../how-to/predict.md",
    say=lambda run: "The forecast is being made.",
    work=Work(do=make_forecast, title="forecast", lane="forecast", page="projects:predict", counts=_counts, say=_lines),
)
def begin_forecast(project: Project, inputs: ForecastAssumptions, caller: Caller) -> RunRow:
    """Begin a forecast: a simulated crowd works on a sample of the project's images. One at a time."""
    values = inputs.model_dump() | who_works(project, inputs.workers, inputs.trusted)
    version = current_settings(project.pk)[0]
    return row_of(start(begin_forecast, project, caller, ForecastInput(settings_version=version, **values)))
