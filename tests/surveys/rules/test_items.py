"""Items as lines say them, and the fault of a line that says something else."""

from typing import Any

from pipeline.rules.tasks.task import Task
from surveys.rules.items import ItemError, read_item
from tests.support.surveys import ATOM, CHECK, atom, foil


def test_an_item_of_foil_makes_a_correct_caption_and_a_foil() -> None:
    item = read_item(CHECK, foil(3), 7)
    correct, wrong = item.questions
    assert (item.name, item.images) == ("7", ("3.jpg",))
    assert correct == ("7:correct", "3.jpg", {"caption": foil(3)["caption"]}, {"verdict": "correct"})
    assert wrong == ("7:foil", "3.jpg", {"caption": foil(3)["foil"]}, {"verdict": "wrong", "word": 1})


def test_an_atom_makes_one_question_on_the_picture_of_its_first_example() -> None:
    item = read_item(ATOM, atom("dog", images=("a", "b", "a")), 2)
    [question] = item.questions
    assert (question.item, question.image, question.truth) == ("2", "a", None)
    assert item.images == ("a", "b", "a")
    assert question.shown["examples"][1] == {"image": "b", "caption": "dog in b"}


def test_an_item_can_have_a_name_and_an_atom_a_known_answer() -> None:
    assert read_item(CHECK, foil(item="x"), 1).questions[1].item == "x:foil"
    assert read_item(ATOM, atom(visual="no"), 1).questions[0].truth == "no"


def refusal(kind: Task, values: Any) -> str:
    """Return why the values are not an item, or nothing if they are one."""
    try:
        read_item(kind, values, 1)
    except ItemError as error:
        return str(error)
    return ""


def test_a_line_that_is_no_item_of_foil_names_its_field_and_the_remedy() -> None:
    wrong: list[tuple[Any, str]] = [
        ([], "should be an object with named values"),
        ({**foil(), "image": ""}, "image"),
        ({**foil(), "image": "a" * 201}, "image"),
        ({**foil(), "caption": "  "}, "caption: it is empty"),
        ({**foil(), "caption": "a\0b"}, "caption: it holds a character that cannot be stored"),
        ({**foil(), "caption": 5}, "caption=5"),
        ({**foil(), "place": "1"}, "place='1'"),
        ({**foil(), "place": 2}, "place is 2, and caption and foil differ at 1"),
        ({**foil(), "foil": foil()["caption"]}, "differ at nowhere"),
        ({**foil(), "foil": "a dog rides fast past number 0"}, "foil has 7 words, and caption has 6"),
        ({**foil(), "foil": "the dog rides past number 0"}, "differ at 0, 1"),
        ({name: value for name, value in foil().items() if name != "foil"}, "foil is missing"),
        (atom(), "image is missing"),
    ]
    for values, words in wrong:
        said = refusal(CHECK, values)
        assert "A line is an item of FOIL" in said and words in said, values


def test_a_line_that_is_no_atom_names_its_field_and_the_remedy() -> None:
    for values, words in [
        (atom(category="thing"), "category='thing'"),
        (atom(images=("a", "b")), "examples"),
        ({**atom(), "examples": [{"image": "a"}] * 3}, "caption"),
        (atom(visual="maybe"), "visual='maybe'"),
        (foil(), "atom is missing"),
    ]:
        said = refusal(ATOM, values)
        assert "A line is an atom with its category" in said and words in said, values
