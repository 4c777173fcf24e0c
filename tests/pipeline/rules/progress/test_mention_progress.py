"""A mention knows its words and its place, and is compared by how it reads."""

from pipeline.rules.progress.mention_progress import MentionProgress


def test_a_mention_knows_its_words_its_head_and_its_place():
    mention = MentionProgress(7, 2, 4, 6, ["people"], "the Men", "Dogs watch", "7e")
    assert (mention.head, mention.order) == ("men", (2, 4))
    words = ("the", "men"), ("dogs", "watch")
    assert mention.for_links() == (7, 2, 4, frozenset({"people"}), "men", *words, "7e", 0, (0, 0), False)


def test_a_mention_with_a_form_of_its_own_is_compared_by_it():
    mention = MentionProgress(1, 0, 0, 2, ["animals"], "three dogs…", form="three dogs")
    assert (mention.compared, mention.head) == ("three dogs", "dogs")
    assert mention.for_links().words == ("three", "dogs")


def test_a_row_of_the_record_may_name_a_sentence_which_counts_only_beyond_the_rules():
    mention = MentionProgress.of([3, 0, 9, 10, ["pronoun"], "she", "here", "", "", 2])
    assert (mention.sentence, mention.for_links().part) == (2, (0, 0))
    mention.by_sentence = True
    assert mention.for_links().part == (2, 10), "a pronoun may mean something in its own sentence"


def test_a_pronoun_is_linked_as_what_it_may_stand_for():
    assert MentionProgress(1, 0, 0, 1, ["pronoun"], "She").for_links().types == {"people"}
