"""Settings that follow a project's own finished chains: the box prior is fitted anew as in the service."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from annotation.rules.states import ImageState
from pipeline.learning.refit_boxes import wanted_images
from pipeline.rules.boxing.fit_box_prior import FinishedChain, fit_box_prior
from pipeline.rules.boxing.unseen import KnownAnswers
from pipeline.rules.image.finished_chains import finished_chains
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy


@dataclass(slots=True)
class OwnBoxes:
    """The settings of a campaign, and the chains that they are learned from."""

    settings: ProtocolSettings
    known: Sequence[KnownAnswers] = ()
    """Answers to the project's known questions about boxes."""
    images: int = 0
    """The finished ones."""
    chains: list[FinishedChain] = field(default_factory=list)

    def learn(self, progress: ImageProgress) -> None:
        """Take an image that was played to its end, and fit the box prior anew if finished images have doubled."""
        learns = self.settings.box_policy is BoxPolicy.BELIEF and self.settings.refit_boxes
        if not learns or progress.state is not ImageState.MERGED:
            return
        self.images += 1
        self.chains += finished_chains(progress)
        if self.images >= wanted_images(self.settings):
            prior = replace(fit_box_prior(self.chains, known=self.known), refitted_on=self.images)
            self.settings = replace(self.settings, box_prior=prior.to_json())
