"""A study as the platform wants it described, made of an offer."""

from math import ceil, sqrt

from django.conf import settings
from django.urls import reverse
from django.utils.crypto import salted_hmac

from pipeline.rules.settings.protocol import PAPER_SECONDS
from pipeline.rules.tasks.task import Task
from platforms.models import Offer
from platforms.prolific.client import Json

PLACEHOLDERS = "pid={{%PROLIFIC_PID%}}&study={{%STUDY_ID%}}&session={{%SESSION_ID%}}"
AS_OFTEN_AS_WANTED = -1
ALLOWLIST, BLOCKLIST = "participant_group_allowlist", "participant_group_blocklist"


def study_fields(offer: Offer, *, passed: str, out: str, project: str = "") -> Json:
    """`passed`, `out`: the groups of who has passed the test of this task, and of who may not work on it.

    Newcomers see an offer for newcomers, everybody who has passed an offer of work.
    """
    is_entry = offer.kind == Offer.Kind.ENTRY
    who = _filter(BLOCKLIST, passed, out) if is_entry else _filter(ALLOWLIST, passed)
    fields = {
        "name": offer.terms["title"],
        "internal_name": offer.key,
        "description": offer.terms["description"],
        "external_study_url": address_of(offer),
        "prolific_id_option": "url_parameters",
        "completion_codes": [
            {"code": code_of(offer), "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]}
        ],
        "total_available_places": offer.places,
        "estimated_completion_time": expected_minutes(offer),
        "maximum_allowed_time": allowed_minutes(offer),
        "reward": offer.reward_cents,
        "filters": [who],
        "submissions_config": {"max_submissions_per_participant": 1 if is_entry else AS_OFTEN_AS_WANTED},
    }
    return fields | ({"project": project} if project else {})


def address_of(offer: Offer) -> str:
    """Where the platform sends those who take a place."""
    return f"{settings.ADDRESS}{reverse('platforms:prolific_work', args=[offer.key])}?{PLACEHOLDERS}"


def code_of(offer: Offer) -> str:
    """What a participant comes back with. It opens nothing: what is paid is decided by the ledger."""
    return salted_hmac("prolific.code", offer.key, algorithm="sha256").hexdigest()[:10].upper()


def expected_minutes(offer: Offer) -> int:
    """What a session takes on average; a qualification test takes about as long as what follows it."""
    parts = offer.least + (1 if offer.kind == Offer.Kind.ENTRY else 0)
    return ceil(parts * PAPER_SECONDS[Task(offer.task)] / 60)


def allowed_minutes(offer: Offer) -> int:
    """That a participant has for a session."""
    return max(ceil(offer.seconds / 60), least_allowed_minutes(expected_minutes(offer)))


def least_allowed_minutes(expected: int) -> int:
    """The platform gives a participant at least so long."""
    return ceil(2 + 2 * expected + 2 * sqrt(expected))


def _filter(name: str, *groups: str) -> Json:
    return {"filter_id": name, "selected_values": list(groups)}
