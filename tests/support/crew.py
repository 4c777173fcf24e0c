"""A crew that annotates a drawn scene in real browsers: people with a hand each, who know the right answers."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol
from xml.etree import ElementTree

from annotation.models import Box as BoxRow
from annotation.models import MergedBox, Project
from exchange.export_dataset import export_dataset
from pipeline.models import Assignment, Judgment, Progress, Question
from pipeline.open_questions import open_for
from pipeline.rules.progress.progress_json import from_json
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from simulation.crowd import CROWDS, Crowd
from simulation.simulate import load_gold
from simulation.view import GoldImage, View
from tests.support.projects import worker
from workers.models import Worker

ROUNDS = 40
Edges = tuple[int, int, int, int]


class Tab(Protocol):
    """The labelling page in any browser, as a hand uses it."""

    @property
    def box(self) -> list[int] | None: ...

    @property
    def focused(self) -> str: ...

    def open(self, task: Task) -> None: ...

    def wait_for_question(self, place: int) -> None: ...

    def wait_for_picture(self) -> None: ...

    def answer(self, value: Any) -> None: ...

    def press(self, *keys: str) -> None: ...

    def type(self, text: str) -> None: ...

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None: ...

    def submit(self) -> str: ...

    def lost_press(self) -> bool:
        """Tell whether the browser did nothing with the last press."""


class Hand(Protocol):
    """A way to use the page."""

    def choose(self, tab: Any, answer: Any) -> None: ...

    def draw(self, tab: Any, edges: Edges) -> None: ...


class Mouse:
    """A person who drags and clicks with a mouse."""

    options: ClassVar[dict[str, Any]] = {"viewport": {"width": 1440, "height": 900}}

    def choose(self, tab: Tab, answer: Any) -> None:
        tab.answer(answer)

    def draw(self, tab: Tab, edges: Edges) -> None:
        tab.drag(edges[:2], edges[2:])


class Keyboard:
    """A person who only uses the keyboard."""

    options: ClassVar[dict[str, Any]] = {"viewport": {"width": 1280, "height": 800}}
    keys: ClassVar[dict[Any, str]] = dict.fromkeys(("same", "true", "good", "all there"), "1")
    keys |= dict.fromkeys(("different", "false", "bad", "more needed"), "2") | {"none_missing": "n", "box": "Enter"}

    def choose(self, tab: Tab, answer: Any) -> None:
        tab.press(self.keys.get(answer, str(answer)))

    def draw(self, tab: Tab, edges: Edges) -> None:
        """Put a box, open its numbers, type them, and go on to the button."""
        tab.press("b", "#")
        for name, value in zip(("Left", "Top", "Right", "Bottom"), edges, strict=True):
            self._walk_to(tab, lambda name=name: tab.focused == name)
            tab.press("Control+a")
            tab.type(str(value))
        self._walk_to(tab, lambda: tab.focused == "box")

    def _walk_to(self, tab: Tab, there: Any) -> None:
        for _ in range(60):
            if there():
                return
            tab.press("Tab")
        raise AssertionError(f"the keyboard does not get there; it is at {tab.focused!r}")


@dataclass
class Person:
    """A member of the crew with a browser and a way to use it, who knows the right answers."""

    who: Worker
    number: int
    hand: Hand
    tab: Tab
    crowd: Crowd
    gold: dict[int, GoldImage]
    shown: dict[int, Edges] = field(default_factory=dict)
    """The numbers on the screen when a box was confirmed, by question."""

    def work(self, task: Task) -> None:
        """Do one assignment of the task, from the first question to the receipt."""
        self.tab.open(task)
        assignment = Assignment.objects.get(worker=self.who, task=task.value, state="active")
        for place, number in enumerate(assignment.questions):
            self.tab.wait_for_question(place)
            self._answer(task, number)
        assert "stored" in self.tab.submit()

    def _answer(self, task: Task, number: int) -> None:
        answer = self.crowd.answer(self._view(number), self.number)
        if not isinstance(answer, dict):
            self._choose(answer)
        elif "box" not in answer:
            self._choose("none_missing")
        else:
            self.tab.wait_for_picture()
            self.hand.draw(self.tab, tuple(answer["box"]))
            assert self.tab.box is not None
            self.shown[number] = tuple(self.tab.box)  # type: ignore[assignment]
            self._choose("box")

    def _choose(self, answer: Any) -> None:
        """Choose the answer, and again if the browser lost the press."""
        self.hand.choose(self.tab, answer)
        if self.tab.lost_press():
            self.hand.choose(self.tab, answer)

    def _view(self, number: int) -> View:
        row = Question.objects.get(id=number)
        progress = from_json(Progress.objects.get(image=row.image_id).state)
        return View(Task(row.task), row.number, row.subject, progress, self.gold[row.image_id])


def make_crew(scene: Project, hands: list[Hand], sit: Callable[[Worker, Hand], Tab]) -> list[Person]:
    """Make a person for each hand. `sit` gives a person a tab."""
    gold = load_gold(scene)
    mentions = [one.for_links() for one in from_json(Progress.objects.get().state).mentions.values()]
    crowd = CROWDS["perfect"]([(next(iter(gold.values())), mentions)], 0)
    people = []
    for number, hand in enumerate(hands):
        who = worker(scene, f"{type(hand).__name__.lower()}-{number}")
        people.append(Person(who, number, hand, sit(who, hand), crowd, gold))
    return people


def annotate(crew: list[Person], project: Project) -> dict[type, set[Task]]:
    """Let everyone take open work in turn until nothing is open. Returns the tasks that each kind of hand did."""
    done: dict[type, set[Task]] = defaultdict(set)
    for turn in range(ROUNDS):
        worked = False
        for task in PROTOCOL_TASKS:
            # Another person begins each time, after the hands that have not met the task yet.
            turns = [*crew[turn % len(crew) :], *crew[: turn % len(crew)]]
            for person in sorted(turns, key=lambda one: task in done[type(one.hand)]):
                if open_for(project.id, task, person.who.id).exists():
                    person.work(task)
                    done[type(person.hand)].add(task)
                    worked = True
                    break
        if not worked:
            return done
    raise AssertionError(f"still open after {ROUNDS} turns: {Question.objects.filter(state='open').values()}")


def check_boxes(crew: list[Person], scene: Project, target: Path) -> None:
    """Check that boxes are stored and exported as they were on the screen."""
    shown = {number: edges for person in crew for number, edges in person.shown.items()}
    drawings = Judgment.objects.filter(question__task="box_drawing")
    stored = {one.question_id: tuple(one.answer["box"]) for one in drawings if "box" in one.answer}
    assert stored == shown and len(shown) >= 3
    drawn = {row.number: edges_of(row) for row in BoxRow.objects.all()}
    assert set(drawn.values()) <= set(shown.values())
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
