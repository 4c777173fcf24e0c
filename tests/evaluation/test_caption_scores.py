"""Scores of captions are those of COCO's evaluation, and those worked out by hand."""

import gzip
import math
import os
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import InputError
from evaluation.oracle import score as caption_scores
from evaluation.oracle.score import java
from evaluation.reading.caption_file import read_captions

pytestmark = pytest.mark.skipif(find_spec("pycocoevalcap") is None, reason="needs the extra evaluation")
with_java = pytest.mark.skipif(java() is None, reason="needs the program java")
QUICKLY = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options with which a short Java program spends no time on making itself faster."""

WRITTEN = {"1": ["a man rides a horse"], "2": ["a dog runs"], "3": ["two girls"]}
REFERENCES = {"1": ["a man rides a horse"], "2": ["a dog sits"], "3": ["two boys play"]}


def put_before_java(monkeypatch: pytest.MonkeyPatch, folder: Path, more: str = "") -> None:
    """Put a program before java that calls it with the options above; `more` is asked of METEOR."""
    program = folder / "programs" / "java"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\ncase "$*" in *meteor*) set -- "$@" {more};; esac\nexec {java()} {QUICKLY} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)


@pytest.fixture
def quick_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    put_before_java(monkeypatch, tmp_path)


@pytest.fixture(params=[1000, pytest.param(None, marks=pytest.mark.long)], ids=["few paraphrases", "all paraphrases"])
def meteor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let METEOR read a part of its table of paraphrases, or all of it, which takes many seconds each time."""
    if request.param is None:
        return put_before_java(monkeypatch, tmp_path)
    from pycocoevalcap.meteor import meteor

    part = tmp_path / "paraphrases.gz"
    with gzip.open(Path(meteor.__file__).parent / "data/paraphrase-en.gz") as table, gzip.open(part, "wb") as kept:
        kept.writelines(islice(table, 3 * request.param))  # each of three lines: how likely, and both phrases
    put_before_java(monkeypatch, tmp_path, f"-a {part}")


@pytest.mark.usefixtures("no_java")
def test_bleu_is_as_by_hand() -> None:
    found = caption_scores.score_split(WRITTEN, REFERENCES).total
    # 10 words against 11; matches of 1 to 4 words: 8 of 10, 5 of 7, 3 of 4, 2 of 2.
    brevity = math.exp(1 - 11 / 10)
    assert found["BLEU-1"] == pytest.approx(brevity * 0.8, abs=1e-6)
    assert found["BLEU-2"] == pytest.approx(brevity * (0.8 * 5 / 7) ** (1 / 2), abs=1e-6)
    assert found["BLEU-3"] == pytest.approx(brevity * (0.8 * 5 / 7 * 3 / 4) ** (1 / 3), abs=1e-6)
    assert found["BLEU-4"] == pytest.approx(brevity * (0.8 * 5 / 7 * 3 / 4) ** (1 / 4), abs=1e-6)


@pytest.mark.usefixtures("no_java")
def test_cider_is_as_by_hand() -> None:
    found = caption_scores.score_split(WRITTEN, REFERENCES)
    # "a" is in the references of two images of three, every other word in those of one at most.
    a, other = math.log(3 / 2) ** 2, math.log(3) ** 2
    dog = 10 / 4 * ((a + other) / (a + 2 * other) + 1 / 2)
    girls = 10 / 4 * (1 / math.sqrt(2 * 3)) * math.exp(-1 / 72)
    assert found.each["CIDEr"]["1"] == pytest.approx(10, abs=1e-6)
    assert found.each["CIDEr"]["2"] == pytest.approx(dog, abs=1e-6)
    assert found.each["CIDEr"]["3"] == pytest.approx(girls, abs=1e-6)
    assert found.total["CIDEr"] == pytest.approx((10 + dog + girls) / 3, abs=1e-6)


@pytest.mark.slow
@with_java
@pytest.mark.usefixtures("meteor")
def test_forty_images_score_as_by_coco_evaluation_itself(data_folder: Path) -> None:
    captions = dict(islice(read_captions(data_folder / "captions/flickr30k-train.token.gz").items(), 40))
    written = {image: own[0] for image, own in captions.items()}
    others = {image: own[1:] for image, own in captions.items()}
    found = caption_scores.score_captions(written, caption_scores.split_captions(others)).total
    assert set(found) == set(caption_scores.METRICS)
    for metric, value in coco_scores(written, others):
        assert found[metric] == pytest.approx(value, abs=1e-6) and value > 0.05


def coco_scores(written: Mapping[str, str], others: Mapping[str, list[str]]) -> Iterator[tuple[str, float]]:
    """Yield each metric with its value by the package's own classes, its splitter included."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor import meteor
    from pycocoevalcap.rouge.rouge import Rouge
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    def split(captions: Mapping[str, list[str]]) -> Any:
        return PTBTokenizer().tokenize({image: [{"caption": one} for one in own] for image, own in captions.items()})

    own, references = split({image: [one] for image, one in written.items()}), split(others)
    yield from zip(caption_scores.METRICS[:4], Bleu(4).compute_score(references, own, verbose=0)[0], strict=True)
    scorer = meteor.Meteor()
    with scorer.meteor_p.stdout, scorer.meteor_p.stderr:
        yield "METEOR", scorer.compute_score(references, own)[0]
    yield "ROUGE-L", Rouge().compute_score(references, own)[0]
    yield "CIDEr", Cider().compute_score(references, own)[0]


@with_java
@pytest.mark.usefixtures("quick_java")
def test_without_java_words_are_split_in_nearly_the_same_way(data_folder: Path) -> None:
    captions = read_captions(data_folder / "captions/flickr30k-train.token.gz")
    flat = [caption for own in islice(captions.values(), 200) for caption in own]
    assert len(flat) == 1000
    odd = ["A café's owner,\u2028 smiling.", "", "Two  (2) dogs!"]
    *split, cafe, nothing, dogs = caption_scores.treebank_words([*flat, *odd])
    same = sum(one == other for one, other in zip(caption_scores.plain_words(flat), split, strict=True))
    assert same / len(flat) > 0.99
    assert (cafe, nothing, dogs) == ("a café 's owner smiling", "", "two -lrb- 2 -rrb- dogs"), "odd letters and spaces"


@pytest.mark.usefixtures("no_java")
def test_without_java_all_is_scored_but_meteor() -> None:
    written = {image: own[0] for image, own in WRITTEN.items()}
    assert java() is None
    found = caption_scores.score_captions(written, caption_scores.split_captions(REFERENCES)).total
    assert set(found) == set(caption_scores.METRICS) - {"METEOR"}
    assert found == pytest.approx(
        {name: value for name, value in caption_scores.score_split(WRITTEN, REFERENCES).total.items()}
    )


def test_a_java_that_fails_is_told_with_its_first_words_and_an_image_without_references_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "java"
    program.write_text("#!/bin/sh\necho 'no memory left' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(caption_scores, "java", lambda: str(program))
    with pytest.raises(InputError, match="no memory left"):
        caption_scores.treebank_words(["a man"])
    with pytest.raises(InputError, match="image 4 has no references"):
        caption_scores.score_captions({"1": "a man", "4": "a dog"}, REFERENCES)
    with pytest.raises(InputError, match="no caption"):
        caption_scores.score_captions({}, REFERENCES)
