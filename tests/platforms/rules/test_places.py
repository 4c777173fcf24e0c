"""The number of places that are offered."""

from platforms.rules.places import Change, change, in_chunks, wanted


def test_as_many_as_there_is_work_up_to_the_most():
    assert wanted(work=3, most=20, budget_cents=None, cost_cents=50) == 3
    assert wanted(work=300, most=20, budget_cents=None, cost_cents=50) == 20


def test_no_more_than_the_money_pays_for():
    expected = {149: 2, 150: 3, 49: 0, 0: 0, -70: 0}
    assert {room: wanted(work=10, most=20, budget_cents=room, cost_cents=50) for room in expected} == expected


def test_offers_of_one_place_follow_the_work_place_by_place():
    assert change(target=5, offered=3, chunk=1) == Change(more=2)
    assert change(target=5, offered=5, chunk=1) == Change()
    assert change(target=2, offered=5, chunk=1) == Change(fewer=3)


def test_an_offer_of_many_places_is_renewed_when_half_of_them_are_gone():
    assert change(target=9, offered=5, chunk=9) == Change()
    assert change(target=9, offered=4, chunk=9) == Change(more=5)


def test_the_first_offer_is_made_whole():
    assert change(target=9, offered=0, chunk=100) == Change(more=9)
    assert change(target=1, offered=0, chunk=100) == Change(more=1)


def test_without_work_everything_ends():
    assert change(target=0, offered=9, chunk=9) == Change(fewer=9)


def test_places_come_in_offers_of_at_most_so_many():
    assert in_chunks(20, 9) == [9, 9, 2]
    assert in_chunks(18, 9) == [9, 9]
    assert in_chunks(0, 9) == []
