"""Corrected data sets: what a check changed, written into the files of the source, and nothing else of them."""

import os
import shutil
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from annotation.rules.box import Box
from annotation.rules.states import NonVisual
from exchange.atomic import atomic_file, atomic_folder, check_free
from exchange.checks import Defect, SourceError, source_error
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention, Problem
from exchange.formats import detect
from exchange.formats.edits import NEW_CHAIN_PREFIX, Edit, EditStore
from exchange.formats.format import Corrector as FormatCorrector
from exchange.formats.format import Format
from exchange.formats.pictures import FolderPictures, SourcePictures, is_picture
from exchange.import_dataset import Progress
from exchange.import_image import flags_of, members_of
from exchange.leftovers import workspace
from exchange.registry import FORMATS, corrected_formats, import_format
from exchange.source import is_clutter, opened
from pipeline.checking.label_evidence import ChainLabel
from runtime.installed import COMMAND
from runtime.marked_points import reach


class Corrections(NamedTuple):
    """The result of a check of an image. Mentions are told by their numbers, which are places in the source's list."""

    labels: Sequence[ChainLabel]
    """The labels that take the place of all labels that share a mention with one of them, or with `gone`."""
    mentions: Mapping[int, DatasetMention]
    """The mentions of `labels` as they are now; their chains are passed over."""
    gone: frozenset[int] = frozenset()
    """Mentions that are phrases no longer."""


def corrected_image(image: DatasetImage, corrections: Corrections) -> DatasetImage:
    """Return the image with the corrected labels. A chain keeps the name of the one of which it has most mentions."""
    names = _names(image, corrections.labels)
    chain_of = {number: name for name, label in names.items() for number in label.mentions}
    touched = {*chain_of, *corrections.gone}
    old = {
        mention.chain
        for number, mention in enumerate(image.mentions)
        if number in touched and mention.chain is not None
    }
    stay = [
        replace(corrections.mentions[number], chain=chain_of[number]) if number in chain_of else mention
        for number, mention in enumerate(image.mentions)
        if number not in corrections.gone
    ]
    added = [
        replace(corrections.mentions[number], chain=chain_of[number])
        for number in chain_of
        if number >= len(image.mentions)
    ]
    mentions = sorted([*stay, *added], key=lambda one: (one.caption, one.start))
    chains = {chain.name: chain for chain in image.chains if chain.name not in old or chain.name in names}
    flags, boxed = flags_of(image), {name for box in image.boxes for name in box.chains}
    said = {chain: "" if chain in boxed else flags.get(chain, "") for chain in chains}
    for name, label in names.items():
        if said.get(name) != label.flag:  # a source may set both flags of a chain, or one of a chain with boxes
            scene, no_box = (label.flag == flag.value for flag in (NonVisual.SCENE, NonVisual.NO_BOX))
            chains[name] = DatasetChain(name, scene=scene, no_box=no_box)
    order = dict.fromkeys(mention.chain for mention in mentions if mention.chain is not None)
    return replace(
        image,
        mentions=tuple(mentions),
        chains=tuple(chains[name] for name in order if name in chains),
        boxes=tuple(_boxes(image.boxes, old, names)),
    )


def _names(image: DatasetImage, labels: Sequence[ChainLabel]) -> dict[str, ChainLabel]:
    """Return the labels by name: that of the source's chain with which they share most, each once, else a new one."""
    shared = [
        (-len(common), name, place)
        for name, numbers in members_of(image).items()
        for place, label in enumerate(labels)
        if (common := set(numbers).intersection(label.mentions))
    ]
    found: dict[int, str] = {}
    for _, name, place in sorted(shared, key=lambda one: (one[0], labels[one[2]].mentions)):
        if place not in found and name not in found.values():
            found[place] = name
    return {found.get(place, f"{NEW_CHAIN_PREFIX}{place}"): label for place, label in enumerate(labels)}


def _boxes(boxes: Iterable[DatasetBox], old: set[str], names: Mapping[str, ChainLabel]) -> list[DatasetBox]:
    """Return the boxes in their order, with new ones behind; those that have lost their last chain go."""
    wanted = [(box, name) for name, label in names.items() for box in label.boxes]
    left = dict.fromkeys(wanted)
    found: list[DatasetBox] = []
    for stored in boxes:
        own = [name for name in stored.chains if name not in old or left.pop((stored.box, name), 0) is None]
        if own or not stored.chains:
            found.append(replace(stored, chains=tuple(own)))
        elif any(box == stored.box for box, _ in wanted):
            found.append(replace(stored, chains=()))  # another chain takes it over
    for box, name in left:
        place = next((place for place, stored in enumerate(found) if stored.box == box and not stored.category), None)
        if place is None:
            found.append(DatasetBox(box, (name,)))
        else:
            found[place] = replace(found[place], chains=(*found[place].chains, name))
    return [box for box in found if box.chains or box.category]


Place = tuple[str, int, int]
"""A phrase: the text of its caption, and its words [from, to). Captions may come in another order."""
Said = tuple[frozenset[Place], frozenset[Box], str]
"""A label: its phrases, its boxes, and the reason why it has none."""


class UnwrittenPart(StrEnum):
    """The ways in which a label that was written differs from what it was to be."""

    PHRASE = "labels have no box, or no longer one for each phrase: phrases without boxes are left out"
    FLAG = "flags (scene, no box) are not written"
    BOXES = "labels keep the boxes that they had: the format holds one for each phrase"
    COREFERENCE = "labels do not say which phrases are one thing: the format tells it by equal boxes"
    TYPES = "types of phrases are not written"


def unwritten_labels(edit: Edit, written: DatasetImage | None) -> Counter[UnwrittenPart]:
    """Count the labels of an image that are not as they were to be. `written`: as it is read again; None: it is not."""
    found: Counter[UnwrittenPart] = Counter()
    there = _labels(written) if written else []
    for label in _labels(edit.after):
        if label not in there:
            found[_why(label, [other for other in there if label[0] & other[0]])] += 1
    before, after, types = map(_types, (edit.before, edit.after, written or edit.after))
    retyped = {place for place in after.keys() & before.keys() & types.keys() if after[place] != before[place]}
    found[UnwrittenPart.TYPES] = sum(types[place] != after[place] for place in retyped)
    return +found


def _why(label: Said, written: Iterable[Said]) -> UnwrittenPart:
    """Return what is not held of a label. `written`: the labels that share phrases with it."""
    places, boxes, flag = label
    written = list(written)
    if not places <= {place for label_places, *_ in written for place in label_places}:
        return UnwrittenPart.PHRASE
    if any(label_boxes != boxes for _, label_boxes, _ in written):
        return UnwrittenPart.BOXES
    if any(label_places == places and said != flag for label_places, _, said in written):
        return UnwrittenPart.FLAG
    return UnwrittenPart.COREFERENCE


def _labels(image: DatasetImage) -> list[Said]:
    flags = flags_of(image)
    found = []
    for name in dict.fromkeys(mention.chain for mention in image.mentions if mention.chain is not None):
        places = frozenset(_place(image, mention) for mention in image.mentions if mention.chain == name)
        boxes = frozenset(box.box for box in image.boxes if name in box.chains)
        found.append((places, boxes, "" if boxes else flags.get(name, "")))
    return found


def _types(image: DatasetImage) -> dict[Place, frozenset[str]]:
    return {_place(image, mention): frozenset(mention.types) for mention in image.mentions}


def _place(image: DatasetImage, mention: DatasetMention) -> Place:
    return image.captions[mention.caption].text, mention.start, mention.end


Corrector = Callable[[Iterable[DatasetImage]], Iterator[tuple[DatasetImage, Corrections | None]]]
"""Yields the images of the source with what is to change; raises Defect for one that differs from what was checked."""


@dataclass(slots=True)
class CorrectedReport:
    """The result of a corrected export."""

    source_format: str = ""
    images: int = 0
    """Images of the source that can be read."""
    changed: int = 0
    """Images with other labels than in the source."""
    problems: list[Problem] = field(default_factory=list)
    """Parts of the source that cannot be read; they stay as they are."""
    unwritten: Counter[UnwrittenPart] = field(default_factory=Counter)
    examples: dict[UnwrittenPart, str] = field(default_factory=dict)
    """The first image of each."""


def write_corrected(
    *,
    path: Path | str,
    target: Path,
    corrector: Corrector,
    source_format: str | None = None,
    pictures: bool = False,
    within: Collection[Path] | None = None,
    ended: Callable[[], object] = lambda: None,
    progress: Progress = lambda images, total: images,
) -> CorrectedReport:
    """Write the source at `path`, corrected, into the folder `target`, or into a .zip of it by its ending.

    Files, and entries of files, of which nothing changed keep their bytes. `pictures`: they are copied, too. `within`:
    see `exchange.source.opened`. `ended` is called once all images were given to the corrector, and may raise
    SourceError. The target appears when all is written, and was read again: labels that the format cannot hold are
    counted.

    Raises SourceError for a source that cannot be read, has no labels that could be corrected, or is not the one that
    was checked; TargetExists if the target is not empty.
    """
    zipped = target.suffix == ".zip"
    check_free(target, folder=not zipped)
    with ExitStack() as stack:
        source = stack.enter_context(opened(path, within))
        data_format = import_format(source_format) if source_format else detect(source.folder, FORMATS.values())
        if data_format.correct is None:
            raise source_error(
                path,
                f"is in the format {data_format.name}, into which corrections are not written: use {COMMAND} "
                f"export_dataset, or give one of {', '.join(corrected_formats())}",
            )
        if pictures and not isinstance(source.pictures, FolderPictures):
            raise source_error(
                path, "has its pictures in a bucket, from where they are not copied: leave --pictures out"
            )
        report, edits = CorrectedReport(data_format.name), stack.enter_context(EditStore())
        there = data_format.open_pictures(source.folder, source.pictures)
        total = data_format.estimate(source.folder, there)
        images = iter(progress(data_format.images(source.folder, there), total))
        _collect(data_format.correct, images, corrector, edits, report)
        ended()
        edits.name_chains()
        out = stack.enter_context(workspace() if zipped else atomic_folder(target))
        _copy(source.folder, out, pictures=pictures)
        reach("corrected: copied")
        try:
            data_format.correct.patch(source.folder, out, edits)
        except Defect as defect:
            raise source_error(path, f"cannot be corrected: {defect.message}", defect.line) from defect
        _check(data_format, out, source.pictures, edits, report)
        if zipped:
            _zip(out, stack.enter_context(atomic_file(target)))
    return report


def _collect(
    written: FormatCorrector,
    images: Iterable[DatasetImage | Problem],
    corrector: Corrector,
    edits: EditStore,
    report: CorrectedReport,
) -> None:
    """Keep an edit for each image of which the labels change."""

    def readable() -> Iterator[DatasetImage]:
        for image in images:
            if isinstance(image, Problem):
                report.problems.append(image)
            else:
                report.images += 1
                edits.look_at(image)
                yield image

    try:
        for image, corrections in corrector(readable()):
            if corrections is not None and (after := corrected_image(image, corrections)) != image:
                edits.keep(written.key_of(image), Edit(image, after))
                report.changed += 1
    except Defect as defect:
        raise SourceError(
            Problem(
                "SOURCE", None, "", f"is not what was checked: {defect.message}. Give the data set as it was imported."
            )
        ) from defect


def _copy(source: Path, target: Path, *, pictures: bool) -> None:
    """Copy the files of a source; pictures if they are wanted."""
    for at, _, files in os.walk(source):
        folder = Path(at)
        place = target / folder.relative_to(source)
        place.mkdir(exist_ok=True)
        for name in files:
            if not is_clutter(name) and (pictures or not is_picture(name)):
                shutil.copyfile(folder / name, place / name)


def _check(data_format: Format, out: Path, pictures: SourcePictures, edits: EditStore, report: CorrectedReport) -> None:
    """Read the corrected set again, and count the labels that are not as they were to be."""
    if not len(edits):
        return
    assert data_format.correct is not None
    unread = set(edits)
    for image in data_format.images(out, data_format.open_pictures(out, pictures)):
        if isinstance(image, DatasetImage) and (edit := edits.get(key := data_format.correct.key_of(image))):
            unread.discard(key)
            _count(edit, image, report)
    for key in unread:
        edit = edits.get(key)
        assert edit is not None
        _count(edit, None, report)


def _count(edit: Edit, written: DatasetImage | None, report: CorrectedReport) -> None:
    for why, often in unwritten_labels(edit, written).items():
        report.unwritten[why] += often
        report.examples.setdefault(why, edit.before.path or edit.before.name)


def _zip(folder: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder).as_posix())
