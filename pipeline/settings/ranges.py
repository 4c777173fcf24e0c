"""Ranges of settings [paper 3]: the kinds of values that settings beyond the protocol's have, and which are allowed."""

from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from annotation.rules.plain_errors import one_of, should_be
from pipeline.protocol.settings import FROM_JSON, LONGEST_HOURS, SettingKind
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, SURVEY_TASKS, Task
from workers.preferences import DrawBy
from workers.rules.score import ScoreRule
from workers.rules.trust import TrustModel

LONGEST_MINUTES = 60 * LONGEST_HOURS
MOST_CENTS = 100_000
PER_TASK = "for each task"
"""Metadata of a range that holds a value for each task."""
V = TypeVar("V")
SURVEY_BATCH, SURVEY_MINIMUM = 10, 0.80
"""Of a survey: the questions per assignment, and the least share of verification questions to get right."""


def _for_each_task(of_survey: Any) -> AfterValidator:
    """Return a check that there is a value for each task. A survey that is left out gets `of_survey`."""

    def check(values: dict[str, V]) -> dict[str, V]:
        if not set(PROTOCOL_TASKS) <= set(values) <= set(Task):
            raise PydanticCustomError(
                "tasks", "should have a value for each task: {tasks}", {"tasks": ", ".join(PROTOCOL_TASKS)}
            )
        return values | {task.value: of_survey for task in SURVEY_TASKS if task.value not in values}

    return AfterValidator(check)


def _by_program(values: dict[str, V]) -> dict[str, V]:
    if wrong := [name for name in values if not name.isdecimal() or name.startswith("0")]:
        raise ValueError(f"{wrong[0]!r}: give the number of a program")
    return values


BY_PROGRAM = AfterValidator(_by_program)
"""A check of values by the number of a program."""
CountOrNone = Annotated[int, Field(ge=0), should_be("a whole number from 0")]
Cents = CountOrNone
TestQuestions = Annotated[int, Field(ge=0, le=100), should_be("a whole number from 0 to 100")]
Bits = Annotated[float, Field(gt=0, lt=1), should_be("a number between 0 and 1", as_given=True)]
ShareOrNone = Annotated[float, Field(ge=0, lt=1), should_be("a number from 0 to below 1", as_given=True)]
SmallShare = Annotated[float, Field(ge=0, le=0.2), should_be("a number from 0 to 0.2", as_given=True)]
Rate = Annotated[float, Field(ge=0, le=1), should_be("a number from 0 to 1", as_given=True)]
HoursOrNone = Annotated[
    float, Field(ge=0, le=LONGEST_HOURS), should_be(f"a number from 0 to {LONGEST_HOURS}", as_given=True)
]
Minutes = Annotated[
    float, Field(gt=0, le=LONGEST_MINUTES), should_be(f"a number above 0 and at most {LONGEST_MINUTES}", as_given=True)
]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$"), should_be("three capital letters, such as USD")]
Language = Annotated[
    str,
    Field(pattern=r"^([A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4})?$"),
    should_be("a language tag, such as ar or pt-BR, or empty"),
]

Sureness = Annotated[float, Field(ge=0.5, lt=1), should_be("a number from 0.5 to less than 1", as_given=True)]
RuleName = Annotated[str, one_of(ScoreRule)]
DrawByName = Annotated[str, one_of(DrawBy)]
WorkerNumber = Annotated[int, Field(ge=1), should_be("the number of a worker")]
WorkerOrNone = Annotated[int, Field(ge=0), should_be("the number of a worker, or 0")]
WorkerNumbers = Annotated[tuple[WorkerNumber, ...], FROM_JSON, SettingKind.WORKERS]
WordListEdits = Annotated[dict[Annotated[str, one_of(("add", "remove"))], dict[str, Any]], SettingKind.EDITS]
FamilyName = Annotated[str, Field(pattern=r"^\S(.{0,38}\S)?$"), should_be("a name of 1 to 40 characters")]
FamilyNames = Annotated[dict[str, FamilyName], BY_PROGRAM, SettingKind.FAMILIES]

BatchSize = Annotated[int, Field(ge=1, le=100), should_be("a whole number from 1 to 100")]
BatchSizes = Annotated[dict[str, BatchSize], _for_each_task(SURVEY_BATCH), PER_TASK]
Reward = Annotated[int, Field(ge=0, le=MOST_CENTS), should_be(f"a whole number from 0 to {MOST_CENTS}")]
ProgramCosts = Annotated[dict[str, Reward], BY_PROGRAM, SettingKind.COSTS]
"""By the number of a program: what 1,000 of its answers cost, in hundredths of the currency."""
Rewards = Annotated[dict[str, Reward], _for_each_task(0), PER_TASK]
Minimum = Annotated[float, Field(gt=0, lt=1), should_be("a number between 0 and 1", as_given=True)]
Minimums = Annotated[dict[str, Minimum], _for_each_task(SURVEY_MINIMUM), PER_TASK]
TrustModels = Annotated[
    dict[str, Annotated[str, one_of(TrustModel)]], _for_each_task(TrustModel.TRUSTED.value), PER_TASK
]
