"""Ask items: write their pictures, their known questions and their real ones into a survey project.

Safe to run again: what is there already is passed over. Each picture and each part of the questions is committed by
itself, so that a run that was stopped goes on where it was.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from accounts.members import add_member
from accounts.models import Role
from annotation.models import Image, Project
from annotation.rules.states import ProjectState, Survey
from exchange.dataset import DatasetImage
from exchange.import_image import import_image
from pipeline.gold_questions.known_questions import New, add_all, key_of
from pipeline.known.explanation import explain
from pipeline.known.known_from_gold import GoldQuestion
from pipeline.models import Entry, KnownQuestion
from pipeline.project.settings_versions import current_settings, make_project, open_project
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import Task
from pipeline.record.append_entries import NewEntry, append_entries, lock_progress
from pipeline.settings.settings import Settings
from surveys.pictures import ItemPictures
from surveys.rules.ask_order import TooFewItemsError, WantedKnown, count_known, drawn, in_order, versions
from surveys.rules.items import Item, SurveyError, SurveyQuestion


def check_survey(name: str, task: Task, votes: int | None) -> Settings:
    """Return the settings of the survey project of this name, or those that a new one gets. Writes nothing.

    `votes`: asked for on each question; None: as the project has it, 3 in a new one. Raises SurveyError if there is a
    project of this name that does not ask the task, or asks for another number of votes.
    """
    project = Project.objects.filter(name=name).first()
    if project is None:
        try:
            return Settings() if votes is None else Settings(survey_votes=votes)
        except ValueError as error:
            raise SurveyError(str(error)) from error
    if project.survey != task.value:
        what = f"a survey of {Task(project.survey).label}" if project.survey else "an ordinary project"
        raise SurveyError(f"{name} is {what}, and these are items of {task.label}. Choose another name for a project.")
    settings = current_settings(project.pk)[1]
    if votes is not None and votes != settings.survey_votes:
        raise SurveyError(
            f"{name} asks for {settings.survey_votes} votes on each question, not {votes}. Leave out --votes, or "
            "change the setting on the project's page."
        )
    return settings


@transaction.atomic
def make_survey(*, name: str, title: str, task: Task, settings: Settings, owner: User) -> Project:
    """Make a survey, as a draft with `owner` as requester. Raises NameTakenError."""
    survey = Survey(task.value)
    project = make_project(name=name, title=title, settings=settings, state=ProjectState.DRAFT, survey=survey)
    add_member(owner, project, Role.REQUESTER)
    return project


@transaction.atomic
def open_survey(*, name: str, task: Task, settings: Settings, owner: User | None = None) -> Project:
    """Return the survey project of this name; make it, as a draft, if it does not exist. `owner`: its requester."""
    project = open_project(name=name, settings=settings, state=ProjectState.DRAFT, survey=Survey(task.value))
    if owner is not None:
        add_member(owner, project, Role.REQUESTER)
    return project


QUESTIONS_PER_BATCH = 100
"""Questions of one transaction: an even number, so that a stopped run leaves whole pairs."""
Purpose = KnownQuestion.Purpose
Step = Callable[[], object]


class AskedItems(NamedTuple):
    """The result of an import: what is new, and the items that were there before."""

    pictures: int
    questions: int
    known: dict[str, int]
    """By purpose."""
    there: int


class Plan(NamedTuple):
    """The rows to be written: the real questions in order, and the known ones by purpose."""

    real: list[SurveyQuestion]
    known: dict[KnownQuestion.Purpose, list[SurveyQuestion]]
    images: list[str]
    """The names of the pictures, in the order of the items."""
    there: int

    @property
    def steps(self) -> int:
        """The number of times that the writing calls `step`."""
        return len(self.images) + len(self.real)


def plan_items(
    project: Project | None, items: Sequence[Item], *, known: int, test_questions: int, tests: int, seed: int
) -> Plan:
    """Decide which items are asked, in which order, and which become known questions. Writes nothing.

    `known`: the items of this file that are to be verification questions. `project`: None if it is still to be made.
    Raises SurveyError if an item is there already with another content, or if too few items can be known.
    """
    asked = _questions_shown(project) if project else {}
    stock = dict(KnownQuestion.objects.filter(project=project).values_list("key", "purpose")) if project else {}
    names = {image.name: image.pk for image in project.images.only("id", "name")} if project else {}
    purposes = {item.name: _purpose(item, names, stock) for item in items}
    try:
        candidates = drawn(items, seed)
        wanted = count_known(known, len(candidates), test_questions=test_questions, tests=tests)
    except TooFewItemsError as error:
        raise SurveyError(str(error)) from error
    fresh = [item for item in candidates if not purposes[item.name] and not _is_begun(item, asked)]
    chosen = _known(wanted, list(purposes.values()), fresh)
    reserved = {item.name for some in chosen.values() for item in some}
    real, new, there = list[SurveyQuestion](), list[Item](), 0
    for item in items:
        if purposes[item.name] or _is_begun(item, asked) == len(item.questions):
            there += 1
            continue
        new.append(item)
        if item.name not in reserved:
            real += [question for question in item.questions if question.item not in asked]
    images = dict.fromkeys(name for item in new for name in item.images if name not in names)
    return Plan(in_order(real, seed), {to: versions(some) for to, some in chosen.items()}, list(images), there)


def _questions_shown(project: Project) -> dict[str, dict[str, Any]]:
    """Return what the project's questions show, by the name of the item."""
    rows = Entry.objects.filter(project=project, kind=EntryKind.ASK.value).order_by().values_list("data", flat=True)
    return {data["item"]: data["shown"] for data in rows}


def _purpose(item: Item, images: dict[str, int], known_purposes: dict[str, str]) -> str:
    """Return the purpose for which a version of the item is in the stock; empty if none is."""
    keys = (key_of(images[question.image], whole(question)) for question in item.questions if question.image in images)
    return next((known_purposes[key] for key in keys if key in known_purposes), "")


def _is_begun(item: Item, questions_shown: dict[str, dict[str, Any]]) -> int:
    """Count the item's questions that are asked. Raises SurveyError if one of the same name shows something else."""
    there = [question for question in item.questions if question.item in questions_shown]
    for question in there:
        if questions_shown[question.item] != question.shown:
            raise SurveyError(
                f"Line {item.line}: the item {item.name} is in the project already, with another content. Give the "
                'lines of this file names of their own: "item".'
            )
    return len(there)


def _known(
    numbers: WantedKnown, there: Sequence[str], fresh: Sequence[Item]
) -> dict[KnownQuestion.Purpose, list[Item]]:
    """Choose the items that become known, without those of this file that are known already."""
    rest, chosen = list(fresh), dict[KnownQuestion.Purpose, list[Item]]()
    for purpose, count in (
        (Purpose.EXAMPLE, numbers.example),
        (Purpose.TEST, numbers.test),
        (Purpose.VERIFICATION, numbers.verification),
    ):
        lacking = max(0, count - there.count(purpose.value))
        chosen[purpose], rest = rest[:lacking], rest[lacking:]
    return chosen


def whole(question: SurveyQuestion) -> dict[str, Any]:
    """Return what a question shows, as `pipeline.protocol.state.rows` has it."""
    return {"mentions": [], "boxes": [], "new_box": None, "survey": question.shown}


def ask_items(
    project: Project, task: Task, plan: Plan, pictures: ItemPictures, step: Step = lambda: None
) -> AskedItems:
    """Write what was planned. `step` is called after each picture and each real question."""
    written = _write_images(project, plan.images, pictures, step)
    known = {purpose.value: _write_known(project, task, some, purpose) for purpose, some in plan.known.items()}
    starts = range(0, len(plan.real), QUESTIONS_PER_BATCH)
    asked = sum(_ask(project, task, plan.real[start : start + QUESTIONS_PER_BATCH], step) for start in starts)
    return AskedItems(written, asked, known, plan.there)


def _write_images(project: Project, names: Sequence[str], pictures: ItemPictures, step: Step) -> int:
    """Write each picture as an annotated image without phrases, so that nothing but the survey is asked about it."""
    version, _ = current_settings(project.pk)
    last = project.images.aggregate(last=Max("position"))["last"]
    position = 0 if last is None else last + 1
    for place, name in enumerate(names):
        picture = pictures.take(name)
        image = DatasetImage(name, picture.width, picture.height, captions=(), source=picture.source)
        with transaction.atomic():
            import_image(
                project,
                position + place,
                image,
                picture=picture.stored,
                gold=False,
                settings_version=version,
                annotation={"chains": [], "boxes": []},
            )
        step()
    return len(names)


def _write_known(
    project: Project, task: Task, questions: Sequence[SurveyQuestion], purpose: KnownQuestion.Purpose
) -> int:
    if not questions:
        return 0
    images = _ids(project, questions)
    known = [(images[question.image], GoldQuestion(task, whole(question), question.truth)) for question in questions]
    is_example = purpose == Purpose.EXAMPLE
    new = [
        New(image, gold_question, explanation=explain(gold_question, {}) if is_example else "")
        for image, gold_question in known
    ]
    return add_all(project_id=project.pk, new=new, source=KnownQuestion.Source.GOLD, purpose=purpose)


def _ask(project: Project, task: Task, questions: Sequence[SurveyQuestion], step: Step) -> int:
    """Ask these questions in their order, in one transaction."""
    images = _ids(project, questions)
    asked = 0
    with transaction.atomic():
        for part in _runs(questions):
            locked = {row.image_id: row for row in lock_progress([images[item.image] for item in part])}
            there = {survey.item for row in locked.values() for survey in from_json(row.state).surveys.values()}
            new = {
                images[item.image]: [NewEntry(EntryKind.ASK, _data(task, item))]
                for item in part
                if item.item not in there
            }
            # Rows are locked by image, and questions are written in the order in which they are asked.
            append_entries([locked[image] for image in new], new)
            asked += len(new)
    for _ in questions:
        step()
    return asked


def _ids(project: Project, questions: Collection[SurveyQuestion]) -> dict[str, int]:
    rows = Image.objects.filter(project=project, name__in={question.image for question in questions})
    return dict(rows.values_list("name", "id"))


def _runs(questions: Iterable[SurveyQuestion]) -> Iterator[list[SurveyQuestion]]:
    """Yield the questions in parts in which no picture comes twice: one append writes an image once."""
    part: dict[str, SurveyQuestion] = {}
    for question in questions:
        if question.image in part:
            yield list(part.values())
            part = {}
        part[question.image] = question
    if part:
        yield list(part.values())


def _data(task: Task, question: SurveyQuestion) -> dict[str, Any]:
    data = {"task": task.value, "item": question.item, "shown": question.shown}
    return data if question.truth is None else data | {"truth": question.truth}
