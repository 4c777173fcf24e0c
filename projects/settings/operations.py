"""Operations on the settings of a project: read them, and change some with a reason."""

from __future__ import annotations

import json
from typing import Annotated, Any

from annotated_types import Ge, MaxLen
from django.db import transaction
from pydantic import Field

from annotation.models import Project
from pipeline.project.settings_versions import change_settings, current_settings, hold_settings
from pipeline.settings.settings import Settings
from projects.operation import AsOption, Caller, Input, MaxSize, NoInput, Output, Refused, SentFile, SomeText, operation
from projects.predictions.judges import check_model_annotators

# A value of the wrong type fails in the rules' own operations, with one of these.
WRONG = (ValueError, TypeError, KeyError, AttributeError)
MAX_SIZE = MaxSize(page=1_000_000, command=1_000_000)


class SettingsChange(Input):
    file: Annotated[SentFile, Field(title="Settings"), MAX_SIZE] | None = None
    """A JSON object of the settings to change, by name."""
    values: dict[str, Any] = Field(default_factory=dict)
    """Settings to change, by name, in the place of a file. The others stay."""
    reason: Annotated[SomeText, MaxLen(200), AsOption()]
    """The reason, as the history shows it."""
    based_on: Annotated[int, Ge(1), AsOption()]
    """The version that you read."""


class SettingsInForce(Output):
    version: int
    values: dict[str, Any]
    """All settings by name; docs/reference/settings.md describes each."""


@operation(name="settings", surveys=True, path="settings/", method="get")
def read_settings(project: Project, inputs: NoInput, caller: Caller) -> SettingsInForce:
    """Return all settings, and the number of their version."""
    version, settings = current_settings(project.pk)
    return SettingsInForce(version=version, values=settings.to_json())


@operation(
    name="change_settings",
    surveys=True,
    path="settings/",
    method="patch",
    refusals=(409,),
    command="change_settings",
    guide="settings.md",
    say=lambda made: f"Version {made.version} of the settings is in force.",
)
@transaction.atomic
def change_by_name(project: Project, inputs: SettingsChange, caller: Caller) -> SettingsInForce:
    """Change settings by name. Refused if somebody has changed them since you read them."""
    version, current = hold_settings(project.pk)
    if version != inputs.based_on:
        raise Refused(
            "changed", f"Version {version} was made in the meantime: read the settings again, and start from that."
        )
    settings = _changed(current, inputs)
    if settings == current:
        raise Refused("invalid", "These are the current settings: nothing would change.", 400)
    version = change_settings(project_id=project.pk, settings=settings, reason=inputs.reason, made_by=caller.name)
    return SettingsInForce(version=version, values=settings.to_json())


def _changed(current: Settings, inputs: SettingsChange) -> Settings:
    try:
        values = json.loads(inputs.file.data) if inputs.file else inputs.values
        settings = Settings.from_json({**current.to_json(), **values})
        settings.edited_dictionaries()
        check_model_annotators(settings)
    except WRONG as error:
        raise Refused("invalid", str(error), 400) from error
    return settings
