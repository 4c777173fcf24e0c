import pytest

from pipeline.rules.linking.link_evidence import Verdicts, link_evidence
from pipeline.rules.linking.transitivity import LinkMention

MENTIONS = [LinkMention(10 * (3 - caption), caption, 0, frozenset(["people"]), "man") for caption in range(3)]


def test_links_are_positions_in_reading_order_not_mention_numbers():
    assert link_evidence(MENTIONS, {(30, 10): [True]}, {}, ()).first == {(0, 2): True}


def test_a_pair_against_reading_order_is_refused():
    with pytest.raises(ValueError, match=r"\(10, 30\).*reading order"):
        link_evidence(MENTIONS, {(10, 30): [True]}, {}, ())


def test_the_first_vote_is_what_placement_sees():
    assert link_evidence(MENTIONS, {(30, 20): [False, True, True]}, {}, ()).first == {(0, 1): False}


def test_an_expert_replaces_votes_and_skipping():
    evidence = link_evidence(MENTIONS, {(30, 20): [True]}, {(30, 20): False}, [(30, 20)])
    assert (evidence.first, dict(evidence.votes), evidence.skipped) == ({(0, 1): False}, {}, frozenset())


def test_pairs_of_other_groups_and_pairs_without_a_vote_are_left_out():
    evidence = link_evidence(MENTIONS, {(30, 99): [True], (30, 20): []}, {(98, 99): True}, [(97, 99)])
    assert evidence.first == {}


def test_a_link_ruled_out_is_no_until_an_expert_sets_it():
    same = [MENTIONS[0], LinkMention(31, 0, 4, frozenset(["people"]), "boy")]
    group = link_evidence(same, {}, {}, ()).group
    verdicts = Verdicts(group, [])
    assert verdicts.no == [0b10, 0b01]
    verdicts.set((0, 1), verdict=True)
    assert (verdicts.yes, verdicts.no) == ([0b10, 0b01], [0, 0])
