"""The reader for Label Studio's exports: a JSON list of tasks with boxes, spans and relations, read as a stream."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.bounds import MOST_BOXES, MOST_CAPTIONS, MOST_PHRASES, TABLE_BYTES
from annotation.rules.mention_type import MentionType
from exchange.checks import as_list, as_text, member
from exchange.dataset import DatasetImage, Problem, Remark
from exchange.formats.json_entries import json_entries
from exchange.formats.label_studio.regions import Regions, Span, read_regions, size_said
from exchange.formats.picture_address import PictureAddresses
from exchange.formats.picture_files import FolderPictures, Pictures, is_picture
from exchange.formats.spans import (
    SaidCaption,
    SaidImage,
    SaidImages,
    caption_text,
    dataset_images,
    spans_of,
    unnamed,
)
from exchange.formats.whole_phrase import whole_phrase
from exchange.problems import BadRows, Defect, source_error

SIGN = re.compile(rb'"(data|annotator)"\s*:')
HEAD = 1 << 20
CAPTIONS = ("captions", "caption", "text")
SEVERAL = "Tasks with several annotations, of which the ground truth is read, or else the newest"
PREDICTIONS = "Predictions of tasks, passed over"
UNNAMED = "Boxes without a label, a text or a relation, passed over"
_TYPES = frozenset(map(str, MentionType))


def label_studio_files(path: Path) -> list[Path]:
    """Return the .json files of the folder that are lists, and hold a task in their first mebibyte."""
    return [file for file in sorted(path.glob("*.json")) if file.is_file() and _is_export(file)]


def _is_export(file: Path) -> bool:
    with file.open("rb") as source:
        head = source.read(HEAD)
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[") and SIGN.search(head) is not None


def read_label_studio(path: Path, pictures: Pictures | None = None) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, then remarks on what was read in another way than it was drawn.

    A relation between a span of a caption and a box gives the span's chain the box; spans that relations join are one
    chain, and so are spans with the very same boxes. A text about a box is a caption that is the phrase of the box. A
    box without either has its label as category. Raises SourceError for a folder without such a file, or with several,
    and for a file that is not Label Studio's.
    """
    files = label_studio_files(path)
    if len(files) != 1:
        raise source_error(path, f"has {len(files)} .json files of Label Studio: it needs one")
    shown = files[0].relative_to(path).as_posix()
    reader = _Reader(shown, pictures or FolderPictures(path))
    try:
        if (size := files[0].stat().st_size) > TABLE_BYTES:
            raise Defect(f"has {size:,} bytes: at most {TABLE_BYTES:,} are read")
        bad = BadRows[Problem]()
        for place, task in enumerate(json_entries(files[0])):
            try:
                reader.add(task, f"tasks[{place}]")
            except Defect as defect:
                problem = unnamed(defect, shown, f"tasks[{place}]", _name_of(task))
                if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
                    bad.append(problem)
                yield problem
    except Defect as defect:
        raise source_error(shown, defect.message, defect.line) from defect
    yield from dataset_images(reader.images.by_path.values(), reader.images.pictures, shown)
    for what, count in reader.counts.items():
        if count:
            yield Remark(shown, None, "", f"{what}: {count:,}")


def _name_of(task: Any) -> object:
    data = task.get("data") if isinstance(task, dict) else None
    return data.get("image") if isinstance(data, dict) else None


class _Reader:
    """The images of the tasks that were read so far, and counts of what is told at the end."""

    def __init__(self, shown: str, pictures: Pictures) -> None:
        to_add = f"data has none of {', '.join(CAPTIONS)}, and no text was written about the picture"
        self.images = SaidImages(shown, pictures, to_add=to_add)
        self.counts: Counter[str] = Counter()
        self._addresses = PictureAddresses(pictures)

    def add(self, task: Any, where: str) -> None:
        """Add a task to its image. Raises Defect for one that names no image, or no size of it."""
        if not isinstance(task, dict) or "data" not in task:
            hint = ": export as JSON, not as JSON_MIN" if isinstance(task, dict) and "annotator" in task else ""
            raise Defect(f"{where} has no 'data'{hint}")
        key, address = _picture(task["data"], f"{where}.data")
        path = self._addresses.path(address, f"{where}.data.{key}")
        annotation, place = self._chosen(task, where)
        own = f"{where}.{place}.result"
        result, wrong = [], list[Defect]()
        try:
            result = as_list(member(annotation, "result", f"{where}.{place}"), own) if place else []
            width, height = size_said(result, own) or (None, None)
        except Defect as defect:
            wrong, (width, height) = [defect], (None, None)
        if width and height and (actual := self._same_shape(path, width, height)):
            width, height = actual  # boxes are in percent: they fit a picture of any size
        try:
            image, _ = self.images.of_row({"width": width, "height": height}, path, where)
        except Defect as defect:
            raise next(iter(wrong), defect) from defect
        for one in wrong:
            image.details.add(f"{one.message}: it is left out")
        self._add_captions(image, task["data"], key, read_regions(result, image, own, self.counts), where)

    def _same_shape(self, path: str, width: int, height: int) -> tuple[int, int] | None:
        """Return the size of the picture if it has this shape in another size; None otherwise, or without it."""
        try:
            actual = self.images.size_of_picture(path)
        except Defect:
            return None
        return actual if abs(actual[0] * height - actual[1] * width) <= max(*actual, width, height) else None

    def _chosen(self, task: dict[str, Any], where: str) -> tuple[dict[str, Any], str]:
        """Return the annotation that counts, and its place in the task; nothing if the task has none."""
        key = "completions" if "completions" in task and "annotations" not in task else "annotations"
        rows = as_list(task.get(key) or [], f"{where}.{key}")
        self.counts[PREDICTIONS] += len(as_list(task.get("predictions") or [], f"{where}.predictions"))
        for place, row in enumerate(rows):
            if not isinstance(row, dict):
                raise Defect(f"{where}.{key}[{place}] is not an object")
        kept = [(place, row) for place, row in enumerate(rows) if not row.get("was_cancelled")]
        if not kept:
            return {}, ""
        self.counts[SEVERAL] += len(kept) > 1
        place, best = max(kept, key=lambda one: (bool(one[1].get("ground_truth")), _date(one[1]), one[0]))
        return best, f"{key}[{place}]"

    def _add_captions(self, image: SaidImage, data: Any, key: str, regions: Regions, where: str) -> None:
        named = {span.to_name for span in regions.spans.values()}
        captions = _captions(data, named - {key}, image, f"{where}.data")
        for number, (text, place) in enumerate(regions.texts):
            with image.details.left_out("the text"):
                captions.append((f"text {number}", SaidCaption(caption_text(text, place), place)))
        for count, most, what in (
            (len(image.captions) + len(captions), MOST_CAPTIONS, "captions"),
            (len(regions.spans), MOST_PHRASES, "phrases"),
            (len(regions.boxes), MOST_BOXES, "boxes"),
        ):
            if count > most:
                image.bad.append(Defect(f"{where} has {count:,} {what}: at most {most:,} are allowed"))
                return
        used = self._add_spans(image, regions, captions)
        for name, box in regions.boxes.items():
            about: list[SaidCaption] = []
            for text, place in regions.about.get(name, ()):
                with image.details.left_out("the text"):
                    about.append(whole_phrase(text, place, [box]))
            captions += [("", one) for one in about]
            if not about and name not in used:
                labels = list(dict.fromkeys(regions.labels[name]))
                image.loose += [(box, label) for label in labels]
                self.counts[UNNAMED] += not labels
        image.captions += [one for _, one in captions]

    def _add_spans(self, image: SaidImage, regions: Regions, captions: list[tuple[str, SaidCaption]]) -> set[str]:
        """Add the phrases to their captions. Returns the boxes that belong to one."""
        used: set[str] = set()
        related = regions.boxes_by_span()
        for name, spans in regions.one_thing().items():
            boxes = list(dict.fromkeys(box for _, box in sorted(pair for span in spans for pair in related[span])))
            used.update(boxes)
            for one in spans:
                said = regions.spans[one]
                with image.details.left_out("the span"):
                    caption, span = _place(said, captions)
                    if span in caption.boxes:
                        raise Defect(f"{said.where}: the caption has this phrase already")
                    caption.boxes[span] = [regions.boxes[box] for box in boxes]
                    caption.types[span] = tuple(label for label in said.labels if label in _TYPES)
                    if not boxes and regions.relations:
                        caption.chains[span] = f"{name} of {said.where.partition('.')[0]}"
        return used


def _date(annotation: dict[str, Any]) -> str:
    """Return when the annotation was last changed, as the export writes it: texts that sort by time."""
    return str(annotation.get("updated_at") or annotation.get("created_at") or "")


def _picture(data: Any, where: str) -> tuple[str, str]:
    """Return the field with the address of the picture, and the address."""
    if not isinstance(data, dict):
        raise Defect(f"{where} is not an object")
    texts = {key: value for key, value in data.items() if isinstance(value, str)}
    named = [
        key
        for key, value in texts.items()
        if " " not in value and any(map(is_picture, (value, value.partition("?")[0])))
    ]
    key = "image" if "image" in data else next(iter(named), "image")
    return key, as_text(member(data, key, where), f"{where}.{key}")


def _captions(data: dict[str, Any], named: set[str], image: SaidImage, where: str) -> list[tuple[str, SaidCaption]]:
    """Return the captions of the task, by the names that spans may have for them."""
    found = []
    for key in [*CAPTIONS, *sorted(named - {*CAPTIONS})]:
        value = data.get(key)
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        with image.details.left_out("the caption"):
            if isinstance(value, str):
                found.append((key, SaidCaption(caption_text(value, f"{where}.{key}"), f"{where}.{key}")))
                continue
            for number, one in enumerate(as_list(value, f"{where}.{key}")):
                own = f"{where}.{key}[{number}]"
                text = one.get("text", one.get("caption")) if isinstance(one, dict) else one
                with image.details.left_out("the caption"):
                    found.append((f"{key}_{number}", SaidCaption(caption_text(text, own), own)))
    return found


def _place(said: Span, captions: list[tuple[str, SaidCaption]]) -> tuple[SaidCaption, tuple[int, int]]:
    """Return the caption of the span, and its characters there. Raises Defect if no caption, or several, can be meant.

    The text of the span tells whether it counts characters as Python does or in units of UTF-16, as browsers do.
    """
    named = [one for name, one in captions if said.to_name in (name, f"{name}[]")] or [one for _, one in captions]
    fitting: list[tuple[SaidCaption, tuple[int, int]]] = []
    for one in named:
        for start, end in dict.fromkeys(((said.start, said.end), _from_units(one.text, said.start, said.end))):
            if said.text is None or " ".join(one.text[start:end].split()) == " ".join(said.text.split()):
                fitting.append((one, (start, end)))
                break
    if len(fitting) != 1:
        text = "" if said.text is None else f" {said.text[:60]!r}"
        count = "no caption" if not fitting else f"{len(fitting)} captions"
        raise Defect(f"{said.where}:{text} [{said.start}, {said.end}) is in {count} that “{said.to_name}” can mean")
    caption, (start, end) = fitting[0]
    return caption, spans_of([[start, end]], caption.text, said.where)[0]


def _from_units(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span of units of UTF-16 in characters."""
    units = text.encode("utf-16-le", "surrogatepass")
    first, second = (len(units[: 2 * edge].decode("utf-16-le", "replace")) for edge in (max(start, 0), max(end, 0)))
    return first, second
