"""The demo of a check: drawn scenes whose labels were made wrong here and there, and a simulated crowd that looks."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory

from django.core.files.storage import default_storage
from django.db import transaction

from annotation.models import Image, Project
from exchange.checks import words_of
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, Problem
from exchange.import_dataset import import_dataset
from exchange.import_image import gold_of
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.settings.settings import Settings
from projects.dashboard.figures import refresh_figures
from projects.models import KnownUse
from projects.predictions.import_predictions import enter_predictions
from projects.predictions.use_import import UseOfImport
from runtime import clock
from simulation import build_demo
from simulation.crowd import paper
from simulation.scenes.scene import write_source
from simulation.simulate import CrowdRun, link_images, virtual_workers
from simulation.spoiled_image import OF_BOXES, OF_PHRASES, Wronged, plant
from simulation.view import TrueImage

CAPTIONS = 2


def write_again(source: Path) -> None:
    """Write the scenes of the first demo, with the pictures that were drawn for them."""
    drawn = Image.objects.filter(project__name=build_demo.NAME).exclude(picture="")
    write_source(source, build_demo.SEED, drawn.count(), pictures=False)
    (source / "images").mkdir()
    for name, picture in drawn.values_list("name", "picture"):
        with default_storage.open(picture) as stored, (source / "images" / f"{name}.jpg").open("wb") as file:
            copyfileobj(stored, file)


def plainest(images: Iterable[DatasetImage | Problem], most: int) -> list[DatasetImage]:
    """Return the `most` images with the fewest phrases in their first captions, with these captions alone."""
    some = [_shortened(image) for image in images if isinstance(image, DatasetImage)]
    return sorted(some, key=lambda one: (len(one.mentions), one.name))[:most]


def _shortened(image: DatasetImage) -> DatasetImage:
    """Return the image with the phrases of its first captions alone, and with what they show."""
    mentions = tuple(mention for mention in image.mentions if mention.caption < CAPTIONS)
    named = {mention.chain for mention in mentions if mention.chain is not None}
    boxes = tuple(
        replace(box, chains=tuple(named.intersection(box.chains))) for box in image.boxes if named & {*box.chains}
    )
    return replace(
        image,
        captions=image.captions[:CAPTIONS],
        mentions=mentions,
        chains=tuple(chain for chain in image.chains if chain.name in named),
        boxes=boxes,
    )


NAME = "check"
SOURCE = "Drawn scenes with planted errors (demo)"
SEED = 4
CHECKED, BEGUN = 15, 6
"""The scenes that are checked to the end, and those of which people have answered a part."""
ANSWERS = 24
"""About how many answers people give on those."""
WRONG = 0.25
"""The share of chains that an error touches: more than audits report, so that few scenes show every kind."""
WORKERS = 20
HISTORY = timedelta(hours=4)
"""The time for which the project has been at work when it is opened."""
SETTINGS = Settings(
    reference_trust=1 - WRONG, guests_trusted=True, reward_cents={task.value: 10 for task in PROTOCOL_TASKS}
)
DEMO_TEXTS = {
    "title": "A data set that is checked",
    "requester": "Nobody: this project is a demonstration that comes with Chainbox.",
    "contact": "Whoever runs this copy of Chainbox. There is no requester to write to.",
    "purpose": "To show the check of a data set that exists. A quarter of its labels was made wrong on purpose, all "
    "workers are simulated, and nobody is paid.",
}


def build_check(say: Callable[[str], object] = lambda line: None) -> Project:
    """Make the demo of a check, unless it is there. An interruption leaves nothing behind. `say` gets a line about it.

    The pictures are those of the first demo.
    """
    there = Project.objects.filter(name=NAME).first()
    if there is not None:
        return there
    say("Letting a simulated crowd check labels with planted errors …")
    with transaction.atomic(), TemporaryDirectory() as folder, clock.moved(-HISTORY):
        source = Path(folder) / "scenes"
        write_again(source)
        now = _let_check(*_import(source, CHECKED), clock.now())
        project, gold = _import(source, CHECKED + BEGUN)
        _let_check(project, gold, now, ANSWERS)
    refresh_figures(project.pk, anew=True)
    return project


def _let_check(project: Project, gold: dict[int, TrueImage], now: datetime, most: int | None = None) -> datetime:
    crowd = paper(list(link_images(project, gold)), SEED)
    run = CrowdRun(project, gold, crowd, virtual_workers(project, "who-check", WORKERS), SEED)
    run.now = now
    run.until_nothing_is_open(most, lambda judgments: None)
    return run.now


def _import(source: Path, most: int) -> tuple[Project, dict[int, TrueImage]]:
    """Import `most` scenes with wrong labels, and return the right ones by image, from which the crowd answers."""
    right: dict[str, TrueImage] = {}

    def spoiled(images: Iterable[DatasetImage | Problem], total: int) -> list[DatasetImage]:
        some = plainest(images, CHECKED + BEGUN)
        right.update((image.name, right_answers(image)) for image in some)
        return spoil(some, SEED, WRONG)[:most]

    use = UseOfImport(KnownUse.CHECK, SOURCE, by="demo")
    report = import_dataset(
        project_name=NAME, path=source, propose=use.propose, strict=True, settings=SETTINGS, progress=spoiled
    )
    Project.objects.filter(name=NAME).update(**DEMO_TEXTS)
    project = Project.objects.get(name=NAME)
    use.finish(project, report)
    enter_predictions(project.pk)
    return project, {pk: right[name] for pk, name in project.images.values_list("pk", "name")}


def spoil(images: Sequence[DatasetImage], seed: int, wrong: float) -> list[DatasetImage]:
    """Return the images with errors of phrases and boxes in this share of their chains, 0 to 1."""
    planted = plant(
        [(right_answers(image), _mentions(image)) for image in images], seed, wrong, (*OF_PHRASES, *OF_BOXES)
    )
    return list(map(with_labels, images, planted))


def right_answers(image: DatasetImage) -> TrueImage:
    """Return the chains and boxes of an image as right answers."""
    return TrueImage.make(image.name, image.width, image.height, gold_of(image))


def _mentions(image: DatasetImage) -> tuple[MentionProgress, ...]:
    return tuple(
        MentionProgress(
            number, mention.caption, mention.start, mention.end, list(mention.types), words_of(image, mention)
        )
        for number, mention in enumerate(image.mentions)
    )


def with_labels(image: DatasetImage, wrong: Wronged) -> DatasetImage:
    """Return the image with wrong labels in place of its own."""
    named = {str(place): label for place, label in enumerate(wrong.labels, start=1)}
    chain_of = {number: name for name, label in named.items() for number in label.mentions}
    return replace(
        image,
        mentions=tuple(replace(mention, chain=chain_of[number]) for number, mention in enumerate(image.mentions)),
        chains=tuple(
            DatasetChain(name, scene=label.scene and not label.boxes, no_box=not label.scene and not label.boxes)
            for name, label in named.items()
        ),
        boxes=tuple(DatasetBox(box, (name,)) for name, label in named.items() for box in label.boxes),
    )
