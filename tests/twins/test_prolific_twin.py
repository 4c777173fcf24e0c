"""The twin of Prolific keeps the platform's rules; docs/why/platforms_unverified.md says which are guessed."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from tests.twins.prolific import ProlificTwin
from tests.twins.prolific.samples import (
    DONE,
    REASON,
    REVIEW,
    UNFIT,
    Researcher,
    a_researcher,
    bonus_list,
    bonuses,
    study,
    waiting,
)
from tests.twins.prolific.wire import Refusal

REWARD_COST = 100 + 30 + 6
"""With a fee of 30 percent and a tax of 20 percent on it."""
SCREEN_OUT_COST = 20 + 6 + 1


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
    twice = study()["completion_codes"][:1] * 2
    assert "completion_codes" in researcher.refused("POST", "/studies/", study(completion_codes=twice))


def test_a_study_goes_from_draft_to_stopped(researcher: Researcher) -> None:
    key = researcher.done("POST", "/studies/", study())["id"]
    passed = [researcher.status(key)]
    for action in ("PUBLISH", "PAUSE", "START", "STOP"):
        passed.append(researcher.done("POST", f"/studies/{key}/transition/", {"action": action})["status"])
    assert passed == ["UNPUBLISHED", "ACTIVE", "PAUSED", "ACTIVE", "COMPLETED"]
    assert "not possible" in researcher.refused("POST", f"/studies/{key}/transition/", {"action": "START"})


def test_publishing_binds_the_whole_cost_and_needs_it_in_the_balance(researcher: Researcher) -> None:
    researcher.live_study()
    assert researcher.balance() == (10_000, 10_000 - 2 * REWARD_COST - 2 * SCREEN_OUT_COST)
    dear = researcher.done("POST", "/studies/", study(total_available_places=100))["id"]
    assert "too low" in researcher.refused("POST", f"/studies/{dear}/transition/", {"action": "PUBLISH"})


def test_a_published_study_only_grows(researcher: Researcher) -> None:
    key = researcher.live_study()
    assert "reward" in researcher.refused("PATCH", f"/studies/{key}/", {"reward": 200})
    assert "only grow" in str(researcher.refused("PATCH", f"/studies/{key}/", {"total_available_places": 1}))
    assert researcher.done("PATCH", f"/studies/{key}/", {"total_available_places": 3})["total_available_places"] == 3


def test_a_full_study_recruits_again_when_it_gets_more_places(twin: ProlificTwin, researcher: Researcher) -> None:
    key = researcher.live_study(total_available_places=1)
    someone = twin.participant()
    someone.start(key)
    someone.complete(DONE)
    assert researcher.status(key) == "COMPLETED"
    assert researcher.done("PATCH", f"/studies/{key}/", {"total_available_places": 2})["status"] == "ACTIVE"


def test_a_participant_gets_the_address_with_the_ids_filled_in(twin: ProlificTwin, researcher: Researcher) -> None:
    key = researcher.live_study()
    someone = twin.participant("5f3c0000000000000000000a")
    submission, address = someone.start(key)
    query = parse_qs(urlsplit(address).query)
    assert query == {"pid": [someone.id], "study": [key], "s": [submission.id]}


def test_a_browser_is_led_into_the_study_and_thanked_at_the_end(twin: ProlificTwin, researcher: Researcher) -> None:
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


def test_a_reservation_and_a_stay_time_out_and_free_their_places(twin: ProlificTwin, researcher: Researcher) -> None:
    key = researcher.live_study()
    reserved = twin.participant().reserve(key)
    started, _ = twin.participant().start(key)
    twin.clock.forward(minutes=11)
    assert researcher.done("GET", f"/submissions/{reserved.id}/")["status"] == "TIMED-OUT"
    assert researcher.done("GET", f"/submissions/{started.id}/")["status"] == "ACTIVE"
    twin.clock.forward(minutes=10)
    assert researcher.done("GET", f"/submissions/{started.id}/")["status"] == "TIMED-OUT"
    assert researcher.done("GET", f"/studies/{key}/")["places_taken"] == 0


def test_a_code_for_automatic_approval_pays_at_once(twin: ProlificTwin, researcher: Researcher) -> None:
    key = researcher.live_study()
    someone = twin.participant()
    someone.start(key)
    assert someone.complete(DONE).status == "APPROVED"
    assert researcher.balance()[0] == 10_000 - REWARD_COST


@pytest.mark.parametrize(("given", "kept"), [("", "NOCODE"), ("WRONG", "WRONG")])
def test_without_the_right_code_a_submission_waits_for_review(researcher: Researcher, given: str, kept: str) -> None:
    twin = researcher.twin
    key = researcher.live_study()
    someone = twin.participant()
    someone.start(key)
    someone.complete(given)
    (row,) = researcher.done("GET", f"/studies/{key}/submissions/")["results"]
    assert (row["status"], row["study_code"]) == ("AWAITING REVIEW", kept)


def test_who_is_screened_out_is_paid_less_until_the_slots_are_used_up(researcher: Researcher) -> None:
    twin = researcher.twin
    key = researcher.live_study()
    for _ in range(2):
        someone = twin.participant()
        someone.start(key)
        assert someone.complete(UNFIT).status == "SCREENED OUT"
    assert researcher.balance()[0] == 10_000 - 2 * SCREEN_OUT_COST
    assert researcher.status(key) == "PAUSED"
    codes = [{"code": UNFIT, "actions": [{"action": "FIXED_SCREEN_OUT_PAYMENT", "slots": 4}]}]
    researcher.done("PATCH", f"/studies/{key}/", {"completion_codes": codes})
    assert researcher.done("POST", f"/studies/{key}/transition/", {"action": "START"})["places_taken"] == 0


def test_approving_twice_pays_once(twin: ProlificTwin, researcher: Researcher) -> None:
    row = waiting(twin, researcher.live_study())
    for _ in range(2):
        answer = researcher.done("POST", f"/submissions/{row}/transition/", {"action": "APPROVE"})
        assert answer["status"] == "APPROVED"
    assert researcher.balance()[0] == 10_000 - REWARD_COST


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


def test_many_are_approved_in_one_call(twin: ProlificTwin, researcher: Researcher) -> None:
    key = researcher.live_study()
    rows = [waiting(twin, key) for _ in range(2)]
    researcher.done("POST", "/submissions/bulk-approve/", {"submission_ids": rows})
    assert researcher.done("GET", f"/studies/{key}/submissions/counts/") == {"APPROVED": 2, "TOTAL": 2}


def test_a_bonus_list_is_paid_once_and_refused_the_second_time(twin: ProlificTwin, researcher: Researcher) -> None:
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


def test_a_bonus_for_a_stranger_or_of_half_a_penny_is_refused(twin: ProlificTwin, researcher: Researcher) -> None:
    key = researcher.live_study()
    row = waiting(twin, key)
    for line, why in (("5f3c00000000000000000001,1.00", "not taken part"), (f"{row},0.005", "two decimals")):
        assert why in str(researcher.refused("POST", "/submissions/bonus-payments/", bonuses(key, line)))


def test_only_members_of_an_allowlisted_group_are_admitted(twin: ProlificTwin, researcher: Researcher) -> None:
    member, other = twin.participant(), twin.participant()
    group = researcher.done("POST", "/participant-groups/", {"name": "Trained", "workspace_id": twin.workspace})["id"]
    key = researcher.live_study(
        filters=[{"filter_id": "participant_group_allowlist", "selected_values": [group]}], total_available_places=3
    )
    path = f"/participant-groups/{group}/participants/"
    researcher.done("POST", path, {"participant_ids": [member.id, other.id]})
    researcher.done("DELETE", path, {"participant_ids": [other.id]})
    assert [one["participant_id"] for one in researcher.done("GET", path)["results"]] == [member.id]
    member.reserve(key)
    with pytest.raises(Refusal, match="not for you"):
        other.reserve(key)


def test_a_completion_code_puts_its_participant_into_a_group(twin: ProlificTwin, researcher: Researcher) -> None:
    group = researcher.done("POST", "/participant-groups/", {"name": "Known", "workspace_id": twin.workspace})["id"]
    codes = study()["completion_codes"]
    codes[1]["actions"] += [{"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": group}]
    waiting(twin, researcher.live_study(completion_codes=codes))
    assert researcher.done("GET", f"/participant-groups/{group}/")["participant_count"] == 1
    codes[1]["actions"][-1]["participant_group"] = "unknown"
    assert "unknown" in str(researcher.refused("POST", "/studies/", study(completion_codes=codes)))


def test_long_lists_come_in_pages_that_link_to_one_another(twin: ProlificTwin, researcher: Researcher) -> None:
    key = researcher.live_study(total_available_places=25)
    people = {waiting(twin, key) for _ in range(25)}
    seen: list[str] = []
    sizes = []
    address = f"{twin.url}/studies/{key}/submissions/?limit=10"
    while address:
        page = httpx.get(address, headers={"Authorization": f"Token {twin.token}"}).json()
        seen += [one["id"] for one in page["results"]]
        sizes.append(len(page["results"]))
        address = page["_links"]["next"]["href"]
    assert sizes == [10, 10, 5]
    assert (set(seen), page["meta"]["count"]) == (people, 25)
    numbered = researcher.done("GET", "/submissions/", study=key, page=2)
    assert len(numbered["results"]) == 5
