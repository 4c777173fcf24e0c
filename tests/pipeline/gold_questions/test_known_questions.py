"""The stock of verification questions: filled from gold or by hand, and retired.
Closed questions become verification questions: by hand, or as suggested.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Image, Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetChain
from pipeline.errors import BadAnswerError
from pipeline.gold_questions.fill_from_gold import examples_needed, fill_from_gold
from pipeline.gold_questions.known_questions import Purpose, Source, add_known, count_known, keys_of, retire_known
from pipeline.gold_questions.suggest_known import AgreedQuestion, CannotPromoteError, promote_question, suggest_known
from pipeline.known.known_from_gold import GoldQuestion
from pipeline.models import Assignment, KnownQuestion, Question
from pipeline.protocol.tasks.answers import candidates_in
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from projects.gold.known_question_operations import truth_in_words, write_answer
from tests.support.kept import Kept, kept_rows
from tests.support.members import maker
from tests.support.projects import answer, box, phrases, project_of, worker
from tests.support.table import case, row
from workers.change_trust import change_trust
from workers.rules.trust_states import TrustEvent

pytestmark = pytest.mark.django_db

LINK, DRAW, QUALITY = Task.COREFERENCE_LINK, Task.BOX_DRAWING, Task.BOX_QUALITY
JUDGE, COVER = Task.BOX_QUALITY, Task.BOX_COVERAGE
NEED = Task.BOX_REQUIREMENT


def gold_project(images: int = 6, name: str = "small", settings: Settings | None = None) -> Project:
    """Images with two men, each in two captions and with a box."""
    boxes = [DatasetBox(Box(0, 0, 50, 90), ("a",)), DatasetBox(Box(100, 0, 150, 90), ("b",))]
    texts = ("people: a man", "people: the man", "people: a boy", "people: the boy")
    made = [phrases(*texts, name=str(n), chains=["a", "a", "b", "b"], boxes=boxes) for n in range(images)]
    return project_of(*made, gold=True, name=name, settings=settings)


def known(answer: object = "same") -> GoldQuestion:
    return GoldQuestion(LINK, {"mentions": [[0, 0, 0, 2], [1, 1, 0, 2]], "boxes": [], "new_box": None}, answer)


def add(project: Project, answer: object = "same", **more: object) -> int:
    place = {"project_id": project.id, "image_id": project.images.earliest("id").id, "source": Source.EXPERT}
    return add_known(known=[known(answer)], **place, **more)  # type: ignore[arg-type]


def images_of(purpose: KnownQuestion.Purpose) -> set[int]:
    return set(KnownQuestion.objects.filter(purpose=purpose).values_list("image", flat=True))


def test_gold_fills_the_stock_up_to_the_number_asked_for() -> None:
    project, steps = gold_project(), list[int]()
    added = fill_from_gold(project=project, most=dict.fromkeys(PROTOCOL_TASKS, 5))
    assert added[LINK] == added[DRAW] == 5
    assert all(count_known(project.id, task) == count for task, count in added.items())
    assert set(KnownQuestion.objects.values_list("source", flat=True)) == {"gold"}
    fill_from_gold(project=project, most={LINK: 1000}, step=steps.append)
    assert sum(steps) == 6, "the images looked at"


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


def test_both_answers_are_in_the_stock_but_at_most_three_of_ten_drawings_have_nothing_missing() -> None:
    project = gold_project()
    fill_from_gold(project=project, most={LINK: 24})
    assert Counter(KnownQuestion.objects.values_list("truth", flat=True)) == {"same": 12, "different": 12}
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


SWEEPING = Settings(strategy=LinkStrategy.ADAPTIVE, sweeps=True, reask_rate=0.0)


def of_shape(purpose: KnownQuestion.Purpose, *, sweeps: bool) -> list[KnownQuestion]:
    rows = KnownQuestion.objects.filter(task=LINK.value, purpose=purpose).order_by("id")
    return [known for known in rows if bool(candidates_in(LINK, known.shown)) is sweeps]


def test_a_project_that_sweeps_gets_known_sweeps_of_its_gold_and_nobody_is_asked_a_pair_twice() -> None:
    project = gold_project(30, settings=SWEEPING)
    needed = {LINK: examples_needed(SWEEPING)[LINK]}
    for purpose, most in ((Purpose.EXAMPLE, needed), (Purpose.TEST, {LINK: 10}), (Purpose.VERIFICATION, {LINK: 20})):
        assert fill_from_gold(project=project, most=most, purpose=purpose) == most
        assert of_shape(purpose, sweeps=True)
    pairs = [key for known in KnownQuestion.objects.all() for key in keys_of(LINK, known.image_id, known.shown)]
    assert len(set(pairs)) == len(pairs)
    examples = [*of_shape(Purpose.EXAMPLE, sweeps=True), *of_shape(Purpose.EXAMPLE, sweeps=False)]
    assert [bool(candidates_in(LINK, known.shown)) for known in examples] == [True, True, False, False]
    told = [known.explanation for known in examples[:2]]
    assert all(words.endswith("in this picture.") or "; the other" in words for words in told)
    for known in of_shape(Purpose.VERIFICATION, sweeps=True):
        about, *others = [place[0] for place in known.shown["mentions"]]
        assert known.truth == {"same": [number for number in others if number // 2 == about // 2]}


def test_a_project_that_does_not_sweep_gets_none() -> None:
    project = gold_project(10, settings=replace(SWEEPING, part_answers=True))
    fill_from_gold(project=project, most={LINK: 20})
    assert not of_shape(Purpose.VERIFICATION, sweeps=True) and examples_needed(Settings())[LINK] == 2


def test_an_expert_adds_one_by_hand_whose_truth_fits_an_answer() -> None:
    project, image = gold_project(1), Image.objects.get().id
    with pytest.raises(BadAnswerError, match="coreference link"):
        add_known(project_id=project.id, image_id=image, known=[known(), known("perhaps")], source=Source.EXPERT)
    assert not KnownQuestion.objects.exists()
    assert add(project, "same", added_by="ada", purpose=Purpose.EXAMPLE, explanation="Both are he.") == 1
    assert add(project, "different") == 0  # the first truth stands, and its purpose
    row = KnownQuestion.objects.get()
    assert (row.truth, row.purpose, row.explanation, row.added_by) == ("same", "example", "Both are he.", "ada")
    assert (count_known(project.id, LINK), count_known(project.id, LINK, Purpose.EXAMPLE)) == (0, 1)


def test_a_worker_who_answered_the_same_real_question_is_never_asked_it() -> None:
    project = gold_project(1)
    ada = worker(project, "ada")
    answer(project, ada, LINK, "same")
    real = Question.objects.get(judgments__worker=ada)
    asked = GoldQuestion(LINK, real.shown, "same")
    add_known(project_id=project.id, image_id=real.image_id, known=[asked], source=Source.EXPERT)
    assert KnownQuestion.objects.get().not_for == [ada.id]


@pytest.mark.both_engines
def test_a_retired_question_leaves_the_stock_and_stays_in_the_table() -> None:
    project = gold_project(1)
    fill_from_gold(project=project, most={LINK: 3})
    first = KnownQuestion.objects.earliest("id")
    assert (retire_known(first.id), retire_known(first.id)) == (True, False)
    assert (count_known(project.id, LINK), KnownQuestion.objects.count()) == (2, 3)


class TestCommand:
    def run(self, *arguments: str) -> str:
        out = StringIO()
        call_command("known_questions", *arguments, stdout=out, stderr=out)
        return out.getvalue()

    def test_it_fills_tests_and_examples_with_the_stock(self) -> None:
        project = gold_project(settings=Settings(test_questions=2, tests=2))
        said = self.run("small", "--from-gold", "4", "--task", LINK.value)
        assert "4 verification questions added" in said and "4 test questions added" in said
        assert [count_known(project.id, LINK, purpose) for purpose in Purpose] == [4, 4, 2]
        assert "    4 verification questions (same 2, different 2)" in said
        assert "assignments a new worker can have: 0" in said
        assert "Coreference link: 4 verification questions, but probation takes 30" in said

    def test_each_purpose_is_filled_by_itself(self) -> None:
        project = gold_project()
        self.run("small", "--tests", "3", "--task", LINK.value)
        assert [count_known(project.id, LINK, purpose) for purpose in Purpose] == [0, 3, 0]
        self.run("small", "--from-gold", "3", "--tests", "0", "--examples", "0", "--tasks", LINK.value)
        assert [count_known(project.id, LINK, purpose) for purpose in Purpose] == [3, 3, 0]

    def test_without_numbers_the_command_only_reports(self) -> None:
        project_of(phrases("people: a man"), name="plain")
        said = self.run("plain")
        assert said.count("    0 verification questions") == 6
        assert "! All tasks: no verification questions: people who join by an invitation have to wait" in said

    @pytest.mark.both_engines
    def test_it_needs_a_project_and_gold_and_lists_suggestions(self) -> None:
        project_of(phrases("people: a man"), name="plain")
        with pytest.raises(CommandError, match="--as gold"):
            self.run("plain", "--from-gold", "9")
        with pytest.raises(CommandError, match="nowhere"):
            self.run("nowhere")
        out, project = StringIO(), voted(3, 3)
        call_command("operation", "suggested_questions", project.name, stdout=out)
        assert "of 0 (box requirement): “no box”, by 2 trusted workers" in out.getvalue()


@pytest.mark.both_engines
def test_the_requester_retires_them_after_being_asked(admin_client: Client, client: Client) -> None:
    project = gold_project(1)
    fill_from_gold(project=project, most={LINK: 3})
    form = {"act": "retire", "row": list(KnownQuestion.objects.values_list("id", flat=True)[:2])}
    page = reverse("projects:known_questions", args=[project.name])
    assert "asked of nobody any more" in admin_client.post(page, form).text and count_known(project.id, LINK) == 3
    form["sent"] = "yes"
    client.force_login(maker("reader"))
    client.post(page, form)
    assert count_known(project.id, LINK) == 3
    assert admin_client.post(page, form, follow=True).text.count("retired; answers to it still count") == 2
    assert count_known(project.id, LINK) == 1


def make() -> None:
    """Make a project of one man, whose box ada drew, bob approved, and carl and dora called complete."""
    made = project_of(phrases("people: a man"))
    answer(made, worker(made, "ada"), DRAW, box(10, 10, 50, 90))
    answer(made, worker(made, "bob"), JUDGE, "good")
    for name in ("carl", "dora"):
        answer(made, worker(made, name), COVER, "all there")


kept = kept_rows(make)


@pytest.fixture
def project(kept: Kept, db: None) -> Project:
    kept.write()
    return Project.objects.get()


def question(task: Task) -> Question:
    return Question.objects.get(task=task.value)


def refused(task: Task, **options: object) -> str:
    with pytest.raises(CannotPromoteError) as caught:
        promote_question(question_id=question(task).id, **options)  # type: ignore[arg-type]
    assert not KnownQuestion.objects.exists()
    return str(caught.value)


@pytest.mark.parametrize(("task", "truth"), [(DRAW, [[10, 10, 50, 90]]), (JUDGE, "good"), (COVER, "all there")])
def test_its_truth_is_what_it_was_decided_to_be(project: Project, task: Task, truth: object) -> None:
    known = promote_question(question_id=question(task).id, actor="eve", explanation="Look closely.")
    assert (known.truth, known.shown, known.task) == (truth, question(task).shown, task.value)
    assert (known.source, known.added_by, known.explanation) == (Source.EXPERT, "eve", "Look closely.")


@case("drawing", DRAW, ["ada"])
@case("quality", JUDGE, ["ada", "bob"])
@case("coverage", COVER, ["ada", "carl", "dora"])
def test_workers_who_had_a_part_in_a_question_are_never_asked_it(task: Task, names: list[str], project: Project):
    assert promote_question(question_id=question(task).id).not_for == [worker(project, name).id for name in names]


@row(JUDGE, "bad")
@row(DRAW, [])
def test_the_expert_s_truth_overrides_what_was_decided_if_it_fits(task: Task, truth: object, project: Project) -> None:
    with pytest.raises(BadAnswerError):
        promote_question(question_id=question(JUDGE).id, truth="perhaps")
    known = promote_question(question_id=question(task).id, truth=truth, purpose=Purpose.TEST)
    assert (known.truth, known.purpose) == (truth, Purpose.TEST)


@pytest.mark.both_engines
def test_an_example_without_an_explanation_gets_one(project: Project) -> None:
    known = promote_question(question_id=question(COVER).id, purpose=Purpose.EXAMPLE)
    assert known.explanation == "Everything that “a man” means has its box."


def test_without_a_certain_answer_only_an_expert_can_give_one_and_the_form_says_so(admin_client: Client) -> None:
    project = project_of(phrases("people: a man"))
    assert "still asked" in refused(DRAW)
    answer(project, worker(project, "ada"), DRAW, box(10, 10, 50, 90))
    assert "still in quality" in refused(DRAW) and "still in quality" in admin_client.get(form_of(DRAW)).text
    assert promote_question(question_id=question(DRAW).id, truth=[[10, 10, 50, 90]]).truth == [[10, 10, 50, 90]]


def test_nothing_is_in_the_stock_twice_even_if_it_was_retired(project: Project) -> None:
    number = question(JUDGE).id
    known = promote_question(question_id=number)
    with pytest.raises(CannotPromoteError, match="asked among the others"):
        promote_question(question_id=number, purpose=Purpose.TEST)
    retire_known(known.id)
    with pytest.raises(CannotPromoteError, match="retired on"):
        promote_question(question_id=number)


def form_of(task: Task) -> str:
    return reverse("projects:promote", args=[question(task).project.name, question(task).id])


@pytest.mark.both_engines
def test_answers_and_rows_of_questions_lead_to_the_form_which_begins_with_what_was_decided(
    project: Project, admin_client: Client
) -> None:
    bob = question(JUDGE).judgments.get().worker
    answers = reverse("projects:worker", args=[project.name, bob.pk])
    assert form_of(JUDGE) in admin_client.get(answers).text
    assert form_of(JUDGE) in admin_client.get(reverse("admin:pipeline_question_change", args=[question(JUDGE).id])).text
    page = admin_client.get(form_of(JUDGE)).text
    assert '<option value="good" selected>' in page and ">a man</span>" in page and "bob answered “good”" in page
    assert "10, 10, 50, 90</textarea>" in admin_client.get(form_of(DRAW)).text.replace(">\n", ">")


def test_the_form_takes_the_expert_s_word(project: Project, admin_client: Client) -> None:
    said = {"answer": "bad", "purpose": "example", "explanation": "A hand is cut off."}
    response = admin_client.post(form_of(JUDGE), said, follow=True)
    known = KnownQuestion.objects.get()
    assert (known.truth, known.purpose, known.explanation) == ("bad", "example", "A hand is cut off.")
    assert known.added_by == "admin" and "The question is in the stock" in response.text


@row("10 10 20", "is not a box")
@row("0, 0, 900, 10", "lies outside")
@row("1, 2, x, 4", "is not a box")
@row("5 5 5 9", "outside")
def test_the_form_refuses_boxes_that_are_none(boxes: str, wrong: str, project: Project, admin_client: Client) -> None:
    assert wrong in admin_client.post(form_of(DRAW), {"answer": boxes, "purpose": "test"}).text
    assert not KnownQuestion.objects.exists()


@pytest.mark.both_engines
def test_the_form_takes_several_boxes_or_none(project: Project, admin_client: Client) -> None:
    admin_client.post(form_of(DRAW), {"answer": "1, 2, 30, 40\n 5 6 70 80 ", "purpose": "test"})
    assert KnownQuestion.objects.get().truth == [[1, 2, 30, 40], [5, 6, 70, 80]]
    assert "in the stock already" in admin_client.post(form_of(DRAW), {"answer": "none", "purpose": "test"}).text


def swept() -> str:
    """Make a closed sweep of a man, a boy, the man and the boy, and return the address of its form."""
    project = project_of(phrases("people: a man", "people: a boy", "people: the man", "people: the boy"))
    asked = Question.objects.order_by("id").first()
    assert asked is not None
    mentions = [[number, number, 0, 2] for number in (2, 0, 1, 3)]
    asked.shown = {"mentions": mentions, "boxes": [], "new_box": None, "preset": [0]}
    asked.subject, asked.state, asked.outcome = [2, 0, 1, 3], "closed", "swept"
    asked.save()
    return reverse("projects:promote", args=[project.name, asked.pk])


@row("1", [0], "the same: “a man”")
@row("3, 1", [0, 3], "the same: “a man”, “the boy”")
@row("none", [], "none of them")
def test_the_form_takes_the_candidates_of_a_sweep_that_mean_the_same(
    text: str, same: list[int], words: str, admin_client
):
    form = swept()
    assert "“the man”, or “none”: 1 “a man”, 2 “a boy”, 3 “the boy”" in unescape(admin_client.get(form).text)
    admin_client.post(form, {"answer": text, "purpose": "test"})
    known = KnownQuestion.objects.select_related("image").get()
    assert known.truth == {"same": same} and "preset" not in known.shown
    assert truth_in_words(known, known.truth) == words
    assert write_answer(known, known.truth) == ", ".join(sorted(text.split(", ")))


@row("4", "“4” is not a place from 1 to 3.")
@row("the man", "“the” is not a place from 1 to 3.")
def test_the_form_refuses_candidates_that_a_sweep_does_not_have(text: str, wrong: str, admin_client: Client) -> None:
    assert wrong in unescape(admin_client.post(swept(), {"answer": text, "purpose": "test"}).text)
    assert not KnownQuestion.objects.exists()


def test_whoever_answered_a_pair_of_a_sweep_is_not_asked_the_known_sweep() -> None:
    swept()
    asked = Question.objects.get(state="closed")
    ada = worker(asked.project, "ada")
    shown = {"mentions": [[0, 0, 0, 2], [2, 2, 0, 2]], "boxes": [], "new_box": None}
    place = {"project": asked.project, "image": asked.image, "task": LINK.value, "number": 99, "subject": [0, 2]}
    Question.objects.create(**place, shown=shown, barred=[ada.pk], opened_at=asked.opened_at)
    assert promote_question(question_id=asked.pk, truth={"same": [0]}).not_for == [ada.pk]


def voted(*votes: int, images: int = 1) -> Project:
    """Dogs of whom each of these workers in turn said this."""
    project = project_of(*(phrases("animals: a dog", name=str(number)) for number in range(images)))
    for number, vote in enumerate(votes):
        answer(project, worker(project, f"worker {number}"), NEED, *[vote] * images)
    return project


def suggested(project: Project, most: int = 10, **look_at: int) -> list[AgreedQuestion]:
    return suggest_known(project.id, {NEED: 2}, most, **look_at)[NEED]


def test_questions_that_two_workers_agreed_on_are_suggested_no_more_than_asked_for() -> None:
    project = voted(3, 3, images=5)
    found = suggested(project)
    assert {(one.truth, one.agreed, one.question.image.name) for one in found} == {(3, 2, name) for name in "01234"}
    assert not KnownQuestion.objects.exists() and len(suggested(project, most=3)) == 3


def bar(project: Project) -> None:
    lost = {"worker_id": worker(project, "worker 1").id, "project_id": project.id, "task": NEED.value}
    change_trust(**lost, event=TrustEvent.BAR, because="found out")  # type: ignore[arg-type]


def take(project: Project) -> None:
    promote_question(question_id=suggested(project)[0].question.id)


def refuse(project: Project) -> None:
    Assignment.objects.filter(worker__name="worker 1").update(acceptance=Assignment.Acceptance.REFUSED)


@case("a question that is not settled is not", (3,), lambda _: None)
@case("a question that somebody answered otherwise is not", (3, 2), lambda _: None)
@case("a worker who is not trusted now does not count", (3, 3), bar)
@case("an assignment that is not used does not count", (3, 3), refuse)
@case("questions in the stock are not suggested again", (3, 3), take)
def test_nothing_is_suggested(votes: tuple[int, ...], act: Callable[[Project], object]) -> None:
    project = voted(*votes)
    act(project)
    assert suggested(project) == []


def test_all_tasks_are_looked_at_in_one_statement_more_for_each() -> None:
    project, agree = voted(3, 3, images=3), dict.fromkeys(PROTOCOL_TASKS, 2)
    with CaptureQueriesContext(connection) as one:
        alone = suggested(project)
    with CaptureQueriesContext(connection) as every:
        together = suggest_known(project.pk, agree, 10)
    assert together[NEED] == alone
    assert len(every) == len(one) + len(PROTOCOL_TASKS) - 1 and len(every) <= 13


def test_of_the_newest_closed_questions_only_so_many_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    project = voted(3, 3, images=4)
    newest = list(Question.objects.order_by("-id").values_list("id", flat=True))
    assert {one.question.pk for one in suggested(project, look_at=2)} == set(newest[:2])
    monkeypatch.setattr("pipeline.gold_questions.suggest_known.AMONG", 1)
    unanswered = Question.objects.get(pk=newest[0])
    unanswered.pk, unanswered.number = None, unanswered.number + 100
    unanswered.save()
    assert [one.question.pk for one in suggested(project, look_at=2)] == [newest[0]], "no older one takes its place"
