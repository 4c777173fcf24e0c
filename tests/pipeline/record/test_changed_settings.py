"""A requester changes how links are asked while answers wait and questions are with workers: every answer counts.
A requester changes the order of the box tasks while questions are with workers: every answer counts, and replays.
Changed settings: what they would change is shown before, and begun images may stay with their version.
"""

from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction

from annotation.models import Box, Chain, Image, Project
from annotation.rules.states import ChainState
from pipeline.models import Entry, Progress, Question, SettingsVersion, Transition
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.tasks.task import Task
from pipeline.record.append_entries import NewEntry, append_entries, lock_progress
from pipeline.record.intervene import preview_expert
from pipeline.record.preview_settings import preview_settings
from pipeline.record.read_record import replay, settings_of_image
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from tests.support.projects import lease, phrases, project_of, submit, worker
from tests.support.settings_with import settings_with

pytestmark = pytest.mark.django_db

LINK, STRATEGIES = Task.COREFERENCE_LINK, list(LinkStrategy)
CHANGES = [(old, new) for old in STRATEGIES for new in STRATEGIES if old is not new]
BOX_TASKS = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE)

PHRASES = ("people: a man", "animals: some dogs", "scene: a park", "other: a thing")


def images(number: int) -> list[Any]:
    """Return images of five captions; every mention can corefer with every other."""
    words = ("a man", "the man", "a tall man", "a player", "someone")
    return [phrases(*(f"people: {one}" for one in words), name=str(one)) for one in range(number)]


def project_with(strategy: LinkStrategy, number: int = 2) -> Project:
    return project_of(*images(number), settings=Settings(strategy=strategy, link_stop=0.02))


def change(project: Project, *, begun_follow: bool = True, **values: Any) -> int:
    settings = settings_with(current_settings(project.id)[1], **values)
    return change_settings(project_id=project.id, settings=settings, reason="in use", begun_follow=begun_follow)


def votes(project: Project) -> int:
    """Return how many votes on links count in the images' progress."""
    states = Progress.objects.filter(project=project).values_list("state", flat=True)
    return sum(len(cast) for state in states for *_, cast in state["votes"])


def late(project: Project) -> int:
    return Transition.objects.filter(project=project, reason="late judgment").count()


def finish(project: Project) -> None:
    """Answer all links until none is open: mention n is the same as mention m if both are even or both odd."""
    crew = [worker(project, f"more-{number}", LINK) for number in range(16)]
    for _ in range(60):
        for who in crew:
            given = 0
            while Question.objects.filter(project=project, task=LINK.value, state="open").exists():
                some = answer_some(project, who, 20)
                given += some
                if not some:
                    break
            if given:
                tick(project_id=project.id)
        if not Question.objects.filter(project=project, task=LINK.value).exclude(state="closed").exists():
            return
    raise AssertionError("links are still open")


def answer_some(project: Project, who: Any, size: int) -> int:
    try:
        mine = lease(project, who, LINK, size=size)
    except AssertionError:
        return 0
    return len(submit(mine, *truth(mine.questions)).stored)


def truth(questions: list[int]) -> list[str]:
    pairs = dict(Question.objects.filter(id__in=questions).values_list("id", "subject"))
    return ["same" if pairs[one][0] % 2 == pairs[one][1] % 2 else "different" for one in questions]


@pytest.mark.parametrize(("old", "new"), CHANGES, ids=str)
def test_every_answer_given_and_every_question_on_loan_counts_under_the_new_strategy(old: Any, new: LinkStrategy):
    project = project_with(old)
    for number in range(2):  # so that some groups are half placed
        answer_some(project, worker(project, f"early-{number}", LINK), 5)
        tick(project_id=project.id)
    size = 1 if old is LinkStrategy.ADAPTIVE else 3  # it asks one pair of a group at a time
    on_loan = [lease(project, worker(project, name, LINK), LINK, size=size) for name in ("ada", "bob")]
    waiting = answer_some(project, worker(project, "cleo", LINK), size)
    before = votes(project)
    change(project, strategy=new)
    tick(project_id=project.id)
    assert votes(project) == before + waiting
    stored = [submit(mine, *truth(mine.questions)).stored for mine in on_loan]
    assert [len(some) for some in stored] == [len(mine.questions) for mine in on_loan]
    tick(project_id=project.id)
    assert votes(project) == before + waiting + sum(map(len, stored))
    finish(project)
    assert late(project) == 0
    judged = Entry.objects.filter(project=project, kind="judgment", judgment__question__task=LINK)
    assert votes(project) == judged.count() and list(replay(project)) == []


def test_a_question_that_nobody_has_is_withdrawn_with_the_first_answer_after_the_change() -> None:
    project = project_with(LinkStrategy.EXHAUSTIVE, number=1)
    mine = lease(project, worker(project, "ada", LINK), LINK, size=2)
    change(project, strategy=LinkStrategy.ADAPTIVE)
    answer_some(project, worker(project, "bob", LINK), 1)
    tick(project_id=project.id)
    left = Question.objects.filter(project=project, state="open").values_list("id", flat=True)
    assert set(left) == set(mine.questions) and list(replay(project)) == []


def test_a_question_that_comes_back_unanswered_is_asked_once_more() -> None:
    project = project_with(LinkStrategy.EXHAUSTIVE, number=1)
    ada, bob = (worker(project, name, LINK) for name in ("ada", "bob"))
    mine = lease(project, ada, LINK, size=2)
    change(project, strategy=LinkStrategy.GREEDY)
    answer_some(project, bob, 1)
    tick(project_id=project.id)
    submit(mine)  # all left out
    assert votes(project) == 1 and Question.objects.filter(project=project, state="open").count() == 2
    finish(project)
    assert not Transition.objects.filter(project=project, new="review").exists() and list(replay(project)) == []


def test_answers_of_a_change_that_concerns_no_links_need_no_note_in_the_record() -> None:
    project = project_with(LinkStrategy.EXHAUSTIVE)
    change(project, no_box_votes=3, consensus_lead=1)
    answer_some(project, worker(project, "ada", LINK), 4)
    tick(project_id=project.id)
    assert not Entry.objects.filter(project=project, context__isnull=False).exists()
    assert votes(project) == 4


def project_by_policy(policy: BoxPolicyName) -> Project:
    images = [phrases(one, name=str(number)) for number, one in enumerate(PHRASES)]
    return project_of(*images, settings=Settings(box_policy=policy, box_sure=0.97))


def said(question: int) -> Any:
    """Return the answer of one to whom a chain has one box, and a park none."""
    row = Question.objects.get(id=question)
    park, boxes = row.image.name == "2", row.shown["boxes"]
    match Task(row.task):
        case Task.BOX_REQUIREMENT:
            return 2 if park else 1
        case Task.BOX_DRAWING:
            return {"none_missing": True} if park or boxes else {"box": [10, 10, 60, 60]}
        case Task.BOX_QUALITY:
            return "good"
    return "all there"


def answer_all(project: Project, number: int) -> int:
    """Let a new worker answer one question of each task, as far as there are any."""
    who, stored = worker(project, f"worker {number}"), 0
    for task in BOX_TASKS:
        try:
            mine = lease(project, who, task, size=2)
        except AssertionError:
            continue
        stored += len(submit(mine, *(said(one) for one in mine.questions)).stored)
    tick(project_id=project.id)
    return stored


def finish_boxes(project: Project) -> None:
    for number in range(100, 150):
        if not Question.objects.filter(project=project).exclude(state="closed").exists():
            return
        answer_all(project, number)
    raise AssertionError("questions are still open")


@pytest.mark.parametrize("answers", range(3))
@pytest.mark.parametrize("old", list(BoxPolicyName))
def test_questions_on_loan_count_under_the_new_policy_and_the_record_replays(old: BoxPolicyName, answers: int) -> None:
    project = project_by_policy(old)
    for number in range(answers):
        answer_all(project, number)
    task = next(task for task in BOX_TASKS if Question.objects.filter(task=task.value, state="open").exists())
    on_loan = lease(project, worker(project, "ada"), task, size=1)
    change(project, box_policy=BoxPolicyName.PAPER if old is BoxPolicyName.BELIEF else BoxPolicyName.BELIEF)
    tick(project_id=project.id)
    answer_all(project, 50)
    assert submit(on_loan, *(said(one) for one in on_loan.questions)).stored
    tick(project_id=project.id)
    assert list(replay(project)) == []
    change(project, box_policy=old)
    finish_boxes(project)
    assert list(replay(project)) == []
    assert not Transition.objects.filter(project=project, reason="late judgment").exists()
    states = dict(Chain.objects.filter(image__project=project).values_list("image__name", "state"))
    assert states == dict.fromkeys("013", ChainState.COMPLETE.value) | {"2": ChainState.NON_VISUAL.value}


def test_the_box_that_is_judged_is_not_among_the_shown_ones() -> None:
    project = project_by_policy(BoxPolicyName.BELIEF)
    for number in range(6):
        answer_all(project, number)
    judged = Question.objects.filter(project=project, task=Task.BOX_QUALITY.value)
    assert all(one.shown["new_box"] not in one.shown["boxes"] for one in judged)
    assert Box.objects.filter(image__project=project).exists()


@pytest.fixture
def project() -> Project:
    """Three images of ten pairs each; the first is begun under the exhaustive strategy."""
    made = project_of(*images(3), settings=Settings(strategy=LinkStrategy.EXHAUSTIVE))
    answer(made, "ada", 4)
    return made


def answer(project: Project, name: str, size: int) -> None:
    submit(lease(project, worker(project, name, LINK), LINK, size=size), *["different"] * size)
    tick(project_id=project.id)


def strategies(project: Project) -> list[str]:
    rows = project.images.order_by("position").values_list("id", flat=True)
    return [settings_of_image(project.id, image).strategy.value for image in rows]


def open_links(project: Project, position: int) -> int:
    return Question.objects.filter(image__position=position, task=LINK.value, state="open").count()


def test_begun_images_keep_their_questions_and_the_others_get_the_new_ones_until_they_are_begun(project: Project):
    change(project, begun_follow=False, strategy=LinkStrategy.GREEDY)
    assert strategies(project) == ["exhaustive", "greedy", "greedy"]
    action = {"action": "link", "first": 0, "second": 1, "same": True}
    preview = preview_expert(image_id=project.images.get(position=0).id, action=action)
    assert preview.after.link_rules.startswith("exhaustive ")
    answer(project, "bob", 7)  # six of the first image, one of the second
    assert (open_links(project, 0), open_links(project, 1)) == (0, 2)  # two chains are compared with the third phrase
    judged = Entry.objects.filter(kind="judgment").values_list("image__position", "settings_version")
    assert set(judged) == {(0, 1), (1, 2)}
    change(project, begun_follow=False, strategy=LinkStrategy.EXHAUSTIVE_PLUS)
    assert strategies(project) == ["exhaustive", "greedy", "exhaustive plus"]
    finish(project)
    assert list(replay(project)) == []
    call_command("replay", project.name)


def test_a_later_version_for_all_images_takes_the_begun_ones_along_and_says_from_which_version_on(project: Project):
    change(project, begun_follow=False, strategy=LinkStrategy.GREEDY)
    change(project, spend_cap_cents=500)
    change(project, no_box_votes=3)
    assert strategies(project) == ["greedy"] * 3
    assert list(SettingsVersion.objects.order_by("version").values_list("begun_from", flat=True)) == [None, 2, 2, None]
    finish(project)
    assert list(replay(project)) == []


def test_an_adaptive_version_for_new_images_weighs_no_answers_of_the_old_ones(project: Project) -> None:
    change(project, begun_follow=False, strategy=LinkStrategy.ADAPTIVE, link_stop=0.02)
    answer(project, "bob", 7)
    finish(project)
    assert list(replay(project)) == []


def test_the_fold_needs_no_more_queries_as_images_follow(project: Project, django_assert_num_queries: object) -> None:
    ids = list(project.images.values_list("id", flat=True))
    with transaction.atomic(), django_assert_num_queries(1):  # type: ignore[operator]
        lock_progress(ids)
    change(project, begun_follow=False, strategy=LinkStrategy.GREEDY)
    with transaction.atomic():
        assert [row.version for row in lock_progress(ids)] == [1, 2, 2]


def begun_project(strategy: LinkStrategy, number: int = 6) -> Project:
    """Make a project in which some links are answered and folded, some answered, some on loan, most untouched."""
    project = project_of(*images(number), settings=Settings(strategy=strategy, link_stop=0.02))
    size = min(4, Question.objects.filter(state="open").count())
    for name, said in (("ada", "same"), ("bob", "different")):
        submit(lease(project, worker(project, name, LINK), LINK, size=size), *[said, "same"] * 2)
        tick(project_id=project.id)
    lease(project, worker(project, "cleo", LINK), LINK, size=1)
    submit(lease(project, worker(project, "dan", LINK), LINK, size=1), "same")
    return project


def do_nothing(project: Project) -> None:
    """Append one entry to every image that by itself changes no question: a report that sends nothing to review."""
    report = {"what": "image", "number": 0, "worker": 10**6, "expert": False}
    locked = lock_progress(list(Image.objects.filter(project=project).values_list("id", flat=True)))
    append_entries(locked, {row.image_id: [NewEntry(EntryKind.REPORT, report)] for row in locked})


def link_numbers(project: Project) -> set[tuple[int, int]]:
    rows = Question.objects.filter(project=project, task=LINK.value).exclude(state="closed")
    return set(rows.values_list("image_id", "number"))


@pytest.mark.parametrize("new", STRATEGIES, ids=str)
@pytest.mark.parametrize("old", STRATEGIES, ids=str)
def test_what_is_said_before_a_change_of_strategy_is_what_the_next_entries_do(old: LinkStrategy, new: LinkStrategy):
    project = begun_project(old, number=3)
    settings = Settings(strategy=new, link_stop=0.02)
    said = preview_settings(project_id=project.id, settings=settings)
    before = link_numbers(project)
    change_settings(project_id=project.id, settings=settings, reason="compare")
    do_nothing(project)
    after = link_numbers(project)
    assert said.exact and said.follow == Image.objects.exclude(state="merged").count()
    assert (said.effect.open_links, said.effect.closed_links) == (len(before), len(before - after))
    assert said.effect.opened_links == len(after - before) and list(replay(project)) == []


def test_a_preview_writes_nothing_and_if_begun_images_stay_only_the_others_are_looked_at() -> None:
    project, greedy = begun_project(LinkStrategy.EXHAUSTIVE), Settings(strategy=LinkStrategy.GREEDY)
    tables = (Entry, Question, Transition)
    rows = [table.objects.count() for table in tables]
    states = list(Progress.objects.order_by("image_id").values_list("state", flat=True))
    said = preview_settings(project_id=project.id, settings=greedy)
    assert said.effect.closed_links > 0 and [table.objects.count() for table in tables] == rows
    assert list(Progress.objects.order_by("image_id").values_list("state", flat=True)) == states
    said = preview_settings(project_id=project.id, settings=greedy, begun_follow=False)
    assert (said.begun, said.fresh) == (1, 5) and said.follow == 5 and said.effect.votes == 0


def test_of_many_images_a_sample_is_looked_at_and_said_to_be_one() -> None:
    project = begun_project(LinkStrategy.EXHAUSTIVE, number=12)
    greedy = Settings(strategy=LinkStrategy.GREEDY)
    whole = preview_settings(project_id=project.id, settings=greedy)
    part = preview_settings(project_id=project.id, settings=greedy, most=6)
    assert whole.exact and not part.exact and (part.looked_at, part.follow) == (6, 12)
    assert part.scaled(3) == 6
    assert abs(part.scaled(part.effect.closed_links) - whole.effect.closed_links) < 0.5 * whole.effect.closed_links
