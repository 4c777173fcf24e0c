"""A project fits its box prior and its trust in programs to its own finished chains while it runs."""

from dataclasses import replace
from typing import Any

import pytest

from annotation.models import Box, Image, Project
from annotation.rules.states import ImageState
from exchange.import_image import import_image
from pipeline.learning import refit_due
from pipeline.learning.refit_boxes import given_box_prior, refit_boxes
from pipeline.models import Question
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.intervene import propose_boxes
from pipeline.record.replay import replay
from pipeline.rules.boxing.prior.box_prior import DEFAULT, BoxPrior
from pipeline.rules.boxing.prior.program_trust import trust_of
from pipeline.rules.boxing.prior.unseen import BASE, IMAGINED
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import BOX_TASKS, Task
from pipeline.tick import tick
from tests.pipeline.learning.test_refit_links import reasons
from tests.support.answers import make_answers, make_known
from tests.support.projects import lease, phrases, project_of, submit, worker
from workers.models import Worker

pytestmark = pytest.mark.django_db

BELIEF = ProtocolSettings(box_policy=BoxPolicy.BELIEF, proposals=True)
BAD, GOOD = [10, 10, 40, 40], [60, 10, 90, 40]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four finished images are enough for a refit."""
    monkeypatch.setattr(refit_due, "FIRST", 4)


def dogs(number: int, settings: ProtocolSettings = BELIEF) -> Project:
    """Images of one phrase each."""
    return project_of(*(phrases("animals: a dog", name=str(one)) for one in range(number)), settings=settings)


def add_dogs(project: Project, number: int) -> None:
    version, _ = current_settings(project.id)
    first = project.images.count()
    for position in range(first, first + number):
        image = phrases("animals: a dog", name=str(position))
        import_image(project, position, image, picture=f"{position}.jpg", gold=False, settings_version=version)
    tick(project_id=project.id)


def program(project: Project, name: str) -> Worker:
    return worker(project, name, kind=Worker.Kind.PROGRAM)


def propose(project: Project, who: Worker, box: list[int]) -> None:
    for image in project.images.all():
        propose_boxes(image_id=image.id, worker_id=who.id, boxes=[[0, *box]])


def said(question: int) -> Any:
    """Return the answer of one to whom every dog has one box, and the box `BAD` is bad."""
    row = Question.objects.get(id=question)
    match Task(row.task):
        case Task.BOX_REQUIREMENT:
            return 1
        case Task.BOX_DRAWING:
            return {"none_missing": True} if row.shown["boxes"] else {"box": GOOD}
        case Task.BOX_QUALITY:
            return "bad" if row.shown["new_box"] == BAD else "good"
    return "all there"


def answer_all(project: Project, most: int = 1000) -> None:
    """Answer box questions, each by another worker than the last, until none is open or `most` are answered."""
    crew, given = [worker(project, f"person {number}") for number in range(8)], 0
    while given < most and Question.objects.filter(project=project).exclude(state="closed").exists():
        before = given
        for who in crew:
            for task in sorted(BOX_TASKS):
                if given == most or (mine := take(project, who, task)) is None:
                    continue
                given += len(submit(mine, *(said(one) for one in mine.questions)).stored)
                tick(project_id=project.id)
        assert given > before, "nobody may answer what is open"


def take(project: Project, who: Worker, task: Task) -> Any:
    try:
        return lease(project, who, task, size=1)
    except AssertionError:
        return None


def prior_of(project: Project) -> BoxPrior:
    return current_settings(project.id)[1].box_rules().prior


def test_a_running_project_refits_whenever_its_finished_images_have_doubled_and_its_record_replays() -> None:
    project = dogs(9)
    answer_all(project)
    assert reasons(project)[1:] == [f"weights of boxes refitted on {images} own chains" for images in (4, 8)]
    prior = prior_of(project)
    assert (prior.refitted_on, prior.fitted_on) == (8, 8)
    assert prior.none_of("animals") < DEFAULT.none_of("animals")
    assert prior.counts_of("one")[0] > DEFAULT.counts_of("one")[0]
    assert list(replay(project)) == []


@pytest.mark.slow
def test_a_bad_program_is_set_aside_and_a_good_one_is_trusted_more() -> None:
    project = dogs(8)
    bad, good = program(project, "bad"), program(project, "good")
    propose(project, bad, BAD)
    answer_all(project)
    tried = Box.objects.filter(image__project=project, proposed=True)
    assert tried.count() == 8, "questions about its boxes were open before anybody knew better"
    assert trust_of(str(bad.pk), None, prior_of(project)) < 0.3
    add_dogs(project, 4)
    propose(project, bad, BAD)
    assert tried.count() == 8, "it is set aside"
    propose(project, good, GOOD)
    assert set(tried.order_by("id").values_list("drawn_by", flat=True)[8:]) == {good.pk}
    answer_all(project)
    refit_boxes(project.id, only_if_due=False)
    assert trust_of(str(good.pk), None, prior_of(project)) > 0.7
    of_both = [prior_of(project).programs[str(one.pk)].numbers for one in (bad, good)]
    assert [rows[1] for rows in of_both] == [(0, 12, 0, 0)] * 2, "both proposed one box for each of twelve dogs"
    assert list(replay(project)) == []


def test_a_refit_amid_a_chain_counts_from_its_next_answer_on_and_what_is_on_loan_stays() -> None:
    project = dogs(6, replace(BELIEF, box_sure=0.97))
    ada = worker(project, "ada")
    mine = lease(project, ada, Task.BOX_DRAWING, size=1)
    answer_all_but(project, mine.questions)
    assert prior_of(project).refitted_on == 4
    assert len(submit(mine, *(said(one) for one in mine.questions)).stored) == 1
    tick(project_id=project.id)
    answer_all(project)
    assert Image.objects.filter(project=project, state=ImageState.MERGED).count() == 6
    assert list(replay(project)) == []


def answer_all_but(project: Project, on_loan: Any) -> None:
    """Answer until only what is on loan is open."""
    while Question.objects.filter(project=project, state="open").exclude(id__in=on_loan).exists():
        answer_all(project, most=1)


def test_every_refit_is_pulled_towards_the_prior_that_the_project_was_given() -> None:
    given = BoxPrior(none={"animals": 0.5}, fitted_on=300)
    project = dogs(5, replace(BELIEF, box_prior=given.to_json()))
    assert given_box_prior(project.id) == given
    answer_all(project)
    assert prior_of(project).refitted_on and given_box_prior(project.id) == given
    first = prior_of(project).none_of("animals")
    assert refit_boxes(project.id, only_if_due=False)
    assert given_box_prior(project.id) == given
    assert first > prior_of(project).none_of("animals") > 0.4
    _, settings = current_settings(project.id)
    change_settings(project_id=project.id, settings=replace(settings, box_prior={}))
    assert given_box_prior(project.id) == DEFAULT


def test_a_refit_of_many_images_reads_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    project = dogs(5, replace(BELIEF, refit_boxes=False))
    answer_all(project)
    monkeypatch.setattr(refit_due, "MOST_IMAGES", 2)
    made = refit_boxes(project.id, only_if_due=False)
    assert made and (made.prior.fitted_on, made.prior.refitted_on) == (2, 5)


def test_known_questions_that_most_workers_answer_wrongly_lower_the_confidence() -> None:
    unfitted = dogs(4, replace(BELIEF, refit_boxes=False))
    answer_all(unfitted)
    image = unfitted.images.first()
    assert image is not None
    truths = ["more needed"] * 5 + ["all there"] * 5
    stock = [make_known(image, Task.BOX_COVERAGE, truth) for truth in truths]
    for number in range(3):
        make_answers(worker(unfitted, f"checked {number}"), [(one, "all there") for one in stock])
    refit_boxes(unfitted.id, only_if_due=False)
    assert prior_of(unfitted).unseen == pytest.approx((5 + BASE * IMAGINED) / (10 + IMAGINED), abs=1e-4)


def test_known_drawings_teach_the_margin_of_each_worker_if_boxes_are_made_of_several() -> None:
    project = dogs(4, replace(BELIEF, refit_boxes=False, fuse_boxes=True))
    answer_all(project)
    image = project.images.first()
    assert image is not None
    stock = [make_known(image, Task.BOX_DRAWING, [[20, 20, 80, 80], [90, 90, 99, 99]]) for _ in range(20)]
    roomy = worker(project, "roomy")
    make_answers(roomy, [(one, {"box": [10, 20, 80, 80]}) for one in stock])
    make_answers(worker(project, "blind"), [(one, {"none_missing": True}) for one in stock])
    refit_boxes(project.id, only_if_due=False)
    habits = prior_of(project).habits
    assert set(habits) == {"0", str(roomy.id)}
    assert habits[str(roomy.id)].edges[0] > habits["0"].edges[0] > 0 == habits["0"].edges[1]


def test_a_box_that_two_workers_drew_is_stored_as_made_of_both_and_replays_the_same() -> None:
    project = dogs(1, replace(BELIEF, refit_boxes=False, fuse_boxes=True, redraw_below=0.99))
    drawn = iter(([10, 10, 50, 50], [14, 10, 54, 50]))
    answers = {Task.BOX_REQUIREMENT: 1, Task.BOX_QUALITY: "good", Task.BOX_COVERAGE: "all there"}
    for number in range(9):
        question = Question.objects.filter(image__project=project, state="open").first()
        if question is None:
            break
        task = Task(question.task)
        assert task is not Task.BOX_DRAWING or question.shown["boxes"] == [], "the box is not shown again"
        answer = {"box": next(drawn)} if task is Task.BOX_DRAWING else answers[task]
        submit(lease(project, worker(project, f"w{number}"), task), answer)
        tick(project_id=project.id)
    (box,) = Box.objects.filter(image__project=project)
    assert next(drawn, None) is None and [box.x0, box.y0, box.x1, box.y1] == [12, 10, 52, 50]
    assert list(replay(project)) == []
