"""Work on a prediction: draw the sample, simulate it under every way to ask, and keep the forecasts."""

from collections import Counter as Tried
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from annotation.models import Project
from annotation.rules.states import BoxState
from pipeline.gold_questions.known_questions import count_known
from pipeline.known.prediction_score import LEAST_TRIED
from pipeline.policies.compose import engine_of
from pipeline.project.settings_versions import all_settings
from pipeline.protocol.settings import BoxSettings
from pipeline.protocol.tasks.task import JUDGING, PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from projects.forecast.assumptions import ForecastInput
from projects.forecast.results import (
    ForecastEnd,
    ForecastResult,
    ForecastSaving,
    ForecastWay,
    PartOfForecast,
    PhraseCost,
)
from projects.models import Run
from projects.predictions.scores import pre_annotations_by_program
from projects.progress import CannotBeDone, Progress
from projects.quality.program_work import seconds_of_people
from projects.value_with_interval import Estimate
from runtime.intervals import IntervalEstimate as Interval
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
from workers.models import Worker

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


def present(project: Project, given: ForecastInput, *, use_gold: bool = True) -> OptionForecast:
    """Return the forecast of the present settings alone. `use_gold`: gold counts as a known truth."""
    made = prepare(project, given, use_gold=use_gold)
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
    ends: Sequence["ForecastBasis"] = ()
    """The same with the assumed errors at either end of their band; none where no program judges."""

    @property
    def images(self) -> int:
        return self.todo.images + self.done.images

    def look_back(self, step: Callable[[], object] = lambda: None) -> Behind:
        """Compare the finished images with their forecast. `step` is called after each image."""
        return look_back(self.stage, self.base, self.done, self.so_far, self.actual, step)

    def ends_of(self, option: ForecastOption) -> Sequence["ForecastBasis"]:
        """Return the ends of the band, if errors are assumed of what programs judge under an option."""
        return self.ends if self.programs.are_assumed(option.settings(self.base)) else ()

    def forecasts(
        self, option: ForecastOption, behind: Behind, step: Callable[[], object] = lambda: None
    ) -> list[OptionForecast]:
        """Return the forecasts of an option: in the middle of the band of assumed errors, then at its ends."""
        every = (self, *self.ends_of(option))
        return [forecast(basis.stage, option, basis.base, basis.todo, behind, step) for basis in every]


def prepare(project: Project, given: ForecastInput, *, use_gold: bool = True, is_new: bool = False) -> ForecastBasis:
    """Draw the sample, its truths and its crowd.

    `use_gold`: gold counts as a known truth. `is_new`: the project is forecast as before its first answer.

    Half of the sample at most are finished images. A project that is finished is predicted as if it began. Programs
    that judge are simulated, too, by what was measured of them: none is asked.
    Raises CannotBeDone for a project without phrases.
    """
    chosen = renumbered(stored := all_settings(project.pk)[given.settings_version])
    phrases = phrases_of(project.pk)
    if not phrases:
        raise CannotBeDone("No image has phrases yet: find them on the page “Phrases”, then predict.")
    finished = finished_of(project.pk) & phrases.keys()
    anew = is_new or len(finished) == len(phrases)
    done = [] if anew else sorted(finished)
    todo = [image for image in phrases if anew or image not in finished]
    done_drawn = draw_images(done, given.sample // 2, given.seed)
    todo_drawn = draw_images(todo, given.sample - len(done_drawn), given.seed)
    learned_from = known_images(project.pk, given.seed, use_gold=use_gold, use_finished=not is_new)
    known = list(read_subjects(learned_from, use_gold=use_gold))
    belief = belief_of(known, fitted_prior(chosen))
    belief = replace(belief, wrong=1 - chosen.reference_trust if chosen.reference_set else 0.0)
    names = dict(Worker.objects.filter(pk__in=chosen.model_annotators).values_list("pk", "name"))
    wrong = None if given.program_errors is None else given.program_errors / 100
    good = _share_good(project.pk, chosen) if given.good_percent is None else given.good_percent / 100
    (base, programs), *ends = (
        with_programs(chosen, names, len(phrases), assumed, good, imagined=given.imagines_program)
        for assumed in band(wrong)
    )
    crew = CrewPlan(given.workers, given.bad_percent / 100, stocks(project.pk), given.all_trusted)
    seconds = seconds_of_people(project.pk)
    plan = ForecastPlan(given.crowd, crew, given.repetitions, given.seed, measured_seconds=seconds, programs=programs)
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
    if any(map(engine_of(base).weighs, JUDGING)) or not programs.model_annotators:
        with_them = now
    else:
        options = ((way, way[0].option.settings(base)) for way in ways)
        alike = (
            way
            for way, settings in options
            if all(map(engine_of(settings).weighs, JUDGING)) and settings.trust == base.trust
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
