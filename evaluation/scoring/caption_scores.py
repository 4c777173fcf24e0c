"""Scores of captions [paper Yao 5.3]: BLEU, METEOR, ROUGE-L and CIDEr-D, as COCO's evaluation computes them.

CIDEr is on the scale of 0 to 10 that the COCO server prints. METEOR needs Java.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.errors import InputError
from evaluation.optional import need
from evaluation.scoring.caption_words import java, plain_words, treebank_words

BLEU = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4")
METRICS = (*BLEU, "METEOR", "ROUGE-L", "CIDEr")
NO_JAVA = (
    "The program java was not found: METEOR is missing, and words were split by a plain rule instead of the "
    "splitter of COCO's evaluation, so that the other scores may differ in the third decimal. On Debian: apt-get "
    "install default-jre-headless."
)
Split = Mapping[str, list[str]]
"""Captions as words with spaces between, by image."""


@dataclass(frozen=True, slots=True)
class CaptionScores:
    """The scores of all images together, and of each image; both by metric."""

    total: Mapping[str, float]
    each: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By metric, then by image."""


def split_captions(captions: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the captions as words: by COCO's splitter, or by the plain rule without Java. Raises InputError."""
    flat = [caption for each in captions.values() for caption in each]
    words = iter(treebank_words(flat) if java() else plain_words(flat))
    return {image: [next(words) for _ in each] for image, each in captions.items()}


def score_captions(captions: Mapping[str, str], references: Split) -> CaptionScores:
    """Return the scores of a caption an image. `references`: the images' references, split.

    Without Java there is no METEOR. Raises InputError if an image has no references.
    """
    if not captions:
        raise InputError("There is no caption to score.")
    if missing := [image for image in captions if not references.get(image)]:
        raise InputError(f"The image {missing[0]} has no references ({len(missing):,} of {len(captions):,} have none).")
    found = split_captions({image: [caption] for image, caption in captions.items()})
    return score_split(found, {image: list(references[image]) for image in found})


def score_split(captions: Split, references: Split) -> CaptionScores:
    """Return the scores of captions that are split into words; both mappings hold the same images."""
    bleu = need("pycocoevalcap.bleu.bleu", "scoring captions").Bleu(4)
    own = dict(captions)
    total: dict[str, float] = {}
    each: dict[str, Mapping[str, float]] = {}

    def put(metric: str, score: Any, scores: Any) -> None:
        total[metric] = float(score)
        each[metric] = dict(zip(own, map(float, scores), strict=True))

    for metric, score, scores in zip(BLEU, *bleu.compute_score(references, own, verbose=0), strict=True):
        put(metric, score, scores)
    if java():
        put("METEOR", *_meteor(own, references))
    put("ROUGE-L", *need("pycocoevalcap.rouge.rouge", "scoring captions").Rouge().compute_score(references, own))
    put("CIDEr", *need("pycocoevalcap.cider.cider", "scoring captions").Cider().compute_score(references, own))
    return CaptionScores(total, each)


def _meteor(captions: Split, references: Split) -> tuple[float, list[float]]:
    scorer = need("pycocoevalcap.meteor.meteor", "scoring captions").Meteor()
    try:
        found: tuple[float, list[float]] = scorer.compute_score(references, captions)
        return found
    except (ValueError, OSError) as error:
        raise InputError(f"Java could not compute METEOR: {error}.") from error
    finally:
        for pipe in (scorer.meteor_p.stdout, scorer.meteor_p.stderr):
            pipe.close()
