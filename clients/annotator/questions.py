"""The six tasks: the prompt of a question, the schema of its reply, and the answer that a reply gives.

A prompt is a text file for each task and language, with places that are filled from the question.
"""

import json
import re
import shutil
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from clients.annotator.coordinates import Box, Form, PictureSizes, from_box, to_box
from clients.annotator.errors import UnreadableReply, WrongUse

DRAWING = "box_drawing"
CHOICES: Mapping[str, Mapping[str, str | int]] = {
    "coreference_link": {"same": "same", "different": "different"},
    "chain_verification": {"true": "true", "false": "false"},
    "box_requirement": {"box": 1, "scene": 2, "none": 3},
    "box_quality": {"good": "good", "bad": "bad"},
    "box_coverage": {"all there": "all there", "more needed": "more needed"},
}
"""The model's words for each answer that the API takes, by task."""
TASKS = (*list(CHOICES)[:3], DRAWING, *list(CHOICES)[3:])
FENCE = "```"
THOUGHT = "</think>"
"""Templates of some models put the opening tag into the prompt, so a reply may hold the closing one alone."""
FOUR = {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4}
LARGEST = 1e9
"""The bound of the numbers of a box, far above those of any picture."""


def places(question: dict[str, Any], form: Form, frame: PictureSizes) -> dict[str, str]:
    """Return what fills the places of a prompt. Phrases are marked by [[ ]]; boxes are given in the model's form."""
    new = question["new_box"]
    return {
        "captions": "\n".join(f"- {marked(caption)}" for caption in question["captions"]),
        "other_captions": "\n".join(f"- {caption['text']}" for caption in question["other_captions"]),
        "boxes": "; ".join(f"{n}: {from_box(box, form, frame)}" for n, box in enumerate(question["boxes"], 1)),
        "new_box": str(from_box(new, form, frame)) if new else "",
    }


def marked(caption: dict[str, Any]) -> str:
    """Return a caption with its phrases in [[ ]]."""
    text = caption["text"]
    for phrase in sorted(caption["phrases"], key=lambda one: -one["start"]):
        start, end = phrase["start"], phrase["end"]
        text = f"{text[:start]}[[{text[start:end]}]]{text[end:]}"
    return str(text)


def schema(task: str) -> dict[str, Any]:
    """Return the JSON schema of a model's reply to a task."""
    if task == DRAWING:
        return _object(none_missing={"type": "boolean"}, box={"anyOf": [FOUR, {"type": "null"}]})
    return _object(answer={"type": "string", "enum": list(CHOICES[task])})


def proposal_schema() -> dict[str, Any]:
    """Return the JSON schema of boxes for the numbered phrases of a caption."""
    boxes = {"type": "array", "items": FOUR}
    return _object(phrases={"type": "array", "items": _object(phrase={"type": "integer"}, boxes=boxes)})


def read_answer(task: str, content: str, form: Form, frame: PictureSizes) -> Any:
    """Return the answer in the form of the API. Raises NoAnswer, also if the reply can be read and no box is meant."""
    found = json_in(content)
    if task == DRAWING:
        numbers = drawn(found)
        return {"none_missing": True} if numbers is None else {"box": list(to_box(numbers, form, frame))}
    answer = found.get("answer")
    if not isinstance(answer, str) or answer not in CHOICES[task]:
        raise UnreadableReply("JSON of another shape")
    return CHOICES[task][answer]


def drawn(answer: Mapping[str, Any]) -> list[float] | None:
    """Return the four numbers of a drawing; None: the model says that no box is missing. Raises UnreadableReply."""
    box, none_missing = answer.get("box"), answer.get("none_missing", False)
    if none_missing is True and box is None:
        return None
    if none_missing is not False:
        raise UnreadableReply("JSON of another shape")
    return four(box)


def read_proposals(content: str, phrases: int, form: Form, frame: PictureSizes) -> list[list[tuple[int, Box]]]:
    """Return for each phrase its boxes, each with its place among all boxes of the reply. Raises NoAnswer.

    `phrases`: their number. A phrase that the reply does not name has no box.
    """
    rows, found, place = json_in(content).get("phrases"), [list[tuple[int, Box]]() for _ in range(phrases)], 0
    if not isinstance(rows, list):
        raise UnreadableReply("JSON of another shape")
    for row in rows:
        number, boxes = (row.get("phrase"), row.get("boxes")) if isinstance(row, dict) else (None, None)
        if type(number) is not int or not isinstance(boxes, list) or not 1 <= number <= phrases:
            raise UnreadableReply("JSON of another shape")
        for box in boxes:
            found[number - 1].append((place, to_box(four(box), form, frame)))
            place += 1
    return found


def json_in(content: str) -> dict[str, Any]:
    """Return the JSON object that is the reply: alone, in a fence, or after words. Raises UnreadableReply."""
    text = content[slice(*span_of_json(content))]
    try:
        found, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableReply("no JSON" if "{" not in text else "JSON that cannot be read") from error
    if not isinstance(found, dict):
        raise UnreadableReply("JSON of another shape")
    if "{" in text[end:]:
        raise UnreadableReply("JSON beside other JSON")
    return found


def span_of_json(content: str) -> tuple[int, int]:
    """Return the characters [start, end) of a reply that are read: after a thought, in a fence, and after words.

    Looks at each character a few times at most, whatever a server sends.
    """
    thought = content.rfind(THOUGHT)
    start, end = thought + len(THOUGHT) if thought >= 0 else 0, len(content)
    fence = content.find(FENCE, start)
    closed = content.find(FENCE, fence + len(FENCE)) if fence >= 0 else -1
    if closed >= 0:
        start, end = fence + len(FENCE), closed
    brace = content.find("{", start, end)
    is_list = content[start : max(brace, start)].lstrip().startswith("[")
    return start if brace < 0 or is_list else brace, end


def four(box: Any) -> list[float]:
    """Return the numbers of a box. Raises UnreadableReply."""
    if not isinstance(box, list) or len(box) != 4 or not all(type(n) in (int, float) and abs(n) < LARGEST for n in box):
        raise UnreadableReply("JSON of another shape")
    return list(box)


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


OWN = Path(__file__).parent / "prompts"
PROPOSAL = "box_proposal"
"""The prompt for proposals; the others bear the names of tasks."""
WORDS_FILE = "words.toml"
FALLBACK = "en"
PLACE = re.compile(r"\{([a-z_]+)\}")
PLACES = {"captions", "other_captions", "boxes", "new_box", "form"}
"""The places of a prompt, in curly brackets."""
NEEDED = {"box_drawing": "form", PROPOSAL: "form"}
"""A place that this prompt must have, beside `captions`."""


class Prompts:
    """The prompts of a folder, which holds a folder for each language. What it does not hold is taken from ours."""

    def __init__(self, folder: Path | None = None) -> None:
        """Raises WrongUse if there is no such folder."""
        if folder is not None and not folder.is_dir():
            raise WrongUse(f"There is no folder of prompts at {folder}: make one with the command `prompts {folder}`.")
        self._folders = [folder, OWN] if folder else [OWN]
        self._words = cache(self._read_words)
        self._text = cache(self._read_text)

    def text(self, name: str, language: str, form: Form | None, sent: tuple[int, int], **places: str) -> str:
        """Return a prompt with its places filled. Raises WrongUse if the file cannot be used.

        `language`: a BCP 47 tag; a language without prompts gets the English ones. `form`: of boxes; None: as the
        model was trained. `sent`: width and height of the picture in pixels.
        """
        words = self._words(language)["forms"][form.value if form else "trained"]
        width, height = (str(side) for side in sent)
        filled = {**places, "form": words.replace("{width}", width).replace("{height}", height)}
        none = str(self._words(language)["none"])
        return PLACE.sub(lambda found: filled.get(found[1]) or none, self._text(name, language)).strip()

    def _read_text(self, name: str, language: str) -> str:
        path = self._find(language, f"{name}.md")
        text = _read(path)
        found = set(PLACE.findall(text))
        if unknown := sorted(found - PLACES):
            raise WrongUse(f"{path}: {{{unknown[0]}}} is no place of a prompt: use {', '.join(sorted(PLACES))}.")
        for place in ("captions", NEEDED.get(name, "captions")):
            if place not in found:
                raise WrongUse(f"{path}: the prompt has no place {{{place}}}: the model would not see it.")
        return text

    def _read_words(self, language: str) -> dict[str, dict[str, str]]:
        path = self._find(language, WORDS_FILE)
        try:
            words = tomllib.loads(_read(path))
        except tomllib.TOMLDecodeError as error:
            raise WrongUse(f"{path}: {error}.") from error
        for name in ("trained", *Form):
            if not isinstance(words.get("forms", {}).get(name), str):
                raise WrongUse(f'{path}: the section [forms] needs a text for "{name}".')
        if not isinstance(words.get("none"), str):
            raise WrongUse(f'{path}: needs a text for "none" before the first section.')
        return words

    def _find(self, language: str, name: str) -> Path:
        """Return the file for the language, for the language without its region, or the English one."""
        for tag in dict.fromkeys((language.lower(), language.lower().partition("-")[0], FALLBACK)):
            for folder in self._folders:
                if tag and (path := folder / tag / name).is_file():
                    return path
        raise WrongUse(f"There is no prompt {name} for {language!r} and none in English in {self._folders[0]}.")


def write_prompts(target: Path) -> None:
    """Copy our prompts to a new folder, where they can be edited. Raises WrongUse if it is there."""
    if target.exists():
        raise WrongUse(f"{target} is there already, and its prompts may be edited: name a new folder.")
    try:
        shutil.copytree(OWN, target)
    except OSError as error:
        raise WrongUse(f"The folder {target} cannot be written: {error.strerror}.") from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUse(f"{path}: cannot be read as UTF-8 text.") from error
