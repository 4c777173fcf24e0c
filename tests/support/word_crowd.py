"""A crowd that answers by one rule, by which its requester annotates, too: what a phrase means is its last word.

Phrases with the same last word mean the same, and each word has its place in a picture. Nothing is read from the
database: an answer follows from what the labelling page is given.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from pipeline.protocol.tasks.task import Task
from tests.support.html_form import fields_of
from tests.support.services import PATIENCE

Edges = tuple[int, int, int, int]
PASSWORD = "engine and loom 1843"
GOOD = 0.7
"""The overlap from which a box is good."""


@contextmanager
def people(address: str, quarrel: "Quarrel", number: int) -> Iterator[list["Requests"]]:
    """Yield so many people who have not joined yet."""
    crew = [Requests(address, f"newcomer-{place}", quarrel) for place in range(number)]
    try:
        yield crew
    finally:
        for one in crew:
            one.client.close()


def word_of(phrase: str) -> str:
    """Return what the phrase means."""
    return re.findall(r"[^\W_]+", phrase.lower())[-1]


def place_of(word: str, width: int, height: int) -> Edges:
    """Return where the thing is in every picture of this size."""
    across, down = zlib.crc32(word.encode()) % 101 / 101, zlib.crc32(word[::-1].encode()) % 103 / 103
    x0, y0 = round(across * width * 0.6), round(down * height * 0.6)
    return x0, y0, x0 + width * 3 // 8, y0 + height * 3 // 8


def overlap(one: Iterable[float], other: Iterable[float]) -> float:
    """Return the IOU of two boxes."""
    (a0, b0, a1, b1), (c0, d0, c1, d1) = one, other
    common = max(0, min(a1, c1) - max(a0, c0)) * max(0, min(b1, d1) - max(b0, d0))
    return common / ((a1 - a0) * (b1 - b0) + (c1 - c0) * (d1 - d0) - common)


@dataclass
class Quarrel:
    """One thing in one picture with which nobody is ever content. `spared`: captions of pictures to leave alone.

    The thing is known by its phrase: a second chain, of another type, may end with the same word.
    """

    spared: set[str]
    key: tuple[frozenset[str], str] | None = None

    def is_about(self, question: dict[str, Any]) -> bool:
        captions = {one["text"] for one in (*question["captions"], *question["other_captions"])}
        phrase = phrases_of(question)[0]
        if self.key is None and captions.isdisjoint(self.spared) and not self._is_repeated(captions, phrase):
            self.key = frozenset(captions), phrase
        return self.key == (frozenset(captions), phrase)

    def _is_repeated(self, captions: set[str], phrase: str) -> bool:
        """Tell whether a caption holds the last word twice, or two hold the phrase: more than one chain may have it."""
        twice = any(re.findall(r"[^\W_]+", text.lower()).count(word_of(phrase)) > 1 for text in captions)
        return twice or sum(phrase.lower() in text.lower() for text in captions) > 1


def phrases_of(question: dict[str, Any]) -> list[str]:
    """Return the marked phrases of the question."""
    return [
        caption["text"][phrase["start"] : phrase["end"]]
        for caption in question["captions"]
        for phrase in caption["phrases"]
    ]


def words_of(question: dict[str, Any]) -> list[str]:
    """Return what each marked phrase of the question means."""
    return [word_of(phrase) for phrase in phrases_of(question)]


def answer_to(task: Task, question: dict[str, Any], quarrel: Quarrel) -> Any:
    """Return the answer of everybody."""
    words = words_of(question)
    place = place_of(words[0], question["image"]["width"], question["image"]["height"])
    match task:
        case Task.COREFERENCE_LINK:
            return "same" if len(set(words)) == 1 else "different"
        case Task.CHAIN_VERIFICATION:
            return "true" if len(set(words)) == 1 else "false"
        case Task.BOX_REQUIREMENT:
            return 1
        case Task.BOX_DRAWING:
            return {"none_missing": True} if question["boxes"] else {"box": list(place)}
        case Task.BOX_QUALITY:
            good = overlap(question["new_box"], place) >= GOOD and not quarrel.is_about(question)
            return "good" if good else "bad"
        case Task.BOX_COVERAGE:
            return "all there"


@dataclass
class Requests:
    """A person whose browser is replaced by the requests that the pages would send."""

    address: str
    name: str
    quarrel: Quarrel
    client: httpx.Client = field(init=False)
    bearer: str = ""
    said: str = ""
    """The words of the service when it had nothing to ask."""

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.address, timeout=PATIENCE, headers={"Referer": self.address})

    def join(self, link: str) -> None:
        """Open the link, make an account the first time, and join."""
        page = self.client.get(link)
        sent = fields_of(page.text, 0)
        if "username" in sent:
            sent |= {"username": self.name, "password1": PASSWORD, "password2": PASSWORD}
        assert self.client.post(link, data=sent).status_code == 302, page.text

    def take_over(self, cookies: Iterable[Any]) -> None:
        """Go on in the session of a browser."""
        for one in cookies:
            self.client.cookies.set(one["name"], one["value"])

    def work(self, project: str, task: Task) -> str:
        """Do one assignment. Returns its kind, or "" if there is none."""
        if not self.bearer:
            page = self.client.get(f"/work/{project}/{task.value}/").text
            self.bearer = re.findall(r'data-bearer="([^"]+)"', page)[0]
        asked = self._send(f"/projects/{project}/assignments/", {"task": task.value})
        assignment = asked.get("assignment")
        if assignment is None:
            self.said = asked["message"]
            return ""
        answers = [
            {"answer": answer_to(task, question, self.quarrel), "seconds": 6.0} for question in assignment["questions"]
        ]
        self._send(f"/assignments/{assignment['token']}/submit/", {"answers": answers})
        return str(assignment["kind"])

    def _send(self, path: str, body: Any) -> Any:
        answer = self.client.post(f"/api/v1{path}", json=body, headers={"Authorization": f"Bearer {self.bearer}"})
        assert answer.is_success or answer.json()["code"] == "not_running", answer.text
        return answer.json()
