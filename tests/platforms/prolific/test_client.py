"""The ends of a call: done, refused, certainly not done, or unknown."""

from collections.abc import Iterator
from typing import Any

import pytest

from platforms.errors import NothingDoneError, PlatformError, PlatformOffError, RefusedError, UnsureError
from platforms.prolific.client import Client, ThrottledError
from platforms.prolific.platform import ProlificPlatform, prolific_platform
from platforms.prolific.wire_format import Balance, Study, SubmissionCounts
from tests.support.table import row
from tests.support.web_server import Answering
from tests.twins.prolific import ProlificTwin

NOBODY = "http://127.0.0.1:9"
"""Nobody listens there."""
BALANCE = "/workspaces/*/balance/"


class Speaker(Answering):
    """Answers every call with the same status and body."""

    def __init__(self) -> None:
        super().__init__(lambda path, headers: (self.status, self.body, {}))
        self.status, self.body = 200, b""

    @property
    def client(self) -> Client:
        return Client(self.url, "token", seconds=20, tries=2, first_pause=0.0)


@pytest.fixture
def speaker() -> Iterator[Speaker]:
    with Speaker() as running:
        yield running


def test_an_answer_without_end_ends_a_call(speaker: Speaker, monkeypatch: pytest.MonkeyPatch) -> None:
    speaker.body = b'{"results": [' + b" " * 5_000
    monkeypatch.setattr("platforms.prolific.client.MOST_BYTES", 4_999)
    with pytest.raises(UnsureError, match="has no end"):
        speaker.client.send_once("GET", "/studies/")
    monkeypatch.setattr("platforms.prolific.client.MOST_BYTES", 50_000)
    monkeypatch.setattr("platforms.prolific.client.WHOLE_TIMES", -1)
    with pytest.raises(UnsureError, match="has no end"):
        speaker.client.send_once("GET", "/studies/")


@row(400, RefusedError)
@row(401, NothingDoneError)
@row(403, NothingDoneError)
@row(404, RefusedError)
@row(409, RefusedError)
@row(429, ThrottledError)
@row(500, UnsureError)
@row(502, UnsureError)
@row(301, RefusedError)
def test_each_status_ends_a_call_in_one_way(status: int, ends: type[PlatformError], speaker: Speaker) -> None:
    speaker.status = status
    with pytest.raises(PlatformError) as raised:
        speaker.client.send_once("POST", "/studies/")
    assert raised.type is ends


@row(b'{"error": {"detail": {"reward": ["Too little.", "Too odd."]}}}', "reward: Too little. Too odd.")
@row(b'{"error": {"detail": "No."}}', "No.")
@row(b'{"error": {"detail": ["No.", "Never."]}}', "No. Never.")
@row(b"<html>", "refused with status 400.")
def test_a_refusal_is_shown_in_the_platforms_words(body: bytes, words: str, speaker: Speaker) -> None:
    speaker.status, speaker.body = 400, body
    with pytest.raises(RefusedError) as raised:
        speaker.client.send("POST", "/studies/")
    assert str(raised.value) == f"Prolific: {words}"


@pytest.mark.parametrize("body", [b"<html>This hotel's network</html>", b"{}", b"[]", b'{"currency_code": null}'])
def test_an_answer_that_cannot_be_read_leaves_us_unsure(speaker: Speaker, body: bytes) -> None:
    speaker.body = body
    with pytest.raises(UnsureError, match="cannot be read"):
        speaker.client.read(BALANCE, Balance)


@row(b'{"id": 1, "status": "ACTIVE"}', "x/?page=2")
@row(b"", "")
def test_pages_that_lead_round_in_a_circle_come_to_an_end(found: bytes, after: str, speaker: Speaker) -> None:
    after = f"https://elsewhere.example/{after}"
    speaker.body = b'{"results": [%b], "_links": {"next": {"href": "%b"}}}' % (found, after.encode())
    with pytest.raises(PlatformError, match="circle"):
        list(speaker.client.rows("/studies/", Study))


def test_a_status_without_submissions_may_be_missing_or_null(speaker: Speaker) -> None:
    speaker.body = b'{"ACTIVE": 2, "RESERVED": null, "RETURNED": 4, "APPROVED": 1, "TOTAL": 7}'
    assert speaker.client.read("/studies/s/submissions/counts/", SubmissionCounts).places_taken == 3


def test_where_nobody_listens_nothing_was_done() -> None:
    with pytest.raises(NothingDoneError):
        Client(NOBODY, "token").send_once("POST", "/studies/")


def test_a_harmless_call_is_repeated_until_it_is_answered(twin: ProlificTwin, prolific: ProlificPlatform) -> None:
    twin.fail("GET", BALANCE, times=prolific.client.tries - 1)
    assert prolific.marketplace().currency == "USD"


def test_a_harmless_call_that_fails_in_every_try_fails(twin: ProlificTwin, prolific: ProlificPlatform) -> None:
    twin.fail("GET", BALANCE, times=prolific.client.tries)
    with pytest.raises(UnsureError):
        prolific.marketplace()
    assert prolific.marketplace().currency == "USD"


def test_any_other_call_is_sent_once(twin: ProlificTwin, prolific: ProlificPlatform) -> None:
    twin.fail("GET", BALANCE)
    with pytest.raises(UnsureError):
        prolific.client.send_once("GET", BALANCE)


def test_the_pauses_between_tries_grow_and_a_page_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(NOBODY, "token")
    for caller, pauses in ((client, [0.5, 2.0]), (client.for_pages(), [0.5])):
        slept: list[float] = []
        monkeypatch.setattr("tenacity.nap.time.sleep", slept.append)
        with pytest.raises(NothingDoneError):
            caller.send("GET", BALANCE)
        assert slept == pauses


def test_the_twin_has_a_currency_and_a_balance_and_moves_no_real_money() -> None:
    with ProlificTwin(currency="USD", balance=777) as twin:
        platform = ProlificPlatform(Client(twin.url, twin.token), twin.workspace)
        place = platform.marketplace()
        assert (place.currency, place.live, platform.balance_cents()) == ("USD", False, 777)


@row({"PROLIFIC_TOKEN": ""}, "PROLIFIC_TOKEN is empty")
@row({"PROLIFIC_WORKSPACE": ""}, "PROLIFIC_WORKSPACE is empty")
@row({"PROLIFIC_API_URL": "http://api.example.org"}, "https")
def test_a_platform_that_is_not_set_up_names_what_is_missing(changes: dict[str, str], why: str, settings: Any) -> None:
    whole = {"PROLIFIC_TOKEN": "t", "PROLIFIC_WORKSPACE": "w", "PROLIFIC_API_URL": "https://api.example.org"}
    for name, value in (whole | changes).items():
        setattr(settings, name, value)
    with pytest.raises(PlatformOffError, match=why):
        prolific_platform()


def test_a_real_address_is_live_and_cannot_call_a_service_on_this_machine(settings: Any) -> None:
    settings.PROLIFIC_TOKEN, settings.PROLIFIC_WORKSPACE = "t", "w"
    settings.PROLIFIC_API_URL = "https://api.example.org"
    assert not prolific_platform().subscribe()
