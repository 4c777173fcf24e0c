"""Explanation [paper 3.3]: why the right answer of an example is right, in words for the worker who reads it."""

from typing import Any

from pipeline.rules.known.stock_mix import answer_of
from pipeline.rules.tasks.task import Task

WHY: dict[Task, dict[str, str]] = {
    Task.COREFERENCE_LINK: {
        "same": "Both phrases name the same person, thing or group in this picture, in different words.",
        "different": "The two phrases name different things in this picture, or one names more of them than the other.",
    },
    Task.CHAIN_VERIFICATION: {
        "true": "All marked phrases name the same person, thing or group in this picture.",
        "false": "At least one of the marked phrases names something else than the others do.",
    },
    Task.BOX_REQUIREMENT: {
        "box": "What the phrase names can be seen in the picture, and a box can be drawn around it.",
        "scene": "The phrase names the place as a whole: there is no single thing to draw a box around.",
        "no box": "What the phrase names is not in the picture, or is nothing that a box can be drawn around.",
    },
    Task.BOX_QUALITY: {
        "good": "The box is tight, and around the whole of one thing that the phrase names.",
        "bad": "A good box is tight, around the whole of one thing that the phrase names. This one is not.",
    },
    Task.BOX_COVERAGE: {
        "all there": "Everything that the phrase names has its box.",
        "more needed": "Something that the phrase names has no box yet.",
    },
}


def explain(task: Task, shown: dict[str, Any], truth: Any) -> str:
    """Explain why `truth` is right for what is `shown`; both as a verification question holds them."""
    if task is not Task.BOX_DRAWING:
        return WHY[task][answer_of(task, truth)]
    there, missing = len(shown["boxes"]), len(truth)
    if not missing:
        return "Everything that the phrase names has its box." if there else "Nothing here needs a box."
    if missing == 1:
        return f"{'One box is missing: d' if there else 'D'}raw one box, tight, around the whole."
    return f"{missing} boxes are missing. Draw any one of them, tight, around the whole of one thing."
