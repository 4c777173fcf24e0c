"""Studies: each made once under a name of ours, published, looked up and stopped; and the groups that see them."""

from dataclasses import dataclass
from math import ceil

from django.conf import settings
from django.utils.crypto import salted_hmac
from pydantic import TypeAdapter

from platforms.contract.errors import PlatformError, RefusedError
from platforms.contract.platform import OfferCharge, OfferStatus, RecommendedPay
from platforms.models import Counterpart, Offer
from platforms.prolific import NAME
from platforms.prolific.client import Client, parse
from platforms.prolific.wire_format import (
    Created,
    Json,
    ParticipantGroup,
    PredictedTime,
    PublishedTest,
    RecommendedReward,
    Study,
    StudyCharges,
    StudyCost,
    SubmissionCounts,
    whole_cents,
)

RECOMMENDATIONS = TypeAdapter(list[RecommendedReward])
UNPUBLISHED = "UNPUBLISHED"
OPEN = frozenset({"SCHEDULED", "PUBLISHING", "ACTIVE", "PAUSED", "AWAITING REVIEW"})
"""A study without free places waits for review, and is active again when a place becomes free."""
HAS_PLACES = frozenset({"SCHEDULED", "PUBLISHING", "ACTIVE", "PAUSED"})


def study_cost(client: Client, offer: Offer) -> int:
    """Return the cents that all places of an offer cost, with fee and tax."""
    places = {"reward": offer.reward_cents, "total_available_places": offer.places}
    return ceil(parse(client.send("POST", "/study-cost-calculator/", places), StudyCost).total_cost)


def charged_for(client: Client, study: str) -> OfferCharge:
    """Return what Prolific has charged for a study."""
    charged = client.read(f"/studies/{study}/cost/", StudyCharges)
    parts = [part for part in (charged.rewards, charged.bonuses) if part]
    fees = sum(whole_cents(part.fees) + whole_cents(part.tax) for part in parts)
    return OfferCharge(paid=sum(whole_cents(part.rewards) for part in parts), fees=fees)


def recommended_pay(client: Client, workspace: str, currency: str) -> RecommendedPay | None:
    """Return the pay that Prolific recommends now, which comes first of all that it ever recommended."""
    answer = client.send("GET", "/reward-recommendations/", workspace_id=workspace, currency=currency)
    try:
        newest, *_ = RECOMMENDATIONS.validate_json(answer.content)
    except ValueError:  # an empty list, or none
        return None
    return RecommendedPay(newest.min_reward_per_hour, newest.recommended_reward_per_hour)


def predicted_time(client: Client, unmade: Json) -> str:
    """Return the time after which all places would be taken if the study were published now; empty: unknown."""
    return parse(client.send("POST", "/studies/predicted-recruitment-time/", unmade), PredictedTime).in_words


def predicted_time_of(client: Client, study: Study) -> str:
    """Return the same of a draft. A study is published without the prediction, too."""
    try:
        return client.read(f"/studies/{study.id}/predicted-recruitment-time/", PredictedTime).in_words
    except PlatformError:
        return ""


def make_study(client: Client, fields: Json) -> Study:
    """Make a draft."""
    return parse(client.send_once("POST", "/studies/", fields), Study)


def find_study(client: Client, internal_name: str) -> Study | None:
    """Return the study of this name; a published one comes before a draft, which takes no participants."""
    found = [study for study in client.rows("/studies/", Study) if study.internal_name == internal_name]
    return min(found, key=lambda study: study.status == UNPUBLISHED, default=None)


def stop_study(client: Client, study: str) -> None:
    path = f"/studies/{study}/"
    if client.read(path, Study).status not in OPEN:
        return
    try:
        client.send("POST", f"{path}transition/", {"action": "STOP"})
    except RefusedError:
        if client.read(path, Study).status in HAS_PLACES:
            raise


def status_of_study(client: Client, study: str) -> OfferStatus:
    """Return whether the study is open. A full study is: a place that is given back becomes free again."""
    status = client.read(f"/studies/{study}/", Study).status
    counts = client.read(f"/studies/{study}/submissions/counts/", SubmissionCounts)
    return OfferStatus(open=status in OPEN, taken=counts.places_taken)


def publish_study(client: Client, study: Study) -> None:
    """Publish a draft; a refused one is deleted. Does nothing if the study is published."""
    if study.status != UNPUBLISHED:
        return
    try:
        client.send("POST", f"/studies/{study.id}/transition/", {"action": "PUBLISH"})
    except RefusedError as refused:
        # A repetition after a lost answer is refused too, although the study is published.
        if client.read(f"/studies/{study.id}/", Study).status == UNPUBLISHED:
            _delete_draft(client, study.id)
            raise refused from None


def publish_test(client: Client, study: Study) -> str:
    """Publish a copy of a draft to the workspace's test participants. Returns the id of the copy."""
    if study.status != UNPUBLISHED:  # it is the copy, which has the draft's internal name
        return study.id
    try:
        return parse(client.send_once("POST", f"/studies/{study.id}/test-study"), PublishedTest).study_id
    except RefusedError:
        _delete_draft(client, study.id)
        raise


def _delete_draft(client: Client, draft: str) -> None:
    """Delete a draft if possible; one that stays only clutters the requester's list."""
    try:
        client.send_once("DELETE", f"/studies/{draft}/")
    except PlatformError:
        return


PASSED, EXCLUDED = "passed", "out"


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of one workspace. A group is made when it is first needed, and its id is kept."""

    client: Client
    workspace: str

    def id_of(self, project_id: int, task: str, what: str) -> str:
        name = f"group {self.workspace} {project_id} {task} {what}"
        known = Counterpart.objects.filter(platform=NAME, name=name).first()
        if known is None:
            made = self._find_or_make(f"Chainbox {_mark()}: {project_id} {task} {what}")
            known, _ = Counterpart.objects.get_or_create(platform=NAME, name=name, defaults={"external_id": made})
        return known.external_id

    def screen(self, project_id: int, task: str, passed: dict[str, bool | None]) -> None:
        """Put participants who passed into one group, those who may not work into the other, newcomers into none."""
        for what, result in ((PASSED, True), (EXCLUDED, False)):
            group = self.id_of(project_id, task, what)
            self._change("POST", group, [who for who, has_passed in passed.items() if has_passed is result])
            self._change("DELETE", group, [who for who, has_passed in passed.items() if has_passed is not result])

    def _change(self, method: str, group: str, participants: list[str]) -> None:
        """Add or remove participants. To add a member, or to remove a stranger, changes nothing."""
        if participants:
            path = f"/participant-groups/{group}/participants/"
            self.client.send(method, path, {"participant_ids": participants})

    def _find_or_make(self, name: str) -> str:
        for group in self.client.rows("/participant-groups/", ParticipantGroup, workspace_id=self.workspace):
            if group.name == name and not group.is_deleted:
                return group.id
        body = {"name": name, "workspace_id": self.workspace}
        return parse(self.client.send_once("POST", "/participant-groups/", body), Created).id


def _mark() -> str:
    """Return a mark of this service, because another one that shares the workspace numbers its projects alike."""
    return salted_hmac("prolific.groups", settings.ADDRESS, algorithm="sha256").hexdigest()[:8]
