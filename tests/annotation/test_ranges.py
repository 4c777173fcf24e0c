"""Parts of files, as RFC 9110 has them."""

from io import BytesIO
from typing import Any

import pytest
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from annotation.ranges import OutOfRange, byte_range, file_response

TEN = b"0123456789"


@pytest.mark.parametrize(
    ("header", "part"),
    [
        ("bytes=0-4", (0, 5)),
        ("bytes=2-2", (2, 3)),
        ("bytes=4-", (4, 10)),
        ("bytes=-3", (7, 10)),
        ("bytes=-30", (0, 10)),
        ("bytes=8-99", (8, 10)),
        (" bytes=0-0 ", (0, 1)),
    ],
)
def test_a_range_is_a_part_of_the_file(header: str, part: tuple[int, int]) -> None:
    assert byte_range(header, 10) == part


@pytest.mark.parametrize(
    "header", ["", "bytes=-", "bytes=5-4", "bytes=0-1,4-5", "lines=0-4", "bytes=a-b", "bytes= 0-4", "bytes=" + "9" * 40]
)
def test_what_is_not_understood_means_the_whole_file(header: str) -> None:
    assert byte_range(header, 10) is None


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=10-20", "bytes=-0"])
def test_what_lies_behind_the_end_is_out_of_range(header: str) -> None:
    with pytest.raises(OutOfRange):
        byte_range(header, 10)


def test_nothing_lies_in_an_empty_file() -> None:
    for header in ("bytes=0-", "bytes=0-0", "bytes=-5"):
        with pytest.raises(OutOfRange):
            byte_range(header, 0)


@given(st.integers(1, 10**12), st.integers(0, 10**12), st.integers(0, 10**12))
def test_a_part_holds_what_was_asked_for_and_ends_within_the_file(size: int, first: int, more: int) -> None:
    try:
        part = byte_range(f"bytes={first}-{first + more}", size)
    except OutOfRange:
        assert first >= size
    else:
        assert part == (first, min(first + more + 1, size))


@given(st.text(st.characters(codec="utf-8"), max_size=30), st.integers(0, 100))
def test_any_header_at_all_gives_a_part_of_the_file_or_all_of_it(text: str, size: int) -> None:
    try:
        part = byte_range(f"bytes={text}", size)
    except OutOfRange:
        return
    assert part is None or 0 <= part[0] < part[1] <= size


def answered(method: str = "get", **headers: str) -> Any:
    request = getattr(RequestFactory(), method)("/", headers=headers)
    return file_response(request, BytesIO(TEN), tag='"a"', content_type="image/jpeg")


def body(answer: Any) -> bytes:
    return b"".join(answer)


def test_without_a_range_the_whole_file_comes_and_says_that_it_has_parts() -> None:
    answer = answered()
    assert (answer.status_code, answer["Content-Length"], answer["Accept-Ranges"]) == (200, "10", "bytes")
    assert (answer["Content-Type"], answer["ETag"]) == ("image/jpeg", '"a"')
    assert body(answer) == TEN


def test_a_part_says_which_it_is() -> None:
    answer = answered(range="bytes=2-4")
    assert (answer.status_code, answer["Content-Length"]) == (206, "3")
    assert answer["Content-Range"] == "bytes 2-4/10"
    assert body(answer) == b"234"


def test_behind_the_end_there_is_only_how_long_the_file_is() -> None:
    answer = answered(range="bytes=10-")
    assert (answer.status_code, answer["Content-Range"], answer.content) == (416, "bytes */10", b"")


def test_a_browser_with_the_beginning_of_this_file_gets_the_rest_and_one_with_another_gets_all() -> None:
    assert body(answered(range="bytes=5-", **{"if-range": '"a"'})) == b"56789"
    for other in ('"b"', 'W/"a"', "Sat, 21 Nov 2026 08:00:00 GMT"):
        assert body(answered(range="bytes=5-", **{"if-range": other})) == TEN


def test_a_browser_that_has_the_file_is_sent_nothing() -> None:
    for held in ('"a"', 'W/"a"', '"b", "a"', "*"):
        answer = answered(**{"if-none-match": held})
        assert (answer.status_code, answer.content) == (304, b"")
    assert answered(**{"if-none-match": '"b"'}).status_code == 200


def test_asked_for_its_head_alone_a_file_says_how_long_it_is() -> None:
    answer = answered("head", range="bytes=2-4")
    assert (answer.status_code, answer["Content-Length"]) == (200, "10")


def test_the_file_is_closed_whatever_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    # An answer that ends would close the database, which these tests may not touch.
    monkeypatch.setattr("django.core.signals.request_finished.send", lambda **_: None)
    for headers in ({}, {"range": "bytes=2-4"}, {"range": "bytes=99-"}, {"if-none-match": '"a"'}):
        file = BytesIO(TEN)
        request = RequestFactory().get("/", headers=headers)
        file_response(request, file, tag='"a"', content_type="image/jpeg").close()
        assert file.closed
