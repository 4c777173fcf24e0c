"""Settings with learned values by the names that JSON has for them."""

from typing import Any

from pipeline.settings.settings import Settings

USUAL = Settings()


def settings_with(base: Settings = USUAL, /, **values: Any) -> Settings:
    """Return the settings with these in place of their own. A learned value replaces the one of its name alone."""
    return Settings.from_json(base.to_json() | values)
