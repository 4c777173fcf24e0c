"""Prolific behind the interface of a platform."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from django.conf import settings
from django.core.cache import cache
from django.urls import reverse

from pipeline.project.settings_versions import current_settings
from platforms.contract.errors import NothingDoneError, PlatformError, PlatformOffError, RefusedError
from platforms.contract.platform import (
    Bonus,
    ListedSession,
    Marketplace,
    OfferCharge,
    OfferEvent,
    OfferStatus,
    Published,
    RecommendedPay,
)
from platforms.models import Offer, Payment, Session
from platforms.prolific import NAME, check_set_up
from platforms.prolific.client import Client
from platforms.prolific.studies import (
    EXCLUDED,
    PASSED,
    Groups,
    charged_for,
    find_study,
    make_study,
    predicted_time,
    predicted_time_of,
    publish_study,
    publish_test,
    recommended_pay,
    status_of_study,
    stop_study,
    study_cost,
)
from platforms.prolific.submissions import bonuses_of, pay_bonus, request_return, send_decision, sessions_of, was_done
from platforms.prolific.web_hooks import Subscriber
from platforms.prolific.wire_format import Balance, study_of, unmade_study_of

THIS_MACHINE = {"127.0.0.1", "localhost", "::1"}
FEE_PERCENT = 51.4
"""42.8 %, and the tax on it."""
MOST_PLACES = 10_000
SUBSCRIBED_SECONDS = 3600
"""Seconds between two checks of the subscription, which Prolific ends if its events fail for long."""


@dataclass(slots=True)
class ProlificPlatform:
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
        return recommended_pay(self.client, self.workspace, self._balance().currency_code)

    def predicted_time(self, offer: Offer) -> str:
        return predicted_time(self.client, unmade_study_of(offer, self.workspace))

    def publish(self, offer: Offer) -> Published:
        # A second POST would make a second study, so a later try first searches for the study by its internal name.
        study = find_study(self.client, offer.key) if offer.tries > 1 else None
        is_test = offer.kind == Offer.Kind.TEST
        if study is None:
            if not is_test:
                self._check_account(offer)
            passed, out = (self.groups.id_of(offer.project_id, offer.task, what) for what in (PASSED, EXCLUDED))
            study = make_study(self.client, study_of(offer, passed=passed, out=out, project=self.project))
        if is_test:
            return Published(publish_test(self.client, study))
        recruited_in = predicted_time_of(self.client, study)
        publish_study(self.client, study)
        return Published(study.id, recruited_in=recruited_in)

    def withdraw(self, offer: Offer) -> None:
        stop_study(self.client, offer.external_id)

    def offer_status(self, offer: Offer) -> OfferStatus:
        return status_of_study(self.client, offer.external_id)

    def sessions(self, offer: Offer) -> Iterator[ListedSession]:
        return sessions_of(self.client, offer)

    def bonuses(self, offer: Offer) -> Iterator[Bonus]:
        return bonuses_of(self.client, offer)

    def cost(self, offer: Offer) -> OfferCharge | None:
        return charged_for(self.client, offer.external_id)

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
        cost, available = study_cost(self.client, offer), balance.available_balance
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


def from_settings() -> ProlificPlatform:
    """Return the platform. Raises PlatformOffError, which says what is missing in the settings."""
    check_set_up()
    if not settings.PROLIFIC_API_URL.startswith("https://") and not is_local(settings.PROLIFIC_API_URL):
        raise PlatformOffError("PROLIFIC_API_URL must begin with https://.")
    client = Client(settings.PROLIFIC_API_URL, settings.PROLIFIC_TOKEN)
    return ProlificPlatform(client, settings.PROLIFIC_WORKSPACE, settings.PROLIFIC_PROJECT)
