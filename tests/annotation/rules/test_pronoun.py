"""Pronouns that can be mentions, and what they may stand for."""

import pytest

from annotation.rules.mention_type import MentionType
from annotation.rules.pronoun import linked_as, may_be_mention


@pytest.mark.parametrize(("word", "kept"), [("she", True), ("themselves", True), ("who", False), ("i", False)])
def test_only_pronouns_for_something_in_the_picture_may_be_mentions(word: str, kept: bool) -> None:  # noqa: FBT001
    assert may_be_mention([word]) is kept


@pytest.mark.parametrize(
    ("word", "allowed", "excluded"),
    [("she", "people", "clothing"), ("it", "animals", "people"), ("them", "people", "scene"), ("someone", "scene", "")],
)
def test_links_read_a_pronoun_as_what_its_word_allows(word: str, allowed: str, excluded: str) -> None:
    read = linked_as([MentionType.PRONOUN.value], [word])
    assert allowed in read
    assert not {excluded, "pronoun"} & set(read)


def test_nouns_keep_their_types() -> None:
    assert linked_as(["people", "other"], ["it"]) == ["people", "other"]
