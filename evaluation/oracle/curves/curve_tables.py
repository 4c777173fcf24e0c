"""Tables and charts of curves [paper Yao 5.3, Fig. 2 and 3]: scores by the number of atoms, captions, the split."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from evaluation.charts import Line, add_lines
from evaluation.language import CATEGORIES
from evaluation.oracle.corpus import Corpus
from evaluation.oracle.curves.curve import Curves
from evaluation.oracle.curves.run_point import Spoken
from evaluation.oracle.known_atoms import Lists, Point
from evaluation.report import Cell, Report, Table

SAMPLES = 5
"""Images whose captions are shown."""
AXIS = "atoms of a category"
GROUPS = {"ENT": "entities", "ACT": "actions", "ATT": "attributes", "ALL": "all categories"}
FIRST_ROW = ("BLEU-1", "BLEU-4", "METEOR")


def add_tables(report: Report, curves: Curves, spoken: Mapping[Point, Spoken], corpus: Corpus, lists: Lists) -> None:
    """Add all tables. The captions of every test image are in captions.csv."""
    report.tables += [_points(report, curves, spoken), _gains(curves), _samples(spoken, corpus)]
    rows: list[list[Cell]] = [
        [image, point.name, caption] for point, one in spoken.items() for image, caption in one.captions.items()
    ]
    report.table("captions", "Captions", ("image", "point", "caption"), rows, on_page=False)
    split: list[list[Cell]] = [[image, part] for part, images in corpus.parts.items() for image in images]
    report.table("splits", "Images of each part", ("image", "part"), split, on_page=False)
    report.split = {**corpus.parts}
    counts: list[list[Cell]] = [[category, lemma, count] for category in CATEGORIES for lemma, count in lists[category]]
    title = "Atoms of the training captions"
    report.table("atoms", title, ("category", "atom", "count"), counts, on_page=False)


def _points(report: Report, curves: Curves, spoken: Mapping[Point, Spoken]) -> Table:
    columns = ["point", "atoms known", "atoms of an image", "epochs", *curves.metrics]
    rows: list[list[Cell]] = []
    for point, one in spoken.items():
        scores = [report.figures.get(f"{metric}.{point.name}") for metric in curves.metrics]
        rows.append([point.name, one.atoms, one.bag_size, len(one.perplexities), *scores])
    return Table("curves", "Scores by atoms", columns, rows)


def _gains(curves: Curves) -> Table:
    """Return the gain between neighbouring points of a group, divided by the atoms added in each category."""
    rows: list[list[Cell]] = []
    for group in curves.groups():
        for metric in curves.metrics:
            for (k, low), (next_k, high) in pairwise(curves.curve(metric, group)):
                rows.append([group, metric, k, next_k, high - low, 1000 * (high - low) / (next_k - k)])
    columns = ("group", "metric", "from k", "to k", "gain", "gain per 1,000 atoms")
    return Table("gains", "Gain per added atom", columns, rows)


def _samples(spoken: Mapping[Point, Spoken], corpus: Corpus) -> Table:
    rows: list[list[Cell]] = []
    for image in corpus.parts["test"][:SAMPLES]:
        rows.append([image, "a reference", corpus.texts[image][0]])
        rows += [[image, point.name, one.captions[image]] for point, one in spoken.items()]
    return Table("samples", "Captions of some test images", ("image", "point", "caption"), rows)


def add_charts(report: Report, curves: Curves) -> None:
    """Add both rows of Figure 2, the perplexity, and Figure 3 if there are points of lower accuracy."""
    several = [
        _line(metric, curves.curve(metric, "ALL"), number)
        for number, metric in enumerate(FIRST_ROW)
        if metric in curves.metrics
    ]
    _add(report, "figure_2_metrics", "BLEU and METEOR by atoms (Fig. 2, first row)", several, "score")
    for metric, name, words in (
        ("CIDEr", "figure_2_categories", "CIDEr by category of the atoms (Fig. 2, second row)"),
        ("perplexity", "perplexity", "Validation perplexity by category of the atoms"),
    ):
        lines = [
            _line(GROUPS[group], curves.curve(metric, group), number) for number, group in enumerate(curves.groups())
        ]
        _add(report, name, words, lines, metric)
    if len(curves.accuracies) > 1:
        noisy = [
            _line(f"{group}, r = {accuracy:g}", curves.curve("CIDEr", group, accuracy), number)
            for group in curves.groups()
            for number, accuracy in enumerate(curves.accuracies)
            if any(point.group == group and point.accuracy < 1 for point in curves.points)
        ]
        _add(report, "figure_3", "CIDEr by accuracy r of the atoms (Fig. 3)", noisy, "CIDEr")


def _line(name: str, curve: Sequence[tuple[int, float]], number: int) -> Line:
    return Line(name, [k for k, _ in curve], [score for _, score in curve], number)


def _add(report: Report, name: str, title: str, lines: Sequence[Line], axis: str) -> None:
    shown = [line for line in lines if len(line.x)]
    if shown:
        add_lines(report, name, title, shown, AXIS, axis)
