"""Agreement on parts: of links of which somebody said that one phrase is part of the other, how many agree."""

from django.db.models import Count, Q

from exchange.statistics.statistics import PartAgreement
from pipeline.models import Judgment, SettingsVersion
from pipeline.protocol.tasks.coreference_link import PartAnswer
from pipeline.protocol.tasks.task import Task
from workers.models import Worker


def part_agreement(project_id: int) -> PartAgreement | None:
    """Return how far workers agree on parts; None: the project never asked for them.

    Programs are left out. Voided answers are among the others, as in the agreement of tasks. Costs two statements.
    """
    if not SettingsVersion.objects.filter(project=project_id, values__part_answers=True).exists():
        return None
    asked = {"question__project": project_id, "question__task": Task.COREFERENCE_LINK.value}
    people = Judgment.objects.filter(**asked).exclude(worker__kind=Worker.Kind.PROGRAM)
    # A link that is asked again may be another question.
    links = (
        people.order_by()
        .values("question__image", "question__subject")
        .annotate(
            all=Count("id"),
            first=Count("id", filter=Q(answer=PartAnswer.A_OF_B.value)),
            second=Count("id", filter=Q(answer=PartAnswer.B_OF_A.value)),
        )
    )
    told = links.filter(Q(first__gt=0) | Q(second__gt=0), all__gt=1).values_list("all", "first", "second")
    counts = list(told)
    return {
        "links": len(counts),
        "part": sum(first + second == every for every, first, second in counts),
        "direction": sum(every in (first, second) for every, first, second in counts),
    }
