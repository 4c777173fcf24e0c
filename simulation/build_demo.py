"""The demo project: drawn scenes in every state, annotated by a simulated crowd."""

from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from annotation.models import Project
from exchange.import_dataset import import_dataset
from scenes.write import write_source
from simulation.simulate import simulate

NAME = "demo"
SEED = 1
FINISHED, IN_WORK, NEW = 14, 6, 4
"""The number of scenes that the crowd finishes, that it begins, and that stay untouched."""
BEGUN = 420
"""About how many judgments the begun scenes have together."""


def build_demo(say: Callable[[str], object] = lambda line: None) -> Project:
    """Make the demo project, or complete one that was interrupted. `say` gets a line about each step."""
    total = FINISHED + IN_WORK + NEW
    project = Project.objects.filter(name=NAME).first()
    if project is not None and project.images.count() == total:
        return project
    with TemporaryDirectory() as folder:
        source = Path(folder) / "scenes"
        say(f"Drawing {total} scenes …")
        write_source(source, SEED, total)
        project = _import(source, FINISHED)
        say("Letting a simulated crowd annotate the first ones …")
        simulate(project=project, crowd="paper", seed=SEED)
        project = _import(source, FINISHED + IN_WORK)
        simulate(project=project, crowd="paper", seed=SEED, most=BEGUN)
        return _import(source, total)


def _import(source: Path, most: int) -> Project:
    """Import the first `most` scenes of the source with their gold, from which the crowd answers."""

    def first(images: Iterable, total: int) -> Iterable:  # type: ignore[type-arg]
        return islice(images, most)

    import_dataset(project_name=NAME, path=source, gold=True, strict=True, progress=first)
    project = Project.objects.get(name=NAME)
    if not project.title:
        project.title = "Drawn scenes"
        project.save(update_fields=["title"])
    return project
