"""The tick: do everything that is due, once. The rows that are due are the queue, so no lost message loses work."""

from datetime import datetime

from pipeline.asking.end_lease import expire_assignments
from pipeline.learning.refit import refit_boxes, refit_links
from pipeline.money import spend_cap
from pipeline.project.queries import chosen_projects
from pipeline.record.apply_judgments import AFTER_LINKING, LINKS, apply_judgments
from pipeline.record.due_images import merge_images, start_images
from pipeline.record.starve_questions import starve_questions
from pipeline.trust.review_trust import judge_waiting, review_workers


def tick(*, project_id: int | None = None, now: datetime | None = None, rounds: int | None = None) -> bool:
    """Do everything that is due in one project, or in all. Running it twice, late, or in two processes is safe.

    `rounds`: the most transactions of folding for a project; None: until nothing waits. Returns whether answers may
    still wait.
    """
    expire_assignments(now=now)
    for project in chosen_projects(project_id):
        spend_cap.keep_up(project, now)
        judge_waiting(project, now=now)
        review_workers(project, now=now)
    linked = apply_judgments(LINKS, project_id=project_id, now=now, rounds=rounds)
    start_images(project_id=project_id, now=now)
    folded = apply_judgments(AFTER_LINKING, project_id=project_id, now=now, rounds=rounds)
    for project in chosen_projects(project_id):
        starve_questions(project_id=project, now=now)
    merge_images(project_id=project_id, now=now)
    for project in chosen_projects(project_id):
        refit_links(project)
        refit_boxes(project)
    return linked.more or folded.more
