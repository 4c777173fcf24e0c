"""The number of workers that always suffices follows from the settings."""

from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.workers_needed import workers_needed
from pipeline.rules.tasks.task import Task


def test_the_workers_that_always_suffice():
    assert workers_needed(ProtocolSettings()) == {
        Task.COREFERENCE_LINK: 5,
        Task.CHAIN_VERIFICATION: 1,
        Task.BOX_REQUIREMENT: 9,
        Task.BOX_DRAWING: 10,
        Task.BOX_QUALITY: 2,
        Task.BOX_COVERAGE: 13,
        Task.CAPTION_CHECK: 3,
        Task.ATOM_VISUAL: 3,
    }
    assert workers_needed(ProtocolSettings(strategy=Strategy.GREEDY))[Task.COREFERENCE_LINK] == 1
    assert workers_needed(ProtocolSettings(strategy=Strategy.ADAPTIVE, link_most=7))[Task.COREFERENCE_LINK] == 7
