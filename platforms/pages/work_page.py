"""The context of the labelling page for workers from a platform. A token, not a cookie, names the worker."""

from typing import Any

from django.utils.translation import gettext, gettext_noop

from annotation.models import Project
from pipeline.asking.receipt import has_met
from pipeline.policies.compose import engine_of
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import needed_in_test
from platforms.models import Offer, Session
from workers.preferences import Preferences
from workers.task_words import task_name
from workers.tokens import make_page_token

PLACES = {
    "mturk": (
        "Mechanical Turk",
        gettext_noop("HIT"),
        gettext_noop("To leave the HIT itself, use its own Return button."),
    ),
    "prolific": ("Prolific", gettext_noop("study"), gettext_noop("To leave the study itself, return it on Prolific.")),
}
"""By platform: its name, its word for an offer, and how to leave a session there without handing it in."""


def offer_shown(offer: Offer) -> dict[str, Any]:
    """Return what there is to do and what it pays, for `platforms/preview.html`."""
    task = Task(offer.task)
    _, settings = current_settings(offer.project_id)
    name, place_word, way_out = PLACES[offer.platform]
    return {
        "project": Project.objects.get(id=offer.project_id),
        "task": task.value,
        "label": task_name(task),
        "platform": name,
        "place_word": gettext(place_word),
        "way_out": gettext(way_out),
        "least": offer.least,
        "quota": offer.quota,
        "reward": offer.reward_cents,
        "currency": settings.currency,
        "draw_by": settings.draw_by,
        "part_answers": settings.part_answers,
        "sweeps": bool(engine_of(settings).link_shapes),
        "needed": needed_in_test(settings, task, settings.test_questions),
        "pays_tests": offer.pays_tests,
    }


def work_page(offer: Offer, session: Session, *, finish_url: str, finish_fields: dict[str, str]) -> dict[str, Any]:
    """Return the context of `platforms/work.html`.

    `finish_url`: the platform's address for finished sessions, which gets a form with `finish_fields`; without fields,
    a link leads there.
    """
    return offer_shown(offer) | {
        "bearer": make_page_token(session.worker_id, session.id),
        "met": has_met(session.worker_id, offer.project_id, Task(offer.task)),
        "preferences": Preferences.from_json(session.worker.preferences).to_json(),
        "finish_url": finish_url,
        "finish_fields": finish_fields,
    }
