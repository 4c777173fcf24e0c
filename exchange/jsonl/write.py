"""The writer for JSON Lines: a line for the project, then one per image with everything that led to its result."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.utils.crypto import salted_hmac

from annotation.models import Box, Chain, Image, MergedBox, Project
from annotation.rules.states import ImageState
from exchange.atomic import atomic_file
from pipeline.models import Entry, Judgment, Progress, Question, SettingsVersion
from pipeline.rules.image.merging import final_confidence, link_sources
from pipeline.rules.image.progress import ImageProgress
from pipeline.rules.image.progress_json import from_json
from pipeline.rules.tasks.task import Task

IMAGES_AT_ONCE = 50


def write_jsonl(
    project: Project, target: Path, *, include_unmerged: bool = False, step: Callable[[], object] = lambda: None
) -> int:
    """Write the project to the file `target`, which appears when everything is written. Returns the number of images.

    The same project gives the same bytes. Workers have pseudonyms, the same in every export of this service. Raises
    TargetExists if the target is not empty.
    """
    count = 0
    with atomic_file(target) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for line in _lines(project, include_unmerged):
            file.write(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n")
            if line["kind"] == "image":
                count += 1
                step()
    return count


def pseudonym(project_id: int, worker_id: int) -> str:
    """Return the worker's pseudonym in the project. It cannot be reversed without the service's secret key."""
    return "w" + salted_hmac("chainbox.pseudonym", f"{project_id}:{worker_id}").hexdigest()[:12]


def _lines(project: Project, include_unmerged: bool) -> Iterator[dict[str, Any]]:
    versions = SettingsVersion.objects.filter(project=project).order_by("version")
    settings = [{"version": row.version, "values": row.values, "reason": row.reason} for row in versions]
    yield {"kind": "project", "name": project.name, "title": project.title, "settings": settings}
    images = project.images.order_by("position")
    if not include_unmerged:
        images = images.filter(state=ImageState.MERGED.value)
    ids = list(images.values_list("id", flat=True))
    for start in range(0, len(ids), IMAGES_AT_ONCE):
        yield from _images(project, ids[start : start + IMAGES_AT_ONCE])


def _images(project: Project, ids: list[int]) -> Iterator[dict[str, Any]]:
    asked = _questions(project, ids)
    drawn = _drawers(project, ids)
    record = _record(ids)
    states = dict(Progress.objects.filter(image_id__in=ids).values_list("image_id", "state"))
    for image in (
        Image.objects.filter(id__in=ids)
        .order_by("position")
        .prefetch_related("captions", "chains", "boxes", "merged_boxes")
    ):
        progress = from_json(states[image.id])
        yield {
            "kind": "image",
            "name": image.name,
            "width": image.width,
            "height": image.height,
            "state": image.state,
            "captions": [
                {"text": c.text, "words": c.words, "offsets": c.offsets, "non_visual": c.non_visual}
                for c in image.captions.all()
            ],
            "mentions": _mentions(progress),
            "chains": [_chain(chain, progress, asked[image.id]) for chain in image.chains.all()],
            "boxes": [_box(box, drawn) for box in image.boxes.all()],
            "merged_boxes": [_merged(merged) for merged in image.merged_boxes.all()],
            "links": _links(progress),
            "questions": asked[image.id],
            "record": record[image.id],
        }


def _mentions(progress: ImageProgress) -> list[dict[str, Any]]:
    chain_of = {number: chain.name for chain in progress.chains.values() for number in chain.mentions}
    return [
        {
            "number": m.number,
            "caption": m.caption,
            "start": m.start,
            "end": m.end,
            "text": m.text,
            "types": m.types,
            "chain": chain_of.get(m.number),
        }
        for m in sorted(progress.mentions.values(), key=lambda m: m.order)
    ]


def _chain(chain: Chain, progress: ImageProgress, questions: list[dict[str, Any]]) -> dict[str, Any]:
    own = [question for question in questions if question["chain"] == chain.name]
    counts = {task.value: sum(len(q["judgments"]) for q in own if q["task"] == task.value) for task in Task}
    return {
        "name": chain.name,
        "mentions": progress.chains[chain.name].mentions,
        "state": chain.state,
        "representative": chain.representative,
        "non_visual": chain.non_visual,
        "doubted": chain.doubted,
        "review": chain.review,
        "confidence": final_confidence(progress, chain.name),
        "merged_into": chain.merged_into,
        "judgments": {task: count for task, count in counts.items() if count},
    }


def _box(box: Box, drawn: dict[tuple[int, int], str]) -> dict[str, Any]:
    return {
        "number": box.number,
        "chain": box.chain,
        "box": [box.x0, box.y0, box.x1, box.y1],
        "state": box.state,
        "drawn_by": drawn.get((box.image_id, box.number)),
    }


def _merged(merged: MergedBox) -> dict[str, Any]:
    return {"number": merged.number, "box": list(merged.box), "members": merged.members}


def _links(progress: ImageProgress) -> list[dict[str, Any]]:
    if not progress.chains:
        return []
    rows = []
    for (a, b), source in link_sources(progress).items():
        votes = [vote.answer for vote in progress.votes.get((a, b), [])]
        rows.append({"mentions": [a, b], "source": source.value, "yes": sum(votes), "no": len(votes) - sum(votes)})
    return rows


def _questions(project: Project, ids: list[int]) -> dict[int, list[dict[str, Any]]]:
    judgments: dict[int | None, list[dict[str, Any]]] = defaultdict(list)
    for row in Judgment.objects.filter(question__image_id__in=ids).order_by("id"):
        judgments[row.question_id].append(
            {
                "worker": pseudonym(project.id, row.worker_id),
                "answer": row.answer,
                "seconds": row.seconds,
                "comment": row.comment,
                "at": row.created_at.isoformat(),
            }
        )
    questions: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for q in Question.objects.filter(image_id__in=ids).order_by("image_id", "number"):
        questions[q.image_id].append(
            {
                "number": q.number,
                "task": q.task,
                "subject": q.subject,
                "chain": q.chain,
                "state": q.state,
                "outcome": q.outcome,
                "judgments": judgments[q.id],
            }
        )
    return questions


def _drawers(project: Project, ids: list[int]) -> dict[tuple[int, int], str]:
    """Return the pseudonym of the worker who drew each box, by image and box number, from the stored progress."""
    drawers = {}
    for image, state in Progress.objects.filter(image_id__in=ids).values_list("image_id", "state"):
        for box in from_json(state).boxes.values():
            if box.worker is not None:
                drawers[image, box.number] = pseudonym(project.id, box.worker)
    return drawers


def _record(ids: list[int]) -> dict[int, list[dict[str, Any]]]:
    record: dict[int, list[dict[str, Any]]] = defaultdict(list)
    rows = Entry.objects.filter(image_id__in=ids).exclude(kind="import").order_by("image_id", "sequence")
    for e in rows.select_related("judgment__question"):
        line = {"sequence": e.sequence, "kind": e.kind, "settings": e.settings_version}
        if e.judgment is not None and e.judgment.question is not None:
            line |= {"question": e.judgment.question.number, **e.data}
        elif e.kind not in ("start", "merge"):
            line |= {"reason": e.reason, "action": e.data.get("action", "")}
        record[e.image_id].append(line)
    return record
