"""Outcome of a copy, image by image: answers, time, money, and how much of what was found is right."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from django.db.models import Count

from annotation.models import Project
from pipeline.models import Judgment
from pipeline.project.queries import stream_progress
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from simulation.predict.read_project import OVER
from simulation.score import Counts, Score, score_boxes, score_chains
from simulation.simulate import SECONDS, load_gold

LINKING = (Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION)


@dataclass(slots=True)
class ImageOutcome:
    """The work that one image took, and its result."""

    answers: Counter[Task] = field(default_factory=Counter)
    boxes: Counts = field(default_factory=Counts)
    """Its boxes as they would be exported; matched: those that are right."""
    chains: Counts = field(default_factory=Counts)
    review: int = 0
    """Chains that are left to an expert."""

    @property
    def linking(self) -> int:
        return sum(self.answers[task] for task in LINKING)

    @property
    def hours(self) -> float:
        """Return the time of workers at the usual seconds of an answer, as in a prediction of the project."""
        return sum(number * SECONDS[task] for task, number in self.answers.items()) / 3600

    def cents(self, settings: ProtocolSettings) -> float:
        """Return what the answers earn."""
        rewards, sizes = settings.reward_cents, settings.batch
        return sum(number * rewards[task.value] / sizes[task.value] for task, number in self.answers.items())


def outcomes(copy: Project) -> dict[str, ImageOutcome]:
    """Return the outcome of each image of the copy, by its name."""
    gold, answers, found = load_gold(copy), answers_by_image(copy), {}
    for image, progress in stream_progress(copy):
        score = Score()
        score_chains(score, progress, gold[image])
        score_boxes(score, progress, gold[image])
        # An image that waits for an expert has no merged boxes: its accepted ones are what there is.
        boxes = score.merged_boxes if progress.merged else score.boxes
        found[gold[image].key] = ImageOutcome(answers[image], boxes, score.merged_chains, score.review.total())
    return found


def answers_by_image(copy: Project) -> dict[int, Counter[Task]]:
    """Count the answers to real questions by image and task."""
    found: dict[int, Counter[Task]] = defaultdict(Counter)
    rows = Judgment.objects.filter(question__project=copy).order_by().values_list("question__image", "question__task")
    for image, task, number in rows.annotate(Count("id")):
        found[image][Task(task)] += number
    return found


def finished_images(copy: Project) -> int:
    """Count the images about which nobody is asked any more."""
    return copy.images.filter(state__in=OVER).count()
