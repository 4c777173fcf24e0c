import re
from pathlib import Path

import pytest

from exchange.dataset import DatasetMention
from exchange.flickr30k.sentences import parse_caption, parse_sentences
from exchange.problems import Defect


def test_it_reads_words_phrases_types_and_chains() -> None:
    caption, mentions = parse_caption("[/EN#5/bodyparts/people A man 's arm] and [/EN#0/notvisual each other] .", 2)
    assert caption.text == "A man 's arm and each other ."
    assert caption.words == ("A", "man", "'s", "arm", "and", "each", "other", ".")
    assert caption.offsets == (0, 2, 6, 9, 13, 17, 22, 28)
    assert caption.non_visual == ((5, 7),)
    assert caption.chunked
    assert mentions == [DatasetMention(2, 0, 4, ("body parts", "people"), "5")]


def test_it_keeps_a_pronoun_that_is_annotated_and_a_phrase_without_types() -> None:
    _, mentions = parse_caption("[/EN#5/people He] sees [/EN#6 a dog]", 0)
    assert mentions == [DatasetMention(0, 0, 1, ("people",), "5"), DatasetMention(0, 2, 4, (), "6")]


def test_a_word_ends_at_a_bracket() -> None:
    caption, mentions = parse_caption("x[/EN#5/people a  man], too", 0)
    assert caption.text == "x a man , too"
    assert (mentions[0].start, mentions[0].end) == (1, 3)


def test_it_names_a_chain_without_leading_zeros() -> None:
    assert parse_caption("[/EN#007/people a man]", 0)[1][0].chain == "7"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[/EN#1/people a man", "the bracket at character 1 is not closed"),
        ("a [/EN#1/people a [/EN#2/other hat]]", "opens at character 19 inside the one at character 3"),
        ("a man] walks", "closes at character 6 that was never opened"),
        ("[/EN#1/people ] walks", "empty phrase"),
        ("[/EN#1/people] walks", "empty phrase"),
        ("[] walks", "empty phrase"),
        ("[/EN#1/persons a man]", "unknown type 'persons': the types are people, clothing, bodyparts"),
        ("[/EN#1/ a man]", "unknown type ''"),
        ("[/EN#x/people a man]", "chain id 'x' is not a whole number"),
        ("[/EN#/people a man]", "chain id '' is not a whole number"),
        ("[/EN#-1/people a man]", "chain id '-1' is not a whole number"),
        ("[/EN#\u0661/people a man]", "is not a whole number"),
        ("[/EN#0/people a man]", "chain 0 goes with the type notvisual alone"),
        ("[/EN#7/notvisual a man]", "chain 0 goes with the type notvisual alone"),
        ("[/EN#0/notvisual/people a man]", "chain 0 goes with the type notvisual alone"),
        ("[a man] walks", "a bracket without /EN#"),
        ("[/people a man] walks", "a bracket without /EN#"),
    ],
)
def test_it_refuses_bad_markup_and_says_where(line: str, message: str) -> None:
    with pytest.raises(Defect, match=re.escape(message)):
        parse_caption(line, 0)


def test_it_reports_every_bad_line_by_its_number_and_skips_blank_ones() -> None:
    sentences = parse_sentences(["A dog .", "", "[/EN#1/people a man", "A cat .", "a]", ""])
    assert [caption.text for caption in sentences.captions] == ["A dog .", "A cat ."]
    assert [defect.line for defect in sentences.defects] == [3, 5]


def test_it_reads_the_complete_sentence_files(data_folder: Path) -> None:
    folder = data_folder / "flickr30k-entities-with-notvisual" / "Sentences"
    read = [parse_sentences(file.read_text("utf-8").split("\n")) for file in sorted(folder.glob("*.txt"))]
    assert [len(sentences.captions) for sentences in read] == [5, 5, 5, 5]
    assert not any(sentences.defects for sentences in read)
    spans = [caption.words[start:end] for s in read for caption in s.captions for start, end in caption.non_visual]
    assert spans == [("each", "other")]


def test_it_refuses_exactly_the_french_lines_that_are_truly_bad(data_folder: Path) -> None:
    lines = (data_folder / "flickr30k-entities-french" / "public_val.fr").read_text("utf-8").splitlines()
    texts = [line.partition("**e** ")[2] for line in lines]
    assert len(texts) == 1014
    refused = set()
    for number, text in enumerate(texts):
        try:
            parse_caption(text, 0)
        except Defect:
            refused.add(number)
    # Another way to tell: brackets never go deeper than one, and all are closed at the end.
    bad = {number for number, text in enumerate(texts) if _depths(text) > {0, 1} or text.count("[") != text.count("]")}
    assert refused == bad
    assert len(refused) == 67


def _depths(text: str) -> set[int]:
    return {text[:end].count("[") - text[:end].count("]") for end in range(len(text) + 1)}
