"""Operations on predictions and model annotators: send boxes, read how good they are, let one judge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import Field, RootModel

from annotation.models import Project
from annotation.rules.plain_errors import should_be
from evaluation.reading.predictions.rows import FORMS
from pipeline.known.prediction_score import ScoreStatus
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.ranges import MOST_CENTS
from projects.operation import (
    AsOption,
    Caller,
    Choice,
    Input,
    MaxSize,
    NoInput,
    Output,
    Refused,
    SentFile,
    WholeCents,
    operation,
)
from projects.predictions.import_predictions import (
    LONGEST_NAME,
    MOST_BOXES,
    PredictionError,
    StoredPredictions,
    enter_predictions,
    enter_soon,
    import_predictions,
    take_predictions,
)
from projects.predictions.judges import NoEvidenceError, set_aside, set_family, set_price, set_to_work
from projects.predictions.scores import Program, programs
from runtime.words import counted
from workers.models import Worker


class ModelAnnotator(Input):
    program: Annotated[str, MinLen(1), MaxLen(LONGEST_NAME)]
    """The name of a program."""


class LetJudge(ModelAnnotator):
    aside: bool = False
    """Set it aside: its answers count no longer, from the next answer on."""


class PriceOfAnswers(ModelAnnotator):
    price: (
        Annotated[
            float,
            Ge(0),
            Le(MOST_CENTS // 100),
            WholeCents,
            should_be("an amount from 0 to 1,000, such as 0.40"),
            Field(title="Cost of 1,000 answers"),
        ]
        | None
    ) = None
    """The cost of 1,000 of its answers, in the currency of the project; empty: not known."""


class FamilyOfProgram(ModelAnnotator):
    family: Annotated[str, MaxLen(40), AsOption()] = ""
    """Programs of one family count as one opinion until answers show that they err apart; empty: none."""


class ModelAnnotatorNamed(Output):
    program: str


OF_SIX_TASKS: dict[str, Any] = {"surveys": False, "guide": "../how-to/models.md"}


@operation(
    path="model-annotators/",
    refusals=(409,),
    command="let_judge",
    say=lambda found: f"Saved for {found.program}.",
    **OF_SIX_TASKS,
)
def let_judge(project: Project, inputs: LetJudge, caller: Caller) -> ModelAnnotatorNamed:
    """Let the answers of a program count as evidence from the next answer on, or set the program aside."""
    program = _model_annotator(inputs)
    try:
        (set_aside if inputs.aside else set_to_work)(project, program.pk, caller.name)
    except Worker.DoesNotExist:
        raise _no_such_program() from None
    except NoEvidenceError:
        message = "Programs judge adaptive links and boxes under belief: change the settings first."
        raise Refused("not_possible", message) from None
    return ModelAnnotatorNamed(program=program.name)


@operation(
    path="model-annotators/price/",
    command="note_price",
    say=lambda found: f"The cost of answers of {found.program} is saved.",
    **OF_SIX_TASKS,
)
def note_price(project: Project, inputs: PriceOfAnswers, caller: Caller) -> ModelAnnotatorNamed:
    """Note what 1,000 answers of a program cost."""
    program = _model_annotator(inputs)
    set_price(project, program.pk, None if inputs.price is None else round(100 * inputs.price), caller.name)
    return ModelAnnotatorNamed(program=program.name)


@operation(
    path="model-annotators/family/",
    command="name_family",
    say=lambda found: f"The family of {found.program} is saved.",
    **OF_SIX_TASKS,
)
def name_family(project: Project, inputs: FamilyOfProgram, caller: Caller) -> ModelAnnotatorNamed:
    """Name the family of a program, or take the name back."""
    program = _model_annotator(inputs)
    set_family(project, program.pk, inputs.family.strip(), caller.name)
    return ModelAnnotatorNamed(program=program.name)


def _model_annotator(inputs: ModelAnnotator) -> Worker:
    program = Worker.objects.filter(kind=Worker.Kind.PROGRAM, name=inputs.program).first()
    if program is None:
        raise _no_such_program()
    return program


def _no_such_program() -> Refused:
    return Refused("invalid", "No such program has a key for this project.", 400, field="program")


MAX_LEFT_OUT_SHOWN = 5
MAX_ROWS = 1000
"""Of one call. All rows of an image must come in one."""
MAX_SIZE = MaxSize(page=10_000_000, command=500_000_000)
"""A page reads a file while its sender waits: about 16 seconds at the most."""


class PredictedPhrase(Input):
    image: Annotated[str, MaxLen(500)]
    """Name of the image with or without the ending of its file, its path in the import, or its COCO id."""
    caption: Annotated[int, Ge(0)]
    """From 0."""
    phrase: str = ""
    """The words of the phrase; or give `words`."""
    words: list[Annotated[int, Ge(0)]] = Field(default_factory=list)
    """[first word, end) in the caption."""
    boxes: list[list[float]] = Field(default_factory=list)
    """The best one first; without a form [x0, y0, x1, y1] in pixels of the upright image."""
    scores: list[Annotated[float, Ge(0), Le(1)]] = Field(default_factory=list)
    """Certainty of the program about each box, from 0 to 1."""
    chain: str = ""
    """The same for phrases that refer to the same."""


class NewPredictions(Input):
    program: Annotated[str, MinLen(1), MaxLen(LONGEST_NAME), AsOption()]
    """A name for the model and its version. The same name again: new predictions replace those left."""
    file: Annotated[SentFile, Field(title="Predictions"), MAX_SIZE] | None = None
    """A phrase a line (.jsonl), or COCO results (.json), as for Evaluate."""
    boxes: Annotated[str, Choice(("", *FORMS)), Field(title="Form of the boxes")] = ""
    """The form of the boxes; empty: left, top, right, bottom in pixels, and in COCO results corner and size."""
    predictions: Annotated[list[PredictedPhrase], MaxLen(MAX_ROWS)] = Field(default_factory=list)
    """The rows that a program sends in the place of a file. All rows of an image must come in one call."""


class KeptPredictions(StoredPredictions):
    entered: int
    """Images in whose record they were entered at once; 0: they are entered soon."""
    are_used: bool
    """Off: the project uses no pre-annotations, so that workers draw every box."""


class ProgramScore(Output):
    task: Task
    right: int
    total: int
    """Outcomes that are known, right or wrong."""
    low: float
    """The low end of the 90 % interval of the share, 0 to 1."""
    high: float
    of: str
    """The outcomes, such as “boxes that were tried”; empty: none yet."""
    minimum: float
    status: ScoreStatus


class ProgramWithPredictions(Output):
    program: str
    images: int
    due: int
    """Images whose predictions are still to be entered in the record."""
    scores: list[ProgramScore]
    pre_annotated: int
    """Boxes that were or are judged instead of being drawn."""
    accepted: int
    bad: int


class ProgramsWithPredictions(RootModel[list[ProgramWithPredictions]]):
    pass


def describe_predictions(stored: KeptPredictions) -> Iterator[str]:
    """Yield a sentence for what was kept, and one for everything that was not."""
    boxes, chains = counted(stored.boxes, "box", "boxes"), counted(stored.chains, "chain")
    yield f"Kept: {boxes} and {chains} of {counted(stored.images, 'image')}."
    if stored.unchanged:
        yield f"Images that are as they were imported before: {stored.unchanged:,}."
    if stored.unused:
        yield f"Boxes with a category that fits no phrase of their image: {stored.unused:,}."
    if stored.boxes_left_out:
        yield f"Boxes left out behind the {MOST_BOXES} best ones of their phrase: {stored.boxes_left_out:,}."
    if stored.cut:
        yield f"Boxes cut at the edge of their picture: {stored.cut:,}."
    if stored.left_out:
        some = "; ".join(message.rstrip(".") for message in stored.left_out[:MAX_LEFT_OUT_SHOWN])
        more = "; …" if len(stored.left_out) > MAX_LEFT_OUT_SHOWN else ""
        yield f"Boxes and phrases left out: {len(stored.left_out):,} ({some}{more})."
    if stored.cut_off:
        yield f"Replies that were cut off, of which the complete boxes were kept: {stored.cut_off:,}."
    if stored.unknown:
        some = ", ".join(stored.unknown[:3]) + (", …" if len(stored.unknown) > 3 else "")
        yield f"Images that are not in the project: {len(stored.unknown):,} ({some})."
    if stored.entered:
        yield f"Entered in the record of {counted(stored.entered, 'image')}."
    if not stored.are_used:
        yield "Workers still draw every box: switch on the setting pre_annotations."


def _sentences(stored: KeptPredictions) -> str:
    return "\n".join(describe_predictions(stored))


@operation(
    surveys=False, path="predictions/", command="import_predictions", say=_sentences, guide="../how-to/models.md"
)
def send_predictions(project: Project, inputs: NewPredictions, caller: Caller) -> KeptPredictions:
    """Take predictions of a program, all of them or none; but boxes that cannot be used are cut or left out."""
    try:
        kept = _keep(project, inputs, caller.name)
    except PredictionError as error:
        raise Refused("invalid", str(error), 400, field="file") from error
    entered = 0
    if caller.runs_command:
        entered = enter_predictions(project.pk)
    else:
        enter_soon(project.pk)
    are_used = current_settings(project.pk)[1].pre_annotations
    return KeptPredictions(**kept.model_dump(), entered=entered, are_used=are_used)


def _keep(project: Project, inputs: NewPredictions, by: str) -> StoredPredictions:
    if inputs.file is not None:
        return import_predictions(project, inputs.program, inputs.file.name, inputs.file.data, form=inputs.boxes, by=by)
    if not inputs.predictions:
        raise PredictionError("There are no predictions: send a file or rows.")
    rows = [row.model_dump(exclude_unset=True) for row in inputs.predictions]
    return take_predictions(project, inputs.program, rows, form=inputs.boxes, by=by)


@operation(name="programs", surveys=False, path="predictions/", method="get")
def list_programs(project: Project, inputs: NoInput, caller: Caller) -> ProgramsWithPredictions:
    """List the programs with predictions, their scores, and what came of their boxes."""
    found = programs(project, current_settings(project.pk)[1])
    return ProgramsWithPredictions([_program(program) for program in found])


def _program(program: Program) -> ProgramWithPredictions:
    scores = [
        ProgramScore(
            task=score.task,
            right=score.score.right,
            total=score.score.total,
            low=score.quality.share.low if score.quality else 0.0,
            high=score.quality.share.high if score.quality else 1.0,
            of=score.quality.basis.value if score.quality else "",
            minimum=score.minimum,
            status=score.status,
        )
        for score in program.scores
    ]
    counts: dict[str, Any] = {
        name: getattr(program, name) for name in ("images", "due", "pre_annotated", "accepted", "bad")
    }
    return ProgramWithPredictions(program=program.name, scores=scores, **counts)
