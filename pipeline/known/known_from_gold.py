"""Known questions [paper 3.3, 3.3.1]: verification questions made from an image's gold, which knows their answers.

The image goes through the pipeline's own rules, with right answers only. Whatever they ask is a question that workers
are really asked, as often as they are asked it. Questions whose right answer never comes up that way are made from
these with as little changed as possible: one phrase of a chain, one box.

Or they come from closed questions, whose right answer is read from the finished chain. One answer is no proof: the
truth is what the chain became after everything that was asked about it. If that is in doubt, an expert has to decide.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

from annotation.rules.box import Box, iou
from annotation.rules.states import BoxState, ChainState, NonVisual
from annotation.rules.transitivity import can_corefer
from pipeline.protocol.image.machine import EntryKind, RecordEntry, apply
from pipeline.protocol.image.merging import final_chain
from pipeline.protocol.rules import Rules
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.state.progress import Cause, ChainProgress, ImageProgress, OpenQuestion
from pipeline.protocol.state.rows import question_view
from pipeline.protocol.tasks.answers import candidates_in, drawing
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.chain_verification import VerificationAnswer
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer, in_chains
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task

BAD_IOU = 0.4
"""A box that is shown as bad has a lower IOU than this with each box of the chain: no worker can take it for good."""
ASTRAY_IOU = 0.1
"""A box that is shown as the only one, around something else, has a lower IOU than this with each box of the chain."""

PHRASE_TASKS = frozenset({Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION})
"""The tasks about phrases alone."""

Mentions = dict[int, MentionProgress]
"""The mentions of an image, by number."""


@dataclass(frozen=True, slots=True)
class KnownChain:
    """One chain of gold. `mentions`: numbers, in reading order."""

    mentions: tuple[int, ...]
    scene: bool
    boxes: tuple[Box, ...]
    open: bool = False
    """Whether gold leaves open why the chain has no box: its box questions have no right answer."""


class GoldQuestion(NamedTuple):
    """A question with its answer; `shown` as in `pipeline.protocol.state.rows`, `truth` as `known_answer`."""

    task: Task
    shown: dict[str, Any]
    truth: Any


def known_view(shown: dict[str, Any]) -> dict[str, Any]:
    """Return what a known question shows where this is shown of a real one: a preset would give its answer away."""
    return {name: value for name, value in shown.items() if name != "preset"}


class QuestionLook(NamedTuple):
    """The features of a question that any worker can see, and that must not tell a verification question."""

    types: tuple[str, ...]
    """The types of all mentions shown."""
    mentions: int
    boxes: int


def look_of(types: Mapping[int, Sequence[str]], shown: dict[str, Any]) -> QuestionLook:
    """Return the look of a question about an image. `types`: those of its mentions, by number."""
    found = {kind for place in shown["mentions"] for kind in types.get(place[0], ())}
    return QuestionLook(tuple(sorted(found)), len(shown["mentions"]), len(shown["boxes"]))


def known_questions(
    mentions: Mentions,
    chains: Sequence[KnownChain],
    width: int,
    height: int,
    rng: Random,
    questions: Sequence[GoldQuestion],
) -> Iterator[GoldQuestion]:
    """Make every question that this image's gold answers and that workers can be asked, once, in random order.

    `mentions`: those of the image; mentions of gold that no longer exist are left out. `width` and `height`: the
    image's, in pixels. `asked`: see `questions_with_right_answers`.
    """
    once = list({repr(known): known for known in questions}.values())
    more = (*_other_links(mentions, chains, once), *_otherwise(mentions, chains, once, width, height, rng))
    made = {repr(known): known for known in (*once, *more)}
    yield from rng.sample(list(made.values()), len(made))


def questions_with_right_answers(
    mentions: Mentions, chains: Sequence[KnownChain], rng: Random, rules: Rules
) -> list[GoldQuestion]:
    """Return all that would be asked about the image if every answer were right, repetitions too."""
    of_mention = {number: chain for chain in chains for number in chain.mentions if number in mentions}
    if not of_mention:
        return []
    progress = ImageProgress(mentions={number: mentions[number] for number in sorted(of_mention)})
    apply(progress, RecordEntry(1, EntryKind.START, {}), rules)
    order = {chain: rng.sample(chain.boxes, len(chain.boxes)) for chain in chains}
    questions: list[GoldQuestion] = []
    while progress.open:
        question = next(iter(progress.open.values()))
        shown = known_view(question_view(progress, question))
        known = GoldQuestion(question.task, shown, _truth(progress, question, of_mention, order))
        if _has_answer(question, of_mention) and _is_usual(progress, known, rules):
            questions.append(known)
        answer = known.truth
        if known.task is Task.BOX_DRAWING:
            answer = drawing(known.truth[0] if known.truth else None)
        data = {"question": question.number, "worker": progress.sequence, "answer": answer}
        apply(progress, RecordEntry(progress.sequence + 1, EntryKind.JUDGMENT, data), rules)
    return questions


def _truth(
    progress: ImageProgress,
    question: OpenQuestion,
    of_mention: dict[int, KnownChain],
    order: dict[KnownChain, list[Box]],
) -> Any:
    """Return the right answer; for box drawing the boxes that are missing, in the order in which they are drawn."""
    if question.task is Task.COREFERENCE_LINK:
        about, *candidates = question.subject
        same = [number for number in candidates if of_mention[number] is of_mention[about]]
        if len(candidates) > 1:
            return {"same": same}
        return (CoreferenceAnswer.SAME if same else CoreferenceAnswer.DIFFERENT).value
    chain = of_mention[question.subject[0]]
    if question.task is Task.CHAIN_VERIFICATION:
        whole = all(of_mention[number] is chain for number in progress.chains[question.subject[0]].mentions)
        return (VerificationAnswer.TRUE if whole else VerificationAnswer.FALSE).value
    if question.task is Task.BOX_REQUIREMENT:
        without = RequirementAnswer.SCENE if chain.scene else RequirementAnswer.NO_BOX
        return (RequirementAnswer.BOX if chain.boxes else without).value
    if question.task is Task.BOX_QUALITY:
        return BoxQualityAnswer.GOOD.value
    there = {box.box for box in progress.accepted(question.subject[0])}
    missing = [list(box) for box in dict.fromkeys(order[chain]) if box not in there]
    if question.task is Task.BOX_DRAWING:
        return missing
    return (CoverageAnswer.MORE_NEEDED if missing else CoverageAnswer.ALL_THERE).value


def _has_answer(question: OpenQuestion, of_mention: dict[int, KnownChain]) -> bool:
    """Return whether gold answers the question: of a chain that it leaves open, it knows the phrases only."""
    return question.task in PHRASE_TASKS or not of_mention[question.subject[0]].open


def _is_usual(progress: ImageProgress, known: GoldQuestion, rules: Rules) -> bool:
    """Return whether the question would not stand out.

    Leaves out what is asked so rarely that it tells: a requirement of types that are drawn at once, a chain with
    mentions that no link of the project can join.
    """
    numbers = [place[0] for place in known.shown["mentions"]]
    own = [progress.mentions[number] for number in numbers]
    if known.task is Task.COREFERENCE_LINK:
        pairs = progress.pairs_of(numbers)
        return all(rules.links.may_ask(*(progress.mentions[end].for_links() for end in pair)) for pair in pairs)
    if known.task is Task.BOX_REQUIREMENT:
        chain = [progress.mentions[number] for number in progress.chain_of(own[0].number).mentions]
        return all(set(mention.types).isdisjoint(rules.settings.drawn_at_once) for mention in chain)
    return all(rules.links.may_ask(a.for_links(), b.for_links()) for a, b in combinations(own, 2))


def can_be_linked(mentions: Sequence[MentionProgress]) -> bool:
    """Return whether every two of the mentions can corefer: the links never connect others without a contradiction."""
    return all(can_corefer(a.for_links(), b.for_links()) for a, b in combinations(mentions, 2))


def _other_links(
    mentions: Mentions, chains: Sequence[KnownChain], questions: Sequence[GoldQuestion]
) -> Iterator[GoldQuestion]:
    """Make links that are asked only after other answers, so that a small image has as many of each answer."""
    of_mention = {number: chain for chain in chains for number in chain.mentions if number in mentions}
    ordered = sorted((mentions[number] for number in of_mention), key=lambda one: one.order)
    found: dict[str, list[GoldQuestion]] = {answer.value: [] for answer in CoreferenceAnswer}
    for a, b in combinations(ordered, 2):
        if can_be_linked([a, b]):
            answers = CoreferenceAnswer
            truth = answers.SAME if of_mention[a.number] is of_mention[b.number] else answers.DIFFERENT
            places = [[mention.number, mention.caption, mention.start, mention.end] for mention in (a, b)]
            shown = {"mentions": places, "boxes": [], "new_box": None}
            found[truth.value].append(GoldQuestion(Task.COREFERENCE_LINK, shown, truth.value))
    each = min(len(some) for some in found.values())
    for some in found.values():
        fresh = [known for known in some if known not in questions]
        yield from fresh[: max(0, each - len(some) + len(fresh))]


def _otherwise(
    mentions: Mentions,
    chains: Sequence[KnownChain],
    questions: Sequence[GoldQuestion],
    width: int,
    height: int,
    rng: Random,
) -> Iterator[GoldQuestion]:
    """Make questions with the answers that do not come up where every answer is right.

    A chain with one phrase of another chain, a drawing with nothing missing, a bad box, and a chain whose only box was
    accepted although it is around something else: where gold has one box a chain, nothing is missing otherwise.
    """
    of_mention = {number: chain for chain in chains for number in chain.mentions if number in mentions}
    everything = list(dict.fromkeys(box for chain in chains for box in chain.boxes))
    for known in questions:
        if known.task is Task.CHAIN_VERIFICATION and known.truth == VerificationAnswer.TRUE:
            wrong = _with_stranger(mentions, of_mention, known, rng)
            if wrong is not None:
                yield GoldQuestion(known.task, wrong, VerificationAnswer.FALSE.value)
        elif known.task is Task.BOX_COVERAGE and known.truth == CoverageAnswer.ALL_THERE:
            yield GoldQuestion(Task.BOX_DRAWING, known.shown, [])
            shown, right = known.shown["boxes"], of_mention[known.shown["mentions"][0][0]].boxes
            astray = [list(box) for box in everything if all(iou(box, good) < ASTRAY_IOU for good in right)]
            if len(shown) == 1 and astray:
                instead = {**known.shown, "boxes": [rng.choice(astray)]}
                yield GoldQuestion(known.task, instead, CoverageAnswer.MORE_NEEDED.value)
        elif known.task is Task.BOX_QUALITY:
            right = of_mention[known.shown["mentions"][0][0]].boxes
            bad = _bad_box(Box(*known.shown["new_box"]), right, width, height, rng)
            if bad is not None:
                yield GoldQuestion(known.task, {**known.shown, "new_box": list(bad)}, BoxQualityAnswer.BAD.value)


def _with_stranger(
    mentions: Mentions, of_mention: dict[int, KnownChain], known: GoldQuestion, rng: Random
) -> dict[str, Any] | None:
    """Replace one phrase of a chain by one of another chain, of the same caption if possible; None if there is none."""
    own = [mentions[place[0]] for place in known.shown["mentions"]]
    chain = of_mention[own[0].number]
    found: list[tuple[bool, list[MentionProgress]]] = []
    for old in own:
        rest = [mention for mention in own if mention is not old]
        for number in of_mention:
            new = mentions[number]
            if of_mention[number] is not chain and can_be_linked([*rest, new]):
                found.append((new.caption != old.caption, sorted([*rest, new], key=lambda one: one.order)))
    if not found:
        return None
    nearest = min(moved for moved, _ in found)
    wrong = rng.choice([some for moved, some in found if moved is nearest])
    return {
        **known.shown,
        "mentions": [[mention.number, mention.caption, mention.start, mention.end] for mention in wrong],
    }


def _bad_box(box: Box, known: Sequence[Box], width: int, height: int, rng: Random) -> Box | None:
    """Return a part of the box, or the box moved aside; None if each of these could pass for a good box."""
    w, h = box.x1 - box.x0, box.y1 - box.y0
    moved = [Box(box.x0 + dx, box.y0 + dy, box.x1 + dx, box.y1 + dy) for dx, dy in ((w // 2, 0), (-w // 2, 0))]
    moved += [Box(box.x0, box.y0 + d, box.x1, box.y1 + d) for d in (h // 2, -h // 2)]
    parts = [Box(box.x0, box.y0, box.x0 + w // 3, box.y1), Box(box.x0, box.y0, box.x1, box.y0 + h // 3)]
    wrong = [box_aside for box_aside in (*moved, *parts) if box_aside.fits(width, height)]
    wrong = [box_aside for box_aside in wrong if all(iou(box_aside, right) < BAD_IOU for right in known)]
    return rng.choice(wrong) if wrong else None


AT_REST = frozenset({ChainState.COMPLETE, ChainState.NON_VISUAL})


class NotSureError(Exception):
    """The right answer of a question is in doubt; the message says why."""


def check_phrases(progress: ImageProgress, shown: dict[str, Any]) -> None:
    """Raise NotSureError if a phrase that the question shows was changed or removed since."""
    for number, *place in shown["mentions"]:
        mention = progress.mentions.get(number)
        if mention is None or [mention.caption, mention.start, mention.end] != place:
            raise NotSureError("A phrase that it shows was changed or removed since.")


def settled_truth(progress: ImageProgress, task: Task, shown: dict[str, Any], outcome: str) -> Any:
    """Return the truth of a closed question, as a verification question holds it. `outcome`: how it was closed.

    A survey's truth is known by construction, or is what all workers answered.

    Raises NotSureError if its chain is not finished, is doubted, or became something else than the answers said.
    """
    if task in SURVEY_TASKS:
        return _of_survey(progress, shown)
    check_phrases(progress, shown)
    numbers = [place[0] for place in shown["mentions"]]
    chains = [_at_rest(progress, number) for number in numbers]
    if candidates_in(task, shown):
        return _of_sweep(progress, chains, shown, outcome)
    if task is Task.COREFERENCE_LINK:
        said = in_chains(outcome)
        return _of_phrases(progress, chains, CoreferenceAnswer.SAME, CoreferenceAnswer.DIFFERENT, said)
    if task is Task.CHAIN_VERIFICATION:
        return _of_phrases(progress, chains, VerificationAnswer.TRUE, VerificationAnswer.FALSE, outcome)
    return _of_boxes(progress, task, chains[0], shown)


def _of_survey(progress: ImageProgress, shown: dict[str, Any]) -> Any:
    """Return the truth of a survey's question: what is known by construction, or what all workers answered."""
    found = [survey for survey in progress.surveys.values() if survey.shown == shown["survey"]]
    if not found:
        raise NotSureError("It is not asked any more.")
    [survey, *_] = found
    if survey.truth is not None:
        return survey.truth
    answers = [vote.answer for vote in survey.votes]
    if not answers or any(answer != answers[0] for answer in answers):
        raise NotSureError("Workers did not all answer the same.")
    return answers[0]


def _at_rest(progress: ImageProgress, mention: int) -> ChainProgress:
    chain = progress.chain_of(mention)
    if chain.state not in AT_REST:
        raise NotSureError(f"Its chain is still in {chain.state.value}.")
    if chain.doubted:
        raise NotSureError("Its chain is doubted.")
    return chain


def _of_phrases(progress: ImageProgress, chains: list[ChainProgress], yes: str, no: str, outcome: str) -> str:
    """Return `yes` if the phrases ended in one chain, else `no`; raise NotSureError if the outcome was the other."""
    names = {final_chain(progress, chain.name) for chain in chains}
    end = str(yes if len(names) == 1 else no)
    if outcome != end:
        raise NotSureError(f"It was closed as “{outcome}”, and in the end it would be “{end}”.")
    return end


def _of_sweep(
    progress: ImageProgress, chains: list[ChainProgress], shown: dict[str, Any], outcome: str
) -> dict[str, list[int]]:
    """Return which candidates ended in the chain of the mention that is given; raise NotSureError without an answer."""
    if outcome != Cause.SWEPT.value:
        raise NotSureError(f"It was closed as “{outcome}”, without an answer.")
    about, *names = (final_chain(progress, chain.name) for chain in chains)
    candidates = candidates_in(Task.COREFERENCE_LINK, shown)
    return {"same": [number for number, name in zip(candidates, names, strict=True) if name == about]}


def _of_boxes(progress: ImageProgress, task: Task, chain: ChainProgress, shown: dict[str, Any]) -> Any:
    boxes = [box.box for box in progress.accepted(chain.name)]
    if task is Task.BOX_REQUIREMENT:
        scene = RequirementAnswer.SCENE if chain.non_visual == NonVisual.SCENE.value else RequirementAnswer.NO_BOX
        return (RequirementAnswer.BOX if boxes else scene).value
    there = [Box(*box) for box in shown["boxes"]]
    if not set(there) <= set(boxes):
        raise NotSureError("A box that it shows was removed since.")
    missing = [box for box in boxes if box not in there]
    if task is Task.BOX_DRAWING:
        return [list(box) for box in missing]
    if task is Task.BOX_COVERAGE:
        return (CoverageAnswer.MORE_NEEDED if missing else CoverageAnswer.ALL_THERE).value
    return _quality(progress, Box(*shown["new_box"]), missing)


def _quality(progress: ImageProgress, new: Box, missing: list[Box]) -> str:
    """Return "good" if the box is still accepted; "bad" if it is not, and resembles no box that was missing then."""
    if new in missing:
        return BoxQualityAnswer.GOOD.value
    pending = any(box.box == new and box.state is BoxState.PENDING for box in progress.boxes.values())
    if pending or any(iou(new, box) >= BAD_IOU for box in missing):
        raise NotSureError("The box was refused, and is much like one that was accepted.")
    return BoxQualityAnswer.BAD.value
