"""Steps of a chain [paper 3.1.2, 3.2]: move the chain, open and close its questions, and settle its boxes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.rules.box import Box
from annotation.rules.states import BoxState, ChainState
from pipeline.protocol.rules import NO_CONTEXT, EntryContext, Rules
from pipeline.protocol.settings import ProtocolSettings
from pipeline.protocol.state.progress import (
    BoxProgress,
    Cause,
    ChainProgress,
    ImageProgress,
    LinkSource,
    OpenQuestion,
    PreAnnotation,
    StateMachine,
    StateMove,
)
from pipeline.protocol.tasks.flow import ReviewStep, step
from pipeline.protocol.tasks.task import BOX_TASKS, SURVEY_TASKS, QuestionState, Task

OF_NO_CHAIN = frozenset({Task.COREFERENCE_LINK, *SURVEY_TASKS})


@dataclass(slots=True)
class ImageUpdate:
    """An entry at work on an image: the progress that it changes, its rules, its number, and its context."""

    progress: ImageProgress
    rules: Rules
    entry: int
    context: EntryContext = NO_CONTEXT

    @property
    def settings(self) -> ProtocolSettings:
        return self.rules.settings

    def log(
        self, machine: StateMachine, subject: int, old: str, new: str, cause: StrEnum, *, chain: int | None = None
    ) -> None:
        """Note a move. `chain`: the other chain that the cause is about."""
        self.progress.moves.append(StateMove(machine, subject, old, new, cause, self.entry, chain))


def open_question(
    update: ImageUpdate, task: Task, subject: list[int], barred: Collection[int] | None = None
) -> OpenQuestion:
    """Ask a question. `barred`: the workers who may not answer; None: as the rules of boxes and surveys have it."""
    number = update.progress.next_question
    update.progress.next_question += 1
    barred = barred_from(update, task, subject) if barred is None else barred
    question = OpenQuestion(number, task, subject, sorted(barred))
    update.progress.open[number] = question
    return question


def barred_from(update: ImageUpdate, task: Task, subject: Sequence[int]) -> set[int]:
    """Return the workers who may not answer a new question, because of their earlier answers.

    Nobody answers the same question twice, nor one of which a judgment of theirs was voided; `linking` bars from links.
    Every other worker with access to the task may answer, but those who skipped the question: see
    `pipeline.project.open_questions`.
    """
    if task in BOX_TASKS:
        return update.rules.boxes.barred(update.progress, task, subject)
    if task in SURVEY_TASKS:
        survey = update.progress.surveys[subject[0]]
        return {*(vote.worker for vote in survey.votes), *survey.voided}
    # Of chain verification: those whom an expert spares, see `expert.ask_others`.
    answers = update.progress.chains[subject[0]].answers
    return {answer.worker for answer in answers if answer.task is task and answer.worker is not None}


def close_question(update: ImageUpdate, number: int, cause: StrEnum) -> None:
    """Close an open question. `cause`: its outcome, or why it is no longer asked."""
    del update.progress.open[number]
    update.log(StateMachine.QUESTION, number, QuestionState.OPEN.value, QuestionState.CLOSED.value, cause)


def close_questions_of(update: ImageUpdate, chain: ChainProgress, cause: StrEnum) -> None:
    """Close every question about a chain. Coreference links and surveys belong to no chain and stay open."""
    for question in list(update.progress.open.values()):
        if question.task not in OF_NO_CHAIN and question.subject[0] == chain.name:
            close_question(update, question.number, cause)


def move_chain(update: ImageUpdate, chain: ChainProgress, verdict: StrEnum, cause: StrEnum | None = None) -> None:
    """Take the step that the tables allow, and ask for a verification. `advance.enter` asks about boxes."""
    old, chain.state = chain.state, step(chain.state, verdict, update.rules.boxes.transitions)
    update.log(StateMachine.CHAIN, chain.name, old.value, chain.state.value, cause or verdict)
    if chain.state is not ChainState.REVIEW:
        chain.review = None
    if chain.state is ChainState.VERIFICATION:
        open_question(update, Task.CHAIN_VERIFICATION, [chain.name])


def send_to_review(update: ImageUpdate, chain: ChainProgress, cause: Cause) -> None:
    """Let the chain rest until an expert decides, and discard a box that waits for its first quality judgment."""
    if chain.state is ChainState.REVIEW:
        return
    close_questions_of(update, chain, cause)
    chain.review, chain.non_visual = cause, ""
    move_chain(update, chain, ReviewStep.NEEDED, cause)
    chain.box_confidence = None
    for box in update.progress.boxes.values():
        if box.chain == chain.name:
            box.confidence = None
    for box in update.progress.pending(chain.name):
        if box.accepted is None:
            settle_box(update, box, BoxState.DISCARDED, cause)
        else:  # it was accepted before, and a policy had it judged once more
            update.log(StateMachine.BOX, box.number, box.state.value, BoxState.ACCEPTED.value, cause)
            box.state = BoxState.ACCEPTED


def settle_box(update: ImageUpdate, box: BoxProgress, state: BoxState, cause: Cause) -> None:
    """Move a box to another state, and note the entry that accepted it."""
    update.log(StateMachine.BOX, box.number, box.state.value, state.value, cause)
    box.state = state
    if state is BoxState.ACCEPTED:
        box.accepted = update.entry


def representative(progress: ImageProgress, chain: ChainProgress) -> int:
    """Choose the longest mention [paper 3.2]: by words, then by characters, then the first in reading order.

    A pronoun stands for a chain without any noun only.
    """

    def shortness(number: int) -> tuple[bool, int, int, tuple[int, int]]:
        mention = progress.mentions[number]
        return mention.is_pronoun, -(mention.end - mention.start), -len(mention.text), mention.order

    return min(chain.mentions, key=shortness)


def fix_representative(progress: ImageProgress, chain: ChainProgress) -> None:
    """Choose the mention that box tasks show, when the chain enters them."""
    if chain.representative not in chain.mentions:
        chain.representative = representative(progress, chain)


def add_pre_annotated(update: ImageUpdate, chain: ChainProgress, pre_annotation: PreAnnotation) -> BoxProgress:
    """Make a pre-annotation a box of the chain that is still to be judged."""
    update.progress.pre_annotations.remove(pre_annotation)
    made = BoxProgress(
        update.progress.next_box, chain.name, pre_annotation.box, BoxState.PENDING, pre_annotation.worker, update.entry
    )
    made.pre_annotated, made.score = True, pre_annotation.score
    return _added(update, made, Cause.PRE_ANNOTATED)


def add_box(update: ImageUpdate, chain: ChainProgress, box: Box, state: BoxState, worker: int | None) -> BoxProgress:
    """Add a drawn box to a chain. `worker`: who drew it; None: an expert."""
    made = BoxProgress(update.progress.next_box, chain.name, box, state, worker, update.entry)
    if state is BoxState.ACCEPTED:
        made.accepted = update.entry
    return _added(update, made, Cause.DRAWN)


def _added(update: ImageUpdate, made: BoxProgress, cause: Cause) -> BoxProgress:
    update.progress.next_box += 1
    update.progress.boxes[made.number] = made
    update.log(StateMachine.BOX, made.number, "", made.state.value, cause)
    return made


def split_chain(
    update: ImageUpdate, chain: ChainProgress, parts: list[list[int]], source: LinkSource, cause: Cause
) -> None:
    """Keep the first part as the chain, and make each other part a chain in the same state, in reading order."""
    progress = update.progress
    for a, first in enumerate(parts):
        for second in parts[a + 1 :]:
            for mention in first:
                for other in second:
                    x, y = progress.reading_order([mention, other])
                    progress.sources[x, y] = source
    chain.mentions = parts[0]
    chain.representative, chain.confidence = -1, None
    for part in parts[1:]:
        made = ChainProgress(part[0], part, chain.state, doubted=chain.doubted, review=chain.review)
        progress.chains[made.name] = made
        update.log(StateMachine.CHAIN, made.name, "", made.state.value, cause)
