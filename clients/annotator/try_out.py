"""Tries a model on a few questions: shows prompts, pictures and answers, and submits nothing."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from clients.annotator.asker import Asker
from clients.annotator.coordinates import iou
from clients.annotator.errors import NoAnswer, ServiceError
from clients.annotator.questions import DRAWING
from clients.annotator.service import Service

RIGHT = 0.5
"""The IOU with a right box at which a drawn box is right."""


def try_out(service: Service, asker: Asker, tasks: Sequence[str], most: int, folder: Path) -> Iterator[str]:
    """Yield the words about `most` questions, a share of each task; their pictures are written to the folder.

    The project's examples are taken, whose answers are known; of a task without any, open questions, which are then
    given back.
    """
    folder.mkdir(parents=True, exist_ok=True)
    left, known, right = most, 0, 0
    for number, task in enumerate(tasks):
        share = -(-left // (len(tasks) - number))
        try:
            questions = _questions(service, task, share)
        except ServiceError as refused:
            if refused.status != 403:
                raise
            yield f"=== {task.replace('_', ' ')}\n{refused}"
            continue
        for place, question in enumerate(questions):
            left -= 1
            verdict, lines = _tried(asker, task, question, folder / f"{task}-{place + 1}.jpg")
            known, right = known + ("answer" in question), right + verdict
            yield "\n".join(lines)
    tried = most - left
    if not tried:
        yield "Nothing is open to the program, and there are no examples: make some by the command stock --examples."
    yield f"{tried} questions tried, nothing submitted. {right} of {known} examples with a known answer are right."
    yield f"Pictures: {folder}. Spent so far: {asker.model.spending}."


def _questions(service: Service, task: str, most: int) -> list[dict[str, Any]]:
    """Return examples of a task or, if it has none, open questions."""
    if most and (found := service.examples(task)):
        return found[:most]
    given, _ = service.ask(task) if most else (None, "")
    if given is None:
        return []
    service.give_back(given["token"])
    return list(given["questions"][:most])


def _tried(asker: Asker, task: str, question: dict[str, Any], picture: Path) -> tuple[bool, list[str]]:
    """Return whether the answer is known to be right, and the lines about it."""
    lines = [f"=== {task.replace('_', ' ')}"]
    try:
        sent = asker.sent(question)
        picture.write_bytes(sent.jpeg)
        lines += [f"Picture: {picture} ({sent.frame.sent[0]} x {sent.frame.sent[1]})"]
        lines += [asker.text(task, question, sent), ""]
        given = asker.ask(task, question)
    except NoAnswer as reason:
        return False, [*lines, f"Skipped: {reason}", ""]
    score = "" if given.score is None else f" (score {given.score:.2f})"
    lines.append(f"Answer: {given.answer}{score}")
    if "answer" not in question:
        return False, [*lines, ""]
    right = is_right(task, question, given.answer)
    wanted = question["missing"] or question["answer"]
    return right, [*lines, "Right." if right else f"Wrong: right is {wanted}. {question['explanation']}".strip(), ""]


def is_right(task: str, example: dict[str, Any], answer: Any) -> bool:
    """Tell whether an answer to an example is right: a drawn box, if it fits one of those that are missing."""
    if task == DRAWING and "box" in answer:
        return any(iou(answer["box"], box) >= RIGHT for box in example["missing"])
    return bool(answer == example["answer"])
