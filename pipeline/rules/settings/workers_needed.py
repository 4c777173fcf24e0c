"""Workers needed [paper 3.2]: how many different workers the questions of one chain take at most."""

from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import MOST_ALIKE, BoxPolicy
from pipeline.rules.tasks.task import SURVEY_TASKS, Task


def workers_needed(settings: ProtocolSettings) -> dict[Task, int]:
    """Return, for each task, how many different workers always suffice to answer the questions of a chain or a survey.

    With fewer a question can starve. Assumes the worst: the longest tallies, and no accepted box but the last.
    """
    fruitless = settings.fruitless_drawings
    visit = 2 * settings.coverage_votes - 1
    # Before the first box every vote is another worker's: votes for no box, from box requirement (one fewer than close
    # the chain) and from drawing (one fewer than send the chain to review), and as many votes for a box.
    against = settings.no_box_votes - 1 + fruitless - 1
    boxes = {
        Task.BOX_REQUIREMENT: 2 * against + 1,
        Task.BOX_DRAWING: max(2 * against + 2, fruitless),
        Task.BOX_QUALITY: 2,
        Task.BOX_COVERAGE: visit * fruitless + 1,
    }
    if settings.box_policy is BoxPolicy.BELIEF:
        boxes = dict.fromkeys(boxes, MOST_ALIKE)
    return {
        Task.COREFERENCE_LINK: _most_of_a_link(settings),
        Task.CHAIN_VERIFICATION: 1,
        **boxes,
        **dict.fromkeys(SURVEY_TASKS, settings.survey_votes),
    }


def _most_of_a_link(settings: ProtocolSettings) -> int:
    if settings.strategy is Strategy.ADAPTIVE:
        return settings.link_most
    return settings.consensus_most if settings.strategy.is_plus else 1
