"""The question that each task puts to a worker, in one sentence."""

from pipeline.rules.tasks.task import Task

TASK_WORDS = {
    Task.COREFERENCE_LINK: "Two captions of one picture: do the marked phrases mean the same?",
    Task.CHAIN_VERIFICATION: "Do all of the marked phrases mean the same?",
    Task.BOX_REQUIREMENT: "Can a box be drawn around what the phrase names?",
    Task.BOX_DRAWING: "Draw a box around one thing that the phrase names.",
    Task.BOX_QUALITY: "Is the new box a good one?",
    Task.BOX_COVERAGE: "Does everything that the phrase names have its box?",
}
