"""The faults: what can happen to each process, to the servers behind them, to clocks, and at each marked point."""

import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import redis

from runtime.marked_points import POINTS
from simulation.scenes.scene import write_source
from studies.faults.crew import TIMEOUT
from studies.faults.stack import CLOCKS, FAKETIME, Stack
from studies.servers import Server, children_of, send_all, stat_of
from tests.support.services import PATIENCE, wait_until

TICK = "jobs soon"
"""The name of the runner that nothing long may keep."""
PROJECT = "faults"
Act = Callable[[Stack, random.Random], bool | None]
"""Lets the fault happen. Returns False if it could not: no process came to its point."""
WORDS = {"web": "web server", "jobs": "job runner", "beat": "clock of the jobs"}
"""The processes of the service by the names of their servers."""
TRIES = 5
"""The number of runs within which a command must succeed."""
WITHOUT_HINTS, ANSWERS_WITHOUT_HINTS = 60.0, 5
"""The most seconds for which Redis is away, and the answers after which it comes back."""
WAIT_FOR_MARK = 6.0
"""Seconds in which a process must reach a marked point; otherwise the point is asked for in vain."""


def keep_busy(stack: Stack, rng: random.Random) -> None:
    """Stop every job runner but the tick's, as work that takes long would, and see that the tick goes on."""
    if not _another_tick(stack):
        return  # what came before keeps the service
    busy = [pid for pid in stack.servers["jobs"].family()[1:] if name_of(pid) != TICK]
    send_all(busy, signal.SIGSTOP)
    try:
        if not (_another_tick(stack) and _another_tick(stack)):
            stack.failures.append(f"the tick waited {PATIENCE:g} s for runners that were busy with other work")
    finally:
        send_all(busy, signal.SIGCONT)


def kill_master_with_clock(stack: Stack, rng: random.Random) -> None:
    """Start job runners with a second clock, and kill the process that started them: nothing of them stays."""
    script = str(stack.root / "scripts" / "process.sh")
    second = Server("second", ["sh", script, "jobs"], stack.folder / "second.log", lambda: True, env=dict(stack.env))
    second.start()
    wait_until(lambda: "clock" in map(name_of, second.family()) or not second.alive())
    family = second.family()
    second.send(signal.SIGKILL)
    if not wait_until(lambda: not any(map(_runs, family))):
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
        return stat_of(pid)[0] != "Z"
    return False


def _another_tick(stack: Stack) -> bool:
    """Wait for the end of a tick. Returns False if none came in time."""
    before = _last_tick(stack)
    return wait_until(lambda: _last_tick(stack) not in (None, before))


def _last_tick(stack: Stack) -> Any:
    """Return when the last tick ended; None if the database does not say it."""
    rows = stack.ask("SELECT finished_at FROM runtime_jobrun WHERE key = 'pipeline.tick'")
    return rows[0][0] if rows else None


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong. `kind` groups faults in the table."""

    kind: str
    name: str
    act: Act


def all_faults(stack: Stack) -> list[Fault]:
    """Return every fault that this stack can have."""
    marks = [Fault("marked point", f"killed at «{point}»", partial(_at_point, point)) for point in POINTS]
    if stack.embedded:
        return [*_process("service", "service"), *marks]
    return [
        *(fault for name, words in WORDS.items() for fault in _process(name, words)),
        Fault("process", "job runner with its clock: the master killed", kill_master_with_clock),
        Fault("long work", "job runner: all but the tick's are busy", keep_busy),
        *_database(),
        *_redis(),
        *_clocks(),
        *marks,
        Fault("requesters", "requester: resumes without the right", partial(_as_requesters, "rights")),
        Fault("requesters", "requesters: three take one name at once", partial(_as_requesters, "names")),
    ]


def _process(name: str, words: str) -> list[Fault]:
    child = Fault("process", f"{words}: a child killed", partial(_kill_child, name))
    return [
        Fault("process", f"{words}: killed", partial(_signal, name, signal.SIGKILL)),
        Fault("process", f"{words}: restarted", partial(_signal, name, signal.SIGTERM)),
        Fault("process", f"{words}: frozen", partial(_freeze, name, 3.0)),
        *([] if name == "beat" else [child]),
    ]


def _database() -> list[Fault]:
    return [
        Fault("database", "database: restarted", partial(_signal, "database", signal.SIGINT)),
        Fault("database", "database: crashed", partial(_signal, "database", signal.SIGQUIT)),
        Fault("database", "database: a backend killed", partial(_kill_child, "database")),
        Fault("database", "database: connections cut", _cut_connections),
        Fault("database", "database: frozen", partial(_freeze, "database", 3.0)),
        Fault("database", "database: away for 4 s", partial(_away, "database", signal.SIGINT, 4.0)),
    ]


def _redis() -> list[Fault]:
    return [
        Fault("Redis", "Redis: killed", partial(_signal, "redis", signal.SIGKILL)),
        Fault("Redis", "Redis: emptied", _flush),
        Fault("Redis", "Redis: frozen", partial(_freeze, "redis", 4.0)),
        Fault("Redis", "Redis: away for 5 s", partial(_away, "redis", signal.SIGTERM, 5.0)),
        Fault("Redis", "Redis: away for the last answers", _leave_all_to_the_sweep),
    ]


def _clocks() -> list[Fault]:
    if not Path(FAKETIME).exists():
        return []
    return [
        Fault("clock", f"{WORDS[name]}: its time {said}", partial(_shift, name, offset))
        for name in CLOCKS
        for offset, said in (("-3600", "jumps back an hour"), ("+45", "runs 45 s ahead"))
    ]


# --- What happens ---


def _signal(name: str, number: signal.Signals, stack: Stack, rng: random.Random) -> None:
    stack.servers[name].send(number)


def _freeze(name: str, seconds: float, stack: Stack, rng: random.Random) -> None:
    with stack.servers[name].frozen():
        time.sleep(seconds)


def _kill_child(name: str, stack: Stack, rng: random.Random) -> None:
    """Kill a child of a server. The database then ends all connections and recovers."""
    children = children_of(stack.servers[name].pid)
    if children:
        send_all([rng.choice(children)], signal.SIGKILL)


def _away(name: str, number: signal.Signals, seconds: float, stack: Stack, rng: random.Random) -> None:
    server = stack.servers[name]
    server.held = True
    server.send(number)
    time.sleep(seconds)
    server.held = False


def _cut_connections(stack: Stack, rng: random.Random) -> None:
    stack.ask(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )


def _flush(stack: Stack, rng: random.Random) -> None:
    with suppress(redis.RedisError):
        redis.Redis.from_url(stack.env["REDIS_URL"], socket_timeout=5).flushall()


def _leave_all_to_the_sweep(stack: Stack, rng: random.Random) -> None:
    """Let workers answer without Redis, then rest: no later hint makes up for those that were lost."""
    assert stack.crew is not None
    journal, server = stack.crew.journal, stack.servers["redis"]
    enough = journal.acknowledged_after_links + ANSWERS_WITHOUT_HINTS
    server.held = True
    server.send(signal.SIGTERM)
    try:
        wait_until(lambda: journal.acknowledged_after_links >= enough, WITHOUT_HINTS)
        stack.crew.may_work.clear()
        time.sleep(TIMEOUT)  # requests on their way arrive, or are given up
        server.held = False
        stack.servers["database"].wait_ready()  # the fault before may have ended it
        stack.failures += stack.inside("folded", PROJECT)
    finally:
        server.held = False
        journal.expect_work()
        stack.crew.may_work.set()


def _as_requesters(what: str, stack: Stack, rng: random.Random) -> None:
    """Act as requesters of projects of their own, and note what is wrong then."""
    for server in stack.servers.values():
        server.wait_ready()  # the fault before may have ended it
    try:
        stack.failures += stack.inside(what, PROJECT, "--port", str(stack.port))
    except RuntimeError as error:
        stack.failures.append(f"requesters failed: {str(error).strip()[-300:]}")


def _shift(name: str, offset: str, stack: Stack, rng: random.Random) -> None:
    """Move the clock of a server for a while, and back again."""
    stack.clock(name).write_text(offset)
    time.sleep(4.0)
    stack.clock(name).write_text("+0")


def _at_point(point: str, stack: Stack, rng: random.Random) -> bool:
    """End the next process that reaches the point, and tell whether one did.

    A command that imports or exports runs until it succeeds.
    """
    mark = stack.marks / point
    mark.touch()
    if point.startswith("import"):
        number = sum(1 for _ in stack.folder.glob("more-*")) + 1
        source = stack.folder / f"more-{number}"
        write_source(source, 1000 + number, 2)
        _until_it_works(stack, "manage.py", "import_dataset", "--use", "gold", PROJECT, str(source))
    elif point.startswith("export"):
        _export(stack, mark)
    reached = wait_until(lambda: not mark.exists(), WAIT_FOR_MARK)
    mark.unlink(missing_ok=True)
    return reached


def _export(stack: Stack, mark: Path) -> None:
    """Export, with the mark set. A killed export leaves a whole data set or nothing, and the next one works."""
    options = ("--format", "flickr30k-entities", "--include-unmerged")
    target = stack.folder / f"export-{time.monotonic_ns()}"
    stack.command("manage.py", "export_dataset", PROJECT, str(target), *options, check=False)
    if "half" in mark.name and not mark.exists() and target.exists():
        stack.failures.append(f"a killed export left {sum(1 for _ in target.rglob('*'))} files in its place")
    _until_it_works(stack, "manage.py", "export_dataset", PROJECT, f"{target}-again", *options)


def _until_it_works(stack: Stack, *command: str) -> None:
    for _ in range(TRIES):
        done = stack.command(*command, check=False)
        if done.returncode == 0:
            return
    stack.failures.append(f"{command[1]} failed {TRIES} times: {(done.stderr or done.stdout).strip()[-300:]}")
