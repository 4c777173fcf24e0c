"""Needs [beyond paper 3]: what the policies of a project's settings have to know of the moment of each entry."""

from functools import partial

from belief.boxes.tasks import BoxTask
from belief.boxes.worker_shift import box_shift
from belief.links.answer_model import worker_shift
from pipeline.policies.box_tasks import BELIEVED
from pipeline.policies.engine import engine_of
from pipeline.protocol.context import Needs, SkillOf
from pipeline.protocol.tasks.task import Task
from pipeline.settings.policy_names import BoxPolicy, LinkStrategy
from pipeline.settings.settings import Settings


def needs_of(settings: Settings) -> Needs:
    """Return what these settings need. The four strategies and the policy of the paper need nothing.

    The adaptive strategy weighs answers to links by the worker's skill, the belief policy those to box tasks. A worker
    of whom nothing was checked counts as an average one.
    """
    skill: dict[Task, SkillOf] = {}
    if settings.strategy is LinkStrategy.ADAPTIVE:
        skill[Task.COREFERENCE_LINK] = partial(worker_shift, errors=engine_of(settings).crowd)
    if settings.box_policy is BoxPolicy.BELIEF:
        skill |= {task: partial(_skill_with_boxes, settings, believed) for task, believed in BELIEVED.items()}
    return Needs(skill, bool(settings.jurors or settings.checked), settings.jurors)


def _skill_with_boxes(settings: Settings, task: BoxTask, accuracy: float, answers: int) -> float:
    return box_shift(task, accuracy, answers, engine_of(settings).box_rules.prior)
