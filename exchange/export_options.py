"""Options of exports: what goes in, with which pictures, and in which parts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from exchange.dataset import Answers, DatasetBox, DatasetChain, DatasetImage

AS_THEY_CAME = 0
"""As the longest side of pictures: the files as they were imported."""


class LeftOut(StrEnum):
    """Reasons for which something that the project holds is left out, or should be looked at."""

    UNSURE = "boxes are left out, because they or their chain are less sure than --min-confidence"
    UNKNOWN = "boxes are kept whose confidence is not known"
    PROGRAMS = "boxes are left out that no person drew or judged"
    FLAGS = "chains without a box lose their reason, because no person answered about them"
    NO_PART = "images are left out, because they are in no part of the split"
    NO_PICTURE = "images have no picture; hub and parquet leave them out"


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The choices of whoever exports. Without any, exports are as they always were."""

    pictures: int | None = None
    """The longest side of pictures that go with the export, in pixels, or AS_THEY_CAME; None: no pictures."""
    splits: Mapping[str, str] = field(default_factory=dict)
    """The part of each image, by its name; empty: the export has no parts."""
    min_confidence: float = 0.0
    """Boxes with a lower chance of being right, or of a chain with a lower one, are left out."""
    people_only: bool = False
    """Whether boxes are left out that no person drew or judged."""

    @property
    def filters(self) -> bool:
        """Whether something that is finished may be left out."""
        return self.people_only or self.min_confidence > 0


def filtered(
    images: Iterable[DatasetImage], options: ExportOptions, counts: Counter[LeftOut]
) -> Iterator[DatasetImage]:
    """Yield the images with what the options let in, and count the rest."""
    for image in images:
        yield _filtered(image, options, counts) if options.filters else image


def _filtered(image: DatasetImage, options: ExportOptions, counts: Counter[LeftOut]) -> DatasetImage:
    sure = {chain.name: chain.confidence for chain in image.chains}
    boxes = [box for box in image.boxes if _goes_in(box, sure, options, counts)]
    chains = image.chains
    if options.people_only:
        chains = tuple(_without_flags(chain, counts) for chain in chains)
    return replace(image, boxes=tuple(boxes), chains=chains)


def _goes_in(
    box: DatasetBox, sure: Mapping[str, float | None], options: ExportOptions, counts: Counter[LeftOut]
) -> bool:
    if options.people_only and _by_programs_alone(box.answers):
        counts[LeftOut.PROGRAMS] += 1
        return False
    known = [one for one in (box.confidence, *(sure.get(chain) for chain in box.chains)) if one is not None]
    if options.min_confidence > 0 and not known:
        counts[LeftOut.UNKNOWN] += 1
    if known and min(known) < options.min_confidence:
        counts[LeftOut.UNSURE] += 1
        return False
    return True


def _without_flags(chain: DatasetChain, counts: Counter[LeftOut]) -> DatasetChain:
    if not (chain.scene or chain.no_box) or not _by_programs_alone(chain.answers):
        return chain
    counts[LeftOut.FLAGS] += 1
    return replace(chain, scene=False, no_box=False)


def _by_programs_alone(answers: Answers | None) -> bool:
    """Tell whether programs answered and no person did. Imports and experts leave no answers."""
    return answers is not None and bool(answers.programs) and not answers.people
