"""The study: which mutants the tests kill, how often in each file, and which survive that nobody has looked at."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory
from typing import Any

from studies.mutants.mutate import SEPARATOR, Mutant

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("tasks", "links", "boxes", "image")
"""Of the protocol: the steps that it allows, how links are chosen, the loop of the box tasks, and what acts."""
PAPER = (
    *(
        str(file.relative_to(ROOT))
        for room in ROOMS
        for file in sorted((ROOT / "pipeline/protocol" / room).glob("[a-z]*.py"))
    ),
    # What may be one chain, what joins boxes in the end, and whose answers count.
    "annotation/rules/transitivity.py",
    "pipeline/protocol/boxes/merge_boxes.py",
    "workers/rules/trust.py",
)
"""The files of the paper's protocol. A fault in one of them makes another data set, and breaks nothing."""
TESTS = (
    "tests/*/rules",
    "tests/belief",
    "tests/pipeline/protocol",
    "tests/pipeline/policies",
    "tests/*/test_properties.py",
)
"""Without the walks of images: they take longer than all of these, and are not needed to kill a mutant."""
NEED_DJANGO = ("tests/surveys/rules",)
OPTIONS = (
    *("-q", "--tb=no", "--noconftest", "--import-mode=importlib", "-p", "no:django", "-p", "no:cacheprovider"),
    # Django's option is unknown without its plugin.
    *("-o", "addopts=", "-W", "ignore::pytest.PytestConfigWarning"),
)
"""The options of pytest, with which nothing of Django is there."""
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
NEVER_ENDS = 5
"""Processor seconds beyond three times those of the noted tests, after which a mutant is taken to never end."""
BROKEN, NO_TESTS = 100, 5
"""Exit codes of a mutant's process: the mutant was not put in place, and no test was chosen."""
Process = Popen[str]


class Tests:
    """The tests of a checkout: the lines that each runs, in which time, and two processes that run them on mutants."""

    def __init__(self, collected: Process, anew: Process, root: Path) -> None:
        self.collected, self.anew, self.root = collected, anew, root
        with TemporaryDirectory(prefix="chainbox-mutants-") as folder:
            out = Path(folder, "noted.json")
            _ask(collected, out=str(out))
            noted = json.loads(out.read_text())
        if missing := noted["not_collected"]:
            raise RuntimeError(f"The tests cannot be collected without Django: {', '.join(missing)}")
        self.imported: dict[str, list[int]] = noted["imported"]
        self.failed = sorted(set(noted["failed"]))
        self.seconds = {test: spent for test, spent in noted["seconds"].items() if test not in self.failed}
        self.lines: dict[str, dict[str, list[int]]] = {test: noted["lines"][test] for test in self.seconds}
        self.sound: set[frozenset[str]] = set()
        """Files of tests that pass without any mutant where no other file of tests is imported."""
        if self._fail(collected, [*reversed(self.seconds)]):
            raise RuntimeError("The tests fail without any mutant in another order.")

    def kill(self, mutant: Mutant) -> bool:
        """Tell whether a test notices the mutant. Those of the file's own folder go first, as they likely do."""
        folder = Path("tests", mutant.file).parent
        own = (f"{folder}/", f"{folder.parent}/test_{folder.name}.py")
        tests = self.reaching(mutant)
        parts = [[test for test in tests if test.startswith(own) is first] for first in (True, False)]
        at_import = not mutant.body or not set(self.imported.get(mutant.file, ())).isdisjoint(mutant.body)
        fail = self._fail_anew if at_import else self._fail_collected
        return any(part and fail(part, mutant) for part in parts)

    def reaching(self, mutant: Mutant) -> list[str]:
        """Return the tests that run its line, else its function, else all, the quickest first.

        What a module does when it is imported may show anywhere.
        """
        for lines in (mutant.lines, mutant.body) if mutant.body else ():
            if found := [
                test for test, line in self.lines.items() if not {*lines}.isdisjoint(line.get(mutant.file, ()))
            ]:
                return sorted(found, key=self.seconds.__getitem__)
        return sorted(self.seconds, key=lambda test: (mutant.file not in self.lines[test], self.seconds[test]))

    def _fail_collected(self, tests: Sequence[str], mutant: Mutant) -> bool:
        given = {"file": mutant.file, "source": mutant.source, "function": mutant.function}
        return self._fail(self.collected, tests, **given)

    def _fail_anew(self, tests: Sequence[str], mutant: Mutant) -> bool:
        """Raise RuntimeError if the tests fail without the mutant, as they do where they need another file's import."""
        files = frozenset(map(_file_of, tests))
        if files not in self.sound:
            all_tests = [second for second in self.seconds if _file_of(second) in files]
            text = (self.root / mutant.file).read_text(encoding="utf-8")
            if self._fail(self.anew, all_tests, file=mutant.file, source=text):
                raise RuntimeError(f"{', '.join(sorted(files))}: the tests fail without any mutant.")
            self.sound.add(files)
        return self._fail(self.anew, tests, file=mutant.file, source=mutant.source)

    def _fail(self, process: Process, tests: Sequence[str], **given: str) -> bool:
        """Tell whether one of the tests fails, or never ends, on the text that is given."""
        seconds = NEVER_ENDS + 3 * sum(self.seconds[test] for test in tests)
        code = _ask(process, tests=tests, seconds=int(seconds), **given)
        if code in (BROKEN, NO_TESTS):
            raise RuntimeError(f"{given.get('file')}: no test was run on the mutant of {given.get('function')}.")
        return code != 0


def _file_of(test: str) -> str:
    return test.partition("::")[0]


def _ask(process: Process, **request: Any) -> int:
    assert process.stdin and process.stdout
    print(json.dumps(request), file=process.stdin, flush=True)
    if not (answer := process.stdout.readline()):
        raise RuntimeError("The tests cannot be collected without Django.")
    return int(answer)


@contextmanager
def tests_of(files: Sequence[str], root: Path) -> Iterator[Tests]:
    """Start the processes that run the tests of a checkout, and note which tests run these files."""
    own = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    def started(*given: Sequence[str]) -> Process:
        command = [sys.executable, "-m", "studies.mutants.server", *map(json.dumps, given)]
        return Popen(command, cwd=root, env={**os.environ, **own}, stdin=PIPE, stdout=PIPE, text=True)

    with started(files, paths_of_tests(root)) as collected, started(files, []) as anew:
        yield Tests(collected, anew, root)


def paths_of_tests(root: Path) -> list[str]:
    """Return the folders and files of tests that need neither Django's models nor a database."""
    found = sorted(str(path.relative_to(root)) for pattern in TESTS for path in root.glob(pattern))
    return [path for path in found if path not in NEED_DJANGO]


def digest(root: Path) -> str:
    """Return a digest of the rules and of the tests: results with others do not hold."""
    rules = [*sorted(root.glob("*/rules")), root / "belief", root / "pipeline/protocol", root / "pipeline/policies"]
    places = [*rules, root / "tests/support", *map(root.joinpath, paths_of_tests(root))]
    files = [file for place in places for file in ([place] if place.is_file() else sorted(place.rglob("*.py")))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def changed_since(revision: str, files: Sequence[str], root: Path) -> list[str]:
    """Return those of the files that differ from a revision. Raises ValueError if git does not know it."""
    command = ["git", "diff", "--name-only", "--relative", "--diff-filter=d", revision, "--", *files]
    told = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if told.returncode:
        raise ValueError(told.stderr.strip())
    return told.stdout.split()


def equivalent(text: str) -> dict[str, str]:
    """Return by key the reason why each reviewed mutant changes nothing; it stands indented below the key."""
    found: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        if line.startswith(" "):
            found[key] = f"{found[key]} {line.strip()}".strip()
        elif line and not line.startswith("#"):
            key = line
            found[key] = ""
    if bare := [key for key, reason in found.items() if not reason]:
        raise ValueError(f"{bare[0]}: say why it changes nothing.")
    return found


def rates(killed: Mapping[str, bool], known: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """Return for each file its mutants, those killed and equivalent, and the share killed of those that are not."""
    table: dict[str, dict[str, float]] = {}
    for file in dict.fromkeys(key.partition(SEPARATOR)[0] for key in killed):
        own = {key: dead for key, dead in killed.items() if key.startswith(file + SEPARATOR)}
        dead, same = sum(own.values()), sum(not dead and key in known for key, dead in own.items())
        table[file] = {"mutants": len(own), "killed": dead, "equivalent": same}
        table[file]["share"] = round(dead / max(1, len(own) - same), 4)
    return table
