"""Pickles are read without running anything in them, and no pickle takes much more than its own size."""

import pickle
import struct
import tracemalloc
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from exchange.problems import Defect
from exchange.regions.plain_pickle import read_pickle

KEYS = some.text() | some.integers(-(2**63), 2**63 - 1)
ATOMS = some.none() | some.booleans() | KEYS | some.floats(allow_nan=False)
VALUES = some.recursive(ATOMS, lambda one: some.lists(one) | some.dictionaries(KEYS, one), max_leaves=20)


@pytest.mark.slow
@given(VALUES, some.sampled_from(range(6)))
def test_what_python_wrote_is_read_as_it_was(value: Any, protocol: int) -> None:
    assert read_pickle(pickle.dumps(value, protocol)) == value


@pytest.mark.parametrize("protocol", range(6))
def test_tuples_become_lists_and_what_is_there_twice_stays_one(protocol: int) -> None:
    one = ["x"]
    read = read_pickle(pickle.dumps([(1, 2, (3, 4, 5, 6), ()), one, one], protocol))
    assert read == [[1, 2, [3, 4, 5, 6], []], ["x"], ["x"]]
    assert read[1] is read[2]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"S'guy on left'\n.", "guy on left"),
        (b"S'caf\\xc3\\xa9'\np0\n.", "café"),
        (b'S"caf\\xe9"\n.', "café"),
        (b"U\x04caf\xe9.", "café"),
        (b"T\x05\x00\x00\x00caf\xc3\xa9.", "café"),
        (b"Vcaf\\u00e9\n.", "café"),
        (b"C\x03abc.", "abc"),
        (b"\x8e\x03\x00\x00\x00\x00\x00\x00\x00abc.", "abc"),
    ],
)
def test_texts_of_python_2_and_bytes_are_texts_in_utf_8_or_latin_1(data: bytes, text: str) -> None:
    assert read_pickle(data) == text


@pytest.mark.parametrize(("data", "number"), [(b"I5\n.", 5), (b"I01\n.", True), (b"I00\n.", False), (b"L-7L\n.", -7)])
def test_numbers_of_python_2_are_numbers(data: bytes, number: int) -> None:
    assert read_pickle(data) is number or read_pickle(data) == number


CALLED: list[str] = []


class Calls:
    """An object whose pickle calls a function when it is loaded."""

    def __reduce__(self) -> tuple[Any, ...]:
        return CALLED.append, ("called",)


EIGHT = struct.pack("<Q", 2**62)
HOSTILE: dict[str, tuple[bytes, str]] = {
    "a call, as text": (b"cos\nsystem\n(S'id'\ntR.", "wants os.system by GLOBAL"),
    "a call by protocol 4": (pickle.dumps(Calls(), 4), "wants builtins.getattr by STACK_GLOBAL"),
    "a call by protocol 2": (pickle.dumps(Calls(), 2), "wants __builtin__.getattr by GLOBAL"),
    "an old instance": (b"(S'id'\nios\nsystem\n.", "wants os.system by INST"),
    "an object": (b"(cos\nsystem\no.", "wants os.system by GLOBAL"),
    "an object without a class": (b"(]o.", "asks for OBJ"),
    "a call of a list": (b"](tR.", "asks for REDUCE"),
    "a state": (b"]}b.", "asks for BUILD"),
    "a new object": (b"])\x81.", "asks for NEWOBJ"),
    "a registered class": (b"\x82\x01.", "asks for EXT1"),
    "a persistent thing": (b"Pthing\n.", "asks for PERSID"),
    "a persistent thing by a value": (b"]Q.", "asks for BINPERSID"),
    "a date": (pickle.dumps(date(2020, 1, 1), 4), "wants datetime.date by STACK_GLOBAL"),
    "a set": (pickle.dumps({1}, 4), "asks for EMPTY_SET"),
    "changeable bytes": (pickle.dumps(bytearray(b"x"), 5), "asks for BYTEARRAY8"),
    "a buffer": (b"\x97.", "asks for NEXT_BUFFER"),
    "no pickle": (b"\xff\xd8\xff\xe0", "0xff is no operation of a pickle"),
    "JSON": (b'{"refs": []}', "is no operation of a pickle"),
    "nothing": (b"", "the file ends within the pickle"),
    "a protocol to come": (b"\x80\x09N.", "the pickle has protocol 9: 0 to 5 are read"),
    "four exabytes of bytes": (b"\x8e" + EIGHT + b"x.", "bytes are announced, and the file ends before"),
    "four exabytes of text": (b"\x8d" + EIGHT + b"x.", "bytes are announced, and the file ends before"),
    "a text cut off": (b"X\x09\x00\x00\x00abc", "9 bytes are announced, and the file ends before"),
    "a line cut off": (b"S'abc", "the file ends within a line"),
    "cut off behind a value": (b"]", "the file ends within the pickle"),
    "a text without quotes": (b"Sabc\n.", "a text has no quotes around it"),
    "no value to end with": (b".", "takes a value where there is none"),
    "no mark": (b"t.", "is no whole pickle"),
    "a value from below the mark": (b"](a.", "takes a value where there is none"),
    "a value that was not kept": (b"h\x05.", "is no whole pickle (KeyError)"),
    "values kept and none made": (b"q\x00.", "is no whole pickle (IndexError)"),
    "one value kept in all places": (b"N" + b"\x94" * 99, "keeps more values than it makes"),
    "an item for a text": (b"U\x01aNa.", "adds to something that is no list"),
    "a key without a value": (b"(Nd.", "a dict has a key without a value"),
    "a key that is a list": (b"}]Ns.", "a dict has a key that is neither a text nor a number"),
    "a number of a million digits": (b"L" + b"9" * 1_000_000 + b"L\n.", "a whole number has 1,000,001 characters"),
    "a number of a million bytes": (b"\x8b\x40\x42\x0f\x00" + b"9" * 1_000_000 + b".", "has 1,000,000 bytes"),
    "no number": (b"Ix\n.", "is no whole pickle (ValueError)"),
    "ten thousand marks": (b"(" * 10_000 + b".", "nested more than 1,000 deep"),
    "half a character": (b"X\x01\x00\x00\x00\xff.", "is no whole pickle (UnicodeDecodeError)"),
}


@pytest.mark.parametrize(("data", "told"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_pickle_is_refused_with_the_place_and_runs_nothing(data: bytes, told: str) -> None:
    with pytest.raises(Defect, match=r"^byte [0-9,]+: ") as refused:
        read_pickle(data)
    assert told in refused.value.message
    assert len(refused.value.message) < 300
    assert not CALLED


def test_every_beginning_of_a_pickle_is_refused() -> None:
    for protocol in range(6):
        whole = pickle.dumps([{"sent": "guy", "sent_id": 70_000, "n": 1.5, "tokens": ["guy"]}], protocol)
        for size in range(len(whole)):
            with pytest.raises(Defect):
                read_pickle(whole[:size])


def test_a_billion_laughs_are_as_small_as_their_file() -> None:
    """Each list holds the one before twice: written out, the last would have 2 ** 500 values."""
    data = b"]" + b"q\x000]h\x00h\x00\x86a" * 500 + b"."
    tracemalloc.start()
    try:
        read_pickle(data)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_a_pickle_of_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exchange.regions.plain_pickle.PICKLE_VALUES", 100)
    for many in (b"]" * 101, b"N" + b"2" * 100, b"N\x94" + b"h\x00" * 100):
        with pytest.raises(Defect, match="has more than 100 values"):
            read_pickle(many + b".")
    assert read_pickle(b"N" * 100 + b".") is None
