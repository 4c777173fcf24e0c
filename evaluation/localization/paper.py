"""Values of the paper's tables of localization [paper 4.1.3, Tables 5 and 6], to stand beside ours."""

from evaluation.reading.picture import TYPES
from evaluation.report import Compared, Report

QUERIES = dict(zip(TYPES, (5656, 2306, 523, 518, 400, 162, 1619, 3374), strict=True))
"""Phrases by type over the 1,000 test images."""
FULL_R1 = dict(zip(TYPES, (64.73, 46.88, 17.21, 65.83, 68.75, 37.65, 51.39, 31.77), strict=True))
"""R@1 of the paper's full model by type."""
BOUND = dict(zip(TYPES, (96.52, 77.36, 50.48, 91.12, 94.50, 80.86, 83.01, 75.87), strict=True))
"""R@200 of the paper's proposals by type."""
FULL = {"R@1": 50.89, "R@5": 71.09, "R@10": 75.73}
LARGEST_R1 = 24.0
OTHER_IMAGES = "other images than the paper's test split"


def is_test_split(counts: dict[str, float]) -> bool:
    """Return whether the queries are as many, by type, as those of the paper's test split."""
    return all(counts[f"queries.{kind}"] == number for kind, number in QUERIES.items())


def compare(report: Report, names: dict[str, float], remark: str = "") -> None:
    """Put the paper's values beside figures of these names, with the reason if the images are not the paper's."""
    own = is_test_split(report.figures)
    for figure, value in names.items():
        report.compared.append(Compared(figure, value, remark or ("" if own else OTHER_IMAGES)))
