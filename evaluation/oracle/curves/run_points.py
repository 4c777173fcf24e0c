"""All points of a run, one after the other or several at a time, each in a process of its own."""

import multiprocessing
import os
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing.connection import wait

from tqdm import tqdm

from evaluation.oracle.curves.run_point import Spoken, Task, run_point
from evaluation.oracle.point import Point
from evaluation.work import Work


def run_points(work: Work, task: Task, points: Sequence[Point], processes: int) -> dict[Point, Spoken]:
    """Return the result of each point. What is kept is shared, so that an interrupted run goes on with what is left."""
    if processes == 1:
        return {point: run_point(task, point, work.say) for point in work.progress(points, "training")}
    pool = ProcessPoolExecutor(
        min(processes, len(points)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_end_with_parent,
    )
    with pool:
        found = pool.map(partial(run_point, task, say=_say), points)
        return dict(zip(points, work.progress(found, "training", len(points)), strict=True))


def _say(words: str) -> None:
    tqdm.write(words, file=sys.stderr)


def _end_with_parent() -> None:
    """End this process when the one that started it has ended, even by a kill."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
