"""Prolific as one of the platforms."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from django.conf import settings
from django.core.cache import cache
from django.urls import reverse

from pipeline.settings_versions import current_settings
from platforms.contract.errors import NothingDoneError, PlatformError, PlatformOffError, RefusedError
from platforms.contract.platform import Bonus, Event, Marketplace, OfferStatus, Published, Seen
from platforms.models import Offer, Payment
from platforms.prolific import NAME
from platforms.prolific.client import Client
from platforms.prolific.fields import study_fields
from platforms.prolific.groups import OUT, PASSED, Groups
from platforms.prolific.money import decide, pay_bonus, was_done
from platforms.prolific.studies import publish_study, standing_of, stop_study
from platforms.prolific.submissions import bonuses_of, sessions_of
from platforms.prolific.subscription import Subscriber

THIS_MACHINE = {"127.0.0.1", "localhost", "::1"}
FEE_PERCENT = 51.4
"""42.8 % for the platform, and the tax on it."""
MOST_PLACES = 10_000
SUBSCRIBED_SECONDS = 3600
"""The platform ends a subscription whose events were not taken for long: so often it is looked after."""


@dataclass(slots=True)
class ProlificPlatform:
    """One workspace. `project`: empty, or the platform's project that studies go into."""

    client: Client
    workspace: str
    project: str = ""
    name: str = NAME

    @property
    def groups(self) -> Groups:
        return Groups(self.client, self.workspace)

    def place(self) -> Marketplace:
        me = self.client.read("/users/me/")
        most = {Offer.Kind.ENTRY.value: MOST_PLACES, Offer.Kind.WORK.value: MOST_PLACES}
        return Marketplace(me["currency_code"], FEE_PERCENT, live=not is_local(self.client.url), most_places=most)

    def balance_cents(self) -> int | None:
        return int(self.client.read(f"/workspaces/{self.workspace}/balance/")["available_balance"])

    def publish(self, offer: Offer) -> Published:
        self._check_currency(offer)
        passed, out = (self.groups.id_of(offer.project_id, offer.task, what) for what in (PASSED, OUT))
        fields = study_fields(offer, passed=passed, out=out, project=self.project)
        return Published(publish_study(self.client, offer, fields))

    def withdraw(self, offer: Offer) -> None:
        stop_study(self.client, offer.external_id)

    def look(self, offer: Offer) -> OfferStatus:
        """Full is not over: a place that is given back is free again."""
        return standing_of(self.client, offer.external_id)

    def sessions(self, offer: Offer) -> Iterator[Seen]:
        return sessions_of(self.client, offer)

    def bonuses(self, offer: Offer) -> Iterator[Bonus]:
        return bonuses_of(self.client, offer)

    def carry_out(self, payment: Payment) -> str:
        if payment.kind != Payment.Kind.BONUS:
            decide(self.client, payment)
            return ""
        self._check_balance(payment.cents)
        return pay_bonus(self.client, payment)

    def was_done(self, payment: Payment) -> bool | None:
        return was_done(self.client, payment)

    def screen(self, *, project_id: int, task: str, passed: dict[str, bool | None]) -> None:
        self.groups.screen(project_id, task, passed)

    def events(self) -> Iterable[Event]:
        """It calls us (hooks.py). While something is open there, we see to it that it does."""
        if Offer.objects.filter(platform=NAME, state=Offer.State.OPEN).exists():
            self._keep_subscribed()
        return ()

    def subscribe(self) -> bool:
        """Have the platform tell us what happens, at once instead of in the next round. False: it cannot reach us."""
        if is_local(settings.ADDRESS) and not is_local(self.client.url):
            return False
        target = f"{settings.ADDRESS}{reverse('platforms:prolific_hook')}"
        Subscriber(self.client, self.workspace, target).subscribe()
        return True

    def hasty(self) -> Self:
        """For pages."""
        return type(self)(self.client.hasty(), self.workspace, self.project)

    def _keep_subscribed(self) -> None:
        mark = f"prolific:subscribed:{self.workspace}"
        if cache.add(mark, True, SUBSCRIBED_SECONDS):
            try:
                self.subscribe()
            except PlatformError:
                cache.delete(mark)
                raise

    def _check_currency(self, offer: Offer) -> None:
        """An amount of another currency would be another amount."""
        theirs, ours = self.place().currency, current_settings(offer.project_id)[1].currency
        if theirs != ours:
            raise RefusedError(f"The account on Prolific is in {theirs}, the project in {ours}.")

    def _check_balance(self, cents: int) -> None:
        """Too little money is no refusal for good."""
        there, needed = self.balance_cents(), round(cents * (1 + FEE_PERCENT / 100))
        if there is not None and there < needed:
            raise NothingDoneError(f"The balance is too low for this bonus: {there} cents, and about {needed} needed.")


def is_local(address: str) -> bool:
    return urlsplit(address).hostname in THIS_MACHINE


def from_settings() -> ProlificPlatform:
    """PlatformOffError says what is missing."""
    if not settings.PROLIFIC_TOKEN:
        raise PlatformOffError("Prolific is not set up: PROLIFIC_TOKEN is empty.")
    if not settings.PROLIFIC_WORKSPACE:
        raise PlatformOffError("Prolific is not set up: PROLIFIC_WORKSPACE is empty.")
    if not settings.PROLIFIC_API_URL.startswith("https://") and not is_local(settings.PROLIFIC_API_URL):
        raise PlatformOffError("PROLIFIC_API_URL must begin with https://.")
    client = Client(settings.PROLIFIC_API_URL, settings.PROLIFIC_TOKEN)
    return ProlificPlatform(client, settings.PROLIFIC_WORKSPACE, settings.PROLIFIC_PROJECT)
