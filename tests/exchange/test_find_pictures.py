"""Pictures are found by name wherever they lie, and no picture is taken for another one."""

from typing import Any, BinaryIO

import pytest

from exchange.find_pictures import FoundPictures
from exchange.picture_files import Pictures
from exchange.problems import Defect, SourceError


class Named(Pictures):
    """Pictures of which only the names are there."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def __iter__(self) -> Any:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def head(self, name: str) -> BinaryIO:
        raise NotImplementedError

    open = head


def found(paths: list[str], *there: str, **options: Any) -> list[str]:
    """Return the picture of each path, or what is wrong with it."""
    pictures = FoundPictures(Named(*there), paths, **options)
    told = []
    for path in paths:
        try:
            told.append(pictures.of(path))
        except Defect as defect:
            told.append(defect.message)
    return told


def test_each_layout_gives_each_path_its_own_picture() -> None:
    several = "the picture a.jpg is there several times: "
    table: list[tuple[list[str], list[str], list[str]]] = [
        (["a.jpg"], ["images/a.jpg", "a.jpg"], ["images/a.jpg"]),
        (["a.jpg"], ["val2017/a.jpg"], ["val2017/a.jpg"]),
        (["a.jpg", "b.jpg"], ["train2017/a.jpg", "val2017/b.jpg"], ["train2017/a.jpg", "val2017/b.jpg"]),
        (["val2017/a.jpg"], ["a.jpg"], ["a.jpg"]),
        (["a.jpg"], ["x/A.JPG"], ["x/A.JPG"]),
        (["at 9.41 AM.png"], ["x/at 9.41\u202fam.png"], ["x/at 9.41\u202fam.png"]),
        (["A.jpg", "a.jpg"], ["x/a.jpg", "x/A.jpg"], ["x/A.jpg", "x/a.jpg"]),
        (["A.jpg", "a.jpg"], ["x/a.jpg"], ["the picture A.jpg is missing", "x/a.jpg"]),
        (["a.jpg"], ["one/a.jpg", "two/a.jpg"], [f"{several}one/a.jpg, two/a.jpg"]),
        (["a.jpg", "b.jpg"], ["one/a.jpg", "two/a.jpg", "two/b.jpg"], ["two/a.jpg", "two/b.jpg"]),
        (["cam1/a.jpg", "cam2/a.jpg"], ["a.jpg"], [f"the picture cam{n}/a.jpg is missing" for n in (1, 2)]),
        (["a.jpg", "cam1/a.jpg"], ["x/cam1/a.jpg"], ["the picture a.jpg is missing", "x/cam1/a.jpg"]),
        (["set/cam1/a.jpg", "set/cam2/a.jpg"], ["p/cam1/a.jpg", "p/cam2/a.jpg"], ["p/cam1/a.jpg", "p/cam2/a.jpg"]),
        (["caf\u00e9.jpg"], ["x/cafe\u0301.jpg"], ["x/cafe\u0301.jpg"]),
        (["a.jpg"], ["a.png"], ["the picture a.jpg is missing"]),
    ]
    assert [found(paths, *there) for paths, there, _ in table] == [expected for *_, expected in table]


def test_paths_without_endings_take_a_picture_of_any_ending() -> None:
    folders = {"folders": ("images",), "endings": False}
    assert found(["1.jpg", "2.jpg"], "flickr30k_images/1.png", "flickr30k_images/2.JPG", **folders) == [
        "flickr30k_images/1.png",
        "flickr30k_images/2.JPG",
    ]
    assert found(["1.jpg"], "x/1.png", "x/1.jpg", **folders) == [
        "the picture 1.jpg is there several times: x/1.jpg, x/1.png"
    ]


def test_pictures_of_which_none_is_named_are_an_error_that_says_what_is_where() -> None:
    with pytest.raises(SourceError) as raised:
        FoundPictures(Named("pics/b.jpg", "pics/c.jpg"), ["a.jpg"]).check("captions.json")
    assert str(raised.value) == (
        "captions.json: names 1 picture (a.jpg), and the source has 2 pictures (pics/b.jpg, pics/c.jpg), but no two "
        "names agree: nothing was imported"
    )
    FoundPictures(Named(), ["a.jpg"]).check("captions.json")  # a source may have no pictures at all
