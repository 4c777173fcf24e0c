"""The twin of Prolific keeps the platform's rules; docs/why/platforms_unverified.md says which are guessed.

That it does the rest as documented, the tests of the platform prove, which run on it.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import httpx
import pytest

from tests.support.services import PATIENCE
from tests.support.table import row
from tests.twins.prolific.twin import ProlificTwin
from tests.twins.prolific.wire import Refusal

REVIEW = "LOOK1"
"""The code of the sample study."""
REASON = "Every answer of this submission was the same word, and the three questions that check attention failed too."
STUDY = {
    "name": "Boxes",
    "description": "Draw boxes.",
    "external_study_url": "https://chainbox.example/join?pid={{%PROLIFIC_PID%}}&study={{%STUDY_ID%}}&s={{%SESSION_ID%}}",
    "prolific_id_option": "url_parameters",
    "completion_codes": [{"code": REVIEW, "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]}],
    "total_available_places": 2, "estimated_completion_time": 5, "reward": 100,
}  # fmt: skip
"""The fields of a draft with two places, 5 minutes, 100 pence."""


class Researcher:
    """Calls the API with the token."""

    def __init__(self, twin: ProlificTwin, client: httpx.Client) -> None:
        self.twin, self._client = twin, client

    def call(self, method: str, path: str, body: Any = None) -> httpx.Response:
        return self._client.request(method, self.twin.url + path, json=body)

    def done(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of a call that must succeed."""
        answer = self.call(method, path, body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def refused(self, method: str, path: str, body: Any = None) -> str:
        """The `detail` of a call that must be refused with 400."""
        answer = self.call(method, path, body)
        assert answer.status_code == 400, answer.text
        return str(answer.json()["error"]["detail"])

    def live_study(self, **changes: Any) -> str:
        """The id of a published study."""
        made = self.done("POST", "/studies/", STUDY | changes)
        self.done("POST", f"/studies/{made['id']}/transition/", {"action": "PUBLISH"})
        return str(made["id"])


@pytest.fixture
def researcher() -> Iterator[Researcher]:
    """A client of a running twin with 100 pounds and a fee of 30 percent."""
    with ProlificTwin(balance=10_000, fee_percent=Decimal(30)) as twin:
        headers = {"Authorization": f"Token {twin.token}"}
        with httpx.Client(headers=headers, timeout=PATIENCE) as client:
            yield Researcher(twin, client)


@pytest.fixture
def twin(researcher: Researcher) -> ProlificTwin:
    return researcher.twin


def waiting(twin: ProlificTwin, study_id: str, code: str = REVIEW) -> str:
    """The submission of someone new, which waits for review."""
    someone = twin.participant()
    someone.start(study_id)
    return someone.complete(code).id


def test_a_call_without_the_token_is_refused(twin: ProlificTwin, researcher: Researcher) -> None:
    answer = httpx.get(f"{twin.url}/users/me/", headers={"Authorization": "Token wrong"})
    assert (answer.status_code, answer.json()["error"]["status"]) == (401, 401)
    assert researcher.done("GET", "/users/me/")["balance"] == 10_000


@row({"reward": 0}, "reward")
@row({"external_study_url": "https://x.example"}, "external_study_url")
@row({"rewrad": 1}, "rewrad")
@row({"filters": [{"filter_id": "participant_group_allowlist", "selected_values": ["unknown"]}]}, "unknown")
@row({"completion_codes": [{"code": REVIEW, "code_type": "COMPLETED", "actions": []}] * 2}, "completion_codes")
def test_a_draft_says_which_fields_are_missing_or_wrong(wrong: Any, said: str, researcher: Researcher) -> None:
    assert said in researcher.refused("POST", "/studies/", STUDY | wrong)
    missing = researcher.refused("POST", "/studies/", {"name": "Boxes"})
    assert "reward" in missing and "completion_codes" in missing


def test_a_browser_is_led_into_the_study_and_thanked_at_the_end(twin: ProlificTwin, researcher: Researcher):
    key = researcher.live_study()
    someone = twin.participant()
    with httpx.Client() as browser:
        assert f"/studies/{key}/" in browser.get(someone.page).text
        entered = browser.get(someone.page_of(key))
        assert entered.status_code == 302
        assert someone.id in entered.headers["Location"]
        thanks = browser.get(f"{twin.site}/submissions/complete", params={"cc": REVIEW})
    assert "AWAITING REVIEW" in thanks.text


def test_places_are_limited_and_nobody_takes_part_twice(twin: ProlificTwin, researcher: Researcher) -> None:
    key = researcher.live_study()
    first, second = twin.participant(), twin.participant()
    first.start(key)
    first.complete(REVIEW)
    with pytest.raises(Refusal, match="taken part in this study already"):
        first.reserve(key)
    second.reserve(key)
    with pytest.raises(Refusal, match="All places"):
        twin.participant().reserve(key)
    twin.clock.forward(minutes=11)  # a reservation times out and frees its place
    twin.participant().reserve(key)


def test_a_rejection_needs_a_long_message_and_a_category(twin: ProlificTwin, researcher: Researcher) -> None:
    path = f"/submissions/{waiting(twin, researcher.live_study())}/transition/"
    assert "message" in researcher.refused("POST", path, {"action": "REJECT", "message": "Bad."})
    assert "rejection_category" in researcher.refused("POST", path, {"action": "REJECT", "message": REASON})
    said = {"action": "REJECT", "message": REASON, "rejection_category": "LOW_EFFORT"}
    assert researcher.done("POST", path, said)["status"] == "REJECTED"
    assert "not possible" in researcher.refused("POST", path, {"action": "APPROVE"})


def test_nothing_is_sent_before_a_subscription_is_confirmed(twin: ProlificTwin, researcher: Researcher) -> None:
    workspace = {"workspace_id": twin.workspace}
    body = workspace | {"event_type": "submission.status.change", "target_url": "https://chainbox.example/events/"}
    assert "secret" in researcher.refused("POST", "/hooks/subscriptions/", body)
    researcher.done("POST", "/hooks/secrets/", workspace)
    given = researcher.call("POST", "/hooks/subscriptions/", body)
    path = f"/hooks/subscriptions/{given.json()['id']}/"
    assert "secret" in researcher.refused("POST", path, {"secret": "guessed"})
    twin.participant().reserve(researcher.live_study())
    assert twin.pending_events() == []
    researcher.done("POST", path, {"secret": given.headers["X-Hook-Secret"]})
    submission = waiting(twin, researcher.live_study())
    told = [(one.payload["resource_id"], one.payload["status"]) for one in twin.pending_events()]
    assert told == [(submission, status) for status in ("RESERVED", "ACTIVE", "AWAITING REVIEW")]
