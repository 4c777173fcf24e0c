"""An image whose name holds what no database keeps is left out by this name; the others come in, and counts add up."""

import shutil
from itertools import count
from pathlib import Path

import pytest

from annotation.models import Project
from campaign.data.runs import begin
from campaign.models import ImportProblem, ImportRun, Upload
from exchange.dataset import shown_text
from members.add_member import add_member
from members.models import Role
from tests.support.members import maker
from tests.support.odd_sources import FORMATS, OddSource, odd_source

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]
SPOILT = "name of no text"


def spoilt_source(tmp_path: Path, kind: str, character: str) -> OddSource:
    """Return the first odd source of the kind that has an image of such a name."""
    for seed in count(FORMATS.index(kind), len(FORMATS)):
        source = odd_source(tmp_path / str(seed), seed)
        if any(one.fault == SPOILT and one.spoilt == character for one in source.images):
            return source
    raise AssertionError("seeds do not end")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "character", "packed"),
    [
        *(("csv", "\x00", False), ("jsonl", "\x00", False), ("jsonl", "\ud800", False), ("jsonl", "\x00", True)),
        *(("coco", "\x00", True), ("coco", "\udcff", False), ("entities", "\x1b", True), ("entities", "\udcff", False)),
    ],
)
def test_only_this_image_is_left_out(
    draft: Project, at_once: None, tmp_path: Path, kind: str, character: str, *, packed: bool
) -> None:
    source = spoilt_source(tmp_path, kind, character)
    user, folder = maker("rita"), Upload.folder_of(draft.pk) / "files"
    add_member(user, draft, Role.REQUESTER)
    if packed:
        folder.mkdir(parents=True)
        shutil.make_archive(str(folder / "packed"), "zip", source.folder)
    else:
        shutil.copytree(source.folder, folder)
    run = ImportRun.objects.get(pk=begin(draft, user, ImportRun.Kind.IMPORT).pk)
    assert (run.state, run.problem) == ("done", "")
    assert (run.images, run.left_out) == (len(source.whole), source.in_file - len(source.whole))
    told = set(ImportProblem.objects.values_list("image", flat=True))
    names = [one.written for one in source.images if one.fault == SPOILT]
    names = [Path(name).stem for name in names] if kind == "entities" else names
    assert {shown_text(name) for name in names} <= told
