"""Writes docs/why/asvs.md from docs/why/asvs.csv: how far the service meets OWASP's verification standard (ASVS 5.0).

The file has a line for each requirement of levels 1 and 2: its number, met, not or n/a, what it asks in our words, why
or how, and evidence: files, tests, or a command after $ that finds nothing. The words of the standard are not copied.
Run `python -m tests.support.asvs` to write the page again.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tests.support.places import ROOT

SOURCE, PAGE = ROOT / "docs/why/asvs.csv", ROOT / "docs/why/asvs.md"
CHAPTERS = (
    *(
        "Encoding",
        "Validation and business rules",
        "Web pages",
        "API",
        "Files",
        "Signing in",
        "Sessions",
        "Permissions",
    ),
    "Signed tokens", "OAuth and OpenID Connect", "Cryptography", "Connections", "Configuration", "Data", "Code",
    "Logs and errors", "WebRTC",
)  # fmt: skip
"""The names of the chapters in our words, from chapter 1 on."""
STATES = {"met": "met", "not": "not met", "n/a": "not applicable"}
APPS = "accounts annotation backoffice config exchange labelling pipeline platforms projects runtime surveys workers"
"""The folders for which APPS stands in a command."""
HEAD = """# OWASP's verification standard

For administrators: how far the service, with the settings of a server, meets the *Application Security Verification
Standard* 5.0 of OWASP, levels 1 and 2. What a requirement asks is told in our words; its own words are under its number
in the [standard](https://github.com/OWASP/ASVS). The judgment is ours, from reading the code; nobody else has audited
it. Written by `python -m tests.support.asvs` from [asvs.csv](asvs.csv); a test checks that each file and test named
here exists, and runs the commands (`APPS`: the folders with the code of the service).

"""


class Requirement(NamedTuple):
    """One line of the file."""

    number: str
    state: str
    asks: str
    why: str
    evidence: str

    @property
    def place(self) -> tuple[int, ...]:
        return tuple(map(int, self.number.split(".")))

    @property
    def chapter(self) -> int:
        return self.place[0]

    @property
    def command(self) -> list[str]:
        """The command that finds nothing; empty if the evidence is files and tests."""
        words = self.evidence.removeprefix("$ ").replace("APPS", APPS).split()
        return words if self.evidence.startswith("$ ") else []

    @property
    def files(self) -> list[str]:
        return [] if self.command else self.evidence.split()


@cache
def requirements() -> tuple[Requirement, ...]:
    with SOURCE.open(newline="", encoding="utf-8") as file:
        return tuple(Requirement(**row) for row in csv.DictReader(file, delimiter="|"))


def page() -> str:
    return HEAD + "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    counts = Counter(one.state for one in requirements())
    said = ", ".join(f"{counts[key]} are {word}" for key, word in STATES.items())
    yield f"Of {len(requirements())} requirements {said}."
    yield "\n## Not met\n"
    yield from (f"- {one.number} *{one.asks}*: {one.why}." for one in requirements() if one.state == "not")
    for number, name in enumerate(CHAPTERS, start=1):
        yield f"\n## {number}. {name}\n\n| | | asks | how, why | evidence |\n|---|---|---|---|---|"
        for one in requirements():
            if one.chapter == number:
                yield f"| {one.number} | {STATES[one.state]} | {one.asks} | {one.why} | {_evidence(one)} |"


def _evidence(one: Requirement) -> str:
    if one.command:
        return f"`{one.evidence.removeprefix('$ ')}` finds nothing"
    return ", ".join(f"`{name}`" for name in one.files)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
