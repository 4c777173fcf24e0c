"""The record of a check: exported, read elsewhere, and taken back, it makes the same labels."""

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Image
from exchange.export_dataset import export_dataset
from pipeline.models import Entry, Progress
from pipeline.record.intervene import act_as_expert, undo_entry
from pipeline.record.replay import replay
from pipeline.rules.checking.label import Label, labels_now
from pipeline.rules.entries.image_machine import EntryKind, RecordEntry
from pipeline.rules.entries.undo import fold_record
from pipeline.rules.progress.progress_json import from_json
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.tick import tick
from tests.support.checked import MAN, PLACE, checked_project

pytestmark = pytest.mark.django_db


def labels(image: Image) -> list[Label]:
    return labels_now(from_json(Progress.objects.get(image=image).state))


def read_back(line: dict[str, Any], settings: dict[int, ProtocolSettings]) -> list[Label]:
    """Fold a line's record as another service would, to which workers are pseudonyms, and programs have a number."""
    numbers = {one["worker"]: one["number"] for one in line["programs"].values()}
    free = count(1_000)
    lines = []
    for entry in line["record"]:
        data = dict(entry["data"])
        if "worker" in data:
            data["worker"] = numbers.setdefault(data["worker"], next(free))
        read = RecordEntry(entry["sequence"], EntryKind(entry["kind"]), data)
        lines.append((read, settings[entry["settings"]]))
    return labels_now(fold_record(lines))


@pytest.mark.slow
def test_the_exported_record_makes_the_same_labels_elsewhere_and_an_act_is_undone(tmp_path: Path) -> None:
    project = checked_project(0)
    mended, *_ = images = list(project.images.order_by("position"))
    before = labels(mended)
    assert [list(box) for box in before[MAN].boxes] == [PLACE]
    action = {"action": "split", "chain": MAN, "parts": [[0], [2]]}
    act_as_expert(image_id=mended.pk, action=action, actor="eve", reason="two men")
    assert labels(mended) != before
    undo_entry(image_id=mended.pk, entry=Entry.objects.filter(image=mended).latest("sequence").sequence, actor="eve")
    assert labels(mended) == before
    tick(project_id=project.pk)
    assert list(replay(project)) == []

    export_dataset(project=project, target=tmp_path / "out.jsonl", export_format="jsonl")
    first, *lines = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    settings = {one["version"]: ProtocolSettings.from_json(one["values"]) for one in first["settings"]}
    assert [read_back(line, settings) for line in lines] == [labels(image) for image in images]
