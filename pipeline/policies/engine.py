"""Engine [beyond paper 3]: what a project believes with, made of what its requester chose and what answers taught."""

from collections.abc import Mapping
from functools import cached_property, partial

from belief.annotators import skill
from belief.boxes.box_prior import BoxPrior
from belief.boxes.next_box_question import BoxRules
from belief.boxes.proposers import with_reference
from belief.links.link_prior import LinkPrior
from belief.models.calibration import ALONE, NOT_MEASURED
from belief.models.error_correlation import NO_FAMILIES, ErrorCorrelation, Families
from belief.models.reference import Reference
from pipeline.policies.box_policy import BELIEVED
from pipeline.protocol.rules import Needs
from pipeline.protocol.tasks.answers import LinkShape
from pipeline.protocol.tasks.task import JUDGING, Task
from pipeline.settings.settings import Settings

SUBJECTS: Mapping[str, Task] = {"boxes": Task.BOX_QUALITY, "links": Task.COREFERENCE_LINK}
"""The subjects of belief, each with a task whose answers are evidence then."""


class Engine:
    """The objects of belief that one version of a project's settings stands for. Each is made once, when first used."""

    def __init__(self, settings: Settings, weighed: frozenset[Task]) -> None:
        """Make an engine. `weighed`: the tasks whose answers are evidence, of links or of boxes."""
        self.settings, self.weighed = settings, weighed
        self.subjects = {name: task for name, task in SUBJECTS.items() if task in weighed}
        self.judged_tasks = weighed & JUDGING

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

    def judges(self, task: Task) -> tuple[int, ...]:
        """Return the programs whose answers to the task are evidence: they are asked before people."""
        return self.settings.model_annotators if task in self.judged_tasks else ()

    def prior(self, task: Task) -> LinkPrior | BoxPrior:
        """Return what is believed before answers, of links or of boxes."""
        return self.settings.learned.links if task is Task.COREFERENCE_LINK else self.box_rules.prior

    def pairs_of_models(self, task: Task) -> Mapping[str, ErrorCorrelation]:
        """Return how often two programs were wrong together in a task."""
        prior = self.prior(task)
        return prior.pairs_of_models if isinstance(prior, LinkPrior) else prior.pairs

    def families_in(self, task: Task) -> Families:
        """Return which programs count as one opinion in a task: those of one family that answers do not show apart."""
        names = self.settings.model_families
        return Families(names, self.pairs_of_models(task)) if names else NO_FAMILIES

    @cached_property
    def link_shapes(self) -> frozenset[LinkShape]:
        """The shapes of links beside pairs: sweeps, but not where models judge, or a data set is checked."""
        settings = self.settings
        by_people = not (settings.model_annotators or self.source.program or settings.part_answers)
        asked = settings.sweeps and by_people and Task.COREFERENCE_LINK in self.weighed
        return frozenset(LinkShape if asked else ())
