"""Policy names [beyond paper 3]: what decides which links and boxes are asked about, by the name that people choose."""

from enum import StrEnum

from pipeline.protocol.links.strategies import Strategy
from pipeline.protocol.setting_words import SettingChoice


class LinkStrategy(StrEnum):
    """The way of choosing links to ask: a strategy of the paper, or the belief in which phrases corefer."""

    EXHAUSTIVE = Strategy.EXHAUSTIVE.value
    GREEDY = Strategy.GREEDY.value
    EXHAUSTIVE_PLUS = Strategy.EXHAUSTIVE_PLUS.value
    GREEDY_PLUS = Strategy.GREEDY_PLUS.value
    ADAPTIVE = "adaptive"


class BoxPolicyName(StrEnum):
    """The way of choosing the next box task."""

    PAPER = "paper"
    BELIEF = "belief"


LINK_STRATEGIES = (
    SettingChoice(
        LinkStrategy.EXHAUSTIVE.value, "Every pair of phrases that can corefer is asked once: accurate and expensive."
    ),
    SettingChoice(
        LinkStrategy.GREEDY.value, "Each phrase is compared with one phrase of each chain so far: far fewer questions."
    ),
    SettingChoice(
        LinkStrategy.EXHAUSTIVE_PLUS.value, "As exhaustive; links that contradict each other are asked again."
    ),
    SettingChoice(LinkStrategy.GREEDY_PLUS.value, "As greedy; links that contradict each other are asked again."),
    SettingChoice(LinkStrategy.ADAPTIVE.value, "The link that tells most is asked, until no answer would tell enough."),
)
BOX_POLICIES = (
    SettingChoice(
        BoxPolicyName.PAPER.value, "The answers of one task decide which comes next, always in the same way."
    ),
    SettingChoice(
        BoxPolicyName.BELIEF.value, "What tells most for its time is asked, until the boxes are sure enough."
    ),
)
