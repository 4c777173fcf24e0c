"""Projects whose skills were estimated before the newest answers came."""

from datetime import UTC, datetime

from django.db.models import Max

from pipeline.models import Assignment
from pipeline.queries import chosen_projects
from workers.models import SkillEstimate

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def with_new_answers() -> list[int]:
    """Their ids."""
    last = dict(SkillEstimate.objects.values_list("project_id").annotate(Max("computed_at")).order_by())
    submitted = Assignment.objects.filter(state=Assignment.State.SUBMITTED)
    return [
        project
        for project in chosen_projects(None)
        if submitted.filter(project=project, ended_at__gte=last.get(project, BEGINNING)).exists()
    ]
