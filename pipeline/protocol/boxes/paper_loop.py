"""The paper's loop [paper 3.2]: the answers of one box task decide which comes next.

Requirement leads to drawing, drawing to quality, quality to coverage or back to drawing, and coverage to the end or
back to drawing; who finds none missing leads to coverage, or to requirement while there is no box. A box that a program
proposes takes the place of a drawing (beyond the paper).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from annotation.rules.box import Box, Drawing, iou
from annotation.rules.mention_type import MentionType
from annotation.rules.states import ChainState
from pipeline.protocol.boxes import tallies
from pipeline.protocol.boxes.policy import BoxDecision, Show
from pipeline.protocol.boxes.pre_annotations import next_pre_annotation
from pipeline.protocol.settings import BoxSettings
from pipeline.protocol.state.progress import Cause, ChainAnswer, ChainProgress, ImageProgress, OpenQuestion
from pipeline.protocol.tasks.box_coverage import CoverageAnswer, decide_coverage
from pipeline.protocol.tasks.box_drawing import DrawingVerdict, decide_drawing
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer, BoxQualityVerdict, decide_quality
from pipeline.protocol.tasks.box_requirement import (
    RequirementVerdict,
    decide_requirement,
    kind_of_non_visual,
    unresolved,
)
from pipeline.protocol.tasks.chain_verification import decide_verification
from pipeline.protocol.tasks.coreference_link import decide_placed
from pipeline.protocol.tasks.flow import NO_MORE, TASK_OF_STATE, TransitionTable
from pipeline.protocol.tasks.task import Task

S = ChainState
MEETS = 0.3
"""A box that was drawn where one is hidden shows the same thing from this IOU on: whatever else is there is shown."""


@dataclass(frozen=True, slots=True)
class PaperLoop:
    """The box policy of the paper."""

    settings: BoxSettings
    transitions: ClassVar[TransitionTable] = NO_MORE
    tallied: ClassVar[Collection[Task]] = (Task.BOX_REQUIREMENT, Task.BOX_COVERAGE)

    @property
    def workers_needed(self) -> Mapping[Task, int]:
        """The number of workers, by task, if tallies are the longest, and no box is accepted but the last."""
        fruitless, votes = self.settings.fruitless_drawings, self.settings.coverage_votes
        # Before the first box every vote is another worker's: votes for no box, from box requirement (one fewer than
        # close the chain) and from drawing (one fewer than send it to review), and as many votes for a box.
        against = self.settings.no_box_votes - 1 + fruitless - 1
        return {
            Task.BOX_REQUIREMENT: 2 * against + 1,
            Task.BOX_DRAWING: max(2 * against + 2, fruitless),
            Task.BOX_QUALITY: 2,
            Task.BOX_COVERAGE: (2 * votes - 1) * fruitless + 1,
        }

    def step(
        self, image: ImageProgress, chain: ChainProgress, new_answer: ChainAnswer | None, inactive: Collection[int]
    ) -> Show | BoxDecision:
        """Return what follows from the answers about a chain: see `BoxPolicy.step`."""
        is_new = (
            new_answer is not None and not new_answer.withdrawn and new_answer.task is TASK_OF_STATE.get(chain.state)
        )
        answer = new_answer if is_new else None
        match chain.state:
            case S.LINKING:
                return BoxDecision(decide_placed(chain.mentions, drawn_at_once=self.drawn_at_once(image, chain)))
            case S.VERIFICATION:
                # A chain that an expert sent to verification may have boxes: nobody is asked whether it can have any.
                at_once = self.drawn_at_once(image, chain) or bool(image.accepted(chain.name))
                return BoxDecision(decide_verification(drawn_at_once=at_once))
            case S.REQUIREMENT:
                return self._required(image, chain)
            case S.DRAWING:
                return self._drawn(image, chain, answer)
            case S.QUALITY:
                return self._judged(image, chain, answer)
        votes = [CoverageAnswer(vote.value) for vote in tallies.visit(chain)]
        verdict = decide_coverage(votes, needed=self.settings.coverage_votes)
        return BoxDecision(verdict, outcome=verdict)

    def enter(self, image: ImageProgress, chain: ChainProgress) -> Show | BoxDecision:
        """Read the tally, or take a pre-annotation, before a question is opened."""
        return self.step(image, chain, None, ())

    def drawn_at_once(self, image: ImageProgress, chain: ChainProgress) -> bool:
        """Return whether the chain skips box requirement [paper 3.2.1], because of the type of one of its mentions."""
        return not image.types_of(chain).isdisjoint(self.settings.drawn_at_once)

    def _required(self, image: ImageProgress, chain: ChainProgress) -> BoxDecision:
        votes = [tallies.requirement_answer(vote) for vote in tallies.requirement(chain)]
        verdict = decide_requirement(votes, no_box_votes=self.settings.no_box_votes)
        if verdict is not RequirementVerdict.NO_BOX:
            return BoxDecision(verdict, outcome=verdict)
        scene = image.has_type(chain, MentionType.SCENE)
        kind = kind_of_non_visual(votes, has_scene_mention=scene)
        return BoxDecision(verdict, outcome=verdict, non_visual=kind.value)

    def _drawn(self, image: ImageProgress, chain: ChainProgress, answer: ChainAnswer | None) -> Show | BoxDecision:
        drawn = next(iter(image.pending(chain.name)), None)
        if drawn is not None:
            return BoxDecision(
                DrawingVerdict.BOX, drawn.number, cause=Cause.PRE_ANNOTATED if drawn.pre_annotated else None
            )
        if answer is None:
            pre_annotation = next_pre_annotation(image, chain) if self.settings.pre_annotations else None
            return Show((pre_annotation,)) if pre_annotation else BoxDecision(None)
        if answer.redraw_of is not None:  # asked under another policy, of a box that is not shown
            return BoxDecision(DrawingVerdict.NONE_MISSING)
        accepted = _accepted_numbers(image, chain)
        fruitless, most = tallies.fruitless(chain, accepted), self.settings.fruitless_drawings
        return BoxDecision(decide_drawing(drew=False, accepted_boxes=len(accepted), fruitless=fruitless, most=most))

    def _judged(self, image: ImageProgress, chain: ChainProgress, answer: ChainAnswer | None) -> BoxDecision:
        judged = next(iter(image.pending(chain.name)), None)
        if judged is None:
            return BoxDecision(BoxQualityVerdict.BAD, cause=Cause.BOX_VOIDED)
        if answer is None:
            return BoxDecision(None, judged.number)
        fruitless, most = tallies.fruitless(chain, _accepted_numbers(image, chain)), self.settings.fruitless_drawings
        verdict = decide_quality(BoxQualityAnswer(answer.value), fruitless=fruitless, most=most)
        return BoxDecision(verdict, drop=() if verdict is BoxQualityVerdict.GOOD else (judged.number,))

    def barred(self, image: ImageProgress, task: Task, subject: Sequence[int]) -> set[int]:
        """Return the workers who may not answer a question about a box task.

        - Requirement: who has voted in the tally, by a requirement judgment or by "none missing" in box drawing.
        - Drawing: who found none missing since the last good box; before the first accepted box every voter above, too.
        - Quality: who drew the box.
        - Coverage: who judged the same boxes before, and, unless the settings let them, whose drawing or "none missing"
          has led to this visit.

        So no worker alone makes a chain non-visual, or sends it to review.
        """
        chain = image.chains[subject[0]]
        accepted, found = _accepted_numbers(image, chain), set[int | None]()
        match task:
            case Task.BOX_REQUIREMENT:
                found = tallies.requirement_voters(chain)
            case Task.BOX_DRAWING:
                voters = set() if accepted else {vote.worker for vote in tallies.requirement(chain)}
                found = tallies.found_none(chain, accepted) | voters
            case Task.BOX_QUALITY:
                box = image.boxes[subject[1]]
                found = {box.worker, *(drawing.worker for drawing in box.drawings)}
            case Task.BOX_COVERAGE:
                drawer = () if self.settings.drawer_judges_coverage else (tallies.latest_drawer(chain),)
                found = tallies.judges(chain, accepted).union(drawer)
        return {worker for worker in found if worker is not None}

    def may_withdraw(self, image: ImageProgress, chain: ChainProgress, answer: ChainAnswer) -> bool:
        """Return whether an answer is a vote of a tally that has not decided, or a box that nobody has judged yet."""
        match chain.state:
            case S.REQUIREMENT:
                votes = tallies.requirement(chain)
                places = unresolved([tallies.requirement_answer(vote) for vote in votes])
                return answer in [votes[place] for place in places]
            case S.COVERAGE:
                return answer in tallies.visit(chain)
            case S.QUALITY:
                pending = [box.number for box in image.pending(chain.name)]
                return answer.task is Task.BOX_DRAWING and answer.value in pending
        return False

    def box_drawn_before(self, image: ImageProgress, question: OpenQuestion, drawn: Box) -> int | None:
        """Return the hidden box, if it was drawn once more: that was asked under another policy."""
        hidden = question.subject[1:]
        return next((number for number in hidden if iou(image.boxes[number].box, drawn) >= MEETS), None)

    def drawings_of(self, image: ImageProgress, chain: ChainProgress, drawing: Drawing) -> list[Drawing]:
        """Return none: a box is as it was drawn."""
        return []

    def box_of(self, drawings: Sequence[Drawing]) -> Box:
        """Return the mean of the drawings, each edge rounded half up."""
        edges = zip(*(drawing.box for drawing in drawings), strict=True)
        return Box(*((2 * sum(edge) + len(drawings)) // (2 * len(drawings)) for edge in edges))

    def is_model(self, worker: int, task: Task) -> bool:
        """Return no: a program counts as any worker."""
        return False

    def sets_aside(self, worker: int, task: Task) -> bool:
        """Return no: every answer counts."""
        return False


def _accepted_numbers(image: ImageProgress, chain: ChainProgress) -> set[int]:
    return {box.number for box in image.accepted(chain.name)}
