"""python -m studies interop [PATH]: exports, read by the field's own readers and counted thing by thing."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.test.utils import override_settings
from tqdm import tqdm

from annotation.models import Project
from exchange.dataset import DatasetImage
from exchange.export_dataset import export_dataset
from exchange.export_options import AS_THEY_CAME, ExportOptions
from exchange.import_dataset import import_dataset
from exchange.registry import FORMATS, RECORD, export_formats
from studies.command import StudyCommand, markdown, read_images
from studies.interop import described
from studies.interop.compare import Compared, compare
from studies.interop.environments import ONLY_ELSEWHERE, READERS, NotInstalled, Reader, install, read_inside
from studies.interop.found import Found, read_found
from studies.interop.sources import made_images, truth_of, write_source
from studies.pipeline_speed.scratch import scratch_databases

HEADS = ("images", "format", "reader", "compared, one by one", "differences")


class Command(StudyCommand):
    help = (
        "Export real and made images in every format, and read them with the field's own readers, each installed into "
        "an environment of its own (mmdet and ms-swift take 3.5 GB). Fails at a difference."
    )
    least: ClassVar = {"images": 1}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument(
            "path", type=Path, nargs="?", help="a folder in the Flickr30k Entities format; else made images alone"
        )
        parser.add_argument("--images", type=int, default=500, help="the first images of the folder alone (500)")
        parser.add_argument(
            "--environments", type=Path, default=settings.DATA / "interop", metavar="FOLDER",
            help="where readers are installed (interop/ in CHAINBOX_DATA)",
        )  # fmt: skip
        names = [reader.package for reader in READERS]
        parser.add_argument("--readers", nargs="*", choices=names, default=names, help="install these alone (all)")

    def study(self, options: dict[str, Any]) -> Any:
        options["environments"].mkdir(parents=True, exist_ok=True)
        pythons = self._install(
            [reader for reader in READERS if reader.package in options["readers"]], options["environments"]
        )
        sources = {"made": made_images()}
        if options["path"] is not None:
            sources |= {"real": read_images(options["path"])[: options["images"]]}
        rows: list[dict[str, Any]] = []
        with _workplace() as work, tqdm(total=len(sources) * _readings(pythons), unit="reading", disable=None) as bar:
            for name, images in sources.items():
                for row in self._readings(name, images, work / name, pythons):
                    rows.append(row)
                    bar.update()
        self.say(markdown(HEADS, [[*map(row.get, HEADS[:3]), _counts(row), row["differences"]] for row in rows]))
        self.say(f"{', '.join(ONLY_ELSEWHERE)}: in no registry; their formats were read by the description.")
        self.say(f"{RECORD.name}: read by nobody else; tests/support/jsonl_reader.py reads it.")
        if faults := [row for row in rows if row["differences"]]:
            told = [
                f"{row['images']}, {row['format']}, {row['reader']}: {'; '.join(row['examples'])}" for row in faults
            ]
            raise CommandError("There are differences:\n" + "\n".join(told))
        return rows

    def _install(self, readers: list[Reader], folder: Path) -> dict[Reader, Path]:
        pythons = {}
        for reader in tqdm(readers, unit="reader", desc="install", disable=None):
            try:
                pythons[reader] = install(reader, folder.resolve())
            except NotInstalled as error:
                self.say(f"{reader.package} cannot be installed here and reads nothing: {error}")
        return pythons

    def _readings(
        self, name: str, images: list[DatasetImage], work: Path, pythons: dict[Reader, Path]
    ) -> Iterator[dict[str, Any]]:
        """Export the images, and yield a row for each reader and format."""
        work.mkdir()
        pictures = write_source(images, work / "source")
        import_dataset(project_name=name, path=work / "source")
        exports = {format_: _exported(name, work, format_) for format_ in export_formats() if format_ != RECORD.name}
        truth = truth_of(images, pictures)
        for reader, python in pythons.items():
            for format_ in reader.formats:
                found, version = _read_inside(reader, python, format_, exports[format_], work)
                yield _row(name, format_, f"{reader.package} {version}", compare(truth, found, format_))
        for format_ in described.FORMATS:
            own = truth
            if format_ == "flickr30k-entities":  # which names no pictures
                own = truth_of([replace(image, path=image.name) for image in images], {})
            yield _row(
                name, format_, "by description", compare(own, described.read(format_, exports[format_]), format_)
            )


@contextmanager
def _workplace() -> Iterator[Path]:
    """Yield a folder for exports, with a database and pictures that are gone afterwards."""
    with TemporaryDirectory(prefix="chainbox-interop-") as folder, scratch_databases() as (scratch,):
        work = Path(folder).resolve()
        with override_settings(MEDIA_ROOT=work / "media"):
            scratch.use()
            yield work


def _readings(pythons: dict[Reader, Path]) -> int:
    return sum(len(reader.formats) for reader in pythons) + len(described.FORMATS)


def _exported(name: str, work: Path, export_format: str) -> Path:
    """Return the export, with pictures where its reader looks at them."""
    with_pictures = export_format == "chat"
    target = work / f"{export_format}{'' if with_pictures else FORMATS[export_format].ending}"
    options = ExportOptions(pictures=AS_THEY_CAME if with_pictures else None)
    project = Project.objects.get(name=name)
    export_dataset(project=project, target=target, export_format=export_format, options=options, include_unmerged=True)
    return target


def _read_inside(reader: Reader, python: Path, export_format: str, export: Path, work: Path) -> tuple[Found, str]:
    result, cache = work / f"{reader.package}-{export_format}.json", work / f"cache-{reader.package}-{export_format}"
    cache.mkdir()
    try:
        read_inside(python, reader, [export_format, str(export), str(result), str(cache)], cache)
    except RuntimeError as error:
        raise RuntimeError(f"{reader.package} does not read {export_format}: {error}") from error
    return read_found(result)


def _row(name: str, export_format: str, reader: str, compared: list[Compared]) -> dict[str, Any]:
    return {
        "images": name,
        "format": export_format,
        "reader": reader,
        "numbers": {one.kind: one.number for one in compared},
        "differences": sum(one.differences for one in compared),
        "examples": [f"{one.kind}: {text}" for one in compared for text in one.examples],
    }


def _counts(row: dict[str, Any]) -> str:
    return ", ".join(f"{number:,} {kind}" for kind, number in row["numbers"].items())
