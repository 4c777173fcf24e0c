"""Progress as the service has stored it since before this test: it is read as it is, and written as it was.

`stored_states.json` holds images of other tests, each with its record: links asked by every strategy, beliefs about
boxes, surveys, predictions, acts of experts that were undone, reports, voided answers. It is never written anew: a
service holds such states, and the version before an update reads what the version after it writes.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from pipeline.rules.entries.image_machine import EntryKind, RecordEntry
from pipeline.rules.entries.undo import fold_record
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.progress.progress_json import from_json, to_json
from pipeline.rules.settings.protocol import ProtocolSettings

FILE = Path(__file__).parent / "stored_states.json"


@cache
def stored() -> tuple[list[ProtocolSettings], list[dict[str, Any]]]:
    """Return the versions of settings, and the images: what each is about, its record and its state."""
    file = json.loads(FILE.read_text())
    versions = [ProtocolSettings.from_json({**file["settings"], **changed}) for changed in file["versions"]]
    return versions, file["images"]


def replayed(record: list[tuple[str, dict[str, Any], int]]) -> ImageProgress:
    """Fold the record: for each entry its kind, its data and the place of its version of the settings."""
    versions, _ = stored()
    entries = [RecordEntry(number, EntryKind(kind), data) for number, (kind, data, _) in enumerate(record)]
    progress = fold_record((entry, versions[place]) for entry, (_, _, place) in zip(entries, record, strict=True))
    progress.moves = []
    return progress


def test_every_stored_state_is_read_as_what_its_record_makes_and_is_written_as_it_is_stored() -> None:
    _, images = stored()
    assert len(images) == 35
    for image in images:
        made = replayed(image["record"])
        assert from_json(image["state"]) == made, image["what"]
        kept = json.dumps(image["state"])
        assert [json.dumps(to_json(one)) for one in (made, from_json(image["state"]))] == [kept, kept], image["what"]


def test_a_state_from_before_there_were_settings_of_links_in_it_is_read() -> None:
    _, images = stored()
    for image in images:
        old = {name: value for name, value in image["state"].items() if name != "link_rules"}
        new = from_json(image["state"])
        new.link_rules = ""
        assert from_json(old) == new, image["what"]
