"""The record of a data set that is being checked, in the box prior."""

from dataclasses import replace

from pipeline.rules.boxing.prior.box_prior import DEFAULT, ProgramRecord
from pipeline.rules.boxing.prior.program_trust import NO_BOXES, trust_of
from pipeline.rules.boxing.prior.source_record import with_source
from pipeline.rules.jurors.source import NO_SOURCE, Source

ENTITIES = Source(50, 0.95)


def test_nothing_changes_where_nothing_is_checked():
    assert with_source(DEFAULT, NO_SOURCE) is DEFAULT


def test_a_source_is_trusted_as_the_requester_says_before_anything_is_learned():
    assert round(trust_of("50", None, with_source(DEFAULT, ENTITIES)), 2) == 0.95
    assert trust_of("51", None, with_source(DEFAULT, ENTITIES)) == 0.5, "other programs are unknown"


def test_bad_boxes_that_were_found_lower_the_trust():
    record = ProgramRecord(NO_BOXES, (*NO_BOXES[:-1], 100.0))
    learned = replace(DEFAULT, programs={"50": record})
    assert trust_of("50", None, with_source(learned, ENTITIES)) < 0.7


def test_once_the_share_of_wrong_labels_is_known_the_doubtful_boxes_that_were_judged_count_no_more():
    record = ProgramRecord(NO_BOXES, (*NO_BOXES[:-1], 100.0))
    learned = replace(DEFAULT, programs={"50": record})
    known = ENTITIES._replace(wrong=(("", 0.0, 0.1),))
    assert round(trust_of("50", None, with_source(learned, known)), 2) == 0.92


def test_equal_priors_are_one_object():
    assert with_source(DEFAULT, ENTITIES) is with_source(DEFAULT, Source(50, 0.95))
