"""Comparison of two versions of a data set: what changed, how much, and the figures of one against the other."""

import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from evaluation.coreference import ALL, COLUMNS, GROUPS, METRICS, NAMED_FIRST, ImageMentions, PhrasePlace, score_images
from evaluation.dataset.changes import (
    OF_BOXES,
    WEIGHTS,
    DataChange,
    GroupChanges,
    ImageChanges,
    VersionChain,
    alike,
    changes_of,
    is_mention,
)
from evaluation.errors import InputError
from evaluation.localization.queries import Query, outcome_of
from evaluation.reading.picture import NO_BOX, SCENE, TYPES, Box, Picture
from evaluation.reading.pictures import read_pictures
from evaluation.report import COLORS, Cell, Report, ReportPicture, add_bars
from evaluation.scoring import members
from evaluation.work import PictureFiles, StepWork, picture_files

SIDE = 440
"""Width of one version, and the most height of its photograph, in pixels."""
GAP, LINE, LETTERS = 12, 20, 52
PAPER, INK, QUIET = "#ffffff", "#1d2026", "#5b6270"
MOST_PHRASES = 4


class DrawnChains(NamedTuple):
    size: float
    image: ImageChanges
    group: GroupChanges


class Largest:
    """The largest changes of each kind, of images that have a photograph."""

    def __init__(self, most: int, files: PictureFiles) -> None:
        self.most, self.files = most, files
        self.kept: dict[str, list[DrawnChains]] = defaultdict(list)

    def add(self, image: ImageChanges) -> None:
        """Keep the image's chains that changed, if they are among the largest."""
        if image.after.name not in self.files.files:
            return
        for group in image.groups:
            chains = *group.group.before, *group.group.after
            if group.changes and any(chain.boxes for chain in chains):
                kind = max(group.changes, key=lambda change: change.size).kind
                own = self.kept[kind]
                own.append(DrawnChains(sum(change.size for change in group.changes), image, group))
                if len(own) > 2 * self.most:
                    self._cut(kind)

    def chosen(self) -> list[DrawnChains]:
        """Return the largest of each kind in turn, so that every kind is seen."""
        for kind in self.kept:
            self._cut(kind)
        queues = [self.kept[kind] for kind in WEIGHTS if self.kept[kind]]
        turns = [queue[place] for place in range(self.most) for queue in queues if place < len(queue)]
        return turns[: self.most]

    def _cut(self, kind: str) -> None:
        own = sorted(self.kept[kind], key=lambda one: (-one.size, one.image.after.name))
        self.kept[kind] = own[: self.most]


def add_pictures(report: Report, largest: Largest) -> None:
    """Add the pictures, or say why there are none."""
    if not largest.most or not report.figures["changes"]:
        return
    if not largest.files.files:
        report.notes.append("There are no pictures of the changes: name the folder of the photographs with --pictures.")
        return
    unread = []
    for place, chosen in enumerate(largest.chosen(), start=1):
        try:
            photograph = largest.files.open(chosen.image.after)
        except InputError as error:
            unread.append(str(error))
            continue
        packed = io.BytesIO()
        draw(photograph, chosen).save(packed, "JPEG", quality=88)
        report.drawings.append(ReportPicture(f"change_{place:02}", _title(chosen), packed.getvalue()))
    if unread:
        report.notes.append(f"{len(unread)} changes are not drawn. {unread[0]}")


def _title(one: DrawnChains) -> str:
    changes = sorted(one.group.changes, key=lambda change: -change.size)
    told = [
        f"{change.kind} (IOU {change.overlap:.2f})" if change.kind in OF_BOXES else change.kind for change in changes
    ]
    counted = [f"{told.count(words)} × {words}" if told.count(words) > 1 else words for words in dict.fromkeys(told)]
    return f"{one.image.after.name}: {', '.join(counted)}: “{changes[0].words}”"


def draw(photograph: Image.Image, one: DrawnChains) -> Image.Image:
    """Return both versions beside each other. A chain has one colour in both, as far as it is one chain."""
    scale = min(1.0, SIDE / photograph.width, SIDE / photograph.height)
    width, height = (max(1, round(edge * scale)) for edge in photograph.size)
    small = photograph.resize((width, height), Image.Resampling.LANCZOS)
    group = one.group.group
    back = {j: i for i, j in group.same.items()}
    colors = list(range(len(group.before)))
    others = [back.get(j, len(group.before) + j) for j in range(len(group.after))]
    lines = max(len(group.before), len(group.after), 1)
    whole = Image.new("RGB", (2 * SIDE + 3 * GAP, height + (lines + 1) * LINE + 3 * GAP), PAPER)
    sides = (("before", group.before, colors), ("after", group.after, others))
    for place, (words, chains, chain_colors) in enumerate(sides):
        left = GAP + place * (SIDE + GAP)
        pen = ImageDraw.Draw(whole)
        pen.text((left, GAP // 2), words, fill=QUIET, font=_font())
        pane = small.copy()
        _boxes(pane, chains, chain_colors, scale)
        whole.paste(pane, (left, GAP // 2 + LINE))
        for row, (chain, color) in enumerate(zip(chains, chain_colors, strict=True)):
            top = GAP + LINE + height + row * LINE
            pen.rectangle((left, top + 4, left + 11, top + 15), fill=_color(color))
            pen.text((left + 18, top), _phrases(chain), fill=INK, font=_font())
        if not chains:
            pen.text((left, GAP + LINE + height), "no such chain", fill=QUIET, font=_font())
    return whole


def _boxes(pane: Image.Image, chains: Sequence[VersionChain], colors: Sequence[int], scale: float) -> None:
    pen = ImageDraw.Draw(pane)
    for chain, color in zip(chains, colors, strict=True):
        for box in chain.boxes:
            x0, y0, x1, y1 = (edge * scale for edge in box)
            for inset, line, width in ((0, "#ffffff", 5), (1, _color(color), 3)):
                first = x0 + inset, y0 + inset
                last = max(first[0], x1 - 1 - inset), max(first[1], y1 - 1 - inset)
                pen.rectangle((*first, *last), outline=line, width=width)


def _color(place: int) -> str:
    return COLORS[place % len(COLORS)]


def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size=14)


def _phrases(chain: VersionChain) -> str:
    """Return the chain's phrases in one line, and what else is said of it."""
    texts = list(dict.fromkeys(phrase.text for phrase in chain.phrases))
    told = ", ".join(texts[:MOST_PHRASES]) + (", …" if len(texts) > MOST_PHRASES else "")
    flags = "".join(f" [{flag}]" for flag in sorted(chain.flags))
    room = LETTERS - len(flags)
    return (told if len(told) <= room else f"{told[: room - 1]}…") + flags


SIDES = ("before", "after")
QUANTILES = (5, 25, 50, 75, 95)
BINS = 10
CHANGE_COLUMNS = (
    "image", "change", "phrase", "types", "chain before", "chain after", "IOU", "before → after",
    "x0 before", "y0 before", "x1 before", "y1 before", "x0 after", "y0 after", "x1 after", "y1 after",
)  # fmt: skip


def add_sizes(report: Report, before: Sequence[Picture], after: Sequence[Picture]) -> None:
    """Add what each version has, of the images that both have."""
    counts = [_contents(side) for side in (before, after)]
    for side, size in zip(SIDES, counts, strict=True):
        report.put({name.replace(" ", "_"): count for name, count in size.items()}, f"{side}.")
    rows: list[list[Cell]] = [
        [name, count, counts[1][name], counts[1][name] - count] for name, count in counts[0].items()
    ]
    report.table("sizes", "Both versions, of the images that both have", ["", *SIDES, "difference"], rows)


def _contents(pictures: Iterable[Picture]) -> dict[str, int]:
    found = dict.fromkeys(("captions", "mentions", "other phrases", "chains", "boxes", "scenes", "chains of no box"), 0)
    for picture in pictures:
        phrases = [phrase for caption in picture.captions for phrase in caption.phrases]
        mentions = [phrase for phrase in phrases if is_mention(phrase)]
        chains = {phrase.chain for phrase in mentions}
        found["captions"] += len(picture.captions)
        found["mentions"] += len(mentions)
        found["other phrases"] += len(phrases) - len(mentions)
        found["chains"] += len(chains)
        found["boxes"] += sum(len(picture.boxes.get(chain, ())) for chain in chains)
        found["scenes"] += sum(SCENE in picture.flags.get(chain, ()) for chain in chains)
        found["chains of no box"] += sum(NO_BOX in picture.flags.get(chain, ()) for chain in chains)
    return found


def add_shares(
    report: Report, chains: tuple[Counter[str], Counter[str]], changed: tuple[Counter[str], Counter[str]]
) -> None:
    """Add the share of chains about which anything changed, of each version and by type."""
    rows: list[list[Cell]] = []
    for kind in ("", *TYPES):
        row: list[Cell] = [kind or "all"]
        for side, words in enumerate(SIDES):
            count, own = chains[side][kind], changed[side][kind]
            share = 100 * own / count if count else 0.0
            end = f".{kind}" if kind else ""
            report.put({f"changed.{words}{end}": share})
            row += [count, own, share if count else None]
        if not kind or chains[0][kind] or chains[1][kind]:
            rows.append(row)
    columns = ["type", *(f"{what} {side}" for side in SIDES for what in ("chains", "changed", "%"))]
    report.table("chains", "Chains of which anything changed", columns, rows)


def add_changes(report: Report, changes: Sequence[tuple[str, DataChange]]) -> None:
    """Add the counts of each kind of change by type, and the list of all changes."""
    counts: Counter[tuple[str, str]] = Counter()
    for _, change in changes:
        counts.update((change.kind, kind) for kind in ("", *change.types))
    for kind in WEIGHTS:
        name = f"changes.{kind.replace(' ', '_')}"
        report.figures[name] = counts[kind, ""]
        report.put({f"{name}.{type_}": counts[kind, type_] for type_ in TYPES if counts[kind, type_]})
    report.figures["changes"] = len(changes)
    there = [kind for kind in WEIGHTS if counts[kind, ""]]
    types = [type_ for type_ in TYPES if any(counts[kind, type_] for kind in there)]
    rows: list[list[Cell]] = [[kind, *(counts[kind, type_] for type_ in ("", *types))] for kind in there]
    if there:
        report.table("changes_by_type", "Changes by kind and type", ["change", "all", *types], rows)
        series = {"changes": [counts[kind, ""] for kind in there]}
        size = (7.0, 1.2 + 0.3 * len(there))
        add_bars(report, "changes_by_kind", "Changes by kind", there, series, "changes", size=size)
    listed = sorted(changes, key=lambda pair: (pair[0], -pair[1].size))
    report.table("changes", "Every change", CHANGE_COLUMNS, [_row(*change) for change in listed], on_page=False)


def _row(image: str, change: DataChange) -> list[Cell]:
    edges = [edge for box in (change.box_before, change.box_after) for edge in ((None,) * 4 if box is None else box)]
    types = "/".join(sorted(change.types))
    chains = change.before, change.after
    return [image, change.kind, change.words, types, *chains, change.overlap, change.detail, *edges]


def add_overlaps(report: Report, overlaps: Sequence[float]) -> None:
    """Add how far boxes that changed overlap themselves. `overlaps`: of all boxes in both versions."""
    every = np.array(overlaps)
    own = every[every < 1]
    report.put({"boxes.both": len(every), "boxes.changed": len(own)})
    if len(every):
        report.figures["overlap.mean"] = float(every.mean())
    if not len(own):
        return
    values = np.quantile(own, np.array(QUANTILES) / 100)
    report.put({f"overlap.changed.q{name:02}": float(value) for name, value in zip(QUANTILES, values, strict=True)})
    # An overlap of 0.6 begins a bin, also where it is a little less by rounding.
    counts = np.bincount((own * BINS + 1e-9).astype(int), minlength=BINS)[:BINS]
    report.put({f"overlap.changed.bin{place}": int(count) for place, count in enumerate(counts)})
    names = [f"{place / BINS:.1f} to {(place + 1) / BINS:.1f}" for place in range(BINS)]
    title = f"Overlap of boxes with themselves, of the {len(own):,} that changed"
    rows: list[list[Cell]] = [
        [name, int(count), 100 * float(count) / len(own)] for name, count in zip(names, counts, strict=True)
    ]
    report.table("overlaps", f"{title}, by IOU", ["IOU", "boxes", "%"], rows)
    quantiles: list[Cell] = [f"{float(value):.3f}" for value in values]
    report.table("overlap_quantiles", f"{title}: quantiles of IOU", [f"{name} %" for name in QUANTILES], [quantiles])
    add_bars(report, "overlap_of_changed", title, names, {"boxes": counts.tolist()}, "boxes", size=(7.0, 3.6))


HITS = (0.5, 0.7, 0.9)
"""The overlaps of the table of recall."""


def add_coreference(report: Report, images: Mapping[str, tuple[ImageMentions, ImageMentions]], work: StepWork) -> None:
    """Add the figures of coreference of the earlier version, the later one being right. `images`: both, by name."""
    names = list(images)
    ours = score_images(
        work,
        {name: after for name, (_, after) in images.items()},
        {name: before for name, (before, _) in images.items()},
        names,
    )
    figures = dict(zip(GROUPS, ours.figures, strict=True))
    for group in (ALL, *NAMED_FIRST):
        own = {name: float(value) for name, value in zip(COLUMNS, figures[group], strict=True) if not np.isnan(value)}
        report.put(own, f"coreference.{group}." if group else "coreference.")
    rows: list[list[Cell]] = [
        [metric, *(report.figures.get(f"coreference.{metric}.{part}") for part in "PRF")] for metric in METRICS
    ]
    rows.append(["CoNLL", None, None, report.figures.get("coreference.CoNLL")])
    title = "Coreference: chains before against those after, all mentions of each, %"
    report.table("coreference", title, ["metric", "P", "R", "F"], rows)


def marked(image: ImageChanges) -> tuple[ImageMentions, ImageMentions]:
    """Return the mentions of both versions, each phrase at one place in both."""
    found = []
    for side in (0, 1):
        own = {
            PhrasePlace(0, place, place + 1): one
            for place, pair in enumerate(image.pairs.phrases)
            if (one := pair[side]) is not None and is_mention(one)
        }
        chains = {place: phrase.chain for place, phrase in own.items()}
        found.append(ImageMentions(chains, {place: phrase.types for place, phrase in own.items()}))
    return found[0], found[1]


def queries_beside(image: ImageChanges) -> list[tuple[Query, Box | None]]:
    """Return the mentions of both versions that have a box after, each with its box before."""
    before, after = image.before, image.after
    found = []
    for earlier, other in image.pairs.phrases:
        if earlier is not None and other is not None and is_mention(earlier) and (gold := after.gold.get(other.chain)):
            query = Query(after.name, (after.width, after.height), other, gold)
            found.append((query, before.gold.get(earlier.chain) if is_mention(earlier) else None))
    return found


def add_localization(report: Report, boxes: Sequence[tuple[Query, Box | None]]) -> None:
    """Add the recall of the boxes before, those after being right."""
    queries = [query for query, _ in boxes]
    if not queries:
        report.missing["localization"] = "a phrase of both versions with a box in the later one"
        return
    outcome = outcome_of(queries, {query.key: [box] for query, box in boxes if box is not None})
    groups: dict[str, Iterable[int]] = {"": range(len(queries)), **members([query.types for query in queries])}
    rows: list[list[Cell]] = []
    for kind in ("", *TYPES):
        own = outcome.overlaps[np.array(list(groups[kind]), dtype=int)]
        if not len(own):
            continue
        end = f".{kind}" if kind else ""
        recall = {f"{hit}": float(100 * np.mean(own >= hit)) for hit in HITS}
        report.put({f"recall@{hit}{end}": value for hit, value in recall.items()}, "localization.")
        report.figures[f"localization.overlap{end}"] = float(np.mean(own))
        rows.append([kind or "all", len(own), *recall.values(), float(np.mean(own))])
    columns = ["type", "phrases", *(f"IOU ≥ {hit}" for hit in HITS), "mean IOU"]
    report.table("localization", "Localization: boxes before found by those after, %", columns, rows)


@dataclass
class DatasetChanges:
    """Changes and counts of all images together."""

    changes: list[tuple[str, DataChange]] = field(default_factory=list)
    """Each with its image."""
    overlaps: list[float] = field(default_factory=list)
    chains: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))
    """Chains of each version by type, of all types under ""."""
    changed: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))
    """Those about which anything changed."""
    images_changed: int = 0
    captions: tuple[int, int] = (0, 0)
    """Captions that are in one version only."""
    marked: dict[str, tuple[ImageMentions, ImageMentions]] = field(default_factory=dict)
    queries: list[tuple[Query, Box | None]] = field(default_factory=list)

    def add(self, image: ImageChanges) -> None:
        """Count an image in."""
        own = [(image.after.name, change) for change in image.changes()]
        alone = [sum(pair[1 - side] is None for pair in image.pairs.captions) for side in (0, 1)]
        self.captions = self.captions[0] + alone[0], self.captions[1] + alone[1]
        self.changes += own
        self.images_changed += bool(own or any(alone))
        for group in image.groups:
            self.overlaps += group.overlaps
            for side, chains in enumerate((group.group.before, group.group.after)):
                for chain in chains:
                    kinds = ("", *chain.types)
                    self.chains[side].update(kinds)
                    if group.changes:
                        self.changed[side].update(kinds)
        self.marked[image.after.name] = marked(image)
        self.queries += queries_beside(image)


def compare(work: StepWork) -> Report:
    """Compare `--before` with `--after`. Raises InputError for data that cannot be read or have no image in common."""
    if work.options["drawn"] < 0 or not 0 <= work.options["tolerance"] < float("inf"):
        raise InputError("--drawn and --tolerance are numbers from 0.")
    paths = work.required("before"), work.required("after")
    before, after = (_read(work, path) for path in paths)
    names = sorted(before.keys() & after.keys())
    if not names:
        raise InputError(
            f"No image is in both: {paths[0].name} has {_some(sorted(before))}, {paths[1].name} has "
            f"{_some(sorted(after))}. Images are told by their names without ending."
        )
    for name in names:
        before[name], after[name] = alike(before[name], after[name])
    found, largest = DatasetChanges(), Largest(work.options["drawn"], picture_files(work, *paths))
    for name in work.progress(names, "comparing"):
        image = changes_of(before[name], after[name], work.options["tolerance"])
        found.add(image)
        largest.add(image)
    report = Report("Two versions of a data set", len(names), "images in both versions")
    report.split["compared"] = names
    _notes(report, found, before, after)
    add_sizes(report, [before[name] for name in names], [after[name] for name in names])
    add_shares(report, found.chains, found.changed)
    add_changes(report, found.changes)
    add_overlaps(report, found.overlaps)
    add_coreference(report, found.marked, work)
    add_localization(report, found.queries)
    add_pictures(report, largest)
    return report


def _read(work: StepWork, path: Path) -> dict[str, Picture]:
    found = {picture.name: picture for picture in read_pictures(path, work.progress)}
    if not any(caption.phrases for side in found.values() for caption in side.captions):
        raise InputError(f"{path}: no caption has a phrase, so that there are no chains to compare.")
    return found


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f", … ({len(names):,})" if len(names) > 3 else "")


def _notes(report: Report, changes: DatasetChanges, before: dict[str, Picture], after: dict[str, Picture]) -> None:
    alone = sorted(before.keys() - after.keys()), sorted(after.keys() - before.keys())
    report.put(
        {
            "images": report.n,
            "images.changed": changes.images_changed,
            "images.only_before": len(alone[0]),
            "images.only_after": len(alone[1]),
            "captions.only_before": changes.captions[0],
            "captions.only_after": changes.captions[1],
        }
    )
    if changes.images_changed:
        report.notes.append(f"Images in both versions: {report.n:,}, of which {changes.images_changed:,} changed.")
    else:
        report.notes.append("Nothing changed in the images that both versions have.")
    for words, names in zip(("earlier", "later"), alone, strict=True):
        if names:
            report.notes.append(f"Only the {words} version has the images {_some(names)}: nothing of them is counted.")
    if any(changes.captions):
        report.notes.append(
            f"Captions whose words only one version has: {changes.captions[0]:,} of the earlier one, "
            f"{changes.captions[1]:,} of the later one. Their phrases are counted as removed or added."
        )
    if sizes := [name for name in changes.marked if _size(before[name]) != _size(after[name])]:
        report.notes.append(f"The pictures {_some(sizes)} have another size in the later version: look at their boxes.")
    for words, side in (("earlier", before), ("later", after)):
        if lacks := sorted(set[str]().union(*(picture.lacks for picture in side.values()))):
            report.notes.append(
                f"The format of the {words} version has no room for {' and '.join(lacks)}: they are left out of both."
            )
    if any(picture.loose for side in (before, after) for picture in side.values()):
        report.notes.append("Boxes of no chain are not compared.")
    report.notes.append(
        "Changes are named from the earlier version to the later one; chains are told by their mentions, not by their "
        "names. A change counts under every type of its chains, or of "
        "its phrase, in either version; so the types may add up to more than all."
    )


def _size(picture: Picture) -> tuple[int, int]:
    return picture.width, picture.height
