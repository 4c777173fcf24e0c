"""The state of a check: labels by how they stand, and how many are expected to be wrong."""

from typing import NamedTuple

from django.db.models import Count, F, Sum

from annotation.models import Project
from pipeline.models import LabelDoubt
from pipeline.rules.checking.doubt import ExpectedWrong, Standing, expected_of
from upkeep.slow_reads import kept
from workers.models import Worker


class CheckState(NamedTuple):
    """Labels of a checked data set as they are now."""

    source: str
    """The name of the data set as a program."""
    in_question: int
    unchanged: int
    changed: int
    expected: ExpectedWrong

    @property
    def wrong(self) -> str:
        return _number(self.expected.wrong)

    @property
    def interval(self) -> str:
        return f"{_number(self.expected.low)} to {_number(self.expected.high)}"

    @property
    def labels(self) -> int:
        return self.expected.labels


def _number(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def check_state(project: Project, source: int) -> CheckState:
    """Return the state of a project's check. `source`: the number of its data set as a program."""
    return kept(f"check:{project.pk}", lambda: read_state(project, source))


def read_state(project: Project, source: int) -> CheckState:
    """Return what `check_state` does, not kept from a moment ago."""
    rows = LabelDoubt.objects.filter(project=project).order_by().values("standing")
    sums = rows.annotate(labels=Count("id"), total=Sum("doubt"), square=Sum(F("doubt") * F("doubt")))
    found = {row["standing"]: row for row in sums}
    number = {one: found[one]["labels"] if one in found else 0 for one in Standing}
    total = sum(row["total"] for row in found.values())
    variance = total - sum(row["square"] for row in found.values())
    return CheckState(
        Worker.objects.values_list("name", flat=True).get(pk=source),
        number[Standing.IN_QUESTION],
        number[Standing.UNCHANGED],
        number[Standing.CHANGED],
        expected_of(sum(number.values()), total, variance),
    )
