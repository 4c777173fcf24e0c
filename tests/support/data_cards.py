"""Data cards as their readers see them: record sets by mlcroissant, and the YAML on top of a README."""

import json
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import yaml

Row = dict[str, Any]


def card_folder(export: Path) -> Path:
    return export if export.is_dir() else export.with_name(f"{export.name}.card")


def read_croissant(export: Path) -> dict[str, list[Row]]:
    """Return the rows of each record set of an export. Raises AssertionError for a card with errors or warnings."""
    with catch_warnings():
        simplefilter("ignore", DeprecationWarning)  # of mlcroissant's own libraries
        import mlcroissant

        data = mlcroissant.Dataset(jsonld=str(card_folder(export) / "croissant.json"))
        issues = data.metadata.ctx.issues
        assert not issues.errors and not issues.warnings, issues.report()
        return {one.uuid: [_short(row) for row in data.records(one.uuid)] for one in data.metadata.record_sets}


def _short(row: Row) -> Row:
    """Return the row by the names of its columns, with texts as such."""
    return {name.rpartition("/")[2]: _text(value) for name, value in row.items()}


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(one) for one in value]
    return value.decode() if isinstance(value, bytes) else value


def card_json(export: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((card_folder(export) / "croissant.json").read_text(encoding="utf-8"))
    return found


def card_text(export: Path) -> str:
    return (card_folder(export) / "README.md").read_text(encoding="utf-8")


def front_matter(export: Path) -> dict[str, Any]:
    """Return the YAML on top of the README."""
    nothing, on_top, _ = card_text(export).split("---\n", 2)
    assert nothing == ""
    found: dict[str, Any] = yaml.safe_load(on_top)
    return found
