"""The YAML at the top of a README, which hubs and `datasets` read: license, language, size, and where the rows are."""

import re
from collections.abc import Iterator
from pathlib import Path

from exchange.data_card.distribution import file_sets
from exchange.data_card.facts import Facts
from exchange.data_card.markdown import ADDRESS, yaml_text
from exchange.formats.format import DataFiles

LICENSES = (
    *("apache-2.0", "mit", "cc0-1.0", "pddl", "odbl", "odc-by", "unlicense", "gpl-3.0", "lgpl-3.0", "agpl-3.0"),
    *("cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nc-2.0"),
    *("cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0", "cc-by-nc-sa-2.0"),
    *("cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "cdla-sharing-1.0", "cdla-permissive-1.0", "cdla-permissive-2.0"),
    *("bsd-2-clause", "bsd-3-clause", "mpl-2.0", "isc"),
)
"""Licenses that Hugging Face's hub knows by name."""
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
LARGE = "1M<n<10M"
LONGEST_NAME = 80
WHOLE = "train"
"""The part of an export without parts, as `datasets` calls it."""


def front_matter(facts: Facts, root: Path) -> str:
    """Return the YAML between its two lines of hyphens. Every text of a requester in it is quoted."""
    size = next((name for most, name in SIZES if facts.images < most), LARGE)
    lines = [f"pretty_name: {yaml_text(facts.title)}", *_license(facts.given["license"])]
    if language := re.match("[a-z]{2,3}", facts.work.settings.caption_language.lower()):
        lines += ["language:", f"- {language[0]}"]
    lines += ["task_categories:", "- object-detection", "- image-to-text"]
    lines += ["size_categories:", f"- {size}"]
    lines += ["tags:", "- phrase-grounding", "- coreference"]
    if data_files := facts.export_format.data_files:
        lines += _configs(facts, root, data_files)
    return "\n".join(["---", *lines, "---"])


def _license(text: str) -> Iterator[str]:
    name = " ".join(text.split()).lower().replace(" ", "-")
    if not text:
        yield "license: unknown"
    elif name in LICENSES:
        yield f"license: {name}"
    else:
        yield "license: other"
        yield f"license_name: {yaml_text(' '.join(text.split())[:LONGEST_NAME])}"
        if ADDRESS.fullmatch(text):
            yield f"license_link: {yaml_text(text)}"


def _configs(facts: Facts, root: Path, data_files: DataFiles) -> Iterator[str]:
    """Yield where the rows of each part are."""
    yield from ("configs:", "- config_name: default", "  data_files:")
    sets = file_sets(root, facts.parts, facts.packed)
    for part in facts.parts or (WHOLE,):
        yield f"  - split: {yaml_text(part)}"
        yield "    path:"
        folder = part if facts.parts else ""
        pictures = [pattern for files in sets if files.folder == folder for pattern in files.includes]
        yield from (f"    - {yaml_text(pattern)}" for pattern in data_files(part, folder, pictures))
