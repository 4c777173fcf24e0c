"""The writer for JSON Lines: a line for the project, then one per image with its result and its whole record.

`exchange.jsonl.rows` declares every field.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from annotation.models import Box, Caption, Chain, Image, KnownBox, MergedBox, Project
from exchange.formats.parts import LINES, Part
from exchange.json_columns import column_text
from exchange.json_text import json_text, list_text, row_form
from exchange.jsonl.image_rows import box_row, chain_row, link_texts, mention_rows, merged_row
from exchange.jsonl.record_texts import ImageRecord, load_records
from exchange.jsonl.rows import CaptionRow, ImageLine, ProgramRow, ProjectLine, SettingsRow
from exchange.jsonl.settings_values import shown_values
from exchange.load_project import ids_in_order
from exchange.stored_image import left_over
from exchange.who_answered import programs_of_service, without_effect
from pipeline.models import Progress, SettingsVersion
from pipeline.project.settings_versions import all_settings
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_text

IMAGE, CAPTION = map(row_form, (ImageLine, CaptionRow))
COLUMNS = sorted(ImageLine.__annotations__)
OF_IMAGE = ("name", "path", "coco_id", "position", "width", "height", "state")
TRUE, FALSE = "true", "false"
PARTS = ("mentions", "chains", "boxes", "votes", "sources", "together")
"""The parts of an image's progress that its line shows."""
IMAGES_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class RecordLines:
    """The lines of a project. Workers and experts have pseudonyms, the same in every export of this service."""

    project: Project
    only: Collection[int] | None
    """Ids of the images to write; None: all."""
    include_unmerged: bool
    with_project: bool = True
    """Whether the line of the project comes first."""
    step: Callable[[], object] = lambda: None
    """Called after each image."""

    def __iter__(self) -> Iterator[str]:
        """Yield the line of each image."""
        for line in _lines(self.project, self.only, include_unmerged=self.include_unmerged):
            yield line
            self.step()


def write_record(lines: RecordLines, part: Part) -> int:
    """Write the lines, and return the number of images. The same project gives the same bytes."""
    count, text = 0, part.text(LINES.name)
    if lines.with_project:
        text.write(f"{json_text(_head(lines.project))}\n".encode())
    for line in lines:
        text.write(f"{line}\n".encode())
        count += 1
    return count


def pseudonym(project_id: int, worker_id: int) -> str:
    """Return the worker's pseudonym in the project. It cannot be reversed without the service's secret key."""
    return "w" + _digest(f"{project_id}:{worker_id}")


def pseudonym_of_expert(project_id: int, name: str) -> str:
    """Return the pseudonym of a member who has acted in the project's records."""
    return "e" + _digest(f"{project_id}:actor:{name}")


def _digest(text: str) -> str:
    return salted_hmac("chainbox.pseudonym", text).hexdigest()[:12]


def _head(project: Project) -> ProjectLine:
    """Return the first line."""
    worker = partial(pseudonym, project.id)
    versions = all_settings(project.id)
    settings: list[SettingsRow] = [
        {
            "version": row.version,
            "values": shown_values(versions[row.version].to_json(), worker),
            "reason": row.reason,
            "at": row.created_at.isoformat(),
        }
        for row in SettingsVersion.objects.filter(project=project).order_by("version").defer("values")
    ]
    return {"kind": "project", "format": 1, "name": project.name, "title": project.title, "settings": settings}


def _lines(project: Project, only: Collection[int] | None, *, include_unmerged: bool) -> Iterator[str]:
    part = _Part(project)
    ids = ids_in_order(project, only, include_unmerged=include_unmerged)
    for start in range(0, len(ids), IMAGES_AT_ONCE):
        yield from part.images(ids[start : start + IMAGES_AT_ONCE])


class _Part:
    """Loads some images of a project at a time, with one statement for each table."""

    def __init__(self, project: Project) -> None:
        # An HMAC takes longer than the rest of a judgment, and a worker has thousands of judgments.
        self.worker = cache(lambda number: pseudonym(project.id, number))
        self.actor = cache(lambda name: pseudonym_of_expert(project.id, name))
        self.programs = programs_of_service()

    def images(self, ids: list[int]) -> Iterator[str]:
        """Yield the lines of these images, in import order."""
        states = dict(Progress.objects.filter(image_id__in=ids).values_list("image_id", column_text("state")))
        lists = map(column_text, ("words", "offsets", "non_visual"))
        captions = _by_image(Caption, ids, "number", "text", *lists, "chunked")
        chains = _by_image(Chain, ids, "name", "state", "representative", "non_visual", "doubted", "review")
        boxes = _by_image(Box, ids, "number", "chain", "x0", "y0", "x1", "y1", "state", "drawn_by_id")
        known = _by_image(KnownBox, ids, "id", "category", "x0", "y0", "x1", "y1")
        merged = _by_image(MergedBox, ids, "number", "x0", "y0", "x1", "y1", "members")
        records = load_records(ids, self.worker, self.actor)
        dropped = without_effect(ids) if self.programs else set()
        rows = Image.objects.filter(id__in=ids).order_by("position")
        for image, *columns in rows.values_list("id", *OF_IMAGE):
            progress = from_text(states[image], *PARTS)
            record = records[image]
            programs = self._programs(record)
            answers = None
            if programs:
                without = {entry for of, entry in dropped if of == image}
                answers = record.answers(boxes[image], without, self.programs)
            values = dict(zip(OF_IMAGE, columns, strict=True))
            if values["coco_id"] is None:  # as Image.coco_number
                values["coco_id"] = values["position"] + 1
            texts = {
                "captions": _captions(captions[image], progress),
                "links": link_texts(progress, answers),
                "questions": record.questions,
                "record": record.entries,
            }
            lists_of_rows = {
                "mentions": mention_rows(progress),
                "chains": [chain_row(one, progress, record.counts[one[0]], answers) for one in chains[image]],
                "boxes": [box_row(one, self.worker, progress, answers) for one in boxes[image]],
                "known_boxes": [{"category": category, "box": edges} for _, category, *edges in known[image]],
                "merged_boxes": [merged_row(one, progress) for one in merged[image]],
            }
            whole = {"kind": "image", **values, **lists_of_rows, "programs": programs}
            written = {name: json_text(value) for name, value in whole.items()}
            written |= {name: f"[{', '.join(rows)}]" for name, rows in texts.items()}
            yield IMAGE % tuple(written[name] for name in COLUMNS)

    def _programs(self, record: ImageRecord) -> dict[str, ProgramRow]:
        """Return the pseudonym and number of each program in an image's line, by its name."""
        found = record.workers() & self.programs.keys() if self.programs else ()
        return {self.programs[number]: {"worker": self.worker(number), "number": number} for number in found}


def _captions(rows: Iterable[tuple[Any, ...]], progress: ImageProgress) -> Iterator[str]:
    """Yield the captions of an image."""
    taken: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for mention in progress.mentions.values():
        taken[mention.caption].append((mention.start, mention.end))
    for number, text, words, offsets, spans, chunked in rows:
        left = spans if spans == "[]" else json_text(left_over(json.loads(spans), taken[number]))
        yield CAPTION % (TRUE if chunked else FALSE, left, offsets, json_text(text), list_text(words))


def _by_image(table: Any, ids: list[int], *columns: Any) -> dict[int, list[tuple[Any, ...]]]:
    """Return rows of a table by image, in the order of their first column."""
    found: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    rows: QuerySet[Any] = table.objects.filter(image_id__in=ids).order_by("image_id", columns[0])
    for image, *row in rows.values_list("image_id", *columns):
        found[image].append(tuple(row))
    return found
