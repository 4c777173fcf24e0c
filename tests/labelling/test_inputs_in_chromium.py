"""In a real browser: a question takes one input, and a drawn box two, the batch's own included.

`scripts/count_inputs.py` prints the figures of longer runs.
"""

import os
from pathlib import Path

import pytest

from pipeline.rules.settings.table_3 import BATCH
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from tests.labelling.conftest import Sit
from tests.support.inputs import count, many_open
from tests.support.projects import worker
from workers.change_preferences import change_preferences

BATCHES = int(os.environ.get("CHAINBOX_COUNT_BATCHES", "0"))
WAYS = ("mouse", "keys") if BATCHES else ("keys",)
SETTINGS = (True, False) if BATCHES else (True,)
MOST = {task: 2.05 if task is Task.BOX_DRAWING else 1.05 for task in PROTOCOL_TASKS}


@pytest.mark.parametrize("by_itself", SETTINGS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("task", PROTOCOL_TASKS)
def test_a_question_takes_one_input_and_a_box_two(sit: Sit, task: Task, way: str, *, by_itself: bool) -> None:
    batches = BATCHES or (2 if BATCH[task] == 5 else 1)
    project = many_open(task, batches * BATCH[task])
    ada = worker(project, "ada")
    change_preferences(worker_id=ada.id, changes={"send_by_itself": by_itself})
    ada.refresh_from_db()
    counted = count(sit(ada), task, batches, by=way, by_itself=by_itself)
    if to := os.environ.get("CHAINBOX_COUNT_TO"):
        with Path(to).open("a", encoding="utf-8") as file:
            print(f"| {task.label} | {way} | {'yes' if by_itself else 'no'} | {counted} |", file=file)
    if by_itself:
        assert counted.inputs / counted.questions <= MOST[task]
