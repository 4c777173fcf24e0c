"""The count of a project's judgments, which every page shows: of people, of programs, and of known questions."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import BooleanField, Case, Count, When

from pipeline.models import Judgment
from runtime.database import cached_read
from workers.models import Worker


@dataclass(slots=True)
class JudgmentCounts:
    """The judgments of one project. Virtual workers count as people."""

    people: int = 0
    """Of real questions, like those of programs."""
    programs: int = 0
    known: int = 0
    """Of questions whose answer is known: tests, verification questions and examples."""
    tasks: Counter[str] = field(default_factory=Counter)
    """Of real questions, by task."""

    @property
    def total(self) -> int:
        return self.people + self.programs + self.known

    @property
    def words(self) -> str:
        """The judgments of real questions in words, as in "1,418 judgments of people, 30 of programs"."""
        noun = "judgment" if self.people == 1 else "judgments"
        return f"{self.people:,} {noun} of people{self.of_programs and f', {self.of_programs}'}"

    @property
    def of_programs(self) -> str:
        """Those of programs in words; empty: there are none."""
        return f"{self.programs:,} of programs" if self.programs else ""


def judgment_counts(projects: Sequence[int]) -> dict[int, JudgmentCounts]:
    """Count the judgments of these projects, as of a moment ago in large ones."""
    key = ",".join(map(str, sorted(projects)))
    return cached_read(f"judgments:{key}", lambda: count_judgments(projects))


def count_judgments(projects: Sequence[int]) -> dict[int, JudgmentCounts]:
    """Return what `judgment_counts` does, not kept from a moment ago."""
    rows = Judgment.objects.filter(assignment__project__in=projects).order_by()
    is_known = Case(When(known=None, then=False), default=True, output_field=BooleanField())
    parts = rows.values_list("assignment__project", "assignment__task", "worker__kind", is_known)
    found: dict[int, JudgmentCounts] = defaultdict(JudgmentCounts)
    for project, task, kind, of_known, number in parts.annotate(Count("id")):
        counts = found[project]
        if of_known:
            counts.known += number
            continue
        counts.tasks[task] += number
        if kind == Worker.Kind.PROGRAM:
            counts.programs += number
        else:
            counts.people += number
    return {project: found[project] for project in projects}
