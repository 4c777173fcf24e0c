"""Refits, pre-annotations and new settings come while answers wait and questions are leased: the record replays."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from annotation.models import Image, Project
from annotation.rules.states import ChainState
from pipeline.learning.refit_links import refit_links, refit_of_programs
from pipeline.models import Assignment, Entry, Judgment, Progress, Question, SettingsVersion
from pipeline.project.settings_versions import all_settings, current_settings
from pipeline.protocol.image.interventions import CannotVoidError
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.record.intervene import propose_boxes, void_judgments
from pipeline.record.replay import replay
from pipeline.settings.policy_names import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from tests.pipeline.record.test_changed_settings import change, late
from tests.support.legal import assert_legal
from tests.support.projects import box, lease, phrases, project_of, submit, worker
from workers.models import Worker

pytestmark = pytest.mark.django_db

LINK, DRAW, GOOD = Task.COREFERENCE_LINK, Task.BOX_DRAWING, Task.BOX_QUALITY
ADAPTIVE = Settings(strategy=LinkStrategy.ADAPTIVE, pre_annotations=True, link_stop=0.05, verify_below=0.5)
SAID: dict[Task, list[Any]] = {
    LINK: ["same", "different", "different"],
    Task.CHAIN_VERIFICATION: ["true", "false"],
    Task.BOX_REQUIREMENT: [1, 1, 2, 3],
    DRAW: [box(5, 5, 90, 90), box(40, 10, 180, 80), {"none_missing": True}],
    GOOD: ["good", "good", "bad"],
    Task.BOX_COVERAGE: ["all there", "all there", "more needed"],
}
WORDS = ("people: a man", "people: the player", "people: someone", "people: a boy", "animals: two dogs")
RIGHT, WRONG = [[0, 1], [2], [3]], [[0, 3], [1, 2]]


def project_with(settings: Settings = ADAPTIVE, images: int = 4) -> Project:
    return project_of(*(phrases(*WORDS, name=str(one)) for one in range(images)), settings=settings)


def held(project: Project, name: str, task: Task, size: int = 2) -> Assignment | None:
    try:
        return lease(project, worker(project, name), task, size=size)
    except AssertionError:
        return None


def give(mine: Assignment | None, rng: Random) -> int:
    """Submit random answers, and return how many were stored."""
    if mine is None:
        return 0
    tasks = dict(Question.objects.filter(id__in=mine.questions).values_list("id", "task"))
    return len(submit(mine, *(rng.choice(SAID[Task(tasks[one])]) for one in mine.questions)).stored)


def answered(project: Project, rng: Random, rounds: int) -> int:
    """Let new workers answer two questions of every task."""
    stored = 0
    for _ in range(rounds):
        who = f"worker {Worker.objects.count()}"
        stored += sum(give(held(project, who, task), rng) for task in PROTOCOL_TASKS)
        tick(project_id=project.id)
    return stored


def counted(project: Project) -> int:
    """Return how many answers are in the record."""
    return Entry.objects.filter(project=project, kind="judgment").count()


def predict(image: Image, program: Worker, chains: list[list[int]], *boxes: list[int]) -> None:
    propose_boxes(image_id=image.id, worker_id=program.id, boxes=boxes, chains=chains)


@pytest.mark.slow
def test_links_are_refitted_while_answers_wait_and_questions_are_with_workers() -> None:
    project, rng = project_with(images=6), Random(1)
    answered(project, rng, 3)
    for number in range(3):
        on_loan = held(project, f"ada {number}", LINK, size=1)
        assert on_loan and give(held(project, f"bob {number}", LINK, size=1), rng) == 1, "an answer waits"
        assert refit_links(project.id, only_if_due=False) is not None and list(replay(project)) == []
        before = counted(project)
        assert give(on_loan, rng) == 1
        tick(project_id=project.id)
        assert counted(project) == before + 2, "the one that waited, and the one on loan"
        answered(project, rng, 1)
    weights = [one.learned.links for one in all_settings(project.id).values()]
    assert len({str(one) for one in weights}) == 4, "every refit has changed the weights"
    assert Entry.objects.filter(project=project).values("settings_version").distinct().count() > 2
    assert late(project) == 0 and list(replay(project)) == []


@pytest.mark.both_engines
def test_boxes_and_chains_are_proposed_while_drawings_and_links_are_with_workers() -> None:
    project, rng = project_with(replace(ADAPTIVE, link_stop=0.1)), Random(2)
    program = worker(project, "detector", kind=Worker.Kind.PROGRAM)
    change(project, program_errors={str(program.id): [0.02, 0.02]})
    first, *others = project.images.order_by("position")
    predict(first, program, RIGHT, [4, 1, 1, 90, 90])
    answered(project, rng, 2)
    link, drawing = held(project, "ada", LINK), held(project, "bob", DRAW)
    assert link and drawing and give(held(project, "cleo", LINK), rng), "answers wait"
    before = counted(project)
    for image in others:
        predict(image, program, RIGHT, [0, 5, 5, 60, 60], [2, 70, 5, 150, 90])
    waited = counted(project) - before
    assert refit_of_programs(project.id), "a version with the errors of the program"
    assert list(replay(project)) == []
    stored = give(link, rng) + give(drawing, rng)
    assert stored == len(link.questions) + len(drawing.questions)
    tick(project_id=project.id)
    assert counted(project) >= before + waited + stored and late(project) == 0
    predict(others[0], program, WRONG)
    answered(project, rng, 4)
    assert list(replay(project)) == [] and current_settings(project.id)[1].learned.programs.keys() == {str(program.id)}
    chains = {str(from_json(state).program_chains) for state in Progress.objects.values_list("state", flat=True)}
    assert len(chains) == 2, "the newer chains of one image replaced the older ones"
    assert Question.objects.filter(project=project, task=GOOD.value).exists()


@pytest.mark.slow
@pytest.mark.parametrize("strategy", [LinkStrategy.GREEDY_PLUS, LinkStrategy.EXHAUSTIVE], ids=str)
def test_the_order_of_box_tasks_and_the_strategy_change_and_change_back_while_all_is_with_workers(
    strategy: LinkStrategy,
):
    project, rng = project_with(replace(ADAPTIVE, box_policy=BoxPolicyName.PAPER, link_stop=0.02), images=6), Random(3)
    given = answered(project, rng, 4)
    policies = (
        (BoxPolicyName.BELIEF, strategy),
        (BoxPolicyName.PAPER, LinkStrategy.ADAPTIVE),
        (BoxPolicyName.BELIEF, strategy),
    )
    for policy, links in policies:
        on_loan = [held(project, f"{policy} {given} {task}", task, size=4) for task in PROTOCOL_TASKS]
        assert {one.task for one in on_loan if one} > {LINK.value}
        change(project, box_policy=policy, strategy=links)
        tick(project_id=project.id)
        assert list(replay(project)) == []
        for one in on_loan:
            assert give(one, rng) == (0 if one is None else len(one.questions))
            given += 0 if one is None else len(one.questions)
        tick(project_id=project.id)
        given += answered(project, rng, 1)
        assert (counted(project), late(project)) == (given, 0)
    assert list(replay(project)) == []
    assert set(project.images.values_list("chains__state", flat=True)) > {ChainState.COMPLETE.value}


class Walk:
    """A project to which anything may happen, at random."""

    def __init__(self, seed: int) -> None:
        self.rng, self.project = Random(seed), project_with(images=3)
        self.programs = [worker(self.project, f"program {one}", kind=Worker.Kind.PROGRAM) for one in range(2)]
        self.out: list[Assignment] = []

    def answer(self) -> None:
        task = self.rng.choice(PROTOCOL_TASKS)
        give(held(self.project, f"w{self.rng.randrange(14)}", task), self.rng)

    def hold(self) -> None:
        mine = held(self.project, f"w{14 + len(self.out)}", self.rng.choice(PROTOCOL_TASKS))
        self.out += [mine] if mine else []

    def hand_in(self) -> None:
        while self.out:
            give(self.out.pop(), self.rng)

    def tick(self) -> None:
        tick(project_id=self.project.id)

    def refit(self) -> None:
        refit_links(self.project.id, only_if_due=False)

    def propose(self) -> None:
        image = self.rng.choice(list(self.project.images.all()))
        x, y = self.rng.randrange(50), self.rng.randrange(40)
        boxes = [[self.rng.randrange(5), x, y, x + 90, y + 50] for _ in range(self.rng.randrange(3))]
        predict(image, self.rng.choice(self.programs), self.rng.choice([RIGHT, WRONG, []]), *boxes)
        refit_of_programs(self.project.id)

    def change(self) -> None:
        choices: dict[str, list[Any]] = {
            "strategy": [LinkStrategy.ADAPTIVE, LinkStrategy.ADAPTIVE, LinkStrategy.GREEDY_PLUS],
            "box_policy": list(BoxPolicyName),
            "pre_annotations": [True, False],
            "reask_rate": [0.0, 0.2],
            "link_stop": [0.05, 0.2],
        }
        name = self.rng.choice(list(choices))
        change(self.project, **{name: self.rng.choice(choices[name])})

    def void(self) -> None:
        """Void one of the newest answers from which nothing has followed."""
        for one in Judgment.objects.filter(entry__isnull=False).select_related("question").order_by("-id")[:10]:
            assert one.question is not None
            try:
                void_judgments(image_id=one.question.image_id, judgment_ids=[one.id], actor="rita", reason="a slip")
            except CannotVoidError:
                continue
            return

    def step(self) -> None:
        often: list[Callable[[], None]] = [self.answer, self.answer, self.answer, self.tick, self.hold]
        self.rng.choice(often * 2 + [self.refit, self.propose, self.change, self.void, self.hand_in])()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_whatever_comes_on_the_way_the_record_makes_what_is_stored(seed: int) -> None:
    walk = Walk(seed)
    for number in range(90):
        walk.step()
        if number % 15 == 14:
            assert list(replay(walk.project)) == []
            for state in Progress.objects.values_list("state", flat=True):
                assert_legal(from_json(state))
    walk.hand_in()
    walk.tick()
    assert list(replay(walk.project)) == []
    assert {"import", "start", "judgment", "propose", "void"} <= set(Entry.objects.values_list("kind", flat=True))
    reasons = " ".join(SettingsVersion.objects.values_list("reason", flat=True))
    assert "refitted" in reasons and "changed while in use" in reasons
