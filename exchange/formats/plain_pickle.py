"""A reader of Python's pickles that makes nothing but lists, dicts, numbers, texts, None, true and false.

The file is run as bytes by a machine of our own: no class is found, no object is made or called, whatever it asks for.
"""

import codecs
import pickle
import pickletools
from collections.abc import Callable, Iterable
from struct import Struct
from typing import Any

from annotation.bounds import PICKLE_GROWTH, PICKLE_VALUES
from exchange.checks import Defect

PROTOCOLS = range(6)
_LONGEST_NUMBER = 20
"""Digits of a whole number as text: 64 bits are enough for any id."""
_MOST_BYTES = 9
"""Bytes of a whole number of 64 bits, the sign included."""
_DEEPEST = 1_000
_NAMES = {found.code.encode("latin-1")[0]: found.name for found in pickletools.opcodes}
_U1, _U2, _U4, _U8, _I4, _F8 = map(Struct, ("<B", "<H", "<I", "<Q", "<i", ">d"))


def read_pickle(data: bytes) -> Any:
    """Return the value of a pickle of any protocol from 0 to 5. Tuples become lists, bytes become texts.

    Raises Defect, with the place, for a pickle that wants anything else, names a class or a function, is cut off, has
    more values than `PICKLE_VALUES`, or would be many times as large if nothing in it were shared.
    """
    machine = _Machine(data)
    try:
        value = machine.run()
        _check_shared(value, PICKLE_GROWTH * len(data))
        return value
    except Defect as defect:
        raise Defect(f"byte {machine.began:,}: {defect.message}") from defect
    except (IndexError, KeyError, ValueError, OverflowError) as error:
        raise Defect(f"byte {machine.began:,}: is no whole pickle ({type(error).__name__})") from error


class _Machine:
    """The stack and the memo of a pickle that is being read."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.began = data, 0, 0
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        self.made = 0

    def run(self) -> Any:
        while True:
            self.began = self.at
            code = self.data[self.at : self.at + 1]
            if not code:
                raise Defect("the file ends within the pickle")
            self.at += 1
            if code == pickle.STOP:
                return self.pop()
            if (act := ACTS.get(code[0])) is None:
                raise Defect(self._refusal(code[0]))
            act(self)

    def _refusal(self, code: int) -> str:
        name = _NAMES.get(code, "")
        if not name:
            return f"0x{code:02x} is no operation of a pickle"
        wanted = ""
        if name in ("GLOBAL", "INST"):
            wanted = ".".join(self.line().decode("utf-8", "replace")[:100] for _ in range(2))
        elif name == "STACK_GLOBAL":
            wanted = ".".join(str(text)[:100] for text in self.stack[-2:] if isinstance(text, str))
        wants = f"wants {wanted} by {name}" if wanted else f"asks for {name}"
        return f"the pickle {wants}, and only lists, dicts, numbers and texts are read: write the rows as JSON"

    def take(self, count: int) -> bytes:
        """Return the next bytes. Raises Defect if there are fewer."""
        end = self.at + count
        if end > len(self.data):
            raise Defect(f"{count:,} bytes are announced, and the file ends before")
        taken, self.at = self.data[self.at : end], end
        return taken

    def number(self, form: Struct) -> Any:
        return form.unpack(self.take(form.size))[0]

    def line(self) -> bytes:
        end = self.data.find(b"\n", self.at)
        if end < 0:
            raise Defect("the file ends within a line")
        taken, self.at = self.data[self.at : end], end + 1
        return taken

    def push(self, value: Any) -> None:
        self.made += 1
        if self.made > PICKLE_VALUES:
            raise Defect(f"the pickle has more than {PICKLE_VALUES:,} values")
        self.stack.append(value)

    def pop(self) -> Any:
        if len(self.stack) <= (self.marks[-1] if self.marks else 0):
            raise Defect("the pickle takes a value where there is none")
        return self.stack.pop()

    def top(self, kind: type) -> Any:
        """Return the value on top of the stack, which must be a list or a dict."""
        if not self.stack or type(self.stack[-1]) is not kind:
            raise Defect(f"the pickle adds to something that is no {kind.__name__}")
        return self.stack[-1]

    def since_mark(self) -> list[Any]:
        """Take the values since the last mark off the stack."""
        start = self.marks.pop()
        taken = self.stack[start:]
        del self.stack[start:]
        return taken


def _check_shared(value: Any, most: int) -> None:
    """Raise Defect if the value has more than `most` values and characters, what is shared counted wherever it is used.

    Readers go through all of it: a list of a thousand times one list of a thousand texts has a million of them.
    """
    sizes: dict[int, int] = {}
    way = [(value, iter(_inside(value)))]
    on_way = {id(value)}
    while way:
        one, rest = way[-1]
        inner = next((part for part in rest if part and isinstance(part, list | dict) and id(part) not in sizes), None)
        if inner is not None:
            if id(inner) in on_way:
                raise Defect("a list or dict of the pickle is within itself")
            if len(way) > _DEEPEST:
                raise Defect(f"the pickle is nested more than {_DEEPEST:,} deep")
            way.append((inner, iter(_inside(inner))))
            on_way.add(id(inner))
            continue
        size = sum(sizes.get(id(part), 1) + (len(part) if isinstance(part, str) else 0) for part in _inside(one))
        sizes[id(one)] = 1 + size + (len(one) if isinstance(one, dict) else 0)
        if sizes[id(one)] > most:
            raise Defect(f"the pickle is more than {PICKLE_GROWTH} times as large with all that is shared in it")
        way.pop()
        on_way.remove(id(one))


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _whole(text: bytes) -> int:
    if len(text) > _LONGEST_NUMBER + 1:
        raise Defect(f"a whole number has {len(text):,} characters")
    number = int(text.removesuffix(b"L"))
    if number.bit_length() > 64:
        raise Defect("a whole number has more than 64 bits")
    return number


def _int(machine: _Machine) -> None:
    text = machine.line()
    machine.push(text == b"01" if text in (b"00", b"01") else _whole(text))


def _long(machine: _Machine, form: Struct) -> None:
    size = machine.number(form)
    if size > _MOST_BYTES:
        raise Defect(f"a whole number has {size:,} bytes")
    machine.push(int.from_bytes(machine.take(size), "little", signed=True))


def _bytes(machine: _Machine, form: Struct) -> None:
    """Push bytes, of which Python 2 made its texts, as a text: UTF-8, otherwise Latin-1."""
    machine.push(_decoded(machine.take(machine.number(form))))


def _string(machine: _Machine) -> None:
    text = machine.line().strip()
    if len(text) < 2 or text[:1] not in (b"'", b'"') or text[-1:] != text[:1]:
        raise Defect("a text has no quotes around it")
    machine.push(_decoded(codecs.escape_decode(text[1:-1])[0]))


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _text(machine: _Machine, form: Struct) -> None:
    # Halves of characters are let in here, so that only the image whose text has one is left out.
    machine.push(machine.take(machine.number(form)).decode("utf-8", "surrogatepass"))


def _set_items(target: dict[Any, Any], items: list[Any]) -> dict[Any, Any]:
    if len(items) % 2:
        raise Defect("a dict has a key without a value")
    for key, value in zip(items[::2], items[1::2], strict=True):
        if not isinstance(key, str | int | float):  # the hash of nested tuples may take forever
            raise Defect("a dict has a key that is neither a text nor a number")
        target[key] = value
    return target


def _pop(machine: _Machine) -> None:
    if machine.marks and machine.marks[-1] == len(machine.stack):
        machine.marks.pop()
    else:
        machine.pop()


def _append(machine: _Machine) -> None:
    value = machine.pop()
    machine.top(list).append(value)


def _append_all(machine: _Machine) -> None:
    values = machine.since_mark()
    machine.top(list).extend(values)


def _set_item(machine: _Machine) -> None:
    value, key = machine.pop(), machine.pop()
    _set_items(machine.top(dict), [key, value])


def _set_all(machine: _Machine) -> None:
    items = machine.since_mark()
    _set_items(machine.top(dict), items)


def _some(count: int) -> Callable[[_Machine], None]:
    """Return the act that makes a list of this number of values."""
    return lambda machine: machine.push([machine.pop() for _ in range(count)][::-1])


def _mark(machine: _Machine) -> None:
    machine.marks.append(len(machine.stack))
    if len(machine.marks) > _DEEPEST:
        raise Defect(f"the pickle is nested more than {_DEEPEST:,} deep")


def _keep(machine: _Machine, number: int) -> None:
    machine.memo[number] = machine.stack[-1]
    if len(machine.memo) > machine.made:
        raise Defect("the pickle keeps more values than it makes")


def _protocol(machine: _Machine) -> None:
    if (protocol := machine.number(_U1)) not in PROTOCOLS:
        raise Defect(f"the pickle has protocol {protocol}: 0 to {PROTOCOLS[-1]} are read")


ACTS: dict[int, Callable[[_Machine], object]] = {
    code[0]: act
    for code, act in {
        pickle.PROTO: _protocol,
        pickle.FRAME: lambda one: one.take(8),
        pickle.MARK: _mark,
        pickle.POP: _pop,
        pickle.POP_MARK: lambda one: one.since_mark(),
        pickle.DUP: lambda one: one.push(one.stack[-1]),
        pickle.NONE: lambda one: one.push(None),
        pickle.NEWTRUE: lambda one: one.push(True),
        pickle.NEWFALSE: lambda one: one.push(False),
        pickle.INT: _int,
        pickle.LONG: lambda one: one.push(_whole(one.line())),
        pickle.BININT: lambda one: one.push(one.number(_I4)),
        pickle.BININT1: lambda one: one.push(one.number(_U1)),
        pickle.BININT2: lambda one: one.push(one.number(_U2)),
        pickle.LONG1: lambda one: _long(one, _U1),
        pickle.LONG4: lambda one: _long(one, _U4),
        pickle.FLOAT: lambda one: one.push(float(one.line())),
        pickle.BINFLOAT: lambda one: one.push(one.number(_F8)),
        pickle.STRING: _string,
        pickle.BINSTRING: lambda one: _bytes(one, _U4),
        pickle.SHORT_BINSTRING: lambda one: _bytes(one, _U1),
        pickle.BINBYTES: lambda one: _bytes(one, _U4),
        pickle.SHORT_BINBYTES: lambda one: _bytes(one, _U1),
        pickle.BINBYTES8: lambda one: _bytes(one, _U8),
        pickle.UNICODE: lambda one: one.push(one.line().decode("raw-unicode-escape")),
        pickle.BINUNICODE: lambda one: _text(one, _U4),
        pickle.SHORT_BINUNICODE: lambda one: _text(one, _U1),
        pickle.BINUNICODE8: lambda one: _text(one, _U8),
        pickle.EMPTY_LIST: lambda one: one.push([]),
        pickle.LIST: lambda one: one.push(one.since_mark()),
        pickle.EMPTY_TUPLE: lambda one: one.push([]),
        pickle.TUPLE: lambda one: one.push(one.since_mark()),
        pickle.TUPLE1: _some(1),
        pickle.TUPLE2: _some(2),
        pickle.TUPLE3: _some(3),
        pickle.APPEND: _append,
        pickle.APPENDS: _append_all,
        pickle.EMPTY_DICT: lambda one: one.push({}),
        pickle.DICT: lambda one: one.push(_set_items({}, one.since_mark())),
        pickle.SETITEM: _set_item,
        pickle.SETITEMS: _set_all,
        pickle.PUT: lambda one: _keep(one, _whole(one.line())),
        pickle.BINPUT: lambda one: _keep(one, one.number(_U1)),
        pickle.LONG_BINPUT: lambda one: _keep(one, one.number(_U4)),
        pickle.MEMOIZE: lambda one: _keep(one, len(one.memo)),
        pickle.GET: lambda one: one.push(one.memo[_whole(one.line())]),
        pickle.BINGET: lambda one: one.push(one.memo[one.number(_U1)]),
        pickle.LONG_BINGET: lambda one: one.push(one.memo[one.number(_U4)]),
    }.items()
}
"""The act of each operation; operations that are not here are refused by name."""
