"""A project in which each of the six tasks is open, with pictures that a browser can show."""

import io

from PIL import Image as Picture

from annotation.models import Project
from annotation.pictures import store_picture
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from tests.support.pictures import encoded
from tests.support.projects import answer, box, phrases, project_of, worker

WIDTH, HEIGHT = 600, 400


def show(project: Project, jpeg: bytes) -> None:
    """Give every image of the project this picture."""
    project.images.update(picture=store_picture(io.BytesIO(jpeg), picture_format="JPEG"))


def ground(width: int = WIDTH, height: int = HEIGHT) -> Picture.Image:
    """Make a plain picture."""
    return Picture.new("RGB", (width, height), (150, 170, 190))


def six_tasks(name: str = "small", settings: Settings | None = None) -> Project:
    """Make a project in which bob and eve have answered enough for all six tasks to be open to everybody else."""
    texts = {"coverage": ["people: a man"], "quality": ["people: a boy"], "drawing": ["people: a girl"]}
    texts |= {"requirement": ["other: a ball"], "verification": ["animals: a dog", "animals: the dog"]}
    texts |= {"link": ["animals: a cat", "animals: the pet"]}
    images = [phrases(*said, name=image) for image, said in texts.items()]
    project = project_of(*images, name=name, settings=settings)
    bob, eve = worker(project, "bob"), worker(project, "eve")
    answer(project, bob, Task.BOX_DRAWING, box(20, 20, 90, 90), box(30, 10, 80, 95))
    answer(project, eve, Task.BOX_QUALITY, "good")
    answer(project, bob, Task.COREFERENCE_LINK, "same")
    show(project, encoded(ground(200, 100), "JPEG"))
    return project
