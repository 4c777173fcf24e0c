"""A crew that annotates a drawn scene in real browsers: people with a hand each, who know the right answers.

Each hand does each task once on its screen. What is left of the work is sent by the requests that the screens send.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol
from xml.etree import ElementTree

from django.test import Client

from annotation.models import Box as BoxRow
from annotation.models import MergedBox, Project
from exchange.export_dataset import export_dataset
from pipeline.models import Assignment, Judgment, Progress, Question
from pipeline.project.open_questions import open_for
from pipeline.rules.progress.progress_json import from_json
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from simulation.crowd import CROWDS, Crowd
from simulation.simulate import load_gold
from simulation.view import GoldImage, View
from tests.support.api import ApiWorker
from tests.support.projects import worker
from workers.models import Worker

ROUNDS = 40
Edges = tuple[int, int, int, int]


class Tab(Protocol):
    """The labelling page in any browser, as a hand uses it."""

    def open(self, task: Task) -> None: ...

    def wait_for_question(self, place: int) -> None: ...

    def wait_for_picture(self) -> None: ...

    def wait_for_box(self, edges: Sequence[float], within: float = 0) -> list[int]: ...

    def walk_to(self, name: str) -> None: ...

    def look(self) -> None:
        """See everything that is judged, and wait until answers count."""

    def answer(self, value: Any) -> None: ...

    def press(self, *keys: str) -> None: ...

    def type(self, text: str) -> None: ...

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None: ...

    def submit(self) -> str: ...


class Hand(Protocol):
    """A way to use the page. `off`: how far its boxes may be from what it means, in pixels of the picture."""

    off: ClassVar[int]

    def choose(self, tab: Any, answer: Any) -> None: ...

    def draw(self, tab: Any, edges: Edges) -> None: ...


class Mouse:
    """A person who drags and clicks with a mouse."""

    options: ClassVar[dict[str, Any]] = {"viewport": {"width": 1440, "height": 900}}
    off: ClassVar[int] = 2

    def choose(self, tab: Tab, answer: Any) -> None:
        tab.answer(answer)

    def draw(self, tab: Tab, edges: Edges) -> None:
        tab.drag(edges[:2], edges[2:])


class Keyboard:
    """A person who only uses the keyboard."""

    options: ClassVar[dict[str, Any]] = {"viewport": {"width": 1280, "height": 800}}
    off: ClassVar[int] = 0
    keys: ClassVar[dict[Any, str]] = dict.fromkeys(("same", "true", "good", "all there"), "1")
    keys |= dict.fromkeys(("different", "false", "bad", "more needed"), "2") | {"none_missing": "n", "box": "Enter"}

    def choose(self, tab: Tab, answer: Any) -> None:
        tab.press(self.keys.get(answer, str(answer)))

    def draw(self, tab: Tab, edges: Edges) -> None:
        """Put a box, open its numbers, type them, and go on to the button."""
        tab.press("b", "#")
        for name, value in zip(("Left", "Top", "Right", "Bottom"), edges, strict=True):
            tab.walk_to(name)
            tab.press("Control+a")
            tab.type(str(value))
        tab.walk_to("box")


@dataclass
class Person:
    """A member of the crew who knows the right answers. Who has no hand and no tab sends requests."""

    who: Worker
    number: int
    crowd: Crowd
    gold: dict[int, GoldImage]
    api: ApiWorker
    hand: Hand | None = None
    tab: Tab | None = None
    given: dict[int, Edges] = field(default_factory=dict)
    """The boxes by question: the numbers on the screen when they were confirmed, or those that were sent."""

    def needs(self, task: Task, done: dict[type, set[Task]]) -> bool:
        """Tell whether the hand has still to meet the task: who draws has met it with a box."""
        if self.hand is None:
            return False
        return task not in done[type(self.hand)] or (task is Task.BOX_DRAWING and not self.given)

    def work(self, task: Task) -> None:
        """Do one assignment of the task on the screen, from the first question to the receipt."""
        assert self.hand is not None and self.tab is not None
        self.tab.open(task)
        assignment = Assignment.objects.get(worker=self.who, task=task.value, state="active")
        for place, number in enumerate(assignment.questions):
            self.tab.wait_for_question(place)
            self._answer(self.hand, self.tab, number)
        assert "stored" in self.tab.submit()

    def _answer(self, hand: Hand, tab: Tab, number: int) -> None:
        """Look and answer. A press is never repeated: none may be lost once the page says that it answers."""
        answer: Any = self.crowd.answer(self._view(number), self.number)
        tab.wait_for_picture()
        tab.look()
        if not isinstance(answer, dict):
            hand.choose(tab, answer)
        elif "box" not in answer:
            hand.choose(tab, "none_missing")
        else:
            hand.draw(tab, tuple(answer["box"]))
            self.given[number] = tuple(tab.wait_for_box(answer["box"], hand.off))  # type: ignore[assignment]
            hand.choose(tab, "box")

    def send(self, task: Task) -> None:
        """Do one assignment of the task by requests."""
        asked = self.api.ask(task)
        numbers = Assignment.objects.get(token=asked["token"]).questions
        answers: list[Any] = [self.crowd.answer(self._view(number), self.number) for number in numbers]
        self.api.submit(asked, *answers)
        pairs = zip(numbers, answers, strict=True)
        drawn = {number: one["box"] for number, one in pairs if isinstance(one, dict) and "box" in one}
        self.given |= {number: tuple(box) for number, box in drawn.items()}

    def _view(self, number: int) -> View:
        row = Question.objects.get(id=number)
        progress = from_json(Progress.objects.get(image=row.image_id).state)
        return View(Task(row.task), row.number, row.subject, progress, self.gold[row.image_id])


def make_crew(scene: Project, hands: list[Hand], sit: Callable[[Worker, Hand], Tab], others: int) -> list[Person]:
    """Make a person for each hand, to whom `sit` gives a tab, and so many others, who send requests."""
    gold = load_gold(scene)
    mentions = [one.for_links() for one in from_json(Progress.objects.get().state).mentions.values()]
    crowd = CROWDS["perfect"]([(next(iter(gold.values())), mentions)], 0)
    people = []
    for number, hand in enumerate([*hands, *[None] * others]):
        who = worker(scene, f"{type(hand).__name__.lower()}-{number}")
        api = ApiWorker(Client(), who, project=scene.name)
        people.append(Person(who, number, crowd, gold, api, hand, sit(who, hand) if hand else None))
    return people


def annotate(crew: list[Person], project: Project) -> dict[type, set[Task]]:
    """Let everyone take open work in turn until nothing is open. Returns the tasks that each kind of hand did."""
    done: dict[type, set[Task]] = defaultdict(set)
    for turn in range(ROUNDS):
        worked = False
        for task in PROTOCOL_TASKS:
            # Another person begins each time, after the hands that have not met the task yet.
            turns = [*crew[turn % len(crew) :], *crew[: turn % len(crew)]]
            for person in sorted(turns, key=lambda one: one.needs(task, done), reverse=True):
                if open_for(project.id, task, person.who.id).exists():
                    if person.needs(task, done):
                        person.work(task)
                        done[type(person.hand)].add(task)
                    else:
                        person.send(task)
                    worked = True
                    break
        if not worked:
            return done
    raise AssertionError(f"still open after {ROUNDS} turns: {Question.objects.filter(state='open').values()}")


def check_boxes(crew: list[Person], scene: Project, target: Path) -> None:
    """Check that boxes are stored and exported as they were on the screen."""
    given = {number: edges for person in crew for number, edges in person.given.items()}
    drawings = Judgment.objects.filter(question__task="box_drawing")
    stored = {one.question_id: tuple(one.answer["box"]) for one in drawings if "box" in one.answer}
    assert stored == given and len(given) >= 3 and all(person.given for person in crew if person.hand)
    drawn = {row.number: edges_of(row) for row in BoxRow.objects.all()}
    assert set(drawn.values()) <= set(given.values())
    export_dataset(project=scene, target=target, export_format="flickr30k-entities")
    (file,) = target.glob("Annotations/*.xml")
    merged = MergedBox.objects.all()
    assert {exported(box) for box in ElementTree.parse(file).iter("bndbox")} == {edges_of(row) for row in merged}
    alone = [row for row in merged if len(row.members) == 1]
    assert alone and all(edges_of(row) == drawn[row.members[0]] for row in alone)


def edges_of(row: BoxRow | MergedBox) -> Edges:
    return row.x0, row.y0, row.x1, row.y1


def exported(box: ElementTree.Element) -> Edges:
    """Return the box in the format's numbers: the first pixel is 1, and the last one belongs to the box."""
    x0, y0, x1, y1 = (int(box.findtext(name, "")) for name in ("xmin", "ymin", "xmax", "ymax"))
    return x0 - 1, y0 - 1, x1, y1
