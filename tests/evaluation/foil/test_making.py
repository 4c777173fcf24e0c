"""Pieces of captions, their bare words and tags.
Targets, the foils that may stand for them, and the replacement.
The lexicon of an export: its common head nouns by the type of their phrases.
The lexicon: COCO's 73 words, its file, what is wrong with one, and the pairs of words.
The hardest foil has the lowest loss; trigrams are worked out by hand.
Sampling: by frequency a word is a foil at most as often as it is a target.
Items of planted captions keep every rule, whatever stands in the captions.
Generated items: one wrong word each, by every rule, on real captions of COCO and on planted ones.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.errors import InputError
from evaluation.foil.making import make_items as exchange
from evaluation.foil.making.lexicon import (
    COCO_WORDS,
    TEST,
    TRAIN,
    Lexicon,
    LexiconWord,
    assign_parts,
    bare,
    lexicon_of_export,
    mentioned,
    pairs_of,
    pieces_of,
    read_lexicon,
    regular_plural,
    split_pairs,
    tags_of,
)
from evaluation.foil.making.make_items import (
    FREQUENCY,
    UNIFORM,
    CaptionSource,
    CaptionTargets,
    FoilSupply,
    Maker,
    Trigram,
    drawn,
    lowest_loss,
)
from evaluation.reading.caption_file import read_captions
from evaluation.reading.coco import read_instances
from evaluation.reading.pictures import read_pictures
from tests.support.table import case, row

Refused = Callable[..., str]


@pytest.mark.parametrize(
    ("piece", "word"), [("Dog.", "dog"), ('"TV",', "tv"), ("dog's", "dog's"), ("hot-dog!", "hot-dog"), ("...", "")]
)
def test_bare_words_have_no_capitals_and_no_punctuation_at_their_ends(piece: str, word: str) -> None:
    assert bare(piece) == word


def test_each_piece_has_one_tag_whatever_sticks_to_it_and_all_that_is_mentioned_is_found_within_pieces() -> None:
    captions = ['Two "dogs", running fast .', "A bus is waiting."]
    tags = list(tags_of(captions))
    assert [len(own) for own in tags] == [len(pieces_of(caption)) for caption in captions]
    assert (tags[0][1], tags[1][1:]) == ("NNS", ["NN", "VBZ", "VBG"])
    assert mentioned("The dog's cat-flap (No. 2)") == ["the", "dog", "s", "cat", "flap", "no"]


ANIMALS = {"bird", "cat", "dog", "horse", "sheep", "elephant", "bear", "zebra", "giraffe"}


def found(caption: str, lexicon: Lexicon) -> list[tuple[int, str, bool]]:
    (tags,) = tags_of([caption])
    return [(one.place, one.word.word, one.plural) for one in exchange.targets_of(pieces_of(caption), tags, lexicon)]


@row("A dog sits.", [(1, "dog", False)])
@row("Two Dogs, outside.", [(1, "dog", True)])
@row("A man with skis stands.", [(3, "skis", True)])
@row("Several sheep eat grass.", [(1, "sheep", True)])
@row("A dog watches a bus.", [(1, "dog", False), (4, "bus", False)])
def test_nouns_of_the_lexicon_are_targets(
    caption: str, targets: list[tuple[int, str, bool]], coco_words: Lexicon
) -> None:
    assert found(caption, coco_words) == targets


@row("A man plays baseball.")
@row("A man eats a hot dog.")
@row("Two hot dogs on a plate.")
@row("A teddy bear sits.")
@row("A dog beside another dog.")
@row("A dog and two dogs play.")
@row("A dog sits by the dog's owner.")
@row("They train hard every day.")
@row("A dog-sled in the snow.")
def test_other_words_are_none(caption: str, coco_words: Lexicon) -> None:
    assert found(caption, coco_words) == []


def test_a_salient_word_stands_in_two_captions_in_any_form(coco_words: Lexicon) -> None:
    dog = coco_words.by_word["dog"]
    captions = [[bare(piece) for piece in text.split()] for text in ("A dog.", "Two dogs!", "A cat.", "A puppy.")]
    assert exchange.is_salient(dog, captions) and not exchange.is_salient(dog, captions[1:])
    assert not exchange.is_salient(dog, [["dog", "dog"], ["cat"]])


@row("A dog sits.", 1, "cat", "A cat sits.")
@row("Dogs, playing", 0, "cats", "Cats, playing")
@row('A "TV".', 1, "laptop", 'A "LAPTOP".')
@row("The (dog) barks", 1, "cat", "The (cat) barks")
@row("baseball and a ball", 3, "bat", "baseball and a bat")
def test_the_word_at_the_place_changes_alone(caption: str, place: int, form: str, foil: str) -> None:
    assert " ".join(exchange.replaced(caption.split(), place, form)) == foil


@row("a dog", "dog", "cat", False, True)
@row("a dog", "dog", "elephant", False, False)
@row("An elephant", "elephant", "zebra", False, False)
@row("the dog", "dog", "elephant", False, True)
@row("the skis", "skis", "kite", True, True)
@row("the kite", "kite", "skis", False, False)
@row("the carrots", "carrot", "broccoli", True, False)
@row("the carrot", "carrot", "broccoli", False, True)
@row("a carrot", "carrot", "broccoli", False, False)
def test_a_foil_keeps_number_and_article(
    caption: str, target: str, foil: str, *, plural: bool, right: bool, coco_words: Lexicon
) -> None:
    words = coco_words.by_word
    assert exchange.fits(caption.split(), 1, words[target], words[foil], plural=plural) is right


def test_the_article_follows_the_sound() -> None:
    words = ("apple", "unicorn", "umbrella", "hour", "horse", "one", "oven")
    assert list(filter(exchange.takes_an, words)) == ["apple", "umbrella", "hour", "oven"]


SHOWN = ["the cow", "Two DOGS, a pony and the cat's tail"]
UNSEEN = ANIMALS - {"dog", "horse", "cat"}


@case("foils are of the super category", ["the cow"], "", ANIMALS)
@case("a word of any caption is no foil in any form or under another name", SHOWN, "", UNSEEN)
@case("a category of a box is no foil", ["the cow"], "zebra,hot dog,teddy bear,sports ball", ANIMALS - {"zebra"})
def test_foils(captions: list[str], boxes: str, foils: set[str], coco_words: Lexicon) -> None:
    shown = exchange.shown_words(captions, set(boxes.split(",")), coco_words)
    target = exchange.Target(1, coco_words.by_word["cow"], False)
    assert {
        word.word for word in exchange.Foils(coco_words, pairs_of(coco_words)).of(["the", "cow"], target, shown)
    } == foils


def test_categories_are_known_by_their_last_word(coco_words: Lexicon) -> None:
    found = [
        exchange.word_of_category(name, coco_words) for name in ("sports ball", "dining table", "hot dog", "person", "")
    ]
    assert found == ["ball", "table", None, None, None]


def test_only_allowed_pairs_give_foils(coco_words: Lexicon) -> None:
    target = exchange.Target(1, coco_words.by_word["cow"], False)
    found = exchange.Foils(coco_words, [("cow", "cat"), ("dog", "bear")]).of(["the", "cow"], target, set())
    assert [word.word for word in found] == ["cat"]


@pytest.mark.slow
def test_real_phrases_give_words_with_their_types(entities: Path) -> None:
    lexicon = lexicon_of_export(read_pictures(entities))
    words, pairs = lexicon.by_word, pairs_of(lexicon)
    assert (words["man"].super_category, words["man"].plural) == ("people", "men")
    assert (words["dog"].super_category, words["shirt"].super_category) == ("animals", "clothing")
    assert "people" not in words
    assert {("man", "woman"), ("boy", "girl")} <= set(pairs) and ("man", "guy") not in pairs


def test_an_export_with_few_phrases_is_refused(export: Path) -> None:
    with pytest.raises(InputError, match="fewer than two nouns with 20 mentions"):
        lexicon_of_export(read_pictures(export))


def written(folder: Path, text: str) -> Path:
    path = folder / "lexicon.txt"
    path.write_text(text)
    return path


def test_cocos_73_words_in_eleven_super_categories_make_472_pairs_within_them(coco_words: Lexicon) -> None:
    pairs, kinds = pairs_of(coco_words), {word.word: word.super_category for word in coco_words.words}
    assert (len(coco_words.words), len(set(kinds.values()))) == (73, 11)
    assert len(pairs) == len(set(pairs)) == 472
    assert all(target != foil and kinds[target] == kinds[foil] for target, foil in pairs)


@row("bus", "bus", "buses")
@row("knife", "knife", "knives")
@row("sheep", "sheep", "sheep")
@row("skis", None, "skis")
@row("scissors", None, "scissors")
@row("broccoli", "broccoli", None)
@row("toothbrush", "toothbrush", "toothbrushes")
def test_words_have_their_forms(name: str, singular: str | None, plural: str | None, coco_words: Lexicon) -> None:
    word = coco_words.by_word[name]
    assert (word.form(plural=False), word.form(plural=True)) == (singular, plural)


def test_plurals_follow_the_spelling() -> None:
    assert [regular_plural(word) for word in ("dog", "bench", "glass", "pony", "toy")] == [
        "dogs", "benches", "glasses", "ponies", "toys",
    ]  # fmt: skip


def test_a_lexicon_reads_as_it_was_written_and_an_edited_file_with_alike_words_and_phrases(
    coco_words: Lexicon, tmp_path: Path
) -> None:
    assert read_lexicon(written(tmp_path, coco_words.text())) == coco_words
    found = read_lexicon(written(tmp_path, "# mine\npeople: man/men woman/women guy\nalike: man guy\nnot: old man\n"))
    assert found.alike == (frozenset({"man", "guy"}),) and found.phrases == (("old", "man"),)
    assert found.by_form["men"].word == "man"


@row("animal dog", "lexicon.txt, line 1: a super-category, a colon and words are expected")
@row("animal: dog\n: cat", "line 2: a super-category, a colon")
@row("animal: dog//x", "line 1: 'dog//x' is none of word, word/plural")
@row("animal: dog cat\nfood: dog", "'dog' stands twice: under animal and food")
@row("animal: dog cat\nalike: dog wolf", "line 2: 'wolf' is not a word of the lexicon")
@row("not: hot dog", "lexicon.txt holds no words")
def test_a_bad_file_is_named_and_a_folder_is_no_lexicon(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        read_lexicon(written(tmp_path, text))
    with pytest.raises(InputError, match="not a file of text in UTF-8"):
        read_lexicon(tmp_path)


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_split_256_to_216_by_seed_and_a_pair_stays_with_its_reverse(coco_words: Lexicon, seed: int) -> None:
    parts, same, other = (split_pairs(pairs_of(coco_words), np.random.default_rng(n)) for n in (seed, seed, seed + 1))
    assert Counter(parts.values()) == {TRAIN: 256, TEST: 216}
    assert all(parts[foil, target] == part for (target, foil), part in parts.items())
    assert parts == same != other


def test_words_for_the_same_thing_are_no_pair() -> None:
    words = tuple(LexiconWord(one, "people", one, f"{one}s") for one in ("man", "guy", "woman"))
    found = pairs_of(Lexicon(words, (), (frozenset({"man", "guy"}),)))
    assert found == [("man", "woman"), ("guy", "woman"), ("woman", "man"), ("woman", "guy")]


def test_images_are_split_in_the_papers_proportion() -> None:
    parts = assign_parts([str(one) for one in range(1000)], np.random.default_rng(0))
    assert Counter(parts.values()) == {TRAIN: 671, TEST: 329}


def test_a_loss_is_the_mean_over_words_and_the_end_and_the_lowest_is_chosen_or_the_first_of_equal_ones() -> None:
    model = Trigram([["a", "dog"], ["a", "cat"]])
    # Words: a, dog, cat, the end, and one for all others: 5.
    seen = -(log(3 / 7) + log(2 / 7) + log(2 / 6)) / 3
    other = -(log(3 / 7) + log(1 / 7) + log(1 / 5)) / 3
    assert model.losses("any", [["a", "dog"], ["a", "cow"]]) == pytest.approx([seen, other])
    assert lowest_loss([2.0, 1.5, 3.0, 1.5]) == 1


def test_more_likely_captions_lose_less() -> None:
    model = Trigram([["a", "man", "rides", "a", "horse"]] * 9 + [["a", "man", "rides", "a", "bus"]])
    horse, bus, cow = model.losses("any", [["a", "man", "rides", "a", word] for word in ("horse", "bus", "cow")])
    assert horse < bus < cow


def test_foils_are_drawn_in_proportion_to_what_is_left_and_uniform_ones_are_never_used_up(coco_words: Lexicon) -> None:
    dog, cat, cow = (coco_words.by_word[word] for word in ("dog", "cat", "cow"))
    stock, uniform = FoilSupply(FREQUENCY), FoilSupply(UNIFORM)
    for word in (dog, dog, dog, cat):
        stock.add([(word, False)])
    assert stock.weights([dog, cat, cow], plural=False).tolist() == [3, 1, 0]
    for one in (stock, uniform):
        one.take(cat, plural=False)
    assert stock.weights([dog, cat, cow], plural=False).tolist() == [3, 0, 0]
    assert stock.weights([dog], plural=True).tolist() == [0]
    assert uniform.weights([cat, dog], plural=False).tolist() == [1, 1]


def test_the_targets_of_a_caption_count_as_one(coco_words: Lexicon) -> None:
    stock = FoilSupply(FREQUENCY)
    stock.add([(coco_words.by_word["dog"], False), (coco_words.by_word["bus"], True)])
    assert stock.weights([coco_words.by_word["dog"]], plural=False).tolist() == [0.5]


def test_draws_follow_the_weights() -> None:
    rng = np.random.default_rng(0)
    found = Counter(drawn(np.array([3.0, 0.0, 1.0]), rng) for _ in range(4000))
    assert found[1] == 0 and abs(found[0] - 3000) < 150


LEXICON = read_lexicon(COCO_WORDS)
PAIRS = dict.fromkeys(pairs_of(LEXICON), "train")
NOUNS = (
    *["ball", "Balls", "bat", "baseball", "skis", "kite", "Dog,", "dogs", "DOG", "(elephant)", "apple", "cake"],
    "hot dog",
)
TAGS = {word: "NNS" if word.lower().rstrip(",").endswith("s") else "NN" for word in NOUNS}
OTHERS = ("a dog", "an elephant", "a", "an", "the", "near")
ARTICLES = ("a dog", "An elephant", "the dog", "A big dog")
captions = st.one_of(
    st.lists(st.lists(st.sampled_from((*NOUNS, *OTHERS)), min_size=1, max_size=9), min_size=1, max_size=5),
    st.lists(st.lists(st.sampled_from(ARTICLES), min_size=1, max_size=1), min_size=2, max_size=5),
)


@given(captions=captions, seed=st.integers(0, 5), sampling=st.sampled_from(["frequency", "uniform"]))
@settings(max_examples=100, deadline=None)
def test_an_item_differs_in_one_whole_word_that_the_image_does_not_mention(
    captions: list[list[str]], seed: int, sampling: str
) -> None:
    texts = [" ".join(words) for words in captions]
    marked = []
    for number, text in enumerate(texts):
        pieces = text.split()
        tags = [TAGS.get(piece, "NN" if piece in ("hot", "dog", "elephant") else "DT") for piece in pieces]
        if targets := exchange.targets_of(pieces, tags, LEXICON):
            marked.append(CaptionTargets("image", number, pieces, targets))
    maker = Maker(CaptionSource({"image": texts}, {}), LEXICON, PAIRS, {"image": "train"}, sampling)
    for item in maker.make(marked, np.random.default_rng(seed)).items:
        check(asdict(item), texts, LEXICON)
        old, new = item.caption.split(), item.foil.split()
        before, after = (pieces[item.place].strip("(),") for pieces in (old, new))
        assert before.isupper() == after.isupper()
        assert sum(word in LEXICON.by_word[item.target].forms for word in mentioned(item.caption)) == 1
        assert not (before.lower() == "dog" and item.place and old[item.place - 1] == "hot")


Run = Callable[..., dict[str, Any]]
GENERATE = ("foil", "generate")


def items_in(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]


def check(item: dict[str, Any], captions: list[str], lexicon: Lexicon) -> None:
    """Hold an item against the rules, written down again without the code that makes items."""
    old, new = item["caption"].split(" "), item["foil"].split(" ")
    assert item["caption"] in captions
    assert [place for place, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]] == [item["place"]]
    target, foil = (lexicon.by_word[item[side]] for side in ("target", "foil_word"))
    assert target.super_category == foil.super_category == item["super_category"]
    before, after = (re.sub(r"\W", "", pieces[item["place"]]) for pieces in (old, new))
    assert (before.lower(), after.lower()) in {(target.singular, foil.singular), (target.plural, foil.plural)}
    assert before[0].isupper() == after[0].isupper()
    words = [set(re.findall(r"[a-z]+", caption.lower())) for caption in captions]
    assert not any(foil.forms & own for own in words) and sum(bool(target.forms & own) for own in words) >= 2
    if item["place"] and old[item["place"] - 1].lower() in ("a", "an"):
        assert (before[0].lower() in "aeiou") == (after[0].lower() in "aeiou")


@pytest.mark.slow
@pytest.mark.parametrize("sampling", ["frequency", "uniform"])
def test_every_item_of_real_captions_keeps_every_rule(
    run: Run, data_folder: Path, tmp_path: Path, coco_words: Lexicon, sampling: str
) -> None:
    coco = data_folder / "coco"
    files = ("--captions", coco / "captions.json", "--instances", coco / "instances.json")
    figures = run(*GENERATE, *files, "--sampling", sampling)["figures"]
    items, captions = items_in(tmp_path / "report"), read_captions(coco / "captions.json")
    assert figures["items"] == len(items) >= 100
    assert (figures["words"], figures["pairs"], figures["pairs.train"], figures["pairs.test"]) == (73, 472, 256, 216)
    assert figures["captions_with_target"] >= figures["captions_with_salient_target"] >= len(items)
    boxes = read_instances(coco / "instances.json")
    for item in items:
        check(item, captions[item["image"]], coco_words)
        assert item["foil_word"] not in {name.split()[-1] for name in boxes[item["image"]]}
    parts = {part: [item for item in items if item["part"] == part] for part in ("train", "test")}
    for shared in ("image", "pair"):
        first, second = (
            {item["image"] if shared == "image" else (item["target"], item["foil_word"]) for item in own}
            for own in parts.values()
        )
        assert first
        assert second and first.isdisjoint(second)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_items(run: Run, dogs_and_cats: Path, tmp_path: Path) -> None:
    for out, seed in (("first", "3"), ("second", "3"), ("third", "4")):
        run(*GENERATE, "--captions", dogs_and_cats, "--seed", seed, out=out)
    first, second, third = ((tmp_path / out / "items.jsonl").read_bytes() for out in ("first", "second", "third"))
    assert first == second != third


def test_no_word_is_a_foil_more_often_than_a_target(run: Run, token_file: Callable[..., Path], tmp_path: Path) -> None:
    images = {
        f"{word}{i}": [f"the {word} sits", f"a {word}"] for word, n in (("dog", 60), ("cat", 9)) for i in range(n)
    }
    for sampling in ("frequency", "uniform"):
        run(*GENERATE, "--captions", token_file(images), "--sampling", sampling, out=sampling)
    frequency, uniform = (
        Counter(item["foil_word"] for item in items_in(tmp_path / sampling)) for sampling in ("frequency", "uniform")
    )
    assert frequency.keys() == {"dog", "cat"} and frequency["cat"] <= 18
    assert len(uniform) > 5


def test_mining_keeps_the_most_likely_foil(run: Run, token_file: Callable[..., Path], tmp_path: Path) -> None:
    seen = {f"seen{i}": ["A man rides a horse .", "A horse ."] for i in range(20)}
    other = {f"other{i}": ["A man feeds a cow .", "A cow ."] for i in range(20)}
    path = token_file({**seen, **other, "one": ["A man rides a bear .", "The bear ."]})
    report = run(*GENERATE, "--captions", path, "--mining", "trigram", "--sampling", "uniform", charts=True)
    (item,) = [one for one in items_in(tmp_path / "report") if one["item"] == "one#0"]
    pairs = (tmp_path / "report" / "pairs.csv").read_text()
    allowed = [word for word in ("horse", "cow") if f"bear,{word},{item['part']}," in pairs]
    assert allowed and item["foil_word"] == allowed[0]
    figures = report["figures"]
    assert figures["loss.original"] < figures["loss.kept"] < figures["loss.foils"]
    assert {"losses.svg", "super_categories.svg"} <= {one.name for one in (tmp_path / "report").iterdir()}


@pytest.mark.slow
def test_an_export_gives_its_own_words(run: Run, entities: Path, tmp_path: Path) -> None:
    figures = run(*GENERATE, "--data", entities)["figures"]
    items = items_in(tmp_path / "report")
    assert figures["items"] == len(items) > 100
    lexicon = read_lexicon(tmp_path / "report" / "lexicon.txt")
    captions = read_captions(entities)
    for item in items:
        check(item, captions[item["image"]], lexicon)


@row({"a": ["Nothing here .", "Nobody ."]}, "No caption has a target")
@row({"a": ["A dog sits .", "Nobody ."]}, "No caption has a foil (with a target: 1)")
def test_captions_without_targets_or_foils_are_refused(
    captions: Any, told: str, token_file: Callable[..., Path], refused: Refused
) -> None:
    assert told in refused(*GENERATE, "--captions", token_file(captions))


def test_instances_of_other_images_and_captions_given_with_an_export_are_refused(
    dogs_and_cats: Path, export: Path, data_folder: Path, refused: Refused
) -> None:
    told = refused(*GENERATE, "--captions", dogs_and_cats, "--instances", data_folder / "coco" / "instances.json")
    assert "does not list the image 'dog0' of the captions (120 of 120 are missing)" in told
    for one_given in ((), ("--captions", dogs_and_cats, "--data", export)):
        told = refused(*GENERATE, *one_given)
        assert "Give either --captions, a file of captions, or --data, an export" in told
