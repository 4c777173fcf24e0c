import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.rules.comparable import comparable_word
from exchange.words import character_span, joined_caption, tokenized_caption


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A man's hat.", ["A", "man", "'s", "hat", "."]),
        ("two men\u2019s t-shirts, don't!", ["two", "men", "\u2019s", "t-shirts", ",", "don't", "!"]),
        ("3.5 m (red)... 4:30pm", ["3.5", "m", "(", "red", ")", "...", "4:30pm"]),
        ('a "dog,cat"', ["a", '"', "dog", ",", "cat", '"']),
        ("un café d'été", ["un", "café", "d'été"]),
        ("हिन्दी 你好。", ["हिन्दी", "你好", "。"]),
        ("a t\u2011shirt \u2013 man\u2010made", ["a", "t\u2011shirt", "\u2013", "man\u2010made"]),
        ("a \u200b ma\u00adn\u200b", ["a", "ma\u00adn\u200b"]),
        (" \t\n", []),
    ],
)
def test_it_splits_punctuation_from_words(text: str, words: list[str]) -> None:
    assert list(tokenized_caption(text).words) == words


@settings(max_examples=100)
@given(st.text(max_size=40))
def test_words_and_white_space_are_the_whole_text(text: str) -> None:
    caption = tokenized_caption(text)
    assert caption.text == text
    position = 0
    for word, offset in zip(caption.words, caption.offsets, strict=True):
        assert not comparable_word("".join(text[position:offset].split()))
        assert text[offset : offset + len(word)] == word
        position = offset + len(word)
    assert not comparable_word("".join(text[position:].split()))


def test_a_span_of_words_is_a_span_of_characters() -> None:
    caption = joined_caption(("a", "red", "hat", "."))
    assert character_span(caption, 1, 3) == (2, 9)
    assert caption.text[2:9] == "red hat"
