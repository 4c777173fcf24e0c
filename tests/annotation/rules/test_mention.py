from annotation.rules.mention import is_mention, words_before


def taken(*chunks: str) -> list[str]:
    return [chunk for chunk in chunks if is_mention(chunk.split())]


def test_it_takes_what_may_be_an_entity() -> None:
    chunks = ["a man", "two dogs", "the camera", "a trick", "someone", "one", "a green background"]
    assert taken(*chunks) == chunks


def test_it_refuses_pronouns() -> None:
    assert taken("He", "they", "it", "himself", "each other", "his", "who", "that") == []


def test_it_refuses_non_visual_terms_with_or_without_an_article() -> None:
    assert taken("background", "the background", "The air", "mid air", "her way", "the distance .") == []


def test_it_refuses_a_chunk_without_a_noun() -> None:
    words: list[list[str]] = [[], ["the"], [",", "."], [""]]
    assert [chunk for chunk in words if is_mention(chunk)] == []


def test_a_project_may_use_other_lists() -> None:
    assert is_mention(["the", "air"], non_visual=frozenset({"smoke"}))
    assert not is_mention(["the", "smoke"], non_visual=frozenset({"smoke"}))
    assert is_mention(["he"], pronouns=frozenset())


def test_the_words_before_are_the_nearest_four() -> None:
    words = ["A", "man", "is", "riding", "on", "the", "horse"]
    assert words_before(words, 5) == "man is riding on"
    assert words_before(words, 1) == "A" and words_before(words, 0) == ""
