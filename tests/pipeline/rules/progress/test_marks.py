"""The marks of fields, and what a class of the progress may declare."""

from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

from pipeline.rules.progress.heard_answer import HeardAnswer
from pipeline.rules.progress.marks import Column, Later, Mark, Shown, declared
from pipeline.rules.progress.mention_progress import MentionProgress
from pipeline.rules.progress.progress import (
    BoxProgress,
    ChainProgress,
    MergedBoxProgress,
    OpenQuestion,
    Proposal,
    Report,
    SurveyProgress,
    Vote,
)

ROWS = (MentionProgress, ChainProgress, BoxProgress, OpenQuestion, SurveyProgress, MergedBoxProgress)
TUPLES = (Vote, Report, Proposal, HeardAnswer)


@dataclass
class Kept:
    number: int
    worker: Annotated[int | None, Column("drawn_by_id")] = None
    votes: Shown[Later[list[int]]] = field(default_factory=list)


class Said(NamedTuple):
    entry: int
    shift: Later[float] = 0.0


def test_a_class_declares_its_fields_in_order_with_type_marks_and_default() -> None:
    number, worker, votes = declared(Kept)
    assert (number.name, number.kind, number.column) == ("number", int, None)
    assert (worker.kind, worker.default, worker.column) == (int | None, None, Column("drawn_by_id"))
    assert (votes.kind, votes.default, votes.column) == (list[int], [], Column())
    assert Mark.LATER in votes.marks and Mark.LATER not in worker.marks
    assert [(one.name, one.kind, Mark.LATER in one.marks) for one in declared(Said)] == [
        ("entry", int, False),
        ("shift", float, True),
    ]


def test_fields_of_a_row_that_are_left_out_at_its_end_stand_at_its_end() -> None:
    later = {kind: [Mark.LATER in one.marks for one in declared(kind)] for kind in (*ROWS, *TUPLES)}
    assert later == {kind: sorted(marks) for kind, marks in later.items()}
