"""Scores of captions [paper Yao 5.3, Table 2]: BLEU, METEOR, ROUGE-L, CIDEr-D, and the atoms that they are worth.

The scores are those of COCO's evaluation; CIDEr is on the scale of 0 to 10 that the COCO server prints. METEOR needs
Java, as the splitter of COCO's evaluation does. Without Java, a plain splitter stands in, which differs in rare cases.
"""

import re
import shutil
import subprocess
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from typing_extensions import TypedDict

from evaluation.errors import InputError, need
from evaluation.oracle.atoms import NONE, SHORT, Point, check_captions, read_points
from evaluation.reading.caption_file import read_named_captions
from evaluation.reading.source import coco_id, json_file, member, number
from evaluation.report import Cell, Report
from evaluation.work import StepWork

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


@dataclass(frozen=True, slots=True)
class Curves:
    """The figures of a run: `METRIC.POINT`."""

    figures: Mapping[str, float]
    points: Sequence[Point]

    @property
    def accuracies(self) -> list[float]:
        """Return the accuracies, the highest first."""
        return sorted({point.accuracy for point in self.points}, reverse=True)

    @property
    def metrics(self) -> list[str]:
        """Return the metrics in the order of the figures."""
        return list(dict.fromkeys(name.partition(".")[0] for name in self.figures))

    def curve(self, metric: str, group: str, accuracy: float = 1.0) -> list[tuple[int, float]]:
        """Return k and score of the group's points, by k. No atoms at all is k = 0 of every group.

        Empty if the group has no point.
        """
        own = [point for point in self.points if point.group == group and point.accuracy == accuracy]
        if own and Point(NONE) in self.points:
            own.append(Point(NONE))
        found = [(point.k, self.figures.get(f"{metric}.{point.name}")) for point in sorted(own, key=lambda one: one.k)]
        return [(k, score) for k, score in found if score is not None]

    def groups(self) -> list[str]:
        """Return the groups that have points."""
        return [group for group in SHORT if any(point.group == group for point in self.points)]


def envelope(scores: Sequence[float]) -> list[float]:
    """Return the least curve over the scores that never falls."""
    return list(accumulate(scores, max))


def equivalent(score: float, curve: Sequence[tuple[int, float]]) -> float | None:
    """Return the number of atoms at which the curve's envelope first reaches the score, between its points linearly.

    A score below the first point is worth the first k; one that the curve never reaches: None.
    """
    ks = [k for k, _ in curve]
    scores = envelope([value for _, value in curve])
    if not curve or score > scores[-1]:
        return None
    if score <= scores[0]:
        return float(ks[0])
    for (k, low), (next_k, high) in pairwise(zip(ks, scores, strict=True)):
        if low < score <= high:
            return k + (next_k - k) * (score - low) / (high - low)
    raise AssertionError("a score between the ends of a curve is in none of its parts")


def run_worth(work: StepWork) -> Report:
    """Read a system's scores off the curves."""
    result = work.required("result")
    curves, scores = _curves(work.required("curves")), _figures(result)
    metrics = [name for name in METRICS if name in scores and name in curves.metrics]
    if not metrics:
        raise InputError(
            f"{result.name} has no figure that the curves have, such as CIDEr: give a report of oracle score."
        )
    report = Report("Oracle captioning: scores in atoms", len(metrics), "metrics")
    rows: list[list[Cell]] = []
    for metric in metrics:
        row: list[Cell] = [metric, scores[metric]]
        for group in curves.groups():
            curve = curves.curve(metric, group)
            found = equivalent(scores[metric], curve)
            if found is not None:
                report.figures[f"{metric}.{group}"] = found
            row.append(_words(found, curve))
        rows.append(row)
        report.figures[metric] = scores[metric]
    columns = ("metric", "score", *curves.groups())
    report.table("table_2", "Atoms of each category that the scores are worth (Table 2)", columns, rows)
    report.notes += [
        "Read off the curve through the highest score up to each number of atoms, linearly between its points. “more "
        "than” and “at most” are beyond the ends of the curve; figures have no value for “more than”.",
        "Both files must come from the same test images, or at least from the same data set.",
    ]
    return report


def _words(figure: float | None, curve: list[tuple[int, float]]) -> Cell:
    if not curve:
        return "no curve"
    if figure is None:
        return f"more than {curve[-1][0]:,}"
    return f"at most {curve[0][0]:,}" if figure == curve[0][0] else figure


def _curves(path: Path) -> Curves:
    figures = _figures(path)
    names = dict.fromkeys(name.partition(".")[2] for name in figures if "." in name and "@" not in name)
    try:
        points = read_points(",".join(names))
    except InputError as error:
        raise InputError(f"{path.name} holds no curves: give a report.json of oracle curves. {error}") from error
    if all(point.group == NONE for point in points):
        raise InputError(f"{path.name} holds no curves: its only point is {NONE}.")
    return Curves({name: value for name, value in figures.items() if "@" not in name}, points)


def _figures(path: Path) -> dict[str, float]:
    found: Any = member(json_file(path), "figures", path.name)
    if not isinstance(found, dict):
        raise InputError(f"{path.name}: the field 'figures' is not an object.")
    return {name: number(value, f"{path.name}: the figure {name}") for name, value in found.items()}


class CaptionResult(TypedDict):
    """A caption that a model gives an image."""

    image_id: str | int
    """The image's id in the references, or its name."""
    caption: str
    """The text."""


def read_hypotheses(path: Path, names: Mapping[str, str], images: Container[str]) -> tuple[dict[str, str], list[str]]:
    """Return the caption of each image, and the images without references.

    `images`: the names of those with references; `names`: by their ids.

    An image is told by its id in the references, if they have ids, or by its name.

    Raises InputError for a file of another form, a doubled image, and if no image has references.
    """
    value = json_file(path)
    if not isinstance(value, list):
        raise InputError(f'{path.name} is not a list of {{"image_id", "caption"}}.')
    found: dict[str, str] = {}
    for place, entry in enumerate(value, start=1):
        where = f"{path.name}, caption {place}"
        told = str(coco_id(member(entry, "image_id", where), f"{where}: the field 'image_id'"))
        caption = member(entry, "caption", where)
        image = names.get(told, told)
        if image not in images and PurePosixPath(told).stem in images:
            image = PurePosixPath(told).stem
        if not isinstance(caption, str):
            raise InputError(f"{where}: the field 'caption' is not text.")
        if image in found:
            raise InputError(f"{where}: the image {image} has a caption already; give one an image.")
        found[image] = caption
    if not found:
        raise InputError(f"{path.name} holds no captions.")
    missing = [image for image in found if image not in images]
    if len(missing) == len(found):
        raise InputError(
            f"{path.name}: the image {missing[0]} has no references, nor has any other one of the file. Give the "
            "references of the split that was captioned."
        )
    return {image: caption for image, caption in found.items() if image in images}, missing


def run_score(work: StepWork) -> Report:
    """Score the captions against their images' references."""
    hypotheses, references = work.required("hypotheses"), work.required("references")
    known, names = read_named_captions(references)
    captions, missing = read_hypotheses(hypotheses, names, known)
    own = {image: known[image] for image in captions}
    check_captions(own)
    found = score_captions(captions, split_captions(own))
    report = Report("Captions: scores", len(captions), "images")
    report.put(found.total)
    report.leave_out(missing, "images of the captions")
    report.table("scores", "Scores", ("metric", "score"), list(found.total.items()))
    rows: list[list[Cell]] = [
        [image, caption, *(found.each[metric][image] for metric in found.each)] for image, caption in captions.items()
    ]
    report.table("images", "Scores of each image", ("image", "caption", *found.each), rows, on_page=False)
    counts = sorted({len(texts) for texts in own.values()})
    span = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    report.notes.append(
        f"{span} references an image. Images with references and no caption, left out: {len(known) - len(own):,}. "
        "CIDEr is on the scale of 0 to 10; its weights of words are counted on these references, so that it depends on "
        "the images scored."
    )
    if not java():
        report.notes.append(NO_JAVA)
        report.missing["METEOR"] = "the program java"
    return report
