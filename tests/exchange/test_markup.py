import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange.markup import parse_markup, parse_types
from exchange.problems import Defect

plain = st.text(st.characters(exclude_characters="[]"), max_size=10)
phrases = st.text(st.characters(exclude_characters="[]/", exclude_categories=("Z", "C")), min_size=1, max_size=8)


@settings(max_examples=100)
@given(st.lists(st.tuples(plain, phrases), max_size=4), plain)
def test_the_text_is_what_stands_there_without_brackets(pairs: list[tuple[str, str]], rest: str) -> None:
    marked = parse_markup("".join(f"{before}[{phrase}]" for before, phrase in pairs) + rest)
    assert marked.text == "".join(before + phrase for before, phrase in pairs) + rest
    assert [marked.words[phrase.start : phrase.end] for phrase in marked.phrases] == [(phrase,) for _, phrase in pairs]
    for word, offset in zip(marked.words, marked.offsets, strict=True):
        assert marked.text[offset : offset + len(word)] == word


@settings(max_examples=150)
@given(st.text("[]/ aE#", max_size=12))
def test_it_reads_a_line_or_says_what_is_wrong(line: str) -> None:
    depths = [line[:end].count("[") - line[:end].count("]") for end in range(len(line) + 1)]
    balanced = set(depths) <= {0, 1} and depths[-1] == 0
    try:
        marked = parse_markup(line)
    except Defect as defect:
        assert not balanced or "empty phrase" in defect.message
    else:
        assert balanced
        assert len(marked.phrases) == line.count("[")


def test_types_are_named_once_and_in_their_order() -> None:
    assert parse_types(["scene", "bodyparts", "scene"]) == ("scene", "body parts")
    with pytest.raises(Defect, match="unknown type 'Scene'"):
        parse_types(["Scene"])
