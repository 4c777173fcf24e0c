"""Captions as people type and paste them: kept as given, compared and typed as they read."""

from pathlib import Path

import pytest

from annotation.models import Caption, Mention, Project
from exchange.import_dataset import import_dataset
from pipeline.models import Entry, Progress
from pipeline.record.replay import fold, replay
from pipeline.rules.entries.image_machine import EntryKind, RecordEntry
from pipeline.rules.progress.progress_json import from_json
from pipeline.rules.settings.protocol import ProtocolSettings
from tests.support.pictures import plain_jpeg

pytestmark = pytest.mark.django_db

CAPTIONS = (
    "[the caf\u00e9] and [a man]",
    "[the cafe\u0301] and [a man\u200b]",
    "[the caf\u00e9\u2026] and [a ma\u00adn]",
    "[the \u201ccaf\u00e9\u201d] \u200b and [a man\U0001f600]",
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "street.jpg").write_bytes(plain_jpeg())
    rows = "".join(f'street.jpg,"{caption}"\n' for caption in CAPTIONS)
    (tmp_path / "captions.csv").write_text(f"image,caption\n{rows}")
    import_dataset(project_name="odd", path=tmp_path)
    return Project.objects.get(name="odd")


def test_phrases_that_read_alike_have_one_type_and_one_head_and_captions_stay_as_they_came(project: Project) -> None:
    plain = [caption.replace("[", "").replace("]", "") for caption in CAPTIONS]
    assert list(Caption.objects.order_by("number").values_list("text", flat=True)) == plain
    for caption in Caption.objects.all():
        for mention in caption.mentions.all():
            begin, end = caption.offsets[mention.start], caption.offsets[mention.end - 1]
            assert caption.text[begin:].startswith(caption.words[mention.start])
            assert caption.text[end:].startswith(caption.words[mention.end - 1])
    assert {tuple(types) for types in Mention.objects.values_list("types", flat=True)} == {("scene",), ("people",)}
    progress = from_json(Progress.objects.get(project=project).state)
    linked = [mention.for_links() for mention in progress.mentions.values()]
    assert {(one.head, one.words) for one in linked} == {("caf\u00e9", ("the", "caf\u00e9")), ("man", ("a", "man"))}
    assert list(replay(project)) == []


def test_records_from_before_fold_to_the_heads_that_they_had(project: Project) -> None:
    first = Entry.objects.get(image__project=project, sequence=0)
    old = {"mentions": [row[:7] for row in first.data["mentions"]]}
    progress = fold([(RecordEntry(0, EntryKind.IMPORT, old), 1)], {1: ProtocolSettings()})
    assert [mention.head for mention in progress.mentions.values()] == [
        *("caf\u00e9", "man", "cafe\u0301", "man\u200b", "caf\u00e9\u2026", "ma\u00adn"),
        *("\u201ccaf\u00e9\u201d", "man\U0001f600"),
    ]
