"""Settings of work [paper 3.3]: by which work is leased, judged, paid and shown, and phrases get types."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any

from pydantic.dataclasses import dataclass

from annotation.rules.dictionaries import Dictionaries, load_dictionaries
from pipeline.protocol.settings import CHECKED, Count, Flag, SettingChoice, at_least, setting
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.ranges import (
    BatchSizes,
    Cents,
    CountOrNone,
    Currency,
    DrawByName,
    HoursOrNone,
    Language,
    Minimums,
    Minutes,
    ProgramCosts,
    Rate,
    Rewards,
    RuleName,
    TestQuestions,
    TrustModels,
    WordListEdits,
)
from pipeline.settings.table_3 import BATCH, MINIMUM
from workers.preferences import DrawBy
from workers.rules.score import BatchRules, ScoreRule
from workers.rules.trust import TrustModel, TrustRules

TRUST_MODELS = (
    SettingChoice(TrustModel.TRUSTED.value, "Workers prove themselves once, then get few verification questions."),
    SettingChoice(
        TrustModel.VERIFICATION.value, "Every batch is judged by its own verification questions, for everybody."
    ),
)
RULES = (
    SettingChoice(
        ScoreRule.INTERVAL.value, "Below by more than chance explains: the score's 95 % interval ends under it."
    ),
    SettingChoice(ScoreRule.BARE.value, "The share of right answers is smaller, however few answers there are."),
)
GESTURES = (
    SettingChoice(DrawBy.DRAG.value, "Press at one corner, release at the opposite one."),
    SettingChoice(DrawBy.TWO_CLICKS.value, "Click at one corner, then at the opposite one."),
    SettingChoice(DrawBy.EXTREME_POINTS.value, "Click at the topmost, bottommost, leftmost and rightmost points."),
)


def of_paper(values: Mapping[Task, Any]) -> dict[str, Any]:
    """Return the values of the paper's six tasks, by name; the paper says nothing about surveys."""
    return {task.value: values[task] for task in PROTOCOL_TASKS}


@dataclass(frozen=True, config=CHECKED)
class TrustSettings:
    """Settings of quality control [paper 3.3]."""

    trust: TrustModels = setting(
        {task.value: TrustModel.TRUSTED.value for task in Task},
        "Quality control",
        "Decides whether workers earn trust once or every batch is judged.",
        paper_words="both: verification at first, trusted workers once that failed for the box tasks",
        choices=TRUST_MODELS,
        common=8,
    )
    minimum: Minimums = setting(
        {task.value: share for task, share in MINIMUM.items()},
        "Minimum performance",
        "Workers must get this share of the verification questions right.",
        paper=of_paper(MINIMUM),
    )
    below_minimum: RuleName = setting(
        ScoreRule.INTERVAL.value,
        "Meaning of “below the minimum”",
        "Decides when a trusted worker's score costs their trust.",
        paper=ScoreRule.BARE.value,
        choices=RULES,
    )
    probation: Count = setting(
        30,
        "Probation",
        "New workers answer this many verification questions before they are trusted.",
        unit="questions",
        paper=30,
    )
    probation_most: Annotated[Count, at_least("probation")] = setting(
        60,
        "Longest probation",
        "Probation goes on to this many questions while a worker's score is neither good nor clearly bad.",
        unit="questions",
    )
    trusted_rate: Rate = setting(
        0.02,
        "Verification questions for trusted workers",
        "This share of a trusted worker's questions has a known answer.",
        paper=0.02,
    )
    verification_rate: Rate = setting(
        0.2,
        "Verification questions in the verification model",
        "This share of everybody's questions has a known answer.",
        paper=0.2,
    )
    test_questions: TestQuestions = setting(
        10,
        "Questions of the qualification test",
        "New workers first pass a test of this many questions; 0 means no test.",
        unit="questions",
        paper_words="a test for each task, of no stated length",
        common=9,
    )
    tests: Count = setting(
        3, "Tries at the test", "A worker may take the qualification test this many times.", unit="times"
    )
    test_wait_hours: HoursOrNone = setting(
        24.0,
        "Wait after a failed test",
        "A worker who failed the test may take it again after this time.",
        unit="hours",
    )
    guests_trusted: Flag = setting(
        False,
        "Guests need no test",
        "Visitors who try the work without an account skip test and probation, as in the demo.",
    )


@dataclass(frozen=True, config=CHECKED)
class MoneySettings:
    """Settings of rewards, budgets and costs."""

    reward_cents: Rewards = setting(
        {task.value: 0 for task in Task},
        "Reward of a full assignment",
        "Workers earn this for a full assignment, and their share of it for a smaller one.",
        unit="cents",
        common=3,
    )
    currency: Currency = setting(
        "USD",
        "Currency",
        "Names the currency whose hundredths are the cents of this page.",
        unit="three capital letters, such as USD",
    )
    spend_cap_cents: Cents = setting(
        0, "Budget", "Nothing more is given to workers once this is spent; 0 means no limit.", unit="cents", common=4
    )
    answer_cap: CountOrNone = setting(
        0,
        "Budget in answers",
        "Nothing more is given to workers once they have given this many answers; 0 means no limit.",
        unit="answers",
        common=5,
    )
    program_cost_cents: ProgramCosts = setting(
        {},
        "Cost of programs",
        "Models holds what 1,000 answers of each program cost against what they saved; set it there.",
    )


@dataclass(frozen=True, config=CHECKED)
class WorkSettings:
    """Settings of assignments [paper 3.3, table 3]."""

    batch: BatchSizes = setting(
        {task.value: size for task, size in BATCH.items()},
        "Questions per assignment",
        "Workers get this many questions at once.",
        unit="questions",
        paper=of_paper(BATCH),
        common=6,
    )
    lease_minutes: Minutes = setting(
        30.0,
        "Time for an assignment",
        "An assignment without any work on it goes back after this time.",
        unit="minutes",
        common=7,
    )
    lease_most_minutes: Minutes = setting(
        120.0,
        "Longest time for an assignment",
        "An assignment goes back after this time even while somebody works on it.",
        unit="minutes",
    )


@dataclass(frozen=True, config=CHECKED)
class PageSettings:
    """Settings of workers' pages."""

    draw_by: DrawByName = setting(
        DrawBy.DRAG.value,
        "Way of drawing",
        "Decides how boxes are drawn, unless a worker chooses another way.",
        paper=DrawBy.DRAG.value,
        choices=GESTURES,
    )
    caption_language: Language = setting(
        "",
        "Language of the captions",
        "Tells browsers which letter shapes, and screen readers which voice, the captions need.",
        unit="a tag such as en, ar or pt-BR; empty: unknown",
        common=10,
    )


@dataclass(frozen=True, config=CHECKED)
class TextSettings:
    """Settings of the word lists by which phrases get types [paper 3.1]."""

    pronouns: Flag = setting(
        False,
        "Pronouns are phrases",
        "Keeps “she”, “they”, “it” and the like as phrases of the type pronoun, in images imported from now on.",
    )
    dictionaries: WordListEdits = setting(
        {},
        "Edits of the word lists",
        "Gives phrases of images imported from now on other types: words added to a list, or taken out of it.",
        paper_words="word lists made by hand",
    )

    def edited_dictionaries(self) -> Dictionaries:
        """Return the shipped word lists with this project's edits, by which pronouns are mentions or not.

        Raises ValueError if an edit names a list or a word that does not exist.
        """
        shipped = load_dictionaries()
        edited = shipped.changed(**self.dictionaries) if self.dictionaries else shipped
        return edited.with_pronouns() if self.pronouns else edited


def trust_rules(settings: TrustSettings, task: Task) -> TrustRules:
    """Return the rules of trust of one task."""
    return TrustRules(
        minimum=settings.minimum[task.value],
        rule=ScoreRule(settings.below_minimum),
        model=TrustModel(settings.trust[task.value]),
        probation=settings.probation,
        probation_most=settings.probation_most,
        trusted_rate=settings.trusted_rate,
        verification_rate=settings.verification_rate,
        tests=settings.tests,
        test_wait=timedelta(hours=settings.test_wait_hours),
    )


def batch_rules(settings: TrustSettings, task: Task) -> BatchRules:
    """Return the rules of batches of one task, for the verification model."""
    return BatchRules(minimum=settings.minimum[task.value], rule=ScoreRule(settings.below_minimum))


def needed_in_test(settings: TrustSettings, task: Task, questions: int) -> int:
    """Return the right answers that pass a qualification test of `asked` questions: the minimum share, rounded down.

    A worker who is just good enough should pass. One who is right 80 % of the time has 8 or more of 10 right in 68 % of
    tests, and may try again; one who guesses between two answers passes in 5 %.
    """
    return int(settings.minimum[task.value] * questions + 1e-9)
