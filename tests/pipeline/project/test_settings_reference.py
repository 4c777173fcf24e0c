"""The reference page of a project's settings is written from their descriptions."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pipeline.management.commands.settings_reference import BEGIN, END, PAGE


def test_the_page_is_current() -> None:
    call_command("settings_reference", "--check")


def test_a_page_that_is_not_current_is_found_and_written_anew(tmp_path: Path, settings: Any) -> None:
    settings.BASE_DIR = tmp_path
    page = tmp_path / PAGE
    with pytest.raises(CommandError, match="run this in a checkout"):
        call_command("settings_reference")
    page.parent.mkdir(parents=True)
    page.write_text("nothing")
    with pytest.raises(CommandError, match="no place for the tables"):
        call_command("settings_reference")
    page.write_text(f"before\n{BEGIN}old\n{END}after\n")
    with pytest.raises(CommandError, match="is not current"):
        call_command("settings_reference", "--check")
    call_command("settings_reference")
    call_command("settings_reference", "--check")
    text = page.read_text()
    assert text.startswith("before") and text.endswith("after\n") and "`merge_iou`" in text and "old\n" not in text
