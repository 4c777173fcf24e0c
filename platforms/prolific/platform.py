"""Prolific behind the interface of a platform."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from typing import Self
from urllib.parse import urlsplit

from django.conf import settings
from django.core.cache import cache
from django.urls import reverse
from django.utils.crypto import salted_hmac
from pydantic import TypeAdapter

from pipeline.project.settings_versions import current_settings
from platforms.contract import (
    Bonus,
    ListedSession,
    Marketplace,
    OfferCharge,
    OfferEvent,
    OfferStatus,
    Platform,
    Published,
    RecommendedPay,
)
from platforms.errors import NothingDoneError, PlatformError, PlatformOffError, RefusedError
from platforms.models import Counterpart, Offer, Payment, Session
from platforms.prolific import NAME, check_prolific
from platforms.prolific.client import Client, parse
from platforms.prolific.submissions import bonuses_of, pay_bonus, request_return, send_decision, sessions_of, was_done
from platforms.prolific.web_hooks import Subscriber
from platforms.prolific.wire_format import (
    Balance,
    Created,
    ParticipantGroup,
    PredictedTime,
    PublishedTest,
    RecommendedReward,
    Study,
    StudyCharges,
    StudyCost,
    SubmissionCounts,
    study_of,
    unmade_study_of,
    whole_cents,
)

RECOMMENDATIONS = TypeAdapter(list[RecommendedReward])
UNPUBLISHED = "UNPUBLISHED"
OPEN = frozenset({"SCHEDULED", "PUBLISHING", "ACTIVE", "PAUSED", "AWAITING REVIEW"})
"""A study without free places waits for review, and is active again when a place becomes free."""
HAS_PLACES = frozenset({"SCHEDULED", "PUBLISHING", "ACTIVE", "PAUSED"})


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


THIS_MACHINE = {"127.0.0.1", "localhost", "::1"}
FEE_PERCENT = 51.4
"""42.8 %, and the tax on it."""
MOST_PLACES = 10_000
SUBSCRIBED_SECONDS = 3600
"""Seconds between two checks of the subscription, which Prolific ends if its events fail for long."""


@dataclass(slots=True)
class ProlificPlatform(Platform):
    """One workspace. `project`: Prolific's project for the studies, or empty."""

    client: Client
    workspace: str
    project: str = ""
    name: str = NAME
    has_trials: bool = True

    @property
    def pays_parts(self) -> bool:
        return bool(settings.PROLIFIC_PAYS_PARTS)

    @property
    def groups(self) -> Groups:
        return Groups(self.client, self.workspace)

    def marketplace(self) -> Marketplace:
        most = {Offer.Kind.ENTRY.value: MOST_PLACES, Offer.Kind.WORK.value: MOST_PLACES}
        return Marketplace(
            self._balance().currency_code, FEE_PERCENT, live=not is_local(self.client.url), most_places=most
        )

    def balance_cents(self) -> int | None:
        return self._balance().available_balance

    def add_test_participant(self, email: str) -> None:
        self.client.send_once("POST", "/researchers/participants/", {"email": email})

    def recommended_pay(self) -> RecommendedPay | None:
        """Return the pay that Prolific recommends now, which comes first of all that it ever recommended."""
        currency = self._balance().currency_code
        answer = self.client.send("GET", "/reward-recommendations/", workspace_id=self.workspace, currency=currency)
        try:
            newest, *_ = RECOMMENDATIONS.validate_json(answer.content)
        except ValueError:  # an empty list, or none
            return None
        return RecommendedPay(newest.min_reward_per_hour, newest.recommended_reward_per_hour)

    def predicted_time(self, offer: Offer) -> str:
        unmade = unmade_study_of(offer, self.workspace)
        return parse(self.client.send("POST", "/studies/predicted-recruitment-time/", unmade), PredictedTime).in_words

    def publish(self, offer: Offer) -> Published:
        # A second POST would make a second study, so a later try first searches for the study by its internal name.
        study = self._find_study(offer.key) if offer.tries > 1 else None
        is_test = offer.kind == Offer.Kind.TEST
        if study is None:
            if not is_test:
                self._check_account(offer)
            passed, out = (self.groups.id_of(offer.project_id, offer.task, what) for what in (PASSED, EXCLUDED))
            draft = study_of(offer, passed=passed, out=out, project=self.project)
            study = parse(self.client.send_once("POST", "/studies/", draft), Study)
        if is_test:
            return Published(self._publish_test(study))
        try:
            recruited_in = self.client.read(f"/studies/{study.id}/predicted-recruitment-time/", PredictedTime).in_words
        except PlatformError:  # a study is published without the prediction, too
            recruited_in = ""
        self._publish_study(study)
        return Published(study.id, recruited_in=recruited_in)

    def withdraw(self, offer: Offer) -> None:
        path = f"/studies/{offer.external_id}/"
        if self.client.read(path, Study).status not in OPEN:
            return
        try:
            self.client.send("POST", f"{path}transition/", {"action": "STOP"})
        except RefusedError:
            if self.client.read(path, Study).status in HAS_PLACES:
                raise

    def offer_status(self, offer: Offer) -> OfferStatus:
        """Return whether the study is open. A full study is: a place that is given back becomes free again."""
        status = self.client.read(f"/studies/{offer.external_id}/", Study).status
        counts = self.client.read(f"/studies/{offer.external_id}/submissions/counts/", SubmissionCounts)
        return OfferStatus(open=status in OPEN, taken=counts.places_taken)

    def sessions(self, offer: Offer) -> Iterator[ListedSession]:
        return sessions_of(self.client, offer)

    def bonuses(self, offer: Offer) -> Iterator[Bonus]:
        return bonuses_of(self.client, offer)

    def cost(self, offer: Offer) -> OfferCharge | None:
        charged = self.client.read(f"/studies/{offer.external_id}/cost/", StudyCharges)
        parts = [part for part in (charged.rewards, charged.bonuses) if part]
        fees = sum(whole_cents(part.fees) + whole_cents(part.tax) for part in parts)
        return OfferCharge(paid=sum(whole_cents(part.rewards) for part in parts), fees=fees)

    def send_payment(self, payment: Payment) -> str:
        if payment.kind != Payment.Kind.BONUS:
            send_decision(self.client, payment)
            return ""
        self._check_balance(payment.cents)
        return pay_bonus(self.client, payment)

    def was_done(self, payment: Payment) -> bool | None:
        return was_done(self.client, payment)

    def request_return(self, session: Session, reason: str) -> None:
        request_return(self.client, session.external_id, reason)

    def screen(self, *, project_id: int, task: str, passed: dict[str, bool | None]) -> None:
        self.groups.screen(project_id, task, passed)

    def events(self) -> Iterable[OfferEvent]:
        """Return nothing, because Prolific calls our web hook. Keeps the subscription alive while an offer is open."""
        if Offer.objects.filter(platform=NAME, state=Offer.State.OPEN).exists():
            self._keep_subscribed()
        return ()

    def subscribe(self) -> bool:
        """Subscribe to events, so that rounds come sooner. Returns False if Prolific cannot reach this service."""
        if is_local(settings.ADDRESS) and not is_local(self.client.url):
            return False
        target = f"{settings.ADDRESS}{reverse('platforms:prolific_hook')}"
        Subscriber(self.client, self.workspace, target).subscribe()
        return True

    def for_pages(self) -> Self:
        """Return the platform with a client that gives up sooner."""
        return type(self)(self.client.for_pages(), self.workspace, self.project)

    def _find_study(self, internal_name: str) -> Study | None:
        """Return the study of this name; a published one comes before a draft, which takes no participants."""
        found = [study for study in self.client.rows("/studies/", Study) if study.internal_name == internal_name]
        return min(found, key=lambda study: study.status == UNPUBLISHED, default=None)

    def _publish_study(self, study: Study) -> None:
        """Publish a draft; a refused one is deleted. Does nothing if the study is published."""
        if study.status != UNPUBLISHED:
            return
        try:
            self.client.send("POST", f"/studies/{study.id}/transition/", {"action": "PUBLISH"})
        except RefusedError as refused:
            # A repetition after a lost answer is refused too, although the study is published.
            if self.client.read(f"/studies/{study.id}/", Study).status == UNPUBLISHED:
                self._delete_draft(study)
                raise refused from None

    def _publish_test(self, study: Study) -> str:
        """Publish a copy of a draft to the workspace's test participants. Returns the id of the copy."""
        if study.status != UNPUBLISHED:  # it is the copy, which has the draft's internal name
            return study.id
        try:
            return parse(self.client.send_once("POST", f"/studies/{study.id}/test-study"), PublishedTest).study_id
        except RefusedError:
            self._delete_draft(study)
            raise

    def _delete_draft(self, study: Study) -> None:
        """Delete a draft if possible; one that stays only clutters the requester's list."""
        with suppress(PlatformError):
            self.client.send_once("DELETE", f"/studies/{study.id}/")

    def _balance(self) -> Balance:
        return self.client.read(f"/workspaces/{self.workspace}/balance/", Balance)

    def _keep_subscribed(self) -> None:
        checked = f"prolific:subscribed:{self.workspace}"
        if cache.add(checked, True, SUBSCRIBED_SECONDS):
            try:
                self.subscribe()
            except PlatformError:
                cache.delete(checked)
                raise

    def _check_account(self, offer: Offer) -> None:
        """Raise RefusedError if the account has another currency than the project, or too little money for the offer.

        Costs are those of Prolific's calculator, with the account's own fee and tax.
        """
        balance, ours = self._balance(), current_settings(offer.project_id)[1].currency
        if balance.currency_code != ours:
            raise RefusedError(f"The account on Prolific is in {balance.currency_code}, the project in {ours}.")
        places = {"reward": offer.reward_cents, "total_available_places": offer.places}
        cost = ceil(parse(self.client.send("POST", "/study-cost-calculator/", places), StudyCost).total_cost)
        available = balance.available_balance
        if cost > available:
            raise RefusedError(
                f"The balance is too low for this study: it is {available} cents, and {cost} are needed."
            )

    def _check_balance(self, cents: int) -> None:
        """Raise NothingDoneError if the balance is too low: unlike a refusal, the payment is tried again."""
        balance, needed = self.balance_cents(), round(cents * (1 + FEE_PERCENT / 100))
        if balance is not None and balance < needed:
            raise NothingDoneError(
                f"The balance is too low for this bonus: it is {balance} cents, and about {needed} are needed."
            )


def is_local(address: str) -> bool:
    return urlsplit(address).hostname in THIS_MACHINE


def prolific_platform() -> ProlificPlatform:
    """Return the platform. Raises PlatformOffError, which says what is missing in the settings."""
    check_prolific()
    if not settings.PROLIFIC_API_URL.startswith("https://") and not is_local(settings.PROLIFIC_API_URL):
        raise PlatformOffError("PROLIFIC_API_URL must begin with https://.")
    client = Client(settings.PROLIFIC_API_URL, settings.PROLIFIC_TOKEN)
    return ProlificPlatform(client, settings.PROLIFIC_WORKSPACE, settings.PROLIFIC_PROJECT)
