"""The same for operations on known questions."""

from annotation.models import Gold, Project
from pipeline.gold_questions.known_questions import Source, add_known
from pipeline.known.known_from_gold import GoldQuestion
from pipeline.models import KnownQuestion, Question
from pipeline.protocol.tasks.task import Task
from runtime import clock
from tests.projects.operation_cases import Case

SHOWN = {"mentions": [[0, 0, 0, 2], [1, 1, 0, 2]], "boxes": [], "new_box": None}


def add_question(project: Project) -> None:
    """Add a known question to the stock."""
    known = GoldQuestion(Task.COREFERENCE_LINK, SHOWN, "same")
    image = project.images.order_by("pk")[0]
    add_known(project_id=project.pk, image_id=image.pk, known=[known], source=Source.EXPERT)


def close_a_question(project: Project) -> None:
    image, link = project.images.order_by("pk")[0], Task.COREFERENCE_LINK.value
    asked = {"subject": [0, 1], "shown": SHOWN, "state": "closed", "outcome": "different", "opened_at": clock.now()}
    Question.objects.create(project=project, image=image, task=link, number=image.questions.count(), **asked)


def import_gold(project: Project) -> None:
    """Let the data bring the right answers of an image."""
    boxes = {0: [[10, 10, 50, 90]], 1: [[60, 10, 90, 90]]}
    chains = [{"mentions": [number], "scene": False, "boxes": some} for number, some in boxes.items()]
    Gold.objects.create(image=project.images.order_by("pk")[0], chains=chains)


def take_gold_away(project: Project) -> None:
    Gold.objects.all().delete()


def has_questions(project: Project) -> bool:
    return KnownQuestion.objects.filter(project=project).exists()


def retired(project: Project) -> list[bool]:
    rows = KnownQuestion.objects.filter(project=project)
    return [at is not None for at in rows.values_list("retired_at", flat=True)]


def stock(project: Project) -> list[tuple[str, str, str]]:
    return list(KnownQuestion.objects.filter(project=project).values_list("purpose", "truth", "explanation"))


PROMOTED = {"question": 0, "purpose": "example", "answer": "different", "explanation": "A dog is no cat."}
QUESTION_CASES: dict[str, Case] = {
    "retire_question": Case(
        values={"question": 0},
        prepare=add_question,
        after=retired,
        expected=[True],
        page="projects:known_questions",
        as_row="question",
        more={"act": "retire", "sent": "yes"},
    ),
    "promote_question": Case(
        values=PROMOTED,
        prepare=close_a_question,
        after=stock,
        expected=[("example", "different", "A dog is no cat.")],
        page="projects:promote",
        in_address=("question",),
        wrong=(
            ({**PROMOTED, "purpose": "fun"}, "should be "),
            ({**PROMOTED, "answer": "perhaps"}, "The answer is one of “same”, “different”"),
            ({"question": 0, "purpose": "example"}, "Workers learn from an example only if it says why"),
        ),
    ),
    "use_imported_gold": Case(
        values={},
        prepare=import_gold,
        after=has_questions,
        expected=True,
        page="projects:use_imported_gold",
        refused=((take_gold_away, "give no more questions that the stock needs"),),
    ),
    "add_known_questions": Case(
        values={"from_gold": 2, "tests": 0, "examples": 0, "tasks": ["coreference_link"]},
        prepare=import_gold,
        after=has_questions,
        expected=True,
        wrong=(
            ({"from_gold": 0}, "should be greater than or equal to 1"),
            ({"tests": 1_000_001}, "should be less than or equal to 1000000"),
            ({"from_gold": 10**17}, "should be less than or equal to 1000000"),
            ({"tasks": ["caption_check"]}, "does not ask caption_check"),
        ),
        refused=((take_gold_away, "has no gold. Import images with their annotation"),),
    ),
}
