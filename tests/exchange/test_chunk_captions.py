import pytest

from annotation.rules.dictionaries import load_dictionaries
from exchange import chunk_captions
from exchange.chunk_captions import Chunker, chunk_image, colors_worn, join_measures, make_chunker, trimmed, with_spans
from exchange.dataset import DatasetCaption, DatasetImage, DatasetMention

LISTS = load_dictionaries()


@pytest.fixture(scope="module")
def chunker() -> Chunker:
    made = make_chunker()
    if made is None:
        pytest.skip(f'the optional extra "nlp" ({chunk_captions.MODEL}) is not installed')
    return made


def caption(text: str, *, chunked: bool = False) -> DatasetCaption:
    words = tuple(text.split())
    offsets = tuple(len(" ".join(words[:at])) + (at > 0) for at in range(len(words)))
    return DatasetCaption(text, words, offsets, chunked=chunked)


def phrases(chunker: Chunker, text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[start:end]) for start, end in chunker.chunk(words)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A man in an orange hat starring at something .", ["A man", "an orange hat", "something"]),
        ("A group of people are on the street .", ["A group of people", "the street"]),
        ("The middle of a blue play area .", ["The middle", "a blue play area"]),
        ("A man in blue .", ["A man", "blue"]),
        (", .", []),
        ("", []),
    ],
)
def test_it_finds_short_phrases(chunker: Chunker, text: str, expected: list[str]) -> None:
    assert phrases(chunker, text) == expected


def test_many_captions_give_the_same_as_one_by_one(chunker: Chunker) -> None:
    captions = [text.split() for text in ("A dog runs .", "", "Two women hold a red ball .")]
    assert list(chunker.chunk_many(captions)) == [chunker.chunk(words) for words in captions]


def test_an_image_gets_typed_mentions_and_non_visual_spans(chunker: Chunker) -> None:
    kept = DatasetMention(1, 0, 1, ("other",), "7")
    captions = (caption("A man in a hat with a dog in the background ."), caption("Dog sleeps .", chunked=True))
    image = chunk_image(DatasetImage("1", 10, 10, captions, (kept,)), chunker, LISTS)
    assert image.mentions == (
        DatasetMention(0, 0, 2, ("people",)),
        DatasetMention(0, 3, 5, ("clothing",)),
        DatasetMention(0, 6, 8, ("animals",)),
        kept,
    )
    assert image.captions[0].non_visual == ((9, 11),)
    assert all(each.chunked for each in image.captions)
    assert image.captions[1] == captions[1]


def test_there_is_no_chunker_where_the_model_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk_captions, "MODEL", "a_model_that_nobody_has")
    assert make_chunker() is None


def test_a_measure_joins_what_it_measures() -> None:
    words = ["a", "pair", "of", "jeans", "of", "the", "man"]
    assert join_measures(words, [(0, 2), (3, 4), (5, 7)], LISTS) == [(0, 4), (5, 7)]


def test_a_measure_does_not_join_a_phrase_with_an_article() -> None:
    assert join_measures(["the", "group", "of", "the", "men"], [(0, 2), (3, 5)], LISTS) == [(0, 2), (3, 5)]


@pytest.mark.parametrize(
    ("text", "spans", "found"),
    [
        ("man in red and black walks", [(0, 1)], [(2, 5)]),
        ("man in red and walks", [(0, 1)], [(2, 3)]),
        ("man in a red hat", [(0, 1), (2, 5)], []),
        ("man in red hat", [(0, 1), (2, 4)], []),
        ("man in the", [(0, 1)], []),
        ("in", [], []),
    ],
)
def test_colours_behind_in_are_worn(text: str, spans: list[tuple[int, int]], found: list[tuple[int, int]]) -> None:
    assert colors_worn(text.split(), spans, LISTS) == found


def test_punctuation_at_the_ends_is_cut_off() -> None:
    assert trimmed([",", "a", "dog", ".", "-"], [(0, 4), (4, 5)]) == [(1, 3)]


def test_pronouns_are_phrases_of_their_own_type_where_a_project_keeps_them() -> None:
    image = DatasetImage("1", 10, 10, (caption("She waves at her while it rains on each other"),))
    spans = [(0, 1), (3, 4), (5, 6), (8, 10)]
    kept = with_spans(image, [spans], LISTS.with_pronouns())
    assert [(one.start, one.types) for one in kept.mentions] == [(at, ("pronoun",)) for at in (0, 3, 5)]
    assert kept.captions[0].non_visual == ((8, 10),)
    assert with_spans(image, [spans], LISTS).mentions == ()
