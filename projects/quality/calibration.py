"""Said against right: how sure a project is with people's and programs' answers, and how often that is right."""

from belief.models.calibration import BOTH, MIN_AUDITED_CHAINS, MIN_CONFIDENCE, Calibration
from pipeline.learning.calibration_rows import LABELS, CalibrationRow
from pipeline.policies.compose import engine_of
from pipeline.settings.settings import Settings
from projects.chart import Cell, Chart
from runtime.words import percent

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
