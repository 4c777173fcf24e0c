"""The six tasks, by short names."""

from pipeline.protocol.tasks.task import Task

LINK, VERIFY = Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION
ASK, DRAW, JUDGE, COVER = Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE
