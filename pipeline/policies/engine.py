"""Engine [beyond paper 3]: what a project believes with, made of what its requester chose and what answers taught."""

from collections.abc import Collection
from functools import cached_property, partial

from belief.annotators import skill
from belief.boxes.next_box_question import BoxRules
from belief.boxes.proposers import with_reference
from belief.models.calibration import ALONE, NOT_MEASURED
from belief.models.family import NO_FAMILIES, Families
from belief.models.reference import Reference
from pipeline.policies.box_policy import BELIEVED
from pipeline.protocol.rules import Needs
from pipeline.protocol.tasks.task import JUDGING, Task
from pipeline.settings.settings import Settings


class Engine:
    """The objects of belief that one version of a project's settings stands for. Each is made once, when first used."""

    def __init__(self, settings: Settings, weighed: Collection[Task]) -> None:
        """Make an engine. `weighed`: the tasks whose answers are evidence."""
        self.settings, self.weighed = settings, weighed

    @cached_property
    def source(self) -> Reference:
        """The data set that is being checked; none where nothing that programs propose counts."""
        settings = self.settings
        wrong = tuple((kind, *shares) for kind, shares in sorted(settings.learned.boxes.wrong.items()))
        return Reference(settings.reference_set if settings.pre_annotations else 0, settings.reference_trust, wrong)

    @cached_property
    def box_rules(self) -> BoxRules:
        """The rules of the belief policy."""
        settings = self.settings
        prior = with_reference(settings.learned.boxes, self.source)
        alone = settings.programs_alone and prior.calibrations.get(ALONE, NOT_MEASURED).lets_programs_finish
        return BoxRules(settings.box_sure, prior, no_box_votes=settings.no_box_votes, programs_alone=alone)

    @cached_property
    def needs(self) -> Needs:
        """The facts of the moment of an entry that the policies read: the skill of whoever gives a weighed answer.

        A worker of whom nothing was checked counts as an average one.
        """
        settings = self.settings
        of_task = {task: partial(skill, crowd=self._crowd_error(task)) for task in self.weighed}
        return Needs(of_task, bool(settings.model_annotators or settings.reference_set), settings.model_annotators)

    def _crowd_error(self, task: Task) -> float:
        return self.box_rules.prior.error_of(BELIEVED[task]) if task in BELIEVED else self.settings.learned.crowd.mean

    def weighs(self, task: Task) -> bool:
        """Return whether answers to the task are evidence: of links asked adaptively, of boxes under belief."""
        return task in self.weighed

    def has_model_annotators(self, task: Task) -> bool:
        """Return whether programs are asked before people."""
        return bool(self.settings.model_annotators) and task in JUDGING and self.weighs(task)

    def is_model_annotator(self, worker: int, task: Task) -> bool:
        """Return whether a program's answers to the task are evidence."""
        return worker in self.settings.model_annotators and self.has_model_annotators(task)

    def families_in(self, task: Task) -> Families:
        """Return which programs count as one opinion in a task: those of one family that answers do not show apart."""
        settings = self.settings
        if not settings.model_families:
            return NO_FAMILIES
        links = task is Task.COREFERENCE_LINK
        pairs = settings.learned.links.pairs_of_models if links else self.box_rules.prior.pairs
        return Families(settings.model_families, pairs)

    @property
    def links_beyond_rules(self) -> bool:
        """Whether the two rules of links say what is likely, and not what is possible."""
        settings = self.settings
        return settings.beyond_rules and self.weighs(Task.COREFERENCE_LINK) and not settings.reference_set

    @property
    def asks_sweeps(self) -> bool:
        """Whether a link question may be a sweep: not where models judge, or a data set is checked."""
        settings = self.settings
        by_people = not (self.has_model_annotators(Task.COREFERENCE_LINK) or self.source.program)
        return settings.sweeps and not settings.part_answers and self.weighs(Task.COREFERENCE_LINK) and by_people
