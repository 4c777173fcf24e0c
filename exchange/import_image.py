"""Write one image that was read into a project: its rows, the first entry of its record, and its progress."""

from typing import Any

from django.utils import timezone

from annotation.models import Caption, Gold, Image, KnownBox, Mention, Project
from annotation.rules.states import NonVisual
from exchange.dataset import DatasetImage, DatasetMention
from pipeline.models import Entry, Progress
from pipeline.record.append_entries import what_is_due
from pipeline.record.write_rows import Changed, write_rows
from pipeline.rules.image.image_machine import EntryKind, RecordEntry, begin
from pipeline.rules.image.progress_json import to_json
from pipeline.rules.image.rows import Rows, rows_of


def import_image(
    project: Project, position: int, image: DatasetImage, *, picture: str, gold: bool, settings_version: int
) -> Image:
    """`image` has types for every mention. `picture`: its name in storage, or empty. Runs in the caller's transaction.

    Known chains and boxes are taken as the annotation (merged, as they are), or with `gold` as the right answer beside
    an image that is still to be annotated. Boxes without chains are kept as known boxes either way.
    """
    row = Image(
        project=project,
        name=image.name,
        position=position,
        width=image.width,
        height=image.height,
        picture=picture,
        source=image.source[:500],
    )
    row.save(force_insert=True)
    _write_captions(row, image)
    known = [box for box in image.boxes if not box.chains]
    KnownBox.objects.bulk_create(KnownBox(image=row, category=box.category, **box.box._asdict()) for box in known)
    if gold and image.chains:
        Gold(image=row, chains=gold_of(image)).save(force_insert=True)
    data: dict[str, Any] = {"mentions": [_mention_row(image, n, mention) for n, mention in enumerate(image.mentions)]}
    if not gold and image.chains:
        data |= annotation_of(image)
    if not all(caption.chunked for caption in image.captions):
        data["waiting"] = True
    _begin_record(row, data, settings_version)
    return row


def _write_captions(row: Image, image: DatasetImage) -> None:
    captions = Caption.objects.bulk_create(
        Caption(
            image=row,
            number=number,
            text=caption.text,
            words=list(caption.words),
            offsets=list(caption.offsets),
            non_visual=[list(span) for span in caption.non_visual],
            chunked=caption.chunked,
        )
        for number, caption in enumerate(image.captions)
    )
    Mention.objects.bulk_create(
        Mention(
            image=row,
            caption=captions[mention.caption],
            number=number,
            start=mention.start,
            end=mention.end,
            types=list(mention.types),
            text=words_of(image, mention),
        )
        for number, mention in enumerate(image.mentions)
    )


def words_of(image: DatasetImage, mention: DatasetMention) -> str:
    return " ".join(image.captions[mention.caption].words[mention.start : mention.end])


def _mention_row(image: DatasetImage, number: int, mention: DatasetMention) -> list[Any]:
    text = words_of(image, mention)
    return [number, mention.caption, mention.start, mention.end, list(mention.types), text]


def _members(image: DatasetImage) -> dict[str, list[int]]:
    """Mention numbers by the name of their chain in the source; chains without a mention are not there."""
    members: dict[str, list[int]] = {}
    for number, mention in enumerate(image.mentions):
        if mention.chain is not None:
            members.setdefault(mention.chain, []).append(number)
    return members


def gold_of(image: DatasetImage) -> list[dict[str, Any]]:
    scenes = {chain.name for chain in image.chains if chain.scene}
    return [
        {
            "name": name,
            "mentions": mentions,
            "scene": name in scenes,
            "boxes": [list(box.box) for box in image.boxes if name in box.chains],
        }
        for name, mentions in _members(image).items()
    ]


def annotation_of(image: DatasetImage) -> dict[str, Any]:
    """What `pipeline.rules.image.image_machine.begin` takes for an image that came annotated."""
    members = _members(image)
    scenes = {chain.name for chain in image.chains if chain.scene}
    boxed = {chain for box in image.boxes for chain in box.chains}
    chains = []
    for name, mentions in members.items():
        kind = NonVisual.SCENE if name in scenes else NonVisual.NO_BOX
        chains.append({"mentions": mentions, "non_visual": "" if name in boxed else kind.value})
    boxes = [
        {"box": list(box.box), "chains": [members[chain][0] for chain in box.chains if chain in members]}
        for box in image.boxes
        if any(chain in members for chain in box.chains)
    ]
    return {"chains": chains, "boxes": boxes}


def _begin_record(row: Image, data: dict[str, Any], settings_version: int) -> None:
    now = timezone.now()
    progress = begin(RecordEntry(0, EntryKind.IMPORT, data))
    Entry(
        project_id=row.project_id,
        image=row,
        sequence=0,
        kind=EntryKind.IMPORT.value,
        settings_version=settings_version,
        data=data,
        created_at=now,
    ).save(force_insert=True)
    kept = Progress(image=row, project_id=row.project_id, sequence=0, state=to_json(progress))
    kept.due = what_is_due(progress)
    kept.save(force_insert=True)
    if progress.started:
        empty = Rows("linking", {n: (*r[:5], None) for n, r in rows_of(progress).mentions.items()}, {}, {}, {}, {})
        has_picture = bool(row.picture)
        change = Changed(row.id, row.project_id, has_picture, empty, rows_of(progress), progress.moves, set())
        write_rows([change], now)
