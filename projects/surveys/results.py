"""Figures and results of a survey: how far it is, what it costs, what its votes say, and where workers disagree."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from accounts.may import Action, may
from annotation.models import Image, Project
from exchange.jsonl.write import pseudonym
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.settings import SurveySettings
from pipeline.protocol.tasks.survey import (
    AtomAnswer,
    AtomCategory,
    CaptionVerdict,
    caption_verdict,
    is_right_check,
    is_unanimous,
    tokens,
)
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from projects.chart import Cell, Chart
from projects.dashboard.figures import FigureGroup, read_figures
from projects.dashboard.needs import needs_of
from projects.dashboard.operations import LiveFigures
from projects.dashboard.summary import Tile, days_or_hours, spent_tiles
from projects.operation import Caller, NoInput, operation
from runtime.database import cached_read
from runtime.words import counted, money, percent
from surveys.rules.agreement import JudgedCaption, agreement, histogram, named_by_majority
from surveys.votes import QuestionVotes, tallies_of

Place = tuple[int, int]
"""The id of an image, and the number of a question on it."""


@dataclass(frozen=True, slots=True)
class ListedQuestion:
    """A question that the page lists. `share`: of the votes that are right; of an atom, that can see it."""

    kind: str
    """Correct caption or foil; of an atom, its category."""
    name: str
    place: Place
    share: float


@dataclass(frozen=True, slots=True)
class SurveyResults:
    """The findings of a survey so far."""

    questions: int
    decided: int
    votes: int
    lacking: int
    """Votes that the open questions still need."""
    given_up: int
    """Questions without a majority, since nobody was left who could answer."""
    charts: tuple[Chart, ...] = ()
    named: tuple[int, int] = (0, 0)
    """Foils in which the majority named the exchanged word, of all decided ones."""
    listed: tuple[ListedQuestion, ...] = ()
    """Disputed captions, those most often misjudged first; or all atoms with votes, by category."""


def results_of(project: Project, votes: int) -> SurveyResults:
    """Read the results. `votes`: that a question needs."""
    tallies = list(tallies_of(project))
    decided = [tally for tally in tallies if tally.decided]
    counted = SurveyResults(
        questions=len(tallies),
        decided=len(decided),
        votes=sum(len(tally.votes) for tally in tallies),
        lacking=sum(max(1, votes - len(tally.votes)) for tally in tallies if not tally.outcome),
        given_up=sum(tally.given_up for tally in tallies),
    )
    return _captions(counted, decided) if project.survey == Task.CAPTION_CHECK else _atoms(counted, tallies)


def _captions(counted: SurveyResults, decided: Sequence[QuestionVotes]) -> SurveyResults:
    judged = [_judged(tally) for tally in decided if tally.truth is not None]
    disputed = [tally for tally in decided if not is_unanimous([_verdict(answer) for _, answer in tally.votes])]
    listed = [_listed_caption(tally) for tally in disputed]
    listed.sort(key=lambda one: one.share)
    charts, named = _caption_charts(judged), named_by_majority(judged)
    return replace(counted, charts=charts, named=named, listed=tuple(listed))


def _listed_caption(tally: QuestionVotes) -> ListedQuestion:
    share = _judged(tally).right / len(tally.votes) if tally.truth else 1.0
    kind = "foil" if tally.truth and _verdict(tally.truth) is CaptionVerdict.WRONG else "correct caption"
    return ListedQuestion(kind, tally.item, (tally.image, tally.number), share)


def _verdict(answer: Any) -> CaptionVerdict:
    return caption_verdict(answer)


def _judged(tally: QuestionVotes) -> JudgedCaption:
    """Return how many votes are right. A wrong word does not make the verdict on a foil wrong."""
    truth = _verdict(tally.truth)
    right = sum(_verdict(answer) is truth for _, answer in tally.votes)
    named = sum(is_right_check(tally.truth, answer) for _, answer in tally.votes)
    return JudgedCaption(truth, len(tally.votes), right, named)


def _caption_charts(judged: Sequence[JudgedCaption]) -> tuple[Chart, ...]:
    rows: list[list[Cell]] = [[name, *share] for name, share in agreement(judged).items()]
    shares = Chart(
        "agreement",
        "Judged right",
        "Of decided captions whose truth is known by construction. “Overall” is the mean of the two rows above it.",
        ("captions", "decided", "by the majority", "by everybody"),
        rows,
        percent=frozenset({2, 3}),
    )
    votes = Chart(
        "votes",
        "Agreement",
        "Decided captions by how many workers judged them right.",
        ("right votes", "correct captions", "foils"),
        [[str(right), *counts] for right, *counts in histogram(judged)],
        "stacked",
    )
    return shares, votes


def _atoms(counted: SurveyResults, tallies: Sequence[QuestionVotes]) -> SurveyResults:
    order = [category.value for category in AtomCategory]
    voted = sorted(
        (tally for tally in tallies if tally.votes),
        key=lambda one: (order.index(one.shown["category"]), one.shown["atom"]),
    )
    listed = [_listed_atom(tally) for tally in voted]
    return replace(counted, charts=_atom_charts(tallies), listed=tuple(listed))


def _listed_atom(tally: QuestionVotes) -> ListedQuestion:
    category, atom = tally.shown["category"], tally.shown["atom"]
    return ListedQuestion(category, atom, (tally.image, tally.number), _votes_for_visual(tally) / len(tally.votes))


def is_visual(tally: QuestionVotes) -> bool:
    """Tell whether the majority can see the word in a picture."""
    return 2 * _votes_for_visual(tally) > len(tally.votes)


def _votes_for_visual(tally: QuestionVotes) -> int:
    return sum(answer == AtomAnswer.YES for _, answer in tally.votes)


def _atom_charts(tallies: Sequence[QuestionVotes]) -> tuple[Chart, ...]:
    of: dict[str, list[QuestionVotes]] = defaultdict(list)
    for tally in tallies:
        of[tally.shown["category"]].append(tally)
    groups = [(category.value, of[category.value]) for category in AtomCategory if of[category.value]]
    rows: list[list[Cell]] = [_atom_row(name, group) for name, group in [*groups, ("all", list(tallies))]]
    share = Chart(
        "visual",
        "Visual words by category",
        "Of decided words: the share that the majority can see in a picture.",
        ("category", "visual", "words", "decided", "by everybody"),
        rows,
        "shares",
        frozenset({1, 4}),
    )
    yes = Counter(sum(answer == AtomAnswer.YES for _, answer in tally.votes) for tally in tallies if tally.decided)
    most = max((len(tally.votes) for tally in tallies if tally.decided), default=-1)
    votes = Chart(
        "votes",
        "Agreement",
        "Decided words by how many workers can see them in a picture.",
        ("votes for yes", "words"),
        [[str(number), yes[number]] for number in range(most + 1)],
        "stacked",
    )
    return share, votes


def _atom_row(name: str, group: Sequence[QuestionVotes]) -> list[Cell]:
    decided = [tally for tally in group if tally.decided]
    visual = sum(map(is_visual, decided))
    same = sum(is_unanimous([answer for _, answer in tally.votes]) for tally in decided)
    shares = [part / len(decided) if decided else None for part in (visual, same)]
    return [name, shares[0], len(group), len(decided), shares[1]]


@dataclass(frozen=True, slots=True)
class ShownWord:
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
class CountedQuestion:
    """One question of the list."""

    listed: ListedQuestion
    image: Image
    item: str
    caption: list[ShownWord]
    """Of a caption check."""
    atom: str
    category: str
    kind: str
    """Correct caption or foil; of an atom, the majority's verdict."""
    ballots: list[Ballot]


def question_rows(project: Project, listed: Sequence[ListedQuestion]) -> list[CountedQuestion]:
    """Return these questions in this order, in a fixed number of statements."""
    ids = {image for image, _ in (item.place for item in listed)}
    found = {(tally.image, tally.number): tally for tally in tallies_of(project, ids)}
    images = Image.objects.in_bulk(ids)
    return [_question_row(project, item, images[item.place[0]], found[item.place]) for item in listed]


def _question_row(project: Project, listed: ListedQuestion, image: Image, tally: QuestionVotes) -> CountedQuestion:
    shown = tally.shown
    ballots = [_ballot(project, tally, worker, answer) for worker, answer in tally.votes]
    if project.survey == Task.CAPTION_CHECK:
        wrong = (tally.truth or {}).get("word")
        caption = [ShownWord(text, place == wrong) for place, text in enumerate(tokens(shown["caption"]))]
        return CountedQuestion(listed, image, tally.item, caption, "", "", listed.kind, ballots)
    kind = ("visual" if is_visual(tally) else "not visual") if tally.decided else "not decided"
    return CountedQuestion(listed, image, tally.item, [], shown["atom"], shown["category"], kind, ballots)


def _ballot(project: Project, tally: QuestionVotes, worker: int, answer: Any) -> Ballot:
    name = pseudonym(project.pk, worker)
    if project.survey != Task.CAPTION_CHECK:
        return Ballot(name, str(answer), None if tally.truth is None else answer == tally.truth)
    verdict = caption_verdict(answer)
    right = None if tally.truth is None else verdict is caption_verdict(tally.truth)
    return Ballot(name, _in_words(tally.shown["caption"], answer, verdict), right)


def _in_words(caption: str, answer: Any, verdict: CaptionVerdict) -> str:
    if verdict is CaptionVerdict.CORRECT:
        return "correct"
    typed = f", rather “{answer['right']}”" if answer.get("right") else ""
    return f"wrong: “{tokens(caption)[answer['word']]}”{typed}"


HOURS = 24


@operation(name="results", surveys=True, only_surveys=True, path="results/", method="get", action=Action.REVIEW)
def read_results(project: Project, inputs: NoInput, caller: Caller) -> LiveFigures:
    """Return how far a survey is; to those who manage it also what it costs, and what needs a person."""
    figures, settings = read_figures(project.pk), current_settings(project.pk)[1]
    found = results_now(project, settings)
    if not (caller.user is None or may(caller.user, Action.MANAGE, project)):
        return LiveFigures.of(progress_tiles(found, figures), [])
    tiles = progress_tiles(found, figures) + money_tiles(project, found, figures, settings)
    return LiveFigures.of(tiles, needs_of(project, settings, figures))


def results_now(project: Project, settings: SurveySettings) -> SurveyResults:
    """Return the findings, which are computed anew once in a while."""
    return cached_read(f"survey:{project.pk}", lambda: results_of(project, settings.survey_votes))


def progress_tiles(results: SurveyResults, figures: Mapping[str, FigureGroup]) -> list[Tile]:
    """Return how far the survey is, and how fast it goes."""
    share = percent(results.decided / results.questions if results.questions else None, 1)
    open_ones = results.questions - results.decided - results.given_up
    tiles = [
        Tile("decided", "Questions decided", share, f"{results.decided:,} of {results.questions:,}"),
        Tile(
            "open",
            "Open questions",
            f"{open_ones:,}",
            f"they need {counted(results.lacking, 'vote')} more" if open_ones else "",
        ),
    ]
    if results.given_up:
        tiles.append(Tile("given_up", "Given up", f"{results.given_up:,}", "nobody was left who could answer"))
    hours = figures["pace"].values["hours"][-HOURS:] if "pace" in figures else []
    day = sum(number for _, number in hours)
    tiles.append(Tile("votes", "Votes", f"{results.votes:,}", "that count"))
    if hours:
        about = "answers in the last 24 hours, verification questions included"
        tiles.append(Tile("rate", "Answers per hour", f"{day / HOURS:,.1f}", about))
        tiles.append(Tile("end", "Time to the end", *_end(results.lacking, day)))
    return tiles


def _end(lacking: int, day: int) -> tuple[str, str]:
    if not lacking:
        return "done", "every question is decided"
    if not day:
        return "unknown", "nobody answered in the last 24 hours"
    return f"about {days_or_hours(lacking * HOURS / day)}", "at the pace of the last 24 hours"


def money_tiles(
    project: Project, results: SurveyResults, figures: Mapping[str, FigureGroup], settings: Settings
) -> list[Tile]:
    """Return what the survey costs; nothing before it was first computed."""
    if "money" not in figures:
        return []
    spent: Mapping[str, Any] = figures["money"].values
    task = Task(project.survey).value
    rest = results.lacking * settings.reward_cents[task] / settings.batch[task]
    about = f"an estimate: {counted(results.lacking, 'vote')} at the present reward"
    return [*spent_tiles(spent, settings), Tile("to_come", "To come", money(round(rest), settings.currency), about)]
