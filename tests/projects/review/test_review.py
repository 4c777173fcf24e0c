"""The queue shows what waits, and finds it by reason, type, worker and disagreement.
The workbench says what an act would do, takes it, and takes it back.
The sentences that an expert reads before a finished image is changed.
Decisions of a worker without trust go to review, or others are asked.
Errors in a sample of finished images are counted, and reported as shares with intervals.
"""

import csv
from itertools import combinations
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Role
from annotation.models import Chain, Image, MergedBox, Project
from pipeline.models import Entry, Judgment, Question
from pipeline.protocol.tasks.task import Task
from pipeline.record.intervene import act_as_expert, preview_expert, report_problem
from pipeline.record.read_record import replay, stored_rows
from projects.gallery.image_page import image_page
from projects.models import ErrorSample
from projects.review.error_sample import ERROR_KINDS, SampleError, draw_sample, note_errors, report
from projects.review.operations import what_changes
from projects.review.pages import decided_chains, distrusted_tasks, reconsider
from projects.review.workbench import QueueFilters, waiting_chains, waiting_places
from runtime.intervals import wilson
from tests.support.answers import links_with_votes
from tests.support.members import sign_in
from tests.support.projects import answer, phrases, project_of, worker
from tests.support.table import row
from workers.change_trust import change_trust
from workers.models import Worker
from workers.rules.trust_states import TrustEvent

pytestmark = pytest.mark.django_db
ASK = Task.BOX_REQUIREMENT


@pytest.fixture
def project(client: Client) -> Project:
    """A dog about whose box ada and bob disagree, and a park that an expert reports."""
    made = project_of(phrases("animals: a dog"), phrases("scene: a park", name="2"))
    for name, said in (("ada", 3), ("bob", 1)):
        answer(made, worker(made, name, Task.BOX_REQUIREMENT), Task.BOX_REQUIREMENT, said)
    dog, park = made.images.order_by("position")
    act_as_expert(image_id=dog.id, action={"action": "review", "chain": 0}, actor="eve")
    report_problem(image_id=park.id, what="mention", number=0, worker_id=None, actor="eve", expert=True)
    sign_in(client, made, Role.REVIEWER, "eve")
    return made


@row({}, {"a dog", "a park"})
@row({"reason": "mention reported as wrong"}, {"a park"})
@row({"type": "animals"}, {"a dog"})
@row({"type": "dragons"}, {"a dog", "a park"})
@row({"worker": "ada"}, {"a dog"})
@row({"worker": "nobody"}, set())
@row({"disputed": "yes"}, {"a dog"})
@row({"disputed": "yes", "type": "scene"}, set())
def test_chains_are_found_by_each_filter(query: dict[str, str], found: set[str], client: Client, project: Project):
    page = client.get(reverse("projects:review", args=[project.name]), query).text
    assert {phrase for phrase in ("a dog", "a park") if f"<b>{phrase}</b>" in page} == found


def test_the_filters_stay_on_the_way_through_the_queue(client: Client, project: Project) -> None:
    page = client.get(reverse("projects:review", args=[project.name]), {"type": "animals"}).text
    dog = project.images.get(position=0)
    assert f"{reverse('projects:bench', args=[project.name, dog.id])}?chain=0&amp;type=animals" in page
    data = address(dog, "workbench")
    assert client.get(data, {"type": "animals"}).json()["next"] is None and "chain=0" in client.get(data).json()["next"]


def test_an_experts_typed_reason_is_read_in_the_queue_and_on_the_images_page(client: Client, project: Project) -> None:
    dog = project.images.get(position=0)
    for reason in ("", "is a wolf"):
        act_as_expert(image_id=dog.id, action={"action": "send", "chain": 0, "to": "requirement"}, actor="eve")
        act_as_expert(image_id=dog.id, action={"action": "review", "chain": 0}, actor="eve", reason=reason)
    assert "changed by an expert: “is a wolf”" in client.get(reverse("projects:review", args=[project.name])).text
    page = client.get(reverse("gallery:image", args=[project.name, dog.id])).text
    assert "waits for an expert: changed by an expert, “is a wolf”" in page


@pytest.mark.both_engines
def test_a_link_is_in_dispute_where_answers_differ_for_chains_for_which_a_part_is_another_thing() -> None:
    votes = [("different", "a is part of b"), ("a is part of b", "b is part of a"), ("b is part of a", "same")]
    project = links_with_votes(votes)
    for image in project.images.all():
        act_as_expert(image_id=image.id, action={"action": "review", "chain": 0}, actor="eve")
    lines = waiting_chains(waiting_places(project, QueueFilters()))
    assert [(one.image_name, one.disputes) for one in lines] == [("0", 0), ("1", 0), ("2", 1)]
    assert waiting_places(project, QueueFilters(disputed=True)) == [lines[2].place]


def address(image: Image, call: str) -> str:
    return reverse(f"requester_api:{call}", args=[image.project.name, image.id])


def post(client: Client, image: Image, call: str, **body: Any) -> Any:
    return client.post(address(image, call), body, content_type="application/json")


def complete(image: Image) -> Chain:
    return Chain.objects.filter(image=image, state="complete").order_by("name")[0]


def act(client: Client, image: Image, action: dict[str, Any], **more: Any) -> Any:
    """Look what it would do, and do it."""
    shown = post(client, image, "preview_act", action=action).json()
    assert "sequence" in shown, shown
    body = {"action": action, "sequence": shown["sequence"], "reason": "looked at again", **more}
    return post(client, image, "workbench", **body)


@pytest.mark.slow
def test_an_act_is_told_before_it_is_taken_and_then_shown(expert: Client, first_image: Image) -> None:
    chain = complete(first_image)
    action = {"action": "send", "chain": chain.name, "to": "coverage"}
    told = post(expert, first_image, "preview_act", action=action).json()
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
def test_an_image_is_merged_once_its_last_chain_is_settled_until_an_undo(expert: Client, first_image: Image) -> None:
    chain = complete(first_image).name
    assert act(expert, first_image, {"action": "review", "chain": chain}).json()["state"] == "in review"
    before = stored_rows([first_image.id])
    assert act(expert, first_image, {"action": "send", "chain": chain, "to": "complete"}).json()["state"] == "merged"
    entry = Entry.objects.filter(image=first_image, kind="expert").latest("sequence").sequence
    shown = post(expert, first_image, "preview_act", undo=entry).json()
    undone = post(expert, first_image, "workbench", undo=entry, sequence=shown["sequence"], reason="no").json()
    assert undone["state"] == "in review" and stored_rows([first_image.id]) == before
    assert list(replay(first_image.project)) == []


def test_paid_work_is_not_undone_without_a_reason(expert: Client, first_image: Image) -> None:
    refused = act(expert, first_image, {"action": "review", "chain": complete(first_image).name}, reason=" ")
    assert refused.status_code == 400 and "Give a reason" in refused.json()["message"]
    first_image.refresh_from_db()
    assert first_image.state == "merged"


def test_an_act_on_an_image_that_moved_on_is_refused(expert: Client, first_image: Image) -> None:
    chain = complete(first_image)
    action = {"action": "review", "chain": chain.name}
    stale = post(expert, first_image, "preview_act", action=action).json()["sequence"]
    report_problem(image_id=first_image.id, what="mention", number=0, worker_id=None, reason="odd")
    body = {"action": action, "sequence": stale, "reason": "odd"}
    refused = post(expert, first_image, "workbench", **body)
    assert refused.status_code == 409 and "changed while you were reading" in refused.json()["message"]


def test_an_undo_is_told_and_the_finished_image_is_finished_again(expert: Client, first_image: Image) -> None:
    before = stored_rows([first_image.id])
    after = act(expert, first_image, {"action": "review", "chain": complete(first_image).name}).json()
    told = post(expert, first_image, "preview_act", undo=after["undo"]).json()
    assert "The image is finished again, with its merged result." in told["changes"]
    done = post(expert, first_image, "workbench", undo=after["undo"], sequence=told["sequence"], reason="").json()
    assert stored_rows([first_image.id]) == before and done["undo"] is None and done["acts"][0]["undone"]
    again = post(expert, first_image, "preview_act", undo=done["redo"]).json()
    body = {"undo": done["redo"], "sequence": again["sequence"], "reason": "after all"}
    redone = post(expert, first_image, "workbench", **body).json()
    assert (redone["undo"], redone["redo"], redone["state"]) == (after["undo"], None, "in review")
    assert list(replay(first_image.project)) == []


@row({"action": "sing"}, "no action")
@row({"action": "draw", "chain": 0, "box": [0, 0, 9999, 9]}, "inside the image")
@row({"action": "rechunk", "remove": [], "add": [[1]]}, "cannot be taken")
@row({"action": "rechunk", "remove": [], "add": [[99, 0, n, n + 1, ["other"], "x"] for n in range(99)]}, "at most")
@row({}, "no action")
def test_what_does_not_fit_is_refused_in_words(action: dict[str, Any], why: str, expert: Client, first_image: Image):
    refused = post(expert, first_image, "preview_act", action=action)
    assert refused.status_code == 400 and why in refused.json()["message"]


@pytest.mark.parametrize("body", ["{", "[]", "{}", '{"undo": "1"}'])
def test_a_body_of_another_shape_is_refused(expert: Client, first_image: Image, body: str) -> None:
    refused = expert.post(address(first_image, "preview_act"), body, content_type="application/json")
    assert refused.status_code == 400 and refused.json()["message"]


@pytest.mark.both_engines
def test_every_answer_is_shown_and_those_that_do_not_count_are_marked(expert: Client, first_image: Image) -> None:
    shown = expert.get(address(first_image, "workbench")).json()
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
    act(expert, image, {"action": "move box", "box": other.number, "to": list(one.box)})
    assert act(expert, image, {"action": "send", "chain": other.chain, "to": "complete"}).json()["state"] == "merged"
    return next(box for box in image.merged_boxes.all() if len(box.members) > 1)


def test_chains_and_boxes_have_one_name_in_picture_list_and_story_of_pages(expert: Client, first_image: Image) -> None:
    merged = join_two_chains(expert, first_image)
    shown = expert.get(address(first_image, "workbench")).json()
    page = image_page(first_image)
    numbers = {one["name"]: one["number"] for one in shown["chains"]}
    assert any(one["merged_into"] is not None for one in shown["chains"])
    for chain in page.chains:
        assert chain.row is not None and {numbers[one.name] for one in (chain.row, *chain.members)} == {chain.number}
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
    (shown,) = expert.get(address(first_image, "workbench")).json()["reports"]
    assert (shown["who"], shown["reason"]) == (reporter.name, "this is a cat")
    assert shown["chains"] == [first_image.mentions.get(number=0).chain]


@pytest.mark.both_engines
def test_any_chain_is_sent_to_review_from_the_gallery_with_a_reason(expert: Client, first_image: Image) -> None:
    chain = complete(first_image)
    sends = reverse("projects:send_to_review", args=[first_image.project.name, first_image.id])
    unsaid = expert.post(sends, {"chain": chain.name, "reason": " "})
    assert unsaid.status_code == 400 and unsaid.text.count("autofocus aria-invalid") == 1
    chain.refresh_from_db()
    assert chain.state == "complete", "not without a reason"
    page = expert.post(sends, {"chain": chain.name, "reason": "odd"}, follow=True)
    chain.refresh_from_db()
    assert chain.state == "review" and "The chain waits in review" in page.text
    assert Entry.objects.get(image=first_image, kind="expert").reason == "odd"


def test_the_queue_leads_from_chain_to_chain_and_round(expert: Client, first_image: Image) -> None:
    for chain in Chain.objects.filter(image=first_image, state="complete").order_by("name")[:2]:
        act_as_expert(image_id=first_image.id, action={"action": "review", "chain": chain.name}, actor="ada")
    shown = expert.get(address(first_image, "workbench")).json()
    first, second = (one["name"] for one in shown["chains"] if one["state"] == "review")
    assert shown["chosen"] == first and shown["next"].endswith(f"?chain={second}")
    assert expert.get(address(first_image, "workbench"), {"chain": second}).json()["next"].endswith(f"?chain={first}")


def test_where_no_data_set_is_checked_no_change_is_next(first_image: Image, expert: Client) -> None:
    answer = expert.get(address(first_image, "workbench"), {"changes": "true"})
    assert (answer.status_code, answer.json()["next"]) == (200, None)


def said(image: Image, **action: Any) -> str:
    return " ".join(what_changes(preview_expert(image_id=image.id, action=action)))


def test_a_preview_changes_nothing(first_image: Image) -> None:
    entries = Entry.objects.filter(image=first_image).count()
    said(first_image, action="delete box", box=first_image.boxes.filter(state="accepted")[0].number)
    first_image.refresh_from_db()
    assert (first_image.state, Entry.objects.filter(image=first_image).count()) == ("merged", entries)


def test_the_merged_result_that_is_undone_is_counted(first_image: Image) -> None:
    joined = sum(len(box.members) > 1 for box in first_image.merged_boxes.all())
    chains = Chain.objects.filter(image=first_image).exclude(merged_into=None).count()
    words = said(first_image, action="retype", mention=0, types=["other"])
    assert (f"{joined} joined box" in words) == bool(joined) and (f"{chains} joined chain" in words) == bool(chains)
    assert "merged anew at once" in words, "no chain is open"


def test_a_deleted_box_and_its_chain_in_review_are_named(first_image: Image) -> None:
    box = first_image.boxes.filter(state="accepted")[0]
    phrase = first_image.mentions.get(number=box.chain).text
    words = said(first_image, action="delete box", box=box.number)
    assert "1 accepted box will be discarded." in words
    assert f"“{phrase}”" in words and "waits in review until an expert sends it on" in words
    assert "once every chain is complete or non-visual again" in words


def test_chains_that_are_joined_are_gone(first_image: Image) -> None:
    first, second = Chain.objects.filter(image=first_image)[:2]
    assert said(first_image, action="join", chains=[first.name, second.name]).count("is gone.") == 1


def test_a_new_box_is_counted(first_image: Image) -> None:
    chain = Chain.objects.filter(image=first_image, state="complete")[0]
    assert "1 box will be added." in said(first_image, action="draw", chain=chain.name, box=[1, 2, 30, 40])


@pytest.fixture
def untrusted() -> Project:
    """Two dogs without boxes, as ada and bob say; the second was judged by cleo and bob."""
    made = project_of(phrases("animals: a dog"), phrases("animals: a dog", name="2"))
    ada, bob, cleo = (worker(made, name) for name in ("ada", "bob", "cleo"))
    answer(made, ada, ASK, 3)
    answer(made, cleo, ASK, 3, 3)
    answer(made, bob, ASK, 3)
    return made


def distrust(project: Project, name: str) -> Worker:
    found, task = Worker.objects.get(name=name), ASK.value
    change_trust(worker_id=found.id, project_id=project.id, task=task, event=TrustEvent.BAR, because="by hand")
    return found


def test_nothing_is_touched_while_the_worker_is_trusted(untrusted: Project) -> None:
    ada = Worker.objects.get(name="ada")
    assert distrusted_tasks(ada, untrusted.id) == []
    assert not reconsider(ada, untrusted.id, actor="rita", reason="trust lost")


@pytest.mark.both_engines
def test_the_chains_that_the_worker_decided_go_to_review_with_the_reason(untrusted: Project) -> None:
    ada = distrust(untrusted, "ada")
    decided = decided_chains(ada, untrusted.id, [ASK])
    assert sum(map(len, decided.values())) == 1
    assert reconsider(ada, untrusted.id, actor="rita", reason="trust lost") == {"sent": 1}
    assert Chain.objects.get(image__in=decided).state == "review"
    assert Entry.objects.get(kind="expert").reason == "trust lost"
    assert reconsider(ada, untrusted.id, actor="rita", reason="trust lost") == {"left": 1}
    assert list(replay(untrusted)) == []


def test_others_are_asked_and_not_those_who_voted(untrusted: Project) -> None:
    cleo = distrust(untrusted, "cleo")
    assert reconsider(cleo, untrusted.id, actor="rita", reason="trust lost", ask_others=True) == {"asked": 2}
    asked = Question.objects.filter(state="open")
    assert asked.count() == 2 and all(cleo.id in question.barred for question in asked)
    assert list(replay(untrusted)) == []


def test_the_same_seed_draws_the_same_images(drawn: Project) -> None:
    first, again = (draw_sample(drawn, size=2, seed=7) for _ in range(2))
    assert first.images == again.images and len(first.images) == 2
    orders = {tuple(draw_sample(drawn, size=2, seed=seed).images) for seed in range(12)}
    assert len(orders) == 2, "another seed, another order"


def test_only_finished_images_are_drawn(drawn: Project) -> None:
    drawn.images.update(state="boxing")
    with pytest.raises(SampleError, match="No image is finished yet"):
        draw_sample(drawn, size=1, seed=1)
    with pytest.raises(SampleError, match="has 1 to 1000 images, not 0"):
        draw_sample(drawn, size=0, seed=1)


def test_shares_are_of_the_parts_of_the_images_that_were_looked_at() -> None:
    lines = {
        one.name: one
        for one in report(
            [
                {"errors": {"chunking": 1, "wrong link": 1}, "mentions": 16, "chains": 7, "boxes": 8},
                {"errors": {}, "mentions": 14, "chains": 8, "boxes": 9},
            ]
        )
    }
    chunking = lines["chunking"]
    assert (chunking.errors, chunking.total, chunking.share) == (1, 30, wilson(1, 30))
    assert (lines["coreference"].errors, lines["coreference"].total) == (1, 15)
    assert (lines["any error"].errors, lines["any error"].total) == (1, 2)


def test_a_count_that_does_not_fit_is_refused(drawn: Project, first_image: Image) -> None:
    sample = draw_sample(drawn, size=2, seed=1)
    for errors in ({"typing": 1}, {"chunking": -1}, {"chunking": 100}, {"chunking": "1"}):
        with pytest.raises(SampleError, match="has 0 to 99"):
            note_errors(sample.id, first_image, errors)


@pytest.mark.both_engines
def test_a_reviewer_goes_through_a_sample_and_downloads_the_report(expert: Client, drawn: Project) -> None:
    expert.post(reverse("projects:samples", args=["drawn"]), {"size": "2", "seed": "7"})
    sample = ErrorSample.objects.get()
    assert sample.made_by == "ada"
    first, second = (reverse("projects:sampled_image", args=["drawn", sample.id, place]) for place in (1, 2))
    assert expert.post(first, {"chunking": "2", "wrong box": ""})["Location"] == second
    assert expert.post(second, {})["Location"] == reverse("projects:error_sample", args=["drawn", sample.id])
    sample.refresh_from_db()
    image = Image.objects.get(id=sample.images[0])
    assert sample.tallies[str(image.id)] == {
        "errors": {"chunking": 2},
        "mentions": image.mentions.count(),
        "chains": Chain.objects.filter(image=image, merged_into=None).count(),
        "boxes": image.merged_boxes.count(),
    }
    table = expert.get(reverse("projects:sample_csv", args=["drawn", sample.id])).getvalue().decode().splitlines()
    rows = list(csv.DictReader(table))
    assert [row["kind"] for row in rows[: len(ERROR_KINDS)]] == [kind.name for kind in ERROR_KINDS]
    assert (rows[0]["errors"], rows[0]["of"]) == ("2", "mentions")
    assert "2 of 2 looked at" in expert.get(reverse("projects:error_sample", args=["drawn", sample.id])).text
