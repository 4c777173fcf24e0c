"""Scores of captions [paper Yao 5.3]: BLEU, METEOR, ROUGE-L and CIDEr-D, as COCO's evaluation computes them.

CIDEr is on the scale of 0 to 10 that the COCO server prints. METEOR needs Java, as the splitter of COCO's evaluation
does. Without Java, a plain splitter stands in, which differs in rare cases.
"""

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.errors import InputError
from evaluation.optional import need

_SUFFIX = re.compile(r"(?<=[a-z])(n't|'s|'re|'ve|'ll|'d|'m)(?![a-z])")
_WORD = re.compile(r"n't|'[a-z]+|[^\W_]+(?:[-./&'][^\W_]+)*|[$%#&@*+=/]", re.UNICODE)
BLEU = ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4")
METRICS = (*BLEU, "METEOR", "ROUGE-L", "CIDEr")
NO_JAVA = (
    "The program java was not found: METEOR is missing, and words were split by a plain rule instead of the "
    "splitter of COCO's evaluation, so that the other scores may differ in the third decimal. On Debian: apt-get "
    "install default-jre-headless."
)
Split = Mapping[str, list[str]]
"""Captions as words with spaces between, by image."""


def java() -> str | None:
    """Return the path of the Java program, or None."""
    return shutil.which("java")


def treebank_words(captions: Sequence[str]) -> list[str]:
    """Return each caption's words with spaces between, by the splitter of COCO's evaluation.

    Raises InputError if Java fails, MissingExtra without pycocoevalcap.
    """
    package = need("pycocoevalcap.tokenizer.ptbtokenizer", "scoring captions")
    program = java()
    if program is None:
        raise InputError("Splitting captions into words needs the program java, which is not installed.")
    folder = Path(package.__file__).parent
    command = [program, "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-cp", package.STANFORD_CORENLP_3_4_1_JAR]
    command += ["edu.stanford.nlp.process.PTBTokenizer", "-preserveLines", "-lowerCase"]
    text = "".join(f"{' '.join(caption.split())}\n" for caption in captions)
    done = subprocess.run(command, input=text.encode(), cwd=folder, capture_output=True, check=False)
    lines = done.stdout.decode("utf-8").split("\n")[: len(captions)]
    if done.returncode or len(lines) < len(captions):
        told = done.stderr.decode(errors="replace").strip().splitlines()[:1]
        raise InputError(f"Java could not split the captions into words: {' '.join(told) or 'it wrote too few lines'}.")
    marks = frozenset(package.PUNCTUATIONS)
    return [" ".join(word for word in line.split() if word not in marks) for line in lines]


def plain_words(captions: Sequence[str]) -> list[str]:
    """Return each caption's words with spaces between, without Java."""
    return [" ".join(_WORD.findall(_SUFFIX.sub(r" \1", caption.lower()))) for caption in captions]


@dataclass(frozen=True, slots=True)
class CaptionScores:
    """The scores of all images together, and of each image; both by metric."""

    total: Mapping[str, float]
    each: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By metric, then by image."""


def split_captions(captions: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the captions as words: by COCO's splitter, or by the plain rule without Java. Raises InputError."""
    flat = [caption for texts in captions.values() for caption in texts]
    words = iter(treebank_words(flat) if java() else plain_words(flat))
    return {image: [next(words) for _ in caption] for image, caption in captions.items()}


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
