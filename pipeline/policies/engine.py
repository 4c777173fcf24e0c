"""Engine [beyond paper 3]: what a project believes with, made of what its requester chose and what answers taught."""

from functools import cached_property, lru_cache

from annotation.rules.same_object import SameObject
from belief.boxes.next_box_question import BoxRules
from belief.boxes.proposers import with_reference
from belief.links.answer_model import CrowdErrors
from belief.links.link_prior import LinkPrior
from belief.models.calibration import ALONE, NOT_MEASURED
from belief.models.family import NO_FAMILIES, Families
from belief.models.reference import Reference
from pipeline.protocol.tasks.task import BOX_TASKS, JUDGING, Task
from pipeline.settings.policy_names import BoxPolicy, LinkStrategy
from pipeline.settings.settings import Settings

ENGINES = 256
"""The versions of settings whose engines are kept."""


class Engine:
    """The objects of belief that one version of a project's settings stands for. Each is made once, when first used."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @property
    def links(self) -> LinkPrior:
        """The prior of the adaptive strategy."""
        return self.settings.learned.links

    @property
    def crowd(self) -> CrowdErrors:
        """The error rates of the crowd by which the adaptive strategy weighs answers."""
        return self.settings.learned.crowd

    @cached_property
    def source(self) -> Reference:
        """The data set that is being checked; none where nothing that programs propose counts."""
        chosen = self.settings
        wrong = tuple((kind, *shares) for kind, shares in sorted(chosen.learned.boxes.wrong.items()))
        return Reference(chosen.reference_set if chosen.pre_annotations else 0, chosen.reference_trust, wrong)

    @cached_property
    def box_rules(self) -> BoxRules:
        """The rules of the belief policy."""
        chosen = self.settings
        prior = with_reference(chosen.learned.boxes, self.source)
        alone = chosen.programs_alone and prior.held.get(ALONE, NOT_MEASURED).lets_programs_end
        return BoxRules(chosen.box_sure, prior, no_box_votes=chosen.no_box_votes, programs_alone=alone)

    def weighs(self, task: Task) -> bool:
        """Return whether answers to the task are evidence: of links asked adaptively, of boxes under belief."""
        if task is Task.COREFERENCE_LINK:
            return self.settings.strategy is LinkStrategy.ADAPTIVE
        return self.settings.box_policy is BoxPolicy.BELIEF and task in BOX_TASKS

    def has_model_annotators(self, task: Task) -> bool:
        """Return whether programs are asked before people."""
        return bool(self.settings.model_annotators) and task in JUDGING and self.weighs(task)

    def is_model_annotator(self, worker: int, task: Task) -> bool:
        """Return whether a program's answers to the task are evidence."""
        return worker in self.settings.model_annotators and self.has_model_annotators(task)

    def families_in(self, task: Task) -> Families:
        """Return which programs count as one opinion in a task: those of one family that answers do not show apart."""
        if not self.settings.model_families:
            return NO_FAMILIES
        links = task is Task.COREFERENCE_LINK
        return Families(
            self.settings.model_families, self.links.pairs_of_models if links else self.box_rules.prior.pairs
        )

    @cached_property
    def links_beyond_rules(self) -> bool:
        """Whether the two rules of links say what is likely, and not what is possible."""
        chosen = self.settings
        return chosen.beyond_rules and chosen.strategy is LinkStrategy.ADAPTIVE and not chosen.reference_set


def engine_of(settings: Settings) -> Engine:
    """Return the engine of these settings. The same settings share one."""
    return _engine(SameObject(settings))


@lru_cache(maxsize=ENGINES)
def _engine(settings: SameObject[Settings]) -> Engine:
    return Engine(settings.value)
