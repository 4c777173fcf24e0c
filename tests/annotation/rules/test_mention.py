import pytest

from annotation.rules.mention import is_mention, words_before


@pytest.mark.parametrize(
    "chunk", ["a man", "two dogs", "the camera", "a trick", "someone", "one", "a green background"]
)
def test_it_takes_what_may_be_an_entity(chunk: str) -> None:
    assert is_mention(chunk.split())


@pytest.mark.parametrize("chunk", ["He", "they", "it", "himself", "each other", "his", "who", "that"])
def test_it_refuses_pronouns(chunk: str) -> None:
    assert not is_mention(chunk.split())


@pytest.mark.parametrize("chunk", ["background", "the background", "The air", "mid air", "her way", "the distance ."])
def test_it_refuses_non_visual_terms_with_or_without_an_article(chunk: str) -> None:
    assert not is_mention(chunk.split())


@pytest.mark.parametrize("words", [[], ["the"], [",", "."], [""]])
def test_it_refuses_a_chunk_without_a_noun(words: list[str]) -> None:
    assert not is_mention(words)


def test_a_project_may_use_other_lists() -> None:
    assert is_mention(["the", "air"], non_visual=frozenset({"smoke"}))
    assert not is_mention(["the", "smoke"], non_visual=frozenset({"smoke"}))
    assert is_mention(["he"], pronouns=frozenset())


def test_the_words_before_are_the_nearest_four() -> None:
    words = ["A", "man", "is", "riding", "on", "the", "horse"]
    assert words_before(words, 5) == "man is riding on"
    assert words_before(words, 1) == "A" and words_before(words, 0) == ""
