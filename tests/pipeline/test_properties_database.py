"""The verbs in any order, with random answers: after every step the tables are what the record makes them."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from annotation.models import Box, Chain, Image, Mention
from annotation.rules.mention_type import MentionType
from annotation.rules.states import ChainState
from pipeline.asking.end_lease import return_assignment
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.asking.receipt import Given
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import AssignmentEndedError, NotTrustedError
from pipeline.learning.refit_boxes import refit_boxes
from pipeline.learning.refit_links import refit_links
from pipeline.models import Assignment, Entry, Judgment, Question
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.intervene import act_as_expert, propose_boxes, report_problem, undo_entry, void_judgments
from pipeline.record.replay import replay
from pipeline.rules.entries.expert import ExpertError
from pipeline.rules.entries.interventions import CannotVoidError
from pipeline.rules.entries.undo import CannotUndoError
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import HEIGHT, WIDTH, phrases, project_of, worker
from tests.support.setting_values import values_of_programs
from workers.models import Worker

pytestmark = pytest.mark.django_db

STEPS = 60
WORKERS, PROGRAMS = 14, 4
ANSWERS: dict[str, list[Any]] = {
    **{Task.COREFERENCE_LINK: ["same", "same", "different"], Task.CHAIN_VERIFICATION: ["true", "false"]},
    **{Task.BOX_REQUIREMENT: [1, 2, 3], Task.BOX_QUALITY: ["good", "good", "bad"]},
    Task.BOX_COVERAGE: ["all there", "all there", "more needed"],
}


class Season:
    """A project, its workers, and a clock that only goes on."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        texts = ["people: a man", "people/other: the old man", "scene: a park", "people: a man", "animals: dog"]
        policy = self.rng.choice([BoxPolicy.PAPER, BoxPolicy.BELIEF, BoxPolicy.BELIEF])
        strategy = self.rng.choice([*Strategy, Strategy.ADAPTIVE, Strategy.ADAPTIVE])
        settings = ProtocolSettings(strategy=strategy, box_policy=policy, starved_hours=2.0, proposals=True)
        images = [phrases(*self.rng.sample(texts, 4), name=str(n)) for n in range(3)]
        self.project = project_of(*images, settings=settings)
        self.workers = [worker(self.project, f"w{n}") for n in range(WORKERS)]
        self.programs = [worker(self.project, f"p{n}", kind=Worker.Kind.PROGRAM) for n in range(PROGRAMS)]
        self.now = datetime(2030, 1, 1, tzinfo=UTC)
        self.done: Counter[str] = Counter()
        self.set_programs_to_work_or_aside()

    def image(self) -> int:
        return self.rng.choice(list(Image.objects.filter(project=self.project).values_list("id", flat=True)))

    def answer(self, task: str) -> Any:
        if task != Task.BOX_DRAWING:
            return self.rng.choice(ANSWERS[task])
        if self.rng.random() < 0.3:
            return {"none_missing": True}
        x0, y0 = self.rng.randrange(WIDTH - 1), self.rng.randrange(HEIGHT - 1)
        return {"box": [x0, y0, self.rng.randint(x0 + 1, WIDTH), self.rng.randint(y0 + 1, HEIGHT)]}

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
        answers = {question: Given(self.answer(assignment.task)) for question in chosen}
        before = Judgment.objects.count()
        receipt = submit_assignment(
            assignment_id=assignment.id, worker_id=assignment.worker_id, answers=answers, now=self.now
        )
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
        chains = list(Chain.objects.filter(image=image).values_list("name", flat=True))
        mentions = list(Mention.objects.filter(image=image).values_list("number", flat=True))
        boxes = list(Box.objects.filter(image=image).values_list("number", flat=True)) or [0]
        chain = self.rng.choice(chains)
        members = list(Mention.objects.filter(image=image, chain=chain).values_list("number", flat=True))
        first, second = self.rng.sample(mentions, 2)
        to = self.rng.choice([ChainState.DRAWING, ChainState.REQUIREMENT, ChainState.NON_VISUAL, ChainState.COMPLETE])
        actions: list[dict[str, Any]] = [
            {"action": "send", "chain": chain, "to": to.value, "kind": "no box"},
            {"action": "link", "first": first, "second": second, "same": self.rng.random() < 0.5},
            {"action": "join", "chains": self.rng.sample(chains, min(2, len(chains)))},
            {"action": "split", "chain": chain, "parts": [members[:1], members[1:]]},
            {"action": "draw", "chain": chain, "box": [1, 1, self.rng.randint(2, WIDTH), 9]},
            {"action": "delete box", "box": self.rng.choice(boxes)},
            {"action": "move box", "box": self.rng.choice(boxes), "to": [2, 2, self.rng.randint(3, WIDTH), 9]},
            {"action": "accept box", "box": self.rng.choice(boxes)},
            {"action": "review", "chain": chain},
            {"action": "ask others", "chain": chain, "to": to.value},
            {"action": "retype", "mention": first, "types": self.rng.sample([one.value for one in MentionType], 2)},
        ]
        if len(mentions) > 2:
            actions.append({"action": "rechunk", "remove": [first], "add": []})
        act_as_expert(image_id=image, action=self.rng.choice(actions), actor="requester")

    def undo(self) -> None:
        """One of the latest acts of an image, or the undo of one."""
        image = self.image()
        acts = Entry.objects.filter(image_id=image, kind__in=["expert", "undo"]).order_by("-sequence")
        latest = list(acts.values_list("sequence", flat=True)[:3])
        if latest:
            undo_entry(image_id=image, entry=self.rng.choice(latest), actor="requester")

    def change_settings(self) -> None:
        _, settings = current_settings(self.project.id)
        votes, strategy = self.rng.randint(1, 3), self.rng.choice(list(Strategy))
        changed = replace(settings, no_box_votes=votes, strategy=strategy, box_policy=self.rng.choice(list(BoxPolicy)))
        change_settings(project_id=self.project.id, settings=changed)

    def set_programs_to_work_or_aside(self) -> None:
        """Some judge from now on, some are kin; what is known of them comes and goes, as if it was refitted."""
        _, settings = current_settings(self.project.id)
        values = values_of_programs([one.id for one in self.programs])
        chosen = {name: self.rng.choice(values[name]) for name in values}
        change_settings(project_id=self.project.id, settings=replace(settings, **chosen))

    def propose(self) -> None:
        """A program proposes boxes for an image, anew at times."""
        image = self.image()
        mentions = list(Mention.objects.filter(image=image).values_list("number", flat=True))
        boxes = [[self.rng.choice(mentions), *self.answer(Task.BOX_DRAWING).get("box", [1, 1, 5, 5])] for _ in range(2)]
        propose_boxes(image_id=image, worker_id=self.rng.choice(self.programs).id, boxes=boxes)

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


@pytest.mark.slow
def test_with_enough_workers_every_image_is_merged_or_in_review_in_the_end() -> None:
    season = Season(4)
    for _ in range(400):
        if not Question.objects.filter(project=season.project).exclude(state="closed").exists():
            break
        season.lease()
        season.submit()
        season.tick()
        season.now += timedelta(minutes=7)
    season.tick()
    assert set(Image.objects.filter(project=season.project).values_list("state", flat=True)) <= {"merged", "in review"}
    season.check()
