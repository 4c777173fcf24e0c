"""The phases of a whole set, one after the other; each goes on where it was stopped, or begins anew."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from annotation.models import Project
from exchange.dataset import DatasetImage, Problem
from exchange.export_dataset import export_dataset
from exchange.import_dataset import import_dataset
from exchange.load_project import stream_images
from exchange.registry import FORMATS, export_formats
from exchange.statistics.measure import measure
from exchange.statistics.tables import statistics_text
from pipeline.models import Judgment
from pipeline.project.queries import link_sources
from pipeline.record.merge_images import merge_images
from pipeline.record.replay import replay
from simulation.simulate import virtual_workers
from studies.whole_set.beside_paper import beside_paper
from studies.whole_set.crowd_run import ServedRun, WholeRun, merged
from studies.whole_set.made_set import MadeSet
from studies.whole_set.meter import Meter
from studies.whole_set.notes import Notes
from studies.whole_set.progress_table import ProgressTable
from studies.whole_set.ways import model_annotator, model_at_work, propose, settings_of
from workers.models import Worker

PROJECT = "whole-set"
SEED = 0
TO_EXPORT = [format_ for format_ in export_formats() if not FORMATS[format_].with_pictures]
Say = Callable[[str], None]


@dataclass
class WholeSet:
    """One set on its way through the service of this process."""

    made: MadeSet
    way: str
    folder: Path
    notes: Notes
    say: Say
    served: bool
    """Whether job runners do the rest; else everything happens in this process."""
    top: int | None = None
    """The process whose descendants are the service."""

    def run(self) -> None:
        """Do what is left to do."""
        self.notes.starts += 1
        for name, phase in self._phases():
            if name not in self.notes.done:
                with self.notes.phase(name) as found:
                    phase(found)
                self.say(f"{name}: {self.notes.seconds[name]:,.1f} s{_told(found)}")

    def _phases(self) -> Iterator[tuple[str, Callable[[dict[str, Any]], None]]]:
        yield "draw", self._draw
        yield "write", self._write
        yield "import", self._import
        if self.way == "programs":
            yield "propose", self._propose
        yield "annotate", self._annotate
        yield "merge", self._merge
        for one in TO_EXPORT:
            yield f"export {one}", partial(self._export, one)
        yield "replay", self._replay
        yield "statistics", self._statistics

    @property
    def project(self) -> Project:
        return Project.objects.get(name=PROJECT)

    @contextmanager
    def _bar(self, what: str, total: int, *, done: int = 0, unit: str = "image") -> Iterator[Callable[..., None]]:
        """Show a bar; yields what moves it. Notes are saved now and then meanwhile."""
        with tqdm(total=total, initial=done, unit=unit, desc=what, disable=None, smoothing=0.02) as bar:

            def step(count: int = 1) -> None:
                bar.update(count)
                self.notes.save_now_and_then()

            yield step

    def _draw(self, found: dict[str, Any]) -> None:
        with self._bar("draw", self.made.drawn, unit="picture") as step:
            self.made.draw(self.folder / "pictures", step)
        found["pictures"] = self.made.drawn

    def _write(self, found: dict[str, Any]) -> None:
        with self._bar("write", self.made.images) as step:
            self.made.write_source(self.folder / "source", self.folder / "pictures", step)
        found["images"] = self.made.images

    def _import(self, found: dict[str, Any]) -> None:
        """Import the folder by the service's own import; images that are there already are passed over."""
        table = ProgressTable(self.folder, "import", self.notes, Meter(self.top), self.made.images)

        def shown(images: Iterable[DatasetImage | Problem], total: int) -> Iterable[DatasetImage | Problem]:
            with self._bar("import", self.made.images) as step:
                for number, image in enumerate(images, start=1):
                    yield image
                    step()
                    table.reached(number)

        report = import_dataset(
            project_name=PROJECT,
            path=self.folder / "source",
            gold=True,
            settings=settings_of(self.way),
            progress=shown,
        )
        if report.problems:
            raise RuntimeError(f"{len(report.problems)} images were not imported: {report.problems[0]}")
        found |= {"images": self.project.images.count(), "phrases": report.mentions}

    def _propose(self, found: dict[str, Any]) -> None:
        with self._bar("propose", self.made.images) as step:
            propose(self.project, self.made, SEED, step)

    def _annotate(self, found: dict[str, Any]) -> None:
        project, meter = self.project, Meter(self.top)
        crowd = self.made.crowd(SEED)
        workers = virtual_workers(project, "whole", crowd.workers)
        run = (ServedRun if self.served else WholeRun)(project, self.made, crowd, workers, SEED, meter)
        if self.way == "programs":
            run.model_annotator = model_at_work(project), model_annotator()
        before, at = Judgment.objects.filter(question__project=project).count(), merged(project)
        table = ProgressTable(self.folder, "annotate", self.notes, meter, self.made.images)
        table.project = project
        with self._bar("annotate", self.made.images, done=at) as step:

            def look(answers: int) -> None:
                nonlocal at
                there = merged(project)
                step(there - at)
                at = there
                table.reached(at, judgments=before + run.outcome.judgments.total())

            run.until_nothing_is_open(None, look)
            look(0)
        given = Judgment.objects.filter(question__project=project)
        found["judgments"] = given.count()
        found["by_programs"] = given.filter(worker__kind=Worker.Kind.PROGRAM).count()

    def _merge(self, found: dict[str, Any]) -> None:
        """Merge what is left; images are merged as soon as their chains are settled, so hardly any is."""
        with self._bar("merge", self.made.images, done=merged(self.project)) as step:
            step(merge_images(project_id=self.project.pk))
        found["merged"] = merged(self.project)

    def _export(self, export_format: str, found: dict[str, Any]) -> None:
        target = self.folder / "export" / f"{export_format}{FORMATS[export_format].ending}"
        target.parent.mkdir(exist_ok=True)
        with self._bar(f"export {export_format}", self.made.images) as step:
            report = export_dataset(
                project=self.project, target=target, export_format=export_format, step=step, card=False
            )
        found["images"] = report.images

    def _replay(self, found: dict[str, Any]) -> None:
        with self._bar("replay", self.made.images) as step:
            differences = list(replay(self.project, step=step))
        for difference in differences[:5]:
            self.say(f"  {difference}")
        found |= {"equal": not differences, "differences": len(differences)}

    def _statistics(self, found: dict[str, Any]) -> None:
        with self._bar("statistics", merged(self.project)) as step:
            images = stream_images(self.project, include_unmerged=False)
            statistics = measure(_stepping(images, step), link_sources(self.project))
        (self.folder / "statistics.txt").write_text(statistics_text(statistics), encoding="utf-8")
        self.say(beside_paper(statistics))
        found |= statistics.as_json()


def _stepping(images: Iterable[DatasetImage], step: Callable[[], None]) -> Iterator[DatasetImage]:
    for image in images:
        yield image
        step()


def _told(found: dict[str, Any]) -> str:
    """Return the plain results of a phase in words."""
    plain = [f"{value:,} {name}" for name, value in found.items() if isinstance(value, int) and name != "equal"]
    return f" ({', '.join(plain)})" if plain else ""
