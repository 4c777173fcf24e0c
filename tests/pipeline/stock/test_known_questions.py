"""The stock of verification questions: filled from gold or by hand, and retired."""

from collections import Counter
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Image, Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetChain
from pipeline.errors import BadAnswerError
from pipeline.models import KnownQuestion, Question
from pipeline.rules.known.known_from_gold import Known
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from pipeline.stock.known_questions import Purpose, Source, add_known, retire_known, stock
from pipeline.stock.stock_from_gold import fill_from_gold
from tests.support.members import maker
from tests.support.projects import answer, phrases, project_of, worker

pytestmark = pytest.mark.django_db
LINK, DRAW, QUALITY = Task.COREFERENCE_LINK, Task.BOX_DRAWING, Task.BOX_QUALITY


def gold_project(images: int = 6, name: str = "small", settings: ProtocolSettings | None = None) -> Project:
    """Images with two men, each in two captions and with a box."""
    boxes = [DatasetBox(Box(0, 0, 50, 90), ("a",)), DatasetBox(Box(100, 0, 150, 90), ("b",))]
    texts = ("people: a man", "people: the man", "people: a boy", "people: the boy")
    made = [phrases(*texts, name=str(n), chains=["a", "a", "b", "b"], boxes=boxes) for n in range(images)]
    return project_of(*made, gold=True, name=name, settings=settings)


def known(answer: object = "same") -> Known:
    return Known(LINK, {"mentions": [[0, 0, 0, 2], [1, 1, 0, 2]], "boxes": [], "new_box": None}, answer)


def add(project: Project, answer: object = "same", **more: object) -> int:
    place = {"project_id": project.id, "image_id": project.images.earliest("id").id, "source": Source.EXPERT}
    return add_known(known=[known(answer)], **place, **more)  # type: ignore[arg-type]


def images_of(purpose: KnownQuestion.Purpose) -> set[int]:
    return set(KnownQuestion.objects.filter(purpose=purpose).values_list("image", flat=True))


# --- From gold ---


def test_gold_fills_the_stock_up_to_the_number_asked_for() -> None:
    project = gold_project()
    added = fill_from_gold(project=project, most=dict.fromkeys(PROTOCOL_TASKS, 5))
    assert added[LINK] == added[DRAW] == 5
    assert all(stock(project.id, task) == count for task, count in added.items())
    assert set(KnownQuestion.objects.values_list("source", flat=True)) == {"gold"}


def test_gold_without_a_box_or_a_flag_is_no_right_answer_of_box_requirement() -> None:
    image = phrases("animals: a dog", "animals: a cat", chains=["a", "b"])
    flagged = replace(image, chains=(DatasetChain("a"), DatasetChain("b", no_box=True)))
    fill_from_gold(project=project_of(flagged, gold=True), most=dict.fromkeys(PROTOCOL_TASKS, 9))
    rows = KnownQuestion.objects.filter(task=Task.BOX_REQUIREMENT.value)
    assert [(row.shown["mentions"][0][0], row.truth) for row in rows] == [(1, 3)]


def test_filling_again_adds_what_is_missing_and_nothing_twice() -> None:
    project = gold_project()
    fill_from_gold(project=project, most={LINK: 5})
    assert fill_from_gold(project=project, most={LINK: 5}) == {LINK: 0}
    assert fill_from_gold(project=project, most={LINK: 8}, seed=1) == {LINK: 3}
    keys = list(KnownQuestion.objects.values_list("key", flat=True))
    assert len(set(keys)) == len(keys)


def test_both_answers_are_in_the_stock() -> None:
    fill_from_gold(project=gold_project(), most={LINK: 24})
    assert Counter(KnownQuestion.objects.values_list("truth", flat=True)) == {"same": 12, "different": 12}


def test_at_most_three_of_ten_drawings_from_gold_have_nothing_missing() -> None:
    project = gold_project()
    assert fill_from_gold(project=project, most={DRAW: 20}) == {DRAW: 17}  # there are twelve with a box missing
    assert KnownQuestion.objects.filter(truth=[]).count() == 5


def test_purposes_take_different_images_while_there_are_enough() -> None:
    project = gold_project(30)
    for purpose, most in ((Purpose.EXAMPLE, 2), (Purpose.TEST, 10), (Purpose.VERIFICATION, 10)):
        assert fill_from_gold(project=project, most={LINK: most}, purpose=purpose) == {LINK: most}
    examples, tests, verification = map(images_of, (Purpose.EXAMPLE, Purpose.TEST, Purpose.VERIFICATION))
    assert not examples & tests and not (examples | tests) & verification


def test_purposes_share_images_where_there_are_too_few_but_never_questions() -> None:
    project = gold_project(2)
    assert fill_from_gold(project=project, most={LINK: 6}, purpose=Purpose.TEST) == {LINK: 6}
    assert fill_from_gold(project=project, most={LINK: 6}) == {LINK: 2}
    assert len(set(KnownQuestion.objects.values_list("key", flat=True))) == 8


def test_examples_are_explained_and_others_are_not() -> None:
    project = gold_project()
    fill_from_gold(project=project, most={QUALITY: 2}, purpose=Purpose.EXAMPLE)
    fill_from_gold(project=project, most={QUALITY: 2})
    said = dict(KnownQuestion.objects.values_list("truth", "explanation").filter(purpose=Purpose.EXAMPLE))
    assert set(said) == {"good", "bad"} and "tight" in said["good"] != said["bad"]
    assert set(KnownQuestion.objects.filter(purpose=Purpose.VERIFICATION).values_list("explanation")) == {("",)}


def test_the_step_counts_the_images_looked_at() -> None:
    steps: list[int] = []
    fill_from_gold(project=gold_project(), most={LINK: 1000}, step=steps.append)
    assert sum(steps) == 6


# --- By hand ---


def test_an_expert_adds_one_by_hand() -> None:
    project = gold_project(1)
    assert add(project, "same", added_by="ada", purpose=Purpose.EXAMPLE, explanation="Both are he.") == 1
    assert add(project, "different") == 0  # the first truth stands, and its purpose
    row = KnownQuestion.objects.get()
    assert (row.truth, row.purpose, row.explanation, row.added_by) == ("same", "example", "Both are he.", "ada")
    assert (stock(project.id, LINK), stock(project.id, LINK, Purpose.EXAMPLE)) == (0, 1)


def test_a_truth_that_fits_no_answer_is_refused() -> None:
    project = gold_project(1)
    image = Image.objects.get().id
    with pytest.raises(BadAnswerError, match="coreference link"):
        add_known(project_id=project.id, image_id=image, known=[known(), known("perhaps")], source=Source.EXPERT)
    assert not KnownQuestion.objects.exists()


def test_a_worker_who_answered_the_same_real_question_is_never_asked_it() -> None:
    project = gold_project(1)
    ada = worker(project, "ada")
    answer(project, ada, LINK, "same")
    real = Question.objects.get(judgments__worker=ada)
    asked = Known(LINK, real.shown, "same")
    add_known(project_id=project.id, image_id=real.image_id, known=[asked], source=Source.EXPERT)
    assert KnownQuestion.objects.get().not_for == [ada.id]


@pytest.mark.both_engines
def test_a_retired_question_leaves_the_stock_and_stays_in_the_table() -> None:
    project = gold_project(1)
    fill_from_gold(project=project, most={LINK: 3})
    first = KnownQuestion.objects.earliest("id")
    assert (retire_known(first.id), retire_known(first.id)) == (True, False)
    assert (stock(project.id, LINK), KnownQuestion.objects.count()) == (2, 3)


# --- The command ---


class TestCommand:
    def run(self, *arguments: str) -> str:
        out = StringIO()
        call_command("stock", *arguments, stdout=out, stderr=out)
        return out.getvalue()

    def test_it_fills_tests_and_examples_with_the_stock(self) -> None:
        project = gold_project(settings=ProtocolSettings(test_questions=2, tests=2))
        said = self.run("small", "--from-gold", "4", "--task", LINK.value)
        assert "4 verification questions added" in said and "4 test questions added" in said
        assert [stock(project.id, LINK, purpose) for purpose in Purpose] == [4, 4, 2]
        assert "    4 verification questions (same 2, different 2)" in said
        assert "assignments a new worker can have: 0" in said
        assert "Coreference link: 4 verification questions, but probation takes 30" in said

    def test_each_purpose_is_filled_by_itself(self) -> None:
        project = gold_project()
        self.run("small", "--tests", "3", "--task", LINK.value)
        assert [stock(project.id, LINK, purpose) for purpose in Purpose] == [0, 3, 0]
        self.run("small", "--from-gold", "3", "--tests", "0", "--examples", "0", "--tasks", LINK.value)
        assert [stock(project.id, LINK, purpose) for purpose in Purpose] == [3, 3, 0]

    def test_without_numbers_the_command_only_reports(self) -> None:
        project_of(phrases("people: a man"), name="plain")
        said = self.run("plain", "--suggest", "3")
        assert said.count("    0 verification questions") == 6
        assert said.count("agreed: no question") == 6
        assert "! All tasks: no verification questions: people who join by an invitation have to wait" in said

    @pytest.mark.parametrize("option", ["--from-gold", "--suggest"])
    def test_it_refuses_numbers_that_make_no_sense(self, option: str) -> None:
        gold_project(1)
        with pytest.raises(CommandError, match=f"{option} takes a number of questions from 1"):
            self.run("small", option, "0")
        with pytest.raises(CommandError, match="from 0"):
            self.run("small", "--tests", "-1")

    @pytest.mark.both_engines
    def test_it_needs_a_project_and_gold(self) -> None:
        project_of(phrases("people: a man"), name="plain")
        with pytest.raises(CommandError, match="--as gold"):
            self.run("plain", "--from-gold", "9")
        with pytest.raises(CommandError, match="nowhere"):
            self.run("nowhere")


@pytest.mark.both_engines
def test_the_requester_retires_them_after_being_asked(admin_client: Client, client: Client) -> None:
    project = gold_project(1)
    fill_from_gold(project=project, most={LINK: 3})
    form = {"act": "retire", "row": list(KnownQuestion.objects.values_list("id", flat=True)[:2])}
    page = reverse("campaign:known_questions", args=[project.name])
    assert "asked of nobody any more" in admin_client.post(page, form).text
    assert stock(project.id, LINK) == 3
    form["sent"] = "yes"
    client.force_login(maker("reader"))
    client.post(page, form)
    assert stock(project.id, LINK) == 3
    assert admin_client.post(page, form, follow=True).text.count("retired; answers to it still count") == 2
    assert stock(project.id, LINK) == 1
