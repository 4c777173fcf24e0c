"""A crew annotates a drawn scene in real browsers, every task on its own screen, from captions to the export."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from annotation.models import Box as BoxRow
from annotation.models import Image, MergedBox, Project
from exchange.export_dataset import export_dataset
from exchange.import_dataset import import_dataset
from pipeline.models import Assignment, Judgment, Progress, Question
from pipeline.open_questions import open_for
from pipeline.record.replay import replay
from pipeline.rules.image.progress_json import from_json
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from scenes.make import make_scenes
from scenes.write import write_source
from simulation.crowd import CROWDS, Crowd
from simulation.simulate import load_gold
from simulation.view import GoldImage, View
from tests.support.labelling_page import LabellingPage, sign_in
from tests.support.projects import worker
from workers.models import Worker

# The clicks are the same on every database; the other tests of the API run on both.
pytestmark = [pytest.mark.sqlite_only, pytest.mark.django_db(transaction=True)]

SEED = 3
ROUNDS = 40
Edges = tuple[int, int, int, int]


class Mouse:
    """A person who drags and clicks with a mouse."""

    options: ClassVar[dict[str, Any]] = {"viewport": {"width": 1440, "height": 900}}

    def choose(self, tab: LabellingPage, answer: Any) -> None:
        tab.answer(answer)

    def draw(self, tab: LabellingPage, edges: Edges) -> None:
        tab.drag(edges[:2], edges[2:])


class Keyboard:
    """A person who only uses the keyboard."""

    options: ClassVar[dict[str, Any]] = {"viewport": {"width": 1280, "height": 800}}
    keys: ClassVar[dict[Any, str]] = dict.fromkeys(("same", "true", "good", "all there"), "1")
    keys |= dict.fromkeys(("different", "false", "bad", "more needed"), "2") | {"none_missing": "n", "box": "Enter"}

    def choose(self, tab: LabellingPage, answer: Any) -> None:
        tab.press(self.keys.get(answer, str(answer)))

    def draw(self, tab: LabellingPage, edges: Edges) -> None:
        """Put a box, open its numbers, type them, and go on to the button."""
        tab.press("b", "#")
        for name, value in zip(("Left", "Top", "Right", "Bottom"), edges, strict=True):
            self._walk_to(tab, lambda name=name: self._focused(tab) == name)
            tab.press("Control+a")
            tab.page.keyboard.type(str(value))
        self._walk_to(tab, lambda: self._focused(tab) == "box")

    def _walk_to(self, tab: LabellingPage, there: Any) -> None:
        for _ in range(60):
            if there():
                return
            tab.press("Tab")
        raise AssertionError(f"the keyboard does not get there; it is at {self._focused(tab)!r}")

    def _focused(self, tab: LabellingPage) -> str:
        script = "(e => e.dataset?.answer ?? e.closest('label')?.firstChild?.textContent ?? '')(document.activeElement)"
        return str(tab.page.evaluate(script))


class Touch:
    """A person who taps and drags with a finger, on a phone."""

    options: ClassVar[dict[str, Any]] = {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
    }

    def choose(self, tab: LabellingPage, answer: Any) -> None:
        """Tap, and tap again if needed: Chromium takes a tap right after a drag for a part of the drag."""
        here = tab.page.locator(f'#work[data-state="asking"][data-index="{tab.index}"]')
        for tries_left in reversed(range(5)):
            tab.page.locator(f'[data-answer="{answer}"]').tap()
            try:
                return expect(here).to_have_count(0, timeout=700)
            except AssertionError:
                if not tries_left:
                    raise

    def draw(self, tab: LabellingPage, edges: Edges) -> None:
        tab.picture.scroll_into_view_if_needed()
        (x0, y0), (x1, y1) = tab.on_screen(edges[:2]), tab.on_screen(edges[2:])
        finger = tab.page.context.new_cdp_session(tab.page)
        steps = [(x0 + (x1 - x0) * part / 4, y0 + (y1 - y0) * part / 4) for part in range(5)]
        for n, (x, y) in enumerate(steps):
            kind = "touchMove" if n else "touchStart"
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@dataclass
class Person:
    """A member of the crew with a browser and a way to use it, who knows the right answers."""

    who: Worker
    number: int
    hand: Mouse | Keyboard | Touch
    tab: LabellingPage
    crowd: Crowd
    gold: dict[int, GoldImage]
    shown: dict[int, Edges] = field(default_factory=dict)
    """The numbers on the screen when a box was confirmed, by question."""

    def work(self, task: Task) -> None:
        """Do one assignment of the task, from the first question to the receipt."""
        self.tab.open(task)
        assignment = Assignment.objects.get(worker=self.who, task=task.value, state="active")
        for place, number in enumerate(assignment.questions):
            expect(self.tab.root).to_have_attribute("data-index", str(place))
            self._answer(task, number)
        assert "stored" in self.tab.submit()

    def _answer(self, task: Task, number: int) -> None:
        answer = self.crowd.answer(self._view(number), self.number)
        if not isinstance(answer, dict):
            self.hand.choose(self.tab, answer)
        elif "box" not in answer:
            self.hand.choose(self.tab, "none_missing")
        else:
            self.tab.wait_for_picture()
            self.hand.draw(self.tab, tuple(answer["box"]))
            assert self.tab.box is not None
            self.shown[number] = tuple(self.tab.box)  # type: ignore[assignment]
            self.hand.choose(self.tab, "box")

    def _view(self, number: int) -> View:
        row = Question.objects.get(id=number)
        progress = from_json(Progress.objects.get(image=row.image_id).state)
        return View(Task(row.task), row.number, row.subject, progress, self.gold[row.image_id])


@pytest.fixture
def scene(tmp_path: Path) -> Project:
    """Return the drawn scene with the fewest mentions among a few. Only the crew knows its gold."""
    few = min(make_scenes(SEED, 12), key=lambda one: len(one.image.mentions))
    write_source(tmp_path / "all", seed=SEED, count=12)
    folder = only(tmp_path / "all", tmp_path / "one", few.image.name)
    import_dataset(project_name="scene", path=folder, gold=True)
    project = Project.objects.get()
    tick()
    return project


def only(source: Path, target: Path, name: str) -> Path:
    """Copy the files of one image of the source."""
    for file in source.rglob("*"):
        if file.is_file() and file.stem == name:
            place = target / file.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.read_bytes())
    return target


@pytest.fixture
def crew(chromium: Browser, live_server: Any, scene: Project) -> Iterator[list[Person]]:
    """Make three people with a mouse, one with the keyboard alone, and one with a finger on a phone."""
    gold = load_gold(scene)
    mentions = [one.for_links() for one in from_json(Progress.objects.get().state).mentions.values()]
    crowd = CROWDS["perfect"]([(next(iter(gold.values())), mentions)], 0)
    contexts: list[BrowserContext] = []
    people = []
    hands: list[Mouse | Keyboard | Touch] = [Mouse(), Keyboard(), Touch(), Mouse(), Mouse()]
    for number, hand in enumerate(hands):
        who = worker(scene, f"{type(hand).__name__.lower()}-{number}")
        contexts.append(chromium.new_context(**hand.options))
        sign_in(contexts[-1], live_server.url, who)
        tab = LabellingPage(contexts[-1].new_page(), live_server.url, scene.name)
        people.append(Person(who, number, hand, tab, crowd, gold))
    yield people
    for context in contexts:
        context.close()


def annotate(crew: list[Person], project: Project) -> dict[type, set[Task]]:
    """Let everyone take open work in turn until nothing is open. Returns the tasks that each kind of hand did."""
    done: dict[type, set[Task]] = defaultdict(set)
    for turn in range(ROUNDS):
        worked = False
        for task in Task:
            # Another person begins each time, so that every hand meets every task.
            for person in [*crew[turn % len(crew) :], *crew[: turn % len(crew)]]:
                if open_for(project.id, task, person.who.id).exists():
                    person.work(task)
                    done[type(person.hand)].add(task)
                    worked = True
                    break
        if not worked:
            return done
    raise AssertionError(f"still open after {ROUNDS} turns: {Question.objects.filter(state='open').values()}")


def test_a_scene_goes_from_captions_to_the_export_by_the_real_screens(
    crew: list[Person], scene: Project, tmp_path: Path
) -> None:
    done = annotate(crew, scene)
    assert Image.objects.get().state == "merged"
    assert done[Mouse] | done[Keyboard] | done[Touch] == set(Task)
    for hand in (Keyboard, Touch):
        assert Task.BOX_DRAWING in done[hand] and len(done[hand]) >= 3, f"{hand.__name__} did {done[hand]}"
    assert list(replay(scene)) == []
    check_boxes(crew, scene, tmp_path / "export")


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
