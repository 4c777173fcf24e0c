"""Head nouns learned from a file of captions."""

import gzip
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from studies.linking.heads_of_tokens import heads_of_tokens, read_heads

CAPTIONS = ["A man rides a horse .", "A guy rides a horse .", "A man on a horse ."]


def write(path: Path, images: int = 4) -> Path:
    rows = [f"{image}.jpg#{n}\t{text}\n" for image in range(images) for n, text in enumerate(CAPTIONS)]
    path.write_bytes(gzip.compress("".join(rows).encode()) if path.suffix == ".gz" else "".join(rows).encode())
    return path


def test_captions_tell_which_nouns_name_one_thing(tmp_path: Path) -> None:
    table = heads_of_tokens(write(tmp_path / "captions.token.gz"), 100)
    assert table == heads_of_tokens(write(tmp_path / "captions.token"), 100)
    assert "guy man" in table and "guy horse" not in table


def test_only_the_first_images_are_read(tmp_path: Path) -> None:
    told: list[int] = []
    heads_of_tokens(write(tmp_path / "captions.token"), 2, told.append)
    assert told == [1, 2]


def test_the_command_writes_what_the_study_reads(tmp_path: Path) -> None:
    call_command("alike_heads", write(tmp_path / "captions.token"), tmp_path / "heads.json")
    assert read_heads(tmp_path / "heads.json") == heads_of_tokens(tmp_path / "captions.token", 100)


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "captions.token").write_text("1.jpg#0\tA dog .\nA cat .\n")
    with pytest.raises(CommandError, match="line 2"):
        call_command("alike_heads", tmp_path / "captions.token", tmp_path / "heads.json")
    assert not (tmp_path / "heads.json").exists()


def test_a_file_without_a_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "heads.json").write_text(json.dumps(["guy man"]))
    with pytest.raises(ValueError, match="no table"):
        read_heads(tmp_path / "heads.json")
