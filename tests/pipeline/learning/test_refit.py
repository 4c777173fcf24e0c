"""A project fits its prior of links and its crowd's errors to its own answers while it runs.
A project fits its box prior and its trust in programs to its own finished chains while it runs.
Refits of both kinds: when they learn, in two processes at once, and while a requester changes the settings.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import pytest

from annotation.models import Box, Image, Project
from annotation.rules.states import ImageState, ProjectState
from belief.boxes.box_prior import DEFAULT as BOX_PRIOR_DEFAULT
from belief.boxes.box_prior import BoxPrior
from belief.boxes.fit_box_errors import BASE_UNSEEN
from belief.boxes.proposers import trust_of
from belief.known_answers import IMAGINED_KNOWN
from belief.learned import LearnedState
from belief.links.link_prior import DEFAULT
from exchange.import_image import import_image
from pipeline.learning import refit
from pipeline.learning.refit import images_before_refit, judged_groups, known_links_of, refit_boxes, refit_links
from pipeline.models import Entry, KnownQuestion, Progress, Question, SettingsVersion
from pipeline.policies.compose import engine_of
from pipeline.project.settings_versions import all_settings, change_settings, current_settings
from pipeline.protocol.tasks.task import BOX_TASKS, PROTOCOL_TASKS, Task
from pipeline.record.apply_judgments import apply_judgments
from pipeline.record.intervene import propose_boxes
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from tests.pipeline.test_concurrency import ANSWERS, Workers, check
from tests.support.answers import make_answers, make_known
from tests.support.kept import Kept
from tests.support.projects import answer, lease, phrases, project_of, submit, worker
from tests.support.race import Race
from tests.support.settings_with import settings_with
from tests.support.sweeps import ask_sweeps, project_of_men
from workers.models import Worker

pytestmark = pytest.mark.django_db

__all__ = ["ask_sweeps"]

LINK = Task.COREFERENCE_LINK
ADAPTIVE = Settings(strategy=LinkStrategy.ADAPTIVE, link_stop=0.02)
WORDS = ("a man", "the man", "a tall boy")
BELIEF = Settings(box_policy=BoxPolicyName.BELIEF, pre_annotations=True)
BAD, GOOD = [10, 10, 40, 40], [60, 10, 90, 40]
FIRST = 2


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two finished images are enough for a refit."""
    monkeypatch.setattr(refit, "FIRST_REFIT", FIRST)


def men(number: int, settings: Settings = ADAPTIVE) -> Project:
    """Images of three captions each."""
    images = [phrases(*(f"people: {one}" for one in WORDS), name=str(one)) for one in range(number)]
    return project_of(*images, settings=settings)


def answer_all(project: Project, most: int = 1000, act: Any = tick) -> int:
    """Answer links until none is open, or `most`, and tick now and then: everybody is somebody else."""
    crew, given = [worker(project, f"{name}", LINK) for name in range(16)], 0
    while given < most and Question.objects.filter(project=project, task=LINK.value, state="open").exists():
        before = given
        for who in crew:
            if given == most or (mine := take(project, who, LINK)) is None:
                continue
            given += len(submit(mine, *("different" for _ in mine.questions)).stored)
            if given % 4 == 0:
                act(project_id=project.id)
        act(project_id=project.id)
        assert given > before, "nobody may answer what is open"
    return given


def take(project: Project, who: Worker, task: Task) -> Any:
    try:
        return lease(project, who, task, size=1)
    except AssertionError:
        return None


def reasons(project: Project) -> list[str]:
    return list(SettingsVersion.objects.filter(project=project).order_by("version").values_list("reason", flat=True))


@pytest.mark.usefixtures("soon")
@pytest.mark.slow
def test_a_running_project_refits_whenever_its_finished_images_have_doubled_and_its_record_replays() -> None:
    project = men(9)
    answer_all(project)
    assert Image.objects.filter(project=project, state=ImageState.LINKING).count() == 0
    refits = [reason for reason in reasons(project) if "refitted" in reason]
    assert 2 <= len(refits) <= 3 and refits[0].endswith("groups of own answers")
    prior = current_settings(project.id)[1].learned.links
    assert prior.refitted_on >= 4 and prior.pairs["same head"] < DEFAULT.pairs["same head"]
    assert list(replay(project)) == []


def test_a_record_with_three_refits_between_its_answers_replays() -> None:
    project = men(3, replace(ADAPTIVE, refit_links=False))
    for _ in range(3):
        assert answer_all(project, 4) and refit_links(project.id, only_if_due=False)
    answer_all(project, 4)
    entries = Entry.objects.filter(project=project, kind="judgment")
    assert set(entries.values_list("settings_version", flat=True)) == {1, 2, 3, 4}
    assert len({str(one.learned.links) for one in all_settings(project.id).values()}) == 4
    assert list(replay(project)) == []


def test_known_questions_about_links_show_what_most_workers_misread() -> None:
    project = men(3, replace(ADAPTIVE, refit_links=False))
    answer_all(project, 4)
    image = project.images.first()
    assert image is not None
    misread, read = ([make_known(image, LINK, truth) for _ in range(12)] for truth in ("different", "same"))
    apart = [make_known(image, LINK, "different") for _ in range(12)]
    for number in range(5):
        answers = [(misread, "same"), (read, "same"), (apart, "different")]
        who = worker(project, f"checked {number}", LINK)
        make_answers(who, [(question, answer) for questions, answer in answers for question in questions])
    assert refit_links(project.id, only_if_due=False)
    crowd = current_settings(project.id)[1].learned.crowd
    assert crowd.misjoined > 0.1 and crowd.false_positive > 0.2 > 0.1 > crowd.false_negative


def test_known_sweeps_count_by_candidate() -> None:
    project = men(1)
    image = project.images.get()
    known = make_known(image, LINK, {"same": [1, 3]})
    known.shown = {"mentions": [[number, number, 0, 2] for number in range(4)]}
    known.save()
    for number, touched in enumerate([[1, 3], [1, 2], [1]]):
        make_answers(worker(project, f"checked {number}", LINK), [(known, {"same": touched})])
    assert known_links_of(project.pk) == ([], [(2, 1)], [(3, (3, 0)), (3, (1, 2))])
    assert refit_links(project.pk, only_if_due=False)


@pytest.mark.usefixtures("ask_sweeps")
def test_a_refit_knows_which_answers_sweeps_have() -> None:
    project = project_of_men()
    answer(project, worker(project, "ada"), LINK, {"same": [1]})
    (group,) = judged_groups(project.pk, Settings())
    assert [answers[0].listed for answers in group.answers.values()] == [3, 3, 3]


@pytest.mark.usefixtures("soon")
def test_links_on_loan_when_it_refits_stay_and_their_answers_count() -> None:
    project = men(6)
    ada, bob = worker(project, "ada", LINK), worker(project, "bob", LINK)
    first, second = lease(project, ada, LINK, size=1), lease(project, bob, LINK, size=1)
    answer_all(project, most=8)
    assert refit_links(project.id, only_if_due=False)
    before = votes(project)
    for mine in (first, second):
        assert len(submit(mine, "different").stored) == 1
    tick(project_id=project.id)
    assert votes(project) == before + 2
    answer_all(project)
    assert list(replay(project)) == []


def votes(project: Project) -> int:
    states = Progress.objects.filter(project=project).values_list("state", flat=True)
    return sum(len(cast) for state in states for *_, cast in state["votes"])


@pytest.mark.usefixtures("soon")
def test_answers_are_read_in_their_order_and_from_a_sample_of_many_images(monkeypatch: pytest.MonkeyPatch):
    project = men(3, replace(ADAPTIVE, refit_links=False))
    answer_all(project)
    every = list(judged_groups(project.id, Settings()))
    assert len(every) == 3 and all(len(group.mentions) == len(WORDS) for group in every)
    assert sum(len(said) for group in every for said in group.answers.values()) == votes(project)
    monkeypatch.setattr(refit, "MOST_IMAGES", 2)
    assert len(list(judged_groups(project.id, Settings()))) == 2


@pytest.fixture
def soon_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four finished images are enough for a refit."""
    monkeypatch.setattr(refit, "FIRST_REFIT", 4)


def dogs(number: int, settings: Settings = BELIEF) -> Project:
    """Images of one phrase each."""
    return project_of(*(phrases("animals: a dog", name=str(one)) for one in range(number)), settings=settings)


def add_dogs(project: Project, number: int) -> None:
    version, _ = current_settings(project.id)
    first = project.images.count()
    for position in range(first, first + number):
        image = phrases("animals: a dog", name=str(position))
        import_image(project, position, image, picture=f"{position}.jpg", gold=False, settings_version=version)
    tick(project_id=project.id)


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


def answer_boxes(project: Project, most: int = 1000) -> None:
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


def prior_of(project: Project) -> BoxPrior:
    return engine_of(current_settings(project.id)[1]).box_rules.prior


@pytest.mark.usefixtures("soon_boxes")
def test_a_running_project_refits_boxes_whenever_its_finished_images_have_doubled_and_its_record_replays() -> None:
    project = dogs(9)
    answer_boxes(project)
    assert reasons(project)[1:] == [f"weights of boxes refitted on {images} own chains" for images in (4, 8)]
    prior = prior_of(project)
    assert (prior.refitted_on, prior.fitted_on) == (8, 8)
    assert prior.none_of("animals") < BOX_PRIOR_DEFAULT.none_of("animals")
    assert prior.counts_of("one")[0] > BOX_PRIOR_DEFAULT.counts_of("one")[0] and list(replay(project)) == []


@pytest.mark.usefixtures("soon_boxes")
@pytest.mark.slow
def test_a_bad_program_is_set_aside_and_a_good_one_is_trusted_more() -> None:
    project = dogs(8)
    bad, good = (worker(project, name, kind=Worker.Kind.PROGRAM) for name in ("bad", "good"))
    propose(project, bad, BAD)
    answer_boxes(project)
    tried = Box.objects.filter(image__project=project, pre_annotated=True)
    assert tried.count() == 8, "questions about its boxes were open before anybody knew better"
    assert trust_of(str(bad.pk), None, prior_of(project)) < 0.3
    add_dogs(project, 4)
    propose(project, bad, BAD)
    assert tried.count() == 8, "it is set aside"
    propose(project, good, GOOD)
    assert set(tried.order_by("id").values_list("drawn_by", flat=True)[8:]) == {good.pk}
    answer_boxes(project)
    refit_boxes(project.id, only_if_due=False)
    assert trust_of(str(good.pk), None, prior_of(project)) > 0.7
    of_both = [prior_of(project).programs[str(one.pk)].numbers for one in (bad, good)]
    assert [rows[1] for rows in of_both] == [(0, 12, 0, 0)] * 2, "both proposed one box for each of twelve dogs"
    assert list(replay(project)) == []


@pytest.mark.usefixtures("soon_boxes")
def test_a_refit_amid_a_chain_counts_from_its_next_answer_on_and_what_is_on_loan_stays() -> None:
    project = dogs(6, replace(BELIEF, box_sure=0.97))
    mine = lease(project, worker(project, "ada"), Task.BOX_DRAWING, size=1)
    while Question.objects.filter(project=project, state="open").exclude(id__in=mine.questions).exists():
        answer_boxes(project, most=1)
    assert prior_of(project).refitted_on == 4 and len(submit(mine, *(said(one) for one in mine.questions)).stored) == 1
    tick(project_id=project.id)
    answer_boxes(project)
    assert Image.objects.filter(project=project, state=ImageState.MERGED).count() == 6 and list(replay(project)) == []


@pytest.mark.usefixtures("soon_boxes")
def test_a_refit_of_many_images_reads_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    project = dogs(5, replace(BELIEF, refit_boxes=False))
    answer_boxes(project)
    monkeypatch.setattr(refit, "MOST_IMAGES", 2)
    assert refit_boxes(project.id, only_if_due=False) == 2
    assert (prior_of(project).fitted_on, prior_of(project).refitted_on) == (2, 5)


def checked_dogs(truths: list[tuple[Task, Any]], **changes: Any) -> tuple[Project, list[KnownQuestion]]:
    """Four dogs whose boxes are finished, and a stock of questions with these truths."""
    project = dogs(4, replace(BELIEF, refit_boxes=False, **changes))
    answer_boxes(project)
    image = project.images.earliest("id")
    return project, [make_known(image, task, truth) for task, truth in truths]


@pytest.mark.usefixtures("soon_boxes")
def test_known_questions_that_most_workers_answer_wrongly_lower_the_confidence() -> None:
    truths = ["more needed"] * 5 + ["all there"] * 5
    project, stock = checked_dogs([(Task.BOX_COVERAGE, truth) for truth in truths])
    for number in range(3):
        make_answers(worker(project, f"checked {number}"), [(one, "all there") for one in stock])
    refit_boxes(project.id, only_if_due=False)
    unseen = (5 + BASE_UNSEEN * IMAGINED_KNOWN) / (10 + IMAGINED_KNOWN)
    assert prior_of(project).unseen == pytest.approx(unseen, abs=1e-4)


@pytest.mark.usefixtures("soon_boxes")
def test_known_drawings_teach_the_margin_of_each_worker_if_boxes_are_made_of_several() -> None:
    truths = [(Task.BOX_DRAWING, [[20, 20, 80, 80], [90, 90, 99, 99]])] * 20
    project, stock = checked_dogs(truths, fuse_boxes=True)
    roomy = worker(project, "roomy")
    make_answers(roomy, [(one, {"box": [10, 20, 80, 80]}) for one in stock])
    make_answers(worker(project, "blind"), [(one, {"none_missing": True}) for one in stock])
    refit_boxes(project.id, only_if_due=False)
    habits = prior_of(project).habits
    assert set(habits) == {"0", str(roomy.id)}
    assert habits[str(roomy.id)].edges[0] > habits["0"].edges[0] > 0 == habits["0"].edges[1]


def due(images: int = 3) -> Project:
    """A project whose links are all answered, and that nothing has swept since."""
    project = men(images)
    answer_all(project, act=lambda project_id: apply_judgments(list(PROTOCOL_TASKS), project_id=project_id))
    assert reasons(project) == ["project made"]
    return project


def refits(project: Project) -> int:
    return sum("refitted" in reason for reason in reasons(project))


def set_state(project: Project, state: ProjectState) -> None:
    Project.objects.filter(pk=project.pk).update(state=state.value)


@pytest.mark.usefixtures("soon")
def test_where_programs_judge_the_first_refits_come_early_and_later_ones_often() -> None:
    waits = [0.0]
    while waits[-1] < 1000:
        learned = LearnedState(links=replace(DEFAULT, refitted_on=int(waits[-1])))
        settings = Settings(strategy=LinkStrategy.ADAPTIVE, model_annotators=(70,), learned=learned)
        waits.append(images_before_refit(settings, Task.COREFERENCE_LINK))
    assert waits[1:7] == [3, 6, 12, 24, 48, 73]
    assert waits[-1] - waits[-2] == waits[-2] // 20, "a twentieth, once that is more"


@pytest.mark.usefixtures("soon")
def test_a_project_that_does_not_run_learns_with_the_first_tick_after_it_goes_on() -> None:
    project = due()
    for state in (ProjectState.PAUSED, ProjectState.FINISHED, ProjectState.ARCHIVED):
        set_state(project, state)
        tick()
        assert refits(project) == 0, state
    set_state(project, ProjectState.RUNNING)
    tick()
    tick()
    assert refits(project) == 1 and list(replay(project)) == []


@pytest.mark.usefixtures("soon")
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", [refit_links, lambda project_id: tick(project_id=project_id)], ids=["refit", "tick"])
def test_two_processes_that_tick_at_once_make_one_version(act: Callable[[int], object]) -> None:
    project = due()
    Race(project).run_once(*[partial(act, project.id)] * 3)
    assert refits(project) == 1
    assert sorted(SettingsVersion.objects.filter(project=project).values_list("version", flat=True)) == [1, 2]


@pytest.mark.usefixtures("soon")
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_workers_who_answer_while_two_processes_tick_and_refit_lose_nothing() -> None:
    project = men(FIRST)
    people = [worker(project, f"w{number}") for number in range(12)]
    # Twelve people who answer links at random may end without a belief, and nobody is left to ask.
    race = Workers(project, ANSWERS | {Task.COREFERENCE_LINK: ["different"]})
    race.run(*map(race.work, people), *[partial(tick, project_id=project.id)] * 2)
    check(project, race.stored)
    assert refits(project) >= 1


class Kind(NamedTuple):
    """One of the two kinds of refits, with a project that wants it."""

    refit: Callable[..., Any]
    make: Callable[..., Project]
    answer_all: Callable[..., object]
    settings: Settings
    switch: str
    """The setting that switches it on."""
    another: dict[str, Any]
    """Settings by which there is nothing to learn."""
    edit: dict[str, Any]
    """An edit of a requester's."""


BY_GREEDY, BY_PAPER = {"strategy": LinkStrategy.GREEDY}, {"box_policy": BoxPolicyName.PAPER}
KINDS = {
    "links": Kind(refit_links, men, answer_all, ADAPTIVE, "refit_links", BY_GREEDY, {"link_stop": 0.5}),
    "boxes": Kind(refit_boxes, dogs, answer_boxes, BELIEF, "refit_boxes", BY_PAPER, {"box_sure": 0.95}),
}


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


@pytest.fixture(scope="module")
def kept(kind: Kind, django_db_setup: None, django_db_blocker: Any) -> Kept:
    off = settings_with(kind.settings, **{kind.switch: False})  # type: ignore[arg-type]
    return Kept(django_db_blocker, lambda: kind.answer_all(kind.make(3, off)))


@pytest.fixture
def unfitted(kept: Kept, db: None) -> Project:
    """Three images, everything answered, and no refit."""
    kept.write()
    return Project.objects.get()


def edit(project: Project, *, begun_follow: bool = True, **changes: Any) -> int:
    changed = settings_with(current_settings(project.id)[1], **changes)
    return change_settings(project_id=project.id, settings=changed, reason="edited", begun_follow=begun_follow)


@pytest.mark.usefixtures("soon")
def test_refitting_twice_makes_one_version_where_refits_are_wanted(kind: Kind, unfitted: Project) -> None:
    assert kind.refit(unfitted.id) is None
    tick(project_id=unfitted.id)
    assert reasons(unfitted) == ["project made"]
    edit(unfitted, **{kind.switch: True})
    assert kind.refit(unfitted.id) and kind.refit(unfitted.id) is None


@pytest.mark.usefixtures("soon")
def test_a_project_in_which_nothing_can_be_learned_learns_nothing(kind: Kind) -> None:
    project = kind.make(3, settings_with(kind.settings, **kind.another))
    kind.answer_all(project)
    assert reasons(project) == ["project made"]


@pytest.mark.usefixtures("soon")
@pytest.mark.slow
@pytest.mark.both_engines
def test_neither_a_paused_project_learns_nor_one_with_most_images_unasked(kind: Kind, unfitted: Project) -> None:
    edit(unfitted, **{kind.switch: True})
    set_state(unfitted, ProjectState.PAUSED)
    assert kind.refit(unfitted.id) is None
    set_state(unfitted, ProjectState.RUNNING)
    Question.objects.exclude(image__name="0").update(task=Task.CHAIN_VERIFICATION.value)
    assert kind.refit(unfitted.id) is None


@pytest.mark.usefixtures("soon")
def test_what_a_requester_changed_meanwhile_stays(kind: Kind, unfitted: Project, monkeypatch: pytest.MonkeyPatch):
    home = import_module(kind.refit.__module__)
    learn = home.learn

    def edited_meanwhile(*given: Any) -> Any:
        edit(unfitted, **kind.edit)
        return learn(*given)

    monkeypatch.setattr(home, "learn", edited_meanwhile)
    assert kind.refit(unfitted.id, only_if_due=False) is None and reasons(unfitted)[-1] == "edited"
    monkeypatch.undo()
    assert kind.refit(unfitted.id, only_if_due=False)
    assert {name: getattr(current_settings(unfitted.id)[1], name) for name in kind.edit} == kind.edit


@pytest.mark.usefixtures("soon")
@pytest.mark.both_engines
def test_begun_images_that_were_left_with_older_settings_stay_with_them(kind: Kind) -> None:
    project = kind.make(6, settings_with(kind.settings, **{kind.switch: False}))  # type: ignore[arg-type]
    kind.answer_all(project, most=9)
    kept = edit(project, begun_follow=False, **kind.edit)
    assert kind.refit(project.id, only_if_due=False)
    assert SettingsVersion.objects.filter(project=project).order_by("-version")[0].begun_from == kept
