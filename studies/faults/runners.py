"""Faults of the job runners: all but the sweep's are busy, and a master is killed that has the clock beside it."""

import random
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

from studies.faults.stack import Stack
from studies.servers import Server, send_all
from tests.support.services import wait_until

SWEEP = "jobs soon"
"""The name of the runner that nothing long may keep."""
BUSY_SECONDS = 20.0
"""The time in which the sweep must come again while all others are busy. It is due every two seconds."""
READY_SECONDS = 60.0
GONE_SECONDS = 10.0


def keep_busy(stack: Stack, lot: random.Random) -> None:
    """Stop every job runner but the sweep's, as work that takes long would, and see that the sweep goes on."""
    if not _another_tick(stack, READY_SECONDS):
        return  # what came before keeps the service
    busy = [pid for pid in stack.servers["jobs"].family()[1:] if name_of(pid) != SWEEP]
    send_all(busy, signal.SIGSTOP)
    try:
        if not (_another_tick(stack, BUSY_SECONDS) and _another_tick(stack, BUSY_SECONDS)):
            stack.failures.append(f"the sweep waited {BUSY_SECONDS:g} s for runners that were busy with other work")
    finally:
        send_all(busy, signal.SIGCONT)


def kill_master_with_clock(stack: Stack, lot: random.Random) -> None:
    """Start job runners with a second clock, and kill the process that started them: nothing of them stays."""
    script = str(stack.root / "scripts" / "process.sh")
    second = Server("second", ["sh", script, "jobs"], stack.folder / "second.log", lambda: True, env=dict(stack.env))
    second.start()
    wait_until(lambda: "clock" in map(name_of, second.family()) or not second.alive(), READY_SECONDS)
    family = second.family()
    second.send(signal.SIGKILL)
    if not wait_until(lambda: not any(map(_runs, family)), GONE_SECONDS):
        left = [pid for pid in family if _runs(pid)]
        names = ", ".join(sorted(map(name_of, left)))
        stack.failures.append(f"a killed master left {len(left)} processes: {names}")
    second.stop()


def name_of(pid: int) -> str:
    """Return the name of a process, or an empty text if it is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def _runs(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def _another_tick(stack: Stack, seconds: float) -> bool:
    """Wait for the end of a tick. Returns False if none came in time."""
    before = _last_tick(stack)
    return wait_until(lambda: _last_tick(stack) not in (None, before), seconds)


def _last_tick(stack: Stack) -> Any:
    """Return when the last tick ended; None if the database does not say it."""
    rows = stack.ask("SELECT finished_at FROM upkeep_jobrun WHERE key = 'pipeline.tick'")
    return rows[0][0] if rows else None
