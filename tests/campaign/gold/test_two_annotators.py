"""Two people annotate independently: what they agree on counts, and what they dispute counts once it is settled."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import Gold, Project
from campaign.models import GoldImage
from members.models import Role
from pipeline.models import KnownQuestion
from simulation.simulate import SimulationError, load_gold
from tests.campaign.gold.conftest import FAR, LEFT, LOW, RIGHT_SHEET, address, browser, draw, otherwise, send
from tests.support.members import member

DOGS = [{"mentions": [2], "non_visual": "", "boxes": [LOW]}, {"mentions": [3], "non_visual": "", "boxes": [LOW]}]
ONE_MAN = {"mentions": [0, 1], "non_visual": "", "boxes": [LEFT]}


def shown_phrases() -> set[int]:
    return {place[0] for one in KnownQuestion.objects.all() for place in one.shown["mentions"]}


@pytest.fixture
def disputed(ada: Client, bob: Client, rita: Client, draft: Project) -> GoldImage:
    """An image of which ada and bob see the dogs and the boxes of the man differently."""
    (row,) = draw(rita, annotators=2)
    send(ada, row)
    send(bob, row, otherwise(*DOGS, ONE_MAN))
    return row


def test_one_of_two_counts_for_nothing_and_is_not_shown_to_the_other(ada: Client, bob: Client, rita: Client) -> None:
    (row,) = draw(rita, annotators=2)
    send(ada, row)
    assert not KnownQuestion.objects.exists() and not Gold.objects.exists()
    read = bob.get(address(row)).json()
    assert read["disputes"] == [] and [one["mentions"] for one in read["chains"]] == [[n] for n in range(7)]
    assert "1 of 2 annotated" in rita.get("/projects/small/gold/").text


def test_what_both_have_counts_at_once(ada: Client, bob: Client, rita: Client) -> None:
    (row,) = draw(rita, annotators=2)
    send(ada, row)
    near = [{"mentions": [4], "non_visual": "", "boxes": [[FAR[0] + 2, *FAR[1:]]]}]
    assert send(bob, row, otherwise(*near)).status_code == 200
    gold = Gold.objects.get()
    assert gold.complete and gold.chains[2]["boxes"] == [[FAR[0] + 1, *FAR[1:]]]
    assert GoldImage.objects.get().settled_at and KnownQuestion.objects.filter(added_by="ada, bob").exists()


def test_a_third_person_is_one_too_many(ada: Client, bob: Client, rita: Client) -> None:
    (row,) = draw(rita, annotators=2)
    send(ada, row, finish=False)
    send(bob, row, finish=False)
    assert "annotated by ada and bob" in rita.get(address(row)).json()["problem"]


def test_of_a_disputed_image_only_the_agreed_part_counts(disputed: GoldImage, draft: Project) -> None:
    gold = Gold.objects.get()
    assert not gold.complete and [one["mentions"] for one in gold.chains] == [[4], [5], [6], [0, 1]]
    assert gold.chains[3]["open"] and shown_phrases() == {0, 1, 4, 5, 6}
    about_boxes = KnownQuestion.objects.exclude(task__in=["coreference_link", "chain_verification"])
    assert {one.shown["mentions"][0][0] for one in about_boxes} == {4, 5, 6}
    with pytest.raises(SimulationError, match="8 of the 8 images"):
        load_gold(draft)


@pytest.mark.slow
def test_the_disagreements_are_shown_to_the_two_and_settled_by_one(
    disputed: GoldImage, ada: Client, bob: Client, rita: Client
) -> None:
    assert "2 disagreements" in rita.get("/projects/small/gold/").text
    read = bob.get(address(disputed)).json()
    told = [(one["about"], one["mentions"], [side["name"] for side in one["sides"]]) for one in read["disputes"]]
    assert told == [("boxes", [0, 1], ["ada", "bob"]), ("phrases", [2, 3], ["ada", "bob"])]
    assert [one["mentions"] for one in read["chains"] if one["boxes"] or one["non_visual"]] == [[4], [5], [6]]
    settled = send(bob, disputed, RIGHT_SHEET).json()
    assert settled["settles"] and settled["finished"] and settled["next"] is None
    row = GoldImage.objects.get()
    assert row.settled_at and row.disputes == 0 and Gold.objects.get().complete
    assert shown_phrases() == set(range(7))
    own: Any = {one.name: one.chains for one in row.annotations.filter(settles=False)}
    assert own["ada"] != own["bob"], "what each had said stays"


@pytest.mark.slow
@pytest.mark.both_engines
def test_a_disputed_image_waits_for_the_two_and_not_for_others(
    disputed: GoldImage, ada: Client, bob: Client, rita: Client, draft: Project
) -> None:
    first = f"/projects/small/gold/{disputed.image_id}/"
    assert f'<a class="button main" href="{first}">Annotate</a>' in ada.get("/projects/small/gold/").text
    assert "Annotate</a>" not in rita.get("/projects/small/gold/").text
    assert rita.get(address(disputed)).json()["settles"], "a requester may settle it nevertheless"


def test_another_reviewer_does_not_settle_it(disputed: GoldImage, draft: Project) -> None:
    cleo = browser(member(draft, Role.REVIEWER, "cleo"))
    assert "one of them settles" in cleo.get(address(disputed)).json()["problem"]
