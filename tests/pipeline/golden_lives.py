"""Goldens of the image machine: what every entry of 3,035 lives of images moves, shows and asks, as digests.

    python -m tests.pipeline.golden_lives write                    write golden_lives.json anew: after a change meant
    python -m tests.pipeline.golden_lives compare [--modes paper,belief] [--first 50]
    python -m tests.pipeline.golden_lives dump FILE                keep the digests of each entry, and the entries
    python -m tests.pipeline.golden_lives compare --against FILE   name the first life, entry and part that differ
    python -m tests.pipeline.golden_lives replay --against FILE    the same, with the entries of the file
    python -m tests.pipeline.golden_lives show "paper 17" 23       what entry 23 of a life does and leaves

A life has three digests, so that a change which is meant in one hides none in the others: of its moves, of the rows of
the tables, and of the open questions. A life chooses its acts from what is open, so that a change of questions changes
the acts that follow; `replay` takes the acts of a dump made before the change, and shows what else is another.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.golden_acts import MODES, Life
from tests.support.golden_machine import DONE, FAILS, GoldenMachine, Seen

FILE = Path(__file__).parent / "golden_lives.json"
STORED = Path(__file__).parent / "stored_records.json"
"""Records of images of other tests: the settings of their entries, and the entries."""
OF_TESTS = "tests"
"""The mode of these records."""
EVERY_MODE = (OF_TESTS, *MODES)
LIVES, STEPS = 600, 50
BYTES = 6
PARTS = Seen._fields


class Step(NamedTuple):
    """One entry that was tried, the settings that it acted under, and what was seen after it."""

    kind: str
    data: dict[str, Any]
    values: dict[str, Any]
    outcome: str
    seen: Seen | None
    """None: it was refused, or failed."""


Steps = Iterator[Step]
Dumped = dict[str, list[Any]]


def digest(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=BYTES).hexdigest()


# --- Lives ---


@cache
def _of_tests() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    file = json.loads(STORED.read_text())
    return [file["settings"] | changed for changed in file["versions"]], file["images"]


def names(modes: Iterable[str] = EVERY_MODE, first: int = LIVES) -> list[str]:
    """Return the names of lives, such as "belief 12"."""
    most = {OF_TESTS: len(_of_tests()[1])}
    return [f"{mode} {number}" for mode in modes for number in range(min(first, most.get(mode, LIVES)))]


def steps_of(name: str) -> Steps:
    """Let a life happen."""
    mode, number = name.split()
    if mode == OF_TESTS:
        versions, images = _of_tests()
        record = [(kind, data, versions[place]) for kind, data, place in images[int(number)]["record"]]
        yield from played(record)
        return
    life = Life(mode, int(number))
    yield Step("import", life.imported, life.values, DONE, life.machine.seen())
    for act, outcome in life.steps(STEPS):
        yield Step(act.kind, act.data, life.values, outcome, life.machine.seen() if outcome == DONE else None)


def played(record: Sequence[tuple[str, dict[str, Any], dict[str, Any]]]) -> Steps:
    """Let the entries of a record happen, up to one that fails; those that do not fit are refused."""
    (kind, imported, values), *entries = record
    machine = GoldenMachine(imported, values)
    yield Step(kind, imported, values, DONE, machine.seen())
    for kind, data, values in entries:
        outcome = machine.add(kind, data, values)
        yield Step(kind, data, values, outcome, machine.seen() if outcome == DONE else None)
        if outcome == FAILS:
            return


def parts_of(step: Step) -> list[str]:
    """Return the digests of the three parts of one step."""
    if step.seen is None:
        return [digest(step.outcome), "", ""]
    return [digest(part) for part in step.seen]


def line_of(steps: Steps) -> str:
    """Return the three digests of a life, with a space between them."""
    parts = zip(*(parts_of(step) for step in steps), strict=True)
    return " ".join(digest(" ".join(each)) for each in parts)


def golden() -> dict[str, str]:
    """Return the three digests of each life as they should be, by its name."""
    file: dict[str, list[str]] = json.loads(FILE.read_text())
    return {f"{mode} {number}": line for mode, lines in file.items() for number, line in enumerate(lines)}


def differing(chosen: Iterable[str]) -> dict[str, list[str]]:
    """Return the lives whose digests are not the golden ones, each with the parts that differ."""
    wanted, found = golden(), {}
    for name in chosen:
        pairs = zip(PARTS, wanted[name].split(), line_of(steps_of(name)).split(), strict=True)
        if parts := [part for part, was, now in pairs if was != now]:
            found[name] = parts
    return found


# --- Dumps: every entry of every life ---


def dump(chosen: Iterable[str], file: Path) -> None:
    """Write a line for each life: its name, and for each step the kind, data, settings and digests."""
    with file.open("w") as lines:
        for name in chosen:
            steps = [[one.kind, one.data, one.values, one.outcome, *parts_of(one)] for one in steps_of(name)]
            lines.write(json.dumps([name, steps]) + "\n")


def dumped(file: Path) -> Dumped:
    with file.open() as lines:
        return dict(json.loads(line) for line in lines)


def first_differences(chosen: Iterable[str], was: Dumped, *, replay: bool) -> dict[str, tuple[int, list[str]]]:
    """Return, for each life that differs, the first entry that does, and what is another: the act, or its parts.

    `replay`: the acts are those of the dump.
    """
    found = {}
    for name in chosen:
        before = was[name]
        record = [(kind, data, values) for kind, data, values, *_ in before]
        now = [*(played(record) if replay else steps_of(name))]
        for place, (old, new) in enumerate(zip(before, now, strict=False)):
            other = [] if [new.kind, new.data, new.values] == json.loads(json.dumps(old[:3])) else ["act"]
            digests = zip(PARTS, old[4:], parts_of(new), strict=True)
            if other := other + [part for part, one, another in digests if one != another]:
                found[name] = place, other
                break
        else:
            if len(before) != len(now):
                found[name] = min(len(before), len(now)), ["act"]
    return found


# --- The command ---


def write() -> None:
    lines = {mode: [line_of(steps_of(name)) for name in names([mode])] for mode in EVERY_MODE}
    FILE.write_text(json.dumps(lines, indent=0) + "\n")


def show(name: str, place: int) -> None:
    step = [*steps_of(name)][place]
    seen = step.seen._asdict() if step.seen else None
    print(json.dumps(step._asdict() | {"seen": seen}, indent=1, sort_keys=True))


def _told(found: dict[str, tuple[int, list[str]]]) -> list[str]:
    return [f"{name}, entry {place}: {', '.join(parts)}" for name, (place, parts) in found.items()]


def main(arguments: Sequence[str]) -> int:
    """Return 1 if something differs."""
    reader = argparse.ArgumentParser(prog="golden_lives", description=__doc__)
    reader.formatter_class = argparse.RawDescriptionHelpFormatter
    reader.add_argument("what", choices=["write", "compare", "replay", "dump", "show"])
    reader.add_argument("name", nargs="?", help="the file of a dump, or the life to show")
    reader.add_argument("place", nargs="?", type=int, default=0)
    reader.add_argument("--modes", default=",".join(EVERY_MODE))
    reader.add_argument("--first", type=int, default=LIVES)
    reader.add_argument("--against", type=Path)
    given = reader.parse_args(arguments)
    if unknown := sorted(set(given.modes.split(",")).difference(EVERY_MODE)):
        reader.error(f"no mode {', '.join(unknown)}: the modes are {', '.join(EVERY_MODE)}")
    if given.what == "dump" and not given.name:
        reader.error("dump takes the file to write")
    if given.what == "show" and given.name not in names():
        reader.error(f"no life {given.name!r}: name a mode and a number, such as {names()[0]!r}")
    if given.what == "replay" and not given.against:
        reader.error("replay takes a dump: --against FILE")
    if given.against and not given.against.is_file():
        reader.error(f"no file {given.against}: make it with dump")
    chosen = names(given.modes.split(","), given.first)
    if given.what == "write":
        write()
    elif given.what == "dump":
        dump(chosen, Path(given.name))
    elif given.what == "show":
        show(given.name, given.place)
    elif given.against:
        lines = _told(first_differences(chosen, dumped(given.against), replay=given.what == "replay"))
        print("\n".join([*lines[:20], f"{len(lines)} of {len(chosen)} lives differ"]))
        return int(bool(lines))
    else:
        return _compare(chosen)
    return 0


def _compare(chosen: Sequence[str]) -> int:
    found = differing(chosen)
    for name, parts in [*found.items()][:20]:
        print(f"{name}: {', '.join(parts)}")
    for mode in EVERY_MODE:
        of_mode = [parts for name, parts in found.items() if name.startswith(f"{mode} ")]
        if of_mode:
            print(f"{mode}: " + ", ".join(f"{part} of {sum(part in each for each in of_mode)}" for part in PARTS))
    print(f"{len(found)} of {len(chosen)} lives differ")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
