"""Exports of a large project: images a second and the peak of memory of a process that does nothing else."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from django.core.files.base import ContentFile
from PIL import Image as Picture

from annotation.models import Project
from annotation.storage import store
from exchange.export_dataset import export_dataset
from exchange.import_image import import_image
from pipeline.project.settings_versions import open_project
from pipeline.tick import tick
from simulation.scenes.make import make_scene
from simulation.scenes.shapes import HEIGHT, WIDTH
from simulation.simulate import simulate
from studies.command import peak_kilobytes
from studies.large_project.make import multiply
from workers.models import Worker

TEMPLATE = 100
"""Scenes that are copied."""
KINDS = ("imported", "answered")
"""Annotated by the import; by a crowd of which a worker is a program."""
PICTURE = "export-sizes/placeholder.jpg"
"""One drawn picture stands for all."""
SEED = 7
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Exported:
    """The figures of an export."""

    kind: str
    export_format: str
    images: int
    seconds: float
    cpu: float
    """Seconds of the processor, without those of PostgreSQL."""
    peak_mb: float
    """Of the whole process."""
    megabytes: float
    """Of what was written."""

    def __str__(self) -> str:
        speed = f"{self.images / self.seconds:>8,.0f}{self.images / self.cpu:>9,.0f}"
        return f"{self.kind:<10}{self.export_format:<20}{speed}{self.peak_mb:>9.0f}{self.megabytes:>9,.0f}"


HEAD = f"{'project':<10}{'format':<20}{'images/s':>8}{'CPU only':>9}{'peak MB':>9}{'written':>9}"


def make_project(kind: str, images: int, say: Callable[[str], object]) -> Project:
    """Make a project of this kind and of about this number of images, all finished and with the same picture."""
    project = open_project(name=f"export-sizes-{kind}")
    scenes = min(TEMPLATE, images)
    for number in range(scenes):
        scene = make_scene(SEED, number).image
        import_image(project, number, scene, picture=PICTURE, gold=kind != "imported", settings_version=1)
    tick(project_id=project.id)
    if kind != "imported":
        simulate(project=project, crowd="perfect", seed=SEED)
        busy = Worker.objects.filter(judgments__question__project=project).order_by("pk").first()
        assert busy is not None
        Worker.objects.filter(pk=busy.pk).update(kind=Worker.Kind.PROGRAM, name=f"program of {project.name}")
    multiply(project, -(-images // scenes), say)
    if not store().exists(PICTURE):
        drawn = ContentFile(b"")
        Picture.new("RGB", (WIDTH, HEIGHT), "teal").save(drawn, "JPEG")
        store().save(PICTURE, drawn)
    return project


def measure_all(kinds: list[str], formats: list[str], images: int, say: Callable[[str], object]) -> Iterator[Exported]:
    """Export each kind of project in each format, each in a process of its own."""
    for kind in kinds:
        project = Project.objects.filter(name=f"export-sizes-{kind}").first() or make_project(kind, images, say)
        for export_format in formats:
            command = [sys.executable, "-m", "studies", "export_sizes", "--one", project.name, "--only", export_format]
            told = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
            yield Exported(kind=kind, export_format=export_format, **json.loads(told))


def measure_one(name: str, export_format: str) -> dict[str, float]:
    """Export the project in this process. The peak is that of the process since it began."""
    project = Project.objects.get(name=name)
    with TemporaryDirectory(prefix="chainbox-export-") as folder:
        target = Path(folder) / "out"
        begun, before = time.monotonic(), time.process_time()
        report = export_dataset(project=project, target=target, export_format=export_format, card=False)
        seconds, cpu = time.monotonic() - begun, time.process_time() - before
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    peak = peak_kilobytes() / 1024
    return {"images": report.images, "seconds": seconds, "cpu": cpu, "peak_mb": peak, "megabytes": size / MEGABYTE}
