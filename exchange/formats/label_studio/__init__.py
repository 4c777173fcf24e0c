"""The JSON export of Label Studio."""

from exchange.formats.format import Format, count_matches
from exchange.formats.label_studio.read import label_studio_files, read_label_studio

LABEL_STUDIO = Format(
    name="label-studio",
    title="the JSON export of Label Studio",
    marks="a .json list of tasks",
    detects=lambda path: bool(label_studio_files(path)),
    read=read_label_studio,
    count=lambda path: count_matches(label_studio_files(path), rb'"data"\s*:\s*\{'),
)
