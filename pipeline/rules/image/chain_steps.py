"""Steps of a chain [paper 3.1.2, 3.2]: move it, open and close its questions, and let each judgment act on it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from annotation.rules.box import Box
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState, ChainState
from pipeline.rules.image.progress import BoxProgress, ChainProgress, ImageProgress, Move, OpenQuestion
from pipeline.rules.linking.link_source import LinkSource
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks import box_coverage, box_requirement
from pipeline.rules.tasks.flow import Review, step
from pipeline.rules.tasks.task import Task


@dataclass(slots=True)
class Act:
    """One entry at work: the progress it changes, the settings it was applied under, its number."""

    progress: ImageProgress
    settings: ProtocolSettings
    entry: int

    def log(self, machine: str, subject: int, old: str, new: str, reason: str) -> None:
        self.progress.moves.append(Move(machine, subject, old, new, reason, self.entry))


# --- Questions ---


def open_question(act: Act, task: Task, subject: list[int], barred: Iterable[int] = ()) -> None:
    number = act.progress.asked
    act.progress.asked += 1
    act.progress.open[number] = OpenQuestion(number, task, subject, sorted(set(barred)))


def close_question(act: Act, number: int, outcome: str) -> None:
    del act.progress.open[number]
    act.log("question", number, "open", "closed", outcome)


def close_questions_of(act: Act, chain: ChainProgress, outcome: str) -> None:
    """Close every question about a chain; coreference links belong to no chain."""
    own = [
        q.number
        for q in act.progress.open.values()
        if q.task is not Task.COREFERENCE_LINK and q.subject[0] == chain.name
    ]
    for number in own:
        close_question(act, number, outcome)


# --- Moves ---


def move_chain(act: Act, chain: ChainProgress, verdict: StrEnum, reason: str = "") -> None:
    """Take the step that the tables allow, and open what is asked in the new state."""
    old, chain.state = chain.state, step(chain.state, verdict)
    act.log("chain", chain.name, old.value, chain.state.value, reason or verdict.value)
    if chain.state is not ChainState.REVIEW:
        chain.review = ""
    enter = ENTER.get(chain.state)
    if enter:
        enter(act, chain)


def send_to_review(act: Act, chain: ChainProgress, reason: str) -> None:
    """Rest until an expert decides. The box that is being judged, if any, goes: nobody will judge it."""
    if chain.state is ChainState.REVIEW:
        return
    close_questions_of(act, chain, reason)
    chain.review, chain.non_visual = reason, ""
    move_chain(act, chain, Review.NEEDED, reason)
    for box in act.progress.boxes.values():
        if box.chain == chain.name and box.state is BoxState.PENDING:
            settle_box(act, box, BoxState.DISCARDED, reason)


def settle_box(act: Act, box: BoxProgress, state: BoxState, reason: str) -> None:
    act.log("box", box.number, box.state.value, state.value, reason)
    box.state = state
    if state is BoxState.ACCEPTED:
        box.accepted = act.entry


def drawn_at_once(act: Act, chain: ChainProgress) -> bool:
    return not act.progress.types_of(chain).isdisjoint(act.settings.drawn_at_once)


def representative(progress: ImageProgress, chain: ChainProgress) -> int:
    """The longest mention [paper 3.2]: most words, then most characters, then reading order."""

    def shortness(number: int) -> tuple[int, int, tuple[int, int]]:
        mention = progress.mentions[number]
        return -(mention.end - mention.start), -len(mention.text), mention.order

    return min(chain.mentions, key=shortness)


# --- What is asked on entering a state ---


def _enter_verification(act: Act, chain: ChainProgress) -> None:
    open_question(act, Task.CHAIN_VERIFICATION, [chain.name])


def _enter_requirement(act: Act, chain: ChainProgress) -> None:
    """Read the tally of the chain's whole life before a question is opened."""
    _fix_representative(act, chain)
    read_requirement(act, chain)


def _enter_drawing(act: Act, chain: ChainProgress) -> None:
    _fix_representative(act, chain)
    open_question(act, Task.BOX_DRAWING, [chain.name])


def _enter_coverage(act: Act, chain: ChainProgress) -> None:
    """A visit's votes start at zero."""
    _fix_representative(act, chain)
    chain.coverage = []
    open_question(act, Task.BOX_COVERAGE, [chain.name], chain.coverage_barred)


def _fix_representative(act: Act, chain: ChainProgress) -> None:
    if chain.representative not in chain.mentions:
        chain.representative = representative(act.progress, chain)


ENTER: dict[ChainState, Callable[[Act, ChainProgress], None]] = {
    ChainState.VERIFICATION: _enter_verification,
    ChainState.REQUIREMENT: _enter_requirement,
    ChainState.DRAWING: _enter_drawing,
    ChainState.COVERAGE: _enter_coverage,
}


# --- Tallies, boxes, parts ---


def read_requirement(act: Act, chain: ChainProgress) -> None:
    votes = [box_requirement.Answer(vote[2]) for vote in chain.requirement]
    verdict = box_requirement.decide(votes, no_box_votes=act.settings.no_box_votes)
    if verdict is None:
        asked = any(q.task is Task.BOX_REQUIREMENT and q.subject[0] == chain.name for q in act.progress.open.values())
        if not asked:
            voters = (vote[1] for vote in chain.requirement if vote[2] != box_requirement.Answer.NONE_MISSING)
            open_question(act, Task.BOX_REQUIREMENT, [chain.name], voters)
        return
    close_questions_of(act, chain, verdict.value)
    if verdict is box_requirement.Verdict.NO_BOX:
        scene = act.progress.has_type(chain, MentionType.SCENE)
        chain.non_visual = box_requirement.kind_of_non_visual(votes, has_scene_mention=scene).value
    move_chain(act, chain, verdict)


def read_coverage(act: Act, chain: ChainProgress) -> None:
    votes = [box_coverage.Answer(vote[2]) for vote in chain.coverage]
    verdict = box_coverage.decide(votes, needed=act.settings.coverage_votes)
    if verdict is None:
        return
    close_questions_of(act, chain, verdict.value)
    if verdict is box_coverage.Verdict.MORE_NEEDED:
        chain.coverage_barred = sorted({*chain.coverage_barred, *(vote[1] for vote in chain.coverage)})
    move_chain(act, chain, verdict)


def add_box(act: Act, chain: ChainProgress, box: Box, state: BoxState, worker: int | None) -> BoxProgress:
    made = BoxProgress(act.progress.drawn, chain.name, box, state, worker, act.entry)
    act.progress.drawn += 1
    act.progress.boxes[made.number] = made
    act.log("box", made.number, "", state.value, "drawn")
    if state is BoxState.ACCEPTED:
        made.accepted = act.entry
    return made


def bar_from_coverage(act: Act, chain: ChainProgress, worker: int) -> None:
    """Who sent the chain to coverage does not judge that visit."""
    for question in act.progress.open.values():
        if question.task is Task.BOX_COVERAGE and question.subject[0] == chain.name:
            question.barred = sorted({*question.barred, worker})


def split_chain(act: Act, chain: ChainProgress, parts: list[list[int]], source: LinkSource, reason: str) -> None:
    """Leave the first part in the chain and make a chain in the same state of each other part, in reading order."""
    progress = act.progress
    for a, first in enumerate(parts):
        for second in parts[a + 1 :]:
            for one in first:
                for other in second:
                    x, y = progress.reading_order([one, other])
                    progress.sources[x, y] = source
    chain.mentions = parts[0]
    chain.representative, chain.confidence = -1, None
    for part in parts[1:]:
        made = ChainProgress(part[0], part, chain.state, doubted=chain.doubted, review=chain.review)
        progress.chains[made.name] = made
        act.log("chain", made.name, "", made.state.value, reason)
