"""Acts on an image and rules of a crowd, for walks by chance.
Acts on an image, each a function of its story and of chance: answers of people and programs, and interventions.
Rules that hold for images of which the crowd alone decides, under the same settings all the time.
"""

from collections import defaultdict
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any

from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState, ChainState, NonVisual
from annotation.rules.transitivity import LinkMention, can_corefer
from belief.boxes.fit_box_prior import fit_box_prior
from pipeline.policies.box_evidence import finished_chains
from pipeline.policies.compose import compose, engine_of
from pipeline.policies.models import in_audit
from pipeline.policies.reference_set import needs_no_answer
from pipeline.policies.workers_needed import workers_needed
from pipeline.protocol.boxes import tallies
from pipeline.protocol.image.expert import ACTIONS, ExpertError
from pipeline.protocol.image.judgments import drawings_of
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.image.merging import can_merge
from pipeline.protocol.rules import EntryContext
from pipeline.protocol.state.progress import (
    NOTHING_DRAWN,
    ChainProgress,
    ImageProgress,
    LinkSource,
    OpenQuestion,
    StateMachine,
)
from pipeline.protocol.state.progress_json import to_json
from pipeline.protocol.tasks.answers import CHOICES, NONE_MISSING, drawing
from pipeline.protocol.tasks.coreference_link import PARTS
from pipeline.protocol.tasks.flow import SETTLED
from pipeline.protocol.tasks.task import BOX_TASKS, JUDGING, SURVEY_TASKS, Task
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from tests.support.images import Story
from tests.support.setting_values import PROGRAMS, PROPOSERS, VALUES
from tests.support.settings_with import settings_with

SIZE = 100
"""The edge of the picture."""
ALIKE = [[10, 10, 50, 50], [14, 10, 54, 50], [10, 13, 50, 52]]
"""Boxes of one thing."""
CHECKS: list[Any] = [{"verdict": "correct"}, {"verdict": "wrong", "word": 1}]
EVERY_ANSWER: dict[Task, list[Any]] = {
    **{task: list(choices) for task, choices in CHOICES.items()},
    Task.COREFERENCE_LINK: ["same", "same", "different", *sorted(PARTS)],
    Task.BOX_QUALITY: ["good", "good", "bad"],
    Task.BOX_COVERAGE: ["all there", "all there", "more needed"],
    Task.BOX_DRAWING: ["box", NONE_MISSING],
    Task.CAPTION_CHECK: CHECKS,
}
""""box" stands for any box. What is there twice is said more often, so that images come further."""
MOST_ANSWERS = 150
"""An image takes fewer answers than this for each of its mentions."""
NEVER_THE_SAME = ("sequence", "next_question", "next_box", "next_mention")
"""Numbers that an undo does not take back."""


def random_box(rng: Random) -> list[int]:
    if rng.random() < 0.4:
        return rng.choice(ALIKE)
    x0, y0 = rng.randrange(SIZE - 1), rng.randrange(SIZE - 1)
    return [x0, y0, rng.randint(x0 + 1, SIZE), rng.randint(y0 + 1, SIZE)]


def random_answer(story: Story, rng: Random, question: OpenQuestion) -> Any:
    if question.task is Task.BOX_DRAWING:
        if question.subject[1:] and rng.random() < 0.3:
            return drawing(story.progress.boxes[question.subject[1]].box)
        return drawing(random_box(rng) if rng.random() < 0.7 else None)
    if is_sweep(question):
        return touching(question, [number for number in question.subject if rng.random() < 0.5])
    return rng.choice(EVERY_ANSWER[question.task])


def is_sweep(question: OpenQuestion) -> bool:
    return question.task is Task.COREFERENCE_LINK and len(question.subject) > 2


def touching(sweep: OpenQuestion, mentions: Container[int]) -> Any:
    """Return the answer that touches these of its candidates."""
    return {"same": [number for number in sweep.subject[1:] if number in mentions]}


def judge(story: Story, rng: Random, question: OpenQuestion, worker: int, answer: Any = None) -> None:
    """Let a person or a program answer; some model annotators are not at work."""
    data = {"question": question.number, "worker": worker, "answer": answer or random_answer(story, rng, question)}
    inactive = tuple(program for program in story.settings.model_annotators if rng.random() < 0.2)
    skill = rng.uniform(-2, 2) if question.task in engine_of(story.settings).weighed else 0.0
    story.add(EntryKind.JUDGMENT, data, EntryContext(skill=skill, by_model=worker in PROGRAMS, inactive=inactive))


# --- The acts ---


def start(story: Story, rng: Random) -> None:
    """Find the phrases of an image that waits for them, and begin to link."""
    progress = story.progress
    if progress.waiting:
        rows = [[number, number % 2, number, number + 1, ["people"], "man"] for number in range(rng.randrange(4))]
        story.expert("chunk", add=rows)
    if not progress.started:
        story.add(EntryKind.START, context=EntryContext(seed=rng.randrange(100)))


def answer(story: Story, rng: Random) -> None:
    """Let one of a few workers answer, or a program, at work or set aside; an expert acts if nothing is open."""
    if not story.progress.open:
        expert(story, rng)
    else:
        question = rng.choice(list(story.progress.open.values()))
        programs = PROGRAMS if question.task in JUDGING and rng.random() < 0.5 else ()
        if free := [worker for worker in programs or range(15) if worker not in question.barred]:
            judge(story, rng, question, rng.choice(free))


def late_answer(story: Story, rng: Random) -> None:
    number = rng.randrange(story.progress.next_question + 1)
    if number not in story.progress.open:
        story.add(EntryKind.JUDGMENT, {"question": number, "worker": 1, "answer": "same"})


def ask(story: Story, rng: Random) -> None:
    """Ask a survey's question; its projects have no other ones, and an image would take both."""
    task = rng.choice(SURVEY_TASKS)
    story.add(EntryKind.ASK, {"task": task.value, "item": "a", "shown": {}})


def report(story: Story, rng: Random) -> None:
    what, number = rng.choice([("mention", rng.randrange(9)), ("caption", rng.randrange(3)), ("image", 0)])
    story.report(what, number, rng.randrange(3), expert=rng.random() < 0.3)


def starve(story: Story, rng: Random) -> None:
    story.add(EntryKind.STARVE, {"question": rng.randrange(story.progress.next_question + 1)})


def void(story: Story, rng: Random) -> None:
    story.void(*rng.sample(range(story.progress.sequence + 1), min(story.progress.sequence, rng.randint(1, 2))))


def void_open(story: Story, rng: Random) -> None:
    """Void votes and boxes from which, mostly, nothing has followed."""
    chains, surveys = story.progress.chains.values(), story.progress.surveys.values()
    votes = [vote for cast in story.progress.votes_by(model=False).values() for vote in cast]
    votes += [vote for survey in surveys for vote in survey.votes]
    answers = [one.entry for chain in chains for one in chain.answers if one.entry]
    if entries := [vote.entry for vote in votes] + answers + [box.entry for box in story.progress.boxes.values()]:
        story.void(*dict.fromkeys(rng.choices(entries, k=rng.choice([1, 1, 2]))))


def change_settings(story: Story, rng: Random) -> None:
    """Change some settings. At times an entry says at once which of the open links are on loan."""
    names = rng.sample(sorted(VALUES), rng.choice([1, 2, 8]))
    with suppress(ValueError):  # two of these values do not go together
        story.settings = settings_with(story.settings, **{name: rng.choice(VALUES[name]) for name in names})
    links = [one.number for one in story.progress.open.values() if one.task is Task.COREFERENCE_LINK]
    if links and rng.random() < 0.5:
        context = EntryContext(on_loan=tuple(number for number in links if rng.random() < 0.5))
        story.add(EntryKind.REPORT, {"what": "mention", "number": 99, "worker": 1}, context)


def refit(story: Story, rng: Random) -> None:
    """Learn from the chains so far, as a project does."""
    families = engine_of(story.settings).families_in(Task.BOX_QUALITY)
    learned = fit_box_prior(finished_chains(story.progress, families), families=families).to_json()
    story.settings = settings_with(story.settings, box_prior=learned, link_prior=rng.choice(VALUES["link_prior"]))


def propose(story: Story, rng: Random) -> None:
    """Let a program propose boxes and chains of mentions that are there or not; some questions are on loan."""
    mentions = [*story.progress.mentions, 99]
    rows = [[rng.choice(mentions), *random_box(rng)] for _ in range(rng.randrange(2 * len(mentions)))]
    context = EntryContext(on_loan=tuple(number for number in story.progress.open if rng.random() < 0.3))
    data = {"worker": rng.choice(PROPOSERS), "boxes": rows}
    if rng.random() < 0.7:
        one = [mention for mention in mentions if rng.random() < 0.4]
        data["chains"] = [one, [mention for mention in mentions if mention not in one and rng.random() < 0.4]]
    if rng.random() < 0.3:
        data["flags"] = {str(one): rng.choice(list(NonVisual)).value for one in mentions if rng.random() < 0.4}
    story.add(EntryKind.PROPOSE, data, context)


def merge(story: Story, rng: Random) -> None:
    if can_merge(story.progress):
        story.add(EntryKind.MERGE)


def expert(story: Story, rng: Random) -> None:
    """Let an expert act, or be refused."""
    action, arguments = random_action(story.progress, rng)
    story.expert(action, **arguments)


def random_action(progress: ImageProgress, rng: Random) -> tuple[str, dict[str, Any]]:
    """Return the name of an expert's action, and its arguments."""
    chains, mentions = list(progress.chains) or [0], list(progress.mentions) or [0]
    chain, mention, box = rng.choice(chains), rng.choice(mentions), rng.randrange(max(1, progress.next_box))
    own = progress.chains[chain].mentions if chain in progress.chains else []
    new, to = 50 + progress.sequence, rng.choice(list(ChainState)).value
    whole = [[own, [random_box(rng)], ""]]
    parts = [[own[:1], [], rng.choice(list(NonVisual)).value], [own[1:], [random_box(rng)], ""]]
    arguments: dict[str, dict[str, Any]] = {
        "send": {"chain": chain, "to": to, "kind": rng.choice(["scene", "no box"])},
        "link": {"first": mention, "second": rng.choice(mentions), "same": rng.random() < 0.5},
        "join": {"chains": rng.choices(chains, k=rng.randint(1, 3))},
        "split": {"chain": chain, "parts": [own[1:], own[:1]]},
        "draw": {"chain": chain, "box": random_box(rng)},
        "delete box": {"box": box},
        "move box": {"box": box, "to": random_box(rng)},
        "accept box": {"box": box},
        "review": {"chain": chain},
        "ask others": {"chain": chain, "to": to},
        "retype": {"mention": mention, "types": rng.sample(list(MentionType), 2)},
        "chunk": {"add": []},
        "rechunk": {
            "remove": [mention] if rng.random() < 0.5 else [],
            "add": [[new, rng.randrange(4), new, new + 2, [rng.choice(["other", "people"])], "a thing"]],
        },
        "confirm": {"labels": whole},
        "take back": {"labels": rng.choice([whole, parts]), "was": whole},
    }
    assert arguments.keys() == ACTIONS.keys()
    action = rng.choice(["send", "send", "link", "link", "link", *arguments])
    return action, arguments[action]


def undo(story: Story, rng: Random) -> None:
    """Undo one of the latest acts, or the undo of one."""
    acts = [entry.sequence for entry, _ in story.record if entry.kind in (EntryKind.EXPERT, EntryKind.UNDO)]
    if acts:
        story.undo(rng.choice(acts[-3:]))


def expert_and_undo_all(story: Story, rng: Random) -> None:
    """Undo some acts of an expert from the last to the first, which leaves the image as it was."""
    before, last = to_json(story.progress), story.progress.sequence
    for _ in range(3):
        with suppress(ExpertError):
            expert(story, rng)
    for entry in reversed(range(last + 1, story.progress.sequence + 1)):
        story.undo(entry)
    after = to_json(story.progress)
    if before["link_rules"] == after["link_rules"]:  # else new settings of links have come with these acts
        changed = [name for name in before if name not in NEVER_THE_SAME and after[name] != before[name]]
        assert not changed, f"undone, and yet there is another {changed}"


# --- The ends ---


def finish(story: Story, rng: Random) -> None:
    """Let fresh workers, and the programs at work, answer until nothing is open."""
    _answer_all(story, rng, few=False)


def finish_with_few(story: Story, rng: Random) -> None:
    """Let as few workers answer as are said to suffice, and the programs at work."""
    _answer_all(story, rng, few=True)


def finish_with_right_links(story: Story, rng: Random) -> None:
    """Let few workers answer who never err about links: they make the chains that are right, if all may be asked."""
    right: list[list[LinkMention]] = []
    for mention in (one.for_links() for one in story.progress.mentions.values()):
        fitting = [chain for chain in right if all(can_corefer(mention, other) for other in chain)]
        if fitting and rng.random() < 0.5:
            rng.choice(fitting).append(mention)
        else:
            right.append([mention])
    chain_of = {mention.number: place for place, chain in enumerate(right) for mention in chain}
    _answer_all(story, rng, few=True, chain_of=chain_of)
    if story.settings.strategy is not LinkStrategy.ADAPTIVE and "chains" not in story.record[0][0].data:
        assert {frozenset(one.number for one in chain) for chain in right} == {*map(frozenset, story.chains())}
        assert {*story.progress.sources.values()} <= {LinkSource.ASKED_YES, LinkSource.ASKED_NO}


def _answer_all(story: Story, rng: Random, *, few: bool, chain_of: Mapping[int, int] | None = None) -> None:
    """`chain_of`: for each mention its right chain."""
    needed = workers_needed(story.settings)
    for _ in range(MOST_ANSWERS * (1 + len(story.progress.mentions))):
        if not story.progress.open:
            break
        question = rng.choice(list(story.progress.open.values()))
        is_right = chain_of is not None and question.task is Task.COREFERENCE_LINK
        workers = range(needed[question.task]) if few else range(100, 160)
        people = [worker for worker in workers if worker not in question.barred]
        asked = (
            () if is_right or not engine_of(story.settings).judges(question.task) else story.settings.model_annotators
        )
        programs = [model_annotator for model_annotator in asked if model_annotator not in question.barred]
        if not people and (is_sweep(question) or (question.task is Task.BOX_DRAWING and question.subject[1:])):
            story.add(EntryKind.STARVE, {"question": question.number})  # the box stays as it is, or pairs are asked
            continue
        assert people, f"nobody may answer {question}"
        worker = rng.choice(programs) if programs and rng.random() < 0.8 else rng.choice(people[:6])
        said: Any = None
        if question.task is Task.BOX_DRAWING and not question.subject[1:]:
            said = NONE_MISSING if len(story.progress.accepted(question.subject[0])) > 1 else None
        elif chain_of and is_right and is_sweep(question):
            right = chain_of[question.subject[0]]
            said = touching(question, [number for number, chain in chain_of.items() if chain == right])
        elif chain_of and is_right:
            said = "same" if len({chain_of[number] for number in question.subject}) == 1 else "different"
        elif chain_of is not None and question.task is Task.CHAIN_VERIFICATION:
            said = "true"
        judge(story, rng, question, worker, said)
    assert not story.progress.open, "it does not end"
    assert {chain.state for chain in story.progress.chains.values()} <= {ChainState.REVIEW, *SETTLED}
    merge(story, rng)


ACTS: dict[str, Callable[[Story, Random], None]] = {
    act.__name__: act
    for act in (
        start, answer, late_answer, ask, report, starve, void, void_open, change_settings, refit, propose, merge,
        expert, undo, expert_and_undo_all, finish, finish_with_few, finish_with_right_links,
    )
}  # fmt: skip
OFTEN = ["answer"] * 45 + ["expert", "expert", "undo", "propose", "change_settings", "void_open", "void_open"]
"""Chosen beside every other act once."""


EXHAUSTIVE = (LinkStrategy.EXHAUSTIVE, LinkStrategy.EXHAUSTIVE_PLUS)
MISSING = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_COVERAGE)


def about_missing(story: Story, question: OpenQuestion) -> tuple[Any, ...] | None:
    """Return the task, the chain and the boxes beside which a question asks whether one is missing; None of others."""
    if question.task not in MISSING or question.subject[1:]:
        return None
    boxes = tuple(box.number for box in story.progress.accepted(question.subject[0]))
    return question.task, tuple(story.progress.chains[question.subject[0]].mentions), boxes


def assert_crowd(story: Story, said: Mapping[tuple[Any, ...], set[int]]) -> None:
    """Raise AssertionError for the first rule that does not hold. `said`: who has answered, by `about_missing`."""
    for question in story.progress.open.values():
        asked = about_missing(story, question)
        have = said.get(asked, set()) if asked else set()
        assert have <= {*question.barred}, "nobody is asked the same twice"
        if question.task is Task.BOX_DRAWING and story.settings.box_policy is BoxPolicyName.PAPER:
            assert len(have) < story.settings.fruitless_drawings, "enough have found none missing"
    most = workers_needed(story.settings)[Task.COREFERENCE_LINK]
    assert all(len(votes) <= most for votes in story.progress.votes_by(model=False).values()), (
        "a link was asked too often"
    )
    if story.settings.strategy is not LinkStrategy.ADAPTIVE:
        _order_of_links_does_not_matter(story)
    if story.settings.strategy in (LinkStrategy.EXHAUSTIVE_PLUS, LinkStrategy.GREEDY_PLUS):
        _settled_links_are_followed(story)
    if story.settings.strategy in EXHAUSTIVE and not engine_of(story.settings).source.program:
        _every_link_was_asked(story)
    dropped = [one for one in story.progress.moves if one.machine is StateMachine.BOX and one.old == BoxState.DISCARDED]
    assert all(one.new == BoxState.DISCARDED for one in dropped), "a dropped box is back"
    if story.settings.box_policy is BoxPolicyName.BELIEF:
        for chain in story.progress.chains.values():
            _nobody_says_the_same_twice(story, chain)
            _families_count_once(story, chain)
            _enough_have_ended(story, chain)
    else:
        for chain in story.progress.chains.values():
            _votes_have_decided(story, chain)


def _order_of_links_does_not_matter(story: Story) -> None:
    progress = story.progress
    turned = replace(progress, votes=dict(reversed(progress.votes.items())))
    policy = compose(story.settings).links
    for group in policy.groups(one.for_links() for one in progress.mentions.values()):
        plan = policy.plan(progress, group)
        firsts = [chain[0] for chain in plan.chains]
        assert firsts == progress.reading_order(firsts)
        assert plan == policy.plan(turned, group[::-1])


def _every_link_was_asked(story: Story) -> None:
    progress = story.progress
    mentions = [progress.mentions[number].for_links() for number in progress.reading_order(progress.mentions)]
    placed = [chain.mentions for chain in progress.chains.values() if chain.state is not ChainState.LINKING]
    linked = {number for chain in placed for number in chain}
    pairs = {(a.number, b.number) for a, b in combinations(mentions, 2) if can_corefer(a, b)}
    assert {pair for pair in pairs if linked.issuperset(pair)} <= progress.votes.keys() <= pairs


def _settled_links_are_followed(story: Story) -> None:
    progress = story.progress
    placed = [chain for chain in progress.chains.values() if chain.state is not ChainState.LINKING]
    for chain in placed:
        own = [progress.mentions[number].for_links() for number in chain.mentions]
        assert all(can_corefer(one, other) for one, other in combinations(own, 2)), "a rule of links is broken"
    chain_of = {number: chain.name for chain in placed for number in chain.mentions}
    for (one, other), votes in progress.votes.items():
        source = progress.sources.get((one, other))
        if one in chain_of and source is not LinkSource.SPLIT:
            yes = 2 * sum(vote.answer for vote in votes) > len(votes) and source is not LinkSource.OVERRULED
            assert (chain_of[one] == chain_of[other]) == yes, "a settled link is not followed"


def _nobody_says_the_same_twice(story: Story, chain: ChainProgress) -> None:
    boxes, own_judged = story.progress.boxes, story.settings.own_pre_annotations_judged
    workers = [one for one in chain.answers if not one.is_pre_annotation and one.worker is not None]
    # In a small crew the drawer judges the coverage, too.
    again = Task.BOX_COVERAGE if story.settings.drawer_judges_coverage else None
    said = [(one.worker, one.task is again, frozenset(one.boxes)) for one in workers if one.task in MISSING]
    assert len(set(said)) == len(said), "whether something is missing is asked of each worker once"
    judged = [one for one in workers if one.task is Task.BOX_QUALITY]
    assert len({(one.worker, one.boxes[0]) for one in judged}) == len(judged)
    for one in judged:
        box = boxes[one.boxes[0]]
        drawers = {drawing.worker for drawing in drawings_of(box) if drawing.entry < one.entry}
        assert one.worker not in drawers or (own_judged and box.pre_annotated), "a drawer has judged the box"
    drawer, lets = None, False
    for one in chain.answers:
        if one.task is Task.BOX_DRAWING and not one.is_redrawing:
            drawer = one.worker
            lets = (own_judged and one.is_pre_annotation) or story.settings.drawer_judges_coverage
        assert one.task is not Task.BOX_COVERAGE or lets or one.worker != drawer, "the drawer has judged the visit"


def _families_count_once(story: Story, chain: ChainProgress) -> None:
    """A family is asked the same twice in the audit alone, and judges its own box only where settings let it."""
    progress, families = story.progress, engine_of(story.settings).families_in(Task.BOX_QUALITY)
    said: dict[tuple[Task, frozenset[int]], list[int]] = defaultdict(list)
    for one in chain.answers:
        if not one.is_judged_by_model or one.worker is None:
            continue
        before = said[one.task, frozenset(one.boxes)]
        assert in_audit(chain) or not families.is_one_of(one.worker, before), "a family was asked twice"
        before.append(one.worker)
        if one.task is Task.BOX_QUALITY and not story.settings.own_pre_annotations_judged:
            proposer = story.progress.boxes[one.boxes[0]].worker
            assert proposer is None or not families.are_one(one.worker, proposer), "a family has judged its own box"
    for question in () if in_audit(chain) else progress.open.values():
        if question.task in BOX_TASKS and question.subject[0] == chain.name:
            shown = [box.number for box in (*progress.accepted(chain.name), *progress.pending(chain.name))]
            heard = said[question.task, frozenset(question.subject[1:] or shown)]
            free = {*story.settings.model_annotators} - {*question.barred}
            assert not any(families.is_one_of(model_annotator, heard) for model_annotator in free), (
                "a family could answer twice"
            )


def _votes_have_decided(story: Story, chain: ChainProgress) -> None:
    votes = tallies.requirement(chain)
    if chain.state is ChainState.NON_VISUAL:
        against = sum(tallies.requirement_answer(vote) != 1 for vote in votes)
        assert against >= story.settings.no_box_votes and 2 * against > len(votes)
    if chain.state is ChainState.COMPLETE:
        assert sum(vote.value == "all there" for vote in tallies.visit(chain)) >= story.settings.coverage_votes


def _enough_have_ended(story: Story, chain: ChainProgress) -> None:
    """A chain ends by as many workers as the settings ask for, unless it is as the data set that is checked has it."""
    kept = [box.number for box in story.progress.accepted(chain.name)]
    if needs_no_answer(story.progress, chain, engine_of(story.settings).source, kept):
        return
    alone, families = (
        engine_of(story.settings).box_rules.programs_alone,
        engine_of(story.settings).families_in(Task.BOX_QUALITY),
    )
    if chain.state is ChainState.NON_VISUAL:
        votes = families.firsts(_against(chain), lambda worker: (worker, None))
        assert len(set(votes)) >= story.settings.no_box_votes
        assert alone or _against(chain, model_annotators=False), "programs alone have made it non-visual"
    if chain.state is ChainState.COMPLETE:
        assert alone or any(not one.by_model for one in chain.answers), "programs alone end it"
        assert chain.box_confidence is not None


def _against(chain: ChainProgress, *, model_annotators: bool = True) -> list[int]:
    """Return the workers who have voted for no box, with programs or without."""
    return [
        one.worker
        for one in chain.answers
        if one.worker is not None
        and (model_annotators or not one.by_model)
        and (
            (one.task is Task.BOX_REQUIREMENT and one.value != 1)
            or (one.task is Task.BOX_DRAWING and one.value == NOTHING_DRAWN and not one.boxes)
        )
    ]
