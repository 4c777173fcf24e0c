"""A reviewer annotates sampled images, and known questions of all six tasks come out.
Annotations come from a file or a program just as from the page.
Two people annotate independently: what they agree on counts, and what they dispute counts once it is settled.
Questions of finished images are suggested, and confirmed, refused, skipped and taken back one after another.
A draft that newcomers can join does not start without known questions, and says so; others start as before.
"""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Role
from annotation.models import Gold, Project
from annotation.rules.states import ProjectState
from pipeline.gold_questions.known_questions import Purpose
from pipeline.models import Entry, Judgment, KnownQuestion, LedgerEntry, Question
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.record.intervene import act_as_expert
from platforms.models import Recruitment
from projects.gold.known_question_operations import (
    DECIDED_BY_ONE,
    SuggestedQuestion,
    SuggestedQuestions,
    make_questions,
    suggested_questions,
)
from projects.gold.sheets import gold_report
from projects.lifecycle.change_state import DraftIncompleteError, change_state, missing_before_start
from projects.models import GoldAnnotation, GoldImage
from projects.operation import COMMAND_LINE
from simulation.simulate import SimulationError, load_gold
from tests.projects.gold.conftest import FAR, LEFT, LOW, RIGHT_SHEET, address, browser, draw, otherwise, send
from tests.support.members import member, sign_in
from workers.invitations import grant_access, invite, worker_for
from workers.models import Worker

MAN = {"mentions": [0, 1], "non_visual": "", "boxes": [FAR]}
API = "/api/v1/requester/projects/small/gold/"
DOGS = [{"mentions": [2], "non_visual": "", "boxes": [LOW]}, {"mentions": [3], "non_visual": "", "boxes": [LOW]}]
ONE_MAN = {"mentions": [0, 1], "non_visual": "", "boxes": [LEFT]}
PAGE = "/projects/drawn/gold/suggestions/"


def tasks_of(**filters: object) -> set[str]:
    return set(KnownQuestion.objects.filter(retired_at=None, **filters).values_list("task", flat=True))


@pytest.mark.slow
def test_one_annotated_image_gives_questions_of_all_six_tasks(rita: Client, draft: Project) -> None:
    (row,) = draw(rita)
    reply = send(rita, row)
    assert reply.status_code == 200 and reply.json()["finished"]
    assert tasks_of() == {task.value for task in PROTOCOL_TASKS}
    assert set(KnownQuestion.objects.values_list("source", "added_by")) == {("gold", "rita")}
    assert Gold.objects.get().complete
    page = rita.get("/projects/small/gold/").text
    assert "settled" in page and "Coreference link" in page


def test_annotating_is_no_judgment_and_nothing_of_the_record(rita: Client, draft: Project) -> None:
    before = list(Entry.objects.values_list("image", "sequence", "kind"))
    (row,) = draw(rita)
    send(rita, row)
    assert list(Entry.objects.values_list("image", "sequence", "kind")) == before
    assert not Judgment.objects.exists() and not LedgerEntry.objects.exists()


def test_what_is_not_finished_is_kept_and_counts_for_nothing(rita: Client, draft: Project) -> None:
    (row,) = draw(rita)
    begun = [{"mentions": [0, 1], "non_visual": "", "boxes": [FAR]}, *({"mentions": [n]} for n in range(2, 7))]
    assert send(rita, row, begun, finish=False).json()["finished"] is False
    assert rita.get(address(row)).json()["chains"][0]["boxes"] == [FAR] and not KnownQuestion.objects.exists()
    refused = send(rita, row, begun)
    assert refused.status_code == 400 and "5 of 6 chains have neither" in refused.json()["message"]
    assert not Gold.objects.exists() and "begun" in rita.get("/projects/small/gold/").text


def test_looking_at_an_image_begins_nothing(rita: Client, ada: Client, draft: Project) -> None:
    (row,) = draw(rita)
    read = ada.get(address(row)).json()
    assert [one["mentions"] for one in read["chains"]] == [[n] for n in range(7)] and read["revision"] == 0
    assert not GoldAnnotation.objects.exists()


def test_two_windows_do_not_overwrite_each_other(rita: Client, draft: Project) -> None:
    (row,) = draw(rita)
    send(rita, row, finish=False)
    stale = {"chains": RIGHT_SHEET, "revision": 0, "finish": True}
    refused = rita.post(address(row), stale, content_type="application/json")
    assert refused.status_code == 409 and "another window" in refused.json()["message"]


@pytest.mark.parametrize("body", ["{", "[]", '{"chains": 1, "revision": 0}', '{"chains": [], "revision": 0}'])
def test_a_sheet_of_another_shape_is_refused_in_words(rita: Client, draft: Project, body: str) -> None:
    (row,) = draw(rita)
    refused = rita.post(address(row), body, content_type="application/json")
    assert refused.status_code == 400 and refused.json()["message"]


def test_an_image_for_one_person_is_not_annotated_by_another(rita: Client, ada: Client, draft: Project) -> None:
    (row,) = draw(rita)
    send(ada, row, finish=False)
    refused = rita.get(address(row))
    assert refused.status_code == 400 and "annotated by ada" in refused.json()["message"]


@pytest.mark.slow
def test_in_a_draft_a_corrected_image_gives_its_questions_anew(rita: Client, draft: Project) -> None:
    (row,) = draw(rita)
    send(rita, row)
    send(rita, row, otherwise(MAN))
    rows = KnownQuestion.objects.filter(task=Task.BOX_DRAWING.value)
    assert [one.truth for one in rows if one.shown["mentions"][0][0] in (0, 1) and one.truth] == [[FAR]]


@pytest.mark.slow
def test_after_the_start_wrong_questions_are_retired_and_the_others_stay(rita: Client, draft: Project) -> None:
    (row,) = draw(rita)
    send(rita, row)
    Project.objects.update(state=ProjectState.RUNNING.value)
    before = set(KnownQuestion.objects.values_list("id", flat=True))
    send(rita, row, otherwise(MAN))
    assert before <= set(KnownQuestion.objects.values_list("id", flat=True))
    for one in KnownQuestion.objects.filter(id__in=before):
        of_the_man = {place[0] for place in one.shown["mentions"]} & {0, 1}
        assert (one.retired_at is not None) == bool(of_the_man), one.shown


def test_who_annotated_an_image_is_never_asked_its_questions_as_a_worker(rita: Client, draft: Project) -> None:
    worker = worker_for(User.objects.get(username="rita"))
    (row,) = draw(rita)
    send(rita, row)
    assert KnownQuestion.objects.exists() and all(one.not_for == [worker.pk] for one in KnownQuestion.objects.all())


@pytest.mark.slow
def test_a_question_that_was_retired_by_hand_does_not_come_back(rita: Client, draft: Project) -> None:
    first, second = draw(rita, 2)
    send(rita, first)
    retired = KnownQuestion.objects.filter(purpose=Purpose.VERIFICATION)[0]
    KnownQuestion.objects.filter(pk=retired.pk).update(retired_at=retired.created_at)
    send(rita, second)
    make_questions(draft)
    assert KnownQuestion.objects.get(key=retired.key, task=retired.task).retired_at is not None


def test_the_sheet_follows_phrases_that_an_expert_changed(rita: Client, draft: Project) -> None:
    (row,) = draw(rita)
    send(rita, row, finish=False)
    add = [[7, 0, 0, 1, ["people"], "a"]]
    act_as_expert(image_id=row.image_id, action={"action": "rechunk", "remove": [0], "add": add}, actor="rita")
    assert [one["mentions"] for one in rita.get(address(row)).json()["chains"]] == [[7], [1], [2, 3], [4], [5], [6]]


def test_images_are_drawn_once_and_only_those_that_can_be_annotated(rita: Client, draft: Project) -> None:
    draft.images.filter(name="0").update(picture="")
    Gold.objects.create(image=draft.images.get(name="1"), chains=[])
    assert {row.image.name for row in draw(rita, 99)} == {"2", "3", "4", "5", "6", "7"}
    page = rita.post("/projects/small/gold/", {"count": 5, "annotators": 1}, follow=True).text
    assert "No image is left to annotate" in page
    for count in ("0", "101", "x", ""):
        assert "Count: " in rita.post("/projects/small/gold/", {"count": count}, follow=True).text


@pytest.mark.both_engines
def test_an_image_is_left_out_until_questions_were_made_of_it(rita: Client, ada: Client, draft: Project) -> None:
    first, second = draw(rita, 2)
    send(rita, first)
    for row, words in ((first, "it stays"), (second, "no longer in the sample")):
        path = f"/projects/small/gold/{row.image_id}/remove/"
        assert ada.post(path).status_code == 403 and words in rita.post(path, follow=True).text
    assert list(GoldImage.objects.all()) == [first]


def test_the_next_image_is_one_that_waits_for_this_person(rita: Client, ada: Client, draft: Project) -> None:
    first, second, third = draw(rita, 3)
    send(ada, second, finish=False)
    assert rita.get(address(first)).json()["next"] == f"/projects/small/gold/{third.image_id}/"
    assert ada.get(address(first)).json()["next"] == f"/projects/small/gold/{second.image_id}/"
    send(rita, third)
    assert rita.get(address(first)).json()["next"] is None


@pytest.mark.slow
def test_right_answers_that_came_with_the_data_give_questions_at_once(client: Client, drawn: Project) -> None:
    sign_in(client, drawn, Role.REQUESTER, "rita")
    assert "Make questions of them" in client.get("/projects/drawn/gold/").text
    page = client.post("/projects/drawn/gold/imported/", follow=True).text
    assert "Known questions were added: coreference link" in page
    assert tasks_of(source="gold") == {task.value for task in PROTOCOL_TASKS}
    assert "give no more questions" in client.post("/projects/drawn/gold/imported/", follow=True).text


@pytest.mark.slow
def test_the_page_takes_the_same_statements_for_any_number_of_images(rita: Client, draft: Project) -> None:
    counts = []
    for more in (1, 4):
        send(rita, draw(rita, more)[-1])
        rita.get("/projects/small/gold/")  # the message of the save is shown, and leaves the session
        with CaptureQueriesContext(connection) as taken:
            rita.get("/projects/small/gold/")
        counts.append(len(taken))
    assert counts[0] == counts[1] <= 20


def told(image: str, **change: Any) -> dict[str, Any]:
    """Return the right annotation as files and programs write it: mention n is the first two words of caption n."""
    chains = [
        {**one, "phrases": [[number, 0, 2] for number in one["mentions"]]}
        for one in json.loads(json.dumps(RIGHT_SHEET))
    ]
    for chain in chains:
        del chain["mentions"]
    return {"image": image, "chains": chains, **change}


@pytest.mark.slow
def test_a_file_gives_known_questions_and_says_what_it_did_not_take(
    draft: Project, rita: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    invite(project_id=draft.pk, tasks=["box_quality"])
    lines = [told("0"), told("1"), told("none"), told("2", chains=[{"phrases": [[0, 0, 9]]}]), {"image": 1}]
    file = tmp_path / "gold.jsonl"
    file.write_text("\n".join([*map(json.dumps, lines), "", "{"]))
    with pytest.raises(CommandError, match="4 annotations were refused"):
        call_command("gold", "small", str(file), "--by", "rita")
    said = capsys.readouterr()
    assert "2 annotations taken, 4 refused" in said.out and "box quality:" in said.out
    for words in (":3: There is no image 'none'", ":4: 2 has no phrase at [0, 0, 9]", ":5: An annotation", ":7: "):
        assert words in said.err
    assert "known questions are missing: box quality" in said.err
    assert set(KnownQuestion.objects.values_list("task", flat=True)) == {task.value for task in PROTOCOL_TASKS}
    with pytest.raises(CommandError, match="4 annotations were refused"):
        call_command("gold", "small", str(file), "--by", "rita")
    assert Gold.objects.count() == 2, "the same file again changes nothing"


@pytest.mark.slow
def test_two_files_of_two_people_are_compared(draft: Project, ada: Client, bob: Client, tmp_path: Path) -> None:
    for name, boxes in (("ada", [[0, 0, 40, 60]]), ("bob", [[100, 0, 150, 60]])):
        given = told("0")
        given["chains"][0]["boxes"] = boxes
        (tmp_path / name).write_text(json.dumps(given))
        call_command("gold", "small", str(tmp_path / name), "--by", name, "--annotators", "2", verbosity=0)
    assert GoldImage.objects.get().disputes == 1 and not Gold.objects.get().complete


@pytest.mark.parametrize("who", [[], ["--by", "nobody"], ["--by", "stranger"]])
@pytest.mark.both_engines
def test_a_file_needs_a_reviewer(draft: Project, tmp_path: Path, who: list[str], django_user_model: Any) -> None:
    django_user_model.objects.create_user("stranger")
    (tmp_path / "a").write_text(json.dumps(told("0")))
    with pytest.raises(CommandError, match="Name a reviewer"):
        call_command("gold", "small", str(tmp_path / "a"), *who)


def test_a_program_annotates_and_reads_what_is_missing(draft: Project, rita: Client) -> None:
    before = rita.get(API).json()
    assert (before["least"], before["recommended"], before["missing"]) == (40, 70, [])
    assert [one["known"] for one in before["tasks"]] == [0] * 6
    after = rita.post(API, told("3"), content_type="application/json").json()
    assert all(one["known"] > 0 and one["images_needed"] > 0 for one in after["tasks"]), after
    refused = rita.post(API, told("none"), content_type="application/json")
    assert refused.status_code == 400 and "There is no image" in refused.text


def test_an_image_of_somebody_else_or_with_imported_gold_is_refused(draft: Project, rita: Client, ada: Client) -> None:
    (row,) = draw(rita)
    send(ada, row, finish=False)
    refused = rita.post(API, told(row.image.name), content_type="application/json")
    assert refused.status_code == 400 and "annotated by ada" in refused.text
    other = draft.images.exclude(pk=row.image_id)[0]
    Gold.objects.create(image=other, chains=[])
    refused = rita.post(API, told(other.name), content_type="application/json")
    assert "came with its right answers" in refused.text and ada.get(address(row)).json()["revision"] == 1


def shown_phrases() -> set[int]:
    return {place[0] for one in KnownQuestion.objects.all() for place in one.shown["mentions"]}


@pytest.fixture
def disputed(ada: Client, bob: Client, rita: Client, draft: Project) -> GoldImage:
    """An image of which ada and bob see the dogs and the boxes of the man differently."""
    (row,) = draw(rita, annotators=2)
    send(ada, row)
    send(bob, row, otherwise(*DOGS, ONE_MAN))
    return row


def test_one_of_two_counts_for_nothing_and_is_not_shown_to_the_other(ada: Client, bob: Client, rita: Client) -> None:
    (row,) = draw(rita, annotators=2)
    send(ada, row)
    assert not KnownQuestion.objects.exists() and not Gold.objects.exists()
    read = bob.get(address(row)).json()
    assert read["disputes"] == [] and [one["mentions"] for one in read["chains"]] == [[n] for n in range(7)]
    assert "1 of 2 annotated" in rita.get("/projects/small/gold/").text


def test_what_both_have_counts_at_once(ada: Client, bob: Client, rita: Client) -> None:
    (row,) = draw(rita, annotators=2)
    send(ada, row)
    near = [{"mentions": [4], "non_visual": "", "boxes": [[FAR[0] + 2, *FAR[1:]]]}]
    assert send(bob, row, otherwise(*near)).status_code == 200
    gold = Gold.objects.get()
    assert gold.complete and gold.chains[2]["boxes"] == [[FAR[0] + 1, *FAR[1:]]]
    assert GoldImage.objects.get().settled_at and KnownQuestion.objects.filter(added_by="ada, bob").exists()


def test_a_third_person_is_one_too_many(ada: Client, bob: Client, rita: Client) -> None:
    (row,) = draw(rita, annotators=2)
    send(ada, row, finish=False)
    send(bob, row, finish=False)
    assert "annotated by ada and bob" in rita.get(address(row)).json()["message"]


def test_of_a_disputed_image_only_the_agreed_part_counts(disputed: GoldImage, draft: Project) -> None:
    gold = Gold.objects.get()
    assert not gold.complete and [one["mentions"] for one in gold.chains] == [[4], [5], [6], [0, 1]]
    assert gold.chains[3]["open"] and shown_phrases() == {0, 1, 4, 5, 6}
    about_boxes = KnownQuestion.objects.exclude(task__in=["coreference_link", "chain_verification"])
    assert {one.shown["mentions"][0][0] for one in about_boxes} == {4, 5, 6}
    with pytest.raises(SimulationError, match="8 of the 8 images"):
        load_gold(draft)


@pytest.mark.slow
def test_two_see_disagreements_and_one_settles(disputed: GoldImage, ada: Client, bob: Client, rita: Client) -> None:
    assert "2 disagreements" in rita.get("/projects/small/gold/").text
    read = bob.get(address(disputed)).json()
    told = [(one["about"], one["mentions"], [side["name"] for side in one["sides"]]) for one in read["disputes"]]
    assert told == [("boxes", [0, 1], ["ada", "bob"]), ("phrases", [2, 3], ["ada", "bob"])]
    assert [one["mentions"] for one in read["chains"] if one["boxes"] or one["non_visual"]] == [[4], [5], [6]]
    settled = send(bob, disputed, RIGHT_SHEET).json()
    assert settled["is_settlement"] and settled["finished"] and settled["next"] is None
    row = GoldImage.objects.get()
    assert row.settled_at and row.disputes == 0 and Gold.objects.get().complete
    assert shown_phrases() == set(range(7))
    own: Any = {one.name: one.chains for one in row.annotations.filter(settles=False)}
    assert own["ada"] != own["bob"], "what each had said stays"


@pytest.mark.slow
@pytest.mark.both_engines
@pytest.mark.usefixtures("bob", "draft")
def test_a_disputed_image_waits_for_the_two_and_not_for_others(disputed: GoldImage, ada: Client, rita: Client) -> None:
    first = f"/projects/small/gold/{disputed.image_id}/"
    assert f'<a class="button main" href="{first}">Annotate</a>' in ada.get("/projects/small/gold/").text
    assert "Annotate</a>" not in rita.get("/projects/small/gold/").text
    assert rita.get(address(disputed)).json()["is_settlement"], "a requester may settle it nevertheless"


def test_another_reviewer_does_not_settle_it(disputed: GoldImage, draft: Project) -> None:
    cleo = browser(member(draft, Role.REVIEWER, "cleo"))
    assert "one of them settles" in cleo.get(address(disputed)).json()["message"]


@pytest.fixture
def boss(client: Client, drawn: Project) -> Client:
    sign_in(client, drawn, Role.REQUESTER, "rita")
    return client


def suggestions_of(project: Project) -> list[SuggestedQuestion]:
    return suggested_questions(project, SuggestedQuestions(), COMMAND_LINE).root


def suggested(boss: Client) -> int:
    """Return the id of the question that the page shows."""
    found = re.search(r'name="question" value="(\d+)"', boss.get(PAGE).text)
    assert found, "no suggestion is shown"
    return int(found[1])


def say(boss: Client, word: str, question: int | None = None) -> str:
    body = {"say": word, "question": suggested(boss) if question is None and word not in ("find", "undo") else question}
    return boss.post(PAGE, {name: value for name, value in body.items() if value is not None}, follow=True).text


def stock() -> dict[str, bool]:
    """Return whether each question of the stock is asked, by key."""
    return {one.key: one.retired_at is None for one in KnownQuestion.objects.all()}


def test_every_task_has_suggestions_with_picture_phrase_and_answer(boss: Client, drawn: Project) -> None:
    tasks = {row.task for row in suggestions_of(drawn)}
    assert {task.value for task in DECIDED_BY_ONE} <= tasks and Task.BOX_COVERAGE.value in tasks
    page = say(boss, "find")
    assert "The right answer would be" in page and 'class="phrase c0"' in page and "<img" in page
    assert not KnownQuestion.objects.exists(), "looking adds nothing"


def test_yes_adds_the_question_and_no_keeps_it_away_for_good(boss: Client, drawn: Project) -> None:
    say(boss, "find")
    first = suggested(boss)
    say(boss, "yes")
    added = KnownQuestion.objects.get()
    assert (added.source, added.added_by, added.retired_at) == ("agreed", "rita", None)
    second = suggested(boss)
    assert second != first
    page = say(boss, "no")
    assert sorted(stock().values()) == [False, True] and "1 confirmed, 1 refused" in page
    assert not {first, second} & {row.question for row in suggestions_of(drawn)}


@pytest.mark.both_engines
def test_skip_changes_nothing_and_undo_takes_each_word_back(boss: Client) -> None:
    say(boss, "find")
    shown = [suggested(boss)]
    for word in ("yes", "skip", "no"):
        say(boss, word)
        shown.append(suggested(boss))
    for question in reversed(shown[:3]):
        say(boss, "undo")
        assert suggested(boss) == question
    assert not any(stock().values())
    say(boss, "yes")
    assert sorted(stock().values()) == [False, True], "what was taken back can be confirmed again"


def test_a_button_that_is_pressed_twice_acts_once(boss: Client) -> None:
    say(boss, "find")
    first = suggested(boss)
    say(boss, "yes", first)
    assert "Nothing was done" in say(boss, "yes", first) and len(stock()) == 1


def test_a_suggestion_whose_image_has_moved_on_is_passed_over(boss: Client) -> None:
    say(boss, "find")
    question = Question.objects.get(pk=suggested(boss))
    action = {"action": "review", "chain": question.image.mentions.get(number=question.shown["mentions"][0][0]).chain}
    act_as_expert(image_id=question.image_id, action=action, actor="rita", reason="in doubt")
    assert suggested(boss) != question.pk and "Nothing was done" in say(boss, "yes", question.pk) and not stock()


def test_without_finished_questions_nothing_is_suggested(boss: Client) -> None:
    Question.objects.update(state="open", outcome="")
    assert "No finished question qualifies yet" in say(boss, "find") and "No suggestion waits" in boss.get(PAGE).text


def missing(project: Project) -> str:
    return " ".join(missing_before_start(project))


def test_a_draft_that_only_trusted_workers_join_needs_no_known_questions(draft: Project, rita: Client) -> None:
    invite(project_id=draft.pk, trusted=True)
    grant_access(Worker.objects.create(name="eve"), draft.pk, [task.value for task in PROTOCOL_TASKS], trusted=True)
    assert missing(draft) == ""
    assert "Nobody but trusted workers can join so far" in rita.get("/projects/small/gold/").text
    change_state(draft.pk, ProjectState.RUNNING, None)


def test_a_draft_with_an_open_invitation_says_what_is_missing_and_does_not_start(draft: Project, rita: Client) -> None:
    invite(project_id=draft.pk, tasks=["coreference_link"], note="friends")
    assert "the invitation “friends”" in missing(draft)
    assert "coreference link (0 of 40 known, 0 of 10 test)" in missing(draft) and "box" not in missing(draft)
    for one_address in ("/projects/small/gold/", "/projects/small/data/"):
        assert "0 of 40 known" in rita.get(one_address).text
    with pytest.raises(DraftIncompleteError, match="known questions are missing"):
        change_state(draft.pk, ProjectState.RUNNING, None)
    rita.post("/projects/small/state/", {"state": "running"})
    draft.refresh_from_db()
    assert draft.state == "draft"


def test_invitations_that_nobody_can_use_do_not_count(draft: Project) -> None:
    invite(project_id=draft.pk, days=-1)
    invite(project_id=draft.pk, most=0)
    assert missing(draft) == ""


def test_platforms_and_workers_who_are_not_trusted_yet_count(draft: Project) -> None:
    Recruitment.objects.create(platform="prolific", project=draft, created_at=timezone.now(), tasks=["box_quality"])
    assert "recruiting on prolific" in missing(draft) and "box quality" in missing(draft)
    Recruitment.objects.update(active=False)
    assert missing(draft) == ""
    grant_access(Worker.objects.create(name="eve"), draft.pk, ["box_drawing"])
    assert "a worker who is not trusted yet" in missing(draft)


@pytest.mark.slow
def test_it_starts_once_enough_images_are_annotated(draft: Project, rita: Client) -> None:
    few = replace(current_settings(draft.pk)[1], probation=1, probation_most=2, test_questions=1, tests=1)
    change_settings(project_id=draft.pk, settings=few, reason="a small test")
    invite(project_id=draft.pk, days=1)
    rows = draw(rita, 5)
    assert "0 of 11 known" in missing(draft)
    for row in rows:
        assert all(one.least_images for one in gold_report(draft).tasks if not one.enough), (
            "none needed, and not enough"
        )
        send(rita, row)
    assert missing(draft) == "", KnownQuestion.objects.values_list("task", "purpose")
    assert "Before the project can be started" not in rita.get("/projects/small/gold/").text
    change_state(draft.pk, ProjectState.RUNNING, None)
    assert not KnownQuestion.objects.filter(retired_at__isnull=False).exists()


def test_a_running_project_without_questions_says_that_newcomers_wait(draft: Project, rita: Client) -> None:
    change_state(draft.pk, ProjectState.RUNNING, None)
    invite(project_id=draft.pk)
    assert "Newcomers can join, and 6 tasks lack known questions" in rita.get("/projects/small/gold/").text
