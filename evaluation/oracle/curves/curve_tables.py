"""Tables of curves [paper Yao 5.3]: the points, the gain per added atom, captions at each point, the split, atoms."""

from collections.abc import Mapping
from itertools import pairwise

from evaluation.language.atoms import CATEGORIES
from evaluation.oracle.atom_lists import Lists
from evaluation.oracle.corpus import Corpus
from evaluation.oracle.curves.curve import Curves
from evaluation.oracle.curves.run_point import Spoken
from evaluation.oracle.point import Point
from evaluation.report import Cell, Report, Table

SAMPLES = 5
"""Images whose captions are shown."""


def add_tables(report: Report, curves: Curves, spoken: Mapping[Point, Spoken], corpus: Corpus, lists: Lists) -> None:
    """Add all tables. The captions of every test image are in captions.csv."""
    report.tables += [_points(report, curves, spoken), _gains(curves), _samples(spoken, corpus)]
    rows: list[list[Cell]] = [
        [image, point.name, caption] for point, one in spoken.items() for image, caption in one.captions.items()
    ]
    report.tables.append(Table("captions", "Captions", ("image", "point", "caption"), rows, on_page=False))
    split: list[list[Cell]] = [[image, part] for part, images in corpus.parts.items() for image in images]
    report.tables.append(Table("splits", "Images of each part", ("image", "part"), split, on_page=False))
    counts: list[list[Cell]] = [[category, lemma, count] for category in CATEGORIES for lemma, count in lists[category]]
    title = "Atoms of the training captions"
    report.tables.append(Table("atoms", title, ("category", "atom", "count"), counts, on_page=False))


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
