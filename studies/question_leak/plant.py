"""Differences that are put into what was seen, to show that the classifier would find them."""

from collections.abc import Sequence

from studies.leak.seen import Row

LATER_MS = 5.0


def later(
    rows: Sequence[Row], known: Sequence[bool], assignments: Sequence[int], milliseconds: float = LATER_MS
) -> list[Row]:
    """The answer with an assignment that holds a verification question takes so much more."""
    slow = {assignment for assignment, is_known in zip(assignments, known, strict=True) if is_known}
    return [
        {**row, "ask seconds": row["ask seconds"] + milliseconds / 1000 * (assignment in slow)}
        for row, assignment in zip(rows, assignments, strict=True)
    ]


def even(rows: Sequence[Row], known: Sequence[bool]) -> list[Row]:
    """The number in the picture's name is always even where the answer is known."""
    return [
        {**row, "url number mod 2": 0.0 if is_known else row["url number mod 2"]}
        for row, is_known in zip(rows, known, strict=True)
    ]
