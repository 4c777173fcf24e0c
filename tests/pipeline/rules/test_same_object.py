"""Keys of caches by which object it is."""

from pipeline.rules.same_object import SameObject


def test_one_object_has_equal_keys_and_an_equal_one_has_another() -> None:
    value: dict[str, int] = {}
    assert SameObject(value) == SameObject(value) and hash(SameObject(value)) == hash(SameObject(value))
    assert SameObject(value) != SameObject(dict(value))
    assert SameObject(value) != value
