"""A trial: offers for a platform's test participants, in which nobody is paid and no answer counts.

A test participant takes the qualification test, as a new worker in each session, and hands it in.
"""

from collections.abc import Iterable

from django.db import transaction

from pipeline.protocol.tasks.task import Task
from platforms.contract.platform import Platform
from platforms.contract.terms import RecruitmentTerms
from platforms.models import Offer, Recruitment
from platforms.offers.adjust_offers import draft_offer
from platforms.offers.recruit import BadRecruitmentError, check_recruitment, end_offers
from runtime import clock


def begin_trial(
    platform: Platform, project_id: int, tasks: Iterable[Task], terms: RecruitmentTerms, *, email: str, actor: str
) -> Recruitment:
    """Plan an offer of each task for test participants, in place of those of an earlier trial.

    `email`: of a test participant to make first, or empty. A recruitment that goes on keeps its terms; a new one is
    off. Raises BadRecruitmentError, which says what does not fit.
    """
    if not platform.has_trials:
        raise BadRecruitmentError("This platform has no test participants.")
    chosen, now = list(tasks), clock.now()
    check_recruitment(platform.marketplace(), project_id, chosen, terms)
    if email:
        platform.add_test_participant(email)
    of_project = {"platform": platform.name, "project_id": project_id}
    tried = Recruitment(**of_project, terms=terms.model_dump())
    with transaction.atomic():
        new = {"active": False, "tasks": [task.value for task in chosen], "terms": tried.terms}
        row, _ = Recruitment.objects.get_or_create(
            **of_project, defaults=new | {"started_by": actor, "created_at": now}
        )
        end_offers(Offer.objects.filter(**of_project, kind=Offer.Kind.TEST))
        for task in chosen:
            draft_offer(tried, task, Offer.Kind.TEST, max(terms.entry_places, 1), now=now).save()
    return row
