"""The version that an image follows, and what people chose."""

from dataclasses import replace

from pipeline.rules.boxing.prior.box_prior import BoxPrior
from pipeline.rules.linking.prior.link_prior import WORDLESS
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.versions import InForce, Version, begun_from, chosen_settings, followed_version

PLAIN = [Version(1, None), Version(2, None)]
SPARED = [Version(1, None), Version(2, 2), Version(3, 2), Version(4, 4)]


def test_a_begun_image_takes_the_newest_version_that_does_not_leave_it_behind():
    for versions, last, wanted in [
        (PLAIN, None, 2),
        (PLAIN, 1, 2),
        (SPARED, None, 4),
        (SPARED, 1, 1),
        (SPARED, 2, 3),
        (SPARED, 3, 3),
        (SPARED, 4, 4),
        ([*SPARED, Version(5, None)], 1, 5),
    ]:
        assert followed_version(versions, last) == wanted, f"{last} of {versions}"


def test_no_image_ever_goes_back_to_an_older_version():
    for last in range(1, 5):
        assert followed_version(SPARED, last) >= last


def test_only_a_version_that_changes_images_decides_anew_which_of_them_follow():
    assert begun_from(5, before=2, begun_follow=False, changes_images=False) == 2
    assert begun_from(5, before=2, begun_follow=True, changes_images=False) == 2
    assert begun_from(5, before=2, begun_follow=True, changes_images=True) is None
    assert begun_from(5, before=None, begun_follow=False, changes_images=True) == 5


GIVEN, LEARNED, OTHER = (replace(WORDLESS, refitted_on=images).to_json() for images in (0, 15, 30))
BOXES = BoxPrior(refitted_on=15).to_json()
FIRST = ProtocolSettings(link_prior=GIVEN)


def chosen(*versions: tuple[str, ProtocolSettings]) -> list[ProtocolSettings]:
    made = [InForce(number, who == "refit", settings) for number, (who, settings) in enumerate(versions, 1)]
    found = chosen_settings(made)
    assert list(found) == [one.number for one in made if not one.by_refit]
    return list(found.values())


def test_what_refits_learned_is_no_choice_and_a_later_choice_keeps_what_was_given():
    once, twice = replace(FIRST, link_prior=LEARNED), replace(FIRST, link_prior=OTHER, box_prior=BOXES)
    stricter = replace(twice, no_box_votes=3)
    versions = (("ada", FIRST), ("refit", once), ("refit", twice), ("ada", stricter))
    assert chosen(*versions) == [FIRST, replace(FIRST, no_box_votes=3)]


def test_a_learned_value_that_somebody_changes_is_chosen():
    learned = replace(FIRST, link_prior=LEARNED, box_prior=BOXES)
    versions = (("ada", FIRST), ("refit", learned), ("ada", replace(learned, link_prior={})))
    assert chosen(*versions) == [FIRST, replace(FIRST, link_prior={})]
