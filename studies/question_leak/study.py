"""Views of what a worker can see, as numbers beside the truth, and the study that watches a project through them."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations
from typing import Any
from urllib.parse import urlsplit

from annotation.models import Mention
from annotation.rules.box import Box, iou
from annotation.rules.mention_type import NOUN_TYPES
from annotation.rules.states import ImageState
from labelling.api.payload import captions_of, question_shown
from pipeline.models import KnownQuestion, Question
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from studies.question_leak.ahead import after_short, ahead, follow
from studies.question_leak.evidence import Evidence, Row, strongest, strongest_part
from studies.question_leak.plants import BY_NAME
from studies.question_leak.watch import OFFERS, PAGES, Look, Redrawn, Shift, leave_out, redraw, watch
from studies.question_leak.world import World, rolled_back

PROJECT, EARNED = "/work/{project}/", "/work/{project}/earned/"
CHECKED = re.compile(r"(\d+) of (\d+) right on checked")
OPEN = re.compile(r"(\d+) questions are open to you")
MONEY = {PROJECT: re.compile(r"(\d+)\.(\d\d)[^<]*</b> earned"), EARNED: re.compile(r"(\d+)\.(\d\d)[^<]*</b> owed")}


def content(world: World) -> Evidence:
    """Compare every question of the stock with every question about finished images: phrases, types, boxes."""
    types = _types(world)
    return strongest_part([_content(world, task, types) for task in PROTOCOL_TASKS])


def _content(world: World, task: Task, types: dict[int, dict[int, list[str]]]) -> Evidence:
    of = {"project": world.project, "task": task.value}
    stock = KnownQuestion.objects.filter(purpose=KnownQuestion.Purpose.VERIFICATION, **of)
    rows: list[Row] = []
    known: list[float] = []
    asked = Question.objects.filter(image__state=ImageState.MERGED.value, **of)
    for table, is_known in ((stock, 1.0), (asked, 0.0)):
        found = {(one.image_id, str(one.shown)): one for one in table.select_related("image")}.values()
        captions = captions_of(one.image_id for one in found)
        rows += [_of_content(question_shown(one, captions), types[one.image_id], task) for one in found]
        known += [is_known] * len(found)
    return strongest(rows, known, [task] * len(rows))


def _types(world: World) -> dict[int, dict[int, list[str]]]:
    found: dict[int, dict[int, list[str]]] = {image: {} for image in world.project.images.values_list("id", flat=True)}
    for image, number, own in Mention.objects.filter(image__in=found).values_list("image", "number", "types"):
        found[image][number] = own
    return found


def _of_content(question: dict[str, Any], types: dict[int, list[str]], task: Task) -> Row:
    image, captions = question["image"], question["captions"]
    phrases = [phrase for caption in captions for phrase in caption["phrases"]]
    own = [set(types[phrase["mention"]]) for phrase in phrases]
    boxes, new = [Box(*box) for box in question["boxes"]], question["new_box"]
    area = image["width"] * image["height"]
    row: Row = {
        "phrases": float(len(phrases)),
        "sweep": float(task is Task.COREFERENCE_LINK and len(phrases) > 2),
        "other captions": float(len(question["other_captions"])),
        "two phrases of one caption": float(len(captions) < len(phrases)),
        "phrases without a common type": float(any(not a & b for a, b in combinations(own, 2))),
        "types": float(len(set().union(*own))),
        "boxes": float(len(boxes)),
        "new box": float(new is not None),
        "boxes beside the new one": float(len(boxes) if new else 0),
        "new box around a shown one": max((iou(Box(*new), box) for box in boxes), default=0.0) if new else 0.0,
        "shape of the image": image["width"] / image["height"],
        "pixels": float(area),
    }
    for kind in NOUN_TYPES:
        row[kind.value] = float(any(kind.value in one for one in own))
    return {f"{task.label}: {name}": value for name, value in row.items()}


def counters(shifts: Sequence[Shift]) -> Evidence:
    """Compare the numbers of open questions before, during and after each assignment with its known ones."""
    rows = []
    for shift in shifts:
        size = len(shift.known)
        counts = {name: _counts(look) for name, look in _looks(shift).items()}
        row: Row = {f"{name} {what}": value for name, some in counts.items() for what, value in some.items()}
        for what in counts["before"]:
            drop = counts["before"][what] - counts["during"][what]
            row[f"size less drop of {what}"] = size - drop
            row[f"size less drop of {what} after"] = size - (counts["before"][what] - counts["after"][what])
            row[f"rise of {what}"] = counts["after"][what] - counts["during"][what]
        rows.append(row)
    return _by_shift(rows, shifts)


def _counts(look: Look) -> dict[str, float]:
    shown = look.pages.get(PROJECT, "")
    counts = {"open": float(look.offer["open"]), "more": float(look.offer["more"])}
    return counts | {"on the page": float(sum(int(number) for number in OPEN.findall(shown)))}


def receipts(shifts: Sequence[Shift]) -> Evidence:
    """Compare what a receipt and the worker's own page say was stored and checked."""
    rows = []
    for shift in shifts:
        receipt, checked = shift.receipt, [_checked(look, shift.task) for look in (shift.during, shift.after)]
        rows.append(
            {
                "stored less answered": float(receipt["stored"] - shift.answered),
                "late": float(receipt["too_late"]),
                "skipped": float(receipt["skipped"]),
                "message": float(len(receipt["message"])),
                "keys": float(len(receipt)),
                "checked on the page": checked[1] - checked[0],
            }
        )
    return _by_shift(rows, shifts)


def _checked(look: Look, task: Task) -> float:
    return float(sum(int(total) for _, total in CHECKED.findall(look.pages.get(PROJECT, ""))))


def pay(shifts: Sequence[Shift]) -> Evidence:
    """Compare what is promised and what is earned, by the API and by the pages."""
    rows = []
    for shift in shifts:
        promised, earned = shift.work["assignment"]["reward_cents"], shift.receipt["earned_cents"]
        size = len(shift.known)
        sums = {page: [_money(look, page) for look in (shift.during, shift.after)] for page in (PROJECT, EARNED)}
        rows.append(
            {
                "promised": float(promised),
                "offered": float(shift.before.offer["reward_cents"]),
                "earned less its share": float(earned - (2 * promised * shift.answered + size) // (2 * size)),
                **{f"rise on {page} less earned": after - before - earned for page, (before, after) in sums.items()},
            }
        )
    return _by_shift(rows, shifts)


def _money(look: Look, page: str) -> float:
    found = MONEY[page].search(look.pages.get(page, ""))
    return float(found[1] + found[2]) if found else 0.0


def pages(shifts: Sequence[Shift]) -> Evidence:
    """Compare the sizes, tags and headers of every page and response."""
    rows = []
    for shift in shifts:
        row: Row = {"response headers": float(len(shift.work_headers)), "keys": _keys(shift.work)}
        row["header names"] = float(sum(map(len, shift.work_headers)))
        row["link lengths"] = _link_lengths(shift.work)
        for name, look in _looks(shift).items():
            for page, text in look.pages.items():
                row |= {f"{name} tags of {page}": float(text.count("<")), f"{name} headers of {page}": 0.0}
                row[f"{name} headers of {page}"] = float(len(look.headers[page]))
                if name == "during":
                    row[f"{name} length of {page}"] = float(len(text))
        rows.append(row)
    return _by_shift(rows, shifts)


def _keys(value: Any) -> float:
    if isinstance(value, dict):
        return len(value) + sum(map(_keys, value.values()))
    return float(sum(map(_keys, value))) if isinstance(value, list) else 0.0


def _link_lengths(work: dict[str, Any]) -> float:
    return float(
        sum(len(one["image"][name]) for one in work["assignment"]["questions"] for name in ("url", "full_url"))
    )


def order(shifts: Sequence[Shift]) -> Evidence:
    """Compare the place of each question in its assignment, and that of its image."""
    rows = [row for shift in shifts for row in _places(shift.task, shift.work["assignment"]["questions"])]
    known = [float(one) for shift in shifts for one in shift.known]
    return strongest(rows, known, [shift.task for shift in shifts for _ in shift.known])


def _places(task: Task, questions: Sequence[dict[str, Any]]) -> list[Row]:
    images = [urlsplit(question["image"]["url"]).path for question in questions]
    further = [_further(task, question) for question in questions]
    return [
        {
            "further candidates": further[place],
            "further candidates of the assignment": sum(further),
            "place": float(place),
            "places after": float(len(images) - place),
            "same image in the assignment": float(images.count(image)),
            "same image before": float(place > 0 and images[place - 1] == image),
        }
        for place, image in enumerate(images)
    ]


def _further(task: Task, question: dict[str, Any]) -> float:
    """Return the number of candidates beyond the first; a pair has none."""
    phrases = sum(len(caption["phrases"]) for caption in question["captions"])
    return float(max(0, phrases - 2)) if task is Task.COREFERENCE_LINK else 0.0


def returns(redrawn: Sequence[Redrawn]) -> Evidence:
    """Compare the places of verification questions before and after a return: a return that moves any is a leak."""
    same_size = [one for one in redrawn if len(one.known) == len(one.known_again)]
    moved = sum(one.known != one.known_again for one in same_size)
    share = moved / max(1, len(same_size))
    return Evidence("other places after a return", share, 0.0 if moved else 1.0, 0.0, len(same_size))


def kept(redrawn: Sequence[Redrawn]) -> Evidence:
    """Compare which questions are still there after a return, while another worker answered some."""
    rows: list[Row] = [
        {"still there after a return": float(name in one.again)} for one in redrawn for name in one.first
    ]
    known = [float(is_known) for one in redrawn for is_known in one.known]
    return strongest(rows, known, [one.task for one in redrawn for _ in one.known])


def left_out(shown: dict[tuple[int, str], list[bool]]) -> Evidence:
    """Compare which questions come back that a worker left out. `shown`: see `watch.leave_out`."""
    rows: list[Row] = [{"comes back when left out": float(len(times))} for times in shown.values()]
    return strongest(rows, [float(times[0]) for times in shown.values()], [worker for worker, _ in shown])


def _looks(shift: Shift) -> dict[str, Look]:
    return {"before": shift.before, "during": shift.during, "after": shift.after}


def _by_shift(rows: Sequence[Row], shifts: Sequence[Shift]) -> Evidence:
    """Compare a row for each assignment with its number of verification questions, within its task and size."""
    known = [float(sum(shift.known)) for shift in shifts]
    return strongest(rows, known, [(shift.task, len(shift.known)) for shift in shifts])


Step = Callable[[int], object]
OF_SHIFTS: dict[str, Callable[[list[Shift]], Evidence]] = {
    "counters": counters,
    "order": order,
    "receipts": receipts,
    "pay": pay,
    "pages": pages,
}
PLACES = (OFFERS, *PAGES)
LOOKS_AT = {
    "counters": (OFFERS, PROJECT),
    "order": (),
    "receipts": (PROJECT,),
    "pay": (PROJECT, EARNED),
    "pages": PAGES,
}
"""The places that each view needs to be looked at during and after each assignment."""
BEFORE = {"counters": (OFFERS, PROJECT), "pay": (OFFERS,), "pages": (PROJECT,)}
"""The same before it."""
VIEWS = ("content", *OF_SHIFTS, "returns", "kept", "left out", "after short", "ahead")


@dataclass(frozen=True, slots=True)
class Effort:
    """The length of the watch, in assignments of each worker and task."""

    rounds: int
    returns: int
    left_out: int
    ahead: int
    short: int = 0

    def steps(self, views: Iterable[str], each: int) -> int:
        """Return about how many steps a run through the views has. `each`: workers times tasks."""
        names = set(views)
        rounds = self.rounds * bool(names & set(OF_SHIFTS)) + self.returns * bool(names & {"returns", "kept"})
        others = {"left out": self.left_out, "after short": self.short, "ahead": self.ahead}
        return (rounds + sum(count for name, count in others.items() if name in names)) * each


def look_through(
    world: World, names: Iterable[str] = VIEWS, *, plants: Sequence[str] = (), effort: Effort, step: Step = int
) -> dict[str, Evidence]:
    """Return the evidence of each view. The world is as before afterwards: all that was done is rolled back."""
    names = tuple(names)
    found: dict[str, Evidence] = {}
    with rolled_back(), ExitStack() as grown:
        for plant in plants:
            grown.enter_context(BY_NAME[plant](world))
        if "content" in names:
            found["content"] = content(world)
        wanted = [name for name in OF_SHIFTS if name in names]
        if wanted:
            places, before = (
                [place for place in PLACES if any(place in of.get(name, ()) for name in wanted)]
                for of in (LOOKS_AT, BEFORE)
            )
            with rolled_back():
                shifts = watch(world, effort.rounds, places, before, step=step)
                found |= {name: OF_SHIFTS[name](shifts) for name in wanted}
        if {"returns", "kept"} & set(names):
            with rolled_back():
                redrawn = redraw(world, effort.returns, step=step)
                found |= {"returns": returns(redrawn), "kept": kept(redrawn)}
        looks: dict[str, Callable[[], Evidence]] = {
            "left out": lambda: left_out(leave_out(world, effort.left_out, step=step)),
            "after short": lambda: after_short(world, effort.short, step=step),
            "ahead": lambda: ahead(follow(world, effort.ahead, step=step)),
        }
        for name in [name for name in looks if name in names]:
            with rolled_back():
                found[name] = looks[name]()
    return {name: found[name] for name in names}
