"""The right answers about data set images: which phrase means what, and where it is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.rules.box import Box, iou
from exchange.dataset import DatasetImage, DatasetMention

COVERED = 0.5
Mark = tuple[str, int]
"""A phrase: the text of its caption, and the character at which it begins."""


@dataclass(frozen=True)
class Truth:
    """Images whose captions, chains and boxes are known."""

    images: Sequence[DatasetImage]

    def with_captions(self, texts: Iterable[str]) -> list[DatasetImage]:
        """Return the images that have all these captions."""
        wanted = set(texts)
        return [image for image in self.images if wanted <= {caption.text for caption in image.captions}]

    def right(
        self,
        task: str,
        image: DatasetImage,
        marks: Sequence[Mark],
        boxes: Sequence[Sequence[float]] = (),
        new: Sequence[float] | None = None,
    ) -> Any:
        """Return the right answer in the form of the API. `boxes`: those that are done; `new`: the one to judge."""
        chains = [str(mention_at(image, mark).chain) for mark in marks]
        gold = boxes_of(image, chains[0])
        missing = [box for box in gold if not any(iou(box, box_of(done)) >= COVERED for done in boxes)]
        if task == "coreference_link":
            return "same" if chains[0] == chains[1] else "different"
        if task == "chain_verification":
            return "true" if len(set(chains)) == 1 else "false"
        if task == "box_requirement":
            scene = next(chain.scene for chain in image.chains if chain.name == chains[0])
            return 1 if gold else 2 if scene else 3
        if task == "box_quality":
            assert new is not None
            return "good" if any(iou(box, box_of(new)) >= COVERED for box in missing) else "bad"
        if task == "box_coverage":
            return "more needed" if missing else "all there"
        return {"box": list(missing[0])} if missing else {"none_missing": True}

    def of_question(self, task: str, question: dict[str, Any]) -> Any:
        """Return the right answer to a question of the API."""
        texts = [caption["text"] for caption in (*question["captions"], *question["other_captions"])]
        marks = [(one["text"], phrase["start"]) for one in question["captions"] for phrase in one["phrases"]]
        image = self.with_captions(texts)[0]
        return self.right(task, image, marks, question["boxes"], question["new_box"])


def mention_at(image: DatasetImage, mark: Mark) -> DatasetMention:
    """Return the mention that begins there."""
    text, start = mark
    places = ((one, image.captions[one.caption]) for one in image.mentions)
    return next(one for one, caption in places if caption.text == text and caption.offsets[one.start] == start)


def boxes_of(image: DatasetImage, chain: str) -> list[Box]:
    return [one.box for one in image.boxes if chain in one.chains]


def box_of(edges: Sequence[float]) -> Box:
    return Box(*(round(edge) for edge in edges))
