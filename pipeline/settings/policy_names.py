"""Policy names [beyond paper 3]: what decides which boxes are asked about, by the name that a requester chooses."""

from enum import StrEnum

from pipeline.protocol.setting_words import Choice


class BoxPolicy(StrEnum):
    """What decides which box task comes next."""

    PAPER = "paper"
    BELIEF = "belief"


BOX_POLICIES = (
    Choice(BoxPolicy.PAPER.value, "The answers of one task decide which comes next, always in the same way."),
    Choice(BoxPolicy.BELIEF.value, "What tells most for its time is asked, until the boxes are sure enough."),
)
