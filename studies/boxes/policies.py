"""Policies of the study: the paper's loop by its own rules, and the belief policy."""

from pipeline.rules.boxing.box_belief import BoxEvidence
from pipeline.rules.boxing.count_prior import counts_of
from pipeline.rules.boxing.fit_box_prior import FinishedChain
from pipeline.rules.boxing.next_box_question import BoxRules, StepKind, next_step
from pipeline.rules.tasks import box_coverage, box_drawing, box_quality, box_requirement
from studies.boxes.chain_run import ChainRun

DRAWN_AT_ONCE = frozenset({"people", "clothing", "body parts"})


def paper_loop(run: ChainRun) -> None:
    """Take a chain through the four tasks as the rules of each task decide [paper 3.2]."""
    votes: list[box_requirement.Answer] = []
    shown: list[int] = []
    fruitless = 0
    at_once = not run.chain.types.isdisjoint(DRAWN_AT_ONCE)
    while not run.ended:
        while not at_once and not shown:
            verdict = box_requirement.decide(votes)
            if verdict is box_requirement.Verdict.NO_BOX:
                return run.end("non-visual")
            if verdict is box_requirement.Verdict.BOX:
                break
            votes.append(box_requirement.Answer(run.require()))
        at_once = False
        box = run.draw(shown)
        if box is None:
            fruitless += 1
            drawn = box_drawing.decide(drew=False, accepted_boxes=len(shown), fruitless=fruitless)
            if drawn is box_drawing.Verdict.CYCLING:
                return run.end("review")
            if drawn is box_drawing.Verdict.NONE_AT_ALL:
                votes.append(box_requirement.Answer.NONE_MISSING)
                continue
        else:
            said = box_quality.Answer.GOOD if run.judge(box, [*shown, box]) else box_quality.Answer.BAD
            judged = box_quality.decide(said, fruitless=fruitless + 1)
            if judged is box_quality.Verdict.CYCLING:
                return run.end("review")
            if judged is box_quality.Verdict.BAD:
                fruitless += 1
                # A chain that lost its only box stays in drawing, whatever its tally says.
                at_once = True
                continue
            fruitless = 0
            shown.append(box)
        if _all_there(run, shown):
            run.end("complete", shown)
    return None


def _all_there(run: ChainRun, shown: list[int]) -> bool:
    votes: list[box_coverage.Answer] = []
    while (verdict := box_coverage.decide(votes)) is None:
        votes.append(box_coverage.Answer.ALL_THERE if run.cover(shown) else box_coverage.Answer.MORE_NEEDED)
    return verdict is box_coverage.Verdict.ALL_THERE


def belief_policy(run: ChainRun, rules: BoxRules) -> None:
    """Take a chain through the four tasks as the belief policy decides."""
    counts = counts_of(run.chain.types, run.chain.words, run.chain.words[-1], rules.prior)
    run.prior = rules.prior
    while not run.ended:
        step = next_step(BoxEvidence(counts, tuple(run.answers)), rules)
        match step.kind:
            case StepKind.REQUIREMENT:
                run.require()
            case StepKind.DRAWING:
                run.draw(step.kept)
            case StepKind.QUALITY:
                assert step.box is not None
                run.judge(step.box, step.kept)
            case StepKind.COVERAGE:
                run.cover(step.kept)
            case _:
                run.end(step.kind.value, step.kept, step.confidence)


def finished_chain(run: ChainRun) -> FinishedChain:
    """Return what a project knows of a chain that is done."""
    kept = run.kept if run.ended == "complete" else ()
    words = run.chain.words
    return FinishedChain(run.chain.types, words, words[-1], kept, heard=tuple(run.answers))
