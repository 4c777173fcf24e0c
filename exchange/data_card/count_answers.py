"""Answers about the images of an export, counted by task, by who gave them, and by how far they agree."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from django.db.models import TextField
from django.db.models.functions import Cast

from exchange.data_card.agreement import Overlap, Profile, profile_of
from exchange.who_answered import without_effect
from pipeline.models import Entry, Judgment
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.tasks.coreference_link import in_chains
from pipeline.protocol.tasks.survey import caption_verdict
from pipeline.protocol.tasks.task import Task
from workers.models import Worker

PROGRAM = Worker.Kind.PROGRAM.value
Heard = tuple[str, tuple[tuple[tuple[str, str], str], ...]]
"""A task, and each answer to a question: the kind of worker, the name of a program, and the word. Many are alike."""
DRAWN, NONE_MISSING = "a box", "none missing"


@dataclass(slots=True)
class TaskAnswers:
    """The counted answers to one task's questions: neither voided nor without effect, no verification question."""

    questions: int = 0
    """Questions with an answer."""
    most: int = 0
    """The most answers to one of them."""
    by_kind: Counter[str] = field(default_factory=Counter)
    """Answers by the kind of worker: person, program, virtual."""
    by_word: Counter[str] = field(default_factory=Counter)
    profiles: Counter[Profile] = field(default_factory=Counter)
    without_programs: Counter[Profile] = field(default_factory=Counter)
    """The profiles of the answers that no program gave. In profiles a part of a link is "different"."""
    overlap: Overlap = field(default_factory=Overlap)

    @property
    def answers(self) -> int:
        return self.by_kind.total()


@dataclass(slots=True)
class AnswerCounts:
    """The answers about all images that were added."""

    tasks: dict[str, TaskAnswers] = field(default_factory=lambda: defaultdict(TaskAnswers))
    workers: dict[int, str] = field(default_factory=dict)
    """The kind of each worker with an answer, by id. Ids are for counting: no card shows them."""
    programs: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """By the name of a program, its answers by task."""
    set_aside: int = 0
    """Answers that were voided, came too late, or were of a program that was set aside."""

    def add(self, ids: Sequence[int]) -> None:
        """Add the answers about these images, which are held at once: give some hundreds at a time."""
        dropped = without_effect(ids)
        voids = Entry.objects.filter(image_id__in=ids, kind=EntryKind.VOID.value)
        for image, data in voids.values_list("image", "data"):
            dropped.update((image, entry) for entry in data["entries"])
        rows = Judgment.objects.filter(question__image_id__in=ids, entry__isnull=False)
        columns = rows.values_list(
            *("question", "question__task", Cast("answer", TextField()), "worker"),
            *("question__image", "entry__sequence"),
        )
        found: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
        for question, task, answer, worker, image, entry in columns.iterator(chunk_size=5000):
            if dropped and (image, entry) in dropped:
                self.set_aside += 1
            else:
                found[task, question].append((worker, answer))
        who = self._who({worker for answers in found.values() for worker, _ in answers})
        alike = Counter[Heard]()
        for (task, _), answers in found.items():
            alike[task, tuple([(who[worker], said(task, answer)) for worker, answer in answers])] += 1
            if task == Task.BOX_DRAWING and len(answers) > 1:
                drawn = [answer for _, answer in answers if said(task, answer) == DRAWN]
                self.tasks[task].overlap.add([json.loads(answer)["box"] for answer in drawn])
        for heard, questions in alike.items():
            self._add_questions(heard, questions)

    def _who(self, workers: set[int]) -> Mapping[int, tuple[str, str]]:
        """Return the kind of each worker, and the name of programs; of all others an empty text."""
        rows = Worker.objects.filter(id__in=workers).values_list("id", "kind", "name")
        who = {number: (kind, name if kind == PROGRAM else "") for number, kind, name in rows}
        self.workers.update({number: kind for number, (kind, _) in who.items()})
        return who

    def _add_questions(self, heard: Heard, questions: int) -> None:
        """Add this number of questions, all of which heard the same from the same kinds of workers."""
        task, answers = heard
        counts = self.tasks[task]
        counts.questions += questions
        counts.most = max(counts.most, len(answers))
        by_others = []
        for (kind, name), word in answers:
            counts.by_kind[kind] += questions
            counts.by_word[word] += questions
            if name:
                self.programs[name][task] += questions
            else:
                by_others.append(in_chains(word))
        if len(answers) > 1:
            counts.profiles[profile_of(in_chains(word) for _, word in answers)] += questions
            if len(by_others) > 1:
                counts.without_programs[profile_of(by_others)] += questions


@lru_cache(maxsize=1000)
def said(task: str, answer: str) -> str:
    """Return the answer, which is JSON, as one of the few words that answers to the task are."""
    if task == Task.BOX_DRAWING:
        return DRAWN if '"box"' in answer else NONE_MISSING
    if task == Task.CAPTION_CHECK:
        return caption_verdict(json.loads(answer)).value
    return answer.strip('"')
