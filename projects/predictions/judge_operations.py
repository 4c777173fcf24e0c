"""Operations on model annotators: let one judge, set it aside, note what its answers cost, name its family."""

from __future__ import annotations

from typing import Annotated, Any

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import Field

from annotation.models import Project
from annotation.rules.plain_errors import should_be
from pipeline.settings.ranges import MOST_CENTS
from projects.operation import AsOption, Caller, Input, Output, Refused, WholeCents, operation
from projects.predictions.import_predictions import LONGEST_NAME
from projects.predictions.judges import NoEvidenceError, set_aside, set_family, set_price, set_to_work
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
    program = _program(inputs)
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
    program = _program(inputs)
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
    program = _program(inputs)
    set_family(project, program.pk, inputs.family.strip(), caller.name)
    return ModelAnnotatorNamed(program=program.name)


def _program(inputs: ModelAnnotator) -> Worker:
    program = Worker.objects.filter(kind=Worker.Kind.PROGRAM, name=inputs.program).first()
    if program is None:
        raise _no_such_program()
    return program


def _no_such_program() -> Refused:
    return Refused("invalid", "No such program has a key for this project.", 400, field="program")
