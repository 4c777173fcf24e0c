"""Signals of bad work, found in the answers of a project and kept for the requester."""

import csv
from datetime import timedelta
from itertools import groupby, pairwise
from pathlib import Path
from random import Random

import pytest
from django.core.management import call_command

from annotation.models import Image
from pipeline.models import Question
from pipeline.rules.tasks.task import Task
from reports.find_signals import MOST_LINKED, find_signals
from tests.support.answers import make_answers, make_known, make_question
from tests.support.rows import NOW, make_image, make_project, make_worker
from workers.dismiss_signal import dismiss_signal
from workers.models import TrustChange, TrustStatus, Worker, WorkerSignal
from workers.rules.signals.far_too_fast import Timed, far_too_fast_in_all
from workers.rules.signals.signal import SignalKind, confirmed

pytestmark = pytest.mark.django_db
LINK, DRAWING = Task.COREFERENCE_LINK, Task.BOX_DRAWING
WORDS = ("same", "different")


def links(image: Image, number: int = 40) -> list[Question]:
    return [make_question(image, LINK) for _ in range(number)]


def button(worker: Worker, image: Image, *, seconds: float = 7.0, task: Task = LINK) -> None:
    """40 times "same" where half are known to be different."""
    known = [make_known(image, LINK, WORDS[number % 2]) for number in range(40)]
    make_answers(worker, [(one, "same") for one in known], seconds)


def found(kind: SignalKind) -> WorkerSignal:
    return WorkerSignal.objects.get(kind=kind.value)


def test_who_presses_one_button_is_shown_with_the_answers_that_show_it(image: Image) -> None:
    button(make_worker(), image)
    honest = make_worker()
    made = make_answers(honest, [(make_known(image, LINK, WORDS[n % 2]), WORDS[n % 2]) for n in range(40)])
    assert find_signals(project_id=image.project_id, now=NOW) == 1
    signal = found(SignalKind.ONE_BUTTON)
    assert (signal.task, signal.found_at, signal.gone_at, signal.dismissed_at) == (LINK.value, NOW, None, None)
    assert honest.id not in signal.workers
    assert "“same” is 40 of 40 answers" in signal.words and signal.chance < 1e-6
    assert signal.evidence["tests"] == 2 and signal.evidence["count"] == len(signal.evidence["judgments"]) == 40
    assert not {one.id for one in made} & set(signal.evidence["judgments"])


def test_of_many_judgments_the_newest_are_named_and_all_are_counted(image: Image) -> None:
    worker = make_worker()
    made = make_answers(worker, [(one, "same") for one in links(image, MOST_LINKED + 50)], seconds=0.2)
    find_signals(project_id=image.project_id)
    evidence = found(SignalKind.FAR_TOO_FAST).evidence
    assert evidence["judgments"] == [one.id for one in made][-MOST_LINKED:]
    assert evidence["count"] == MOST_LINKED + 50


def test_answers_that_are_far_too_fast_are_shown_but_never_those_of_a_program(image: Image) -> None:
    questions = links(image)
    for kind in (Worker.Kind.PERSON, Worker.Kind.PROGRAM):
        make_answers(make_worker(kind=kind), [(one, WORDS[n % 2]) for n, one in enumerate(questions)], seconds=0.2)
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
def test_an_assignment_that_is_back_before_anybody_could_look_was_fast_whatever_its_sender_says(
    image: Image, said: float | None
) -> None:
    worker = make_worker()
    questions = links(image, 40)
    for first in range(0, 40, 10):
        answers = [(one, WORDS[n % 2]) for n, one in enumerate(questions[first : first + 10])]
        make_answers(worker, answers, said, ended_at=NOW + timedelta(seconds=5))  # type: ignore[arg-type]
    assert find_signals(project_id=image.project_id) == 1
    assert "40 answers took 0.5 s in the middle" in found(SignalKind.FAR_TOO_FAST).words


def test_answers_without_seconds_and_those_of_a_test_say_nothing(image: Image) -> None:
    answers = [(one, WORDS[n % 2]) for n, one in enumerate(links(image))]
    make_answers(make_worker(), answers, seconds=None)  # type: ignore[arg-type]
    make_answers(make_worker(), answers, seconds=0.2, kind="test")
    assert find_signals(project_id=image.project_id) == 0


def test_copied_boxes_are_shown(image: Image) -> None:
    worker = make_worker()
    images = [make_image(image.project) for _ in range(30)]
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


def test_two_who_share_their_errors_over_several_tasks_are_one_signal_of_no_task(image: Image) -> None:
    quality = Task.BOX_QUALITY
    known = [
        *(make_known(image, LINK, "same") for _ in range(60)),
        *(make_known(image, quality, "bad") for _ in range(60)),
    ]
    everyone = [make_worker() for _ in range(12)]
    for number, worker in enumerate(everyone):
        # The last two err on every tenth, together; the others each on one of their own.
        wrong = set(range(0, 120, 10)) if number > 9 else {number + 1, number + 71}
        for task, right, other in ((LINK, "same", "different"), (quality, "bad", "good")):
            answers = [(one, other if place in wrong else right) for place, one in enumerate(known) if one.task == task]
            times = {"created_at": NOW + timedelta(hours=number), "ended_at": NOW + timedelta(hours=number, minutes=1)}
            make_answers(worker, answers, **times)  # type: ignore[arg-type]
    find_signals(project_id=image.project_id)
    signal = found(SignalKind.TWO_ACCOUNTS)
    assert (signal.task, signal.workers) == ("", [one.id for one in everyone[-2:]])
    assert signal.words.startswith("12 equal wrong answers on 120 questions")
    assert signal.evidence["tests"] == 66


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
    other = make_image(make_project("other"))
    for one in (image, other):
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


def test_a_signal_bars_nobody(image: Image) -> None:
    button(make_worker(), image, seconds=0.2)
    assert find_signals(project_id=image.project_id) == 2
    assert not TrustStatus.objects.exists() and not TrustChange.objects.exists()


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
        for (worker, _), rows in groupby(csv.DictReader(file), lambda row: (row["worker"], row["assignment"])):
            times = [float(row["seconds"]) for row in rows]
            seconds.setdefault(worker, []).extend(later - earlier for earlier, later in pairwise(times))
    assert len(seconds) == 41
    for most in (30, 10_000):
        found = []
        for worker, times in seconds.items():
            timed = [Timed(*one) for one in enumerate(times[:most])]
            found.append(far_too_fast_in_all(int(worker), {"box_drawing": timed[1:], "box_quality": timed[:1]}))
        assert confirmed(found, tests=len(seconds)) == []
