"""The paper's values of the settings by which links are asked."""

from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.guide_of_links import LINKING


def test_every_strategy_is_to_be_chosen():
    (strategy,) = [one for one in LINKING if one.name == "strategy"]
    assert [one.value for one in strategy.choices] == list(Strategy)
