"""Tables: questions, assignments, judgments, the record and the ledger. They import only rules."""

from pipeline.models.money import LedgerEntry, Spending
from pipeline.models.questions import KnownQuestion, Question
from pipeline.models.record import Entry, LabelDoubt, Learned, Origin, Progress, SettingsVersion, Transition
from pipeline.models.work import Assignment, Judgment, Skip

__all__ = [
    "Assignment",
    "Entry",
    "Judgment",
    "KnownQuestion",
    "LabelDoubt",
    "Learned",
    "LedgerEntry",
    "Origin",
    "Progress",
    "Question",
    "SettingsVersion",
    "Skip",
    "Spending",
    "Transition",
]
