"""Generated items: one wrong word each, by every rule, on real captions of COCO and on planted ones."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.foil.making.lexicon import Lexicon, read_lexicon
from evaluation.reading.caption_file import read_captions
from evaluation.reading.coco import read_instances

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
    assert not any(foil.forms & own for own in words)
    assert sum(bool(target.forms & own) for own in words) >= 2
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
        assert second
        assert first.isdisjoint(second)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_items(run: Run, dogs_and_cats: Path, tmp_path: Path) -> None:
    for out, seed in (("first", "3"), ("second", "3"), ("third", "4")):
        run(*GENERATE, "--captions", dogs_and_cats, "--seed", seed, out=out)
    first, second, third = ((tmp_path / out / "items.jsonl").read_bytes() for out in ("first", "second", "third"))
    assert first == second != third


def test_by_frequency_no_word_is_a_foil_more_often_than_a_target(
    run: Run, token_file: Callable[..., Path], tmp_path: Path
) -> None:
    images = {
        f"{word}{i}": [f"the {word} sits", f"a {word}"] for word, n in (("dog", 60), ("cat", 9)) for i in range(n)
    }
    for sampling in ("frequency", "uniform"):
        run(*GENERATE, "--captions", token_file(images), "--sampling", sampling, out=sampling)
    frequency, uniform = (
        Counter(item["foil_word"] for item in items_in(tmp_path / sampling)) for sampling in ("frequency", "uniform")
    )
    assert frequency.keys() == {"dog", "cat"}
    assert frequency["cat"] <= 18
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


@pytest.mark.parametrize(
    ("captions", "told"),
    [
        ({"a": ["Nothing here .", "Nobody ."]}, "No caption has a target"),
        ({"a": ["A dog sits .", "Nobody ."]}, "No caption has a foil (with a target: 1)"),
    ],
)
def test_captions_without_targets_or_foils_are_refused(
    token_file: Callable[..., Path], refused: Callable[..., str], captions: Any, told: str
) -> None:
    assert told in refused(*GENERATE, "--captions", token_file(captions))


def test_instances_of_other_images_are_refused(
    dogs_and_cats: Path, data_folder: Path, refused: Callable[..., str]
) -> None:
    files = ("--captions", dogs_and_cats, "--instances", data_folder / "coco" / "instances.json")
    told = refused(*GENERATE, *files)
    assert "does not list the image 'dog0' of the captions (120 of 120 are missing)" in told


def test_captions_and_an_export_are_not_given_together(
    dogs_and_cats: Path, export: Path, refused: Callable[..., str]
) -> None:
    for given in ((), ("--captions", dogs_and_cats, "--data", export)):
        told = refused(*GENERATE, *given)
        assert "Give either --captions, a file of captions, or --data, an export" in told
