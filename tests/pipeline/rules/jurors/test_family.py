"""Programs of one family count once, until answers show that they are two."""

from pipeline.rules.jurors.family import NO_FAMILIES, Families
from pipeline.rules.jurors.shared_errors import TELLS, SharedErrors

NAMES = {"7": "llava", "8": "llava", "9": "llava", "12": "qwen"}
TWO = {"7 8": SharedErrors(apart=TELLS)}
FAMILIES, RELEASED = Families(NAMES), Families(NAMES, TWO)


def counting(families: Families, *programs: int | None) -> list[int | None]:
    return families.firsts(programs, lambda one: (one, "the same box"))


def test_programs_of_one_family_are_one_and_others_are_not():
    assert FAMILIES.are_one(7, "8") and FAMILIES.are_one(3, 3)
    assert not FAMILIES.are_one(7, 12) and not FAMILIES.are_one(3, 4), "two of no family"


def test_of_answers_about_one_thing_the_first_of_each_family_counts_and_every_persons():
    assert counting(FAMILIES, None, 8, 12, None, 7, 9) == [None, 8, 12, None]
    assert counting(NO_FAMILIES, 8, 7, 9) == [8, 7, 9]
    assert FAMILIES.firsts([7, 8], lambda one: (one, one)) == [7, 8], "about two things"


def test_two_whose_answers_show_them_apart_count_as_two_and_again_as_one_once_that_ends():
    assert counting(RELEASED, 7, 8) == [7, 8]
    assert counting(RELEASED, 7, 9, 8) == [7, 8], "the third is still one with both"
    turned = Families(NAMES, {"7 8": SharedErrors(apart=TELLS - 0.1)})
    assert counting(turned, 7, 8) == [7]


def test_kin_are_the_others_that_count_as_one_with_a_program():
    assert FAMILIES.kin([7], (7, 8, 12)) == [8] and RELEASED.kin([7], (7, 8, 9)) == [9]
    assert NO_FAMILIES.kin([7], (7, 8)) == []


def test_of_what_programs_said_of_an_image_that_of_the_lowest_number_of_each_family_counts():
    assert FAMILIES.one_of_each({"12": "a", "8": "b", "7": "c"}) == {"12": "a", "7": "c"}
    assert NO_FAMILIES.one_of_each({8: "b", 7: "c"}) == {8: "b", 7: "c"}
