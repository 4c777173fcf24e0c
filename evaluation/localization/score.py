"""Scores of predictions, and of boxes by size alone [paper 4.1.2 to 4.1.4, Tables 5 and 6, Fig. 10].

Recall by type, errors, hard phrases.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np

from evaluation.bootstrap import add_differences, interval, resampled_shares
from evaluation.errors import InputError
from evaluation.localization.queries import (
    COLUMNS,
    PIXELS,
    PRINTED,
    JudgedBox,
    Query,
    QueryOutcome,
    add_errors,
    add_protocols,
    as_printed,
    judge,
    judge_overlaps,
    outcome_of,
    overlaps_of,
    queries_of,
    query_counts,
    surroundings,
)
from evaluation.reading.coco import CocoNames, names_of
from evaluation.reading.picture import TYPES, Box, Picture
from evaluation.reading.pictures import read_pictures
from evaluation.reading.predictions.read_file import FORMAT_OF_SUFFIX, ImagePhrases, NamedPhrase
from evaluation.reading.predictions.read_file import read_predictions as read_file
from evaluation.reading.source import Id
from evaluation.report import Cell, ChartLine, Compared, Report, add_bars, add_lines
from evaluation.scoring import KS, area, first_hits, members, recall_at, recall_figures
from evaluation.work import StepWork

Key = tuple[str, int, int]
"""Image, caption, phrase."""
FILES = ("jsonl", "coco")


class KnownPhrases:
    """The images of a data set. The number of a phrase is its place among the chunks of its caption."""

    def __init__(self, pictures: Iterable[Picture], other_names: Mapping[str, str] | None = None) -> None:
        """Take the pictures, and the names that they have beside their own, such as ids and paths of files."""
        self._pictures = {_same(picture.name): picture for picture in pictures}
        self._other = {_same(other): _same(name) for other, name in (other_names or {}).items()}
        self._read: dict[str, ImagePhrases] = {}

    def look(self, names: Collection[str | int]) -> dict[str | int, ImagePhrases]:
        """Return the images that these names mean: with or without the ending of a file, or an id of COCO's."""
        found = {name: self._name_of(name) for name in names}
        return {name: self._phrases(stored) for name, stored in found.items() if stored is not None}

    def has_box(self, key: Key) -> bool:
        """Return whether the phrase has a gold box."""
        picture = self._pictures[_same(key[0])]
        return picture.captions[key[1]].phrases[key[2]].chain in picture.gold

    def _name_of(self, name: str | int) -> str | None:
        """Return the image's own name. An id as a number is that of a file before it is a name."""
        told = _same(str(name))
        plain = "_".join(PurePosixPath(told).with_suffix("").parts) if told.strip("./") else told
        tries = [self._other.get(told), told, plain]
        if isinstance(name, str):
            tries = [told, *tries]
        return next((tried for tried in tries if tried in self._pictures), None)

    def _phrases(self, name: str) -> ImagePhrases:
        if name not in self._read:
            picture = self._pictures[name]
            phrases = [
                NamedPhrase(
                    phrase.number,
                    phrase.caption,
                    phrase.start,
                    phrase.start + len(phrase.words),
                    phrase.text,
                    phrase.types,
                )
                for caption in picture.captions
                for phrase in caption.phrases
            ]
            self._read[name] = ImagePhrases(picture.name, picture.width, picture.height, phrases)
        return self._read[name]


def _same(name: str) -> str:
    return unicodedata.normalize("NFC", name)


@dataclass
class Predictions:
    """The predicted boxes of each phrase, the best first."""

    boxes: dict[Key, list[Box]] = field(default_factory=dict)
    """Only phrases with a gold box."""
    unboxed: int = 0
    """Phrases without a gold box: their predictions are ignored."""
    unknown: list[str] = field(default_factory=list)
    """Names of images that the data does not have."""
    unused: int = 0
    """Boxes of a detector whose category fits no phrase of their image."""
    cut_off: int = 0
    """Replies that end within a box; their complete boxes are read."""


def read_phrase_predictions(
    path: Path,
    known: KnownPhrases,
    *,
    kind: str = "",
    form: str = "",
    clip: bool = False,
    categories: Mapping[int, str] | Mapping[Id, str] | None = None,
) -> Predictions:
    """Read a file. `kind`: one of FILES; `form`: one of box_forms.FORMS; without them by its name, and as usual.

    Raises InputError for the first line or entry that is wrong, and for a file without any.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder: give a file.")
    try:
        found = read_file(
            path.name, path.read_bytes(), known.look, kind=kind, form=form, clip=clip, categories=categories
        )
    except InputError as refused:
        comma = "" if str(refused).startswith(("ends in", "names", "holds")) else ","
        raise InputError(f"{path.name}{comma} {refused}") from refused
    kept = Predictions(unknown=found.unknown, unused=found.unused, cut_off=found.cut_off)
    for placed in found.images:
        for phrase, boxes in placed.boxes.items():
            assert phrase.number is not None
            key = (placed.image.name, phrase.caption, phrase.number)
            if known.has_box(key):
                kept.boxes[key] = [box.box for box in boxes]
            else:
                kept.unboxed += 1
    return kept


QUERIES = dict(zip(TYPES, (5656, 2306, 523, 518, 400, 162, 1619, 3374), strict=True))
"""Phrases by type over the 1,000 test images."""
FULL_R1 = dict(zip(TYPES, (64.73, 46.88, 17.21, 65.83, 68.75, 37.65, 51.39, 31.77), strict=True))
"""R@1 of the paper's full model by type."""
BOUND = dict(zip(TYPES, (96.52, 77.36, 50.48, 91.12, 94.50, 80.86, 83.01, 75.87), strict=True))
"""R@200 of the paper's proposals by type."""
FULL = {"R@1": 50.89, "R@5": 71.09, "R@10": 75.73}
LARGEST_R1 = 24.0
OTHER_IMAGES = "other images than the paper's test split"


def compare_with_paper(report: Report, names: dict[str, float], remark: str = "") -> None:
    """Put the paper's values beside figures of these names, with the reason if the images are not the paper's."""
    own = all(report.figures[f"queries.{kind}"] == number for kind, number in QUERIES.items())
    for figure, value in names.items():
        report.compared.append(Compared(figure, value, remark or ("" if own else OTHER_IMAGES)))


PHRASE_COLUMNS = (
    "image", "caption", "phrase", "words", "types", "class", "rank", "overlap",
    "gold x0", "gold y0", "gold x1", "gold y1", "x0", "y0", "x1", "y1",
)  # fmt: skip
COMMONEST = 25
FREQUENT_COLUMNS = ("phrase", "times", "R@1, %", "R@10, %", "mean overlap")


def add_recall(report: Report, outcome: QueryOutcome) -> None:
    """Add recall overall and by type, with intervals."""
    types = [kind for kind in TYPES if f"R@1.{kind}" in report.figures]
    rows: list[list[Cell]] = []
    for words, end, count in [("all", "", report.n), *((kind, f".{kind}", 0) for kind in types)]:
        row: list[Cell] = [words, count or report.figures[f"queries{end}"]]
        for k in KS:
            name = f"R@{k}{end}"
            row += [report.figures[name], _range(report, name)]
        rows.append(row)
    columns = ["type", "phrases", *(name for k in KS for name in (f"R@{k}", "95 %"))]
    report.table("recall", "Recall, % (form of Tables 5 and 6)", columns, rows)
    names = ["all", *types]
    ends = ["", *(f".{kind}" for kind in types)]
    values = {f"R@{k}": [report.figures[f"R@{k}{end}"] for end in ends] for k in KS}
    intervals = {
        f"R@{k}": [(report.figures[f"R@{k}{end}.low"], report.figures[f"R@{k}{end}.high"]) for end in ends] for k in KS
    }
    title, axis = "Recall by type, with 95 % intervals", "phrases found, %"
    add_bars(report, "recall_by_type", title, names, values, axis, intervals=intervals, size=(7.0, 5.4))


def add_phrases(report: Report, outcome: QueryOutcome, judged: Sequence[JudgedBox]) -> None:
    """Add the list of all phrases with their gold box, first box, overlap and class, for overlays on the pictures."""
    rows: list[list[Cell]] = []
    for i, query in enumerate(outcome.queries):
        first: Sequence[Cell] = outcome.firsts[i] or (None,) * 4
        image, caption, phrase = query.key
        rank = int(outcome.ranks[i]) or None
        words, types = query.phrase.text, "/".join(query.types)
        told: list[Cell] = [image, caption, phrase, words, types, judged[i].kind, rank, float(outcome.overlaps[i])]
        rows.append([*told, *query.gold, *first])
    report.table("phrases", "All phrases", PHRASE_COLUMNS, rows, on_page=False)


def _range(report: Report, name: str) -> str:
    return f"{report.figures[f'{name}.low']:.1f} to {report.figures[f'{name}.high']:.1f}"


class Frequent(NamedTuple):
    """A phrase in lower case, over all its queries. Shares in percent; the overlap is that of first boxes."""

    phrase: str
    times: int
    first: float
    ten: float
    overlap: float


def by_phrase(outcome: QueryOutcome) -> list[Frequent]:
    """Return every phrase, the commonest first, ties by the alphabet."""
    places: dict[str, list[int]] = defaultdict(list)
    for i, query in enumerate(outcome.queries):
        places[query.phrase.text.lower()].append(i)
    found = []
    for phrase, place in places.items():
        ranks = outcome.ranks[place]
        overlap = float(outcome.overlaps[place].mean())
        found.append(Frequent(phrase, len(place), recall_at(ranks, 1), recall_at(ranks, 10), overlap))
    return sorted(found, key=lambda one: (-one.times, one.phrase))


def hardest(phrases: list[Frequent], least: int) -> list[Frequent]:
    """Return the phrases that occur at least so often, the ones found least often first."""
    return sorted(
        (phrase for phrase in phrases if phrase.times >= least),
        key=lambda one: (one.first, one.overlap, -one.times, one.phrase),
    )


def add_hardest(report: Report, outcome: QueryOutcome, least: int) -> None:
    """Add the commonest phrases with their chart (Fig. 10), and the table of the hardest ones."""
    phrases = by_phrase(outcome)
    common = phrases[:COMMONEST]
    report.table("figure_10", "The commonest phrases (Fig. 10)", FREQUENT_COLUMNS, common)
    names, values = [f"{phrase.phrase} ({phrase.times})" for phrase in common], [phrase.first for phrase in common]
    title = "R@1 of the commonest phrases (Fig. 10)"
    add_bars(report, "figure_10", title, names, {"R@1": values}, "R@1, %", size=(7.0, 6.0))
    title = f"The hardest phrases that occur at least {least} times"
    report.table("hardest_phrases", title, FREQUENT_COLUMNS, hardest(phrases, least))


def add_against(report: Report, outcome: QueryOutcome, other: QueryOutcome, work: StepWork) -> None:
    """Add the other model's recall and the difference, ours less theirs, in points. Resamples are the same for both."""
    hits, sizes = outcome.per_image
    theirs, _ = other.per_image
    draws = work.options["draws"]
    ours_drawn = resampled_shares(hits, sizes, work.rng("bootstrap"), draws)
    differences = ours_drawn - resampled_shares(theirs, sizes, work.rng("bootstrap"), draws)
    totals = sizes.sum(axis=0)
    shares = np.divide(100 * theirs.sum(axis=0), totals, out=np.zeros(len(totals)), where=totals > 0)
    places = [place for place, name in enumerate(COLUMNS) if name in report.figures]
    names = [COLUMNS[place] for place in places]
    add_differences(report, names, dict(zip(COLUMNS, shares.tolist(), strict=True)), differences[:, places])
    ours_only, theirs_only = (
        int(((first.ranks == 1) & (second.ranks != 1)).sum()) for first, second in ((outcome, other), (other, outcome))
    )
    report.put({"first_only_ours": ours_only, "first_only_theirs": theirs_only})
    report.notes.append(
        f"Found by the first box of these predictions alone: {ours_only:,} phrases; of the other ones alone: "
        f"{theirs_only:,}."
    )


def score_localization(work: StepWork) -> Report:
    """Score a file of predictions, and compare it with another one if there is one."""
    path = work.required("predictions")
    suppress = work.options["nms"]
    if suppress is not None and not 0 < suppress <= 1:
        raise InputError(f"--nms is {suppress}: give an overlap above 0 and up to 1.")
    protocol = work.options["protocol"]
    as_pixels = read_pictures(work.export, work.progress)
    of_edges = {PIXELS: as_pixels, PRINTED: [as_printed(picture) for picture in as_pixels]}
    pictures = of_edges[work.options["edges"]]
    queries = queries_of(pictures)
    if not queries:
        raise InputError(f"{work.export}: no phrase has a box, so nothing can be scored.")
    names = names_of(work.file("names") or work.export)
    known = KnownPhrases(pictures, names.images)
    found = _read(work, path, known, names)
    other = work.file("against")
    compared = (
        None if other is None else outcome_of(queries, _read(work, other, known, names).boxes, suppress, protocol)
    )
    outcome = outcome_of(queries, found.boxes, suppress, protocol)
    report = Report("Phrase localization: predictions scored", len(queries), "phrases with a box")
    report.put(query_counts(queries))
    report.split["scored"] = [picture.name for picture in pictures]
    _figures(report, outcome, found)
    _intervals(report, outcome, work)
    add_recall(report, outcome)
    add_protocols(report, {edges: queries_of(edge) for edges, edge in of_edges.items()}, found.boxes, work)
    around = {picture.name: surroundings(picture) for picture in pictures}
    # The file holds no proposals, so that no error is for the lack of one.
    judged = [
        judge(first, query.phrase.chain, around[query.image])
        for query, first in zip(outcome.queries, outcome.firsts, strict=True)
    ]
    add_errors(report, list(zip([query.types for query in queries], judged, strict=True)))
    add_hardest(report, outcome, work.options["least"])
    add_phrases(report, outcome, judged)
    if compared is not None:
        add_against(report, outcome, compared, work)
    paper = {**FULL, **{f"R@1.{kind}": value for kind, value in FULL_R1.items()}}
    compare_with_paper(report, paper)
    return report


def _read(work: StepWork, path: Path, known: KnownPhrases, names: CocoNames) -> Predictions:
    options = work.options
    form, clip = options["boxes"] or "", options["clip"]
    kind = options["form"] or ("" if path.suffix.lower() in FORMAT_OF_SUFFIX else "jsonl")
    return read_phrase_predictions(path, known, kind=kind, form=form, clip=clip, categories=names.categories)


def _figures(report: Report, outcome: QueryOutcome, predictions: Predictions) -> None:
    queries: list[Query] = list(outcome.queries)
    report.put(recall_figures(outcome.ranks, members([query.types for query in queries])))
    missing = sum(query.key not in predictions.boxes for query in queries)
    empty = sum(not boxes for boxes in predictions.boxes.values())
    report.put({"missing": missing, "empty": empty, "unboxed": predictions.unboxed})
    report.figures["overlap.mean"] = float(np.mean(outcome.overlaps))
    if missing or empty:
        report.notes.append(
            f"Phrases that count as misses: {missing:,} without a line in the file, {empty:,} with an empty list."
        )
    if predictions.unboxed:
        report.notes.append(f"Lines about phrases without a gold box, which are ignored: {predictions.unboxed:,}.")
    report.leave_out(predictions.unknown, "images of the file")
    if predictions.cut_off:
        report.notes.append(
            f"Replies that were cut off, of which the complete boxes are read: {predictions.cut_off:,}."
        )
    if predictions.unused:
        report.notes.append(f"Boxes with a category that fits no phrase of their image: {predictions.unused:,}.")


def _intervals(report: Report, outcome: QueryOutcome, work: StepWork) -> None:
    hits, sizes = outcome.per_image
    low, high = interval(resampled_shares(hits, sizes, work.rng("bootstrap"), work.options["draws"]))
    for place, name in enumerate(COLUMNS):
        if name in report.figures:
            report.put({f"{name}.low": float(low[place]), f"{name}.high": float(high[place])})
    report.notes.append(
        f"Intervals (low, high) hold the middle 95 % of {work.options['draws']:,} resamples of the images."
    )
    if work.options["nms"] is None:
        report.notes.append("The boxes are ranked as the file has them, without suppression (--nms 0.5 applies it).")


ROWS = {"extent": "one box around all", "largest": "the largest box", "by_size": "all boxes by size"}
CURVE = tuple(range(1, 16))


def add_recall_charts(report: Report, by_size: np.ndarray, by_type: dict[str, np.ndarray]) -> None:
    """Add R@1 by type, and recall by the number of boxes looked at. `by_size`: ranks among all boxes by size."""
    types = [kind for kind in TYPES if len(by_type[kind])]
    series = {ROWS[kind]: [report.figures[f"{kind}.R@1.{type_}"] for type_ in types] for kind in ("extent", "largest")}
    add_bars(report, "recall_by_type", "R@1 by type", types, series, "R@1, %")
    curve = [recall_at(by_size, k) for k in CURVE]
    line = ChartLine(ROWS["by_size"], CURVE, curve, 0)
    title, axis = "Recall of all gold boxes by size", "share of phrases found, %"
    add_lines(report, "recall_by_k", title, [line], "boxes looked at", axis, 100)
    points = list(zip(CURVE, curve, strict=True))
    report.table("recall_by_k", "Recall by number of boxes", ["k", "R@k"], points, on_page=False)


@dataclass(frozen=True, slots=True)
class BaselineRanks:
    """The ranks of first hits, by baseline, and the judged first boxes of two of them; one entry a query."""

    ranks: dict[str, np.ndarray]
    extent: list[JudgedBox]
    largest: list[JudgedBox]

    def extent_figures(self) -> dict[str, float]:
        """Return the percentage of phrases for which the one box hits another chain instead, of all and of errors."""
        wrong = [phrase for phrase in self.extent if phrase.kind != "correct"]
        confused = 100 * sum(bool(phrase.hit_types) for phrase in wrong)
        return {
            "extent.confused": confused / len(self.extent),
            "extent.confused_of_errors": confused / max(1, len(wrong)),
        }


def baselines(work: StepWork) -> Report:
    """Score one box around all gold boxes, the largest gold box, and all gold boxes by size."""
    pictures = read_pictures(work.export, work.progress)
    queries = queries_of(pictures)
    if not queries:
        raise InputError(f"{work.export}: no phrase has a box, so nothing can be scored.")
    by_type = members([query.types for query in queries])
    report = Report("Phrase localization: baselines", len(queries), "phrases with a box")
    report.put(query_counts(queries))
    report.split["scored"] = [picture.name for picture in pictures]
    printed = _baseline_ranks([as_printed(picture) for picture in pictures], work)
    for prefix, scored in {"": printed, f"{PIXELS}.": _baseline_ranks(pictures, work)}.items():
        for kind, ranks in scored.ranks.items():
            report.put(recall_figures(ranks, by_type), f"{prefix}{kind}.")
        report.put(scored.extent_figures(), prefix)
    rows: list[list[Cell]] = [[words, *(report.figures[f"{kind}.R@{k}"] for k in KS)] for kind, words in ROWS.items()]
    columns = ["boxes", *(f"R@{k}" for k in KS)]
    report.table("table_5", "Recall of all phrases, % (form of Table 5)", columns, rows)
    types = [kind for kind in TYPES if len(by_type[kind])]
    counts: list[Cell] = [len(by_type[kind]) for kind in types]
    per_type: list[list[Cell]] = [["phrases", *counts]]
    per_type += [
        [f"R@1, {words}", *(report.figures[f"{kind}.R@1.{type_}"] for type_ in types)] for kind, words in ROWS.items()
    ]
    report.table("table_6", "R@1 by type, % (form of Table 6)", ["row", *types], per_type)
    add_recall_charts(report, printed.ranks["by_size"], by_type)
    add_errors(
        report, [(query.types, judged) for query, judged in zip(queries, printed.largest, strict=True)], "largest."
    )
    compare_with_paper(report, {f"queries.{kind}": number for kind, number in QUERIES.items()})
    compare_with_paper(
        report, {"extent.R@1": LARGEST_R1}, "the paper's is its largest proposal; ours is one box around all gold"
    )
    report.notes += [
        "The boxes are gold boxes: these rows show how far size alone leads, and are not proposals of a detector. No "
        "suppression is applied. A phrase of two types counts in each of them, and once in all.",
        "Overlaps are of the edges as the annotation files print them (xmax - xmin wide), as the figures were measured "
        f"that others hold theirs against. Figures that begin with “{PIXELS}.” count every pixel of a box "
        "(xmax - xmin + 1), as all other steps do.",
        "The one box around all reaches from the corner of the picture to the outermost edges of its gold boxes.",
    ]
    return report


def boxes_by_size(picture: Picture) -> np.ndarray:
    """Return the distinct gold boxes, the largest first, ties in the order of the file: (n, 4)."""
    boxes = np.array(list(dict.fromkeys(picture.gold.values())), dtype=float).reshape(-1, 4)
    return boxes[np.argsort(-area(boxes), kind="stable")]


def extent(picture: Picture) -> Box:
    """Return the box from the corner of the picture to the outermost edges of its gold boxes."""
    boxes = picture.gold.values()
    return 0, 0, max(box[2] for box in boxes), max(box[3] for box in boxes)


def _baseline_ranks(pictures: Sequence[Picture], work: StepWork) -> BaselineRanks:
    ranks: dict[str, list[int]] = {"extent": [], "largest": [], "by_size": []}
    whole_judged: list[JudgedBox] = []
    largest_judged: list[JudgedBox] = []
    for picture in work.progress(pictures, "scoring"):
        queries: list[Query] = queries_of([picture])
        if not queries:
            continue
        others, boxes = surroundings(picture), boxes_by_size(picture)
        x0, y0, x1, y1 = boxes[0]
        whole, largest = (overlaps_of(box, others) for box in (extent(picture), (x0, y0, x1, y1)))
        # All phrases of a chain share their gold box, and so their results.
        first = dict(zip(others.chains, first_hits(boxes, others.boxes).tolist(), strict=True))
        by_whole, by_largest = (
            {chain: judge_overlaps(overlaps, chain, others) for chain in others.chains} for overlaps in (whole, largest)
        )
        for query in queries:
            chain = query.phrase.chain
            ranks["extent"].append(1 if by_whole[chain].kind == "correct" else 0)
            ranks["by_size"].append(first[chain])
            ranks["largest"].append(1 if first[chain] == 1 else 0)
            whole_judged.append(by_whole[chain])
            largest_judged.append(by_largest[chain])
    return BaselineRanks({kind: np.array(rank) for kind, rank in ranks.items()}, whole_judged, largest_judged)
