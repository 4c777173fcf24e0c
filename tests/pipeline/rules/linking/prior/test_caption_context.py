"""The words before a mention."""

from pipeline.rules.linking.prior.caption_context import context, stem


def test_the_context_is_the_last_word_and_the_stems_of_what_happens() -> None:
    assert context(("man", "is", "riding", "on")) == ("on", frozenset({"man", "rid"}))


def test_signs_and_words_of_grammar_tell_nothing() -> None:
    assert context((",", "next", "to", "the")) == ("the", frozenset())
    assert context(()) == ("", frozenset())


def test_forms_of_a_verb_have_one_stem() -> None:
    for words in ("riding rides ride", "running runs run", "jumped jumping", "sits sitting"):
        assert len({stem(word) for word in words.split()}) == 1, words


def test_short_words_stay_as_they_are() -> None:
    assert [stem(word) for word in ("red", "bus", "sing")] == ["red", "bus", "sing"]
