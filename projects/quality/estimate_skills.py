"""Estimates of how often each worker of a project is right, task by task. No worker is barred by an estimate."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import NamedTuple

from django.db.models import Max

from annotation.models import Box
from annotation.rules.states import BoxState
from annotation.rules.transitivity import Pair
from pipeline.models import Assignment, Judgment, Progress
from pipeline.policies.compose import adaptive_links, engine_of
from pipeline.project.queries import chosen_projects
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.answers import link_replies
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer, in_chains
from pipeline.protocol.tasks.task import Task
from projects.quality.answers import NEWEST, AnswerOfTask, answer_words, answered
from runtime import clock
from workers.models import SkillEstimate
from workers.rules import skill as rule
from workers.rules.fit_votes import SkillRules, WorkerAnswer
from workers.rules.skill import WorkerSkill, estimate_one_coin

OTHER_LINKS = "other links"
"""Stands for a worker."""
SURE = 0.9
"""A less likely verdict is not an answer."""
IMAGES = 1000
"""The number of images whose links are checked, those with the newest answers: about ten seconds of work."""
IMAGES_PER_BATCH = 100


class AskedPair(NamedTuple):
    """One pair of one image, however often it was asked. The smaller number comes first."""

    image: int
    first: int
    second: int


class LinkVerdict(NamedTuple):
    """The verdict of an answer on one pair."""

    item: AskedPair | tuple[int, Pair]
    """Of a verification question its id and the pair."""
    word: str
    known: str | None
    """The right verdict, of a verification question."""


def link_verdicts(project_id: int, newest: int) -> dict[int, list[LinkVerdict]]:
    """Return the verdicts of the newest judgments of links by their ids, latest first: of a sweep several.

    Verification questions of two mentions are left out: their answer is their verdict.
    """
    rows = Judgment.objects.filter(
        assignment__project=project_id,
        assignment__task=Task.COREFERENCE_LINK.value,
        assignment__kind=Assignment.Kind.WORK,
    ).order_by("-id")
    columns = ("id", "answer", "question__image_id", "question__subject", "known_id", "known__shown", "known__truth")
    found: dict[int, list[LinkVerdict]] = {}
    for number, answer, image, subject, known, shown, truth in rows.values_list(*columns)[:newest]:
        if known and not isinstance(answer, dict):
            continue
        asked = [mention[0] for mention in shown["mentions"]] if known else subject
        right = link_replies(asked, truth) if known else {}
        found[number] = [
            LinkVerdict((known, pair) if known else AskedPair(image, *pair), in_chains(reply), right.get(pair))
            for pair, reply in link_replies(asked, answer).items()
        ]
    return found


def check_links(project_id: int, verdicts: Iterable[LinkVerdict]) -> Iterator[WorkerAnswer]:
    """Yield what the other links say of the pairs of the images that come first; nothing unless they are adaptive."""
    _, settings = current_settings(project_id)
    if Task.COREFERENCE_LINK not in engine_of(settings).weighed:
        return
    pairs = (verdict.item for verdict in verdicts if isinstance(verdict.item, AskedPair))
    images = list(dict.fromkeys(pair.image for pair in pairs))[:IMAGES]
    for start in range(0, len(images), IMAGES_PER_BATCH):
        rows = Progress.objects.filter(image_id__in=images[start : start + IMAGES_PER_BATCH])
        for image, state in rows.values_list("image_id", "state"):
            for pair, chance in adaptive_links(settings).by_other_links(from_json(state)).items():
                if max(chance, 1 - chance) >= SURE:
                    said = CoreferenceAnswer.SAME if chance > 0.5 else CoreferenceAnswer.DIFFERENT
                    yield WorkerAnswer(OTHER_LINKS, AskedPair(image, min(pair), max(pair)), said.value)


RULES = SkillRules(kinds=1)
"""One kind of item. Telling clear from contested items takes many answers each; the protocol asks for one to five."""


class MeasuredSkills(NamedTuple):
    """The skill of each worker, and the number of verification questions that each answered."""

    skills: Mapping[Hashable, WorkerSkill]
    known: Counter[int]


BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def projects_with_new_answers() -> list[int]:
    """Return the ids of the projects with answers that are newer than their last skill estimate."""
    last = dict(SkillEstimate.objects.values_list("project_id").annotate(Max("computed_at")).order_by())
    submitted = Assignment.objects.filter(state=Assignment.State.SUBMITTED)
    return [
        project
        for project in chosen_projects(None)
        if submitted.filter(project=project, ended_at__gte=last.get(project, BEGINNING)).exists()
    ]


def estimate_skills(*, project_id: int, now: datetime | None = None, newest: int = NEWEST) -> int:
    """Estimate skills from the newest answers to each task. Returns the number of estimates, one per worker and task.

    A worker without recent answers keeps the previous estimate.
    """
    now = now or clock.now()
    rows = []
    for task in Task:
        measure = _drawing if task is Task.BOX_DRAWING else _choosing
        rows += [SkillEstimate(**values) for values in _rows(project_id, task, measure(project_id, task, newest), now)]
    SkillEstimate.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["project_id", "task", "worker"],
        update_fields=["accuracy", "low", "high", "answers", "known_answers", "computed_at"],
    )
    return len(rows)


def _rows(project_id: int, task: Task, measured: MeasuredSkills, now: datetime) -> list[dict[str, object]]:
    place = {"project_id": project_id, "task": task.value, "computed_at": now}
    return [
        {
            **place,
            "worker_id": worker,
            "accuracy": skill.accuracy,
            "low": skill.low,
            "high": skill.high,
            "answers": skill.checked,
            "known_answers": measured.known[worker],  # type: ignore[index]
        }
        for worker, skill in measured.skills.items()
    ]


def _choosing(project_id: int, task: Task, newest: int) -> MeasuredSkills:
    """Measure a task with a few possible answers, by known answers and by the answers of other workers."""
    known: dict[Hashable, Hashable] = {}
    asked: Counter[int] = Counter()
    judged = []
    of_links = link_verdicts(project_id, newest) if task is Task.COREFERENCE_LINK else {}
    for answer in answered(project_id, task, newest=newest):
        asked[answer.worker] += answer.known is not None
        verdicts: Sequence[LinkVerdict | AnswerOfTask] = of_links.get(answer.id, [answer])
        for verdict in verdicts:
            judged.append(WorkerAnswer(answer.worker, verdict.item, verdict.word))
            if verdict.known is not None:
                known[verdict.item] = verdict.known
    judged += check_links(project_id, chain.from_iterable(of_links.values()))
    workers = rule.estimate_skills(judged, answer_words(task), known, RULES).workers
    return MeasuredSkills({worker: skill for worker, skill in workers.items() if worker != OTHER_LINKS}, asked)


def _drawing(project_id: int, task: Task, newest: int) -> MeasuredSkills:
    """Measure box drawing by verification questions and by judged boxes, like its trust score."""
    asked: Counter[int] = Counter()
    judged = []
    for answer in answered(project_id, task, newest=newest):
        if answer.right is not None:
            judged.append(WorkerAnswer(answer.worker, answer.item, answer.right))
            asked[answer.worker] += 1
    boxes = Box.objects.filter(image__project=project_id, drawn_by__isnull=False, judged_at__isnull=False)
    for number, worker, state in boxes.order_by("-judged_at").values_list("id", "drawn_by", "state")[:newest]:
        judged.append(WorkerAnswer(worker, ("box", number), state == BoxState.ACCEPTED.value))
    return MeasuredSkills(
        estimate_one_coin(judged, 2, dict.fromkeys((answer.item for answer in judged), True)).workers, asked
    )
