"""A mention knows its words and its place, and is compared by how it reads."""

from pipeline.rules.progress.mention_progress import MentionProgress


def test_a_mention_knows_its_words_its_head_and_its_place():
    mention = MentionProgress(7, 2, 4, 6, ["people"], "the Men", "Dogs watch", "7e")
    assert (mention.head, mention.order) == ("men", (2, 4))
    assert mention.for_links() == (
        7,
        2,
        4,
        frozenset({"people"}),
        "men",
        ("the", "men"),
        ("dogs", "watch"),
        "7e",
        0,
        (0, 0),
    )


def test_a_mention_with_a_form_of_its_own_is_compared_by_it():
    mention = MentionProgress(1, 0, 0, 2, ["animals"], "three dogs…", form="three dogs")
    assert (mention.compared, mention.head) == ("three dogs", "dogs")
    assert mention.for_links().words == ("three", "dogs")
