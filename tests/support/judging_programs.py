"""Chains that programs judge before people, from their first question on."""

from dataclasses import replace
from typing import Any

from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, Story, started

ASK, DRAW, JUDGE, COVER = Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE
GUY = ("people", "a man")
JUROR, OTHER_JUROR, PROPOSER = 70, 71, 40
OF_PEOPLE = {"person": [95.0, 5.0]}
SURE = {"missing": [95.0, 5.0], "there": [95.0, 5.0], "good": [95.0, 5.0], "bad": OF_PEOPLE}
ONE_FAMILY = {str(JUROR): "llava", str(OTHER_JUROR): "llava"}
BOTH: dict[str, Any] = {"jurors": (JUROR, OTHER_JUROR), "families": ONE_FAMILY}
KNOWN = {"jurors": {str(juror): SURE for juror in (JUROR, OTHER_JUROR)}}
WITH_JUROR = ProtocolSettings(box_policy=BoxPolicy.BELIEF, jurors=(JUROR,), juror_lot=0.0, box_prior=KNOWN)


def begun(*mentions: tuple[str, str], **changes: Any) -> Story:
    return started(list(mentions), settings=replace(WITH_JUROR, **changes))


def drawn(story: Story) -> Story:
    """The juror wants a box, and a person draws one."""
    story.judge(ASK, 1, JUROR)
    story.judge(DRAW, BOX, 1)
    return story
