"""The settings of a campaign in memory, and what it learns from its own images, by the service's own refits."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from annotation.rules.states import ImageState
from belief.boxes.fit_box_errors import KnownAnswers
from belief.boxes.fit_box_prior import FinishedChain
from belief.habits import KnownDrawing
from belief.learned import LearnedState
from pipeline.checking.label import ChainLabel
from pipeline.checking.label_evidence import LabelEvidence, NewLabel, label_evidence_of
from pipeline.learning.learn import ChainEvidence, LinkEvidence, learn
from pipeline.learning.refit_due import images_before_refit
from pipeline.learning.refit_links import judged_in, linked_image
from pipeline.policies.box_evidence import finished_chains
from pipeline.policies.compose import engine_of
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings


@dataclass(slots=True)
class OwnSettings:
    """The settings of a campaign, and the finished images that they are learned from."""

    settings: Settings
    known: Sequence[KnownAnswers] = ()
    """Answers to the project's known questions about boxes."""
    drawings: Sequence[KnownDrawing] = ()
    """The boxes that were drawn for known questions."""
    images: int = 0
    """The images that were merged."""
    chains: list[FinishedChain] = field(default_factory=list)
    linked: list[ImageProgress] = field(default_factory=list)
    """The images whose links were answered."""
    known_labels: list[tuple[list[LabelEvidence], list[NewLabel]]] = field(default_factory=list)
    """Of each finished image of a data set that is checked."""
    given: LearnedState | None = None
    """The settings that the campaign began with."""

    def learn(self, progress: ImageProgress, labels: Sequence[ChainLabel] = (), *, fits: bool = True) -> None:
        """Take an image that was played to its end, and refit what is due if it `fits`.

        `labels`: those of the data set that is checked.
        """
        self.given = self.given or self.settings.learned
        engine = engine_of(self.settings)
        if engine.weighs(Task.COREFERENCE_LINK) and self.settings.refit_links:
            self._learn_links(progress, self.given, fits=fits)
        if engine.weighs(Task.BOX_QUALITY) and self.settings.refit_boxes:
            self._learn_boxes(progress, labels, self.given, fits=fits)

    def _learn_links(self, progress: ImageProgress, given: LearnedState, *, fits: bool) -> None:
        if progress.votes:
            self.linked.append(progress)
        if fits and len(self.linked) >= images_before_refit(self.settings.learned.links, self.settings):
            groups = [group for one in self.linked for group in judged_in(one, self.settings)]
            images = [linked_image(one) for one in self.linked]
            self._take(LinkEvidence(groups, len(self.linked), images), given)

    def _learn_boxes(
        self, progress: ImageProgress, labels: Sequence[ChainLabel], given: LearnedState, *, fits: bool
    ) -> None:
        if progress.state is not ImageState.MERGED:
            return
        self.images += 1
        engine = engine_of(self.settings)
        families = engine.families_in(Task.BOX_QUALITY)
        self.chains += finished_chains(progress, families, engine.box_rules.prior)
        if self.settings.reference_set:
            self.known_labels.append(label_evidence_of(progress, labels, self.settings))
        if fits and self.images >= images_before_refit(self.settings.learned.boxes, self.settings):
            known = self.known, self.drawings, self.known_labels
            self._take(ChainEvidence(self.chains, self.images, *known), given)

    def _take(self, evidence: LinkEvidence | ChainEvidence, given: LearnedState) -> None:
        learned = learn(self.settings, self.settings.learned, evidence, given)
        self.settings = replace(self.settings, learned=learned)
