"""The commands that documentation shows, which of them no test can run, and what the others need before they run."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from simulation.scenes.scene import write_source
from tests.evaluation.oracle.made_up import captions
from tests.support.pictures import plain_jpeg
from tests.support.places import ROOT
from tests.support.served import environment

PROGRAM = re.compile(
    r" {4,}(?:\$ )?((?:\.venv/bin/|manage\.py |scripts/|docker-compose |kubectl |curl |install |make |cd ).*)"
)
TORCH = "needs torch, which the tests do not install"
WEB = "needs a service on the internet"
PLATFORM, CLUSTER, PACKAGES = "asks Prolific", "needs Docker or a cluster", "installs packages from the internet"
TESTS, HOURS, MODEL, BUCKET = (
    "is tests",
    "takes an hour or more",
    "needs a model on a GPU",
    "needs a bucket in the cloud",
)
NOT_RUN = {
    "make demo": PACKAGES,
    "make test": PACKAGES,
    "make run": PACKAGES,
    "kubectl": CLUSTER,
    "docker-compose": CLUSTER,
    "manage.py offer_cost": PLATFORM,
    "manage.py due_payments": PLATFORM,
    "manage.py import_dataset parks s3://": BUCKET,
    ".venv/bin/python -m clients.annotator": MODEL,
    ".venv/bin/python -m evaluation oracle curves": TORCH,
    ".venv/bin/python -m evaluation oracle worth": TORCH,
    "curl -H": WEB,
    ".venv/bin/pytest": TESTS,
    "cd frontend && npx vitest": TESTS,
    "scripts/with_services.py --durable": HOURS,
}
"""The beginnings of commands that need what a test cannot have, each with the reason."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A command of a page, and the lines that the page shows as printed by it."""

    page: str
    command: str
    printed: tuple[str, ...] = ()

    @property
    def not_run(self) -> str:
        """Return the beginning in NOT_RUN; empty: a test runs the command."""
        return next((begin for begin in NOT_RUN if self.command.startswith(begin)), "")


def commands_of(page: Path) -> list[Shown]:
    """Return the commands in the indented blocks of a page, in their order."""
    found: list[tuple[str, list[str]]] = []
    open_one = False
    for line in page.read_text().replace("\\\n", " ").splitlines():
        if match := PROGRAM.match(line):
            found.append((re.sub(r"\s+# .*", "", match[1]).strip(), []))
            open_one = True
        elif open_one and line.startswith("    "):
            found[-1][1].append(line.strip())
        else:
            open_one = False
    return [Shown(str(page.relative_to(ROOT)), command, tuple(printed)) for command, printed in found]


@dataclass(slots=True)
class Place:
    """A folder in which commands run one after another, with a service of their own."""

    folder: Path
    environment: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.environment = {**environment(self.folder / "data"), "PYTHONPATH": str(ROOT)}
        self.run("manage.py migrate --verbosity 0")

    def run(self, command: str) -> str:
        """Run a command and return what it prints. An error fails the test with the words of the command."""
        words = shlex.split(command)
        if words[0] == "manage.py" or words[:2] == [".venv/bin/python", "manage.py"]:
            words = [sys.executable, str(ROOT / "manage.py"), *words[words.index("manage.py") + 1 :]]
        elif words[0] == ".venv/bin/python":
            words[0] = sys.executable
        done = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def python(self, code: str) -> None:
        self.run(f"manage.py shell --no-imports -c {shlex.quote(code)}")


def as_run(command: str, values: Mapping[str, str]) -> str:
    """Return the command with its options, the first of each choice, and these values in place of its names."""
    for name in sorted(values, key=len, reverse=True):
        pattern = rf"(?<![\w/]){re.escape(name)}(?!\w)" if name.isalpha() else re.escape(name)
        command = re.sub(pattern, values[name], command)
    command = re.sub(r"\[([^\]]*)\]", lambda match: "" if "…" in match[1] else match[1], command)
    return re.sub(r"\b([\w.+]+)\|[\w|]+", r"\1", command)


def write(path: Path, *rows: object) -> None:
    """Write rows as JSON Lines, and texts as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))


def start(place: Place) -> None:
    for name in ("cat", "dog"):
        (place.folder / "photos").mkdir(exist_ok=True)
        (place.folder / "photos" / f"{name}.jpg").write_bytes(plain_jpeg(320, 240))
    page = (ROOT / "docs/start.md").read_text()
    table = page.partition("    image,caption\n")[2].partition("\n\n")[0]
    write(place.folder / "photos" / "captions.csv", "image,caption", *(line.strip() for line in table.splitlines()))


def adaptive_links(place: Place) -> None:
    write_source(place.folder / "scenes", 3, 6)
    place.run("manage.py import_dataset finished scenes --use gold")
    place.run("manage.py project_state finished running")
    place.run("manage.py simulate finished --crowd perfect")
    place.run("manage.py import_dataset trial scenes")
    place.run("manage.py project_state trial running")


def check(place: Place) -> None:
    write_source(place.folder / "SOURCE", 5, 4)
    place.run("manage.py import_dataset checked SOURCE --use check")
    place.run("manage.py project_state checked running")


def finish(place: Place) -> None:
    place.run("manage.py project_state finished finished")


def survey(place: Place) -> None:
    place.run("manage.py createsuperuser --noinput --username ada --email ada@example.org")
    kinds = {"super_category": "animal", "part": "train", "place": 1}
    items = []
    for number in range(60):
        (place.folder / "photos" / f"{number}.jpg").write_bytes(plain_jpeg(320, 240))
        one, other = ("dog", "cat") if number % 2 else ("cat", "dog")
        words = {"target": one, "foil_word": other, "caption": f"A {one} waits .", "foil": f"A {other} waits ."}
        items.append({"item": f"{number}#0", "image": str(number), **words, **kinds})
    write(place.folder / "items.jsonl", *items)


def people(place: Place) -> None:
    place.run("manage.py make_api_key gone --project cats")
    place.python("from django.contrib.auth.models import User; User.objects.create_user('treasurer')")


def evaluation(place: Place) -> None:
    folder = place.folder
    write_source(folder / "EXPORT", 3, 12)
    scenes = sorted((folder / "EXPORT/Sentences").iterdir())
    phrase = re.search(r"\[/\S+ ([^\]]+)\]", scenes[0].read_text().splitlines()[0])
    assert phrase is not None
    write(folder / "phrases.jsonl", {"image": scenes[0].stem, "caption": 0, "phrase": phrase[1], "boxes": []})
    write(folder / "boxes.jsonl", *({"image": one.stem, "boxes": []} for one in scenes))
    said = ("A {} waits near the house .", "The {} is old .")
    words = [(f"{word}{i}.jpg", word) for i in range(30) for word in ("dog", "cat", "bus", "train")]
    write(folder / "foil.token", *(f"{image}#{n}\t{said[n].format(word)}" for image, word in words for n in (0, 1)))
    lot = np.random.default_rng(0)
    told = [f"{i:04d}.jpg#{n}\t{text}" for i in range(60) for n, text in enumerate(captions(lot))]
    write(folder / "captions.token", *told)
    workers = [{"worker": f"w{number}"} for number in range(3)]
    vote = {"item": "dog0#0:correct", "answer": "correct", "right": "correct", "word": ""}
    write(folder / "votes.jsonl", *(vote | one for one in workers))
    write(folder / "atoms.jsonl", *({"item": "entity:man", "answer": "yes"} | one for one in workers))
    written = [{"image_id": f"{number:04d}", "caption": "A man sits ."} for number in range(3)]
    write(folder / "hypotheses.json", json.dumps(written))


OF_EVALUATION = {
    "[--captions FILE]": "--captions captions.token",
    "localization score --data EXPORT --predictions FILE": (
        "localization score --data EXPORT --predictions phrases.jsonl"
    ),
    "--predictions FILE": "--predictions boxes.jsonl",
    "foil generate --captions FILE": "foil generate --captions foil.token",
    "oracle visual --captions FILE --votes FILE": "oracle visual --captions captions.token --votes atoms.jsonl",
    "--votes FILE": "--votes votes.jsonl",
    "--captions FILE": "--captions captions.token",
    "--hypotheses FILE": "--hypotheses hypotheses.json",
    "--references FILE": "--references captions.token",
}
"""Values for the names in a command."""

Story = Mapping[str, tuple[Callable[[Place], None] | None, Mapping[str, str]]]
SERVICE: Story = {
    "docs/start.md": (start, {}),
    "docs/how-to/find_workers.md": (None, {"PROJECT": "cats"}),
    "docs/reference/api.md": (None, {"PROJECT": "cats"}),
    "docs/how-to/adaptive_links.md": (adaptive_links, {}),
    "docs/how-to/models.md": (None, {"PROJECT": "finished"}),
    "docs/how-to/verification_questions.md": (None, {"demo": "finished"}),
    "docs/how-to/check_a_data_set.md": (check, {"PROJECT": "checked", "PHOTOGRAPHS": "SOURCE/images"}),
    "docs/how-to/survey.md": (survey, {}),
    "docs/reference/money.md": (people, {"PROJECT": "finished"}),
    "docs/how-to/workers_data.md": (None, {"NAME": "gone"}),
    "docs/how-to/operations.md": (finish, {"PROJECT": "finished", "FOLDER": "archive"}),
}
"""The pages whose commands run, in this order in one place: what each prepares, and what stands for its names."""
EVALUATION: Story = {
    "docs/how-to/evaluate.md": (evaluation, OF_EVALUATION),
}
