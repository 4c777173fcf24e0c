"""The number of images that are still to be annotated follows from what the annotated ones gave."""

from collections import Counter

from pipeline.rules.known.gold_needed import USUAL, images_needed, least, recommended, usable
from pipeline.rules.known.stock_mix import answers
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task

LINK, NEED, DRAW = Task.COREFERENCE_LINK, Task.BOX_REQUIREMENT, Task.BOX_DRAWING
NOTHING = Counter[str]()


def needed(task: Task, wanted: int, found: dict[str, int] | None = None, images: int = 0, **others: int) -> int | None:
    return images_needed(task, wanted, found=Counter(found), images=images, others=Counter(others))


def test_the_usual_numbers_name_every_answer_of_every_task() -> None:
    assert {task: set(of) for task, of in USUAL.items()} == {task: set(answers(task)) for task in PROTOCOL_TASKS}


def test_the_numbers_of_the_default_settings() -> None:
    settings = ProtocolSettings()
    assert (least(settings), recommended(settings)) == (40, 70)


def test_a_stock_of_one_answer_does_not_grow_beyond_thirty() -> None:
    assert usable(LINK, Counter({"same": 100})) == 30
    assert usable(LINK, Counter({"same": 100, "different": 20})) == 50
    assert usable(DRAW, Counter({"none missing": 50, "a box is missing": 14})) == 20
    assert usable(LINK, NOTHING) == 0


def test_nothing_is_needed_when_there_is_enough() -> None:
    assert needed(LINK, 40, {"same": 20, "different": 20}, 5) == 0
    assert needed(LINK, 40, same=20, different=20) == 0


def test_before_the_first_image_the_usual_numbers_count() -> None:
    assert needed(LINK, 40) == 2
    assert needed(DRAW, 40) == 5


def test_images_that_give_little_make_the_number_grow() -> None:
    assert needed(LINK, 40, {"same": 4, "different": 4}, 4) == 4  # about 4.5 of each answer and image
    assert needed(LINK, 40, {"same": 0, "different": 0}, 20) == 20


def test_a_number_beyond_all_measure_is_not_told() -> None:
    assert needed(NEED, 40, {"box": 2_000}, 1_000) is None
