"""Known from finished work [paper 3.3, 3.3.1]: the right answer of a closed question, read from its finished chain.

One answer is no proof. The truth is what the chain became after everything that was asked about it. If that is in
doubt, nothing is taken for the truth, and an expert has to decide.
"""

from typing import Any

from annotation.rules.box import Box, iou
from annotation.rules.states import BoxState, ChainState, NonVisual
from pipeline.known.known_from_gold import BAD_IOU
from pipeline.protocol.image.merging import final_chain
from pipeline.protocol.state.progress import Cause, ChainProgress, ImageProgress
from pipeline.protocol.tasks.answers import candidates_in
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.chain_verification import VerificationAnswer
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer, in_chains
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task

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
