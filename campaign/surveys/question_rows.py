"""Questions of a survey as the page lists them: the picture, what was asked, the votes, and what they come to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Image, Project
from campaign.surveys.results import Place, is_visual
from exchange.jsonl.write import pseudonym
from pipeline.rules.tasks.caption_check import Verdict, tokens, verdict_of
from pipeline.rules.tasks.task import Task
from surveys.tallies import Tally, tallies_of


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a caption. `wrong`: it is the exchanged one."""

    text: str
    wrong: bool


@dataclass(frozen=True, slots=True)
class Ballot:
    """One worker's vote in words. `right`: None where the truth is unknown."""

    worker: str
    words: str
    right: bool | None


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question of the list."""

    image: Image
    item: str
    caption: list[Word]
    """Of a caption check."""
    atom: str
    category: str
    kind: str
    """Correct caption or foil; of an atom, the majority's verdict."""
    ballots: list[Ballot]


def question_rows(project: Project, places: Sequence[Place]) -> list[QuestionRow]:
    """Return these questions in this order, in a fixed number of statements."""
    ids = {image for image, _ in places}
    found = {(one.image, one.number): one for one in tallies_of(project, ids)}
    images = Image.objects.in_bulk(ids)
    return [_question_row(project, images[image], found[image, number]) for image, number in places]


def _question_row(project: Project, image: Image, tally: Tally) -> QuestionRow:
    shown = tally.shown
    ballots = [_ballot(project, tally, worker, answer) for worker, answer in tally.votes]
    if project.survey == Task.CAPTION_CHECK:
        wrong = (tally.truth or {}).get("word")
        caption = [Word(text, place == wrong) for place, text in enumerate(tokens(shown["caption"]))]
        is_foil = tally.truth and verdict_of(tally.truth) is Verdict.WRONG
        return QuestionRow(image, tally.item, caption, "", "", "foil" if is_foil else "correct caption", ballots)
    kind = ("visual" if is_visual(tally) else "not visual") if tally.decided else "not decided"
    return QuestionRow(image, tally.item, [], shown["atom"], shown["category"], kind, ballots)


def _ballot(project: Project, tally: Tally, worker: int, answer: Any) -> Ballot:
    name = pseudonym(project.pk, worker)
    if project.survey != Task.CAPTION_CHECK:
        return Ballot(name, str(answer), None if tally.truth is None else answer == tally.truth)
    verdict = verdict_of(answer)
    right = None if tally.truth is None else verdict is verdict_of(tally.truth)
    return Ballot(name, _in_words(tally.shown["caption"], answer, verdict), right)


def _in_words(caption: str, answer: Any, verdict: Verdict) -> str:
    if verdict is Verdict.CORRECT:
        return "correct"
    typed = f", rather “{answer['right']}”" if answer.get("right") else ""
    return f"wrong: “{tokens(caption)[answer['word']]}”{typed}"
