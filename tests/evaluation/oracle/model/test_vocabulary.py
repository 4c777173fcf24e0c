"""Words that occur often enough are known; the others are one unknown word."""

from evaluation.oracle.model.vocabulary import END, START, UNKNOWN, vocabulary_of


def test_rare_words_are_unknown() -> None:
    known = vocabulary_of([["a", "dog"], ["a", "cat"], ["a", "dog", "runs"]], least=2)
    assert known.words == ("a", "dog")
    assert len(known) == 6
    assert known.numbers(["a", "cat", "dog"]) == [START, 4, UNKNOWN, 5, END]
    assert known.text([START, 4, 5, END]) == "a dog"


def test_a_word_is_known_from_its_fourth_time() -> None:
    assert vocabulary_of([["dog", "cat"]] * 3 + [["dog"]]).words == ("dog",)
