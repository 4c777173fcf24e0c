"""Example [beyond paper 3.2]: answers of your own, about boxes and about links, weighed without Chainbox.

Run it with `python -m belief.example`.
"""

from collections.abc import Iterator

from annotation.rules.transitivity import LinkMention
from belief.boxes import box_prior
from belief.boxes.box_answers import BoxCoverage, BoxQuality, BoxTask
from belief.boxes.box_belief import BoxAnswer, BoxEvidence
from belief.boxes.box_prior import counts_of
from belief.boxes.next_box_question import BoxRules, next_step
from belief.links import link_prior
from belief.links.answer_model import PAPER_ERRORS, LinkAnswer
from belief.links.group_belief import believe_group, group_evidence, links_of


def boxes() -> Iterator[str]:
    """The question: how many boxes does "some dogs" need, and are they there? What to ask next, after each answer."""
    counts = counts_of(frozenset({"animals"}), ("some", "dogs"), "dogs", box_prior.DEFAULT)
    answers = (
        BoxAnswer(BoxTask.DRAWING, None, box=0),
        BoxAnswer(BoxTask.COVERAGE, BoxCoverage.MORE_NEEDED, shown=(0,)),
        BoxAnswer(BoxTask.DRAWING, None, box=1, shown=(0,)),
        BoxAnswer(BoxTask.COVERAGE, BoxCoverage.ALL_THERE, shown=(0, 1)),
        BoxAnswer(BoxTask.QUALITY, BoxQuality.GOOD, box=1, shown=(0, 1)),
    )
    for number in range(len(answers) + 1):
        step = next_step(BoxEvidence(counts, answers[:number]), BoxRules(sure=0.9))
        sure, missing = step.confidence, step.p_missing
        yield f"{number} answers: {step.kind}, right with {sure:.2f}, a box missing with {missing:.2f}"


def links() -> Iterator[str]:
    """Are the men of three captions one man? The chance of each pair, and how much one more answer would tell."""
    heads = ("man", "man", "boy")
    men = [LinkMention(n, n, 1, frozenset({"people"}), head, ("the", head)) for n, head in enumerate(heads)]
    yes, no = [LinkAnswer(same=True)], [LinkAnswer(same=False)]
    for answers in ({}, {(0, 1): yes}, {(0, 1): yes, (1, 2): no}):
        known = group_evidence(men, answers, PAPER_ERRORS)
        belief, _ = believe_group(known, link_prior.DEFAULT)
        pairs = links_of(known.open)
        told = ", ".join(f"{a} {b} {belief.together[a, b]:.2f} ({belief.bits[a, b]:.2f} bit)" for a, b in pairs)
        yield f"{len(answers)} pairs judged: {told}"


if __name__ == "__main__":
    print("\n".join((*boxes(), *links())))
