"""Tell a platform who has passed which test: it shows offers of work to them, and offers for newcomers to others."""

from collections import defaultdict
from typing import Any

from django.db.models import Q

from platforms.contract.platform import Platform
from platforms.models import Identity, Screening
from workers.models import TrustStatus
from workers.rules.trust_states import TrustState

PASSED = {
    TrustState.INVITED.value: None,
    TrustState.TESTING.value: None,
    TrustState.PROBATION.value: True,
    TrustState.TRUSTED.value: True,
    TrustState.SUSPENDED.value: False,
    TrustState.BARRED.value: False,
}
"""None: a newcomer. Who failed a test and may try again is one."""


def screen_workers(platform: Platform, project_id: int) -> int:
    """Only what has changed since it was said last. Returns how many results were told.

    It is written down after the platform has taken it: what fails is told again, which changes nothing there.
    """
    news = _news(platform.name, project_id)
    for task, changed in news.items():
        platform.screen(
            project_id=project_id,
            task=task,
            passed={identity.external_id: passed for identity, passed in changed},
        )
        for identity, passed in changed:
            place: dict[str, Any] = {"identity": identity, "project_id": project_id, "task": task}
            Screening.objects.update_or_create(**place, defaults={"passed": passed})
    return sum(len(changed) for changed in news.values())


def _news(platform: str, project_id: int) -> dict[str, list[tuple[Identity, bool | None]]]:
    """By task: identities whose result is another than the platform was told."""
    people = {identity.worker_id: identity for identity in Identity.objects.filter(platform=platform)}
    told = {
        (screening.identity_id, screening.task): screening.passed
        for screening in Screening.objects.filter(identity__platform=platform, project_id=project_id)
    }
    news: dict[str, list[tuple[Identity, bool | None]]] = defaultdict(list)
    trust_statuses = TrustStatus.objects.filter(Q(worker__identities__platform=platform), project_id=project_id)
    for worker, task, state in (
        trust_statuses.order_by("task", "worker").values_list("worker", "task", "state").distinct()
    ):
        identity, passed = people[worker], PASSED[state]
        if told.get((identity.id, task)) != passed:
            news[task].append((identity, passed))
    return dict(news)
