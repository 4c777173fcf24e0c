"""Crews at real browsers: people with a hand each, who annotate a drawn scene or answer a survey about drawn scenes.

Who annotates knows the right answers; who answers a survey follows a script from a seed. What hands leave of the work
is sent by the requests that the screens send.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias
from xml.etree import ElementTree

from django.test import Client
from playwright.sync_api import expect

from annotation.models import Box as BoxRow
from annotation.models import MergedBox, Project
from exchange.export_dataset import export_dataset
from exchange.jsonl.write import pseudonym
from pipeline.models import Assignment, Judgment, Progress, Question
from pipeline.project.open_questions import open_for
from pipeline.protocol.state.progress import SurveyProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.record.apply_judgments import apply_judgments
from simulation.crowd import CROWDS, Crowd
from simulation.simulate import load_gold
from simulation.view import TrueImage, View
from tests.support.api import ApiWorker
from tests.support.labelling_page import LabellingPage
from tests.support.projects import worker
from tests.support.surveys import FOILS, export
from workers.models import Worker

if TYPE_CHECKING:
    from tests.support.driven_page import DrivenPage

ROUNDS = 40
RIGHT = 0.92
"""The share of right answers that each respondent gives."""
TARGETS = {word: said.split()[place] for _, said, place, word in FOILS}
"""The right word in place of each wrong one."""
DRAG, REST = 0.1, 0.1
"""Seconds of a finger's way, and of its rest at the end."""
Edges = tuple[int, int, int, int]
Tab: TypeAlias = "LabellingPage | DrivenPage"


class Mouse:
    """A person who drags and clicks with a mouse. `off`: how far a box may be from what is meant, in its pixels."""

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
    keys: ClassVar[dict[Any, str]] = {
        **dict.fromkeys(("same", "true", "good", "all there", "correct", "yes"), "1"),
        **dict.fromkeys(("different", "false", "bad", "more needed", "wrong", "no"), "2"),
        "none_missing": "n", "box": "Enter",
    }  # fmt: skip

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

    def name_word(self, tab: Tab, place: int, number: int, right: str) -> None:
        """Pick the word at the place, which shows the number, type the right one, and go on."""
        tab.press(*self.keys_to(number), "Enter")
        tab.type(right)
        tab.press("Enter")

    def keys_to(self, number: int) -> list[str]:
        return list(str(number))


class Arrows(Keyboard):
    """A person who uses the letters of a survey's answers, and arrow keys."""

    keys: ClassVar[dict[Any, str]] = {"correct": "y", "yes": "y", "wrong": "n", "no": "n"}

    def keys_to(self, number: int) -> list[str]:
        return ["ArrowRight"] * number


class Finger:
    """A person who taps and drags with a finger, on a phone."""

    options: ClassVar[dict[str, Any]] = {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
    }
    off: ClassVar[int] = 3

    def choose(self, tab: Any, answer: Any) -> None:
        tab.wait_until_it_answers()
        tab.page.locator(f'[data-answer="{answer}"]').tap()

    def draw(self, tab: Any, edges: Edges) -> None:
        """Drag, and rest before the finger is lifted: else Chromium sees a fling, which the next tap would only stop.

        The times of the events say so, whatever the machine needs: all lie between now and the wait for the question.
        """
        tab.picture.scroll_into_view_if_needed()
        (x0, y0), (x1, y1) = tab.on_screen(edges[:2]), tab.on_screen(edges[2:])
        finger, begun = tab.page.context.new_cdp_session(tab.page), time.time() - REST - DRAG
        steps = [(x0 + (x1 - x0) * part / 4, y0 + (y1 - y0) * part / 4) for part in range(5)]
        for part, (x, y) in enumerate([*steps, steps[-1]]):
            kind, at = "touchMove" if part else "touchStart", begun + DRAG * part / 4
            at = begun + DRAG + REST if part == len(steps) else at
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}], "timestamp": at})
        finger.send(
            "Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": [], "timestamp": begun + DRAG + REST}
        )

    def name_word(self, tab: Any, place: int, number: int, right: str) -> None:
        tab.page.locator(f'.token input[value="{place}"]').tap()
        field = tab.page.get_by_role("textbox", name="Which word would be right")
        field.tap()
        expect(field).to_be_focused()
        tab.type(right)
        tab.page.locator("[data-next]").tap()


Hand = Mouse | Keyboard | Finger


@dataclass
class Member:
    """A member of a crew. Who has no hand and no tab sends requests."""

    who: Worker
    hand: Hand | None
    tab: "Tab | None"

    def work(self, task: Task) -> None:
        """Do one assignment of the task on the screen, from the first question to the receipt."""
        assert self.tab is not None
        self.tab.open(task)
        assignment = Assignment.objects.get(worker=self.who, task=task.value, state="active")
        for place, number in enumerate(assignment.questions):
            self.tab.wait_for_question(place)
            self.give(self.tab, number)
        assert "stored" in self.tab.submit()

    def send(self, task: Task, project: Project) -> None:
        """Do one assignment of the task by requests."""
        api = ApiWorker(Client(), self.who, project=project.name)
        asked = api.ask(task)
        numbers = Assignment.objects.get(token=asked["token"]).questions
        api.submit(asked, *[self.decide(number) for number in numbers])

    def give(self, tab: Tab, number: int) -> None:
        """Look and answer on the screen. A press is never repeated: none may be lost once the page answers."""
        raise NotImplementedError

    def decide(self, number: int) -> Any:
        """Return the answer to the question with this id, and keep it."""
        raise NotImplementedError


@dataclass
class Person(Member):
    """A member of the crew who knows the right answers."""

    number: int
    crowd: Crowd
    gold: dict[int, TrueImage]
    given: dict[int, Edges] = field(default_factory=dict)
    """The boxes by question: the numbers on the screen when they were confirmed, or those that were sent."""

    def needs(self, task: Task, done: dict[type, set[Task]]) -> bool:
        """Tell whether the hand has still to meet the task: who draws has met it with a box."""
        if self.hand is None:
            return False
        return task not in done[type(self.hand)] or (task is Task.BOX_DRAWING and not self.given)

    def give(self, tab: Tab, number: int) -> None:
        assert self.hand is not None
        answer = self.decide(number)
        tab.wait_for_picture()
        tab.look()
        if not isinstance(answer, dict):
            self.hand.choose(tab, answer)
        elif "box" not in answer:
            self.hand.choose(tab, "none_missing")
        else:
            self.hand.draw(tab, self.given[number])
            x0, y0, x1, y1 = tab.wait_for_box(self.given[number], self.hand.off)
            self.given[number] = x0, y0, x1, y1
            self.hand.choose(tab, "box")

    def decide(self, number: int) -> Any:
        row = Question.objects.get(id=number)
        progress = from_json(Progress.objects.get(image=row.image_id).state)
        view = View(Task(row.task), row.number, row.subject, progress, self.gold[row.image_id])
        answer: Any = self.crowd.answer(view, self.number)
        if isinstance(answer, dict) and "box" in answer:
            self.given[number] = tuple(answer["box"])
        return answer


def make_crew(scene: Project, hands: list[Hand], sit: Callable[[Worker, Hand], Tab], others: int) -> list[Person]:
    """Make a person for each hand, to whom `sit` gives a tab, and so many others, who send requests."""
    gold = load_gold(scene)
    mentions = [one.for_links() for one in from_json(Progress.objects.get().state).mentions.values()]
    crowd = CROWDS["perfect"]([(next(iter(gold.values())), mentions)], 0)
    people = []
    for number, hand in enumerate([*hands, *[None] * others]):
        who = worker(scene, f"{type(hand).__name__.lower()}-{number}")
        people.append(Person(who, hand, sit(who, hand) if hand else None, number, crowd, gold))
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
                        person.send(task, project)
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


@dataclass
class Respondent(Member):
    """A member of the crew and what they answered by item."""

    dice: Random
    said: dict[str, Any] = field(default_factory=dict)

    def decide(self, number: int) -> Any:
        asked = asked_by(number)
        answer = self.said[asked.item] = self._chosen(asked)
        return answer

    def give(self, tab: Tab, number: int) -> None:
        assert isinstance(self.hand, Keyboard | Finger)
        answer = self.decide(number)
        tab.look()
        self.hand.choose(tab, answer if isinstance(answer, str) else answer["verdict"])
        if "word" in answer:
            before = asked_by(number).shown["caption"].split()[: answer["word"]]
            shown = 1 + sum(word.isalnum() for word in before)
            self.hand.name_word(tab, answer["word"], shown, answer.get("right", ""))

    def _chosen(self, asked: SurveyProgress) -> Any:
        right = self.dice.random() < RIGHT
        if asked.task is Task.ATOM_VISUAL:
            return asked.truth if right else {"yes": "no", "no": "yes"}[asked.truth]
        words = asked.shown["caption"].split()
        if (asked.truth["verdict"] == "correct") is right:
            return {"verdict": "correct"}
        if right:
            place = asked.truth["word"]
            return {"verdict": "wrong", "word": place, "right": TARGETS[words[place]]}
        place = self.dice.randrange(len(words) - 1)
        return {"verdict": "wrong", "word": place} if words[place].isalpha() else {"verdict": "wrong", "word": 0}


def asked_by(number: int) -> SurveyProgress:
    """Return what the question with this id asks."""
    row = Question.objects.get(id=number)
    return from_json(Progress.objects.get(image=row.image_id).state).surveys[row.subject[0]]


def answer_survey(crew: list[Respondent], project: Project) -> None:
    """Let everyone take open work in turn until nothing is open."""
    task = Task(project.survey)
    for _ in range(ROUNDS):
        waiting = [one for one in crew if open_for(project.pk, task, one.who.pk).exists()]
        if not waiting:
            return
        for respondent in waiting:
            if open_for(project.pk, task, respondent.who.pk).exists():
                if respondent.hand is None:
                    respondent.send(task, project)
                else:
                    respondent.work(task)
                apply_judgments(project_id=project.pk)
    raise AssertionError(f"still open after {ROUNDS} turns: {Question.objects.filter(state='open').count()}")


def by_item(crew: list[Respondent]) -> dict[str, list[Any]]:
    """Return the answers of all to each item, by the script."""
    found: dict[str, list[Any]] = defaultdict(list)
    for respondent in crew:
        for item, answer in respondent.said.items():
            found[item].append(answer)
    return found


def pressed_of(vote: dict[str, Any]) -> Any:
    """Return what a worker pressed and typed, by what the votes say of it."""
    if "place" not in vote:
        return vote["answer"]
    named = {"word": vote["place"], "right": vote["replacement"]}
    return {"verdict": vote["answer"]} | {name: value for name, value in named.items() if value is not None}


def check_votes(project: Project, crew: list[Respondent], folder: Path) -> list[dict[str, Any]]:
    """Check that the exported votes are exactly what the crew pressed; return them."""
    votes = export(project, folder)
    exported = {(vote["worker"], vote["item"]): pressed_of(vote) for vote in votes}
    pressed = {(pseudonym(project.pk, one.who.pk), item): said for one in crew for item, said in one.said.items()}
    assert exported == pressed and len(votes) == len(pressed)
    return votes
