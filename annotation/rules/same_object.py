"""Same object [beyond paper 3]: a key for caches, which need not read a large value anew to find it again."""

from typing import Generic, TypeVar

V = TypeVar("V")


class SameObject(Generic[V]):
    """Equal to other keys of the very same object. A cache that holds the key holds the object, too."""

    __slots__ = ("value",)

    def __init__(self, value: V) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameObject) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)
