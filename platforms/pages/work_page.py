"""What the labelling page is told when somebody comes from a platform. It has no cookie: a token says who asks."""

from typing import Any

from annotation.models import Project
from pipeline.rules.settings.quality_control import needed_in_test
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import current_settings
from platforms.models import Offer, Session
from workers.page_token import make_bearer

PLACE_WORDS = {"mturk": "HIT", "prolific": "study"}


def offer_shown(offer: Offer) -> dict[str, Any]:
    """What there is to do, and what it pays."""
    task = Task(offer.task)
    _, settings = current_settings(offer.project_id)
    return {
        "project": Project.objects.get(id=offer.project_id),
        "task": task.value,
        "label": task.label,
        "platform": offer.platform,
        "place_word": PLACE_WORDS[offer.platform],
        "least": offer.least,
        "quota": offer.quota,
        "reward": offer.reward_cents,
        "currency": settings.currency,
        "needed": needed_in_test(settings, task, settings.test_questions),
        "pays_tests": offer.pays_tests,
    }


def work_page(offer: Offer, session: Session, *, finish_url: str, finish_fields: dict[str, str]) -> dict[str, Any]:
    """For `platforms/work.html`. `finish_url`: where the worker goes with these fields when the session is handed in;
    without fields, by a link."""
    return offer_shown(offer) | {
        "bearer": make_bearer(session.worker_id, session.id),
        "finish_url": finish_url,
        "finish_fields": finish_fields,
    }
