"""Everything that a browser receives with a question, as numbers: all that a worker's own program could look at."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

Row = dict[str, float]
NEVER = 1_000.0
"""The number of assignments that stands for "not seen before"."""


@dataclass(slots=True)
class Browser:
    """One worker's browser, and what it can remember from one assignment to the next."""

    assignments: int = 0
    questions: int = 0
    last_seen: dict[str, int] = field(default_factory=dict)
    """The assignment in which each image was shown last."""
    times: dict[str, int] = field(default_factory=dict)
    """The number of times that each image was shown."""

    def rows(self, assignment: dict[str, Any], waited: float, size: int) -> list[Row]:
        """Return a row for each question. `waited` is the response time in seconds, `size` the response in bytes."""
        self.assignments += 1
        questions = assignment["questions"]
        images = [urlsplit(question["image"]["url"]).path for question in questions]
        whole = {
            "questions": float(len(questions)),
            "assignment": float(self.assignments),
            "ask seconds": waited,
            "ask bytes": float(size),
            "seconds left": float(assignment["seconds_left"]),
            "reward": float(assignment["reward_cents"]),
            **_token("token", assignment["token"]),
        }
        rows = [
            {**whole, **self._of_place(place, images), **dict(_of_question(question))}
            for place, question in enumerate(questions)
        ]
        for image in images:
            self.last_seen[image] = self.assignments
            self.times[image] = self.times.get(image, 0) + 1
        self.questions += len(questions)
        return rows

    def _of_place(self, place: int, images: Sequence[str]) -> Row:
        image = images[place]
        last = self.last_seen.get(image)
        return {
            "place": float(place),
            "places after": float(len(images) - place),
            "number": float(self.questions + place),
            "same image in the assignment": float(images.count(image)),
            "same image before": float(place > 0 and images[place - 1] == image),
            "assignments since the image": NEVER if last is None else float(self.assignments - last),
            "times the image was shown": float(self.times.get(image, 0)),
        }


def _of_question(question: dict[str, Any]) -> Iterator[tuple[str, float]]:
    image, captions = question["image"], question["captions"]
    yield "keys", float(len(question) + 10 * len(image))
    yield "width", float(image["width"])
    yield "height", float(image["height"])
    for name in ("url", "full_url"):
        yield from _of_link(name, image[name])
    phrases = [phrase for caption in captions for phrase in caption["phrases"]]
    yield "captions", float(len(captions))
    yield "other captions", float(len(question["other_captions"]))
    yield "other text", float(sum(len(caption["text"]) for caption in question["other_captions"]))
    yield "language", float(len(question["language"]))
    yield "phrases", float(len(phrases))
    yield "text", float(sum(len(caption["text"]) for caption in captions))
    for name, numbers in {
        "caption": [caption["number"] for caption in captions],
        "mention": [phrase["mention"] for phrase in phrases],
        "start": [phrase["start"] for phrase in phrases],
        "length": [phrase["end"] - phrase["start"] for phrase in phrases],
    }.items():
        yield f"first {name}", float(numbers[0])
        yield f"last {name}", float(numbers[-1])
        yield f"{name}s go up", float(numbers == sorted(numbers))
    yield "boxes", float(len(question["boxes"]))
    new = question["new_box"]
    yield "new box", float(new is not None)
    first = question["boxes"][0] if question["boxes"] else ()
    for edge in range(4):
        yield f"first box {edge}", float(first[edge]) if first else -1.0
        yield f"new box {edge}", float(new[edge]) if new else -1.0


def _of_link(name: str, link: str) -> Iterator[tuple[str, float]]:
    """Yield lengths, and remainders of the number in the picture's name.

    The name itself is left out. Workers who compare notes can find pictures that many of them meet, whatever a service
    does, and given names the classifier would do the same.
    """
    parts = urlsplit(link)
    yield f"{name} length", float(len(link))
    yield f"{name} path length", float(len(parts.path))
    digits = re.findall(r"\d+", parts.path)
    number = int(digits[-1][-9:]) if digits else -1
    for base in (2, 3, 5):
        yield f"{name} number mod {base}", float(number % base)


def _token(name: str, text: str) -> Row:
    return {f"{name} sign {place}": float(ord(sign)) for place, sign in enumerate(text[:8])}
