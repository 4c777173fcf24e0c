"""Surveys about drawn scenes, and a crew that answers them in real browsers, each by a script from a seed."""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Protocol

from django.core.management import call_command
from django.test import Client
from playwright.sync_api import expect

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.models import Assignment, Progress, Question
from pipeline.project.open_questions import open_for
from pipeline.record.fold_judgments import fold_judgments
from pipeline.rules.progress.progress import SurveyProgress
from pipeline.rules.progress.progress_json import from_json
from pipeline.rules.tasks.task import Task
from scenes.write import write_source
from tests.support.api import ApiWorker
from tests.support.labelling_page import LabellingPage
from workers.models import Worker

SEED, SCENES = 3, 5
FOILS = (
    (0, "A lady is walking her dog in front of a bench in a sunny park .", 5, "cat"),
    (1, "A young man sings while he plays an electric guitar .", 9, "piano"),
    (3, "A woman on a bicycle goes for a ride through heavy traffic .", 4, "motorcycle"),
    (4, "A cow stands behind his horse , and sheep graze in a field .", 1, "dog"),
)
"""The number of a scene, a caption of it, and the place and the wrong word of the foil."""
ATOMS = (("dog", "entity", "yes", (0, 2, 2)), ("love", "entity", "no", (1, 0, 2)), ("ride", "action", "yes", (3, 3, 4)))
"""An atom, its category, whether it can be seen, and its scenes."""
USAGES = {
    "dog": (
        "A black dog on a leash leads a woman through the park .",
        "A brown dog and a white dog chase a pink ball .",
        "Two dogs play with a beach ball .",
    ),
    "love": (
        "A gentleman sings a love song into the microphone .",
        "A lady who loves her dog walks it in the park .",
        "Two kids love to build a castle .",
    ),
    "ride": (
        "A woman in an orange helmet rides a bicycle past a city bus .",
        "A woman on a bicycle goes for a ride through heavy traffic .",
        "A man is riding his horse .",
    ),
}
"""A caption in which the atom is used, for each of its scenes."""


def picture(scene: int) -> str:
    """The name of the scene's picture."""
    return f"scene-{SEED}-{scene:05d}.jpg"


def replaced(caption: str, place: int, word: str) -> str:
    words = caption.split()
    return " ".join([*words[:place], word, *words[place + 1 :]])


def lines_of(task: Task) -> list[dict[str, Any]]:
    """Return the lines of the file that survey_import reads."""
    if task is Task.CAPTION_CHECK:
        return [
            {"image": picture(scene), "caption": said, "foil": replaced(said, place, word), "place": place}
            for scene, said, place, word in FOILS
        ]
    lines = []
    for word, category, visual, scenes in ATOMS:
        used = zip(map(picture, scenes), USAGES[word], strict=True)
        examples = [{"image": image, "caption": said} for image, said in used]
        lines.append({"atom": word, "category": category, "visual": visual, "examples": examples})
    return lines


def scene_survey(folder: Path, task: Task, **options: Any) -> Project:
    """Import the survey under the name of its task, and start it. `options`: of survey_import."""
    source = folder / "scenes"
    if not source.exists():
        write_source(source, seed=SEED, count=SCENES)
    items = folder / f"{task.value}.jsonl"
    items.write_text("".join(json.dumps(line) + "\n" for line in lines_of(task)))
    given = {"kind": task.value, "items": items, "pictures": source / "images", "stdout": StringIO()}
    call_command("survey_import", task.value, **given, **options)
    project = Project.objects.get(name=task.value)
    project.state = ProjectState.RUNNING
    project.save()
    return project


RIGHT = 0.92
"""The share of right answers that each of the crew gives."""
TARGETS = {word: said.split()[place] for _, said, place, word in FOILS}
"""The right word in place of each wrong one."""
MOST_TURNS = 20


class Hand(Protocol):
    """A way to answer a survey's questions. `options`: of the browser that it needs."""

    options: ClassVar[dict[str, Any]]

    def choose(self, tab: Any, value: str) -> None:
        """Press the answer with this value."""

    def name_word(self, tab: Any, place: int, number: int, right: str) -> None:
        """Pick the word at the place, which shows the number, type the right one, and go on."""


class Keys:
    """A person who only uses the keyboard."""

    options: ClassVar[dict[str, Any]] = {"viewport": {"width": 1280, "height": 800}}
    keys: ClassVar[dict[str, str]] = {"correct": "1", "yes": "1", "wrong": "2", "no": "2"}

    def choose(self, tab: Any, value: str) -> None:
        tab.press(self.keys[value])

    def name_word(self, tab: Any, place: int, number: int, right: str) -> None:
        tab.press(*str(number), "Enter")
        tab.type(right)
        tab.press("Enter")


class Arrows(Keys):
    """A person who uses the letters of the answers, and arrow keys."""

    keys: ClassVar[dict[str, str]] = {"correct": "y", "yes": "y", "wrong": "n", "no": "n"}

    def name_word(self, tab: Any, place: int, number: int, right: str) -> None:
        tab.press(*["ArrowRight"] * number, "Enter")
        tab.type(right)
        tab.press("Enter")


class Finger:
    """A person who taps, on a phone."""

    options: ClassVar[dict[str, Any]] = {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
    }

    def choose(self, tab: LabellingPage, value: str) -> None:
        tab.wait_until_it_answers()
        tab.page.locator(f'[data-answer="{value}"]').tap()

    def name_word(self, tab: LabellingPage, place: int, number: int, right: str) -> None:
        tab.page.locator(f'.token input[value="{place}"]').tap()
        field = tab.page.get_by_role("textbox", name="Which word would be right")
        field.tap()
        expect(field).to_be_focused()
        tab.type(right)
        tab.page.locator("[data-next]").tap()


@dataclass
class Respondent:
    """A member of the crew and what they answered by item. Who has no hand and no browser sends requests."""

    who: Worker
    hand: Hand | None
    tab: Any
    dice: Random
    said: dict[str, Any] = field(default_factory=dict)

    def send(self, project: Project) -> None:
        """Do one assignment by requests, as the page sends them."""
        api = ApiWorker(Client(), self.who, project=project.name)
        asked = api.ask(Task(project.survey))
        items = [asked_by(number) for number in Assignment.objects.get(token=asked["token"]).questions]
        answers = [self._decide(item) for item in items]
        api.submit(asked, *answers)
        self.said |= {item.item: answer for item, answer in zip(items, answers, strict=True)}

    def work(self, task: Task) -> None:
        """Do one assignment in the browser, from the first question to the receipt."""
        self.tab.open(task)
        assignment = Assignment.objects.get(worker=self.who, task=task.value, state="active")
        for place, number in enumerate(assignment.questions):
            self.tab.wait_for_question(place)
            asked = asked_by(number)
            answer = self._decide(asked)
            self._give(answer, asked)
            self.said[asked.item] = answer
        assert "stored" in self.tab.submit()

    def _decide(self, asked: SurveyProgress) -> Any:
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

    def _give(self, answer: Any, asked: SurveyProgress) -> None:
        assert self.hand is not None
        self.tab.look()
        self.hand.choose(self.tab, answer if isinstance(answer, str) else answer["verdict"])
        if "word" in answer:
            before = asked.shown["caption"].split()[: answer["word"]]
            number = 1 + sum(word.isalnum() for word in before)
            self.hand.name_word(self.tab, answer["word"], number, answer.get("right", ""))


def asked_by(number: int) -> SurveyProgress:
    """Return what the question with this id asks."""
    row = Question.objects.get(id=number)
    return from_json(Progress.objects.get(image=row.image_id).state).surveys[row.subject[0]]


def answer_survey(crew: list[Respondent], project: Project) -> None:
    """Let everyone take open work in turn until nothing is open."""
    task = Task(project.survey)
    for _ in range(MOST_TURNS):
        waiting = [one for one in crew if open_for(project.pk, task, one.who.pk).exists()]
        if not waiting:
            return
        for respondent in waiting:
            if open_for(project.pk, task, respondent.who.pk).exists():
                if respondent.hand is None:
                    respondent.send(project)
                else:
                    respondent.work(task)
                fold_judgments(project_id=project.pk)
    raise AssertionError(f"still open after {MOST_TURNS} turns: {Question.objects.filter(state='open').count()}")


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
