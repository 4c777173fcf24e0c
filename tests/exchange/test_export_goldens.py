"""Exports of a small project that went through the pipeline under each policy are, file for file, what they were.

`export_goldens.json` has a digest of each file. After a change that is meant to change files, run this file once, in
one process, with `CHAINBOX_WRITE_GOLDENS=1`.
"""

import hashlib
import json
import os
import re
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation.models import Project
from exchange.export_dataset import export_dataset
from exchange.registry import FORMATS, export_formats
from pipeline.models import Question
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from tests.support.projects import lease, phrases, project_of, submit, worker

pytestmark = pytest.mark.django_db

FILE = Path(__file__).parent / "export_goldens.json"
POLICIES: dict[str, dict[str, Any]] = {
    "paper": {},
    "adaptive": {"strategy": "adaptive"},
    "belief": {"strategy": "adaptive", "box_policy": "belief", "fuse_boxes": True},
}
CAPTIONS = ["people: a man", "people/other: the old man", "scene: a park", "animals: dog", "people: a man"]
DRAWN = {"people": [10, 10, 50, 90], "animals": [100, 40, 140, 80], "scene": [0, 0, 200, 100]}
NOW = datetime(2030, 1, 1, tzinfo=UTC)
TIME = re.compile(rb'"at": ?"[^"]*"')
PSEUDONYM = re.compile(rb'"[we][0-9a-f]{12}"')
"""Of a person, which depends on the numbers of rows: the place of its first appearance stands for it."""


def project_under(policy: str) -> Project:
    """Let a crowd that errs now and then finish the images, with a random number of its own for each answer."""
    images = [phrases(*Random(n).sample(CAPTIONS, 4), name=str(n)) for n in range(3)]
    project = project_of(*images, name=policy, settings=Settings.from_json(POLICIES[policy]))
    for number in count():
        left = Question.objects.filter(project=project, state="open").select_related("image")
        question = left.order_by("image__position", "number").first()
        if question is None:
            return project
        rng, now = Random(f"{policy} {number}"), NOW + timedelta(minutes=number)
        who = worker(project, f"{policy} {number}")
        lent = lease(project, who, Task(question.task), size=1, now=now)
        asked = Question.objects.get(pk=lent.questions[0])
        submit(lent, _said(asked, rng), now=now)
        tick(project_id=project.pk, now=now)
    raise AssertionError


def _said(question: Question, rng: Random) -> Any:
    errs = rng.random() < 0.1
    mentions = {row[0] for row in question.shown["mentions"]}
    kinds = question.image.mentions.filter(number__in=mentions).values_list("types", flat=True)
    kind = next((one for types in kinds for one in DRAWN if one in types), "people")
    match Task(question.task):
        case Task.COREFERENCE_LINK:
            return "different" if errs else "same"
        case Task.CHAIN_VERIFICATION:
            return "true"
        case Task.BOX_REQUIREMENT:
            return 3 if kind == "scene" else 1
        case Task.BOX_DRAWING:
            shown = question.shown["boxes"]
            x0, y0, x1, y1 = DRAWN[kind]
            return {"none_missing": True} if shown and not errs else {"box": [x0, y0, x1 - rng.randrange(3), y1]}
        case Task.BOX_QUALITY:
            return "bad" if errs else "good"
        case _:
            return "more needed" if errs else "all there"


def _lasting(content: bytes) -> bytes:
    """Return the content without times, and with the same pseudonyms in every database."""
    places: dict[bytes, int] = {}
    return PSEUDONYM.sub(
        lambda found: b'"person %d"' % places.setdefault(found[0], len(places)), TIME.sub(b'"at": 0', content)
    )


def digests_of(project: Project, folder: Path) -> dict[str, str]:
    found = {}
    for export_format in export_formats():
        if not FORMATS[export_format].with_pictures:
            target = folder / export_format
            export_dataset(
                project=project, target=target, export_format=export_format, include_unmerged=True, card=False
            )
            files = [target] if target.is_file() else sorted(one for one in target.rglob("*") if one.is_file())
            for file in files:
                found[str(file.relative_to(folder))] = hashlib.sha256(_lasting(file.read_bytes())).hexdigest()[:12]
    return found


@pytest.mark.parametrize("policy", POLICIES)
def test_every_file_of_every_format_is_what_it_was(policy: str, tmp_path: Path) -> None:
    digests = digests_of(project_under(policy), tmp_path)
    kept = json.loads(FILE.read_text()) if FILE.exists() else {}
    if os.environ.get("CHAINBOX_WRITE_GOLDENS"):
        kept |= {policy: digests}
        FILE.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    assert digests == kept[policy]
