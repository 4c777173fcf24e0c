"""The registry finds the platforms that are set up, and leaves the others alone."""

import sys
from typing import Any

import pytest

from platforms.invitations import NAME as INVITATIONS
from platforms.registry import platforms_set_up


def test_a_platform_that_is_off_is_not_imported(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MTURK, settings.PROLIFIC_TOKEN = "off", ""
    for package in ("mturk", "prolific"):
        monkeypatch.setitem(sys.modules, f"platforms.{package}.platform", None)
    assert [platform.name for platform in platforms_set_up()] == [INVITATIONS]
