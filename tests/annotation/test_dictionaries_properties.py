"""The types of random chunks, and the files of word lists."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.rules.dictionaries import load_dictionaries, read_list, types_of
from annotation.rules.mention_type import MentionType

SHIPPED = load_dictionaries()


@settings(max_examples=100)
@given(
    st.lists(
        st.sampled_from(
            [
                "a",
                "of",
                "the",
                "group",
                "full",
                "red",
                "and",
                "dog",
                "hot",
                "men",
                "bar",
                ".",
                "full",
                "bottle",
                "water",
                "-",
            ]
        ),
        max_size=8,
    )
)
def test_every_chunk_has_types_in_the_order_of_the_types(words: list[str]) -> None:
    found = types_of(words, SHIPPED)
    assert found and list(found) == [kind for kind in MentionType if kind in found]


def test_comments_and_empty_lines_of_a_list_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text("# Words.\n\n Hot  Dog \nlamp\n", encoding="utf-8")
    assert read_list(tmp_path / "some.txt") == {"hot dog", "lamp"}
