"""Refits of boxes [beyond paper 3.2]: a project learns its prior of boxes and its trust in programs itself.

They are as safe as refits of links (`refit_links`).
"""

from collections.abc import Iterator
from functools import partial

from django.db.models import Count, Exists, OuterRef, Q

from annotation.models import Image
from annotation.rules.box import Box, iou
from annotation.rules.states import ImageState
from belief.boxes.fit_box_errors import KnownAnswers
from belief.habits import KnownDrawing
from pipeline.learning.known_labels import known_labels
from pipeline.learning.learn import ChainEvidence, learn
from pipeline.learning.refit_due import images_before_refit, may_be_due, read_for_refit
from pipeline.learning.store_learned import given_to, store_learned
from pipeline.models import Assignment, Judgment, KnownQuestion, Question
from pipeline.policies.box_evidence import finished_chains
from pipeline.policies.compose import engine_of
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import BOX_TASKS, Task
from workers.models import Worker

GIVEN = (KnownQuestion.Source.GOLD, KnownQuestion.Source.EXPERT)
"""The sources of known questions whose truth does not come from the crowd."""
OF_BOXES = Question.objects.filter(task__in=[task.value for task in BOX_TASKS])


def refit_boxes(project_id: int, *, only_if_due: bool = True) -> int | None:
    """Refit the box prior and the trust in programs, add a version of the settings with them, and return its number.

    Returns None if nothing was due, or if the settings changed meanwhile. Images count that are merged, in a project
    that boxes by belief and has `refit_boxes` on.
    """
    version, settings = current_settings(project_id)
    # Those that were imported with their boxes are among the merged ones.
    merged = Image.objects.filter(project_id=project_id, state=ImageState.MERGED.value)
    engine = engine_of(settings)
    wanted = images_before_refit(engine.box_rules.prior, settings)
    is_wanted = engine.weighs(Task.BOX_QUALITY) and settings.refit_boxes
    if only_if_due and not (is_wanted and may_be_due(merged, project_id, wanted)):
        return None
    images = merged.filter(Exists(OF_BOXES.filter(image=OuterRef("id"))))
    number = images.count()
    if only_if_due and number < wanted:
        return None
    read = read_for_refit(project_id, list(images.order_by("id").values_list("id", flat=True)), settings)
    families = engine.families_in(Task.BOX_QUALITY)
    chains = [chain for progress in read for chain in finished_chains(progress, families, engine.box_rules.prior)]
    drawings = list(_known_drawings(project_id)) if settings.fuse_boxes else []
    known = list(_known_answers(project_id))
    evidence = ChainEvidence(chains, number, known, drawings, known_labels(project_id, settings))
    learned = learn(settings, settings.learned, evidence, given_to(project_id))
    reason = f"weights of boxes refitted on {len(chains)} own chains"
    return store_learned(project_id, version, learned, reason, answers=sum(len(chain.answers) for chain in chains))


def _known_answers(project_id: int) -> Iterator[KnownAnswers]:
    """Yield the answers of people at work to each known question about boxes whose truth somebody else has given.

    Drawings are left out: a loose box is wrong without anything being overlooked. So are tests, which people take who
    are not trusted yet.
    """
    tasks = [task.value for task in BOX_TASKS if task is not Task.BOX_DRAWING]
    asked = Judgment.objects.filter(known__project=project_id, known__task__in=tasks, known__source__in=GIVEN)
    rows = asked.filter(assignment__kind=Assignment.Kind.WORK).exclude(worker__kind=Worker.Kind.PROGRAM)
    good, bad = Count("id", filter=Q(right=True)), Count("id", filter=Q(right=False))
    for _, right, wrong in rows.order_by().values_list("known").annotate(is_right=good, is_wrong=bad):
        yield KnownAnswers(right, wrong)


def _known_drawings(project_id: int) -> Iterator[KnownDrawing]:
    """Yield what people drew of boxes that somebody else has given, tests included: everybody draws as they do."""
    asked = Judgment.objects.filter(known__project=project_id, known__task=Task.BOX_DRAWING.value, right=True)
    rows = asked.filter(known__source__in=GIVEN).exclude(worker__kind=Worker.Kind.PROGRAM).order_by("id")
    for worker, answer, truth in rows.values_list("worker", "answer", "known__truth"):
        if "box" in answer:
            drawn = Box(*answer["box"])
            yield KnownDrawing(worker, drawn, max((Box(*box) for box in truth), key=partial(iou, drawn)))
