"""Prompts: a text file for each task and language, with places that are filled from the question."""

import re
import shutil
import tomllib
from functools import cache
from pathlib import Path

from clients.annotator.coordinates import Form
from clients.annotator.errors import WrongUse

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
