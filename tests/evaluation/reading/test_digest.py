"""Digests of inputs."""

from pathlib import Path

from evaluation.reading.digest import digest_of


def test_a_folder_has_another_digest_when_a_name_or_a_byte_changes(export: Path) -> None:
    before = digest_of(export)
    assert digest_of(export) == before
    file = export / "Sentences" / "cat.txt"
    file.rename(export / "Sentences" / "dog.txt")
    renamed = digest_of(export)
    (export / "Sentences" / "dog.txt").write_text("A dog .")
    assert len({before, renamed, digest_of(export)}) == 3
