"""Image machine [paper 3]: fold the entries of an image's record, one by one, into its progress."""

from collections.abc import Callable
from copy import deepcopy
from enum import StrEnum
from typing import Any, NamedTuple

from annotation.rules.box import Box
from annotation.rules.states import BoxState, ChainState, ImageState, NonVisual
from pipeline.protocol.image.chain_steps import ImageUpdate, representative
from pipeline.protocol.image.expert import CONFIRM, apply_expert_action
from pipeline.protocol.image.interventions import propose, report, starve, void
from pipeline.protocol.image.judgments import judge_boxes, judge_verification
from pipeline.protocol.image.linking import has_new_rules, judge_link, replan_all, start_linking, take_new_rules
from pipeline.protocol.image.merging import can_merge, merge_image, reopen_merged
from pipeline.protocol.image.surveys import ask, judge_survey
from pipeline.protocol.rules import NO_CONTEXT, EntryContext, Rules
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.state.progress import (
    BoxProgress,
    Cause,
    ChainProgress,
    ImageProgress,
    MergedBoxProgress,
    StateMachine,
)
from pipeline.protocol.tasks.flow import SETTLED
from pipeline.protocol.tasks.task import BOX_TASKS, QuestionState, Task


class EntryKind(StrEnum):
    """The kinds of entries. The import begins a record; APPLY has the function of each other kind."""

    IMPORT = "import"
    START = "start"
    JUDGMENT = "judgment"
    REPORT = "report"
    STARVE = "starve"
    VOID = "void"
    EXPERT = "expert"
    MERGE = "merge"
    UNDO = "undo"
    PROPOSE = "propose"
    ASK = "ask"


OPEN, CLOSED = QuestionState.OPEN.value, QuestionState.CLOSED.value


class RecordEntry(NamedTuple):
    """One line of an image's record. The keys of `data` depend on the kind: see the functions in APPLY."""

    sequence: int
    kind: EntryKind
    data: dict[str, Any]
    context: EntryContext = NO_CONTEXT


class RecordError(Exception):
    """The record of an image is out of order, or an entry does not fit the image's state."""


JUDGE: dict[Task, Callable[..., None]] = {
    Task.COREFERENCE_LINK: judge_link,
    Task.CHAIN_VERIFICATION: judge_verification,
    **dict.fromkeys(BOX_TASKS, judge_boxes),
    Task.CAPTION_CHECK: judge_survey,
    Task.ATOM_VISUAL: judge_survey,
}


def begin(entry: RecordEntry) -> ImageProgress:
    """Return the progress of an image that was just imported. Raises RecordError if this is not the first entry.

    `data` is {"mentions": [[number, caption, start, end, types, text, before, vector, form, sentence], ...]}, and more
    in two cases. Older records lack `before` (see `annotation.rules.mention.words_before`), `form` (see
    `annotation.rules.comparable`) and `sentence` (see `annotation.rules.mention`), and many have no `vector` (see
    `MentionProgress.vector`). An annotated image has {"chains": [{"mentions", "non_visual"}], "boxes": [{"box",
    "chains"}]}; it counts as merged. A chain that is not non-visual is complete, even if its source has no box for it.
    One that its source doubts has "doubted", the reason.
    An image whose phrases are still to be found has {"waiting": true}.
    """
    if entry.kind is not EntryKind.IMPORT or entry.sequence != 0:
        raise RecordError("The first entry of an image must be its import, number 0.")
    progress = ImageProgress(mentions={row[0]: MentionProgress.of(deepcopy(row)) for row in entry.data["mentions"]})
    progress.next_mention = 1 + max(progress.mentions, default=-1)
    progress.waiting = entry.data.get("waiting", False)
    if "chains" in entry.data:
        _take_annotation(progress, entry.data)
    return progress


def _take_annotation(progress: ImageProgress, data: dict[str, Any]) -> None:
    progress.started, progress.state = True, ImageState.MERGED
    for row in data["chains"]:
        mentions = progress.reading_order(row["mentions"])
        kind = NonVisual(row["non_visual"]).value if row["non_visual"] else ""
        state = ChainState.NON_VISUAL if kind else ChainState.COMPLETE
        chain = ChainProgress(mentions[0], mentions, state, non_visual=kind, doubted=row.get("doubted", ""))
        chain.representative = representative(progress, chain)
        progress.chains[chain.name] = chain
    for row in data["boxes"]:
        members = []
        for chain in row["chains"]:
            number, progress.next_box = progress.next_box, progress.next_box + 1
            progress.boxes[number] = BoxProgress(number, chain, Box(*row["box"]), BoxState.ACCEPTED, None, 0, 0)
            members.append(number)
        progress.merged.append(MergedBoxProgress(len(progress.merged), Box(*row["box"]), members))


def apply(progress: ImageProgress, entry: RecordEntry, rules: Rules) -> None:
    """Let one entry act on the progress, in place. Raises RecordError if the entry is out of order."""
    if entry.sequence != progress.sequence + 1:
        raise RecordError(f"Entry {entry.sequence} cannot follow entry {progress.sequence}.")
    if entry.kind is EntryKind.UNDO:
        raise RecordError(f"Entry {entry.sequence} is an undo, which needs the whole record: see `undo.apply_record`.")
    _update(progress, entry, rules, APPLY[entry.kind])


def skip(progress: ImageProgress, entry: RecordEntry, rules: Rules) -> None:
    """Pass over an entry that was undone, or that undoes another. New settings of links still take effect here."""
    _update(progress, entry, rules, lambda update, data: None)


def _update(
    progress: ImageProgress,
    entry: RecordEntry,
    rules: Rules,
    function: Callable[[ImageUpdate, dict[str, Any]], None],
) -> None:
    progress.sequence = entry.sequence
    update = ImageUpdate(progress, rules, entry.sequence, entry.context)
    takes_up = function is apply_expert_action and entry.data.get("action") != CONFIRM
    if takes_up and progress.state is ImageState.MERGED:
        _reopen(update, Cause.TAKEN_UP)
    new_rules = has_new_rules(progress, rules)
    if new_rules:
        take_new_rules(update)
    function(update, entry.data)
    if new_rules:
        replan_all(update)
    settle_image(update)


def _start(update: ImageUpdate, data: dict[str, Any]) -> None:
    """Begin linking."""
    if update.progress.started or update.progress.waiting:
        raise RecordError("Linking can start only once, and not while the image waits for its phrases.")
    update.progress.seed = update.context.seed
    start_linking(update)


def _judge(update: ImageUpdate, data: dict[str, Any]) -> None:
    """Let a judgment act: {"question", "worker", "answer"}.

    That of a model that was set aside changes nothing where answers are weighed. Nor does that of a question that was
    closed meanwhile.
    """
    question = update.progress.open.get(data["question"])
    if question is None:
        update.log(StateMachine.QUESTION, data["question"], CLOSED, CLOSED, Cause.LATE_JUDGMENT)
        return
    if update.context.by_model and update.rules.sets_aside(data["worker"], question.task):
        question.bar(data["worker"])
        update.log(StateMachine.QUESTION, question.number, OPEN, OPEN, Cause.SET_ASIDE)
        return
    JUDGE[question.task](update, question, data["worker"], data["answer"])


def _merge(update: ImageUpdate, data: dict[str, Any]) -> None:
    if not can_merge(update.progress):
        raise RecordError("An image can be merged only when every chain is complete or non-visual.")
    merge_image(update)


APPLY: dict[EntryKind, Callable[[ImageUpdate, dict[str, Any]], None]] = {
    EntryKind.START: _start,
    EntryKind.JUDGMENT: _judge,
    EntryKind.REPORT: report,
    EntryKind.STARVE: starve,
    EntryKind.VOID: void,
    EntryKind.EXPERT: apply_expert_action,
    EntryKind.MERGE: _merge,
    EntryKind.PROPOSE: propose,
    EntryKind.ASK: ask,
}


def settle_image(update: ImageUpdate) -> None:
    """Set the image's state by those of its chains. A merged image stays merged until a chain is open again."""
    progress = update.progress
    settled = all(chain.state in SETTLED for chain in progress.chains.values())
    if progress.state is ImageState.MERGED:
        if settled:
            return
        _reopen(update, Cause.REOPENED)
    new = _state(progress)
    if new is not progress.state:
        update.log(StateMachine.IMAGE, 0, progress.state.value, new.value, new)
        progress.state = new


def _reopen(update: ImageUpdate, cause: Cause) -> None:
    reopen_merged(update)
    update.log(StateMachine.IMAGE, 0, update.progress.state.value, ImageState.BOXING.value, cause)
    update.progress.state = ImageState.BOXING


def _state(progress: ImageProgress) -> ImageState:
    states = {chain.state for chain in progress.chains.values()}
    if ChainState.LINKING in states or not progress.started:
        return ImageState.LINKING
    if ChainState.REVIEW in states and states <= {ChainState.REVIEW, *SETTLED}:
        return ImageState.REVIEW
    return ImageState.BOXING
