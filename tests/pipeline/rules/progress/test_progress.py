"""Facts read off an image's progress."""

from annotation.rules.mention_type import MentionType
from pipeline.rules.progress.mention_progress import MentionProgress
from pipeline.rules.progress.progress import Cause, ImageProgress, Machine, Move
from tests.support.images import DOG, MAN, started


def test_reading_order_is_caption_then_first_word_not_number():
    rows = [
        MentionProgress(0, 1, 0, 1, [], "b"),
        MentionProgress(1, 0, 5, 6, [], "a"),
        MentionProgress(2, 0, 1, 2, [], "c"),
    ]
    assert ImageProgress(mentions={row.number: row for row in rows}).reading_order([0, 1, 2]) == [2, 1, 0]


def test_a_chain_has_the_types_of_all_its_mentions():
    story = started([DOG], [("animals/other", "it")]).link((0, 1))
    assert story.progress.types_of(story.chain()) == {"animals", "other"}
    assert story.progress.has_type(story.chain(), MentionType.OTHER)
    assert not story.progress.has_type(story.chain(), MentionType.PEOPLE)


def test_accepted_boxes_come_in_the_order_of_acceptance_and_without_the_discarded():
    story = started([MAN])
    for box in ([1, 1, 2, 2], [2, 2, 3, 3], [3, 3, 4, 4]):
        story.expert("draw", chain=0, box=box)
    story.expert("delete box", box=1)
    story.progress.boxes[0].accepted = 99
    assert [box.number for box in story.progress.accepted(0)] == [2, 0]
    assert story.progress.accepted(1) == []


def test_every_mention_has_a_chain():
    story = started([MAN, DOG], [MAN]).link((0, 2))
    assert [story.progress.chain_of(n).name for n in (0, 1, 2)] == [0, 1, 0]


def test_a_cause_names_the_other_chain_in_words():
    move = Move(Machine.CHAIN, 3, "complete", "complete", Cause.SAME_BOXES, 9, chain=1)
    assert (move.reason, move.cause) == ("merged into chain 1, same boxes", Cause.SAME_BOXES)
    assert Move(Machine.BOX, 0, "pending", "accepted", Cause.JUDGED_GOOD, 9).reason == "judged good"


def test_every_cause_reads_as_text_that_fits_its_column():
    assert all(0 < len(cause.value) <= 40 for cause in Cause)
