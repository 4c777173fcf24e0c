"""Boxes by belief [beyond paper 3.2]: what follows for a chain from all that was answered about its boxes."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from annotation.rules.box import Box, Drawing, iou
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState
from belief.boxes.box_answers import BoxTask
from belief.boxes.next_box_question import BoxMove, BoxRules, BoxStep, OfferedBox, next_step
from belief.habits import Habits, fuse, habit_of, likely_iou
from pipeline.policies.box_evidence import (
    ProposedBoxes,
    evidence_of_chain,
    proposed_boxes,
    requirement_tally,
    shown_boxes,
)
from pipeline.policies.box_policy import AFTER, MAX_SAME_ANSWERS, TRANSITIONS, BoxVerdict
from pipeline.policies.engine import Engine
from pipeline.policies.models import (
    draw_audit,
    drawer_of_last_box,
    in_audit,
    most_trusted,
    next_for_models,
    relatives_barred,
    trust_in,
    who_may_not_cover,
    who_may_not_judge,
)
from pipeline.policies.reference_set import (
    changes_reference,
    flag_of,
    needs_a_person,
    needs_no_answer,
    reference_boxes,
    trust_in_boxes,
)
from pipeline.protocol.boxes import tallies
from pipeline.protocol.boxes.paper_loop import MEETS
from pipeline.protocol.boxes.policy import BoxDecision, Show
from pipeline.protocol.boxes.pre_annotations import COVERED
from pipeline.protocol.image.judgments import drawings_of
from pipeline.protocol.state.progress import (
    NOTHING_DRAWN,
    BoxProgress,
    ChainAnswer,
    ChainProgress,
    ImageProgress,
    OpenQuestion,
)
from pipeline.protocol.tasks.box_requirement import RequirementAnswer, kind_of_non_visual
from pipeline.protocol.tasks.flow import BOXING, TASK_OF_STATE, TransitionTable
from pipeline.protocol.tasks.task import BOX_TASKS, Task
from pipeline.settings.settings import Settings

ABOUT_MISSING = frozenset({Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_COVERAGE})
"""The tasks that ask, each in its way, whether a box is missing."""
LOOKED_AT_TOGETHER = 0.8
"""Boxes of programs that are likelier good than this are looked at together, by who judges coverage."""
VOTES_BELOW = 0.2
"""A model annotator that calls fewer than this share of chains with a box chains without one has a vote for no box."""
DOUBT_IN_CHANGES = 0.25
"""The share of the usual doubt that may be left before a label of a checked data set is changed."""
DOUBT_IN_JUDGED, DOUBT_IN_JUDGED_TWICE, DOUBT_IN_ANSWERED = 0.55, 0.7, 0.5
"""The same of chains of a reference set that models, or people, have judged: there questions find most errors.

`DOUBT_IN_JUDGED_TWICE`: that model annotators have judged, where other programs' boxes tell already which of their
alarms are false.
"""
SURE_IN_AUDIT = 0.95
"""The wanted sureness, at least, of chains that tell how many labels of a checked data set are wrong."""
ENDS = (BoxMove.COMPLETE, BoxMove.NON_VISUAL)
CHANCE_DIGITS = 4
"""The digits that are kept of a chance."""
VERDICT: Mapping[BoxTask | BoxMove, BoxVerdict] = {
    BoxTask.REQUIREMENT: BoxVerdict.ASK,
    BoxTask.DRAWING: BoxVerdict.DRAW,
    BoxTask.QUALITY: BoxVerdict.JUDGE,
    BoxTask.COVERAGE: BoxVerdict.COVER,
    BoxMove.COMPLETE: BoxVerdict.COMPLETE,
    BoxMove.NON_VISUAL: BoxVerdict.NON_VISUAL,
    BoxMove.REVIEW: BoxVerdict.EXPERT,
}


class _Decided(NamedTuple):
    """The step that the belief alone would take, and the boxes that are likely bad."""

    step: BoxStep
    dropped: tuple[int, ...]


class BeliefBoxes:
    """The box policy *belief*.

    Whether something is missing beside the same boxes, or beside none, is asked of each worker once, be it in box
    requirement, drawing or coverage. Nobody judges the coverage of the box that they drew last, or the quality of the
    same box twice. A box is drawn once more by somebody who has neither drawn nor seen it.

    A program judges no box that it proposed, nor the coverage that its box has brought about, unless
    `own_pre_annotations_judged` lets it. Programs that count as one opinion are barred together.
    """

    transitions: TransitionTable = TRANSITIONS
    tallied: Collection[Task] = BOX_TASKS
    workers_needed: Mapping[Task, int] = MappingProxyType(dict.fromkeys(sorted(BOX_TASKS), MAX_SAME_ANSWERS))

    def __init__(self, engine: Engine) -> None:
        self.engine, self.settings = engine, engine.settings

    def step(
        self, image: ImageProgress, chain: ChainProgress, new_answer: ChainAnswer | None, inactive: Collection[int]
    ) -> Show | BoxDecision:
        """Return what follows from all answers about a chain: see `BoxPolicy.step`.

        An open question stays when an answer is withdrawn, as its answer counts whatever was answered before.
        """
        if new_answer is not None and new_answer.withdrawn:
            return self.enter(image, chain)
        draw_audit(image, chain, self.engine)
        source, prior = self.engine.source, self.engine.box_rules.prior
        proposed = proposed_boxes(image, chain, self.engine)
        rules = self._rules(image, chain, beside=any(name != str(source.program) for name in proposed.numbers))

        def go_on() -> Show | BoxDecision:
            decided = self._decided(image, chain, proposed, rules)
            if isinstance(decided, Show):
                return decided._replace(then=go_on)
            return self._step(image, chain, decided, inactive)

        if own := reference_boxes(image, chain, source):
            trust = trust_in_boxes(source, image.types_of(chain), proposed.by_source, prior)
            return Show(tuple(own), trust, then=go_on)
        return go_on()

    def enter(self, image: ImageProgress, chain: ChainProgress) -> Show | BoxDecision:
        """Return that the task is asked to which the chain has come: that was decided before."""
        return BoxDecision(None, next((box.number for box in image.pending(chain.name)), None))

    # --- What follows ---

    def _decided(
        self, image: ImageProgress, chain: ChainProgress, proposed: ProposedBoxes, rules: BoxRules
    ) -> Show | _Decided:
        """Return the box of a program that is worth taking, or what the belief would do next."""
        source = self.engine.source
        pre_annotation = most_trusted(image, chain, rules.prior) if self.settings.pre_annotations else None
        offer = (
            OfferedBox(trust_in(pre_annotation.worker, pre_annotation.score, rules.prior)) if pre_annotation else None
        )
        evidence = evidence_of_chain(image, chain, self.engine, proposed)
        step = next_step(evidence, rules, offer)
        if step.kind in ENDS and changes_reference(image, chain, source, step.boxes):
            step = next_step(evidence, rules._replace(sure=1 - (1 - rules.sure) * DOUBT_IN_CHANGES), offer)
        shown = shown_boxes(image, chain)
        dropped = tuple(number for number in shown if number not in step.boxes)
        if doubted := [number for number in dropped if needs_a_person(image, chain, source, number)]:
            return _Decided(step._replace(kind=BoxTask.QUALITY, box=doubted[0], boxes=tuple(shown)), ())
        if step.kind is not BoxMove.PRE_ANNOTATION or pre_annotation is None or offer is None:
            return _Decided(step, dropped)
        return Show((pre_annotation,), offer.trust, dropped)

    def _rules(self, image: ImageProgress, chain: ChainProgress, *, beside: bool) -> BoxRules:
        """Return the rules for the chain. Where a checked data set has no box, nobody need vote for that.

        `beside`: other programs than the one that stands for the data set have boxes in the image.
        """
        source, rules = self.engine.source, self.engine.box_rules
        if source.program:
            rules = rules._replace(sure=1 - (1 - rules.sure) * _doubt_left(chain, beside=beside))
        if source.errs_much:
            rules = rules._replace(sure=max(rules.sure, BoxRules().sure))
        if in_audit(chain) and self.settings.check_audit_rate:
            rules = rules._replace(sure=max(rules.sure, SURE_IN_AUDIT))
        if needs_no_answer(image, chain, source, ()):
            return rules._replace(no_box_votes=0, programs_alone=True)
        return rules

    def _step(
        self, image: ImageProgress, chain: ChainProgress, decided: _Decided, inactive: Collection[int]
    ) -> BoxDecision:
        """Return the step, with what is asked of models, or to be drawn once more, before."""
        step, dropped = decided
        verdict, box = self._allowed(image, chain, step)
        kept = [number for number in shown_boxes(image, chain) if number not in dropped]
        if verdict is not BoxVerdict.EXPERT:
            verdict, box = next_for_models(image, chain, kept, self.engine, inactive) or (verdict, box)
        if verdict is BoxVerdict.COMPLETE and (again := self._to_redraw(image, chain, kept)) is not None:
            return BoxDecision(BoxVerdict.DRAW, redraw=again, drop=dropped)
        task, subject = TASK_OF_STATE.get(AFTER[verdict]), [chain.name, *([] if box is None else [box])]
        shown = {number for number in kept if number != box}
        if task is not None and len(self._own_barred(image, chain, task, subject, shown)) >= MAX_SAME_ANSWERS:
            return BoxDecision(BoxVerdict.EXPERT, box, drop=dropped)
        if task is not None or verdict is BoxVerdict.EXPERT:
            return BoxDecision(verdict, box, drop=dropped)
        good = {number: round(step.good[number], CHANCE_DIGITS) for number in kept}
        kind = self._kind(image, chain) if verdict is BoxVerdict.NON_VISUAL else ""
        return BoxDecision(
            verdict, drop=dropped, non_visual=kind, confidence=round(step.confidence, CHANCE_DIGITS), good_chances=good
        )

    def _to_redraw(self, image: ImageProgress, chain: ChainProgress, shown: Sequence[int]) -> int | None:
        def barred(number: int) -> int:
            return len(self._own_barred(image, chain, Task.BOX_DRAWING, [chain.name, number], shown))

        habits = self.engine.box_rules.prior.habits
        return box_to_redraw([image.boxes[number] for number in shown], chain, self.settings, habits, barred)

    def _allowed(self, image: ImageProgress, chain: ChainProgress, step: BoxStep) -> tuple[BoxVerdict, int | None]:
        """Return the verdict, and the box to judge, as far as the project's rules allow what the belief would do.

        Nobody is asked whether a box is required while boxes are shown; a chain is non-visual only with the votes that
        the settings ask for, so that no worker alone makes it so; and no chain is complete by the word of programs
        alone, unless the requester lets them.
        """
        verdict, alone = VERDICT[step.kind], self._programs_alone(chain)
        unchanged = needs_no_answer(image, chain, self.engine.source, step.boxes)
        if unchanged and (verdict is BoxVerdict.COMPLETE if step.boxes else verdict is BoxVerdict.NON_VISUAL):
            return verdict, None
        if verdict is BoxVerdict.NON_VISUAL and not step.boxes:
            people, every = (self._against(chain, models) for models in ((), self._voting_models(chain)))
            enough = (people or alone) and every >= self.settings.no_box_votes
            return (verdict if enough else BoxVerdict.ASK), None
        if verdict is BoxVerdict.COMPLETE and (unjudged := self._unjudged(image, chain, step)):
            return BoxVerdict.JUDGE, min(unjudged, key=lambda box: step.good[box])
        given = (answer for answer in chain.answers if answer.value is not None or answer.worker is None)
        unseen = verdict is BoxVerdict.COMPLETE and not alone and all(answer.by_model for answer in given)
        if unseen and self.settings.model_annotators and min(step.good.values()) > LOOKED_AT_TOGETHER:
            return BoxVerdict.COVER, None
        if step.boxes and (unseen or verdict in (BoxVerdict.ASK, BoxVerdict.NON_VISUAL)):
            return BoxVerdict.JUDGE, min(step.boxes, key=lambda box: step.good[box])
        return verdict, step.box

    def _unjudged(self, image: ImageProgress, chain: ChainProgress, step: BoxStep) -> list[int]:
        """Return the boxes of a checked data set that a person is to judge yet, so that the audit tells of every error.

        Who judges coverage is not asked whether a box is one too many.
        """
        if not in_audit(chain) or not self.settings.check_audit_rate:
            return []
        return [box for box in step.boxes if needs_a_person(image, chain, self.engine.source, box)]

    def _programs_alone(self, chain: ChainProgress) -> bool:
        """Return whether programs that judged the chain may finish it without a person."""
        judged = any(answer.is_judged_by_model for answer in chain.answers)
        return judged and not in_audit(chain) and self.engine.box_rules.programs_alone

    def _against(self, chain: ChainProgress, models: Collection[int]) -> int:
        """Return the votes for no box."""
        votes = requirement_tally(chain, models, self.engine.families_in(Task.BOX_QUALITY))
        return sum(tallies.requirement_answer(vote) is not RequirementAnswer.BOX for vote in votes)

    def _voting_models(self, chain: ChainProgress) -> list[int]:
        known = self.engine.box_rules.prior.model_annotators
        voting = {name for name, record in known.items() if record.of_requirement().miss < VOTES_BELOW}
        counting = () if in_audit(chain) else self.settings.model_annotators
        return [model for model in counting if str(model) in voting]

    def _kind(self, image: ImageProgress, chain: ChainProgress) -> str:
        """Return why a chain has no box."""
        votes = [tallies.requirement_answer(vote) for vote in requirement_tally(chain)]
        scene = image.has_type(chain, MentionType.SCENE)
        flag = "" if votes else flag_of(image, chain)
        return flag or kind_of_non_visual(votes, has_scene_mention=scene).value

    # --- Who may answer ---

    def barred(self, image: ImageProgress, task: Task, subject: Sequence[int]) -> set[int]:
        """Return the workers who may not answer a question about a box task."""
        chain = image.chains[subject[0]]
        accepted = {box.number for box in image.accepted(chain.name)}
        shown = sorted(accepted.union(box.number for box in image.pending(chain.name)))
        about = subject[1:] if task is Task.BOX_QUALITY else shown
        relatives = relatives_barred(image, chain, task, about, self.engine)
        return self._own_barred(image, chain, task, subject, accepted).union(relatives)

    def _own_barred(
        self,
        image: ImageProgress,
        chain: ChainProgress,
        task: Task,
        subject: Sequence[int],
        accepted: Collection[int],
    ) -> set[int]:
        """Return the workers who have answered the same thing, withdrawn answers included, or drawn what is judged.

        `kept`: the boxes that are accepted.
        """
        found = (
            self._judges(image, chain, subject[1])
            if task is Task.BOX_QUALITY
            else self._judges_of_missing(image, chain, task, subject[1:], accepted)
        )
        return {worker for worker in found if worker is not None}

    def _judges(self, image: ImageProgress, chain: ChainProgress, box: int) -> Iterable[int | None]:
        own = image.boxes[box]
        yield who_may_not_judge(own, self.engine)
        yield from (drawing.worker for drawing in own.drawings)
        yield from (answer.worker for answer in chain.answers if answer.redraw_of == box)
        yield from (
            answer.worker for answer in chain.answers if answer.task is Task.BOX_QUALITY and answer.boxes == [box]
        )

    def _judges_of_missing(
        self, image: ImageProgress, chain: ChainProgress, task: Task, hidden: Sequence[int], accepted: Collection[int]
    ) -> Iterable[int | None]:
        """Yield who was asked whether one is missing beside the same boxes, and who has drawn or seen a hidden box."""
        there = {number for number in accepted if number not in hidden}
        for box in hidden:
            own = image.boxes[box]
            yield own.worker
            yield from (drawing.worker for drawing in own.drawings)
            yield from (answer.worker for answer in chain.answers if answer.redraw_of == box or box in answer.boxes)
        drawer, lets = drawer_of_last_box(chain), self.settings.drawer_judges_coverage
        for answer in chain.answers:
            by_drawer = answer.worker == drawer and answer.task is Task.BOX_DRAWING
            is_let = task is Task.BOX_COVERAGE and lets and by_drawer
            if answer.task in ABOUT_MISSING and set(answer.boxes) == there and not is_let:
                yield answer.worker
        if task is Task.BOX_COVERAGE:
            yield from who_may_not_cover(chain, self.engine)

    def is_model(self, worker: int, task: Task) -> bool:
        """Return whether the project lets the program judge, and the task is one of judging."""
        return worker in self.engine.judges(task)

    def sets_aside(self, worker: int, task: Task) -> bool:
        """Return whether the project does not let the program judge."""
        return not self.is_model(worker, task)

    # --- Answers and boxes ---

    def may_withdraw(self, image: ImageProgress, chain: ChainProgress, answer: ChainAnswer) -> bool:
        """Return whether an answer is unresolved.

        It is resolved once its chain is finished or in review, or if it is about a box that was dropped; a drawing also
        once others have answered with its box before them.
        """
        if chain.state not in BOXING:
            return False
        drew = answer.task is Task.BOX_DRAWING and answer.value != NOTHING_DRAWN
        about = [answer.value] if drew else answer.boxes if answer.task is Task.BOX_QUALITY else []
        if any(image.boxes[number].state is BoxState.DISCARDED for number in about):
            return False
        since = chain.answers[chain.answers.index(answer) + 1 :]
        return not (drew and any(answer.value in later.boxes and later.counts for later in since))

    def box_drawn_before(self, image: ImageProgress, question: OpenQuestion, drawn: Box) -> int | None:
        """Return the box that shows the same thing as what was drawn; None: the drawing makes a box of its own."""
        return box_drawn_before(image, question, drawn, self.settings)

    def drawings_of(self, image: ImageProgress, chain: ChainProgress, drawing: Drawing) -> list[Drawing]:
        """Return a new box's drawing, after those of the same thing in boxes that were dropped."""
        return [*dropped_drawings(image, chain, drawing.box), drawing] if self.settings.fuse_boxes else []

    def box_of(self, drawings: Sequence[Drawing]) -> Box:
        """Return the box of several drawings, each without the habits of its worker."""
        return fused(drawings, self.engine.box_rules.prior.habits)


def _doubt_left(chain: ChainProgress, *, beside: bool) -> float:
    """Return the share of the usual doubt that may be left about a chain of a checked data set."""
    given = [
        answer
        for answer in chain.answers
        if answer.worker is not None and answer.value is not None and not answer.is_pre_annotation
    ]
    by_models, by_people = (any(answer.by_model is of_models for answer in given) for of_models in (True, False))
    judged = DOUBT_IN_JUDGED_TWICE if beside else DOUBT_IN_JUDGED
    return (judged if by_models else 1.0) * (DOUBT_IN_ANSWERED if by_people else 1.0)


def box_to_redraw(
    boxes: Iterable[BoxProgress],
    chain: ChainProgress,
    settings: Settings,
    habits: Habits,
    barred: Callable[[int], int],
) -> int | None:
    """Return the box of a chain that would be complete now which is to be drawn once more first; None: there is none.

    That is the one that is likely loosest. Earlier the worker would more often draw something else that is missing.
    `barred`: the number of workers who may not draw a box once more.
    """
    if not settings.fuse_boxes:
        return None
    exact = {box.number: _likely_iou(box, habits) for box in boxes}
    loose = [number for number in exact if exact[number] < settings.redraw_below]
    wanted = [number for number in loose if not _was_redrawn(chain, number) and barred(number) < MAX_SAME_ANSWERS]
    return min(wanted, key=lambda number: (exact[number], number), default=None)


def _likely_iou(box: BoxProgress, habits: Habits) -> float:
    """Return the expected IOU of a box of one drawing; 1 of any other and of an expert's."""
    drawings = drawings_of(box)
    if len(drawings) > 1 or box.worker is None:
        return 1.0
    return likely_iou(drawings[0].box, habit_of(box.worker, habits))


def _was_redrawn(chain: ChainProgress, number: int) -> bool:
    return any(answer.redraw_of == number and (answer.counts or answer.worker is None) for answer in chain.answers)


def box_drawn_before(image: ImageProgress, question: OpenQuestion, drawn: Box, settings: Settings) -> int | None:
    """Return the box that shows the same thing as what was drawn: the one that should be, or else a shown one.

    A worker who sees a box and draws another there may mean another thing; so the boxes must be as alike as any that
    merge.
    """
    chain = image.chains[question.subject[0]]
    for hidden in question.subject[1:]:
        if iou(image.boxes[hidden].box, drawn) >= MEETS:
            return hidden
    if not settings.fuse_boxes:
        return None
    other = image.has_type(chain, MentionType.OTHER)
    least = settings.merge_iou_other if other else settings.merge_iou
    shown = [box for box in image.accepted(chain.name) if box.number not in question.subject[1:]]
    alike = {box.number: iou(box.box, drawn) for box in shown if iou(box.box, drawn) >= least}
    return max(alike, key=lambda number: alike[number], default=None)


def dropped_drawings(image: ImageProgress, chain: ChainProgress, drawn: Box) -> list[Drawing]:
    """Return the drawings of the same thing in boxes that were dropped. Voided ones are not among them."""
    counted = [answer.value for answer in chain.answers if answer.task is Task.BOX_DRAWING and answer.counts]
    boxes = [image.boxes[number] for number in counted if number in image.boxes]
    gone = [box for box in boxes if box.state is BoxState.DISCARDED and iou(box.box, drawn) >= COVERED]
    found = {drawing.entry: drawing for box in gone for drawing in drawings_of(box)}
    return [found[entry] for entry in sorted(found)]


def fused(drawings: Sequence[Drawing], habits: Habits) -> Box:
    """Return the box of several drawings of a thing.

    A worker may draw a box once more that is shown: the later drawing counts, and one person counts once.
    """
    counted = {drawing.worker: drawing for drawing in drawings}
    return fuse(list(counted.values()), habits)
