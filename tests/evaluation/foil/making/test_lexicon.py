"""The lexicon: COCO's 73 words, its file, what is wrong with one, and the pairs of words."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from evaluation.errors import InputError
from evaluation.foil.making.lexicon import (
    TEST,
    TRAIN,
    Lexicon,
    Word,
    pairs_of,
    read_lexicon,
    regular_plural,
    split_images,
    split_pairs,
)


def written(folder: Path, text: str) -> Path:
    path = folder / "lexicon.txt"
    path.write_text(text)
    return path


def test_coco_has_73_words_in_eleven_super_categories(coco_words: Lexicon) -> None:
    assert len(coco_words.words) == 73
    assert len({word.super_category for word in coco_words.words}) == 11


@pytest.mark.parametrize(
    ("word", "singular", "plural"),
    [
        ("bus", "bus", "buses"),
        ("knife", "knife", "knives"),
        ("sheep", "sheep", "sheep"),
        ("skis", None, "skis"),
        ("scissors", None, "scissors"),
        ("broccoli", "broccoli", None),
        ("toothbrush", "toothbrush", "toothbrushes"),
    ],
)
def test_words_have_their_forms(coco_words: Lexicon, word: str, singular: str | None, plural: str | None) -> None:
    assert (coco_words.by_word[word].form(plural=False), coco_words.by_word[word].form(plural=True)) == (
        singular,
        plural,
    )


def test_plurals_follow_the_spelling() -> None:
    assert [regular_plural(word) for word in ("dog", "bench", "glass", "pony", "toy")] == [
        "dogs", "benches", "glasses", "ponies", "toys",
    ]  # fmt: skip


def test_a_lexicon_reads_as_it_was_written(coco_words: Lexicon, tmp_path: Path) -> None:
    assert read_lexicon(written(tmp_path, coco_words.text())) == coco_words


def test_an_edited_file_has_alike_words_and_phrases(tmp_path: Path) -> None:
    found = read_lexicon(written(tmp_path, "# mine\npeople: man/men woman/women guy\nalike: man guy\nnot: old man\n"))
    assert found.alike == (frozenset({"man", "guy"}),)
    assert found.phrases == (("old", "man"),)
    assert found.by_form["men"].word == "man"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("animal dog", "lexicon.txt, line 1: a super-category, a colon and words are expected"),
        ("animal: dog\n: cat", "line 2: a super-category, a colon"),
        ("animal: dog//x", "line 1: 'dog//x' is none of word, word/plural"),
        ("animal: dog cat\nfood: dog", "'dog' stands twice: under animal and food"),
        ("animal: dog cat\nalike: dog wolf", "line 2: 'wolf' is not a word of the lexicon"),
        ("not: hot dog", "lexicon.txt holds no words"),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_lexicon(written(tmp_path, text))
    assert told in str(refused.value)


def test_a_folder_is_no_lexicon(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a file of text in UTF-8"):
        read_lexicon(tmp_path)


def test_cocos_words_make_472_pairs_within_super_categories(coco_words: Lexicon) -> None:
    pairs = pairs_of(coco_words)
    assert len(pairs) == len(set(pairs)) == 472
    kinds = {word.word: word.super_category for word in coco_words.words}
    assert all(target != foil and kinds[target] == kinds[foil] for target, foil in pairs)


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_split_256_to_216_and_a_pair_stays_with_its_reverse(coco_words: Lexicon, seed: int) -> None:
    parts = split_pairs(pairs_of(coco_words), np.random.default_rng(seed))
    assert Counter(parts.values()) == {TRAIN: 256, TEST: 216}
    assert all(parts[foil, target] == part for (target, foil), part in parts.items())


def test_another_seed_splits_otherwise(coco_words: Lexicon) -> None:
    first, second, again = (split_pairs(pairs_of(coco_words), np.random.default_rng(seed)) for seed in (0, 1, 0))
    assert first == again != second


def test_words_for_the_same_thing_are_no_pair() -> None:
    words = tuple(Word(one, "people", one, f"{one}s") for one in ("man", "guy", "woman"))
    found = pairs_of(Lexicon(words, (), (frozenset({"man", "guy"}),)))
    assert found == [("man", "woman"), ("guy", "woman"), ("woman", "man"), ("woman", "guy")]


def test_images_are_split_in_the_papers_proportion() -> None:
    parts = split_images([str(one) for one in range(1000)], np.random.default_rng(0))
    assert Counter(parts.values()) == {TRAIN: 671, TEST: 329}
