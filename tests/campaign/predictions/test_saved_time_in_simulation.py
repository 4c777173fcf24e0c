"""The time that the dashboard says proposals saved, against the same campaign without them."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from annotation.models import Project
from annotation.rules.box import Box as BoxValue
from campaign.dashboard.figures.proposals import proposed_chains
from exchange.dataset import DatasetBox, DatasetImage
from pipeline.project.settings_versions import change_settings
from pipeline.rules.boxing.belief.proposals_saved import TASKS, Chains, Saved, proposals_saved
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from simulation.simulate import SECONDS
from tests.support.projects import phrases
from tests.support.proposing_program import project_with_gold, rolled_back, seconds_of_workers

SEED = 1
FEW_ARE_GOOD = 0.3
"""So bad a model costs time under belief: judging its boxes takes longer than the drawings that it spares."""
TEXTS = {
    "man": "people: a man",
    "hat": "clothing: a hat",
    "dog": "animals: a dog",
    "car": "vehicles: a car",
    "ball": "other: a ball",
    "shirt": "clothing: a shirt",
}


def image(name: int) -> DatasetImage:
    boxes = [DatasetBox(BoxValue(10 + 10 * i, 10, 60 + 10 * i, 90 - i), (chain,)) for i, chain in enumerate(TEXTS)]
    return phrases(*TEXTS.values(), name=str(name), chains=list(TEXTS), boxes=boxes)


@dataclass
class Campaigns:
    """Runs on the same images and with the same crowd."""

    project: Project
    policy: BoxPolicy
    chains: dict[str, Any] = field(default_factory=dict)

    def seconds(self, share: float | None) -> float:
        """Return the time of workers in the box tasks. `share`: of good boxes of the model; None: no model."""
        with rolled_back():
            settings = ProtocolSettings(proposals=True, box_policy=self.policy)
            change_settings(project_id=self.project.pk, settings=settings)
            return seconds_of_workers(self.project, share, SEED, self._look)

    def _look(self, judgments: int) -> None:
        self.chains = proposed_chains(self.project.pk)

    def told(self) -> Saved:
        tried, drawn = ([Chains(*row) for row in self.chains[kind]] for kind in ("tried", "drawn"))
        return proposals_saved(tried, drawn, [SECONDS[task] for task in TASKS], self.policy)


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("policy", BoxPolicy)
def test_the_time_saved_is_what_a_campaign_without_proposals_takes_longer(
    policy: BoxPolicy,
) -> None:
    # The program knows half of the things: the others are drawn in the same project.
    campaigns = Campaigns(project_with_gold([image(number) for number in range(10)]), policy)
    measured = campaigns.seconds(None) - campaigns.seconds(FEW_ARE_GOOD)
    told = campaigns.told()
    assert told.drawn >= 20 and told.chains >= 20
    assert told.low <= measured <= told.high, (measured, told)
    assert told.high - told.low < 0.9 * told.took, "the interval says something"
