"""Choices of people are told apart from what refits learned, by the versions alone."""

from dataclasses import replace

from pipeline.rules.boxing.box_prior import BoxPrior
from pipeline.rules.linking.prior.link_prior import WORDLESS
from pipeline.rules.settings.chosen import InForce, chosen_settings
from pipeline.rules.settings.protocol import ProtocolSettings

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
