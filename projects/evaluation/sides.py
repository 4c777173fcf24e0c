"""The files of an evaluation: what is compared, where uploads lie in storage, and the report as one archive."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count
from pathlib import Path, PurePosixPath
from secrets import token_hex
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

from django.core.files.base import File
from django.db.models import Exists, OuterRef

from annotation.models import Gold, Project
from annotation.rules.box import Box
from annotation.storage import store
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage
from exchange.export_dataset import export_dataset
from exchange.formats.flickr30k import FLICKR30K
from exchange.formats.format import write_files
from exchange.json_text import json_text
from exchange.jsonl.write import pseudonym
from exchange.load_project import IMAGES_AT_ONCE, ImageRows, stored_images
from pipeline.models import Judgment
from pipeline.protocol.tasks.task import Task
from projects.models import ModelPrediction, Run
from workers.models import Worker

FOLDER = "evaluations"
CONTENT_TYPES = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".csv": "text/csv; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".html": "text/html; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".tex": "application/x-tex",
    ".bib": "application/x-bibtex",
    ".txt": "text/plain; charset=utf-8",
}
PICTURES = (".png", ".jpg")


def archive_path(run: Run) -> str:
    """Return the name of the report's archive in storage."""
    return f"{FOLDER}/{run.project_id}/{run.pk}.zip"


def picture_path(run: Run, name: str) -> str:
    """Return the name in storage of a picture of the report, which lies beside the archive, too."""
    return f"{FOLDER}/{run.project_id}/{run.pk}-{PurePosixPath(name).name}"


def store_file(project: Project, file: BinaryIO, ending: str) -> str:
    """Put an uploaded file into storage and return its name there."""
    path = f"{FOLDER}/{project.pk}/{token_hex(8)}{ending}"
    store().save(path, File(file))
    return path


def keep_report(run: Run, folder: Path, beside: Path) -> None:
    """Put the files of the report into storage, as one archive, and its pictures beside, for browsers.

    `beside`: a folder for the archive meanwhile.
    """
    with ZipFile(beside / "report.zip", "w", ZIP_DEFLATED) as packed:
        for file in sorted(folder.iterdir()):
            packed.write(file, file.name)
    for picture in sorted(file for file in folder.iterdir() if file.suffix in PICTURES):
        with picture.open("rb") as drawn:
            store().save(picture_path(run, picture.name), File(drawn))
    with (beside / "report.zip").open("rb") as made:
        store().save(archive_path(run), File(made))


def read_file(run: Run, name: str) -> bytes | None:
    """Return the contents of a file of the report; None if there is no such file."""
    with suppress(FileNotFoundError, KeyError), store().open(archive_path(run)) as file, ZipFile(file) as packed:
        return packed.read(name)
    return None


def forget_leftovers() -> None:
    """Delete the files of projects that are gone."""
    with suppress(FileNotFoundError):  # nothing was ever evaluated
        there = {str(pk) for pk in Project.objects.values_list("pk", flat=True)}
        for folder in set(store().listdir(FOLDER)[0]) - there:
            for name in store().listdir(f"{FOLDER}/{folder}")[1]:
                store().delete(f"{FOLDER}/{folder}/{name}")


def _pictures(run: Run) -> list[str]:
    folder = f"{FOLDER}/{run.project_id}"
    with suppress(FileNotFoundError):  # nothing was kept
        names = store().listdir(folder)[1]
        return [f"{folder}/{name}" for name in names if name.startswith(f"{run.pk}-")]
    return []


def delete_evaluation(run: Run) -> None:
    """Delete the evaluation with its files."""
    names = [archive_path(run), *run.input["files"].values(), *_pictures(run)]
    run.delete()
    for name in names:
        with suppress(FileNotFoundError):
            store().delete(name)


MOST_WORKERS = 200
"""Workers that the page lists; the command takes any."""


class SideKind(StrEnum):
    """The source of a side."""

    OUTCOME = "outcome"
    GOLD = "gold"
    PROGRAM = "program"
    WORKER = "worker"


@dataclass(frozen=True, slots=True)
class Side:
    """One side. `who`: the program or the worker, where the kind needs one."""

    kind: SideKind
    who: Worker | None = None

    @property
    def words(self) -> str:
        """The side in the name of a report."""
        if self.who is None:
            return "the outcome" if self.kind is SideKind.OUTCOME else "the right answers"
        return f"chains of {self.who.name}" if self.kind is SideKind.PROGRAM else f"links of {self.who.name}"


def read_side(project: Project, text: str) -> Side:
    """Return the side that `outcome`, `gold`, `program NAME` or `worker NAME` means. Raises ValueError."""
    kind, _, name = text.partition(" ")
    if kind not in [*SideKind] or (kind in (SideKind.OUTCOME, SideKind.GOLD)) == bool(name):
        raise ValueError(f"{text!r} is no side: give outcome, gold, 'program NAME' or 'worker NAME'.")
    if kind == SideKind.GOLD and not Gold.objects.filter(image__project=project, complete=True).exists():
        raise ValueError("This project has no known right answers.")
    if not name:
        return Side(SideKind(kind))
    known = _programs(project) if kind == SideKind.PROGRAM else _workers(project)
    who = known.filter(name=name).first()
    if who is None:
        what = "predicted no chains" if kind == SideKind.PROGRAM else "answered no question about links"
        raise ValueError(f"{name!r} has {what} in this project.")
    return Side(SideKind(kind), who)


def named(project: Project, options: dict[str, Any]) -> str:
    """Return the name of a comparison in a list, from the options of an evaluation; empty: it is none."""
    sides = [read_side(project, options[role]).words for role in ("scored", "right") if role in options]
    return " against ".join(sides)[:80]


def sides_of(project: Project) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the sides that a project has to choose from, in groups: each with what `read_side` takes, and words."""
    own = [(SideKind.OUTCOME.value, "The outcome")]
    if Gold.objects.filter(image__project=project, complete=True).exists():
        own.append((SideKind.GOLD.value, "The known right answers"))
    groups = [("This project", own)]
    for title, kind, known in (
        ("Chains that a program predicted", SideKind.PROGRAM, _programs(project)),
        ("Links that a worker answered", SideKind.WORKER, _workers(project)),
    ):
        names = known.order_by("name").values_list("name", flat=True)[:MOST_WORKERS]
        groups.append((title, [(f"{kind} {name}", name) for name in names]))
    return [(title, found) for title, found in groups if found]


def _programs(project: Project) -> Any:
    predicted = ModelPrediction.objects.filter(project=project, program=OuterRef("pk")).exclude(chains=[])
    return Worker.objects.filter(Exists(predicted))


def _workers(project: Project) -> Any:
    link = Task.COREFERENCE_LINK.value
    answers = Judgment.objects.filter(worker=OuterRef("pk"), question__project=project, question__task=link)
    return Worker.objects.filter(Exists(answers), accesses__project=project)


def write_side(side: Side, project: Project, ids: Sequence[int], folder: Path, export: Path) -> dict[str, Any]:
    """Write the chains of these images into the folder, unless it is there. `export`: what holds the outcome.

    Returns where they are, as `file`, and for a worker its pseudonym there, as `worker`.
    """
    match side.kind:
        case SideKind.OUTCOME:
            return {"file": export}
        case SideKind.WORKER:
            assert side.who is not None
            record = folder / "record.jsonl"
            if not record.exists():
                export_dataset(
                    project=project, target=record, export_format="jsonl", include_unmerged=True, only=frozenset(ids)
                )
            return {"file": record, "worker": pseudonym(project.pk, side.who.pk)}
        case _:
            target = folder / f"{side.kind}-{side.who.pk if side.who else 0}"
            if not target.exists():
                write_files(FLICKR30K, _images(side, ids), target)
            return {"file": target}


def _images(side: Side, ids: Sequence[int]) -> Iterator[DatasetImage]:
    """Yield those images about which the side says something, with its chains and boxes in place of the outcome's."""
    running = count(1)
    for start in range(0, len(ids), IMAGES_AT_ONCE):
        part = ids[start : start + IMAGES_AT_ONCE]
        if side.kind is SideKind.GOLD:
            found = Gold.objects.filter(image_id__in=part, complete=True).values_list("image_id", "chains")
            told = dict(found)
        else:
            rows = ModelPrediction.objects.filter(image_id__in=part, program=side.who).values_list("image_id", "chains")
            told = {image: [{"mentions": chain} for chain in chains] for image, chains in rows}
        for image in stored_images(part):
            if image.image.id in told:
                yield _image_with_chains(image, told[image.image.id], running)


def _image_with_chains(rows: ImageRows, chain_rows: Sequence[dict[str, Any]], running: Iterator[int]) -> DatasetImage:
    """Return the image with these chains. Mentions in none of them are chains of their own."""
    loaded, chain_of, boxes, chains = rows.loaded(1), {}, [], []
    for chain in chain_rows:
        name = str(next(running))
        chain_of.update(dict.fromkeys(chain["mentions"], name))
        chains.append(DatasetChain(name, scene=bool(chain.get("scene"))))
        boxes += [DatasetBox(Box(*edges), (name,)) for edges in chain.get("boxes", ())]
    mentions = tuple(
        replace(mention, chain=chain_of.get(row.number) or str(next(running)))
        for mention, row in zip(loaded.mentions, rows.mentions, strict=True)
    )
    return replace(loaded, mentions=mentions, chains=tuple(chains), boxes=tuple(boxes))


def write_outcome_boxes(ids: Sequence[int], target: Path) -> None:
    """Write the boxes of the outcome as predictions for its phrases, in the form that evaluations read."""
    with target.open("w", encoding="utf-8") as file:
        for start in range(0, len(ids), IMAGES_AT_ONCE):
            for rows in stored_images(ids[start : start + IMAGES_AT_ONCE]):
                image = rows.loaded(1)
                for mention in image.mentions:
                    boxes = [list(box.box) for box in image.boxes if mention.chain in box.chains]
                    place = {"image": image.name, "caption": mention.caption, "words": [mention.start, mention.end]}
                    file.write(f"{json_text({**place, 'boxes': boxes})}\n")
