"""The figures as tables in Markdown: what an image costs in each table, and what that comes to in larger services."""

from collections.abc import Mapping, Sequence
from typing import Any

from studies.tables import markdown

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
