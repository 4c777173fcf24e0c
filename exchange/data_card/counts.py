"""Counts of an export, made in the database: its rows, the answers about them, and how far these agree."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import combinations
from typing import Any

import krippendorff
import numpy as np
from django.db.models import Count, Max, Min, QuerySet, TextField
from django.db.models.functions import Cast

from annotation.models import Box, Caption, Chain, Image, KnownBox, Mention, MergedBox
from annotation.rules.box import Box as BoxValue
from annotation.rules.box import iou
from annotation.rules.states import BoxState, ImageState, NonVisual
from annotation.rules.transitivity import Pair
from exchange.load_project import without_effect
from pipeline.models import Entry, Judgment
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.tasks.answers import link_replies
from pipeline.protocol.tasks.coreference_link import in_chains
from pipeline.protocol.tasks.survey import caption_verdict
from pipeline.protocol.tasks.task import Task
from workers.models import Worker

Profile = tuple[tuple[str, int], ...]
"""The answers to one question: each word that was said, and how often. Most questions share few profiles."""
EXACT = 1 << 60
SAME_BOX = 0.5
"""The IOU from which two drawings are of one thing, as in the paper's verification questions."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of answers to the same questions, over questions with at least two answers."""

    questions: int
    answers: int
    share: float | None
    """Of the pairs of answers to one question, the share that agree; each answer weighs the same. None: no pairs."""
    alpha: float | None
    """Krippendorff's alpha, nominal. None: no pairs, or all answers are the same, where alpha is not defined."""


def agreement(profiles: Mapping[Profile, int]) -> Agreement:
    """Return the agreement of questions, which are counted by their profiles. Those with one answer are passed over."""
    pairable = {profile: count for profile, count in profiles.items() if _size(profile) > 1}
    questions = sum(pairable.values())
    answers = sum(_size(profile) * count for profile, count in pairable.items())
    if not answers:
        return Agreement(0, 0, None, None)
    alike = sum(count * _alike(profile) for profile, count in pairable.items())
    return Agreement(questions, answers, alike / answers, _alpha(pairable))


def _size(profile: Profile) -> int:
    return sum(number for _, number in profile)


def _alike(profile: Profile) -> float:
    """Return the answers of a question, each by the share of the others that say the same."""
    return sum(number * (number - 1) for _, number in profile) / (_size(profile) - 1)


def _alpha(profiles: Mapping[Profile, int]) -> float | None:
    words = sorted({word for profile in profiles for word, _ in profile})
    if len(words) < 2:
        return None
    place = {word: number for number, word in enumerate(words)}
    counts = np.zeros((len(profiles), len(words)), dtype=np.int16)
    for row, profile in enumerate(profiles):
        for word, number in profile:
            counts[row, place[word]] = number
    units = np.repeat(counts, list(profiles.values()), axis=0)
    return float(krippendorff.alpha(value_counts=units, level_of_measurement="nominal"))


def profile_of(words: Iterable[str]) -> Profile:
    """Return the profile of the answers to one question."""
    return tuple(sorted(Counter(words).items()))


@dataclass(slots=True)
class Overlap:
    """The IOU of drawings that answer one question, over pairs of them."""

    pairs: int = 0
    total: int = 0
    """The sum of the IOUs in parts of EXACT: whole numbers have the same sum in any order."""
    alike: int = 0
    """Pairs with an IOU of at least SAME_BOX."""

    def add(self, drawings: Collection[Sequence[int]]) -> None:
        """Add the pairs of a question's drawings, each as [x0, y0, x1, y1]."""
        for first, second in combinations(drawings, 2):
            overlap = iou(BoxValue(*first), BoxValue(*second))
            self.pairs += 1
            self.total += round(overlap * EXACT)
            self.alike += overlap >= SAME_BOX

    @property
    def mean(self) -> float | None:
        return self.total / EXACT / self.pairs if self.pairs else None


@dataclass(slots=True)
class RowCounts:
    """The counts of all images that were added."""

    images: int = 0
    unfinished: int = 0
    """Images that are not merged: their chains and boxes may still change."""
    captions: int = 0
    phrases: int = 0
    by_type: Counter[str] = field(default_factory=Counter)
    """Phrases by type; one with several types counts in each."""
    chains: int = 0
    scenes: int = 0
    without_box: int = 0
    doubted: int = 0
    boxes: int = 0
    by_programs: int = 0
    """Accepted boxes that a program drew or proposed, before equal ones are merged ..."""
    accepted: int = 0
    """... and all accepted boxes."""
    imported: int = 0
    """Images whose chains came with the import."""
    category_boxes: int = 0
    """Boxes of the import that have a category and no chain."""
    experts: int = 0
    """Decisions of experts in the record."""
    entries: int = 0
    versions: Counter[int] = field(default_factory=Counter)
    """Entries of the record by the version of the settings that they were made under."""
    answered_from: datetime | None = None
    answered_to: datetime | None = None
    changed_at: datetime | None = None
    """The time of the record's last entry."""

    def add(self, ids: Sequence[int]) -> None:
        """Add the rows of these images; give some hundreds at a time, as databases bound the length of lists."""
        of = {"image_id__in": ids}
        for state, count in _by(Image.objects.filter(id__in=ids), "state"):
            self.images += count
            self.unfinished += count * (state != ImageState.MERGED.value)
        self.captions += Caption.objects.filter(**of).count()
        for types, count in _by(Mention.objects.filter(**of), "types"):
            self.phrases += count
            self.by_type.update({kind: count for kind in types})
        self._add_chains(ids)
        self._add_boxes(ids)
        self._add_record(ids)

    def _add_chains(self, ids: Sequence[int]) -> None:
        final = Chain.objects.filter(image_id__in=ids, merged_into=None)
        for kind, count in _by(final, "non_visual"):
            self.chains += count
            self.scenes += count * (kind == NonVisual.SCENE.value)
            self.without_box += count * (kind == NonVisual.NO_BOX.value)
        self.chains += Mention.objects.filter(image_id__in=ids, chain=None).count()  # each is a chain of its own
        self.doubted += final.exclude(doubted="").count()

    def _add_boxes(self, ids: Sequence[int]) -> None:
        merged = MergedBox.objects.filter(image_id__in=ids)
        accepted = Box.objects.filter(image_id__in=ids, state=BoxState.ACCEPTED.value)
        not_merged = accepted.exclude(image_id__in=merged.order_by().values("image_id"))
        for rows in (merged, not_merged):
            self.boxes += rows.order_by().values("image_id", "x0", "y0", "x1", "y1").distinct().count()
        self.accepted += accepted.count()
        self.by_programs += accepted.filter(drawn_by__kind=Worker.Kind.PROGRAM).count()
        self.category_boxes += KnownBox.objects.filter(image_id__in=ids, exported=True).count()

    def _add_record(self, ids: Sequence[int]) -> None:
        entries = Entry.objects.filter(image_id__in=ids)
        for kind, version, count in _by(entries, "kind", "settings_version"):
            self.entries += count
            self.versions[version] += count
            self.experts += count * (kind == EntryKind.EXPERT.value)
        self.imported += entries.filter(sequence=0, data__has_key="chains").count()
        answered = entries.filter(judgment__isnull=False).aggregate(
            low=Min("judgment__created_at"), high=Max("judgment__created_at")
        )
        self.answered_from = _outer(min, self.answered_from, answered["low"])
        self.answered_to = _outer(max, self.answered_to, answered["high"])
        self.changed_at = _outer(max, self.changed_at, entries.aggregate(last=Max("created_at"))["last"])


def _by(rows: QuerySet[Any], *columns: str) -> QuerySet[Any, Any]:
    """Return the number of rows for each combination of values in these columns."""
    return rows.order_by().values_list(*columns).annotate(Count("id"))


def _outer(choose: Callable[[list[datetime]], datetime], *moments: datetime | None) -> datetime | None:
    """Return the first or the last of these moments, as `choose` says; None if none is known."""
    found = [moment for moment in moments if moment is not None]
    return choose(found) if found else None


PROGRAM = Worker.Kind.PROGRAM.value
WordsOfWorkers = tuple[tuple[tuple[str, str], str], ...]
"""Each answer to a question: the kind of worker, the name of a program, and the word."""
Heard = tuple[str, WordsOfWorkers]
"""A task, and the answers to a question. Many are alike."""
DRAWN, NONE_MISSING, SWEPT = "a box", "none missing", "a sweep"


@dataclass(slots=True)
class TaskAnswers:
    """The counted answers to one task's questions: neither voided nor without effect, no verification question."""

    questions: int = 0
    """Questions with an answer ..."""
    single: int = 0
    """... and with one alone."""
    most: int = 0
    """The most answers to one of them."""
    by_kind: Counter[str] = field(default_factory=Counter)
    """Answers by the kind of worker: person, program, virtual."""
    by_word: Counter[str] = field(default_factory=Counter)
    profiles: Counter[Profile] = field(default_factory=Counter)
    without_programs: Counter[Profile] = field(default_factory=Counter)
    """The profiles of the answers that no program gave. In profiles a part of a link is "different", and each pair of a
    sweep is a question."""
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
            *("question", "question__task", "question__subject", Cast("answer", TextField()), "worker"),
            *("question__image", "entry__sequence"),
        )
        found: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
        swept: dict[tuple[int, Pair], list[tuple[int, str]]] = defaultdict(list)
        for question, task, subject, answer, worker, image, entry in columns.iterator(chunk_size=5000):
            if dropped and (image, entry) in dropped:
                self.set_aside += 1
                continue
            found[task, question].append((worker, answer))
            if task == Task.COREFERENCE_LINK and len(subject) > 2:
                for pair, reply in link_replies(subject, json.loads(answer)).items():
                    swept[question, pair].append((worker, reply))
        who = self._who({worker for answers in found.values() for worker, _ in answers})
        alike, of_pairs = Counter[Heard](), Counter[Heard]()
        for (task, _), answers in found.items():
            alike[task, tuple([(who[worker], answer_word(task, answer)) for worker, answer in answers])] += 1
            if task == Task.BOX_DRAWING and len(answers) > 1:
                drawn = [answer for _, answer in answers if answer_word(task, answer) == DRAWN]
                self.tasks[task].overlap.add([json.loads(answer)["box"] for answer in drawn])
        for heard, questions in alike.items():
            self._add_questions(heard, questions)
            if not any(word == SWEPT for _, word in heard[1]):
                self._add_profiles(*heard, questions)
        for answers in swept.values():
            of_pairs[Task.COREFERENCE_LINK.value, tuple([(who[worker], word) for worker, word in answers])] += 1
        for heard, pairs in of_pairs.items():
            self._add_profiles(*heard, pairs)

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
        counts.single += questions * (len(answers) == 1)
        counts.most = max(counts.most, len(answers))
        for (kind, name), word in answers:
            counts.by_kind[kind] += questions
            counts.by_word[word] += questions
            if name:
                self.programs[name][task] += questions

    def _add_profiles(self, task: str, answers: WordsOfWorkers, items: int) -> None:
        """Add the profile of this number of questions, or of pairs of sweeps, to those that tell of agreement."""
        counts = self.tasks[task]
        by_others = [in_chains(word) for (_, name), word in answers if not name]
        if len(answers) > 1:
            counts.profiles[profile_of(in_chains(word) for _, word in answers)] += items
            if len(by_others) > 1:
                counts.without_programs[profile_of(by_others)] += items


@lru_cache(maxsize=1000)
def answer_word(task: str, answer: str) -> str:
    """Return the answer, which is JSON, as one of the few words that answers to the task are."""
    if task == Task.BOX_DRAWING:
        return DRAWN if '"box"' in answer else NONE_MISSING
    if task == Task.CAPTION_CHECK:
        return caption_verdict(json.loads(answer)).value
    if task == Task.COREFERENCE_LINK and answer.startswith("{"):
        return SWEPT
    return answer.strip('"')


MOMENTS = {"answered_from": min, "answered_to": max, "changed_at": max}
BY_WORD = ("by_kind", "by_word")
PROFILES = ("profiles", "without_programs")


def counts_as_json(rows: RowCounts, answers: AnswerCounts) -> dict[str, Any]:
    """Return what `add_counts` adds."""
    moments = {name: moment.isoformat() for name in MOMENTS if (moment := getattr(rows, name))}
    numbers = {name: getattr(rows, name) for name in RowCounts.__slots__ if name not in MOMENTS}
    return {
        "rows": {
            name: list(number.items()) if isinstance(number, Counter) else number for name, number in numbers.items()
        },
        "moments": moments,
        "tasks": {task: _task(counts) for task, counts in answers.tasks.items()},
        "workers": list(answers.workers.items()),
        "programs": {name: dict(counts) for name, counts in answers.programs.items()},
        "set_aside": answers.set_aside,
    }


def add_counts(rows: RowCounts, answers: AnswerCounts, stored: dict[str, Any]) -> None:
    """Add the counts of other images."""
    for name, value in stored["rows"].items():
        if isinstance(value, list):
            getattr(rows, name).update(dict(value))
        else:
            setattr(rows, name, getattr(rows, name) + value)
    for name, moment in stored["moments"].items():
        setattr(rows, name, _outer(MOMENTS[name], getattr(rows, name), datetime.fromisoformat(moment)))
    for task, value in stored["tasks"].items():
        _add_task(answers.tasks[task], value)
    answers.workers.update(dict(stored["workers"]))
    for name, counts in stored["programs"].items():
        answers.programs[name].update(counts)
    answers.set_aside += stored["set_aside"]


def _task(counts: TaskAnswers) -> dict[str, Any]:
    return {
        "questions": counts.questions,
        "single": counts.single,
        "most": counts.most,
        **{name: dict(getattr(counts, name)) for name in BY_WORD},
        **{name: list(getattr(counts, name).items()) for name in PROFILES},
        "overlap": [counts.overlap.pairs, counts.overlap.total, counts.overlap.alike],
    }


def _add_task(counts: TaskAnswers, stored: dict[str, Any]) -> None:
    counts.questions += stored["questions"]
    counts.single += stored["single"]
    counts.most = max(counts.most, stored["most"])
    for name in BY_WORD:
        getattr(counts, name).update(stored[name])
    for name in PROFILES:
        getattr(counts, name).update({tuple(map(tuple, profile)): count for profile, count in stored[name]})
    own: Overlap = counts.overlap
    pairs, total, alike = stored["overlap"]
    own.pairs, own.total, own.alike = own.pairs + pairs, own.total + total, own.alike + alike
