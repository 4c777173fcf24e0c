"""Shown of a question [paper 3.1, 3.2, figure 2]: the phrases in their captions, and the boxes."""

from typing import Any

from pipeline.protocol.state.progress import ImageProgress, OpenQuestion
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task


def question_view(progress: ImageProgress, question: OpenQuestion) -> dict[str, Any]:
    """Return {"mentions": [[number, caption, first word, end], ...], "boxes": [...], "new_box": box | None}.

    A link shows its two mentions. A verification shows all mentions of the chain. A box task shows the representative
    mention and the boxes accepted so far, without the one that is to be drawn once more. A survey shows no phrase and
    no box, but {"survey": ...} as it was asked. All of this stays the same as long as the question is open.
    """
    if question.task in SURVEY_TASKS:
        return {**_only(progress, []), "survey": progress.surveys[question.subject[0]].shown}
    if question.task is Task.COREFERENCE_LINK:
        return _only(progress, question.subject)
    chain = progress.chains[question.subject[0]]
    if question.task is Task.CHAIN_VERIFICATION:
        return _only(progress, chain.mentions)
    new = progress.boxes[question.subject[1]].box if question.task is Task.BOX_QUALITY else None
    hidden = question.subject[1:]
    return {
        "mentions": [_place(progress, chain.representative)],
        "boxes": [list(box.box) for box in progress.accepted(chain.name) if box.number not in hidden],
        "new_box": list(new) if new else None,
    }


def _only(progress: ImageProgress, mentions: list[int]) -> dict[str, Any]:
    return {"mentions": [_place(progress, number) for number in mentions], "boxes": [], "new_box": None}


def _place(progress: ImageProgress, number: int) -> list[int]:
    mention = progress.mentions[number]
    return [number, mention.caption, mention.start, mention.end]
