"""Jobs that are done where they are requested."""

import pytest


@pytest.fixture(autouse=True)
def _at_once(own_folders: None, at_once: None) -> None:
    """Let jobs run where they are requested."""
