"""Needs [beyond paper 3]: what the policies of a project's settings have to know of the moment of each entry."""

from functools import partial

from belief.annotators import skill
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
    engine, of_task = engine_of(settings), dict[Task, SkillOf]()
    if settings.strategy is LinkStrategy.ADAPTIVE:
        of_task[Task.COREFERENCE_LINK] = partial(skill, crowd=engine.crowd.mean)
    if settings.box_policy is BoxPolicy.BELIEF:
        errors = engine.box_rules.prior.error_of
        of_task |= {task: partial(skill, crowd=errors(believed)) for task, believed in BELIEVED.items()}
    return Needs(of_task, bool(settings.model_annotators or settings.reference_set), settings.model_annotators)
