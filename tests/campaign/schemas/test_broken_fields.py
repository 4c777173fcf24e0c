"""A file with any field broken is refused with its place; and what a schema requires, the reader needs, too."""

from pathlib import Path

import pytest

from campaign.schemas.beyond_schema import BEYOND
from campaign.schemas.fault_words import FaultWords, place_of
from campaign.schemas.kinds import KINDS
from campaign.schemas.make_schema import is_quickly_valid, schema_of
from campaign.schemas.validate_file import validate_file
from tests.campaign.schemas.examples import example, written
from tests.support.broken_fields import broken

NAMES = [name for name in KINDS if name != "jsonl"]
READ = [name for name in BEYOND if name not in ("jsonl", "coco-instances")]
BY_THE_READER = {("predictions", "reply")}
"""Fields without which a line may be meant otherwise, so that the reader alone refuses it."""


@pytest.mark.parametrize("name", NAMES)
def test_a_valid_file_with_one_broken_field_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    kind, schema = KINDS[name], schema_of(KINDS[name])
    words, quick = FaultWords(schema, "the whole"), is_quickly_valid(kind)
    tried = 0
    for value in example(name) if kind.is_lines else [example(name)]:
        assert list(words.of(value)) == [] and quick(value) is not (name == "foil-items")
        for one in broken(value, schema):
            tried += 1
            found = list(words.of(one.value))
            assert not (found and quick(one.value)), one
            if one.is_missing and (name, one.field) in BY_THE_READER:
                assert validate_file(written(tmp_path / "file", name, [one.value]), name, most=1).faults
                continue
            place = place_of(one.at if one.is_missing else (*one.at, one.field), "the whole")
            assert any(fault.startswith((f"{place} ", f"{place}[", f"{place}.")) for fault in found), (one, found)
            if one.is_missing:
                assert any(repr(one.field) in fault for fault in found), (one, found)
    assert tried > 1


@pytest.mark.parametrize("name", READ)
def test_a_reader_needs_all_that_the_schema_of_its_file_requires(name: str, tmp_path: Path) -> None:
    kind, schema = KINDS[name], schema_of(KINDS[name])
    value = example(name)
    assert not validate_file(written(tmp_path / "whole.json", name, value), name, most=9).faults
    for line in value[:1] if kind.is_lines else [value]:
        for one in broken(line, schema):
            if one.is_missing:
                own = [one.value, *value[1:]] if kind.is_lines else one.value
                path = written(tmp_path / "broken.json", name, own)
                assert any(True for _ in BEYOND[name](path)), (one.at, one.field)
