"""Sentences of a data card about the protocol, its people and its limits: each is said only where it is true."""

from collections.abc import Iterator

from exchange.data_card.facts import IN_HOUSE, PERSON, PROGRAM, VIRTUAL, Facts
from pipeline.policies.compose import compose
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from runtime.words import counted, money, percent

NOT_GIVEN = "not given"
ASKED = {
    Task.COREFERENCE_LINK: "Do two marked phrases of two captions mean the same thing?",
    Task.CHAIN_VERIFICATION: "Do all phrases of a chain mean the same thing?",
    Task.BOX_REQUIREMENT: "Can a box be drawn for the phrase, is it a scene, or has it no box?",
    Task.BOX_DRAWING: "Draw one box around one thing that the phrase means and that has none yet, or say that none is "
    "missing.",
    Task.BOX_QUALITY: "Is the new box tight, and around the whole of one thing that the phrase means?",
    Task.BOX_COVERAGE: "Does everything that the phrase means have a box?",
    Task.CAPTION_CHECK: "Is the caption right for the picture, or which word is wrong?",
    Task.ATOM_VISUAL: "Can one see in pictures whether the word holds?",
}
"""The question that workers are asked, by task."""
ASKED_BY = {
    **{way: f"Links were asked by the paper's strategy “{way.value}”." for way in LinkStrategy},
    LinkStrategy.ADAPTIVE: "Links were asked by what an answer was expected to tell, until asking more was not worth "
    "its cost.",
}
BOXED_BY = {
    BoxPolicyName.PAPER: "Boxes follow the paper's loop: draw one, judge it, ask whether one is missing.",
    BoxPolicyName.BELIEF: "A belief in what is true decided which question about a chain's boxes came next, and when "
    "to stop.",
}
LINK_LIMITS = {
    **{way: ["One worker decides whether a chain holds together."] for way in LinkStrategy},
    LinkStrategy.ADAPTIVE: [],
}
BOX_LIMITS = {BoxPolicyName.PAPER: ["One worker judges each new box."], BoxPolicyName.BELIEF: []}
"""The limits of each link strategy, and of each box policy."""
BEYOND_RULES = {False: "never asked", True: "asked only where it was likely"}
"""By whether the link policy goes beyond the two rules of links."""
SET_ASIDE = "answer {} taken back or came too late, and {} not count."
PAPER = "Plummer et al., Flickr30k Entities, IJCV 2017"
FEWEST_PAID = 5
"""With fewer people a figure of pay would be somebody's own."""


def summary(facts: Facts) -> str:
    """Return what the data set is, in a sentence or two."""
    rows = facts.rows
    if facts.project.survey:
        return f"Answers to a survey about {counted(facts.images, 'picture')}."
    return (
        f"{counted(facts.images, 'picture')} with {counted(rows.captions, 'caption')}. The "
        f"{counted(rows.phrases, 'phrase')} in them form {counted(rows.chains, 'coreference chain')}: phrases that "
        "mean the same thing. "
        f"{counted(facts.boxes, 'box shows', 'boxes show')} where these things are."
    )


def simulation(facts: Facts) -> str:
    """Return who was simulated; empty: nobody."""
    if not facts.is_simulated:
        return ""
    share = share_of(facts, VIRTUAL)
    given = "all answers" if share == 1 else f"{percent(share, 1)} of the answers"
    return (
        f"Simulated: virtual workers, played by a program, gave {given}. Their answers tell nothing about what people "
        "see in these pictures."
    )


def share_of(facts: Facts, kind: str) -> float:
    return facts.by_kind[kind] / max(1, facts.by_kind.total())


def protocol(facts: Facts) -> Iterator[str]:
    """Yield how chains and boxes came about."""
    rows, settings = facts.rows, facts.work.settings
    if facts.project.survey:
        yield f"Every question goes to {counted(settings.survey_votes, 'worker')}; the majority decides."
        return
    if rows.imported:
        yield f"Chains and boxes of {counted(rows.imported, 'picture')} came with the import."
    if aside := facts.answers.set_aside:
        yield counted(
            aside, SET_ASIDE.format("was", "does"), SET_ASIDE.replace("answer", "answers").format("were", "do")
        )
    if not facts.by_kind:
        yield "No answer about these pictures counts." if aside else "Nobody has answered about these pictures here."
        return
    yield f"Questions follow the protocol of {PAPER}: links between phrases, then boxes for each chain."
    yield ASKED_BY[settings.strategy]
    if settings.part_answers:
        yield "Workers could also say that one phrase is part of the other, which keeps their chains apart."
    yield BOXED_BY[settings.box_policy]
    least = f"{settings.merge_iou:g} ({settings.merge_iou_other:g} if one is of type “other”)"
    yield f"Boxes of compatible types became one from an IOU of {least}, and so did chains with the same boxes."
    if rows.experts:
        yield f"Experts made {counted(rows.experts, 'decision')} of their own."


def says(what: str, text: str) -> str:
    """Return what a requester gave as a sentence, or that they did not."""
    text = text or NOT_GIVEN
    return f"{what}: {text}" + ("" if text.endswith((".", "!", "?", ")")) else ".")


def workers(facts: Facts) -> str:
    """Return how many workers of which kind gave how many answers."""
    named = {PERSON: ("person", "people"), VIRTUAL: ("simulated worker", ""), PROGRAM: ("program", "")}
    found = [
        f"{counted(facts.workers[kind], *words)} with {counted(facts.by_kind[kind], 'answer')} "
        f"({percent(share_of(facts, kind), 1)})"
        for kind, words in named.items()
        if facts.by_kind[kind]
    ]
    return "; ".join(found) + "." if found else "Nobody answered."


def recruited(facts: Facts) -> str:
    """Return where people came from; empty: nobody handed in work."""
    names = {IN_HOUSE: "by invitation to this service", "mturk": "by Mechanical Turk", "prolific": "by Prolific"}
    people = facts.work.platforms
    return "; ".join(
        f"{counted(people[person], 'person', 'people')} {names.get(person, f'by {person}')}"
        for person in sorted(people)
    )


def pay(facts: Facts) -> str:
    """Return what people were paid."""
    work = facts.work
    if not work.platforms:
        return "No people worked, so nobody was paid."
    if not work.paid_people:
        return "The service paid people nothing for their answers."
    if work.paid_people < FEWEST_PAID or work.median_pay is None:
        return f"{counted(work.paid_people, 'person', 'people')} were paid: too few to tell what without telling whom."
    return (
        f"{counted(work.paid_people, 'person', 'people')} were paid; the median person "
        f"{money(work.median_pay, work.settings.currency)} an hour, from taking an assignment to handing it in, "
        "tests included, before bonuses."
    )


def limits(facts: Facts) -> Iterator[str]:
    """Yield the limits that follow from the protocol, the settings and what was counted; `simulation` is another."""
    rows, settings = facts.rows, facts.work.settings
    if facts.not_exported:
        yield f"{counted(facts.not_exported, 'picture')} of the project are not in this export."
    if rows.unfinished:
        yield f"{counted(rows.unfinished, 'picture')} are not finished: their chains and boxes may still change."
    yield from facts.notes
    if facts.project.survey:
        return
    if rows.doubted:
        yield f"{counted(rows.doubted, 'chain')} are marked as doubted."
    if not facts.by_kind:
        return
    asked = BEYOND_RULES[compose(settings).links.by_sentence]
    yield (
        f"Whether two phrases of one caption, or two without a common type, mean the same thing was {asked}: else they "
        "share a chain only through other phrases or equal boxes."
    )
    yield from LINK_LIMITS[settings.strategy]
    if links := facts.answers.tasks.get(Task.COREFERENCE_LINK):
        yield f"{links.single:,} of {counted(links.questions, 'link')} that were asked rest on one answer each."
    yield from BOX_LIMITS[settings.box_policy]
    if settings.drawer_judges_coverage:
        yield "Workers could judge whether boxes are missing after drawing one themselves; such chains are marked."
    yield "Things that can be told apart have a box each; a crowd has one box."
    yield "Edges of boxes lie on whole pixels."
    yield "The boxes of a chain were drawn for its longest phrase, and stand for all of them."
    if facts.by_kind.total() > sum(counts.questions for _, counts in facts.tasks):
        yield (
            "Questions are asked again mainly where answers contradict one another or one is not enough, so agreement "
            "over these may be lower than over all questions."
        )
