"""Operations of the workbench: everything about an image, the changes that an act would bring, and the act itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Self

from annotated_types import Ge, Le, MaxLen
from django.template.defaultfilters import pluralize
from pydantic import Field, model_validator

from accounts.may import Action
from accounts.models import Scope
from annotation.bounds import MOST_PHRASES, MOST_PHRASES_OF_CAPTION
from annotation.models import Image, Project
from annotation.rules.states import BoxState, ChainState, ImageState
from pipeline.errors import StateMovedError
from pipeline.models import Progress
from pipeline.protocol.image.expert import ExpertError
from pipeline.protocol.image.undo import CannotUndoError
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.flow import SETTLED
from pipeline.record.due_images import merge_images
from pipeline.record.intervene import (
    ImageMovedError,
    ImagePreview,
    act_as_expert,
    preview_expert,
    preview_undo,
    undo_entry,
)
from projects.operation import LARGEST_ID, AsOption, Caller, Input, Output, Refused, find_row, operation
from projects.review.workbench import QueueFilters, Workbench, workbench_data

WHERE = {ChainState.REVIEW: "waits in review until an expert sends it on"}


def what_changes(preview: ImagePreview) -> list[str]:
    """Return a sentence for the image, the merged result, each chain that changes, the boxes, answers and questions."""
    before, after = preview
    found = [*_image(before, after), *_chains(before, after), *_boxes(before, after)]
    return [*found, *_answers(before, after), *_questions(before, after)]


def undoes_paid_work(preview: ImagePreview) -> bool:
    """Tell whether an act reopens a finished image, or takes from workers' answers or boxes what they have counted for.

    Whoever takes such an act gives a reason.
    """
    before, after = preview
    reopened = before.state is ImageState.MERGED is not after.state
    lost = _accepted(before) - _accepted(after)
    return reopened or any(before.boxes[number].worker is not None for number in lost) or _uncounted(before, after) > 0


def _image(before: ImageProgress, after: ImageProgress) -> list[str]:
    if before.state is not ImageState.MERGED:
        merged = after.state is ImageState.MERGED
        return ["The image is finished again, with its merged result."] if merged else []
    if after.state is ImageState.MERGED:
        return []
    found = ["The image is no longer finished: exports leave it out until it is merged again."]
    boxes = sum(len(merged.members) > 1 for merged in before.merged)
    chains = sum(chain.merged_into is not None for chain in before.chains.values())
    undone = [f"{boxes} joined box{pluralize(boxes, 'es')}"] if boxes else []
    undone += [f"{chains} joined chain{pluralize(chains)}"] if chains else []
    if undone:
        found.append(f"The merged result is undone: {' and '.join(undone)}.")
    waits = any(chain.state not in SETTLED for chain in after.chains.values())
    when = "once every chain is complete or non-visual again" if waits else "at once"
    return [*found, f"Boxes and chains are merged anew {when}."]


def _chains(before: ImageProgress, after: ImageProgress) -> list[str]:
    found = []
    for name, chain in after.chains.items():
        old = before.chains.get(name)
        if old is not None and old.state is chain.state and old.mentions == chain.mentions:
            continue
        where = WHERE.get(chain.state, f"is then in state {chain.state}")
        was = "which is new," if old is None else f"which is in state {old.state} now,"
        found.append(f"The chain {_phrases(after, name)}, {was} {where}.")
    gone = [name for name in before.chains if name not in after.chains]
    return [*found, *(f"The chain {_phrases(before, name)} is gone." for name in gone)]


def _phrases(progress: ImageProgress, name: int) -> str:
    return " · ".join(f"“{progress.mentions[number].text}”" for number in progress.chains[name].mentions)


def _boxes(before: ImageProgress, after: ImageProgress) -> list[str]:
    lost = _accepted(before) - _accepted(after)
    gained = _accepted(after) - _accepted(before)
    found = [f"{len(lost)} accepted box{pluralize(len(lost), 'es')} will be discarded."] if lost else []
    return [*found, *([f"{len(gained)} box{pluralize(len(gained), 'es')} will be added."] if gained else [])]


def _accepted(progress: ImageProgress) -> set[int]:
    return {number for number, box in progress.boxes.items() if box.state is BoxState.ACCEPTED}


def _answers(before: ImageProgress, after: ImageProgress) -> list[str]:
    lost, back = _uncounted(before, after), _uncounted(after, before)
    found = [f"{lost} vote{pluralize(lost)} of workers no longer count{pluralize(lost, 's,')}."] if lost else []
    return [*found, *([f"{back} vote{pluralize(back)} of workers count{pluralize(back, 's,')} again."] if back else [])]


def _uncounted(before: ImageProgress, after: ImageProgress) -> int:
    return len(_votes(before) - _votes(after))


def _votes(progress: ImageProgress) -> set[int]:
    chains = progress.chains.values()
    answers = [
        answer.entry for chain in chains for answer in chain.answers if answer.worker is not None and answer.counts
    ]
    return {*answers, *(vote.entry for votes in progress.votes_by(model=False).values() for vote in votes)}


def _questions(before: ImageProgress, after: ImageProgress) -> list[str]:
    opened = Counter(question.task.label for number, question in after.open.items() if number not in before.open)
    closed = Counter(question.task.label for number, question in before.open.items() if number not in after.open)
    found = [f"Closed without an answer: {_tasks(closed)}."] if closed else []
    return [*found, *([f"Workers are asked, and paid, again: {_tasks(opened)}."] if opened else [])]


def _tasks(counted: Counter[str]) -> str:
    return ", ".join(f"{task} ({count})" for task, count in sorted(counted.items()))


LONGEST_REASON = 500
ChainName = Annotated[int, Ge(0), Le(LARGEST_ID)]
EntryNumber = Annotated[int, Ge(0), Le(LARGEST_ID)]


class ChosenChain(QueueFilters):
    image: int
    """The id of an image."""
    chain: ChainName | None = None
    """The chain in question; empty: the first that waits in review."""


class ActOnImage(Input):
    """An act of an expert, or the number of an entry that is taken back."""

    image: int
    """The id of an image."""
    action: dict[str, Any] | None = None
    """The act as the record has it, such as {"action": "send", "chain": 0, "to": "coverage"}."""
    undo: EntryNumber | None = None
    """The entry of an act that is undone, or of an undo that is taken back."""

    @model_validator(mode="after")
    def _is_one_act(self) -> Self:
        if (self.action is None) is (self.undo is None):
            raise ValueError("give an action, or undo with the number of an entry")
        return self


class ConfirmedAct(ActOnImage):
    sequence: Annotated[int, AsOption()]
    """That of the preview: an image that has moved on since is not changed."""
    reason: Annotated[str, MaxLen(LONGEST_REASON)] = ""
    """Needed if the act undoes work that was paid."""
    chain: ChainName | None = None
    """The chain of which the workbench tells then."""
    queue: QueueFilters = Field(default_factory=QueueFilters)
    """The queue whose next chain it names."""


class EffectsOfAct(Output):
    changes: list[str]
    """In sentences."""
    needs_reason: bool
    sequence: int
    """The number of the last entry of the image."""


@operation(name="workbench", surveys=False, path="review/<int:image>/", method="get", action=Action.REVIEW)
def read_workbench(project: Project, inputs: ChosenChain, caller: Caller) -> Workbench:
    """Return an image as the rules see it, with all that was said about it."""
    return workbench_data(find_row(project.images.all(), inputs.image, "image"), inputs, inputs.chain)


@operation(surveys=False, path="review/<int:image>/preview/", action=Action.REVIEW, needed_scope=Scope.READ)
def preview_act(project: Project, inputs: ActOnImage, caller: Caller) -> EffectsOfAct:
    """Return what an act would change. Nothing is changed."""
    image = find_row(project.images.all(), inputs.image, "image")
    with _refusals():
        found = _previewed(image, inputs)
    return EffectsOfAct(
        changes=what_changes(found) or ["Nothing else changes."],
        needs_reason=undoes_paid_work(found),
        sequence=found.before.sequence,
    )


@operation(surveys=False, path="review/<int:image>/", action=Action.REVIEW, refusals=(409,), say=lambda _: "Done.")
def act_on_image(project: Project, inputs: ConfirmedAct, caller: Caller) -> Workbench:
    """Act as an expert on an image as the preview showed it: it is refused if the image has moved on."""
    image = find_row(project.images.all(), inputs.image, "image")
    given: dict[str, Any] = {"actor": caller.name, "reason": inputs.reason.strip(), "seen": inputs.sequence}
    with _refusals():
        found = _previewed(image, inputs)
        if inputs.sequence != found.before.sequence:
            raise ImageMovedError
        if undoes_paid_work(found) and not given["reason"]:
            raise ExpertError("Give a reason: this undoes work that was paid, and others will want to know.")
        if inputs.undo is not None:
            undo_entry(image_id=image.pk, entry=inputs.undo, **given)
        else:
            act_as_expert(image_id=image.pk, action=inputs.action or {}, **given)
    if Progress.objects.filter(image=image, due=Progress.Due.MERGE).exists():
        merge_images(project_id=project.pk)  # the expert sees the image finished, not what is due soon
    return workbench_data(image, inputs.queue, inputs.chain)


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn what an image refuses into refusals of the operation."""
    try:
        yield
    except ImageMovedError as error:
        raise Refused("moved_on", str(error)) from error
    except (ExpertError, CannotUndoError, StateMovedError) as error:
        message = str(error) or "The image is changing at the moment: try again."
        raise Refused("not_possible", message, 400) from error


def _previewed(image: Image, inputs: ActOnImage) -> ImagePreview:
    if inputs.undo is not None:
        return preview_undo(image_id=image.pk, entry=inputs.undo)
    action = inputs.action or {}
    try:
        _check_bounds(image, action)
        return preview_expert(image_id=image.pk, action=action)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise ExpertError(f"The action cannot be taken as it is written: {error}.") from error


def _check_bounds(image: Image, action: dict[str, Any]) -> None:
    """Raise ExpertError if a caption or the image would have too many phrases."""
    added = action.get("add")
    if not isinstance(added, list) or not added:
        return
    removed: list[int] = action["remove"] if isinstance(action.get("remove"), list) else []
    left = list(image.mentions.exclude(number__in=removed).values_list("caption__number", flat=True))
    captions = [*left, *(row[1] for row in added if isinstance(row, list) and len(row) > 1)]
    most = max(captions.count(caption) for caption in set(captions))
    if most > MOST_PHRASES_OF_CAPTION:
        raise ExpertError(f"The caption would have {most} phrases: at most {MOST_PHRASES_OF_CAPTION} are allowed.")
    if len(captions) > MOST_PHRASES:
        raise ExpertError(f"The image would have {len(captions)} phrases: at most {MOST_PHRASES} are allowed.")
