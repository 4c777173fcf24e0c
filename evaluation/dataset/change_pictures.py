"""Pictures of the largest changes: the earlier version beside the later one, with the boxes and phrases of chains."""

import io
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from evaluation.charts import COLORS
from evaluation.dataset.changes import OF_BOXES, WEIGHTS, GroupChanges, ImageChanges, VersionChain
from evaluation.errors import InputError
from evaluation.localization.picture_files import PictureFiles
from evaluation.report import Report, ReportPicture

SIDE = 440
"""Width of one version, and the most height of its photograph, in pixels."""
GAP, LINE, LETTERS = 12, 20, 52
PAPER, INK, QUIET = "#ffffff", "#1d2026", "#5b6270"
MOST_PHRASES = 4


class DrawnChains(NamedTuple):
    size: float
    image: ImageChanges
    group: GroupChanges


class Largest:
    """The largest changes of each kind, of images that have a photograph."""

    def __init__(self, most: int, files: PictureFiles) -> None:
        self.most, self.files = most, files
        self.kept: dict[str, list[DrawnChains]] = defaultdict(list)

    def add(self, image: ImageChanges) -> None:
        """Keep the image's chains that changed, if they are among the largest."""
        if image.after.name not in self.files.files:
            return
        for group in image.groups:
            chains = *group.group.before, *group.group.after
            if group.changes and any(chain.boxes for chain in chains):
                kind = max(group.changes, key=lambda change: change.size).kind
                own = self.kept[kind]
                own.append(DrawnChains(sum(change.size for change in group.changes), image, group))
                if len(own) > 2 * self.most:
                    self._cut(kind)

    def chosen(self) -> list[DrawnChains]:
        """Return the largest of each kind in turn, so that every kind is seen."""
        for kind in self.kept:
            self._cut(kind)
        queues = [self.kept[kind] for kind in WEIGHTS if self.kept[kind]]
        turns = [queue[place] for place in range(self.most) for queue in queues if place < len(queue)]
        return turns[: self.most]

    def _cut(self, kind: str) -> None:
        own = sorted(self.kept[kind], key=lambda one: (-one.size, one.image.after.name))
        self.kept[kind] = own[: self.most]


def add_pictures(report: Report, largest: Largest) -> None:
    """Add the pictures, or say why there are none."""
    if not largest.most or not report.figures["changes"]:
        return
    if not largest.files.files:
        report.notes.append("There are no pictures of the changes: name the folder of the photographs with --pictures.")
        return
    unread = []
    for place, chosen in enumerate(largest.chosen(), start=1):
        try:
            photograph = largest.files.open(chosen.image.after)
        except InputError as error:
            unread.append(str(error))
            continue
        report.drawings.append(ReportPicture(f"change_{place:02}", _title(chosen), _jpeg(draw(photograph, chosen))))
    if unread:
        report.notes.append(f"{len(unread)} changes are not drawn. {unread[0]}")


def _title(one: DrawnChains) -> str:
    changes = sorted(one.group.changes, key=lambda change: -change.size)
    told = [
        f"{change.kind} (IOU {change.overlap:.2f})" if change.kind in OF_BOXES else change.kind for change in changes
    ]
    counted = [f"{told.count(words)} × {words}" if told.count(words) > 1 else words for words in dict.fromkeys(told)]
    return f"{one.image.after.name}: {', '.join(counted)}: “{changes[0].words}”"


def _jpeg(picture: Image.Image) -> bytes:
    packed = io.BytesIO()
    picture.save(packed, "JPEG", quality=88)
    return packed.getvalue()


def draw(photograph: Image.Image, one: DrawnChains) -> Image.Image:
    """Return both versions beside each other. A chain has one colour in both, as far as it is one chain."""
    scale = min(1.0, SIDE / photograph.width, SIDE / photograph.height)
    width, height = (max(1, round(edge * scale)) for edge in photograph.size)
    small = photograph.resize((width, height), Image.Resampling.LANCZOS)
    group = one.group.group
    back = {j: i for i, j in group.same.items()}
    colors = list(range(len(group.before)))
    others = [back.get(j, len(group.before) + j) for j in range(len(group.after))]
    lines = max(len(group.before), len(group.after), 1)
    whole = Image.new("RGB", (2 * SIDE + 3 * GAP, height + (lines + 1) * LINE + 3 * GAP), PAPER)
    sides = (("before", group.before, colors), ("after", group.after, others))
    for place, (words, chains, chain_colors) in enumerate(sides):
        left = GAP + place * (SIDE + GAP)
        pen = ImageDraw.Draw(whole)
        pen.text((left, GAP // 2), words, fill=QUIET, font=_font())
        pane = small.copy()
        _boxes(pane, chains, chain_colors, scale)
        whole.paste(pane, (left, GAP // 2 + LINE))
        for row, (chain, color) in enumerate(zip(chains, chain_colors, strict=True)):
            top = GAP + LINE + height + row * LINE
            pen.rectangle((left, top + 4, left + 11, top + 15), fill=_color(color))
            pen.text((left + 18, top), _phrases(chain), fill=INK, font=_font())
        if not chains:
            pen.text((left, GAP + LINE + height), "no such chain", fill=QUIET, font=_font())
    return whole


def _boxes(pane: Image.Image, chains: Sequence[VersionChain], colors: Sequence[int], scale: float) -> None:
    pen = ImageDraw.Draw(pane)
    for chain, color in zip(chains, colors, strict=True):
        for box in chain.boxes:
            x0, y0, x1, y1 = (edge * scale for edge in box)
            for inset, line, width in ((0, "#ffffff", 5), (1, _color(color), 3)):
                first = x0 + inset, y0 + inset
                last = max(first[0], x1 - 1 - inset), max(first[1], y1 - 1 - inset)
                pen.rectangle((*first, *last), outline=line, width=width)


def _color(place: int) -> str:
    return COLORS[place % len(COLORS)]


def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size=14)


def _phrases(chain: VersionChain) -> str:
    """Return the chain's phrases in one line, and what else is said of it."""
    texts = list(dict.fromkeys(phrase.text for phrase in chain.phrases))
    told = ", ".join(texts[:MOST_PHRASES]) + (", …" if len(texts) > MOST_PHRASES else "")
    flags = "".join(f" [{flag}]" for flag in sorted(chain.flags))
    room = LETTERS - len(flags)
    return (told if len(told) <= room else f"{told[: room - 1]}…") + flags
