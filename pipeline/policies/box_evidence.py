"""Box evidence [beyond paper 3.2]: what was heard about a chain's boxes, for the belief and for refits."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from annotation.rules.states import BoxState, ChainState
from belief.boxes.box_answers import BoxQuality, BoxTask
from belief.boxes.box_belief import BoxAnswer, BoxEvidence
from belief.boxes.box_prior import DEFAULT, BoxPrior, counts_of
from belief.boxes.fit_box_prior import FinishedChain
from belief.boxes.proposers import (
    PredictedNumbers,
    ProgramBox,
    QualityAnswer,
    SecondOpinion,
    agreement_errors,
    with_predicted,
)
from belief.models.error_correlation import NO_FAMILIES, Families
from belief.models.records import PERSON
from pipeline.policies.box_policy import BELIEVED, reply_of
from pipeline.policies.engine import Engine
from pipeline.policies.models import beside, in_audit, trust_in
from pipeline.policies.reference_set import is_of_reference, reference_box_count
from pipeline.protocol.boxes import tallies
from pipeline.protocol.boxes.pre_annotations import predicted_numbers
from pipeline.protocol.state.progress import NOTHING_DRAWN, BoxProgress, ChainAnswer, ChainProgress, ImageProgress
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.task import Task

EXPERT_SKILL = -6.0
"""An expert who sends a chain on has seen its boxes, and errs far less than any worker."""
EXPERT_TRUST = 0.99
"""The chance that a box of an expert is good if one is missing."""


def box_evidence(
    progress: ImageProgress,
    chain: ChainProgress,
    prior: BoxPrior,
    pre_annotated: PredictedNumbers,
    model_annotators: Collection[int] = (),
    families: Families = NO_FAMILIES,
) -> BoxEvidence:
    """Return what is expected of the chain's number of boxes, and the answers that count.

    The chain has a representative mention. `pre_annotated`: the numbers of boxes that programs proposed for it.
    `model_annotators`: the programs whose answers count; of those that count as one opinion, the first about each
    thing.
    """
    shown = progress.mentions[chain.representative]
    counts = counts_of(progress.types_of(chain), shown.words, shown.head, prior)
    counts = with_predicted(counts, families.first_of_each(pre_annotated), prior)
    there = shown_boxes(progress, chain)
    every = answers_of(progress, chain, prior, families)
    of_models = (answer for answer in every if answer.model is None or int(answer.model) in model_annotators)
    answers = tuple(families.firsts(of_models, lambda one: (one.model, one.about)))
    drawn = {answer.box for answer in answers if answer.task is BoxTask.DRAWING and answer.box is not None}
    return BoxEvidence(counts, answers, tuple(sorted(drawn.difference(there))))


class ProposedBoxes(NamedTuple):
    """The numbers of boxes proposed for a chain.

    A box that is shown covers others, which would no longer count; so they are counted before one is shown.
    """

    numbers: Mapping[str, int]
    """The number of boxes of each program, but for the one that stands for the data set if the chain is its own."""
    by_source: int
    """The number of boxes of the checked data set."""


def proposed_boxes(progress: ImageProgress, chain: ChainProgress, engine: Engine) -> ProposedBoxes:
    """Return how many boxes programs and a checked data set propose for a chain now."""
    numbers = predicted_numbers(progress, chain) if engine.settings.pre_annotations else {}
    if is_of_reference(progress, chain, engine.source):
        numbers.pop(str(engine.source.program), None)
    return ProposedBoxes(numbers, reference_box_count(progress, chain, engine.source))


def evidence_of_chain(
    progress: ImageProgress, chain: ChainProgress, engine: Engine, proposed: ProposedBoxes
) -> BoxEvidence:
    """Return all that tells of a chain's boxes: answers, what programs propose, and a data set that is checked."""
    source, prior, families = engine.source, engine.box_rules.prior, engine.families_in(Task.BOX_QUALITY)
    models = () if in_audit(chain) else engine.settings.model_annotators
    evidence = box_evidence(progress, chain, prior, proposed.numbers, models, families)
    if not is_of_reference(progress, chain, source):
        return evidence
    told = agreements(progress, chain, source.program, prior, families)
    counts = source.of_boxes(progress.types_of(chain)).weigh(evidence.counts, proposed.by_source)
    return evidence._replace(counts=counts, answers=(*evidence.answers, *told))


def answers_of(
    progress: ImageProgress, chain: ChainProgress, prior: BoxPrior, families: Families = NO_FAMILIES
) -> tuple[BoxAnswer, ...]:
    """Return the answers about the chain's boxes that count, in their order."""
    return tuple(_answer(progress, answer, prior, families) for answer in chain.answers if answer.counts)


def agreements(
    progress: ImageProgress, chain: ChainProgress, of: int, prior: BoxPrior, families: Families
) -> list[BoxAnswer]:
    """Return what other programs' boxes say of the shown boxes of one program, as if they had been judged."""
    shown = shown_boxes(progress, chain)
    own = [box for box in progress.boxes.values() if box.number in shown and box.worker == of]
    return agreements_on(progress, chain, own, prior, families)


def agreements_on(
    progress: ImageProgress, chain: ChainProgress, boxes: Iterable[BoxProgress], prior: BoxPrior, families: Families
) -> list[BoxAnswer]:
    """Return what other programs' boxes say of these boxes of one program, as if they had been judged."""
    said = (BoxQuality.BAD, BoxQuality.GOOD)
    return [
        BoxAnswer(
            BoxTask.QUALITY,
            said[pre_annotated],
            box=box.number,
            model=program,
            errors=agreement_errors(program, prior),
        )
        for box, program, pre_annotated in beside(progress, chain, boxes, families)
    ]


def shown_boxes(progress: ImageProgress, chain: ChainProgress) -> list[int]:
    """Return the numbers of the chain's boxes that were not dropped, the one that is being judged included."""
    own = (box for box in progress.boxes.values() if box.chain == chain.name)
    return sorted(box.number for box in own if box.state is not BoxState.DISCARDED)


def requirement_tally(
    chain: ChainProgress, models: Collection[int] = (), families: Families = NO_FAMILIES
) -> list[ChainAnswer]:
    """Return the votes on the chain's need of a box: those of the paper's tally, and those of models.

    Models that count as one opinion have one vote.
    """
    of_people = tallies.requirement(chain)
    of_models = [
        answer for answer in chain.answers if answer.is_judged_by_model and answer.counts and answer.worker in models
    ]
    voted = [vote for vote in of_models if vote.task is Task.BOX_REQUIREMENT]
    every = sorted((*of_people, *voted), key=lambda one: one.entry)
    return families.firsts(every, lambda vote: (vote.worker if vote.worker in models else None, None))


def _answer(progress: ImageProgress, answer: ChainAnswer, prior: BoxPrior, families: Families) -> BoxAnswer:
    task, model = BELIEVED[answer.task], str(answer.worker) if answer.is_judged_by_model else None
    skill = _skill(answer)
    match answer.task:
        case Task.BOX_DRAWING if (told_of := answer.redrawn_box) is not None:
            # Whoever draws a box again has found it good, and whoever misses none without it, bad.
            said = BoxQuality.BAD if answer.value == NOTHING_DRAWN else BoxQuality.GOOD
            source = _source(progress.boxes[told_of])
            return BoxAnswer(BoxTask.QUALITY, said, skill, told_of, maker=source)
        case Task.BOX_DRAWING:
            box = None if answer.value == NOTHING_DRAWN else answer.value
            return BoxAnswer(task, None, skill, box, tuple(answer.boxes), _trust(progress, answer, prior))
        case Task.BOX_QUALITY:
            judged = progress.boxes[answer.boxes[0]]
            same_family = _is_akin(model, judged, families)
            source, reply = _source(judged), reply_of(answer.task, answer.value)
            return BoxAnswer(task, reply, skill, judged.number, model=model, maker=source, same_family=same_family)
        case _:
            return BoxAnswer(task, reply_of(answer.task, answer.value), skill, None, tuple(answer.boxes), model=model)


def _skill(answer: ChainAnswer) -> float:
    is_expert = answer.worker is None and answer.task is not Task.BOX_DRAWING
    return EXPERT_SKILL if is_expert else answer.skill


def _trust(progress: ImageProgress, drawn: ChainAnswer, prior: BoxPrior) -> float | None:
    """Return the chance that a box is good if one is missing; None of a worker's."""
    if drawn.worker is None:
        return EXPERT_TRUST
    if drawn.trust is None and drawn.is_pre_annotation:  # shown by the paper's loop
        return trust_in(drawn.worker, progress.boxes[drawn.value].score, prior)
    return drawn.trust


def _source(box: BoxProgress) -> str:
    return str(box.worker) if box.pre_annotated else PERSON


def _is_akin(model: str | None, box: BoxProgress, families: Families) -> bool:
    """Return whether a model, or a program that counts as one opinion with it, proposed the box."""
    return model is not None and box.pre_annotated and families.are_one(model, str(box.worker))


FINISHED = (ChainState.COMPLETE, ChainState.NON_VISUAL)


def finished_chains(
    progress: ImageProgress, families: Families = NO_FAMILIES, prior: BoxPrior = DEFAULT
) -> list[FinishedChain]:
    """Return the chains that are complete or non-visual, by either policy.

    Chains that were finished without a question about their boxes are left out: they have no representative mention.
    """
    own = (chain for chain in progress.chains.values() if chain.representative in progress.mentions)
    return [_finished(progress, chain, prior, families) for chain in own if chain.state in FINISHED]


def _finished(progress: ImageProgress, chain: ChainProgress, prior: BoxPrior, families: Families) -> FinishedChain:
    shown = progress.mentions[chain.representative]
    own = [box for box in progress.boxes.values() if box.chain == chain.name]
    pre_annotated = [box for box in own if box.pre_annotated and box.worker is not None]
    return FinishedChain(
        types=progress.types_of(chain),
        words=shown.words,
        head=shown.head,
        boxes=tuple(box.number for box in progress.accepted(chain.name)),
        programs=tuple(
            ProgramBox(str(box.worker), None if box.score is None else box.score / 100, _judged(chain, box, families))
            for box in pre_annotated
        ),
        pre_annotated=predicted_numbers(progress, chain),
        second_opinions=tuple(
            SecondOpinion(program, pre_annotated, box.state is BoxState.ACCEPTED)
            for box, program, pre_annotated in beside(progress, chain, pre_annotated, families)
        ),
        answers=answers_of(progress, chain, prior, families),
        audited=in_audit(chain) is True,
    )


def _judged(chain: ChainProgress, box: BoxProgress, families: Families) -> tuple[QualityAnswer, ...]:
    """Return what was said of a box. What an expert has settled nobody else was asked about."""
    if not chain.answers:
        return (QualityAnswer(box.state is BoxState.ACCEPTED),)
    counted = [answer for answer in chain.answers if answer.counts]
    said = [answer for answer in counted if answer.task is Task.BOX_QUALITY and answer.boxes == [box.number]]
    second = [answer for answer in counted if answer.redrawn_box == box.number]
    own = [(answer, str(answer.worker) if answer.is_judged_by_model else None) for answer in (*said, *second)]
    return tuple(
        QualityAnswer(
            answer.value in (BoxQualityAnswer.GOOD, box.number), _skill(answer), model, _is_akin(model, box, families)
        )
        for answer, model in families.firsts(own, lambda one: (one[1], None))
    )
