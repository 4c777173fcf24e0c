"""The demo project: drawn scenes in every state, annotated by a simulated crowd."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from django.db.models import Max

from annotation.models import Project
from exchange.import_dataset import import_dataset
from pipeline.models import Entry
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from runtime import clock
from simulation.scenes.scene import write_source
from simulation.simulate import simulate

NAME = "demo"
SEED = 1
FINISHED, IN_WORK, UNTOUCHED = 14, 6, 4
"""The number of scenes that the crowd finishes, that it begins, and that stay untouched."""
HISTORY = timedelta(hours=3)
"""The time for which the demo has been at work when it is opened. The crowd needs half an hour of it."""
BEGUN = 300
"""About how many judgments the begun scenes have together."""
SETTINGS = Settings(strategy=LinkStrategy.ADAPTIVE, sweeps=True, guests_trusted=True)
"""Visitors see real questions at once: the demo has no verification questions to measure them by."""
DEMO_TEXTS = {
    "title": "Drawn scenes",
    "requester": "Nobody: this project is a demonstration that comes with Chainbox.",
    "contact": "Whoever runs this copy of Chainbox. There is no requester to write to.",
    "purpose": "To show how Chainbox works. The scenes are drawn, and answers to them serve no other end.",
}
"""The title, and the terms on the workers' pages."""


def build_demo(say: Callable[[str], object] = lambda line: None) -> Project:
    """Make the demo project, or complete one that was interrupted. `say` gets a line about each step."""
    total = FINISHED + IN_WORK + UNTOUCHED
    project = Project.objects.filter(name=NAME).first()
    if project is not None and project.images.count() == total:
        return project
    with TemporaryDirectory() as folder:
        source = Path(folder) / "scenes"
        say(f"Drawing {total} scenes …")
        write_source(source, SEED, total)
        say("Letting a simulated crowd annotate the first ones …")
        with clock.moved(_back()):
            simulate(project=_import(source, FINISHED), crowd="paper", seed=SEED)
        with clock.moved(_back()):
            simulate(project=_import(source, FINISHED + IN_WORK), crowd="paper", seed=SEED, most=BEGUN)
        with clock.moved(_back()):
            return _import(source, total)


def _back() -> timedelta:
    """Return how far the clock must be moved so that the demo goes on after its last entry, long before now.

    The crowd's own clock is faster than the real one.
    """
    now = clock.now()
    last = Entry.objects.filter(project__name=NAME).aggregate(last=Max("created_at"))["last"]
    return max(now - HISTORY, last or now - HISTORY) - now


def _import(source: Path, most: int) -> Project:
    """Import the first `most` scenes of the source with their gold, from which the crowd answers."""

    def first(images: Iterable, total: int) -> Iterable:  # type: ignore[type-arg]
        return islice(images, most)

    import_dataset(project_name=NAME, path=source, gold=True, strict=True, settings=SETTINGS, progress=first)
    Project.objects.filter(name=NAME, title="").update(**DEMO_TEXTS)
    return Project.objects.get(name=NAME)
