"""By how much each worker errs more on links than the crowd, as far as is known: the adaptive strategy weighs by it."""

from collections.abc import Collection

from pipeline.rules.linking.adaptive.worker_shift import worker_shift
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from workers.skills import checked_answers

DIGITS = 3


def link_shifts(project_id: int, settings: ProtocolSettings, workers: Collection[int]) -> dict[int, float]:
    """Shifts of the logit of the error by worker id, in one statement; who is missing is taken for an average worker.

    Estimates change, so what is used goes into the record with the judgment. Other strategies weigh nobody.
    """
    if settings.strategy is not Strategy.ADAPTIVE or not workers:
        return {}
    checked = checked_answers(project_id, Task.COREFERENCE_LINK.value, workers)
    shifts = {worker: round(worker_shift(accuracy, answers), DIGITS) for worker, (accuracy, answers) in checked.items()}
    return {worker: shift for worker, shift in shifts.items() if shift}
