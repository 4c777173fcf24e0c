"""The time to find the next links of images that are being linked, measured on some of them while the crowd works."""

import time
from itertools import islice
from statistics import median

from annotation.models import Project
from pipeline.models import Progress, Question
from pipeline.policies.compose import compose
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import QuestionState, Task

IMAGES = 20


def planning_times(project: Project) -> dict[str, float]:
    """Return the median and the longest processor time of a group's plan, in milliseconds; nothing without links."""
    policy = compose(current_settings(project.pk)[1]).links
    of_links = Question.objects.filter(project=project, task=Task.COREFERENCE_LINK, state=QuestionState.OPEN)
    some = of_links.order_by().values_list("image_id", flat=True)[: 10 * IMAGES]
    images = list(islice(dict.fromkeys(some), IMAGES))
    times = []
    for state in Progress.objects.filter(image_id__in=images).order_by().values_list("state", flat=True):
        progress = from_json(state)
        for group in policy.groups(mention.for_links() for mention in progress.mentions.values()):
            begun = time.thread_time()
            policy.plan(progress, group)
            times.append(1000 * (time.thread_time() - begun))
    return {"plan_ms": median(times), "plan_worst_ms": max(times)} if times else {}
