"""Each task as one question to the worker."""

from pipeline.rules.tasks.task import Task

TASK_WORDS = {
    Task.COREFERENCE_LINK: "Two captions of one picture: do the marked phrases mean the same thing?",
    Task.CHAIN_VERIFICATION: "Do all marked phrases mean the same thing?",
    Task.BOX_REQUIREMENT: "Can you draw a box around what the phrase means?",
    Task.BOX_DRAWING: "Draw a box around one thing that the phrase means.",
    Task.BOX_QUALITY: "Is the new box good?",
    Task.BOX_COVERAGE: "Does everything that the phrase means have a box?",
}
