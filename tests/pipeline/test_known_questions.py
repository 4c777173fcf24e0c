"""The stock of verification questions: filled from gold or by hand, at any time, and retired at any time."""

from io import StringIO

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox
from pipeline.errors import BadAnswerError
from pipeline.known_questions import add_known, add_known_from_gold, retire_known, stock
from pipeline.models import KnownQuestion
from pipeline.rules.known_from_gold import Known
from pipeline.rules.task import Task
from tests.support.projects import phrases, project_of

pytestmark = pytest.mark.django_db
LINK, DRAW = Task.COREFERENCE_LINK, Task.BOX_DRAWING


def gold_project(images: int = 6, name: str = "small") -> Project:
    """Images with two men, each in two captions and with a box."""
    boxes = [DatasetBox(Box(0, 0, 50, 90), ("a",)), DatasetBox(Box(100, 0, 150, 90), ("b",))]
    texts = ("people: a man", "people: the man", "people: a boy", "people: the boy")
    made = [phrases(*texts, name=str(n), chains=["a", "a", "b", "b"], boxes=boxes) for n in range(images)]
    return project_of(*made, gold=True, name=name)


def known(answer: object = "same") -> Known:
    return Known(LINK, {"mentions": [[0, 0, 0, 2], [1, 1, 0, 2]], "boxes": [], "new_box": None}, answer)


def test_gold_fills_the_stock_up_to_the_number_asked_for() -> None:
    project = gold_project()
    added = add_known_from_gold(project=project, most=5)
    assert added[LINK] == added[DRAW] == 5
    assert all(stock(project.id, task) == count for task, count in added.items())
    assert set(KnownQuestion.objects.values_list("source", flat=True)) == {"gold"}


def test_filling_again_adds_what_is_missing_and_nothing_twice() -> None:
    project = gold_project()
    add_known_from_gold(project=project, most=5, tasks=[LINK])
    assert add_known_from_gold(project=project, most=5, tasks=[LINK]) == {LINK: 0}
    assert add_known_from_gold(project=project, most=8, tasks=[LINK], seed=1)[LINK] <= 3
    keys = list(KnownQuestion.objects.values_list("key", flat=True))
    assert len(set(keys)) == len(keys)


def test_both_answers_are_in_the_stock() -> None:
    project = gold_project()
    add_known_from_gold(project=project, most=24, tasks=[LINK])
    counts = [KnownQuestion.objects.filter(truth=truth).count() for truth in ("same", "different")]
    assert counts == [12, 12]


def test_an_expert_adds_one_by_hand() -> None:
    project = gold_project(1)
    image = project.images.get()

    def add(answer: object) -> int:
        place = {"project_id": project.id, "image_id": image.id}
        return add_known(known=[known(answer)], source=KnownQuestion.Source.EXPERT, added_by="ada", **place)

    assert add("same") == 1
    assert add("different") == 0  # the first truth stands
    assert KnownQuestion.objects.get().truth == "same"


def test_a_truth_that_fits_no_answer_is_refused() -> None:
    project = gold_project(1)
    with pytest.raises(BadAnswerError, match="coreference link"):
        add_known(
            project_id=project.id,
            image_id=project.images.get().id,
            known=[known(), known("perhaps")],
            source=KnownQuestion.Source.EXPERT,
        )
    assert not KnownQuestion.objects.exists()


def test_a_retired_question_leaves_the_stock_and_stays_in_the_table() -> None:
    project = gold_project(1)
    add_known_from_gold(project=project, most=3, tasks=[DRAW])
    first = KnownQuestion.objects.earliest("id")
    assert (retire_known(first.id), retire_known(first.id)) == (True, False)
    assert (stock(project.id, DRAW), KnownQuestion.objects.count()) == (2, 3)


class TestCommand:
    def run(self, *arguments: str) -> str:
        out = StringIO()
        call_command("stock", *arguments, stdout=out)
        return out.getvalue()

    def test_it_says_what_is_there_and_what_is_too_little(self) -> None:
        gold_project()
        said = self.run("small", "--from-gold", "4", "--tasks", "box_drawing")
        assert said == "box drawing: 4 verification questions (4 new); probation takes 30\n"
        assert "box quality: 0 verification questions (0 new)" in self.run("small")

    def test_it_refuses_what_makes_no_sense(self) -> None:
        gold_project(1)
        project_of(phrases("people: a man"), name="plain")
        for wrong, why in ((["small", "--from-gold", "0"], "from 1"), (["plain", "--from-gold", "9"], "--gold")):
            with pytest.raises(CommandError, match=why):
                self.run(*wrong)
        with pytest.raises(CommandError, match="nowhere"):
            self.run("nowhere")


def test_the_requester_retires_them_on_the_admin_pages(admin_client: Client, client: Client) -> None:
    project = gold_project(1)
    add_known_from_gold(project=project, most=3, tasks=[DRAW])
    form = {"action": "retire", ACTION_CHECKBOX_NAME: list(KnownQuestion.objects.values_list("id", flat=True)[:2])}
    page = reverse("admin:pipeline_knownquestion_changelist")
    client.force_login(User.objects.create_user("reader", is_staff=True))
    client.post(page, form)
    assert stock(project.id, DRAW) == 3
    assert "2 verification questions retired" in admin_client.post(page, form, follow=True).text
    assert stock(project.id, DRAW) == 1
