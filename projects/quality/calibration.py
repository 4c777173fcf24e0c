"""Links that were asked at random: what the adaptive strategy predicted of them, and what workers said."""

from collections.abc import Sequence

from belief.links.answer_model import weigh
from belief.links.reask import CheckedLink, Tenth, in_tenths
from pipeline.models import Judgment
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer
from pipeline.protocol.tasks.task import QuestionState

HEADS = ("foretold", "links", "mean chance", "expected same", "said same", "95 % from", "to", "holds")


def calibration_tenths(project_id: int) -> list[Tenth]:
    """Return the answers to all links of the project that were asked at random, in tenths of the predicted chance.

    Workers are expected to err as often as the project's settings say, which learn it from its own answers.
    """
    rows = Judgment.objects.filter(
        question__project=project_id,
        question__state=QuestionState.CLOSED.value,
        question__predicted__isnull=False,
        entry__isnull=False,
    ).order_by("id")
    found = [
        CheckedLink(chance, answer == CoreferenceAnswer.SAME.value)
        for chance, answer in rows.values_list("question__predicted", "answer")
        if chance is not None
    ]
    crowd = weigh((), current_settings(project_id)[1].learned.crowd)
    return in_tenths(found, yes_if_same=crowd.yes_if_same, yes_if_different=crowd.yes_if_different)


def calibration_text(tenths: Sequence[Tenth]) -> str:
    """Format the tenths as a table."""
    if not tenths:
        return "No link was asked at random and answered yet: see the setting reask_share."
    lines = ["".join(f"{head:>15}" for head in HEADS)]
    for one in tenths:
        shares = (one.chance, one.expected, one.observed, one.least, one.most)
        cells = [f"{one.low:.0%} to {one.low + 0.1:.0%}", str(one.links), *(f"{share:.1%}" for share in shares)]
        lines.append("".join(f"{cell:>15}" for cell in [*cells, "yes" if one.holds else "NO"]))
    return "\n".join(lines)
