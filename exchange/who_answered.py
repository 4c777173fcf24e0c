"""Answers about the links, chains and boxes of an image, counted apart for people and for each program."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.models import Box, Project
from annotation.rules.transitivity import Pair
from exchange.dataset import AnswerTally
from exchange.json_columns import column_text
from exchange.json_text import read_json
from pipeline.models import Entry, Judgment, Transition
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.state.progress import CHANGED_NOTHING, StateMachine
from pipeline.protocol.tasks.answers import link_replies
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task
from workers.models import Worker

LINK, QUALITY = Task.COREFERENCE_LINK.value, Task.BOX_QUALITY.value
SURVEYS = frozenset(task.value for task in SURVEY_TASKS)
SAME = CoreferenceAnswer.SAME.value
WITHOUT_EFFECT = [cause.value for cause in CHANGED_NOTHING]


class ImageAnswers:
    """The answers about one image's links ("yes", "no"), boxes ("drawn", "good", "bad") and chains (by task)."""

    def __init__(self) -> None:
        self._links: dict[Pair, AnswerTally] = defaultdict(AnswerTally)
        self._of_links: list[tuple[Sequence[int], str | None]] = []
        """The subject of each answer about links, with the program that gave it."""
        self._boxes: dict[int, AnswerTally] = defaultdict(AnswerTally)
        self._chains: dict[int, AnswerTally] = defaultdict(AnswerTally)

    def add(self, task: str, subject: Sequence[int], answer: Any, program: str | None) -> None:
        """Count an answer to a question about this subject. `program`: as in `Answers.add`."""
        if task == LINK:
            self._of_links.append((subject, program))
            for pair, reply in link_replies(subject, answer).items():
                self._links[pair].add("yes" if reply == SAME else "no", program)
        elif task not in SURVEYS:
            self._chains[subject[0]].add(task, program)
            if task == QUALITY:
                self._boxes[subject[1]].add(answer, program)

    def drawn(self, box: int, program: str | None) -> None:
        """Count who drew or proposed a box. `program`: as in `Answers.add`."""
        self._boxes[box].add("drawn", program)

    def of_link(self, a: int, b: int) -> AnswerTally | None:
        """Return the answers about a link; None: nobody answered."""
        return self._links.get((min(a, b), max(a, b)))

    def of_boxes(self, *numbers: int) -> AnswerTally:
        """Return the answers about these boxes together."""
        found = AnswerTally()
        for number in numbers:
            if number in self._boxes:
                found.add_all(self._boxes[number])
        return found

    def of_chain(self, mentions: Collection[int], *, links: bool = False) -> AnswerTally:
        """Return the answers about every chain that one of these mentions gave its name.

        `links`: with those about the links between the mentions; that to a sweep is one answer.
        """
        found = AnswerTally()
        for mention in mentions:
            if mention in self._chains:
                found.add_all(self._chains[mention])
        for (about, *others), program in self._of_links if links else ():
            if about in mentions and not set(others).isdisjoint(mentions):
                found.add(LINK, program)
        return found


def programs_of_service() -> dict[int, str]:
    """Return the names of all programs by their ids."""
    return dict(Worker.objects.filter(kind=Worker.Kind.PROGRAM).values_list("id", "name"))


def programs_at_work(project: Project) -> dict[int, str]:
    """Return the names of all programs by their ids; none if no program has drawn or answered in the project."""
    found = programs_of_service()
    drawn = Box.objects.filter(image__project=project, drawn_by__in=found)
    answered = Judgment.objects.filter(question__project=project, worker__in=found)
    return found if found and (drawn.exists() or answered.exists()) else {}


def load_answers(ids: Sequence[int], programs: Mapping[int, str]) -> dict[int, ImageAnswers]:
    """Return, by image, the answers that acted and were not voided, and who drew each box. `programs`: their names."""
    found: dict[int, ImageAnswers] = defaultdict(ImageAnswers)
    dropped = without_effect(ids)
    for image, data in Entry.objects.filter(image_id__in=ids, kind=EntryKind.VOID.value).values_list("image", "data"):
        dropped.update((image, entry) for entry in data["entries"])
    rows = Judgment.objects.filter(question__image_id__in=ids, entry__isnull=False).order_by("id")
    told = column_text("question__subject"), column_text("answer")
    for image, entry, task, subject, answer, worker in rows.values_list(
        "question__image", "entry__sequence", "question__task", *told, "worker"
    ):
        if (image, entry) not in dropped:
            found[image].add(task, read_json(subject), read_json(answer), programs.get(worker))
    boxes = Box.objects.filter(image_id__in=ids, drawn_by__isnull=False).order_by("image", "number")
    for image, number, worker in boxes.values_list("image", "number", "drawn_by"):
        found[image].drawn(number, programs.get(worker))
    return found


def without_effect(ids: Sequence[int]) -> set[tuple[int, int]]:
    """Return the image and number of the entries of judgments that came too late, or of a program set aside."""
    moves = Transition.objects.filter(image_id__in=ids, machine=StateMachine.QUESTION.value, reason__in=WITHOUT_EFFECT)
    return set(moves.order_by().values_list("image", "sequence"))
