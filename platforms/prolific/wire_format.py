"""The wire format of Prolific: the study that an offer becomes, and the answers that we read."""

from datetime import datetime
from math import ceil, sqrt
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils.crypto import salted_hmac
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from platforms.models import Offer
from platforms.offers.budget import usual_minutes

Json = dict[str, Any]
PLACEHOLDERS = "pid={{%PROLIFIC_PID%}}&study={{%STUDY_ID%}}&session={{%SESSION_ID%}}"
NO_LIMIT = -1
LABEL = "ai_annotation"
LONGEST_TIME = 100
"""Characters of a predicted time that we keep."""
ALLOWLIST, BLOCKLIST = "participant_group_allowlist", "participant_group_blocklist"
HOLDS_A_PLACE = ("RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED")
"""Statuses of submissions that take a place of their study."""
SHORTEST_REASON = 100
"""Characters that a rejection needs."""
LONGER_REASON = (
    "Some answers of every session have known solutions or are compared with those of others. "
    "Yours were too far from them to be used. If you think that this is wrong, write to us and we look again."
)


# --- Requests ---


def study_of(offer: Offer, *, passed: str, out: str, project: str = "") -> Json:
    """Return the study that an offer becomes.

    `passed`, `out`: ids of the groups of participants who passed the test of the task, and who may not work on it. An
    offer for newcomers is hidden from both groups; an offer of work is shown to those who passed.
    """
    is_entry = offer.kind != Offer.Kind.WORK
    audience = _filter(BLOCKLIST, passed, out) if is_entry else _filter(ALLOWLIST, passed)
    fields = {
        "name": offer.terms["title"],
        "internal_name": offer.key,
        "description": offer.terms["description"],
        "external_study_url": address_of(offer),
        "prolific_id_option": "url_parameters",
        "completion_codes": completion_codes_of(offer),
        "total_available_places": offer.places,
        "estimated_completion_time": usual_minutes(offer),
        "maximum_allowed_time": allowed_minutes(offer),
        "reward": offer.reward_cents,
        "filters": [audience],
        "study_labels": [LABEL],
        "submissions_config": {"max_submissions_per_participant": 1 if is_entry else NO_LIMIT},
    }
    signed = {"is_external_study_url_secure": True} if settings.PROLIFIC_SIGNS_ADDRESSES else {}
    return fields | signed | ({"project": project} if project else {})


def unmade_study_of(offer: Offer, workspace: str) -> Json:
    """Return what Prolific needs to predict how soon anybody takes the places of a study that is not made yet."""
    return {
        "filters": [],
        "workspace_id": workspace,
        "reward": offer.reward_cents,
        "study_type": "SINGLE",
        "total_available_places": offer.places,
        "estimated_completion_time": usual_minutes(offer),
        "study_labels": LABEL,
    }


def address_of(offer: Offer) -> str:
    """Return the address to which Prolific sends participants; it replaces the placeholders."""
    return f"{settings.ADDRESS}{reverse('platforms:prolific_work', args=[offer.key])}?{PLACEHOLDERS}"


def code_of(offer: Offer) -> str:
    """Return the completion code that participants bring back. It grants no pay: the ledger decides on that."""
    return salted_hmac("prolific.code", offer.key, algorithm="sha256").hexdigest()[:10].upper()


def part_code_of(offer: Offer) -> str:
    """Return the code with which we complete a submission for a part of its reward."""
    return salted_hmac("prolific.part", offer.key, algorithm="sha256").hexdigest()[:10].upper()


def completion_codes_of(offer: Offer) -> list[Json]:
    """Return the participants' code, and ours if the workspace may pay parts of rewards."""
    codes = [{"code": code_of(offer), "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]}]
    part = {"code": part_code_of(offer), "code_type": "OTHER", "actor": "researcher"}
    return [*codes, part | {"actions": [{"action": "DYNAMIC_PAYMENT"}]}] if settings.PROLIFIC_PAYS_PARTS else codes


def allowed_minutes(offer: Offer) -> int:
    """Return how long a participant has for a session: as the offer says, but no less than Prolific allows."""
    return max(ceil(offer.seconds / 60), least_allowed_minutes(usual_minutes(offer)))


def least_allowed_minutes(expected: int) -> int:
    """Return the shortest time limit that Prolific accepts."""
    return ceil(2 + 2 * expected + 2 * sqrt(expected))


def rejection_of(reason: str) -> Json:
    """Return the step that rejects a submission; a reason that is too short for Prolific is made longer."""
    message = reason if len(reason) >= SHORTEST_REASON else f"{reason} {LONGER_REASON}".strip()
    return {"action": "REJECT", "message": message, "rejection_category": "OTHER"}


def part_of(offer: Offer, cents: int, reason: str) -> Json:
    """Return the step that approves a submission for a part of the offer's reward."""
    data = {"percentage_of_reward": cents * 100 // offer.reward_cents, "message_to_participant": reason}
    return {"action": "COMPLETE", "completion_code": part_code_of(offer), "completion_code_data": data}


def bonus_list_of(study: str, submission: str, cents: int) -> Json:
    """Return a list of one bonus: 425 cents are written as `4.25`."""
    return {"study_id": study, "csv_bonuses": f"{submission},{cents // 100}.{cents % 100:02d}"}


def _filter(name: str, *groups: str) -> Json:
    return {"filter_id": name, "selected_values": list(groups)}


# --- Answers ---


class ProlificResponse(BaseModel):
    """The fields of an answer that we read; others are ignored."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)


class Created(ProlificResponse):
    id: str


class Balance(ProlificResponse):
    currency_code: str
    available_balance: int
    """In the currency's minor units."""


class Study(ProlificResponse):
    id: str
    status: str
    internal_name: str | None = None


class PublishedTest(ProlificResponse):
    study_id: str


class StudyCost(ProlificResponse):
    total_cost: float
    """In the currency's minor units."""


class PredictedTime(ProlificResponse):
    display_string: str | None = None

    @property
    def in_words(self) -> str:
        return (self.display_string or "")[:LONGEST_TIME]


class RecommendedReward(ProlificResponse):
    min_reward_per_hour: int
    """In the currency's minor units."""
    recommended_reward_per_hour: int


class Amount(ProlificResponse):
    amount: float | None = None
    """In the currency's minor units."""


class Charges(ProlificResponse):
    rewards: Amount | None = None
    """Of bonuses too, the part that participants get."""
    fees: Amount | None = None
    tax: Amount | None = None


class StudyCharges(ProlificResponse):
    rewards: Charges | None = None
    bonuses: Charges | None = None


def whole_cents(amount: Amount | None) -> int:
    return round(amount.amount or 0) if amount else 0


class SubmissionCounts(ProlificResponse):
    """The number of a study's submissions by status."""

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, int | None]
    total: int = Field(alias="TOTAL")

    @property
    def places_taken(self) -> int:
        return sum(self.__pydantic_extra__.get(status) or 0 for status in HOLDS_A_PLACE)


class ListedSubmission(ProlificResponse):
    """A submission in the list of its study."""

    id: str
    participant_id: str
    status: str
    study_code: str | None = None
    completed_at: Annotated[datetime | None, BeforeValidator(lambda written: written or None)] = None


class Submission(ProlificResponse):
    participant: str
    study_id: str
    status: str


class SubmissionBonuses(Submission):
    bonus_payments: list[int]
    """In cents."""


class ParticipantGroup(ProlificResponse):
    id: str
    name: str
    is_deleted: bool | None = None


class Subscription(ProlificResponse):
    id: str
    event_type: str
    target_url: str


class HookSecret(ProlificResponse):
    value: str


class ProlificProblem(ProlificResponse):
    detail: Any


class Refusal(ProlificResponse):
    error: ProlificProblem


class Link(ProlificResponse):
    href: str | None = None


class PageLinks(ProlificResponse):
    next: Link | None = None


Row = TypeVar("Row", bound=ProlificResponse)


class ResponsePage(ProlificResponse, Generic[Row]):
    """One page of a list."""

    results: list[Row]
    links: PageLinks | None = Field(None, alias="_links")

    @property
    def next_query(self) -> dict[str, str] | None:
        """The query of the next page; None: this is the last. The rest of the link is not used, because the token must
        be sent to no address but the one in the settings."""
        link = self.links.next if self.links else None
        return dict(parse_qsl(urlsplit(link.href).query)) if link and link.href else None
