"""Program number: as a text of digits, as JSON needs for a name."""

from pydantic import TypeAdapter, ValidationError

from pipeline.rules.jurors.program_number import ProgramNumber

NUMBERS = TypeAdapter(ProgramNumber)


def is_number(text: object) -> bool:
    try:
        return NUMBERS.validate_python(text) == text
    except ValidationError as error:
        assert "should be the number of a program" in str(error)
        return False


def test_it_has_1_to_18_digits_and_begins_with_none_that_is_0():
    right = ["1", "10", "9" * 18]
    wrong = ["", "0", "07", "-1", "1.0", "1e3", " 1", "1\n", "٣", "²", "boxer", "person", "1" * 19, 7]
    assert [one for one in [*right, *wrong] if is_number(one)] == right
