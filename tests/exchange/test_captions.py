import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.rules.comparable import comparable_word
from annotation.rules.dictionaries import load_dictionaries
from exchange import chunk_captions
from exchange.checks import Defect
from exchange.chunk_captions import Chunker, chunk_image, colors_worn, join_measures, make_chunker, trimmed, with_spans
from exchange.dataset import DatasetCaption, DatasetImage, DatasetMention
from exchange.names import image_name, natural_key
from exchange.split_captions import character_span, joined_caption, parse_markup, parse_types, tokenized_caption
from exchange.type_agreement import TypeAgreement, count_type_agreement, describe_type_agreement
from tests.support.table import case, row

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


@row("A man in an orange hat starring at something .", ["A man", "an orange hat", "something"])
@row("A group of people are on the street .", ["A group of people", "the street"])
@row("The middle of a blue play area .", ["The middle", "a blue play area"])
@row("A man in blue .", ["A man", "blue"])
@row(", .", [])
@row("", [])
def test_it_finds_short_phrases(text: str, expected: list[str], chunker: Chunker) -> None:
    assert phrases(chunker, text) == expected


def test_many_captions_give_the_same_as_one_by_one(chunker: Chunker) -> None:
    captions = [text.split() for text in ("A dog runs .", "", "Two women hold a red ball .")]
    assert list(chunker.chunk_many(captions)) == [chunker.chunk(words) for words in captions]


def test_an_image_gets_typed_mentions_and_non_visual_spans(chunker: Chunker) -> None:
    kept = DatasetMention(1, 0, 1, ("other",), "7")
    captions = (caption("A man in a hat with a dog in the background ."), caption("Dog sleeps .", chunked=True))
    image = chunk_image(DatasetImage("1", 10, 10, captions, (kept,)), chunker, LISTS)
    found = ((0, 2, "people"), (3, 5, "clothing"), (6, 8, "animals"))
    assert image.mentions == (*(DatasetMention(0, start, end, (kind,)) for start, end, kind in found), kept)
    assert image.captions[0].non_visual == ((9, 11),)
    assert all(each.chunked for each in image.captions)
    assert image.captions[1] == captions[1]


def test_there_is_no_chunker_where_the_model_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk_captions, "MODEL", "a_model_that_nobody_has")
    assert make_chunker() is None


@case("a measure joins what it measures", "a pair of jeans of the man", [(0, 2), (3, 4), (5, 7)], [(0, 4), (5, 7)])
@case("it does not join a phrase with an article", "the group of the men", [(0, 2), (3, 5)], [(0, 2), (3, 5)])
def test_measures_are_joined(text: str, spans: list[tuple[int, int]], joined: list[tuple[int, int]]) -> None:
    assert join_measures(text.split(), spans, LISTS) == joined


@row("man in red and black walks", [(0, 1)], [(2, 5)])
@row("man in red and walks", [(0, 1)], [(2, 3)])
@row("man in a red hat", [(0, 1), (2, 5)], [])
@row("man in red hat", [(0, 1), (2, 4)], [])
@row("man in the", [(0, 1)], [])
@row("in", [], [])
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


@row("A man's hat.", ["A", "man", "'s", "hat", "."])
@row("two men\u2019s t-shirts, don't!", ["two", "men", "\u2019s", "t-shirts", ",", "don't", "!"])
@row("3.5 m (red)... 4:30pm", ["3.5", "m", "(", "red", ")", "...", "4:30pm"])
@row('a "dog,cat"', ["a", '"', "dog", ",", "cat", '"'])
@row("un café d'été", ["un", "café", "d'été"])
@row("हिन्दी 你好。", ["हिन्दी", "你好", "。"])
@row("a t\u2011shirt \u2013 man\u2010made", ["a", "t\u2011shirt", "\u2013", "man\u2010made"])
@row("a \u200b ma\u00adn\u200b", ["a", "ma\u00adn\u200b"])
@row(" \t\n", [])
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


def test_numbers_sort_by_value_and_case_counts_last() -> None:
    names = ["b", "a10", "a2", "A2", "10", "9", "a", "009", "a2b"]
    assert sorted(names, key=natural_key) == ["009", "9", "10", "a", "A2", "a2", "a2b", "a10", "b"]


@settings(max_examples=100)
@given(st.text(max_size=8), st.text(max_size=8))
def test_different_names_have_different_keys_that_can_be_compared(a: str, b: str) -> None:
    assert (natural_key(a) == natural_key(b)) == (a == b)
    assert (natural_key(a) < natural_key(b)) != (natural_key(b) <= natural_key(a))


def test_a_name_has_no_ending_and_no_folders() -> None:
    assert image_name("a.b.jpg") == "a.b"
    assert image_name("train/cats/1.jpg") == "train_cats_1"


PATHS = ["/a.jpg", "../a.jpg", "a/./b", "a//b", "a\\b", "C:a", ".a.jpg"]


@pytest.mark.parametrize("value", ["", " ", *PATHS, "x" * 201, "a\nb\0"])
def test_it_refuses_paths_that_are_no_names(value: str) -> None:
    with pytest.raises(Defect):
        image_name(value)


plain = st.text(st.characters(exclude_characters="[]"), max_size=10)
phrases_of = st.text(st.characters(exclude_characters="[]/", exclude_categories=("Z", "C")), min_size=1, max_size=8)


@settings(max_examples=100)
@given(st.lists(st.tuples(plain, phrases_of), max_size=4), plain)
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
        assert not balanced, defect.message
    else:
        assert balanced
        assert len(marked.phrases) + len(marked.empty) == line.count("[")


def test_types_are_named_once_and_in_their_order() -> None:
    assert parse_types(["scene", "bodyparts", "scene"]) == ("scene", "body parts")
    with pytest.raises(Defect, match="unknown type 'Scene'"):
        parse_types(["Scene"])


def counted() -> TypeAgreement:
    words = ("a", "dog", "the", "bar", "a", "man", "it")
    caption = DatasetCaption(" ".join(words), words, (0,) * 7)
    typed = ((0, 2, "animals"), (2, 4, "scene"), (4, 6, "clothing"))
    mentions = (*(DatasetMention(0, start, end, (kind,)) for start, end, kind in typed), DatasetMention(0, 6, 7))
    return count_type_agreement([DatasetImage("1", 10, 10, (caption,), mentions)], load_dictionaries())


def test_it_counts_exact_and_shared_types_without_mentions_that_have_none_and_gives_precision_and_recall() -> None:
    agreement = counted()
    assert (agreement.mentions, agreement.exact, agreement.sharing) == (3, 1, 2)
    by_type = {kind: (agreement.precision(kind), agreement.recall(kind)) for kind in ("animals", "people", "clothing")}
    assert by_type == {"animals": (1.0, 1.0), "people": (0.0, None), "clothing": (None, 0.0)}


def test_it_prints_the_shares_and_the_differences_or_that_there_is_nothing_to_compare() -> None:
    text = describe_type_agreement(counted())
    assert "3 mentions; same types: 1 (33.3 %); at least one type shared: 2 (66.7 %)" in text
    assert "a man: clothing / people" in text
    assert "nothing can be compared" in describe_type_agreement(TypeAgreement())


def test_its_json_has_every_type_and_difference() -> None:
    data = counted().to_json()
    assert data["types"]["scene"] == {"theirs": 1, "ours": 1, "both": 1, "precision": 1.0, "recall": 1.0}
    assert [item["phrase"] for item in data["differences"]] == ["a man", "the bar"]


def type_agreement(data_folder: Path, tmp_path: Path, half: str | None) -> tuple[dict[str, int], str]:
    """Return what the command writes of a half of the real data, and what it says."""
    out, file = StringIO(), tmp_path / "types.json"
    call_command("type_agreement", data_folder / "flickr30k-entities", half=half, json=file, stdout=out)
    return json.loads(file.read_text(encoding="utf-8")), out.getvalue()


def test_the_dictionaries_agree_with_the_half_of_the_real_data_they_were_not_written_by(data_folder: Path, tmp_path):
    data, said = type_agreement(data_folder, tmp_path, "second")
    assert data["exact"] / data["mentions"] >= 0.90
    assert data["sharing"] / data["mentions"] >= 0.92
    assert f"{data['mentions']} mentions; same types: {data['exact']}" in said


@pytest.mark.slow
def test_the_halves_share_no_mention_and_make_up_the_whole(data_folder: Path, tmp_path: Path) -> None:
    halves = ("first", "second", None)
    first, second, whole = (type_agreement(data_folder, tmp_path, half)[0]["mentions"] for half in halves)
    assert first + second == whole == 7292


def test_the_command_says_what_is_wrong_with_a_folder(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no such folder"):
        call_command("type_agreement", tmp_path / "absent")
    with pytest.raises(CommandError, match="Sentences"):
        call_command("type_agreement", tmp_path)
