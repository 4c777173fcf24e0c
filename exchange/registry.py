"""Every format that the service reads or writes: those of files, and the record, which needs tables."""

from exchange.formats import FORMATS as FILE_FORMATS
from exchange.formats.format import Format
from exchange.jsonl.record_format import RECORD

FORMATS: dict[str, Format] = {known.name: known for known in (*FILE_FORMATS, RECORD)}


def import_formats() -> list[str]:
    """Return the names of the formats that are read."""
    return [name for name, known in FORMATS.items() if known.read]


def export_formats() -> list[str]:
    """Return the names of the formats that are written."""
    return [name for name, known in FORMATS.items() if known.write]


def installed_formats() -> list[str]:
    """Return the names of the formats that this installation can write: some need an extra."""
    return [name for name in export_formats() if FORMATS[name].is_installed()]


def corrected_formats() -> list[str]:
    """Return the names of the formats into which corrections are written."""
    return [name for name, known in FORMATS.items() if known.correct]


def export_format(name: str) -> Format:
    """Return a format that is written. Raises ValueError for an unknown name."""
    if name not in export_formats():
        raise ValueError(f"Unknown format {name!r}: choose one of {', '.join(export_formats())}.")
    return FORMATS[name]


def import_format(name: str) -> Format:
    """Return a format that is read. Raises ValueError for an unknown name."""
    if name not in import_formats():
        raise ValueError(f"unknown format {name!r}: choose one of {', '.join(import_formats())}")
    return FORMATS[name]
