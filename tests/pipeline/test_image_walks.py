"""Walks: images to which anything is done in any order, each a function of data, so that failures can be shrunk.
Images to which anything is done, under settings of all kinds: legal after each entry, and finished in the end.

`CHAINBOX_WALKS=2800` tries more walks than usual, `CHAINBOX_WALKS=5000:7800` those with these numbers.
The verbs in any order, with random answers: after every step the tables are what the record makes them.
"""

import json
import os
import random
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation.models import Image, Mention
from annotation.rules.transitivity import Pair
from pipeline.asking.end_lease import return_assignment
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.asking.receipt import GivenAnswer
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import AssignmentEndedError, NotTrustedError
from pipeline.learning.refit import refit_boxes, refit_links, refit_of_programs
from pipeline.models import Assignment, Entry, Judgment, Progress, Question
from pipeline.policies.compose import compose
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.boxes.policy import BoxDecision, Show
from pipeline.protocol.image.expert import ACTIONS, ExpertError
from pipeline.protocol.image.interventions import CannotVoidError
from pipeline.protocol.image.machine import EntryKind, RecordEntry, apply, begin
from pipeline.protocol.image.undo import CannotUndoError, apply_record
from pipeline.protocol.links.policy import Ask, Group, LinkPlan, LinkPolicy, PlacedChain
from pipeline.protocol.rules import NO_CONTEXT, EntryContext, Rules
from pipeline.protocol.state.progress import ImageProgress, StateMachine
from pipeline.protocol.state.progress_json import from_json, to_json
from pipeline.protocol.tasks.answers import candidates_in, drawing
from pipeline.protocol.tasks.coreference_link import PARTS
from pipeline.protocol.tasks.flow import REVIEW_TRANSITIONS, TABLES
from pipeline.protocol.tasks.task import Task
from pipeline.record.intervene import act_as_expert, propose_boxes, report_problem, undo_entry, void_judgments
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from tests.support.image_acts import ACTS, EVERY_ANSWER, OFTEN, about_missing, assert_crowd, random_action, random_box
from tests.support.images import Story
from tests.support.legal import assert_legal
from tests.support.projects import phrases, project_of, worker
from tests.support.setting_values import PROGRAMS, VALUES, paired, values_of_programs, watched
from tests.support.sweep_policy import as_sweep
from workers.models import Worker

WORDS = {"pronoun": ["it", "she", "they"]}
NOUNS = ["a man", "the old man", "dog", "two dogs", "his arm"]
TYPES = [
    "people",
    "animals",
    "scene",
    "other",
    "people/other",
    "animals/people",
    "scene/other",
    "pronoun",
    "body parts",
]
LENGTH = 50
"""Acts of a walk that is not the crowd's alone."""
OF_CROWD = {"start", "propose", "finish_with_few", "finish_with_right_links"}
REFUSED = (ExpertError, CannotVoidError, CannotUndoError)
"""An act that does not fit is refused in words, and changes nothing."""


@dataclass
class CheckedStory(Story):
    """A story that is looked at after each entry."""

    folded: ImageProgress = field(default_factory=ImageProgress)
    """The state that the record makes in one go; the progress itself went to JSON and back before each entry."""
    crowd_alone: bool = False
    said: dict[tuple[Any, ...], set[int]] = field(default_factory=lambda: defaultdict(set))
    """Workers who have said already whether something is missing, by what `about_missing` returns."""
    sweeps: bool = False
    """Whether links are asked as sweeps."""
    answered: dict[int, set[tuple[Pair, int]]] = field(default_factory=dict)
    """The pairs, each with the worker, of each entry that answers a link question."""
    voided: set[tuple[Pair, int]] = field(default_factory=set)
    versions: list[Settings] = field(default_factory=list)
    """The settings of each entry of the record."""
    seen: set[tuple[str, ...]] = field(default_factory=set)
    """The kinds of entries, the acts of experts, the answers, the steps of chains, and what policies decide."""

    def __post_init__(self) -> None:
        self.versions.append(self.settings)

    def rules(self) -> Rules:
        return sweeping(super().rules()) if self.sweeps else super().rules()

    def add(self, kind: EntryKind, data: dict[str, Any] | None = None, context: EntryContext = NO_CONTEXT) -> int:
        data = data or {}
        question = self.progress.open.get(data["question"]) if kind is EntryKind.JUDGMENT else None
        asked = about_missing(self, question) if question and "box" not in str(data["answer"]) else None
        sequence = super().add(kind, data, context)
        self.versions.append(self.settings)
        if asked:
            self.said[asked].add(data["worker"])
        if question and question.task is Task.COREFERENCE_LINK:
            pairs = self.progress.pairs_of(question.subject)
            self.answered[sequence] = {(pair, data["worker"]) for pair in pairs}
        if kind is EntryKind.VOID:
            self.voided.update(*(self.answered.get(entry, ()) for entry in data["entries"]))
        apply(self.folded, *self.record[-1])
        self.seen.add(("entry", kind))
        if question:
            self.seen.add(("answer", question.task, name_of_answer(data["answer"])))
        if kind is EntryKind.EXPERT:
            self.seen.add(("expert", data["action"]))
        self.seen |= {("step", one.old, one.new) for one in self.progress.moves if one.machine is StateMachine.CHAIN}
        self.check()
        return sequence

    def undo(self, entry: int) -> int:
        sequence = super().undo(entry)
        self.versions.append(self.settings)
        self.seen.add(("entry", EntryKind.UNDO))
        self.folded = self.progress
        self.progress = from_json(json.loads(json.dumps(to_json(self.progress))))
        self.check()
        return sequence

    def check(self) -> None:
        assert_legal(self.progress, *self.versions)
        assert to_json(self.folded) == to_json(self.progress), "the record does not make it"
        links = [one for one in self.progress.open.values() if one.task is Task.COREFERENCE_LINK]
        free = {one.number: {*range(20), *PROGRAMS} - {*one.barred} for one in links}
        pairs = ((pair, one.number) for one in links for pair in self.progress.pairs_of(one.subject))
        asked = {(pair, worker) for pair, number in pairs for worker in free[number]}
        assert not asked & self.voided, "a link is asked again of the worker whose answer was voided"
        if self.crowd_alone:
            assert_crowd(self, self.said)


class Noted:
    """A policy that notes its name, and which fields its decisions set."""

    def __init__(self, policy: Any, seen: set[tuple[str, ...]]) -> None:
        self._policy, self._seen = policy, seen

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._policy, name)
        return partial(self._decide, found) if name in ("plan", "step", "enter") else found

    def _decide(self, policy: Callable[..., Any], *given: Any) -> Any:
        decided = policy(*given)
        asked = self._policy.asked if isinstance(self._policy, Sweeping) else self._policy
        self._seen.add(("policy", type(asked).__name__))
        if isinstance(decided, LinkPlan) and any(len(ask.subject) > 2 for ask in decided.asks):
            self._seen.add(("sweep", type(asked).__name__))
        decisions: tuple[Any, ...] = (*decided.asks, *decided.placed) if isinstance(decided, LinkPlan) else (decided,)
        for one in decisions:
            values, usual = one._asdict(), one._field_defaults
            self._seen |= {(type(one).__name__, name) for name, value in values.items() if value != usual.get(name)}
        if isinstance(decided, Show) and decided.then is not None:
            return decided._replace(then=partial(self._decide, decided.then))
        return decided


def noted(rules: Rules, seen: set[tuple[str, ...]]) -> Rules:
    links, boxes = (Noted(policy, seen) for policy in (rules.links, rules.boxes))
    return replace(rules, links=links, boxes=boxes)  # type: ignore[arg-type]


class Sweeping:
    """A link policy that asks what another one asks in sweeps, unless models judge."""

    def __init__(self, policy: LinkPolicy) -> None:
        self.asked = policy

    def __getattr__(self, name: str) -> Any:
        return getattr(self.asked, name)

    def plan(self, image: ImageProgress, group: Group) -> LinkPlan:
        plan = self.asked.plan(image, group)
        return plan if self.asked.models else as_sweep(plan, image, group, preset=True)


def sweeping(rules: Rules) -> Rules:
    links: Any = Sweeping(rules.links)
    return replace(rules, links=links)


@dataclass(frozen=True)
class Walk:
    """An image as it is imported, the settings that are not the usual ones, and acts by name, each with its seed."""

    settings: dict[str, Any]
    imported: dict[str, Any]
    acts: Sequence[tuple[str, int]]
    sweeps: bool = False

    def go(self, read: set[str] | None = None) -> CheckedStory:
        """Raise whatever goes wrong. `read`: takes the names of the settings that are read."""
        settings, entry = Settings(**self.settings), RecordEntry(0, EntryKind.IMPORT, self.imported)
        story = CheckedStory(begin(entry), settings, [], begin(entry), sweeps=self.sweeps)
        story.record.append((entry, story.rules()))
        story.crowd_alone = {name for name, _ in self.acts} <= OF_CROWD and "chains" not in self.imported
        story.check()
        for name, seed in self.acts:
            with suppress(*REFUSED):
                ACTS[name](story, Random(seed))
        read = set() if read is None else read
        again = apply_record(
            (entry, noted(self.rules(compose(watched(settings, read))), story.seen))
            for (entry, _), settings in zip(story.record, story.versions, strict=True)
        )
        assert to_json(again) == to_json(story.progress)
        assert replace(from_json(json.loads(json.dumps(to_json(again)))), moves=again.moves) == again
        return story

    def rules(self, rules: Rules) -> Rules:
        return sweeping(rules) if self.sweeps else rules

    def __str__(self) -> str:
        acts = "".join(f"\n    {act}," for act in self.acts)
        return f"Walk(\n    {self.settings},\n    {self.imported},\n    [{acts}],\n    {self.sweeps},\n).go()"


def name_of_answer(answer: Any) -> str:
    """Return an answer as text; any box is the same, and any sweep that touches something."""
    if isinstance(answer, dict) and "same" in answer:
        return "sweep" if answer["same"] else "empty sweep"
    return "box" if isinstance(answer, dict) and "box" in answer else str(answer)


def walk(number: int, rows: Sequence[dict[str, Any]]) -> Walk:
    """Return the walk of this number: every second of a row of settings is the crowd's alone."""
    rng, visit = Random(number), number // len(rows)
    imported = _import(rng)
    if visit % 2:
        names = rng.choice([["propose", "start", "finish_with_right_links"], ["start", "propose", "finish_with_few"]])
    else:
        early = rng.choices(["report", "expert", "undo"], k=rng.randrange(1, 3)) if rng.random() < 0.1 else []
        interventions = [name for name in ACTS if not name.startswith(("start", "answer", "finish"))]
        names = [*early, "start", *rng.choices([*OFTEN, *interventions], k=LENGTH), "finish"]
    acts = [(name, rng.randrange(10**6)) for name in names]
    return Walk(rows[number % len(rows)], imported, acts, sweeps=number % 3 == 0)


def _import(rng: Random) -> dict[str, Any]:
    kind = rng.random()
    if kind < 0.05:
        return {"mentions": [], "waiting": True}
    rows: list[list[Any]] = []
    alike = rng.random() < 0.4  # so that there are links enough to contradict each other
    for caption in range(rng.randint(4, 7) if alike else rng.randint(1, 4)):
        start = sentence = 0
        for _ in range(1 if alike else rng.choice([0, 1, 1, 2, 2, 3])):
            types = "people" if alike else rng.choice(TYPES)
            text = rng.choice(WORDS.get(types, NOUNS))
            end, sentence = start + len(text.split()), sentence + (rng.random() < 0.3)
            rows.append([len(rows), caption, start, end, types.split("/"), text, "", "", "", sentence])
            start = end + 1
    if kind > 0.15 or not rows:
        return {"mentions": rows}
    return {"mentions": rows} | _annotation([row[0] for row in rows], rng)


def _annotation(mentions: list[int], rng: Random) -> dict[str, Any]:
    """Return chains of mentions with their boxes, as an annotated data set has them."""
    chains: dict[int, list[int]] = {}
    for mention in mentions:
        chains.setdefault(rng.choice([*chains, mention]), []).append(mention)
    flags = {name: rng.choice(["scene", "", ""]) for name in chains}
    rows = [{"mentions": own, "non_visual": flags[name]} for name, own in chains.items()]
    return {"chains": rows, "boxes": [{"box": random_box(rng), "chains": [name]} for name in chains if not flags[name]]}


# --- What comes of a failure ---


def place_of(error: Exception) -> str:
    """Return where an error was raised, and what it is."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno} {type(error).__name__}: {frame.line}"


def place_in(one: Walk) -> str:
    """Return where the walk fails; empty if it does not."""
    try:
        one.go()
    except Exception as error:
        return place_of(error)
    return ""


def shrunk(failing: Walk, place: str) -> Walk:
    """Return a walk that fails at the same place: with as few acts, settings and mentions as can be."""
    usual = Settings()
    small = replace(failing, acts=fewest(failing.acts, lambda left: place_in(replace(failing, acts=left)) == place))

    def with_settings(left: Iterable[tuple[str, Any]]) -> Walk:
        return replace(small, settings=dict(left))

    unusual = [(name, value) for name, value in small.settings.items() if value != getattr(usual, name)]
    small = with_settings(fewest(unusual, lambda left: place_in(with_settings(left)) == place))

    def with_mentions(left: list[Any]) -> Walk:
        return replace(small, imported=small.imported | {"mentions": left})

    return with_mentions(fewest(small.imported["mentions"], lambda left: place_in(with_mentions(left)) == place))


def fewest(items: Sequence[Any], fails: Callable[[list[Any]], bool]) -> list[Any]:
    """Return few of the items that still fail: pieces are left out, half of all at first, in the end single ones."""
    left = list(items)
    size = max(1, len(left) // 2)
    while size:
        at = 0
        while at < len(left):
            shorter = left[:at] + left[at + size :]
            if fails(shorter):
                left = shorter
            else:
                at += size
        size //= 2
    return left


USUAL = "140"
MOST_SHRUNK = 5
"""At so many places a failing walk is shrunk, which can take seconds."""
POLICIES = ("PaperLinks", "ReferencePaperLinks", "AdaptiveLinks", "JoinLinks", "PaperLoop", "BeliefBoxes")
TO_BE_SEEN = {
    *(("entry", kind) for kind in EntryKind if kind is not EntryKind.IMPORT),
    *(("expert", action) for action in ACTIONS),
    *(("answer", task, name_of_answer(answer)) for task, answers in EVERY_ANSWER.items() for answer in answers),
    *(("answer", Task.COREFERENCE_LINK, name) for name in ("sweep", "empty sweep")),
    *(("policy", name) for name in POLICIES),
    *(("sweep", name) for name in ("PaperLinks", "AdaptiveLinks")),
    *((decision.__name__, name) for decision in (Ask, PlacedChain, Show, BoxDecision) for name in decision._fields),
    *(("step", old, new) for table in (*TABLES.values(), REVIEW_TRANSITIONS) for (old, _), new in table.items()),
}


def test_whatever_is_done_an_image_is_legal_and_is_what_its_record_makes_and_ends() -> None:
    first, _, end = os.environ.get("CHAINBOX_WALKS", USUAL).rpartition(":")
    rows, seen, read = paired(VALUES), set[tuple[str, ...]](), set[str]()
    failed: dict[str, list[Walk]] = defaultdict(list)
    for number in range(int(first or 0), int(end)):
        one = walk(number, rows)
        try:
            seen |= one.go(read).seen
        except Exception as error:
            failed[place_of(error)].append(one)
    report = [f"{len(walks)} walks fail at {place}" for place, walks in failed.items()]
    report += [f"{place}\n{shrunk(walks[0], place)}" for place, walks in [*failed.items()][:MOST_SHRUNK]]
    assert not failed, "\n\n".join(report)
    assert sorted(TO_BE_SEEN - seen) == [], "never seen"
    assert sorted(read ^ VALUES.keys()) == [], "give each setting that folding reads the values that make a difference"


STEPS = 60
WORKERS, AT_WORK = 14, 4


class Season:
    """A project, its workers, and a clock that only goes on."""

    def __init__(self, seed: int) -> None:
        self.rng, self.asks_parts = random.Random(seed), seed % 2 == 1
        texts = ["people: a man", "people/other: the old man", "scene: a park", "people: a man", "animals: dog"]
        policy = self.rng.choice([BoxPolicyName.PAPER, BoxPolicyName.BELIEF, BoxPolicyName.BELIEF])
        strategy = self.rng.choice([*LinkStrategy, LinkStrategy.ADAPTIVE, LinkStrategy.ADAPTIVE])
        chosen: dict[str, Any] = {"strategy": strategy, "box_policy": policy, "part_answers": self.asks_parts}
        settings = Settings(**chosen, starved_hours=2.0, pre_annotations=True, sweeps=True)
        images = [phrases(*self.rng.sample(texts, 4), name=str(n)) for n in range(3)]
        self.project = project_of(*images, settings=settings)
        self.workers = [worker(self.project, f"w{n}") for n in range(WORKERS)]
        self.programs = [worker(self.project, f"p{n}", kind=Worker.Kind.PROGRAM) for n in range(AT_WORK)]
        self.now = datetime(2030, 1, 1, tzinfo=UTC)
        self.done: Counter[str] = Counter()
        self.set_programs_to_work_or_aside()

    def image(self) -> int:
        return self.rng.choice(list(Image.objects.filter(project=self.project).values_list("id", flat=True)))

    def answer(self, task: str, shown: dict[str, Any] | None = None) -> Any:
        if candidates := candidates_in(Task(task), shown or {"mentions": []}):
            return {"same": [number for number in candidates if self.rng.random() < 0.5]}
        said = self.rng.choice(EVERY_ANSWER[Task(task)])
        if task == Task.COREFERENCE_LINK and said in PARTS and not self.asks_parts:
            return "different"
        return drawing(random_box(self.rng)) if said == "box" else said

    # --- What can happen ---

    def lease(self) -> None:
        waiting = Question.objects.filter(project=self.project, state="open", assignment=None)
        tasks = sorted(set(waiting.values_list("task", flat=True)))
        if tasks:
            who, task = self.rng.choice(self.workers + 5 * self.programs), Task(self.rng.choice(tasks))
            size = self.rng.randint(1, 4)
            lease_assignment(project_id=self.project.id, worker_id=who.id, task=task, size=size, now=self.now)

    def submit(self) -> None:
        """An assignment of any state, so at times late, or once more; at times with questions left out."""
        rows = list(Assignment.objects.filter(project=self.project).order_by("id"))
        active = [row for row in rows if row.state == "active"]
        if not rows:
            return
        assignment = self.rng.choice(active if active and self.rng.random() < 0.9 else rows)
        chosen = [question for question in assignment.questions if self.rng.random() < 0.9]
        shown = dict(Question.objects.filter(id__in=chosen).values_list("id", "shown"))
        answers = {question: GivenAnswer(self.answer(assignment.task, shown[question])) for question in chosen}
        before = Judgment.objects.count()
        place: dict[str, Any] = {"assignment_id": assignment.id, "worker_id": assignment.worker_id, "now": self.now}
        receipt = submit_assignment(answers=answers, **place)
        assert Judgment.objects.count() - before == (0 if receipt.repeated else len(receipt.stored))

    def give_back(self) -> None:
        active = Assignment.objects.filter(project=self.project, state="active").first()
        if active:
            return_assignment(assignment_id=active.id, worker_id=active.worker_id, now=self.now)

    def tick(self) -> None:
        tick(project_id=self.project.id, now=self.now)

    def let_time_pass(self) -> None:
        self.now += timedelta(minutes=self.rng.choice([5, 20, 40]))

    def report(self) -> None:
        what, who = self.rng.choice(["mention", "caption"]), self.rng.choice(self.workers)
        report_problem(image_id=self.image(), what=what, number=self.rng.randrange(4), worker_id=who.id)

    def void(self) -> None:
        """One of the latest judgments, folded or not."""
        latest = list(Judgment.objects.filter(question__project=self.project).order_by("-id")[:6])
        if latest:
            judgment = self.rng.choice(latest)
            image = Question.objects.get(judgments=judgment).image_id
            void_judgments(image_id=image, judgment_ids=[judgment.id], reason="trust lost")

    def expert(self) -> None:
        image = self.image()
        action, arguments = random_action(from_json(Progress.objects.get(image=image).state), self.rng)
        act_as_expert(image_id=image, action={"action": action, **arguments}, actor="requester")

    def undo(self) -> None:
        """One of the latest acts of an image, or the undo of one."""
        image = self.image()
        acts = Entry.objects.filter(image_id=image, kind__in=["expert", "undo"]).order_by("-sequence")
        latest = list(acts.values_list("sequence", flat=True)[:3])
        if latest:
            undo_entry(image_id=image, entry=self.rng.choice(latest), actor="requester")

    def change_settings(self) -> None:
        _, settings = current_settings(self.project.id)
        votes, strategy = self.rng.randint(1, 3), self.rng.choice(list(LinkStrategy))
        policy = self.rng.choice(list(BoxPolicyName))
        changed = replace(settings, no_box_votes=votes, strategy=strategy, box_policy=policy)
        change_settings(project_id=self.project.id, settings=changed)

    def set_programs_to_work_or_aside(self) -> None:
        """Some judge from now on, some are kin; what is known of them comes and goes, as if it was refitted."""
        _, settings = current_settings(self.project.id)
        values = values_of_programs([one.id for one in self.programs])
        chosen = {name: self.rng.choice(values[name]) for name in values}
        change_settings(project_id=self.project.id, settings=replace(settings, **chosen))

    def propose(self) -> None:
        """A program proposes boxes for an image, and chains at times, anew at times."""
        image = self.image()
        mentions = list(Mention.objects.filter(image=image).values_list("number", flat=True))
        boxes = [[self.rng.choice(mentions), *self.answer(Task.BOX_DRAWING).get("box", [1, 1, 5, 5])] for _ in range(2)]
        chains = self.rng.choice([None, [mentions[:2], mentions[2:]]])
        propose_boxes(image_id=image, worker_id=self.rng.choice(self.programs).id, boxes=boxes, chains=chains)
        refit_of_programs(self.project.id)

    def refit(self) -> None:
        refit_boxes(self.project.id, only_if_due=False)
        refit_links(self.project.id, only_if_due=False)

    def step(self) -> None:
        common: list[Callable[[], None]] = [self.lease, self.submit, self.tick]
        rare = [self.give_back, self.let_time_pass, self.report, self.void, self.change_settings]
        rare += [self.set_programs_to_work_or_aside, self.refit, self.propose, *[self.expert] * 3, *[self.undo] * 2]
        happening = self.rng.choice(common if self.rng.random() < 0.8 else rare)
        try:
            happening()
        except (ExpertError, CannotVoidError, CannotUndoError, AssignmentEndedError, NotTrustedError):
            return
        self.done[happening.__name__] += 1

    def has_seen_everything(self) -> bool:
        kinds = set(Entry.objects.filter(project=self.project).values_list("kind", flat=True))
        by_program = Judgment.objects.filter(worker__kind=Worker.Kind.PROGRAM).exists()
        done = all(self.done[name] for name in ("lease", "submit", "tick", "expert"))
        return {"import", "start", "judgment", "expert"} <= kinds and done and by_program

    # --- What must hold ---

    def check(self) -> None:
        assert [str(difference) for difference in replay(self.project)] == []
        judgments = Judgment.objects.filter(question__project=self.project)
        assert not judgments.filter(entry=None).exclude(question__state="answered").exists(), "a judgment got lost"
        answered = Question.objects.filter(project=self.project, state="answered")
        assert not answered.exclude(judgments__entry=None).exists(), "an answered question without an answer"
        leased = Question.objects.filter(project=self.project, assignment__isnull=False)
        assert not leased.exclude(assignment__state="active").exists(), "leased by an assignment that has ended"


@pytest.mark.django_db
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_every_step_the_tables_are_what_the_record_makes_them(seed: int) -> None:
    season = Season(seed)
    for step in range(4 * STEPS):
        if step >= STEPS and season.has_seen_everything():
            return
        season.step()
        season.check()
    assert season.has_seen_everything(), "nothing much happened"
