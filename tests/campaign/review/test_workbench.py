"""The workbench says what an act would do, takes it, and takes it back."""

from itertools import combinations
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Chain, Image, MergedBox
from gallery.image_page import image_page
from members.models import Role
from pipeline.models import Entry, Judgment
from pipeline.record.intervene import act_as_expert, report_problem
from pipeline.record.replay import replay, stored_rows
from tests.support.members import sign_in

pytestmark = pytest.mark.django_db


def address(image: Image, page: str = "bench") -> str:
    return reverse(f"campaign:{page}", args=[image.project.name, image.id])


def post(client: Client, image: Image, page: str, **body: Any) -> Any:
    return client.post(address(image, f"bench_{page}"), body, content_type="application/json")


def complete(image: Image) -> Chain:
    return Chain.objects.filter(image=image, state="complete").order_by("name")[0]


def act(client: Client, image: Image, action: dict[str, Any], **more: Any) -> Any:
    """Look what it would do, and do it."""
    shown = post(client, image, "preview", action=action).json()
    assert "sequence" in shown, shown
    body = {"action": action, "sequence": shown["sequence"], "reason": "looked at again", **more}
    return post(client, image, "act", **body)


@pytest.mark.slow
def test_an_act_is_told_before_it_is_taken_and_then_shown(expert: Client, first_image: Image) -> None:
    chain = complete(first_image)
    action = {"action": "send", "chain": chain.name, "to": "coverage"}
    told = post(expert, first_image, "preview", action=action).json()
    said = " ".join(told["changes"])
    for words in ("no longer finished", "is then in state coverage", "asked, and paid, again: box coverage (1)"):
        assert words in said
    assert told["needs_reason"] and not Entry.objects.filter(image=first_image, kind="expert").exists()
    after = act(expert, first_image, action).json()
    assert {one["name"]: one["state"] for one in after["chains"]}[chain.name] == "coverage"
    assert [(one["words"], one["actor"], one["reason"]) for one in after["acts"]] == [
        ("sent a chain to coverage", "ada", "looked at again")
    ]


@pytest.mark.slow
@pytest.mark.both_engines
def test_an_image_is_merged_as_soon_as_its_last_chain_is_settled_and_undo_takes_that_back(
    expert: Client, first_image: Image
) -> None:
    chain = complete(first_image).name
    assert act(expert, first_image, {"action": "review", "chain": chain}).json()["state"] == "in review"
    before = stored_rows([first_image.id])
    settled = act(expert, first_image, {"action": "send", "chain": chain, "to": "complete"}).json()
    assert settled["state"] == "merged"
    entry = Entry.objects.filter(image=first_image, kind="expert").latest("sequence").sequence
    shown = post(expert, first_image, "preview", undo=entry).json()
    undone = post(expert, first_image, "act", undo=entry, sequence=shown["sequence"], reason="no").json()
    assert undone["state"] == "in review" and stored_rows([first_image.id]) == before
    assert list(replay(first_image.project)) == []


def test_paid_work_is_not_undone_without_a_reason(expert: Client, first_image: Image) -> None:
    refused = act(expert, first_image, {"action": "review", "chain": complete(first_image).name}, reason=" ")
    assert refused.status_code == 400 and "Give a reason" in refused.json()["problem"]
    first_image.refresh_from_db()
    assert first_image.state == "merged"


def test_an_act_on_an_image_that_moved_on_is_refused(expert: Client, first_image: Image) -> None:
    chain = complete(first_image)
    stale = post(expert, first_image, "preview", action={"action": "review", "chain": chain.name}).json()["sequence"]
    report_problem(image_id=first_image.id, what="mention", number=0, worker_id=None, reason="odd")
    body = {"action": {"action": "review", "chain": chain.name}, "sequence": stale, "reason": "odd"}
    refused = post(expert, first_image, "act", **body)
    assert refused.status_code == 409 and "changed while you were reading" in refused.json()["problem"]


def test_an_undo_is_told_and_the_finished_image_is_finished_again(expert: Client, first_image: Image) -> None:
    before = stored_rows([first_image.id])
    after = act(expert, first_image, {"action": "review", "chain": complete(first_image).name}).json()
    told = post(expert, first_image, "preview", undo=after["undo"]).json()
    assert "The image is finished again, with its merged result." in told["changes"]
    done = post(expert, first_image, "act", undo=after["undo"], sequence=told["sequence"], reason="").json()
    assert stored_rows([first_image.id]) == before
    assert done["undo"] is None and done["acts"][0]["undone"]
    again = post(expert, first_image, "preview", undo=done["redo"]).json()
    redone = post(expert, first_image, "act", undo=done["redo"], sequence=again["sequence"], reason="after all").json()
    assert (redone["undo"], redone["redo"], redone["state"]) == (after["undo"], None, "in review")
    assert list(replay(first_image.project)) == []


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ({"action": "sing"}, "no action"),
        ({"action": "draw", "chain": 0, "box": [0, 0, 9999, 9]}, "inside the image"),
        ({"action": "rechunk", "remove": [], "add": [[1]]}, "cannot be taken"),
        ({"action": "rechunk", "remove": [], "add": [[99, 0, n, n + 1, ["other"], "x"] for n in range(99)]}, "at most"),
        ({}, "no action"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(
    expert: Client, first_image: Image, action: dict[str, Any], why: str
) -> None:
    refused = post(expert, first_image, "preview", action=action)
    assert refused.status_code == 400 and why in refused.json()["problem"]


@pytest.mark.parametrize("body", ["{", "[]", "{}", '{"undo": "1"}'])
def test_a_body_of_another_shape_is_refused(expert: Client, first_image: Image, body: str) -> None:
    refused = expert.post(address(first_image, "bench_preview"), body, content_type="application/json")
    assert refused.status_code == 400 and "must be JSON" in refused.json()["problem"]


def test_a_form_is_refused_in_the_same_words(first_image: Image) -> None:
    checking = Client(enforce_csrf_checks=True)  # which reads the form before the page does
    sign_in(checking, first_image.project, Role.REVIEWER, "bob")
    token = checking.get(address(first_image)).cookies["csrftoken"].value
    refused = checking.post(address(first_image, "bench_preview"), {"csrfmiddlewaretoken": token})
    assert refused.status_code == 400 and "must be JSON" in refused.json()["problem"]


@pytest.mark.both_engines
def test_every_answer_is_shown_and_those_that_do_not_count_are_marked(expert: Client, first_image: Image) -> None:
    shown = expert.get(address(first_image, "bench_data")).json()
    judged = Judgment.objects.filter(question__image=first_image)
    assert [one["id"] for one in shown["judgments"]] == list(judged.order_by("id").values_list("id", flat=True))
    one = shown["judgments"][0]
    assert one["worker"] and one["answer"] and one["chains"]
    drawn = next(one for one in shown["judgments"] if one["answer"].startswith("drew box"))
    box = next(one["number"] for one in shown["boxes"] if drawn["answer"] == f"drew box {one['name']}")
    after = act(expert, first_image, {"action": "delete box", "box": box}).json()
    assert next(one["mark"] for one in after["judgments"] if one["id"] == drawn["id"]) == "box discarded"


def join_two_chains(expert: Client, image: Image) -> MergedBox:
    """Draw a chain's only box around that of another one, too: the merge makes them one."""
    types = {one.chain: one.types for one in image.mentions.order_by("-number")}
    alone = [box for box in image.boxes.filter(state="accepted") if image.boxes.filter(chain=box.chain).count() == 1]
    one, other = next((a, b) for a, b in combinations(alone, 2) if types[a.chain] == types[b.chain])
    action = {"action": "move box", "box": other.number, "to": list(one.box)}
    act(expert, image, action)
    assert act(expert, image, {"action": "send", "chain": other.chain, "to": "complete"}).json()["state"] == "merged"
    return next(box for box in image.merged_boxes.all() if len(box.members) > 1)


def test_chains_and_boxes_have_one_name_in_the_picture_the_list_and_the_story_of_both_pages(
    expert: Client, first_image: Image
) -> None:
    merged = join_two_chains(expert, first_image)
    shown = expert.get(address(first_image, "bench_data")).json()
    page = image_page(first_image)
    numbers = {one["name"]: one["number"] for one in shown["chains"]}
    assert any(one["merged_into"] is not None for one in shown["chains"])
    for chain in page.chains:
        assert chain.row is not None
        assert {numbers[one.name] for one in (chain.row, *chain.members)} == {chain.number}
        own = {one["name"] for one in shown["boxes"] if one["chain"] == chain.row.name and one["state"] == "accepted"}
        assert len(own) == chain.boxes and set(chain.box_names) in (own, own - {str(chain.number)})
    accepted = {one["number"]: one["name"] for one in shown["boxes"] if one["state"] == "accepted"}
    assert {one.name for one in page.boxes if not one.pending} == set(accepted.values())
    assert len({accepted[number] for number in merged.members}) == 1
    told = {one.what.removeprefix("box ") for one in page.story if one.what.startswith("box ")}
    assert told == {one["name"] for one in shown["boxes"]}
    assert {one["answer"].split()[2] for one in shown["judgments"] if one["answer"].startswith("drew box")} <= told


def test_a_report_is_shown_with_who_wrote_it_and_the_chains_it_is_about(expert: Client, first_image: Image) -> None:
    reporter = Judgment.objects.filter(question__image=first_image)[0].worker
    report_problem(image_id=first_image.id, what="mention", number=0, worker_id=reporter.id, reason="this is a cat")
    (shown,) = expert.get(address(first_image, "bench_data")).json()["reports"]
    assert (shown["who"], shown["reason"]) == (reporter.name, "this is a cat")
    assert shown["chains"] == [first_image.mentions.get(number=0).chain]


@pytest.mark.both_engines
def test_any_chain_is_sent_to_review_from_the_gallery_with_a_reason(expert: Client, first_image: Image) -> None:
    chain = complete(first_image)
    unsaid = expert.post(address(first_image, "send_to_review"), {"chain": chain.name, "reason": " "})
    assert unsaid.status_code == 400 and unsaid.text.count("autofocus aria-invalid") == 1
    chain.refresh_from_db()
    assert chain.state == "complete", "not without a reason"
    page = expert.post(address(first_image, "send_to_review"), {"chain": chain.name, "reason": "odd"}, follow=True)
    chain.refresh_from_db()
    assert chain.state == "review" and "The chain waits in review" in page.text
    assert Entry.objects.get(image=first_image, kind="expert").reason == "odd"


def test_the_queue_leads_from_chain_to_chain_and_round(expert: Client, first_image: Image) -> None:
    for chain in Chain.objects.filter(image=first_image, state="complete").order_by("name")[:2]:
        act_as_expert(image_id=first_image.id, action={"action": "review", "chain": chain.name}, actor="ada")
    shown = expert.get(address(first_image, "bench_data")).json()
    first, second = (one["name"] for one in shown["chains"] if one["state"] == "review")
    assert shown["chosen"] == first and shown["next"].endswith(f"?chain={second}")
    last = expert.get(address(first_image, "bench_data"), {"chain": second}).json()
    assert last["next"].endswith(f"?chain={first}")
