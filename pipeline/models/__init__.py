"""Tables of `pipeline`: questions, assignments, judgments, the record and the ledger. They import only rules."""

from pipeline.models.money import LedgerEntry, Spending
from pipeline.models.questions import KnownQuestion, Question
from pipeline.models.record import Entry, LabelDoubt, Progress, SettingsVersion, Transition
from pipeline.models.work import Assignment, Judgment, Skip

__all__ = [
    "Assignment",
    "Entry",
    "Judgment",
    "KnownQuestion",
    "LabelDoubt",
    "LedgerEntry",
    "Progress",
    "Question",
    "SettingsVersion",
    "Skip",
    "Spending",
    "Transition",
]
