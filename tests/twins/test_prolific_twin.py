"""A researcher's client and a study, for tests.
The twin of Prolific keeps the platform's rules; docs/why/platforms_unverified.md says which are guessed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import httpx
import pytest

from tests.support.services import PATIENCE
from tests.twins.prolific.twin import ProlificTwin
from tests.twins.prolific.wire import Refusal

REVIEW = "LOOK1"
"""The code of the sample study."""
REASON = "Every answer of this submission was the same word, and the three questions that check attention failed too."


class Researcher:
    """Calls the API with the token. Each call gives the answer as it came."""

    def __init__(self, twin: ProlificTwin) -> None:
        self.twin = twin
        self._client = httpx.Client(headers={"Authorization": f"Token {twin.token}"}, timeout=PATIENCE)

    def close(self) -> None:
        self._client.close()

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> httpx.Response:
        return self._client.request(method, self.twin.url + path, json=body, params=query)

    def done(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """The JSON of a call that must succeed."""
        answer = self.call(method, path, body, **query)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def refused(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """The `detail` of a call that must be refused with 400."""
        answer = self.call(method, path, body, **query)
        assert answer.status_code == 400, answer.text
        return answer.json()["error"]["detail"]

    def live_study(self, **changes: Any) -> str:
        """The id of a published study."""
        made = self.done("POST", "/studies/", study(**changes))
        self.done("POST", f"/studies/{made['id']}/transition/", {"action": "PUBLISH"})
        return str(made["id"])

    def status(self, study: str) -> str:
        return str(self.done("GET", f"/studies/{study}/")["status"])

    def balance(self) -> tuple[int, int]:
        """In all, and available."""
        money = self.done("GET", f"/workspaces/{self.twin.workspace}/balance/")
        return money["total_balance"], money["available_balance"]


@contextmanager
def a_researcher(*, pays_lists_again: bool = False) -> Iterator[Researcher]:
    """A client of a running twin with 100 pounds and a fee of 30 percent."""
    with ProlificTwin(balance=10_000, fee_percent=Decimal(30), pays_lists_again=pays_lists_again) as twin:
        client = Researcher(twin)
        try:
            yield client
        finally:
            client.close()


def study(**changes: Any) -> dict[str, Any]:
    """The fields of a draft with two places, 5 minutes, 100 pence."""
    return {
        "name": "Boxes",
        "description": "Draw boxes.",
        "external_study_url": "https://chainbox.example/join?pid={{%PROLIFIC_PID%}}&study={{%STUDY_ID%}}&s={{%SESSION_ID%}}",
        "prolific_id_option": "url_parameters",
        "completion_codes": [{"code": REVIEW, "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]}],
        "total_available_places": 2,
        "estimated_completion_time": 5,
        "reward": 100,
    } | changes


def waiting(twin: ProlificTwin, study_id: str) -> str:
    """The submission of someone new, which waits for review."""
    someone = twin.participant()
    someone.start(study_id)
    return someone.complete(REVIEW).id


def bonuses(study_id: str, line: str) -> dict[str, str]:
    return {"study_id": study_id, "csv_bonuses": line}


def bonus_list(twin: ProlificTwin, researcher: Researcher) -> tuple[str, str]:
    """A submission that is to get 4.25, and the path of the call that pays it."""
    key = researcher.live_study()
    row = waiting(twin, key)
    made = researcher.done("POST", "/submissions/bonus-payments/", bonuses(key, f"{row},4.25\n"))
    return row, f"/bulk-bonus-payments/{made['id']}/pay/"


REWARD_COST = 100 + 30 + 6
"""With a fee of 30 percent and a tax of 20 percent on it."""


@pytest.fixture
def researcher() -> Iterator[Researcher]:
    with a_researcher() as client:
        yield client


@pytest.fixture
def twin(researcher: Researcher) -> ProlificTwin:
    return researcher.twin


def test_a_call_without_the_token_is_refused(twin: ProlificTwin, researcher: Researcher) -> None:
    answer = httpx.get(f"{twin.url}/users/me/", headers={"Authorization": "Token wrong"})
    assert answer.status_code == 401
    assert answer.json()["error"]["status"] == 401
    assert researcher.done("GET", "/users/me/")["balance"] == 10_000


def test_a_draft_says_which_fields_are_missing_or_wrong(researcher: Researcher) -> None:
    assert set(researcher.refused("POST", "/studies/", {"name": "Boxes"})) >= {"reward", "completion_codes"}
    assert "external_study_url" in researcher.refused(
        "POST", "/studies/", study(external_study_url="https://x.example")
    )
    assert "rewrad" in researcher.refused("POST", "/studies/", study(rewrad=1))
    filters = [{"filter_id": "participant_group_allowlist", "selected_values": ["unknown"]}]
    assert "unknown" in str(researcher.refused("POST", "/studies/", study(filters=filters)))
    twice = study()["completion_codes"][:1] * 2
    assert "completion_codes" in researcher.refused("POST", "/studies/", study(completion_codes=twice))


def test_publishing_binds_the_whole_cost_and_needs_it_in_the_balance(researcher: Researcher) -> None:
    researcher.live_study()
    assert researcher.balance() == (10_000, 10_000 - 2 * REWARD_COST)
    dear = researcher.done("POST", "/studies/", study(total_available_places=100))["id"]
    assert "too low" in researcher.refused("POST", f"/studies/{dear}/transition/", {"action": "PUBLISH"})


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


def test_a_reservation_and_a_stay_time_out_and_free_their_places(twin: ProlificTwin, researcher: Researcher):
    key = researcher.live_study()
    reserved = twin.participant().reserve(key)
    started, _ = twin.participant().start(key)
    twin.clock.forward(minutes=11)
    assert researcher.done("GET", f"/submissions/{reserved.id}/")["status"] == "TIMED-OUT"
    assert researcher.done("GET", f"/submissions/{started.id}/")["status"] == "ACTIVE"
    twin.clock.forward(minutes=10)
    assert researcher.done("GET", f"/submissions/{started.id}/")["status"] == "TIMED-OUT"
    assert researcher.done("GET", f"/studies/{key}/")["places_taken"] == 0


@pytest.mark.parametrize(("given", "kept"), [("", "NOCODE"), ("WRONG", "WRONG"), (REVIEW, REVIEW)])
def test_with_whatever_code_a_submission_waits_for_review(researcher: Researcher, given: str, kept: str) -> None:
    twin = researcher.twin
    key = researcher.live_study()
    someone = twin.participant()
    someone.start(key)
    someone.complete(given)
    (row,) = researcher.done("GET", f"/studies/{key}/submissions/")["results"]
    assert (row["status"], row["study_code"]) == ("AWAITING REVIEW", kept)


def test_a_rejection_needs_a_long_message_and_a_category_and_frees_the_place(researcher: Researcher) -> None:
    twin = researcher.twin
    key = researcher.live_study(total_available_places=1)
    path = f"/submissions/{waiting(twin, key)}/transition/"
    assert researcher.status(key) == "AWAITING REVIEW"
    assert "message" in researcher.refused("POST", path, {"action": "REJECT", "message": "Bad."})
    assert "rejection_category" in researcher.refused("POST", path, {"action": "REJECT", "message": REASON})
    said = {"action": "REJECT", "message": REASON, "rejection_category": "LOW_EFFORT"}
    assert researcher.done("POST", path, said)["status"] == "REJECTED"
    assert "not possible" in researcher.refused("POST", path, {"action": "APPROVE"})
    assert (researcher.status(key), researcher.balance()[0]) == ("ACTIVE", 10_000)


def test_a_returned_place_goes_to_somebody_else(twin: ProlificTwin, researcher: Researcher) -> None:
    key = researcher.live_study(total_available_places=1)
    someone = twin.participant()
    submission, _ = someone.start(key)
    someone.give_back(submission)
    assert twin.participant().reserve(key).status == "RESERVED"


def test_a_bonus_list_is_paid_once_and_refused_the_second_time(twin: ProlificTwin, researcher: Researcher):
    row, path = bonus_list(twin, researcher)
    assert researcher.call("POST", path).status_code == 202
    assert "already paid" in researcher.refused("POST", path)
    assert researcher.done("GET", f"/submissions/{row}/")["bonus_payments"] == [425]


def test_a_twin_made_as_the_documentation_warns_pays_a_list_twice() -> None:
    with a_researcher(pays_lists_again=True) as researcher:
        row, path = bonus_list(researcher.twin, researcher)
        researcher.done("POST", path)
        researcher.done("POST", path)
        assert researcher.done("GET", f"/submissions/{row}/")["bonus_payments"] == [425, 425]
        assert researcher.balance()[0] == 10_000 - 2 * (425 + 128 + 26)


def test_a_bonus_for_a_stranger_or_of_half_a_penny_is_refused(twin: ProlificTwin, researcher: Researcher):
    key = researcher.live_study()
    row = waiting(twin, key)
    for line, why in (("5f3c00000000000000000001,1.00", "not taken part"), (f"{row},0.005", "two decimals")):
        assert why in str(researcher.refused("POST", "/submissions/bonus-payments/", bonuses(key, line)))


def test_nothing_is_sent_before_a_subscription_is_confirmed(twin: ProlificTwin, researcher: Researcher) -> None:
    workspace = {"workspace_id": twin.workspace}
    body = workspace | {"event_type": "submission.status.change", "target_url": "https://chainbox.example/events/"}
    assert "secret" in researcher.refused("POST", "/hooks/subscriptions/", body)
    researcher.done("POST", "/hooks/secrets/", workspace)
    key = researcher.done("POST", "/hooks/subscriptions/", body)["id"]
    assert "secret" in researcher.refused("POST", f"/hooks/subscriptions/{key}/", {"secret": "guessed"})
    twin.participant().reserve(researcher.live_study())
    assert twin.pending_events() == []
    given = researcher.call("POST", "/hooks/subscriptions/", body)
    path = f"/hooks/subscriptions/{given.json()['id']}/"
    researcher.done("POST", path, {"secret": given.headers["X-Hook-Secret"]})
    row = waiting(twin, researcher.live_study())
    told = [one.payload for one in twin.pending_events()]
    assert [(one["resource_id"], one["status"]) for one in told] == [
        (row, status) for status in ("RESERVED", "ACTIVE", "AWAITING REVIEW")
    ]


def test_throttling_says_when_to_come_again_and_ends(twin: ProlificTwin, researcher: Researcher) -> None:
    twin.fail("GET", "/studies/*/submissions/", kind="throttle", times=2, retry_after=3)
    path = f"/studies/{researcher.live_study()}/submissions/"
    answers = [researcher.call("GET", path) for _ in range(3)]
    assert [one.status_code for one in answers] == [429, 429, 200]
    assert answers[0].headers["Retry-After"] == "3"
