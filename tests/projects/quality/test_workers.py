"""Skills: how often each worker is right, estimated from everybody's answers and kept.
A project that links adaptively weighs a spammer's answers down by itself: without gold, command or setting.
Signals of bad work, found in the answers of a project and kept for the requester.
Figures on how a worker does in a task: scores, skill, judgments and pay.
"""

import csv
import random
from collections.abc import Iterator
from datetime import timedelta
from itertools import groupby, pairwise
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Box, Image, Project
from belief.links.answer_model import LinkAnswer, weigh
from config.celery import app
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.models import Entry, Question
from pipeline.protocol.tasks.task import Task
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.jobs import look_at_workers_job
from projects.people.figures import WorkerFigures, worker_figures
from projects.quality.detect_signals import MOST_LINKED, find_signals
from projects.quality.estimate_skills import estimate_skills, projects_with_new_answers
from tests.support.answers import make_answers, make_known, make_question
from tests.support.projects import phrases, project_of, submit, worker
from tests.support.rows import NOW, make_image, make_project, make_worker
from workers.change_trust import dismiss_signal
from workers.models import SkillEstimate, TrustChange, TrustStatus, Worker, WorkerSignal
from workers.rules.score import below
from workers.rules.signals.far_too_fast import Timed, far_too_fast_in_all
from workers.rules.signals.signal import SignalKind, confirmed
from workers.skills import checked_answers

pytestmark = pytest.mark.django_db
LINK, DRAWING, REQUIREMENT = Task.COREFERENCE_LINK, Task.BOX_DRAWING, Task.BOX_REQUIREMENT


def answer_known(worker: Worker, image: Image, *, right: int, of: int, **assignment: Any) -> None:
    known = [make_known(image, LINK, "same") for _ in range(of)]
    answers = [(one, "same" if place < right else "different") for place, one in enumerate(known)]
    make_answers(worker, answers, **assignment)


def test_known_answers_alone_give_the_share_that_was_right(image: Image) -> None:
    answer_known(make_worker(), image, right=24, of=30)
    assert estimate_skills(project_id=image.project_id, now=NOW) == 1
    skill = SkillEstimate.objects.get()
    assert skill.accuracy == pytest.approx(0.8)
    assert 0.62 < skill.low < 0.64 and 0.90 < skill.high < 0.92
    assert (skill.answers, skill.known_answers, skill.computed_at) == (30, 30, NOW)


def test_who_agrees_with_good_workers_is_good_without_any_known_answer(image: Image) -> None:
    good, other, bad = make_worker(), make_worker(), make_worker()
    for number, question in enumerate([make_question(image, LINK) for _ in range(40)]):
        truth = ("same", "different")[number % 2]
        for one_worker in (good, other):
            make_answers(one_worker, [(question, truth)])
        make_answers(bad, [(question, "same")])
    estimate_skills(project_id=image.project_id)
    skills = checked_answers(image.project_id, LINK.value, [good.id, bad.id])
    assert skills[good.id].accuracy > 0.95 > 0.6 > skills[bad.id].accuracy
    assert not SkillEstimate.objects.exclude(known_answers=0).exists()


def test_an_answer_nobody_can_check_tells_nothing_and_qualification_tests_are_left_out(
    image: Image,
) -> None:
    answer_known(make_worker(), image, right=3, of=10, kind="test")
    assert estimate_skills(project_id=image.project_id) == 0
    make_answers(make_worker(), [(make_question(image, REQUIREMENT), 3)])
    estimate_skills(project_id=image.project_id)
    skill = SkillEstimate.objects.get()
    assert (skill.low, skill.high, skill.answers) == (0.0, 1.0, 0)


def test_drawing_counts_verification_questions_and_the_boxes_that_were_judged(image: Image) -> None:
    worker = make_worker()
    known = [make_known(image, DRAWING, [[0, 0, 50, 50]]) for _ in range(6)]
    make_answers(worker, [(one, {"box": [0, 0, 50, 50 if place < 5 else 10]}) for place, one in enumerate(known)])
    make_answers(worker, [(make_question(image, DRAWING), {"box": [0, 0, 9, 9]})])
    edges = {"image": image, "chain": 0, "x0": 0, "y0": 0, "x1": 9, "y1": 9, "drawn_by_id": worker.id}
    for number, (state, judged) in enumerate((("accepted", NOW), ("discarded", NOW), ("pending", None)), start=1):
        Box.objects.create(number=number, state=state, judged_at=judged, **edges)
    estimate_skills(project_id=image.project_id)
    skill = SkillEstimate.objects.get()
    assert (skill.accuracy, skill.answers, skill.known_answers) == (pytest.approx(6 / 8), 8, 6)


def test_only_the_newest_judgments_are_looked_at_and_a_new_estimate_replaces_the_old_one(
    image: Image,
) -> None:
    worker = make_worker()
    for right in (5, 10):
        answer_known(worker, image, right=right, of=10)
        estimate_skills(project_id=image.project_id)
    assert SkillEstimate.objects.get().accuracy == pytest.approx(0.75)
    answer_known(worker, image, right=20, of=20)
    estimate_skills(project_id=image.project_id, newest=20)
    assert SkillEstimate.objects.get().accuracy == pytest.approx(1.0)
    assert not TrustStatus.objects.exists()


def test_the_skills_of_a_task_are_one_statement(image: Image) -> None:
    workers = [make_worker(), make_worker(), make_worker()]
    for one_worker, right in zip(workers, (20, 30, 30), strict=True):
        answer_known(one_worker, image, right=right, of=30)
    estimate_skills(project_id=image.project_id)
    wanted = [workers[0].id, workers[1].id]
    with CaptureQueriesContext(connection) as statements:
        skills = checked_answers(image.project_id, LINK.value, wanted)
    assert len(statements) == 1
    assert [round(skills[number].accuracy, 2) for number in wanted] == [0.67, 1.0] and len(skills) == 2
    assert checked_answers(image.project_id, DRAWING.value, wanted) == {} == checked_answers(0, LINK.value, wanted)


@pytest.mark.both_engines
def test_the_job_looks_only_where_somebody_has_answered_since_the_last_time(image: Image) -> None:
    quiet = make_project("quiet")
    answer_known(make_worker(), image, right=30, of=30)
    assert projects_with_new_answers() == [image.project_id] and quiet.id not in projects_with_new_answers()
    look_at_workers_job()
    assert SkillEstimate.objects.count() == 1
    assert projects_with_new_answers() == []
    since = SkillEstimate.objects.get().computed_at
    answer_known(make_worker(), image, right=1, of=2, ended_at=since + timedelta(seconds=1))
    assert projects_with_new_answers() == [image.project_id]


@pytest.mark.both_engines
def test_the_command_prints_each_worker_with_the_interval(image: Image, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("skills", "parks")
    assert "No worker has answered yet" in capsys.readouterr().out
    answer_known(make_worker(name="ada"), image, right=24, of=30)
    call_command("skills", "parks")
    assert "coreference link: ada 80 % (63 to 90 %), 30 checked answers" in capsys.readouterr().out


def test_a_pair_that_was_asked_in_two_questions_is_one_item(image: Image) -> None:
    ada, bob = make_worker(), make_worker()
    for number in range(20):
        first, second = make_question(image, LINK), make_question(image, LINK)
        second.subject = first.subject
        second.save()
        make_answers(ada, [(first, "same")])
        make_answers(bob, [(second, ("same", "different")[number % 2])])
    estimate_skills(project_id=image.project_id)
    assert set(SkillEstimate.objects.values_list("answers", flat=True)) == {20}


WORDS = ("a man", "the man", "a player", "the player")
IMAGES = 100


def project() -> Project:
    """Return a project with the default settings, but that it links adaptively."""
    images = [phrases(*(f"people: {one}" for one in WORDS), name=str(one)) for one in range(IMAGES)]
    return project_of(*images, settings=Settings(strategy=LinkStrategy.ADAPTIVE))


def truth(question: int) -> str:
    """The first two phrases of an image are one man, the other two another."""
    first, second = Question.objects.get(id=question).subject
    return "same" if first // 2 == second // 2 else "different"


def turns(made: Project, honest: list[Worker], spammer: Worker) -> Iterator[Worker]:
    """Let everybody answer four links in turn; the honest err in one of twenty, the spammer tosses a coin."""
    lot = random.Random(3)
    while True:
        for who in (*honest, spammer):
            mine = lease_assignment(project_id=made.pk, worker_id=who.pk, task=LINK, size=4)
            if mine is None:
                return
            right = 0.5 if who == spammer else 0.95
            other = {"same": "different", "different": "same"}
            submit(mine, *[truth(one) if lot.random() < right else other[truth(one)] for one in mine.questions])
            tick(project_id=made.pk)
            yield who


def skills(who: Worker) -> list[float]:
    """Return the skills of the worker's judgments in the record, the oldest first."""
    rows = Entry.objects.filter(kind="judgment", judgment__worker=who).order_by("id")
    return [(context or {}).get("skill", 0.0) for context in rows.values_list("context", flat=True)]


@pytest.mark.slow
def test_after_the_hourly_look_a_spammer_s_answers_weigh_less_than_those_of_the_others() -> None:
    made = project()
    honest, spammer = [worker(made, f"honest-{one}", LINK) for one in range(4)], worker(made, "spammer", LINK)
    at_work = turns(made, honest, spammer)
    for _ in range(80):
        next(at_work)
    assert not SkillEstimate.objects.exists() and set(skills(spammer)) == {0.0}
    look_at_workers_job()
    for _ in range(5):
        next(at_work)
    of_spammer, of_honest = skills(spammer)[-1], [skills(one)[-1] for one in honest]
    assert of_spammer > 0.8 and of_spammer > max(of_honest) + 0.4
    assert fmean(of_honest) < 0.4, "other links check the answers to easy links, too"
    heeded, ignored = (weigh((LinkAnswer(True, shift),)).ratio for shift in (max(of_honest), of_spammer))
    assert 0 < ignored < 0.85 * heeded
    assert list(replay(made)) == []


def test_the_look_is_taken_every_hour_by_celery_s_clock() -> None:
    names = {entry["task"]: entry["schedule"] for entry in app.conf.beat_schedule.values()}
    assert names["projects.look_at_workers"] == django_settings.LOOK_SECONDS == 3600


SIGNAL_WORDS = ("same", "different")


def links(image: Image, number: int = 40) -> list[Question]:
    return [make_question(image, LINK) for _ in range(number)]


def button(worker: Worker, image: Image, *, seconds: float = 7.0) -> None:
    """40 times "same" where half are known to be different."""
    known = [make_known(image, LINK, SIGNAL_WORDS[number % 2]) for number in range(40)]
    make_answers(worker, [(one, "same") for one in known], seconds)


def found(kind: SignalKind) -> WorkerSignal:
    return WorkerSignal.objects.get(kind=kind.value)


def test_who_presses_one_button_is_shown_with_the_answers_that_show_it(image: Image) -> None:
    button(make_worker(), image)
    honest, words = make_worker(), SIGNAL_WORDS * 20
    made = make_answers(honest, [(make_known(image, LINK, word), word) for word in words])
    assert find_signals(project_id=image.project_id, now=NOW) == 1
    signal = found(SignalKind.ONE_BUTTON)
    assert (signal.task, signal.found_at, signal.gone_at, signal.dismissed_at) == (LINK.value, NOW, None, None)
    assert honest.id not in signal.workers
    assert "“same” is 40 of 40 answers" in signal.words and signal.chance < 1e-6
    assert signal.evidence["tests"] == 2 and signal.evidence["count"] == len(signal.evidence["judgments"]) == 40
    assert not {one.id for one in made} & set(signal.evidence["judgments"])


def test_of_many_judgments_the_newest_are_named_and_all_are_counted(image: Image) -> None:
    made = make_answers(make_worker(), [(one, "same") for one in links(image, MOST_LINKED + 50)], seconds=0.2)
    find_signals(project_id=image.project_id)
    evidence = found(SignalKind.FAR_TOO_FAST).evidence
    assert evidence["judgments"] == [one.id for one in made][-MOST_LINKED:]
    assert evidence["count"] == MOST_LINKED + 50


def test_answers_that_are_far_too_fast_are_shown_but_never_those_of_a_program(image: Image) -> None:
    answers = [(one, SIGNAL_WORDS[n % 2]) for n, one in enumerate(links(image))]
    for kind in (Worker.Kind.PERSON, Worker.Kind.PROGRAM):
        make_answers(make_worker(kind=kind), answers, seconds=0.2)
    find_signals(project_id=image.project_id)
    assert found(SignalKind.FAR_TOO_FAST).workers == [Worker.objects.get(kind="person").id]


def test_half_a_second_for_each_of_thirty_answers_over_the_box_tasks_is_one_signal_of_no_task(image: Image) -> None:
    worker, lot = make_worker(), Random(1)
    anywhere = [{"box": [x, y, x + 20, y + 20]} for x, y in zip(lot.sample(range(80), 10), range(10), strict=True)]
    for task, answers in (
        (DRAWING, anywhere),
        (Task.BOX_QUALITY, lot.choices(["good", "bad"], k=10)),
        (Task.BOX_COVERAGE, lot.choices(["all there", "more needed"], k=10)),
    ):
        make_answers(worker, [(make_question(image, task), answer) for answer in answers], seconds=0.5)
    assert find_signals(project_id=image.project_id) == 1
    signal = found(SignalKind.FAR_TOO_FAST)
    assert (signal.task, signal.workers, signal.evidence["count"]) == ("", [worker.pk], 30)


@pytest.mark.parametrize("said", [5.0, None])
def test_one_back_before_anybody_could_look_was_fast_whatever_its_sender_says(image: Image, said: float | None) -> None:
    worker, questions = make_worker(), links(image, 40)
    for first in range(0, 40, 10):
        answers = [(one, SIGNAL_WORDS[n % 2]) for n, one in enumerate(questions[first : first + 10])]
        make_answers(worker, answers, said, ended_at=NOW + timedelta(seconds=5))  # type: ignore[arg-type]
    assert find_signals(project_id=image.project_id) == 1
    assert "40 answers took 0.5 s in the middle" in found(SignalKind.FAR_TOO_FAST).words


def test_answers_without_seconds_and_those_of_a_test_say_nothing(image: Image) -> None:
    answers = [(one, SIGNAL_WORDS[n % 2]) for n, one in enumerate(links(image))]
    make_answers(make_worker(), answers, seconds=None)  # type: ignore[arg-type]
    make_answers(make_worker(), answers, seconds=0.2, kind="test")
    assert find_signals(project_id=image.project_id) == 0


def test_copied_boxes_are_shown(image: Image) -> None:
    worker, images = make_worker(), [make_image(image.project) for _ in range(30)]
    make_answers(worker, [(make_question(one, DRAWING), {"box": [5, 5, 100, 70]}) for one in images])
    make_answers(worker, [(make_question(image, DRAWING), {"none_missing": True})])
    for honest in range(1, 3):
        boxes = [{"box": [3 * place, honest, 3 * place + 20, 40 * honest]} for place in range(25)]
        make_answers(make_worker(), [(make_question(image, DRAWING), box) for box in boxes])
    find_signals(project_id=image.project_id)
    signal = found(SignalKind.COPIED_BOXES)
    assert (signal.task, signal.workers) == (DRAWING.value, [worker.id])
    assert signal.words.startswith("Of 30 boxes 29 repeat the worker's own box")


def test_always_none_missing_is_one_button_too(image: Image) -> None:
    known = [make_known(image, DRAWING, [[0, 0, 50, 50]]) for _ in range(40)]
    make_answers(make_worker(), [(one, {"none_missing": True}) for one in known])
    find_signals(project_id=image.project_id)
    assert "“none missing” is 40 of 40 answers" in found(SignalKind.ONE_BUTTON).words


def test_a_signal_bars_nobody(image: Image) -> None:
    button(make_worker(), image, seconds=0.2)
    assert find_signals(project_id=image.project_id) == 2
    assert not TrustStatus.objects.exists() and not TrustChange.objects.exists()


def test_two_who_share_their_errors_over_several_tasks_are_one_signal_of_no_task(image: Image) -> None:
    quality = Task.BOX_QUALITY
    known = [make_known(image, task, right) for task, right in ((LINK, "same"), (quality, "bad")) for _ in range(60)]
    everyone = [make_worker() for _ in range(12)]
    for number, one_worker in enumerate(everyone):
        # The last two err on every tenth, together; the others each on one of their own.
        wrong = set(range(0, 120, 10)) if number > 9 else {number + 1, number + 71}
        for task, right, other in ((LINK, "same", "different"), (quality, "bad", "good")):
            answers = [(one, other if place in wrong else right) for place, one in enumerate(known) if one.task == task]
            times = {"created_at": NOW + timedelta(hours=number), "ended_at": NOW + timedelta(hours=number, minutes=1)}
            make_answers(one_worker, answers, **times)  # type: ignore[arg-type]
    find_signals(project_id=image.project_id)
    signal = found(SignalKind.TWO_ACCOUNTS)
    assert (signal.task, signal.workers) == ("", [one.id for one in everyone[-2:]])
    assert signal.words.startswith("12 equal wrong answers on 120 questions") and signal.evidence["tests"] == 66


def test_what_is_no_longer_found_is_marked_and_what_comes_back_is_open_again(image: Image) -> None:
    worker = make_worker()
    make_answers(worker, [(one, "same") for one in links(image)], seconds=0.2)
    find_signals(project_id=image.project_id, now=NOW)
    make_answers(worker, [(one, "same") for one in links(image)], seconds=9.0)
    later = NOW + timedelta(hours=1)
    assert find_signals(project_id=image.project_id, now=later, newest=40) == 0
    assert found(SignalKind.FAR_TOO_FAST).gone_at == later
    find_signals(project_id=image.project_id, now=later + timedelta(hours=1))
    assert (found(SignalKind.FAR_TOO_FAST).gone_at, found(SignalKind.FAR_TOO_FAST).found_at) == (None, NOW)


def test_looking_twice_writes_nothing_twice_and_leaves_other_projects_alone(image: Image) -> None:
    for one in (image, make_image(make_project("other"))):
        make_answers(make_worker(), [(question, "same") for question in links(one)], seconds=0.2)
        assert [find_signals(project_id=one.project_id) for _ in range(2)] == [1, 1]
    assert WorkerSignal.objects.filter(gone_at=None).count() == 2


def test_a_dismissed_signal_stays_dismissed_when_it_is_found_again(image: Image) -> None:
    make_answers(make_worker(), [(one, "same") for one in links(image)], seconds=0.2)
    find_signals(project_id=image.project_id)
    number = WorkerSignal.objects.get().id
    with pytest.raises(ValueError, match="give the reason"):
        dismiss_signal(signal_id=number, by="ada", note=" ")
    assert dismiss_signal(signal_id=number, by="ada", note="a colleague tried it out", now=NOW)
    assert not dismiss_signal(signal_id=number, by="bob", note="another reason")
    find_signals(project_id=image.project_id)
    signal = WorkerSignal.objects.get()
    assert (signal.dismissed_at, signal.dismissed_by, signal.note) == (NOW, "ada", "a colleague tried it out")


@pytest.mark.both_engines
def test_the_command_says_who_and_why(image: Image, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("signals", "parks")
    assert "No signals" in capsys.readouterr().out
    make_answers(make_worker(name="ada"), [(one, "same") for one in links(image)], seconds=0.2)
    call_command("signals", "parks")
    said = capsys.readouterr().out
    assert said.startswith("ada: far too fast, coreference link. 40 answers took 0.2 s")
    assert "under 1 in 1,000,000 honest workers" in said


def test_no_real_person_of_41_is_shown_for_the_boxes_they_drew(data_folder: Path) -> None:
    """The seconds between two boxes on one picture are fewer than a question takes."""
    seconds: dict[str, list[float]] = {}
    with (data_folder / "crowd-boxes" / "boxes.csv").open() as file:
        for (one_worker, _), rows in groupby(csv.DictReader(file), lambda row: (row["worker"], row["assignment"])):
            times = [float(row["seconds"]) for row in rows]
            seconds.setdefault(one_worker, []).extend(later - earlier for earlier, later in pairwise(times))
    assert len(seconds) == 41
    for most in (30, 10_000):
        found = []
        for one_worker, times in seconds.items():
            timed = [Timed(*one) for one in enumerate(times[:most])]
            found.append(far_too_fast_in_all(int(one_worker), {"box_drawing": timed[1:], "box_quality": timed[:1]}))
        assert confirmed(found, tests=len(seconds)) == []


def stand(worker: Worker, image: Image, task: Task = LINK, **values: Any) -> TrustStatus:
    place = {"worker": worker, "project_id": image.project_id, "task": task.value, "state": "trusted"}
    return TrustStatus.objects.create(**{**place, **values})


def figures(row: TrustStatus) -> WorkerFigures:
    return worker_figures([row])[0]


def test_scores_count_answers_to_known_questions_and_judgments_count_all(image: Image) -> None:
    ada = make_worker(name="ada")
    row = stand(ada, image)
    answer_known(ada, image, right=30, of=40)
    make_answers(ada, [(make_question(image, LINK), "same")])
    estimate_skills(project_id=image.project_id)
    found = figures(row)
    assert (found.scores.overall.right, found.scores.overall.total, found.judgments) == (30, 40, 41)
    assert (found.scores.recent.right, found.scores.recent.total) == (20, 30)
    assert found.skill and (round(found.skill.accuracy, 2), round(found.skill.low, 2)) == (0.75, 0.60)


def test_a_score_below_the_minimum_by_more_than_chance_is_below(image: Image) -> None:
    ada, bob = make_worker(), make_worker()
    answer_known(ada, image, right=14, of=30)
    of_ada, of_bob = figures(stand(ada, image)), figures(stand(bob, image))
    assert below(of_ada.scores.overall, of_ada.rules.minimum, of_ada.rules.rule)
    assert not below(of_bob.scores.overall, of_bob.rules.minimum, of_bob.rules.rule)


def test_answers_from_before_the_score_began_count_no_more(image: Image) -> None:
    ada = make_worker()
    answer_known(ada, image, right=0, of=20, ended_at=NOW)
    answer_known(ada, image, right=10, of=10, ended_at=NOW + timedelta(days=1))
    score = figures(stand(ada, image, score_since=NOW + timedelta(hours=1))).scores.overall
    assert (score.right, score.total) == (10, 10)


def test_judged_boxes_count_in_the_score_of_drawing(image: Image) -> None:
    ada = make_worker()
    edges = {"image": image, "chain": 0, "x0": 0, "y0": 0, "x1": 9, "y1": 9, "drawn_by_id": ada.id, "judged_at": NOW}
    for number, state in enumerate(["accepted"] * 3 + ["discarded"], start=1):
        Box.objects.create(number=number, state=state, **edges)
    score = figures(stand(ada, image, Task.BOX_DRAWING)).scores.overall
    assert (score.right, score.total) == (3, 4)


def test_pay_by_the_hour_counts_the_time_of_the_assignments(image: Image) -> None:
    ada = make_worker()
    answer_known(ada, image, right=2, of=2, earned_cents=15, ended_at=NOW + timedelta(minutes=1))
    pay = figures(stand(ada, image)).pay
    assert pay and pay.by_hour == 900


def test_many_workers_take_as_many_statements_as_one(image: Image) -> None:
    rows, statements = [], []
    for more in (1, 9):
        for _ in range(more):
            worker = make_worker()
            rows.append(stand(worker, image))
            answer_known(worker, image, right=1, of=2)
        with CaptureQueriesContext(connection) as asked:
            worker_figures(rows)
        statements.append(len(asked))
    assert statements[0] == statements[1]
