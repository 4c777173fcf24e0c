"""Import one image: find what it has too much of, write its rows, and begin its record."""

from dataclasses import replace
from typing import Any

from annotation.models import Caption, Gold, Image, KnownBox, Mention, Project
from annotation.rules.states import NonVisual
from exchange.checks import words_of
from exchange.dataset import DatasetImage
from pipeline.record.append_entries import begin_record
from pipeline.record.bulk_rows import insert_many
from pipeline.record.mention_rows import mention_rows
from runtime.marked_points import reach


def import_image(
    project: Project,
    position: int,
    image: DatasetImage,
    *,
    picture: str,
    gold: bool,
    settings_version: int,
    annotation: dict[str, Any] | None = None,
) -> Image:
    """Write an image whose mentions all have types, in the caller's transaction.

    `picture` is its name in storage, or empty. The chains and boxes that came with the image become its annotation, and
    it counts as merged. With `gold` they become the right answers instead, and the image is still to be annotated.
    Boxes without chains become known boxes in both cases. `annotation`: chains and boxes as another image's first entry
    holds them, for a copy.
    """
    row = Image(
        project=project,
        name=image.name,
        path=image.path,
        coco_id=image.coco_id,
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
    rows = [
        [number, mention.caption, mention.start, mention.end, list(mention.types), words_of(image, mention)]
        for number, mention in enumerate(image.mentions)
    ]
    data: dict[str, Any] = {"mentions": mention_rows(rows, dict(enumerate(image.captions)))}
    if not gold and image.chains:
        data |= annotation_of(image)
    data |= annotation or {}
    if not all(caption.chunked for caption in image.captions):
        data["waiting"] = True
    reach("import: image half written")
    begin_record(image_id=row.id, project_id=project.id, has_picture=bool(picture), data=data, version=settings_version)
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
    rows = [
        (
            row.id,
            captions[mention.caption].id,
            number,
            mention.start,
            mention.end,
            list(mention.types),
            words_of(image, mention),
        )
        for number, mention in enumerate(image.mentions)
    ]
    insert_many(Mention, ("image", "caption", "number", "start", "end", "types", "text"), rows)


def without_chains(image: DatasetImage) -> DatasetImage:
    """Return the image as if nobody had annotated it; boxes with a category stay."""
    return replace(image, chains=(), boxes=tuple(box for box in image.boxes if not box.chains))


def members_of(image: DatasetImage) -> dict[str, list[int]]:
    """Return the numbers of the mentions by the name of their chain in the source."""
    members: dict[str, list[int]] = {}
    for number, mention in enumerate(image.mentions):
        if mention.chain is not None:
            members.setdefault(mention.chain, []).append(number)
    return members


def flags_of(image: DatasetImage) -> dict[str, str]:
    """Return the reason for having no box, a value of NonVisual, of each chain that its source flags."""
    return {
        chain.name: (NonVisual.SCENE if chain.scene else NonVisual.NO_BOX).value
        for chain in image.chains
        if chain.scene or chain.no_box
    }


def gold_of(image: DatasetImage) -> list[dict[str, Any]]:
    """Return the right answers as `annotation.models.Gold` keeps them; chains without a mention are left out.

    A chain is `open` if it has neither a box nor a flag: its source does not say why.
    """
    flags = flags_of(image)
    scenes = {name for name, flag in flags.items() if flag == NonVisual.SCENE.value}
    return [
        {
            "name": name,
            "mentions": mentions,
            "scene": name in scenes,
            "open": name not in flags and not any(name in box.chains for box in image.boxes),
            "boxes": [list(box.box) for box in image.boxes if name in box.chains],
        }
        for name, mentions in members_of(image).items()
    ]


def annotation_of(image: DatasetImage) -> dict[str, Any]:
    """Return what `machine.begin` takes for an annotated image.

    A chain with neither a box nor a flag stays without both, and so does a phrase that no chain of the source has: it
    is a chain of its own.
    """
    members = members_of(image)
    boxed = {chain for box in image.boxes for chain in box.chains}
    kinds = {name: flag for name, flag in flags_of(image).items() if name not in boxed}
    doubts = {chain.name: {"doubted": chain.doubted} for chain in image.chains if chain.doubted}
    chains = [
        {"mentions": mentions, "non_visual": kinds.get(name, "")} | doubts.get(name, {})
        for name, mentions in members.items()
    ]
    alone = (number for number, mention in enumerate(image.mentions) if mention.chain is None)
    chains += [{"mentions": [number], "non_visual": ""} for number in alone]
    boxes = [
        {"box": list(box.box), "chains": [members[chain][0] for chain in box.chains if chain in members]}
        for box in image.boxes
        if any(chain in members for chain in box.chains)
    ]
    return {"chains": chains, "boxes": boxes}
