"""Reading chains: from an export, or one worker's links of JSON Lines."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.coreference.chains import ImageMentions, PhrasePlace
from evaluation.errors import InputError
from evaluation.reading.json_lines import json_lines, listed, member, whole
from evaluation.reading.picture import NOT_VISUAL, Picture
from evaluation.reading.pictures import RECORD, is_odvg, read_pictures
from evaluation.reading.record import final_chain, is_image, merged_chains
from evaluation.work import StepWork

LINK = "coreference_link"
SAME = "same"


def read_chains(work: StepWork, path: Path, worker: str | None = None) -> dict[str, ImageMentions]:
    """Return the marked mentions of each image by name. `worker`: the pseudonym of the one whose links are read.

    Raises InputError for a file of another form.
    """
    if path.suffix.lower() == RECORD and not is_odvg(path):
        lines = work.progress(json_lines(path), f"reading {path.name}")
        return dict(_image(line, where, worker) for where, line in lines if is_image(line, where))
    if worker is not None:
        raise InputError(f"{path} does not tell who answered what: give an export as jsonl to read a worker's links.")
    return {picture.name: _picture(picture) for picture in read_pictures(path, work.progress)}


def _picture(picture: Picture) -> ImageMentions:
    places = {
        PhrasePlace(phrase.caption, phrase.start, phrase.start + len(phrase.words)): phrase
        for caption in picture.captions
        for phrase in caption.phrases
        if phrase.chain != NOT_VISUAL
    }
    return ImageMentions(
        {place: phrase.chain for place, phrase in places.items()},
        {place: phrase.types for place, phrase in places.items()},
    )


def _image(line: Any, where: str, worker: str | None) -> tuple[str, ImageMentions]:
    mentions = listed(line, "mentions", where)
    places = {
        whole(member(mention, "number", where), f"{where}: 'number'"): _place(mention, where) for mention in mentions
    }
    if worker is None:
        merged = merged_chains(listed(line, "chains", where), where)
        chain_of = {
            mention["number"]: final_chain(whole(mention["chain"], f"{where}: a chain"), merged, where)
            for mention in mentions
            if mention.get("chain") is not None
        }
    else:
        chain_of = _linked(_answers(line, where, worker))
    types = {
        places[mention["number"]]: tuple(kind.replace(" ", "") for kind in mention.get("types", ()))
        for mention in mentions
    }
    return str(member(line, "name", where)), ImageMentions(
        {places[number]: chain for number, chain in chain_of.items() if number in places}, types
    )


def _place(mention: Any, where: str) -> PhrasePlace:
    return PhrasePlace(*(whole(member(mention, name, where), f"{where}: {name!r}") for name in PhrasePlace._fields))


def _answers(line: Any, where: str, worker: str) -> Iterator[tuple[int, int, bool]]:
    """Yield two mentions, and whether the worker called them the same, for each answer that counts."""
    for question in listed(line, "questions", where):
        if member(question, "task", where) == LINK:
            first, second = (whole(mention, f"{where}: a mention") for mention in listed(question, "subject", where))
            for judgment in listed(question, "judgments", where):
                counts = member(judgment, "entry", where) is not None and member(judgment, "voided", where) is None
                if counts and member(judgment, "worker", where) == worker:
                    yield first, second, member(judgment, "answer", where) == SAME


def _linked(answers: Iterator[tuple[int, int, bool]]) -> dict[int, int]:
    """Return the chain of each mention in the answers: what was called the same, and the same as that, is one."""
    chain_of: dict[int, int] = {}
    for first, second, same in answers:
        one, other = (chain_of.setdefault(mention, mention) for mention in (first, second))
        if same and one != other:
            chain_of = {mention: one if chain == other else chain for mention, chain in chain_of.items()}
    return chain_of
