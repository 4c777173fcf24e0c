"""Scoring of coreference: a project, a model or a worker against gold, with intervals and by type."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.coreference.chains import Marked, compared, without_singletons
from evaluation.coreference.metrics import COLUMNS, CONLL, METRICS, counts_of, scores
from evaluation.coreference.read_chains import read_chains
from evaluation.errors import InputError
from evaluation.paired import add_differences
from evaluation.reading.entities import TYPES
from evaluation.report import Cell, Report
from evaluation.scoring.bootstrap import interval, resampled_sums
from evaluation.work import Work

Images = Mapping[str, Marked]
ALL, SEVERAL = "", "no_singletons"
GROUPS = (ALL, SEVERAL, *TYPES)
"""All mentions; without chains of one mention; and the mentions that gold gives each type."""
MAIN = ("MUC.F", "B3.F", "CEAFm.F", "CEAFe.F", "BLANC.F", "LEA.F", CONLL, "exact.R")


@dataclass(frozen=True, slots=True)
class Scored:
    """A response against gold."""

    counts: np.ndarray
    """Of each image, of shape (images, groups, kinds, 4)."""
    mentions: int
    only_gold: int
    only_response: int

    @property
    def figures(self) -> np.ndarray:
        """The figures of all images together, of shape (groups, COLUMNS)."""
        return scores(self.counts.sum(axis=0))


def score(work: Work) -> Report:
    """Score the response's chains, and compare them with others if there are any."""
    if work.options["draws"] < 1:
        raise InputError(f"--draws is {work.options['draws']}: give a whole number from 1.")
    gold, response = _read(work, "gold"), _read(work, "response")
    other = _read(work, "against") if work.options["against"] is not None else None
    images = _shared(gold, [response] if other is None else [response, other])
    ours = scored(work, gold, response, images)
    report = Report("Coreference of chains", ours.mentions, "mentions that both sides have")
    report.split["scored"] = images
    _add_figures(report, ours, work)
    _add_notes(report, ours, {"gold": len(gold), "response": len(response)}, len(images))
    if other is not None:
        _add_against(report, ours, scored(work, gold, other, images), work)
    return report


def scored(work: Work, gold: Images, response: Images, images: list[str]) -> Scored:
    """Score the response on these images."""
    counts = np.zeros((len(images), len(GROUPS), *counts_of(compared(Marked({}, {}), Marked({}, {}))).shape))
    mentions = only_gold = only_response = 0
    for place, name in enumerate(work.progress(images, "scoring")):
        sides = gold[name], response[name]
        whole = compared(*sides)
        typed = {kind for mention in gold[name].chain_of for kind in gold[name].types[mention]}
        counts[place, 0], counts[place, 1] = counts_of(whole), counts_of(without_singletons(whole))
        for group, kind in enumerate(TYPES, start=2):
            if kind in typed:
                counts[place, group] = counts_of(compared(*sides, kind))
        both = sum(map(len, whole.gold))
        mentions += both
        only_gold += len(gold[name].chain_of) - both
        only_response += len(response[name].chain_of) - both
    return Scored(counts, mentions, only_gold, only_response)


def _read(work: Work, role: str) -> Images:
    path = work.file(role)
    assert path is not None
    return read_chains(work, path, work.options[f"{role}_worker"])


def _shared(gold: Images, responses: list[Images]) -> list[str]:
    images = sorted(gold.keys() & set.intersection(*({*one} for one in responses)))
    if not any(gold[name].chain_of.keys() & responses[0][name].chain_of.keys() for name in images):
        raise InputError("No mention is in both gold and response: are these exports of the same images?")
    return images


def _add_figures(report: Report, ours: Scored, work: Work) -> None:
    found = ours.figures
    drawn = _resampled(ours.counts, work)
    rows: list[list[Cell]] = []
    for place, group in enumerate(GROUPS):
        if np.isnan(found[place]).all():
            continue
        named = _named(found[place], group)
        report.put(named)
        low, high = interval(drawn[:, place])
        report.put({f"{name}.low": value for name, value in _named(low, group).items() if name in named})
        report.put({f"{name}.high": value for name, value in _named(high, group).items() if name in named})
        rows.append([_words(group), *(report.figures.get(_figure(name, group)) for name in MAIN)])
    metrics = [[name, *(_cell(report, f"{name}.{part}") for part in "PRF")] for name in METRICS]
    report.table("metrics", "Precision, recall and F, %, with 95 % intervals", ["metric", "P", "R", "F"], metrics)
    report.table("by_type", "F by type, %; exact.R: gold chains that were found exactly", ["mentions", *MAIN], rows)
    if not {f"{SEVERAL}.{CONLL}", CONLL} <= report.figures.keys():
        report.missing["MUC, CoNLL"] = "a chain of two mentions in gold or response"


def _resampled(counts: np.ndarray, work: Work) -> np.ndarray:
    """Return the figures of each resample; 0 for those of which it has nothing."""
    return np.nan_to_num(scores(resampled_sums(counts, work.rng("bootstrap"), work.options["draws"])))


def _cell(report: Report, name: str) -> Cell:
    if name not in report.figures:
        return None
    low, high = report.figures[f"{name}.low"], report.figures[f"{name}.high"]
    return f"{report.figures[name]:.2f} ({low:.2f} to {high:.2f})"


def _add_notes(report: Report, ours: Scored, sizes: Mapping[str, int], images: int) -> None:
    report.put({"images": images, "only_gold": ours.only_gold, "only_response": ours.only_response})
    report.notes.append(
        f"{images:,} images are in both ({sizes['gold']:,} in gold, {sizes['response']:,} in the response). Counts of "
        f"images are added up before they are divided."
    )
    if ours.only_gold or ours.only_response:
        report.notes.append(
            f"{ours.only_gold:,} mentions of these images are in gold alone and {ours.only_response:,} in the response "
            "alone: they are left out on both sides."
        )
    report.notes.append(
        f"Intervals hold the middle 95 % of resamples of the images. CoNLL is the mean F of MUC, B³ and CEAFe. Chains "
        f"of one mention count, except under {SEVERAL}."
    )


def _add_against(report: Report, ours: Scored, theirs: Scored, work: Work) -> None:
    places = [place for place, name in enumerate(COLUMNS) if name in report.figures]
    differences = _resampled(ours.counts[:, 0], work) - _resampled(theirs.counts[:, 0], work)
    figures = dict(zip(COLUMNS, np.nan_to_num(theirs.figures[0]).tolist(), strict=True))
    add_differences(report, [COLUMNS[place] for place in places], figures, differences[:, places])


def _named(values: np.ndarray, group: str) -> dict[str, float]:
    found = zip(COLUMNS, values.tolist(), strict=True)
    return {_figure(name, group): value for name, value in found if not np.isnan(value)}


def _figure(name: str, group: str) -> str:
    """Return the name of a figure: `no_singletons.MUC.F`, `MUC.F.people`."""
    if group == SEVERAL:
        return f"{group}.{name}"
    return f"{name}.{group}" if group else name


def _words(group: str) -> str:
    return {ALL: "all", SEVERAL: "in chains of several"}.get(group, group)
