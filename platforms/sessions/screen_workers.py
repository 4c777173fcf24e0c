"""Report to a platform who passed which test: they find offers of work, newcomers find offers for newcomers."""

from collections import defaultdict
from typing import Any

from platforms.contract.platform import Platform
from platforms.models import Identity, Offer, Screening
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
"""Test result by trust state; None: a newcomer, or a worker who failed the test and may take it again."""


def screen_workers(platform: Platform, project_id: int) -> int:
    """Report the results that changed since the last report. Returns how many.

    Results are stored after the platform has taken them, so a failed report is repeated, which changes nothing there.
    """
    changes = _changes(platform.name, project_id)
    for task, changed in changes.items():
        platform.screen(
            project_id=project_id,
            task=task,
            passed={identity.external_id: passed for identity, passed in changed},
        )
        for identity, passed in changed:
            key: dict[str, Any] = {"identity": identity, "project_id": project_id, "task": task}
            Screening.objects.update_or_create(**key, defaults={"passed": passed})
    return sum(len(changed) for changed in changes.values())


def _changes(platform: str, project_id: int) -> dict[str, list[tuple[Identity, bool | None]]]:
    """Return by task the identities whose result differs from the reported one."""
    identities = {identity.worker_id: identity for identity in Identity.objects.filter(platform=platform)}
    reported = {
        (screening.identity_id, screening.task): screening.passed
        for screening in Screening.objects.filter(identity__platform=platform, project_id=project_id)
    }
    changes: dict[str, list[tuple[Identity, bool | None]]] = defaultdict(list)
    of_platform = {"worker__identities__platform": platform, "worker__closed_at": None}
    statuses = TrustStatus.objects.filter(**of_platform, project_id=project_id)
    statuses = statuses.exclude(worker__sessions__offer__kind=Offer.Kind.TEST)
    rows = statuses.order_by("task", "worker").values_list("worker", "task", "state").distinct()
    for worker, task, state in rows:
        identity, passed = identities[worker], PASSED[state]
        if reported.get((identity.id, task)) != passed:
            changes[task].append((identity, passed))
    return dict(changes)
