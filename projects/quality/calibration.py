"""Said against right: how sure a project is of answers, and how often what it is sure of is right."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from belief.links.answer_model import weigh
from belief.models.calibration import BOTH, MIN_AUDITED_CHAINS, MIN_CONFIDENCE, Calibration
from pipeline.learning.calibration_rows import LABELS, CalibrationRow
from pipeline.models import Judgment
from pipeline.policies.compose import engine_of
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer
from pipeline.protocol.tasks.task import QuestionState
from pipeline.settings.settings import Settings
from projects.chart import Cell, Chart
from runtime.intervals import wilson
from runtime.words import interval, percent

NOTE = (
    f"Chains and links that people answered whatever programs said, and known questions of people. Said: how sure the "
    f"project was on average, of those of which it was at least {percent(MIN_CONFIDENCE)} sure with the answers named. "
    "Right: the share that people's later answers make likeliest, with its 99 % interval. It holds unless more is said "
    "than this interval allows; then the program counts less until it does."
)
COLUMNS = ("answers of", "about", "said", "right", "99 % from", "to", "holds", "counts", "sure of", "looked at")


def too_sure(rows: list[CalibrationRow]) -> list[CalibrationRow]:
    """Return the lines of programs that make the project too sure; all together only if no single one does."""
    single = [row for row in rows if row.weight is not None and row.calibration.is_too_sure]
    return single or [row for row in rows if row.who == LABELS[BOTH] and row.calibration.is_too_sure]


def calibration_chart(rows: list[CalibrationRow], settings: Settings) -> Chart | None:
    """Return the table; None before anything was held."""
    if not rows:
        return None
    cells: list[list[Cell]] = [
        [
            row.answers_of,
            row.about,
            *_shares(row.calibration),
            row.weight,
            row.calibration.forecasts,
            row.calibration.chains,
        ]
        for row in rows
    ]
    shares = frozenset({2, 3, 4, 5, 7})
    return Chart("said_right", "Said against right", NOTE + _alone(settings), COLUMNS, cells, "", shares)


def _shares(calibration: Calibration) -> list[Cell]:
    if not calibration.forecasts:
        return [None] * 5
    return [
        calibration.mean_chance,
        calibration.right,
        calibration.low,
        calibration.high,
        "no" if calibration.is_too_sure else "yes",
    ]


def _alone(settings: Settings) -> str:
    if not settings.programs_alone:
        return ""
    if engine_of(settings).box_rules.programs_alone:
        return " Programs finish chains alone now, as the settings let them."
    return f" Programs do not finish chains alone yet: that takes {MIN_AUDITED_CHAINS} chains that hold."


HEADS = ("foretold", "links", "mean chance", "expected same", "said same", "95 % from", "to", "holds")


TENTHS = 10


class CheckedLink(NamedTuple):
    """One link asked at random."""

    chance: float
    """The chance, 0 to 1, that was given to "same" before anybody was asked again."""
    same: bool
    """The worker's answer."""


class Tenth(NamedTuple):
    """The links whose predicted chance is in one tenth. Shares are 0 to 1."""

    low: float
    links: int
    chance: float
    """The mean of the predicted chances."""
    expected: float
    """The share of "same" that workers give if the chances are right, as some of them err."""
    observed: float
    """The share of "same" that they gave ..."""
    least: float
    """... and the low end of its 95 % interval ..."""
    most: float
    """... and the high end."""

    @property
    def holds(self) -> bool:
        """Tell whether what was predicted is within what chance explains."""
        return self.least <= self.expected <= self.most


def in_tenths(answers: Iterable[CheckedLink], *, yes_if_same: float, yes_if_different: float) -> list[Tenth]:
    """Return the tenths that have links, the lowest first.

    `yes_if_same`, `yes_if_different`: the crowd's chances of "same" if two phrases are one thing and if they are not.
    """
    tenths: dict[int, list[CheckedLink]] = {}
    for answer in answers:
        tenths.setdefault(min(int(answer.chance * TENTHS), TENTHS - 1), []).append(answer)
    return [_tenth(tenth, tenths[tenth], yes_if_same, yes_if_different) for tenth in sorted(tenths)]


def _tenth(tenth: int, links: list[CheckedLink], yes_if_same: float, yes_if_different: float) -> Tenth:
    chance, same = fmean(link.chance for link in links), sum(link.same for link in links)
    expected = chance * yes_if_same + (1 - chance) * yes_if_different
    _, low, high = wilson(same, len(links))
    return Tenth(tenth / TENTHS, len(links), chance, expected, same / len(links), low, high)


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
    for tenth in tenths:
        shares = (tenth.chance, tenth.expected, tenth.observed, tenth.least, tenth.most)
        cells = [interval(tenth.low, tenth.low + 0.1), str(tenth.links), *(percent(share, 1) for share in shares)]
        lines.append("".join(f"{cell:>15}" for cell in [*cells, "yes" if tenth.holds else "NO"]))
    return "\n".join(lines)
