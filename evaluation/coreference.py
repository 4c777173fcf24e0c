"""Coreference: chains of mentions scored against others by the metrics of the field, with intervals and by type."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evaluation.bootstrap import add_differences, interval, resampled_sums
from evaluation.errors import InputError, need
from evaluation.reading.picture import NOT_VISUAL, TYPES, Picture
from evaluation.reading.pictures import RECORD, final_chain, is_image, is_odvg, merged_chains, read_pictures
from evaluation.reading.source import json_lines, listed, member, whole
from evaluation.report import Cell, Report
from evaluation.work import StepWork

Mention = Hashable
Chains = list[frozenset[Mention]]
"""The chains of an image. No mention is in two of them."""


class PhrasePlace(NamedTuple):
    """A phrase of an image by its place: the caption, and its words from `start` up to `end`, all from 0."""

    caption: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ImageMentions:
    chain_of: Mapping[PhrasePlace, Hashable]
    """The name of each mention's chain."""
    types: Mapping[PhrasePlace, Collection[str]]
    """The types of each mention."""


class ChainPair(NamedTuple):
    """Gold and response of an image, which may have mentions that the other side lacks."""

    gold: Chains
    response: Chains


def chains_of_mentions(chain_of: Mapping[PhrasePlace, Hashable], mentions: Collection[PhrasePlace]) -> Chains:
    found: dict[Hashable, list[PhrasePlace]] = defaultdict(list)
    for mention in sorted(mentions):
        found[chain_of[mention]].append(mention)
    return [frozenset(members) for members in found.values()]


def compared(gold: ImageMentions, response: ImageMentions, kind: str = "") -> ChainPair:
    """Return the chains of each side's own mentions, as the scorers of the field count them.

    With `kind` of those of this type: by gold, or by the response for a mention that gold lacks.
    """
    sides = []
    for side in (gold, response):
        own = [
            mention
            for mention in side.chain_of
            if not kind or kind in (gold if mention in gold.types else side).types[mention]
        ]
        sides.append(chains_of_mentions(side.chain_of, own))
    return ChainPair(*sides)


def common(gold: ImageMentions, response: ImageMentions) -> tuple[ImageMentions, ImageMentions]:
    """Return both sides with the mentions alone that both have."""
    both = gold.chain_of.keys() & response.chain_of.keys()
    sides = [
        ImageMentions({mention: side.chain_of[mention] for mention in both}, side.types) for side in (gold, response)
    ]
    return sides[0], sides[1]


def without_singletons(pair: ChainPair) -> ChainPair:
    """Return the chains of several mentions, of each side."""
    return ChainPair(*([chain for chain in side if len(chain) > 1] for side in pair))


class ScoreCounts(NamedTuple):
    """The numerators and denominators of one image, or of many added up."""

    right_of_response: float
    """The part of the response that is right, in the metric's unit ..."""
    response: float
    """... of the whole response: their ratio is the precision."""
    right_of_gold: float
    """The part of gold that the response has ..."""
    gold: float
    """... of all gold: their ratio is the recall."""


def shared(first: frozenset[object], chains: list[frozenset[object]]) -> list[int]:
    """Return how many mentions the chain shares with each of the others, without those that share none."""
    return [count for chain in chains if (count := len(first & chain))]


def links(size: int) -> int:
    """Return the number of pairs among so many mentions."""
    return size * (size - 1) // 2


def muc(gold: Chains, response: Chains) -> ScoreCounts:
    """Return the fewest links that make the chains [Vilain and others 1995]. Chains of one mention have none."""
    return ScoreCounts(*_muc_links(response, gold), *_muc_links(gold, response))


def _muc_links(chains: Chains, others: Chains) -> tuple[int, int]:
    found = links = 0
    for chain in chains:
        parts = shared(chain, others)
        alone = len(chain) - sum(parts)
        found += len(chain) - len(parts) - alone
        links += len(chain) - 1
    return found, links


def b_cubed(gold: Chains, response: Chains) -> ScoreCounts:
    """Return for all mentions the share of the chain that the other side has [Bagga and Baldwin 1998], and the number.

    A mention that the other side lacks has share 0.
    """
    return ScoreCounts(*_b_cubed_shares(response, gold), *_b_cubed_shares(gold, response))


def _b_cubed_shares(chains: Chains, others: Chains) -> tuple[float, int]:
    shares = sum(count * count / len(chain) for chain in chains for count in shared(chain, others))
    return shares, sum(map(len, chains))


def ceaf_mentions(gold: Chains, response: Chains) -> ScoreCounts:
    """Return the mentions that aligned chains share (φ3), of all mentions [Luo 2005].

    Chains of both sides are aligned one to one, as similar as they can be in all.
    """
    shared = _aligned(gold, response, lambda both, _: both)
    return ScoreCounts(shared, sum(map(len, response)), shared, sum(map(len, gold)))


def ceaf_entities(gold: Chains, response: Chains) -> ScoreCounts:
    """Return how similar aligned chains are (φ4: twice what they share by their mentions), of all [Luo 2005]."""
    similar = _aligned(gold, response, lambda both, sizes: 2 * both / sizes)
    return ScoreCounts(similar, len(response), similar, len(gold))


def _aligned(gold: Chains, response: Chains, similarity: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> float:
    if not gold or not response:
        return 0.0
    both = np.array([[len(chain & other) for other in response] for chain in gold], dtype=float)
    sizes = np.array([[len(chain) + len(other) for other in response] for chain in gold], dtype=float)
    values = similarity(both, sizes)
    rows, columns = need("scipy.optimize", "pairing chains").linear_sum_assignment(values, maximize=True)
    return float(values[rows, columns].sum())


def same_links(gold: Chains, response: Chains) -> ScoreCounts:
    """Return the pairs of mentions that are one thing [Recasens and Hovy 2011; Luo and others 2014]."""
    both = _same_in_both(gold, response)
    return ScoreCounts(both, _same(response), both, _same(gold))


def different_links(gold: Chains, response: Chains) -> ScoreCounts:
    """Return the pairs of mentions that are two things. A mention that the other side lacks is in no pair there."""
    mentions, others = (frozenset().union(*side) for side in (gold, response))
    common = mentions & others
    same_of_gold, same_of_response = (_same([chain & common for chain in side]) for side in (gold, response))
    both = links(len(common)) - same_of_gold - same_of_response + _same_in_both(gold, response)
    return ScoreCounts(both, links(len(others)) - _same(response), both, links(len(mentions)) - _same(gold))


def _same(chains: Chains) -> int:
    return sum(links(len(chain)) for chain in chains)


def _same_in_both(gold: Chains, response: Chains) -> int:
    return sum(links(len(chain & other)) for chain in gold for other in response)


def lea(gold: Chains, response: Chains) -> ScoreCounts:
    """Return the shares of each chain's links that the other side has, weighed by mentions [Moosavi and Strube 2016].

    A chain of one mention has one link, to itself.
    """
    return ScoreCounts(*_lea_links(response, gold), *_lea_links(gold, response))


def _lea_links(chains: Chains, others: Chains) -> tuple[float, int]:
    alone = {chain for chain in others if len(chain) == 1}
    found = 0.0
    for chain in chains:
        if len(chain) == 1:
            found += chain in alone
        else:
            shared = sum(links(len(chain & other)) for other in others)
            found += len(chain) * shared / links(len(chain))
    return found, sum(map(len, chains))


def exact(gold: Chains, response: Chains) -> ScoreCounts:
    """Return the chains that both sides have with exactly the same mentions."""
    both = len({*gold} & {*response})
    return ScoreCounts(both, len(response), both, len(gold))


METRICS: Mapping[str, Sequence[Callable[[Chains, Chains], ScoreCounts]]] = {
    "MUC": (muc,),
    "B3": (b_cubed,),
    "CEAFm": (ceaf_mentions,),
    "CEAFe": (ceaf_entities,),
    "BLANC": (same_links, different_links),
    "LEA": (lea,),
    "exact": (exact,),
}
"""A metric of several kinds of counts is the mean of what each gives."""
NAMED_SCORES = [(name, kind) for name, kinds in METRICS.items() for kind in kinds]
OF_CONLL = ("MUC", "B3", "CEAFe")
"""The metrics whose F make up the average of the CoNLL tasks [Pradhan and others 2012]."""
CONLL = "CoNLL"
COLUMNS = (*(f"{name}.{part}" for name in METRICS for part in "PRF"), CONLL)


def counts_of(pair: ChainPair) -> np.ndarray:
    """Return the counts of an image, of shape (kinds, 4)."""
    return np.array([kind(*pair) for _, kind in NAMED_SCORES], dtype=float)


def scores(counts: np.ndarray) -> np.ndarray:
    """Return the figures in percent, of shape (..., COLUMNS).

    `counts`: of shape (..., kinds, 4), added up over images. A figure is NaN where neither side has anything of which
    it could be a share: MUC, if there is no chain of two mentions.
    """
    right, of = counts[..., [0, 2]], counts[..., [1, 3]]
    share = np.divide(right, of, out=np.zeros_like(of), where=of > 0)
    total = share.sum(axis=-1)
    middle = np.divide(2 * share.prod(axis=-1), total, out=np.zeros_like(total), where=total > 0)
    every = np.concatenate([share, middle[..., None]], axis=-1)
    every[(of == 0).all(axis=-1)] = np.nan
    names = np.array([name for name, _ in NAMED_SCORES])
    with np.errstate(invalid="ignore"):
        found = {name: _mean(every[..., names == name, :]) for name in METRICS}
    conll = np.mean([found[name][..., 2] for name in OF_CONLL], axis=0)
    together = np.concatenate([*found.values(), conll[..., None]], axis=-1)
    percent: np.ndarray = 100 * together
    return percent


def _mean(kinds: np.ndarray) -> np.ndarray:
    """Return the mean over the kinds, of shape (..., 3). A kind of which there is nothing is left out."""
    there = ~np.isnan(kinds)
    number = there.sum(axis=-2)
    total = np.where(there, kinds, 0).sum(axis=-2)
    mean: np.ndarray = np.divide(total, number, out=np.full_like(total, np.nan), where=number > 0)
    return mean


LINK = "coreference_link"
SAME = "same"


def read_chains(work: StepWork, path: Path, worker: str | None = None) -> dict[str, ImageMentions]:
    """Return the marked mentions of each image by name. `worker`: the pseudonym of the one whose links are read.

    Raises InputError for a file of another form.
    """
    if path.suffix.lower() == RECORD and not is_odvg(path):
        lines = work.progress(json_lines(path), f"reading {path.name}")
        return dict(_image(line, where, worker) for where, line in lines if is_image(line, where))
    if worker is not None:
        raise InputError(f"{path} does not tell who answered what: give an export as jsonl to read a worker's links.")
    return {picture.name: _picture(picture) for picture in read_pictures(path, work.progress)}


def _picture(picture: Picture) -> ImageMentions:
    places = {
        PhrasePlace(phrase.caption, phrase.start, phrase.start + len(phrase.words)): phrase
        for caption in picture.captions
        for phrase in caption.phrases
        if phrase.chain != NOT_VISUAL
    }
    return ImageMentions(
        {place: phrase.chain for place, phrase in places.items()},
        {place: phrase.types for place, phrase in places.items()},
    )


def _image(line: Any, where: str, worker: str | None) -> tuple[str, ImageMentions]:
    mentions = listed(line, "mentions", where)
    places = {
        whole(member(mention, "number", where), f"{where}: 'number'"): _place(mention, where) for mention in mentions
    }
    if worker is None:
        merged = merged_chains(listed(line, "chains", where), where)
        chain_of = {
            mention["number"]: final_chain(whole(mention["chain"], f"{where}: a chain"), merged, where)
            for mention in mentions
            if mention.get("chain") is not None
        }
    else:
        chain_of = _linked(_answers(line, where, worker))
    types = {
        places[mention["number"]]: tuple(kind.replace(" ", "") for kind in mention.get("types", ()))
        for mention in mentions
    }
    return str(member(line, "name", where)), ImageMentions(
        {places[number]: chain for number, chain in chain_of.items() if number in places}, types
    )


def _place(mention: Any, where: str) -> PhrasePlace:
    return PhrasePlace(*(whole(member(mention, name, where), f"{where}: {name!r}") for name in PhrasePlace._fields))


def _answers(line: Any, where: str, worker: str) -> Iterator[tuple[int, int, bool]]:
    """Yield two mentions, and whether the worker called them the same, for each answer that counts."""
    for question in listed(line, "questions", where):
        if member(question, "task", where) == LINK:
            about, *others = (whole(mention, f"{where}: a mention") for mention in listed(question, "subject", where))
            for judgment in listed(question, "judgments", where):
                counts = member(judgment, "entry", where) is not None and member(judgment, "voided", where) is None
                if counts and member(judgment, "worker", where) == worker:
                    answer = member(judgment, "answer", where)
                    touched = others if answer == SAME else listed(answer, SAME, where) if others[1:] else ()
                    yield from ((about, other, other in touched) for other in others)


def _linked(answers: Iterator[tuple[int, int, bool]]) -> dict[int, int]:
    """Return the chain of each mention in the answers: what was called the same, and the same as that, is one."""
    chain_of: dict[int, int] = {}
    for first, second, same in answers:
        one, other = (chain_of.setdefault(mention, mention) for mention in (first, second))
        if same and one != other:
            chain_of = {mention: one if chain == other else chain for mention, chain in chain_of.items()}
    return chain_of


Images = Mapping[str, ImageMentions]
ALL, SEVERAL, COMMON, COMMON_SEVERAL = "", "no_singletons", "common", "common.no_singletons"
NAMED_FIRST = (SEVERAL, COMMON, COMMON_SEVERAL)
"""The groups whose names stand before those of their figures."""
GROUPS = (ALL, *NAMED_FIRST, *TYPES)
"""All mentions of each side; without chains of one mention; of both, on the mentions that both have, which is higher
where systems find mentions of their own; and the mentions of each type."""
MAIN = ("MUC.F", "B3.F", "CEAFm.F", "CEAFe.F", "BLANC.F", "LEA.F", CONLL, "exact.R")


@dataclass(frozen=True, slots=True)
class ScoredResponse:
    """A response against gold."""

    counts: np.ndarray
    """Of each image, of shape (images, groups, kinds, 4)."""
    common: int
    """The mentions that both sides have."""
    only_gold: int
    only_response: int

    @property
    def figures(self) -> np.ndarray:
        """The figures of all images together, of shape (groups, COLUMNS)."""
        return scores(self.counts.sum(axis=0))


def score_coreference(work: StepWork) -> Report:
    """Score the response's chains, and compare them with others if there are any."""
    gold, response = _read(work, "gold"), _read(work, "response")
    other = _read(work, "against") if work.options["against"] is not None else None
    images = _shared(gold, [response] if other is None else [response, other])
    workers = {role: work.options[f"{role}_worker"] is not None for role in ("gold", "response", "against")}
    asked = workers["gold"] or workers["response"]
    ours = score_images(work, gold, response, images, only_common=asked)
    report = Report("Coreference of chains", ours.common + ours.only_gold, "mentions of gold")
    report.split["scored"] = images
    _add_figures(report, ours, work)
    _add_notes(report, ours, {"gold": len(gold), "response": len(response)}, len(images), by_worker=asked)
    if other is not None:
        theirs = score_images(work, gold, other, images, only_common=workers["gold"] or workers["against"])
        places = [place for place, name in enumerate(COLUMNS) if name in report.figures]
        differences = _resampled(ours.counts[:, 0], work) - _resampled(theirs.counts[:, 0], work)
        figures = dict(zip(COLUMNS, np.nan_to_num(theirs.figures[0]).tolist(), strict=True))
        add_differences(report, [COLUMNS[place] for place in places], figures, differences[:, places])
    return report


def score_images(
    work: StepWork, gold: Images, response: Images, images: list[str], *, only_common: bool = False
) -> ScoredResponse:
    """Score the response on these images.

    `only_common`: on the mentions that both sides have, since one side is a worker, who was asked about some alone.
    """
    counts = np.zeros(
        (len(images), len(GROUPS), *counts_of(compared(ImageMentions({}, {}), ImageMentions({}, {}))).shape)
    )
    both = only_gold = only_response = 0
    for place, name in enumerate(work.progress(images, "scoring")):
        shared = common(gold[name], response[name])
        sides = shared if only_common else (gold[name], response[name])
        pairs = compared(*sides), compared(*shared)
        for group, pair in enumerate(
            chains for both_sides in pairs for chains in (both_sides, without_singletons(both_sides))
        ):
            counts[place, group] = counts_of(pair)
        typed = {kind for side in sides for mention in side.chain_of for kind in side.types[mention]}
        for group, kind in enumerate(TYPES, start=len(GROUPS) - len(TYPES)):
            if kind in typed:
                counts[place, group] = counts_of(compared(*sides, kind))
        own = len(shared[0].chain_of)
        both += own
        only_gold += len(gold[name].chain_of) - own
        only_response += len(response[name].chain_of) - own
    return ScoredResponse(counts, both, only_gold, only_response)


def _read(work: StepWork, role: str) -> Images:
    path = work.file(role)
    assert path is not None
    return read_chains(work, path, work.options[f"{role}_worker"])


def _shared(gold: Images, responses: list[Images]) -> list[str]:
    images = sorted(gold.keys() & set.intersection(*({*response} for response in responses)))
    if not any(gold[name].chain_of.keys() & responses[0][name].chain_of.keys() for name in images):
        raise InputError("No mention is in both gold and response: are these exports of the same images?")
    return images


def _add_figures(report: Report, score: ScoredResponse, work: StepWork) -> None:
    found = score.figures
    drawn = _resampled(score.counts, work)
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
    title = "Precision, recall and F, %, with 95 % intervals: all mentions of each side, chains of one mention included"
    report.table("metrics", title, ["metric", "P", "R", "F"], metrics)
    report.table(
        "by_type", "F by mentions and type, %; exact.R: gold chains that were found exactly", ["mentions", *MAIN], rows
    )
    if not {f"{SEVERAL}.{CONLL}", CONLL} <= report.figures.keys():
        report.missing["MUC, CoNLL"] = "a chain of two mentions in gold or response"


def _resampled(counts: np.ndarray, work: StepWork) -> np.ndarray:
    """Return the figures of each resample; 0 for those of which it has nothing."""
    return np.nan_to_num(scores(resampled_sums(counts, work.rng("bootstrap"), work.options["draws"])))


def _cell(report: Report, name: str) -> Cell:
    if name not in report.figures:
        return None
    low, high = report.figures[f"{name}.low"], report.figures[f"{name}.high"]
    return f"{report.figures[name]:.2f} ({low:.2f} to {high:.2f})"


def _add_notes(
    report: Report, score: ScoredResponse, sizes: Mapping[str, int], images: int, *, by_worker: bool
) -> None:
    report.put({"images": images, "in_both": score.common})
    report.put({"only_gold": score.only_gold, "only_response": score.only_response})
    report.notes.append(
        f"Images in both: {images:,} ({sizes['gold']:,} in gold, {sizes['response']:,} in the response). Counts of "
        f"images are added up before they are divided."
    )
    if by_worker:
        report.notes.append(
            f"A worker was asked about some mentions alone, so all figures are about the {score.common:,} mentions "
            f"that both sides have: {score.only_gold:,} of gold alone and {score.only_response:,} of the response "
            "alone are left out."
        )
    else:
        report.notes.append(
            f"Each side has its own mentions, as the scorers of the field count them: {score.common:,} are in both, "
            f"{score.only_gold:,} in gold alone, {score.only_response:,} in the response alone. Figures behind "
            f"{COMMON} are about those in both."
        )
    report.notes.append(
        f"Intervals hold the middle 95 % of resamples of the images. CoNLL is the mean F of MUC, B³ and CEAFe. Chains "
        f"of one mention count, except under {SEVERAL}."
    )


def _named(values: np.ndarray, group: str) -> dict[str, float]:
    found = zip(COLUMNS, values.tolist(), strict=True)
    return {_figure(name, group): value for name, value in found if not np.isnan(value)}


def _figure(name: str, group: str) -> str:
    """Return the name of a figure: `no_singletons.MUC.F`, `common.MUC.F`, `MUC.F.people`."""
    if group in NAMED_FIRST:
        return f"{group}.{name}"
    return f"{name}.{group}" if group else name


def _words(group: str) -> str:
    return {
        ALL: "all of each side",
        SEVERAL: "all of each side in chains of several",
        COMMON: "in both sides",
        COMMON_SEVERAL: "in both sides, in chains of several",
    }.get(group, group)
