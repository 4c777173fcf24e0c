"""Proposers [beyond paper 3.2]: what a program's boxes tell, by what became of its boxes in finished chains.

*Its trust* is the chance that its box is good. Only boxes of chains that ended with boxes count: a box for a chain that
has none says nothing about the program's boxes where one is missing. A program that nobody knows is tried: half of its
boxes are expected to be good. One whose boxes turn out bad falls below what the look ahead takes, after a few trials,
and is set aside. What became of a box would say too little good of it: one wrong answer may drop a box of a program
that is little trusted. So its chance to be good is weighed by the answers about it alone, and by how good the program's
boxes are, which is found by going from one to the other until both agree.

*Its agreement*: a box of another is likelier good if this program proposed it, too. Used for the boxes of a data set
that is being checked, which programs of other origin look at with other eyes.

*Its number of boxes* tells how many a chain needs: how often it proposed no box, one, two, or more for chains that
ended with none, one, two, or more. A program that proposes the same whatever a chain needs tells nothing, and neither
does one that few chains are known of. None for a chain counts only if the program proposed a box in the same image:
else it may not have looked at the image.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from belief.annotators import ErrorRates
from belief.boxes.box_answers import NODES, node_errors
from belief.boxes.box_prior import AGREEMENT_COUNTS, NUMBER_CLASSES, Agreements, BoxPrior, NumberRows, ProgramRecord
from belief.models.records import NEW_BOX_MODEL, BoxRecord
from belief.models.reference import Reference

BINS = 5
"""Equal parts of the scores from 0 to 1; a last bin holds the boxes without a score."""
NO_BOXES = (0.0,) * (BINS + 1)
UNKNOWN_GOOD, UNKNOWN_BAD = 1.0, 1.0
"""Imagined boxes of a program that nobody knows."""
IMAGINED_IN_BIN = 4.0
"""Imagined boxes in each bin of the score, as good as all boxes of the program."""
ROUNDS = 30
BOX_DIGITS = 2


class QualityAnswer(NamedTuple):
    """One answer to box quality."""

    good: bool
    skill: float = 0.0
    """The logit of the worker's error, less that of the crowd."""
    model: str | None = None
    """The number of the program that gave the answer; None: a person did."""
    same_family: bool = False
    """That program, or one of its family, had proposed the box."""


class ProgramBox(NamedTuple):
    """One box of a program that was taken, and the answers about its quality."""

    program: str
    score: float | None
    """From 0 to 1; None: the program gives none."""
    judged: tuple[QualityAnswer, ...]


def trust_of(program: str, score: float | None, prior: BoxPrior) -> float:
    """Return the chance, 0 to 1, that a program's box is good if one is missing."""
    record = prior.programs.get(program)
    if record is None:
        return UNKNOWN_GOOD / (UNKNOWN_GOOD + UNKNOWN_BAD)
    good, bad = sum(record.good) + UNKNOWN_GOOD, sum(record.bad) + UNKNOWN_BAD
    place = _bin(score)
    here = record.good[place], record.bad[place]
    return (here[0] + IMAGINED_IN_BIN * good / (good + bad)) / (sum(here) + IMAGINED_IN_BIN)


def count_boxes(
    boxes: Iterable[ProgramBox], wrong: float, models: Mapping[str, BoxRecord] = MappingProxyType({})
) -> Mapping[str, ProgramRecord]:
    """Return the boxes of each program that are likely good and likely bad, by score, in parts of boxes.

    Boxes that were not judged are passed over. `wrong`: the crowd's share of wrong answers to box quality. `models`:
    how often models that judge boxes are right. People judge what models doubt, so their answers alone would make a
    program look worse than it is.
    """
    of_program: dict[str, list[ProgramBox]] = defaultdict(list)
    for box in boxes:
        if box.judged:
            of_program[box.program].append(box)
    return {name: _record(judged, wrong, models) for name, judged in of_program.items()}


def _record(boxes: Sequence[ProgramBox], wrong: float, models: Mapping[str, BoxRecord]) -> ProgramRecord:
    if_good, if_bad = np.array([_likelihoods(box, wrong, models) for box in boxes]).T
    good = np.full(len(boxes), 0.5)
    for _ in range(ROUNDS):
        share = (good.sum() + UNKNOWN_GOOD) / (len(boxes) + UNKNOWN_GOOD + UNKNOWN_BAD)
        good = share * if_good / (share * if_good + (1 - share) * if_bad)
    sums = np.zeros((2, BINS + 1))
    for box, chance in zip(boxes, good, strict=True):
        sums[:, _bin(box.score)] += chance, 1 - chance
    likely_good, likely_bad = sums.round(BOX_DIGITS).tolist()
    return ProgramRecord(tuple(likely_good), tuple(likely_bad))


def _likelihoods(box: ProgramBox, wrong: float, models: Mapping[str, BoxRecord]) -> tuple[float, float]:
    """Return the chances of the answers about one box if it is good, and if it is bad."""
    if_good, if_bad = np.ones(NODES), np.ones(NODES)
    for answer in box.judged:
        if answer.model is None:
            passed = alarm = node_errors(wrong, answer.skill)
        else:
            errors = models.get(answer.model, NEW_BOX_MODEL).of_box(box.program, same_family=answer.same_family)
            passed, alarm = np.full(NODES, errors.miss), np.full(NODES, errors.false_alarm)
        likelihood = (1 - alarm, passed) if answer.good else (alarm, 1 - passed)
        if_good, if_bad = if_good * likelihood[0], if_bad * likelihood[1]
    return float(if_good.mean()), float(if_bad.mean())


def _bin(score: float | None) -> int:
    return BINS if score is None else min(max(int(score * BINS), 0), BINS - 1)


UNKNOWN_AGREEMENT: Agreements = (5.0, 5.0, 0.8, 7.2)
"""Imagined boxes of other programs: of good ones, proposed and not proposed by one that nobody knows; of bad ones."""
MIN_ERROR = 0.02


class SecondOpinion(NamedTuple):
    """The word of one program on another's box, by its own pre-annotations."""

    program: str
    pre_annotated: bool
    """It proposed the box, too."""
    stayed: bool
    """The chain ended with the box."""


def agreement_errors(program: str, prior: BoxPrior) -> ErrorRates:
    """Return how often a program proposes a bad box of another, too (passed), and a good one not (alarm)."""
    record = prior.programs.get(program)
    seen = record.agreed if record and record.agreed else (0.0,) * AGREEMENT_COUNTS
    has, has_not, has_bad, has_not_bad = (count + more for count, more in zip(seen, UNKNOWN_AGREEMENT, strict=True))
    passed, alarm = has_bad / (has_bad + has_not_bad), has_not / (has + has_not)
    return ErrorRates(max(passed, MIN_ERROR), max(alarm, MIN_ERROR)) if passed + alarm < 1 else ErrorRates(0.5, 0.5)


def count_agreements(opinions: Iterable[SecondOpinion]) -> Mapping[str, Agreements]:
    """Return for each program: of kept boxes of others, those it proposed and did not; of dropped ones the same."""
    counts: dict[str, list[float]] = defaultdict(lambda: [0.0] * AGREEMENT_COUNTS)
    for opinion in opinions:
        counts[opinion.program][(0 if opinion.stayed else 2) + (not opinion.pre_annotated)] += 1
    return {program: (kept, kept_not, bad, bad_not) for program, (kept, kept_not, bad, bad_not) in counts.items()}


IMAGINED_IN_ROW = 10.0
"""Imagined chains in each row, with numbers as in all rows together."""
UNINFORMATIVE = 0.05
"""The share of chains of any row whose number is taken to tell nothing."""
PredictedNumbers = Mapping[str, int]
"""By program, the boxes that it proposed for a chain; programs that did not look at the image are left out."""


def with_predicted(counts: tuple[float, ...], pre_annotated: PredictedNumbers, prior: BoxPrior) -> tuple[float, ...]:
    """Return the chances that a chain truly has 0, 1, ... boxes, given what programs proposed; they add up to 1."""
    known = [shares for program, number in pre_annotated.items() if (shares := _shares_of(program, number, prior))]
    if not known:
        return counts
    last = NUMBER_CLASSES - 1
    weighed = [count * prod(shares[min(place, last)] for shares in known) for place, count in enumerate(counts)]
    return tuple(weight / sum(weighed) for weight in weighed)


def count_numbers(chains: Iterable[tuple[int, PredictedNumbers]]) -> dict[str, NumberRows]:
    """Return for each program how many chains with each number of boxes had each number of proposed ones.

    `chains`: of each finished chain the boxes that it ended with, and those that were proposed.
    """
    rows: dict[str, list[list[int]]] = defaultdict(lambda: [[0] * NUMBER_CLASSES for _ in range(NUMBER_CLASSES)])
    for boxes, pre_annotated in chains:
        for program, number in pre_annotated.items():
            rows[program][min(boxes, NUMBER_CLASSES - 1)][min(number, NUMBER_CLASSES - 1)] += 1
    return {program: tuple(map(tuple, of_program)) for program, of_program in rows.items()}


def _shares_of(program: str, number: int, prior: BoxPrior) -> list[float]:
    """Return for each true number how often the program proposes this number; an empty list for unknown programs."""
    record = prior.programs.get(program)
    if record is None or not record.numbers:
        return []
    pre_annotated = min(number, NUMBER_CLASSES - 1)
    of_all = sum(map(sum, record.numbers))
    everywhere = (sum(row[pre_annotated] for row in record.numbers) + 1) / (of_all + NUMBER_CLASSES)
    imagined = IMAGINED_IN_ROW * everywhere
    shares = [(row[pre_annotated] + imagined) / (sum(row) + IMAGINED_IN_ROW) for row in record.numbers]
    return [(1 - UNINFORMATIVE) * share + UNINFORMATIVE * everywhere for share in shares]


def with_reference(prior: BoxPrior, reference: Reference) -> BoxPrior:
    """Return the prior with the requester's guess added to what was learned of the reference set."""
    if not reference.program:
        return prior
    name = str(reference.program)
    learned = prior.programs.get(name, ProgramRecord(NO_BOXES, NO_BOXES))
    good, bad = reference.of_boxes(()).boxes()
    if reference.is_learned:
        learned = replace(learned, good=NO_BOXES, bad=NO_BOXES)  # those that were judged are the doubtful ones
    all_good, all_bad = (*learned.good[:-1], learned.good[-1] + good), (*learned.bad[:-1], learned.bad[-1] + bad)
    record = ProgramRecord(all_good, all_bad, learned.numbers)
    return replace(prior, programs={**prior.programs, name: record})
