"""Images whose open questions all belong to one task, made by answering through the pipeline's own verbs."""

from annotation.models import Image, Project
from annotation.rules.mention_type import NOUN_TYPES, MentionType
from exchange.dataset import DatasetImage, DatasetMention
from exchange.import_image import import_image
from exchange.words import joined_caption
from pipeline.asking.lease_assignment import lease_questions
from pipeline.asking.receipt import Given
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Question
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.tick import tick
from simulation.simulate import virtual_workers

WIDTH, HEIGHT = 500, 375
WORDS = {kind: ("the", kind.value.replace(" ", "-")) for kind in NOUN_TYPES}
T = MentionType
DRAW, JUDGE, COVER = Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE
DRAWN = (T.PEOPLE, T.CLOTHING, T.BODY_PARTS)
ASKED = (T.ANIMALS, T.VEHICLES, T.INSTRUMENTS, T.SCENE, T.OTHER)
CAPTIONS: dict[Task, list[list[MentionType]]] = {
    # Each mention of the second caption is compared with the three mentions of its type in the first.
    Task.COREFERENCE_LINK: [[kind for kind in NOUN_TYPES[:7] for _ in range(3)], list(NOUN_TYPES[:7])],
    Task.CHAIN_VERIFICATION: [list(NOUN_TYPES), list(NOUN_TYPES)],
    Task.BOX_REQUIREMENT: [[kind for kind in ASKED for _ in range(4)]],
    **{task: [[kind for kind in DRAWN for _ in range(7)]] for task in (DRAW, JUDGE, COVER)},
}
"""The types of the mentions of each caption."""
BEFORE: dict[Task, list[tuple[Task, object]]] = {
    Task.COREFERENCE_LINK: [],
    Task.CHAIN_VERIFICATION: [(Task.COREFERENCE_LINK, "same")],
    Task.BOX_REQUIREMENT: [],
    Task.BOX_DRAWING: [],
    Task.BOX_QUALITY: [(Task.BOX_DRAWING, {"box": [40, 40, 160, 260]})],
    Task.BOX_COVERAGE: [(Task.BOX_DRAWING, {"box": [40, 40, 160, 260]}), (Task.BOX_QUALITY, "good")],
}
"""The answers that are given to earlier tasks until only questions of the task are open."""


def make_template(project: Project, task: Task) -> Image:
    """Import an image into the empty project, and answer until only questions of the task are open."""
    version, _ = current_settings(project.id)
    picture = f"originals/no/{project.name}.jpg"  # only a name: without a picture, no person is asked
    image = import_image(project, 0, _described(task), picture=picture, gold=False, settings_version=version)
    tick(project_id=project.id)
    first, second = virtual_workers(project, "template", 2)
    for before, answer in BEFORE[task]:
        worker = second if before is Task.BOX_QUALITY else first
        while lease := lease_questions(project_id=project.id, worker_id=worker.id, task=before):
            given = [Given(answer)] * len(lease.questions)
            submit_assignment(assignment_id=lease.assignment.id, worker_id=worker.id, answers=given)
        tick(project_id=project.id)
    _only(image, task)
    return image


def _described(task: Task) -> DatasetImage:
    captions, mentions = [], []
    for number, kinds in enumerate(CAPTIONS[task]):
        captions.append(joined_caption(tuple(word for kind in kinds for word in WORDS[kind])))
        mentions += [DatasetMention(number, 2 * n, 2 * n + 2, (kind.value,)) for n, kind in enumerate(kinds)]
    return DatasetImage("template", WIDTH, HEIGHT, tuple(captions), tuple(mentions))


def _only(image: Image, task: Task) -> None:
    open_ones = Question.objects.filter(image=image, state=QuestionState.OPEN.value)
    found = set(open_ones.values_list("task", flat=True))
    if found != {task.value}:
        raise AssertionError(f"the template of {task} has open questions of {sorted(found)}")
