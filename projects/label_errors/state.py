"""The state of a check: labels by how they stand, and how many are expected to be wrong."""

from collections.abc import Mapping
from typing import NamedTuple

from django.db.models import Count, F, Sum

from annotation.models import Project
from pipeline.checking.doubt import ExpectedWrong, LabelStatus, expected_of
from pipeline.models import LabelDoubt
from runtime.database import cached_read
from runtime.words import number
from workers.models import Worker


class CheckState(NamedTuple):
    """Labels of a checked data set as they are now."""

    source: str
    """The name of the data set as a program."""
    numbers: Mapping[tuple[str, str], int]
    """Labels by how they stand, and by the part that is most in doubt."""
    expected: ExpectedWrong

    def count(self, standing: str = "", part: str = "") -> int:
        """Return the labels that stand so and whose part is most in doubt; empty: in any way."""
        return sum(
            count for (status, other), count in self.numbers.items() if standing in ("", status) and part in ("", other)
        )

    @property
    def in_question(self) -> int:
        return self.count(LabelStatus.IN_QUESTION)

    @property
    def changed(self) -> int:
        return self.count(LabelStatus.CHANGED)

    @property
    def wrong(self) -> str:
        return _labels(self.expected.wrong)

    @property
    def interval(self) -> str:
        return f"{_labels(self.expected.low)} to {_labels(self.expected.high)}"

    @property
    def labels(self) -> int:
        return self.expected.labels


def _labels(expected: float) -> str:
    return number(expected, 1 if expected < 10 else 0)


def check_state(project: Project, source: int) -> CheckState:
    """Return the state of a project's check. `source`: the number of its data set as a program."""
    return cached_read(f"check:{project.pk}", lambda: read_state(project, source))


def read_state(project: Project, source: int) -> CheckState:
    """Return what `check_state` does, not kept from a moment ago."""
    rows = LabelDoubt.objects.filter(project=project).order_by().values("standing", "part")
    sums = list(rows.annotate(labels=Count("id"), total=Sum("doubt"), square=Sum(F("doubt") * F("doubt"))))
    total = sum(row["total"] for row in sums)
    variance = total - sum(row["square"] for row in sums)
    numbers = {(row["standing"], row["part"]): row["labels"] for row in sums}
    name = Worker.objects.values_list("name", flat=True).get(pk=source)
    return CheckState(name, numbers, expected_of(sum(numbers.values()), total, variance))
