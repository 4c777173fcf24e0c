"""The arithmetic of a large service: a crowd annotates drawn images; rows, bytes, statements and log are counted."""

import resource
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from django.db import connection

from annotation.models import Image, Project
from annotation.rules.states import ImageState, ProjectState
from exchange.export_dataset import export_dataset
from exchange.import_image import import_image
from exchange.registry import FORMATS, export_formats
from pipeline.models import Judgment
from pipeline.project.settings_versions import make_project, open_project
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.record.read_record import replay
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.archive.bring_back import bring_back
from projects.archive.manifest import verify
from projects.archive.tables import OF_IMAGES
from projects.archive.write_archive import remove_rows, write_archive
from projects.lifecycle.change_state import change_state
from simulation.scenes.scene import make_scene
from simulation.simulate import simulate
from studies.command import markdown, peak_kilobytes
from studies.http_load.measure import TICKS
from studies.servers import stat_of

SERVERS_OWN = ["BEGIN%", "COMMIT%", "ROLLBACK%", "SAVEPOINT%", "RELEASE%", "SET %", "SHOW %", "FETCH %", "CLOSE %"]


class TableSize(NamedTuple):
    """A table: its rows, what PostgreSQL wrote into it so far, and its bytes on disk."""

    rows: int
    inserted: int
    updated: int
    updated_in_place: int
    """Updates that no index had to learn of."""
    deleted: int
    bytes: int
    """With long values that lie apart."""
    index_bytes: int


def ask(sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def table_sizes() -> dict[str, TableSize]:
    """Return every table with rows. Dead rows are cleared before, and statistics are new."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("SELECT pg_stat_force_next_flush()")
    found = ask(
        "SELECT s.relname, c.reltuples::bigint, n_tup_ins, n_tup_upd, n_tup_hot_upd, n_tup_del,"
        " pg_table_size(relid), pg_indexes_size(relid)"
        " FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = relid ORDER BY 1"
    )
    return {name: TableSize(*map(int, rest)) for name, *rest in found}


@dataclass(slots=True)
class Spent:
    """The cost of a part of the work to the database."""

    statements: int = 0
    transactions: int = 0
    """Those that wrote: each took a number of 32 bits."""
    log_bytes: int = 0
    tables: dict[str, TableSize] = field(default_factory=dict)
    """The growth of each table."""


@contextmanager
def spent() -> Iterator[Spent]:
    """Measure the block. Its figures are there when it ends."""
    found, before, tables = Spent(), _now(), table_sizes()
    before = _now()
    yield found
    after = _now()
    found.statements, found.transactions, found.log_bytes = (b - a for a, b in zip(before, after, strict=True))
    for name, size in table_sizes().items():
        earlier = tables.get(name, TableSize(*[0] * len(size)))
        grew = TableSize(*(b - a for a, b in zip(earlier, size, strict=True)))
        if any(grew):
            found.tables[name] = grew


def _now() -> tuple[int, int, int]:
    """Return the statements, transactions and bytes of log since the server began."""
    statements = ask(
        "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE NOT query ILIKE ANY(%s)"
        " AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())",
        SERVERS_OWN,
    )
    numbers = ask("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint, pg_current_wal_lsn() - '0/0'::pg_lsn")
    return int(statements[0][0]), int(numbers[0][0]), int(numbers[0][1])


def narrow_columns() -> list[str]:
    """Return the keys of this database, primary and foreign, that have fewer than 64 bits."""
    found = ask(
        "SELECT DISTINCT k.conrelid::regclass || '.' || a.attname FROM pg_constraint k"
        " JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY(k.conkey)"
        " WHERE k.connamespace = 'public'::regnamespace AND k.contype IN ('p', 'f')"
        " AND a.atttypid IN ('int4'::regtype, 'int2'::regtype) ORDER BY 1"
    )
    return [name for (name,) in found]


SEED = 7
REWARD = dict.fromkeys((task.value for task in PROTOCOL_TASKS), 20)
Say = Callable[[str], object]


def measure(sizes: Iterable[int], folder: Path, say: Say) -> dict[str, Any]:
    """Measure a campaign of each size, in images."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    found = [_campaign(f"arithmetic-{images}", images, folder, say) for images in sizes]
    return {"simulated": True, "campaigns": found, "tick": _tick(), "keys_below_64_bits": narrow_columns()}


def _campaign(name: str, images: int, folder: Path, say: Say) -> dict[str, Any]:
    project = open_project(name=name, settings=Settings(reward_cents=REWARD))
    with spent() as cost, _seconds() as seconds:
        for number in range(images):
            scene = make_scene(SEED, number).image
            import_image(project, number, scene, picture="", gold=True, settings_version=1)
        tick(project_id=project.pk)
        simulate(project=project, crowd="paper", seed=SEED)
        tick(project_id=project.pk)
    judgments = Judgment.objects.filter(question__project=project).count()
    say(f"{name}: {judgments:,} judgments in {seconds['seconds']:.0f} s")
    with _seconds() as replayed:
        equal = not any(True for _ in replay(project))
    return {
        "images": project.images.count(),
        "finished": Image.objects.filter(project=project, state=ImageState.MERGED.value).count(),
        "judgments": judgments,
        **seconds,
        **_of_database(cost),
        "exported_per_second": _exports(project, folder, say),
        "replay": {**replayed, "equal": equal},
        "archive": _archive(project, folder / name, say),
        "peak_mb": peak_kilobytes() / 1024,
    }


def _exports(project: Project, folder: Path, say: Say) -> dict[str, float]:
    """Export in each format without pictures. Returns images a second of processor time, with that of PostgreSQL."""
    found = {}
    for name in [name for name in export_formats() if not FORMATS[name].with_pictures]:
        with _seconds() as seconds:
            report = export_dataset(
                project=project, target=folder / f"{project.name}-{name}", export_format=name, card=False
            )
        found[name] = report.images / seconds["cpu"]
    say("  images exported a second: " + ", ".join(f"{name} {speed:,.0f}" for name, speed in found.items()))
    return found


def _of_database(cost: Spent) -> dict[str, Any]:
    leave = {table.name for table in OF_IMAGES}
    tables = [
        {"table": name, **size._asdict(), "leaves": name in leave}
        for name, size in sorted(cost.tables.items(), key=lambda one: -(one[1].bytes + one[1].index_bytes))
        if size.rows > 0
    ]
    figures = {"statements": cost.statements, "transactions": cost.transactions, "log_bytes": cost.log_bytes}
    return {**figures, "tables": tables}


def _archive(project: Project, folder: Path, say: Say) -> dict[str, Any]:
    """Write, compare, remove, bring back and replay. Returns the seconds of each, and the bytes of the archive."""
    change_state(project.pk, ProjectState.FINISHED, None)
    project.refresh_from_db()
    found: dict[str, Any] = {}
    with _seconds() as found["write"]:
        archive = write_archive(project, folder)
    with _seconds() as found["compare"]:
        verify(archive, project)
    with _seconds() as found["compare_and_remove"], spent() as removed:
        remove_rows(archive, project)
    with _seconds() as found["bring_back_and_compare"], spent() as returned:
        bring_back(archive)
    tables = archive.manifest["tables"].values()
    found |= {
        "bytes": archive.size,
        "rows": sum(table["rows"] for table in tables),
        "rows_removed": sum(table["rows"] for table in tables if table["removed"]),
        "log_bytes_of_removal": removed.log_bytes,
        "log_bytes_of_return": returned.log_bytes,
        "replay_equal": not any(True for _ in replay(project)),
    }
    say(f"  archive: {archive.size:,} bytes, {found['rows']:,} rows")
    return found


def _tick() -> dict[str, float]:
    """Return the statements and milliseconds by which each finished project prolongs every tick."""
    tick()
    with spent() as before, _seconds() as first:
        tick()
    for number in range(ADDED):
        make_project(name=f"arithmetic-empty-{number}", state=ProjectState.FINISHED)
    tick()
    with spent() as after, _seconds() as second:
        tick()
    return {
        "statements_of_a_project": (after.statements - before.statements) / ADDED,
        "cpu_ms_of_a_project": 1000 * (second["cpu"] - first["cpu"]) / ADDED,
    }


ADDED = 50
"""Finished projects that are added to see what each costs a tick."""


@contextmanager
def _seconds() -> Iterator[dict[str, float]]:
    """Measure a block: seconds of the clock, and of the processor, in this process and in its PostgreSQL process."""
    found: dict[str, float] = {}
    begun, before = time.monotonic(), _cpu()
    yield found
    found["seconds"], found["cpu"] = time.monotonic() - begun, _cpu() - before


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    fields = stat_of(ask("SELECT pg_backend_pid()")[0][0])
    return used.ru_utime + used.ru_stime + (int(fields[11]) + int(fields[12])) / TICKS


SIZES = {"31,783 images": 31_783, "1 million": 1_000_000, "100 million": 100_000_000}
GIGABYTE = 10**9
FROZEN = 200_000_000
"""Transactions after which PostgreSQL reads a whole table to free their numbers (autovacuum_freeze_max_age)."""
DAY = 24 * 3600


def tables_of(campaign: Mapping[str, Any]) -> str:
    """Return rows and bytes of each table for one image, the largest first, and the sums of what leaves and stays."""
    images = campaign["images"]
    rows = [
        (
            one["table"],
            f"{one['rows'] / images:.1f}",
            f"{one['bytes'] / images:,.0f}",
            f"{one['index_bytes'] / images:,.0f}",
            f"{one['updated'] / max(1, one['inserted']):.2f}",
            "leaves" if one["leaves"] else "stays",
        )
        for one in campaign["tables"]
        if (one["bytes"] + one["index_bytes"]) / images > 20
    ]
    return markdown(("table", "rows", "bytes", "bytes of indexes", "updates of a row", "with an archive"), rows)


def projections(found: Mapping[str, Any]) -> str:
    """Return what the figures of the largest campaign come to in services of each size."""
    campaign = found["campaigns"][-1]
    each = per_image(campaign)
    head = ("", "1 image", *SIZES)
    lines: list[Sequence[object]] = [
        _line("judgments", each["judgments"], "{:,.0f}"),
        _line("rows", each["rows"], "{:,.0f}"),
        _line("tables, GB", each["bytes"] / GIGABYTE, "{:,.1f}"),
        _line("indexes, GB", each["index_bytes"] / GIGABYTE, "{:,.1f}"),
        _line("of these stay with an archive, GB", each["stays"] / GIGABYTE, "{:,.1f}"),
        _line("archive in Parquet, GB", each["archive"] / GIGABYTE, "{:,.1f}"),
        _line("statements", each["statements"], "{:,.0f}"),
        _line("log (WAL), GB", each["log_bytes"] / GIGABYTE, "{:,.1f}"),
        _line("times that all numbers of transactions are frozen", each["transactions"] / FROZEN, "{:,.1f}"),
        _line("days of a processor to annotate it", each["seconds"] / DAY, "{:,.1f}"),
        _line("days of a processor to replay it", each["replay"] / DAY, "{:,.2f}"),
        _line("days of a processor to archive and remove it", each["to_archive"] / DAY, "{:,.2f}"),
        _line("days of a processor to bring it back", each["to_return"] / DAY, "{:,.2f}"),
    ]
    return markdown(head, lines)


def _line(name: str, value: float, form: str) -> list[str]:
    return [name, f"{value:,.3g}", *(form.format(value * images) for images in SIZES.values())]


def per_image(campaign: Mapping[str, Any]) -> dict[str, float]:
    """Return the figures of one image. Seconds are of the processor, with those of PostgreSQL."""
    images, tables, archive = campaign["images"], campaign["tables"], campaign["archive"]
    sums = {
        "judgments": campaign["judgments"],
        "rows": sum(table["rows"] for table in tables),
        "bytes": sum(table["bytes"] for table in tables),
        "index_bytes": sum(table["index_bytes"] for table in tables),
        "stays": sum(table["bytes"] + table["index_bytes"] for table in tables if not table["leaves"]),
        "archive": archive["bytes"],
        "statements": campaign["statements"],
        "log_bytes": campaign["log_bytes"],
        "transactions": campaign["transactions"],
        "seconds": campaign["cpu"],
        "replay": campaign["replay"]["cpu"],
        "to_archive": archive["write"]["cpu"] + archive["compare_and_remove"]["cpu"],
        "to_return": archive["bring_back_and_compare"]["cpu"],
    }
    return {name: value / images for name, value in sums.items()}
