from collections import Counter
from dataclasses import replace

import pytest

from annotation.rules.box import Box, iou
from annotation.rules.states import BoxState, ChainState
from pipeline.rules.progress.mention_progress import MentionProgress
from pipeline.rules.progress.progress import BoxProgress, ChainProgress, ImageProgress
from pipeline.rules.tasks.answers import fault_in
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from simulation.box_crowd import QUALITY, BoxCrowd, PerfectBoxes
from simulation.view import GoldImage, View

WIDTH, HEIGHT = 400, 300
LEFT, RIGHT = Box(20, 30, 120, 230), Box(220, 30, 340, 260)
BOX_TASKS = [task for task in PROTOCOL_TASKS if task is not Task.COREFERENCE_LINK]


def view(
    task: Task,
    number: int = 0,
    *,
    gold: list[Box],
    accepted: list[Box] | None = None,
    drawn: Box | None = None,
    scene: bool = False,
    key: str = "1",
) -> View:
    """A question about chain 0, which has these boxes, and whose gold chain has those of `gold`."""
    mentions = {
        0: MentionProgress(0, 0, 0, 2, ["people"], "a man"),
        1: MentionProgress(1, 1, 0, 2, ["people"], "a boy"),
    }
    progress = ImageProgress(mentions=mentions)
    progress.chains[0] = ChainProgress(0, [0], ChainState.DRAWING, 0)
    boxes = [(box, BoxState.ACCEPTED) for box in accepted or []] + ([(drawn, BoxState.PENDING)] if drawn else [])
    for at, (box, state) in enumerate(boxes):
        progress.boxes[at] = BoxProgress(at, 0, box, state, 1, at, at)
    chains = [
        {"name": "man", "mentions": [0], "scene": scene, "boxes": [list(box) for box in gold]},
        {"name": "boy", "mentions": [1], "scene": False, "boxes": []},
    ]
    subject = [0, len(boxes) - 1] if task is Task.BOX_QUALITY else [0]
    return View(task, number, subject, progress, GoldImage.make(key, WIDTH, HEIGHT, chains))


PERFECT = [
    (view(Task.BOX_REQUIREMENT, gold=[LEFT]), 1),
    (view(Task.BOX_REQUIREMENT, gold=[], scene=True), 2),
    (view(Task.BOX_REQUIREMENT, gold=[]), 3),
    (view(Task.BOX_DRAWING, gold=[LEFT, RIGHT]), {"box": list(LEFT)}),
    (view(Task.BOX_DRAWING, gold=[LEFT, RIGHT], accepted=[LEFT]), {"box": list(RIGHT)}),
    (view(Task.BOX_DRAWING, gold=[LEFT, RIGHT], accepted=[RIGHT, LEFT]), {"none_missing": True}),
    (view(Task.BOX_DRAWING, gold=[]), {"none_missing": True}),
    (view(Task.BOX_QUALITY, gold=[LEFT, RIGHT], drawn=RIGHT), "good"),
    (view(Task.BOX_QUALITY, gold=[LEFT, RIGHT], drawn=Box(100, 30, 240, 250)), "bad"),
    (view(Task.BOX_QUALITY, gold=[LEFT, RIGHT], accepted=[LEFT], drawn=LEFT), "bad"),
    (view(Task.BOX_COVERAGE, gold=[LEFT, RIGHT], accepted=[LEFT]), "more needed"),
    (view(Task.BOX_COVERAGE, gold=[LEFT, RIGHT], accepted=[LEFT, RIGHT]), "all there"),
    (view(Task.CHAIN_VERIFICATION, gold=[LEFT]), "true"),
]


@pytest.mark.parametrize(("question", "right"), PERFECT)
def test_the_perfect_crowd_says_what_gold_says(question: View, right: object) -> None:
    assert PerfectBoxes().answer(question, 3) == right


def test_a_chain_of_two_gold_chains_is_false() -> None:
    question = view(Task.CHAIN_VERIFICATION, gold=[LEFT])
    question.progress.chains[0].mentions = [0, 1]
    assert PerfectBoxes().answer(question, 3) == "false"


def test_coreference_links_are_for_another_crowd() -> None:
    with pytest.raises(ValueError, match="coreference"):
        PerfectBoxes().answer(view(Task.COREFERENCE_LINK, gold=[LEFT]), 0)


def questions(task: Task, count: int) -> list[View]:
    shown: dict[str, list[Box] | Box] = {"drawn": RIGHT} if task is Task.BOX_QUALITY else {"accepted": [LEFT]}
    each = [view(task, gold=[LEFT, RIGHT], key=str(key), **shown) for key in range(50)]  # type: ignore[arg-type]
    return [replace(each[n % 50], number=n) for n in range(count)]


@pytest.mark.parametrize("task", [task for task in BOX_TASKS if task is not Task.BOX_DRAWING])
def test_workers_are_right_as_often_as_in_table_3(task: Task) -> None:
    crowd, perfect = BoxCrowd(1), PerfectBoxes()
    asked = [(question, n % 150) for n, question in enumerate(questions(task, 3000))]
    right = sum(crowd.answer(question, worker) == perfect.answer(question, worker) for question, worker in asked)
    assert right / len(asked) == pytest.approx(QUALITY[task], abs=0.02)


def test_drawings_are_tight_as_often_as_in_table_3_and_else_go_wrong_in_three_ways() -> None:
    crowd = BoxCrowd(1)
    kinds: Counter[str] = Counter()
    for n, question in enumerate(questions(Task.BOX_DRAWING, 3000)):
        answer = crowd.answer(question, n % 150)
        assert isinstance(answer, dict)
        drawn = Box(*answer["box"])
        half = Box(RIGHT.x0, RIGHT.y0, (RIGHT.x0 + RIGHT.x1) // 2, RIGHT.y1)
        kinds[
            "half" if drawn == half else "duplicate" if drawn == LEFT else "tight" if iou(drawn, RIGHT) > 0.6 else "off"
        ] += 1
    assert kinds["tight"] / 3000 == pytest.approx(QUALITY[Task.BOX_DRAWING], abs=0.02)
    for kind in ("half", "duplicate", "off"):
        assert kinds[kind] / 3000 == pytest.approx((1 - QUALITY[Task.BOX_DRAWING]) / 3, abs=0.015)


def test_workers_differ_from_one_another() -> None:
    crowd, perfect = BoxCrowd(1), PerfectBoxes()
    shares = []
    for worker in range(30):
        asked = questions(Task.BOX_COVERAGE, 400)
        shares.append(sum(crowd.answer(q, worker) == perfect.answer(q, worker) for q in asked) / 400)
    assert max(shares) - min(shares) > 0.08


@pytest.mark.parametrize("task", BOX_TASKS)
def test_every_answer_is_one_that_the_service_takes(task: Task) -> None:
    crowd = BoxCrowd(2)
    sizes: Counter[str] = Counter()
    small = [
        Box(0, 0, 1, 1),
        Box(WIDTH - 1, HEIGHT - 1, WIDTH, HEIGHT),
        Box(0, 0, WIDTH, HEIGHT),
        Box(0, 299, 400, 300),
    ]
    for n in range(400):
        gold = small[n % 4 : n % 4 + 1] if n % 5 else []
        question = view(task, n, gold=gold, accepted=small[2:3] if n % 3 == 0 else [], drawn=small[n % 4])
        given = crowd.answer(question, n % 20)
        assert fault_in(task, given, WIDTH, HEIGHT) is None
        sizes[str(type(given))] += 1
    assert sum(sizes.values()) == 400


def test_an_answer_depends_on_the_seed_the_question_and_the_worker_and_on_nothing_else() -> None:
    asked = questions(Task.BOX_DRAWING, 40)
    first = [BoxCrowd(5).answer(question, 3) for question in asked]
    crowd = BoxCrowd(5)
    assert [crowd.answer(question, 3) for question in reversed(asked)][::-1] == first
    assert [BoxCrowd(6).answer(question, 3) for question in asked] != first
    assert [BoxCrowd(5).answer(question, 4) for question in asked] != first
    assert [BoxCrowd(5).answer(replace(question, number=question.number + 100), 3) for question in asked] != first
