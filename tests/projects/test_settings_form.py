"""The form of a project's settings, as a browser without JavaScript sends it.
Settings of model annotators: only programs can, and the page warns before they finish chains alone.
The page of what was learned, and settings that show only what people chose.
"""

from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.test import Client

from accounts.models import Role
from annotation.models import Project
from belief.links.link_prior import DEFAULT
from pipeline.learning.refit import given_to, refit_links
from pipeline.models import SettingsVersion
from pipeline.project.settings_versions import change_settings, chosen_versions, current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.record.read_record import replay
from pipeline.settings.guide import GUIDE, applies
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.of_learned import NOTHING_LEARNED
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.settings.pages import history, learned
from tests.pipeline.learning.test_refit import ADAPTIVE, answer_all, men, votes
from tests.support.html_form import fields_of
from tests.support.kept import Kept, kept_rows
from tests.support.members import sign_in
from tests.support.projects import lease, phrases, project_of, submit, worker
from tests.support.settings_with import settings_with
from tests.support.table import row
from workers.models import Worker

pytestmark = pytest.mark.django_db

PAGE = "/projects/small/settings/"
API = "/api/v1/requester/projects/small/settings/"
SETTINGS = "/projects/small/settings/"
LEARNED_PAGE = f"{SETTINGS}learned/"


@pytest.fixture
def project(client: Client) -> Project:
    made = project_of(
        *[phrases("people: a man", "people: the man", "people: a boy", name=str(n)) for n in range(3)],
        settings=Settings(strategy=LinkStrategy.EXHAUSTIVE),
    )
    sign_in(client, made, Role.REQUESTER, "ada")
    return made


def form_of(client: Client) -> dict[str, Any]:
    html = client.get(PAGE).text
    return fields_of(html, next(n for n, text in enumerate(html.split("<form")[1:]) if 'name="based_on"' in text))


def look(client: Client, data: dict[str, Any], **changes: Any) -> Any:
    return client.post(PAGE, {**data, "action": "check", **changes})


def save(client: Client, looked: Any, **more: Any) -> Any:
    html = looked.text
    number = next(n for n, text in enumerate(html.split("<form")[1:]) if 'name="packed"' in text)
    return client.post(PAGE, {**fields_of(html, number), "action": "save", "reason": "we compared", **more})


def now(project: Project) -> Settings:
    return current_settings(project.id)[1]


def test_a_form_that_is_sent_as_it_was_changes_nothing(project: Project, client: Client) -> None:
    odd = replace(
        now(project),
        dictionaries={"add": {"people": ["gaffer"]}, "remove": {"other": []}},
        merge_iou=0.75,
        minimum={task.value: 0.55 for task in PROTOCOL_TASKS},
        lease_minutes=12.5,
        drawn_at_once=("scene", "people"),
    )
    change_settings(project_id=project.id, settings=odd)
    assert look(client, form_of(client)).status_code == 302 and "Nothing would change" in client.get(PAGE).text


def test_the_form_shows_every_setting_with_its_paper_value_and_says_what_differs(project: Project, client: Client):
    html, unset = client.get(PAGE).text, (*NOTHING_LEARNED, "model_annotators", "program_cost_cents", "model_families")
    for setting in (one for one in GUIDE if applies(one, is_survey=False) and one.name not in unset):
        assert f'id="s-{setting.name}"' in html and setting.label in unescape(html)
    assert 'id="s-model annotators"' not in html, "the page of models sets them"
    strategy = html.split('id="s-strategy"')[1].split("</fieldset>")[0]
    assert "Paper: greedy plus" in strategy and "differs" in strategy
    assert "differs" not in html.split('id="s-no_box_votes"')[1].split('id="s-')[0]


@pytest.mark.both_engines
def test_a_change_is_shown_first_and_saved_with_its_reason(project: Project, client: Client) -> None:
    looked = look(client, form_of(client), **{"batch.box_drawing": "7"})
    assert "Questions per assignment" in looked.text and "box drawing" in looked.text
    assert "<del>5</del>" in looked.text and "<ins>7</ins>" in looked.text
    assert current_settings(project.id)[0] == 1 and save(client, looked).status_code == 302
    assert now(project).batch["box_drawing"] == 7
    newest = SettingsVersion.objects.get(version=2)
    assert (newest.reason, newest.made_by) == ("we compared", "ada")


@row("batch.box_drawing", "0", "between 1 and 100, not 0")
@row("batch.box_drawing", "2.5", "A whole number between 1 and 100, not 2.5")
@row("minimum.box_quality", "100", "more than 0 and less than 100, not 100")
@row("merge_iou", "1.5", "more than 0 and at most 1, not 1.5")
@row("merge_iou", "nan", "not nan")
@row("no_box_votes", "", "1 or more, not empty")
@row("no_box_votes", "1e400", "1 or more, not 1e400")
@row("strategy", "fastest", "not “fastest”")
@row("currency", "dollar", "three capital letters")
@row("consensus_most", "1", "1 should be at least “Lead that settles a contradiction”, which is 2")
@row("caption_language", "???", "language tag")
@row("kept_days", "3", "30")
def test_a_wrong_value_is_named_beside_its_field_and_kept_to_be_mended(
    field: str, value: str, message: str, project: Project, client: Client
) -> None:
    html = unescape(look(client, form_of(client), **{field: value}).text)
    assert "Nothing is saved: 1 value cannot be right" in html
    beside = html.split(f'name="{field}"')[-1].split("setting")[0] if field != "strategy" else html
    assert message in beside and SettingsVersion.objects.count() == 1


def test_a_removed_word_that_no_list_holds_is_named(project: Project, client: Client) -> None:
    rows = {"edit.what": ["remove"], "edit.word": ["nosuchword"], "edit.list": ["people"]}
    assert "has no “nosuchword”" in unescape(look(client, form_of(client), **rows).text).replace(
        '"nosuchword"', "“nosuchword”"
    )
    rows = {"edit.what": ["add"], "edit.word": ["gaffer"], "edit.list": [""]}
    assert "Row 1: choose the list of “gaffer”" in look(client, form_of(client), **rows).text


def test_words_are_added_and_taken_out_row_by_row(project: Project, client: Client) -> None:
    rows = {"edit.what": ["add", "add"], "edit.word": ["Gaffer", ""], "edit.list": ["people", ""]}
    looked = look(client, form_of(client), **rows)
    assert "add “gaffer”: people" in looked.text and "Images that are imported already keep" in looked.text
    save(client, looked)
    assert now(project).dictionaries == {"add": {"people": ["gaffer"]}}
    save(client, look(client, form_of(client), **{"edit.word": ["", ""]}))
    assert now(project).dictionaries == {}


def test_terms_for_workers_are_saved_with_the_settings_and_make_no_version(project: Project, client: Client) -> None:
    looked = look(client, form_of(client), requester="The lab", kept_days="90")
    assert "The lab" in looked.text and "terms for workers" in looked.text
    save(client, looked)
    project.refresh_from_db()
    assert (project.requester, project.kept_days) == ("The lab", 90) and SettingsVersion.objects.count() == 1


def test_a_reason_is_asked_for(project: Project, client: Client) -> None:
    again = save(client, look(client, form_of(client), no_box_votes="3"), reason="  ")
    assert "Say in a few words why" in again.text
    assert 'required autofocus aria-invalid="true" aria-describedby="reason-error"' in again.text
    assert SettingsVersion.objects.count() == 1


def begin(project: Project) -> None:
    submit(lease(project, worker(project, "bob"), Task.COREFERENCE_LINK, size=2), "different", "different")
    tick(project_id=project.id)


def test_a_new_strategy_says_what_it_closes_and_can_spare_begun_images(project: Project, client: Client) -> None:
    begin(project)
    looked = look(client, form_of(client), strategy="greedy")
    html = looked.text
    assert "For all images that are not finished: 3" in html and "Only for images not yet begun, 2 now" in html
    assert "Closes 4 of 7 open link questions, as each image" in html
    assert "Answers given to links that are not settled yet, 2, all count." in html
    save(client, looked, scope="fresh")
    assert SettingsVersion.objects.get(version=2).begun_from == 2
    page = client.get(PAGE).text
    assert "1 begun image stays with earlier settings" in page and "images not yet begun" in page
    submit(lease(project, worker(project, "cleo"), Task.COREFERENCE_LINK, size=2), "same", "same")
    tick(project_id=project.id)
    assert list(replay(project)) == []


@pytest.mark.both_engines
def test_another_box_policy_says_what_becomes_of_the_chains_in_the_box_tasks(client: Client) -> None:
    made = project_of(phrases("people: a man"), phrases("animals: a dog", name="2"))
    sign_in(client, made, Role.REQUESTER, "ada")
    looked = look(client, form_of(client), box_policy="belief", box_sure="95")
    text = unescape(looked.text)
    assert "Chains in the box tasks, 2 now, keep their open question and follow “belief” from its answer on" in text
    assert "weighed anew with their next answer" in text
    save(client, looked)
    assert (now(made).box_policy, now(made).box_sure) == (BoxPolicyName.BELIEF, 0.95)


def test_begun_images_that_were_spared_can_follow_later(project: Project, client: Client) -> None:
    begin(project)
    save(client, look(client, form_of(client), strategy="greedy"), scope="fresh")
    looked = client.post(PAGE, {"action": "follow"})
    assert "Let begun images follow?" in looked.text
    save(client, looked)
    assert SettingsVersion.objects.get(version=3).begun_from is None
    assert "stays with earlier settings" not in client.get(PAGE).text


def test_a_version_made_meanwhile_is_noticed_before_the_look_and_before_the_save(project: Project, client: Client):
    form = form_of(client)
    change_settings(project_id=project.id, settings=replace(now(project), coverage_votes=3), reason="other")
    looked = look(client, form, no_box_votes="4")
    assert "Version 2 was saved in the meantime" in looked.text and "Votes for all boxes there" in looked.text
    change_settings(project_id=project.id, settings=replace(now(project), tests=9), reason="other again")
    again = save(client, looked)
    assert again.status_code == 200 and "Version 3 was saved in the meantime" in again.text
    assert save(client, again).status_code == 302
    assert (now(project).coverage_votes, now(project).tests, now(project).no_box_votes) == (3, 9, 4)


def test_terms_changed_meanwhile_are_not_overwritten(project: Project, client: Client) -> None:
    form = form_of(client)
    Project.objects.update(contact="desk@example.org")
    save(client, look(client, form, requester="The lab"))
    project.refresh_from_db()
    assert (project.requester, project.contact) == ("The lab", "desk@example.org")


def test_back_leads_to_the_form_with_what_was_entered(project: Project, client: Client) -> None:
    html = save(client, look(client, form_of(client), no_box_votes="4", requester="The lab"), action="back").text
    assert 'value="The lab"' in html and 'value="4"' in html.split('name="no_box_votes"')[1][:120]
    assert SettingsVersion.objects.count() == 1


def test_an_earlier_version_can_be_used_again(project: Project, client: Client) -> None:
    change_settings(project_id=project.id, settings=replace(now(project), no_box_votes=5), reason="a try")
    assert "a try" in client.get(PAGE).text
    looked = client.post(PAGE, {"action": "again", "number": "1"})
    assert "<del>5</del>" in looked.text and 'value="version 1 again"' in looked.text
    save(client, looked)
    assert (current_settings(project.id)[0], now(project).no_box_votes) == (3, 2)


def test_only_the_newest_versions_are_listed_until_all_are_asked_for(project: Project, client: Client) -> None:
    for one_votes in range(3, 28):
        change_settings(project_id=project.id, settings=replace(now(project), no_box_votes=one_votes))
    assert client.get(PAGE).text.count('class="version"') == 20
    assert client.get(f"{PAGE}?all").text.count('class="version"') == 26


def test_a_budget_below_what_is_promised_says_so(project: Project, client: Client) -> None:
    paid = replace(now(project), reward_cents={task.value: 50 for task in PROTOCOL_TASKS})
    change_settings(project_id=project.id, settings=paid)
    lease(project, worker(project, "bob"), Task.COREFERENCE_LINK, size=4)
    html = look(client, form_of(client), spend_cap_cents="10", **{"batch.coreference_link": "3"}).text
    assert "$0.20 of the budget are earned or promised already: nothing more is given to workers." in html
    assert "Assignments that workers have, 1 now, keep their questions and their reward." in html


@row({"action": "save", "packed": "{", "based_on": "1"})
@row({"action": "save", "packed": '{"settings": {"batch": 7}, "terms": {}}', "based_on": "1", "terms_before": "{}"})
@row({"action": "save", "packed": "[]", "based_on": "x"})
@row({"action": "back", "packed": "7", "based_on": "1"})
@row({"action": "again", "number": "99"})
@row({"action": "again", "number": "9" * 400})
def test_what_no_button_sends_is_refused(data: dict[str, str], project: Project, client: Client) -> None:
    assert client.post(PAGE, data).status_code == 404 and SettingsVersion.objects.count() == 1


@pytest.mark.parametrize("data", [{"no_box_votes": "4"}, {"action": "dance"}], ids=str)
@pytest.mark.usefixtures("project")
def test_a_form_without_its_version_or_with_an_unknown_button_changes_nothing(client: Client, data: dict[str, str]):
    assert client.post(PAGE, data).status_code == 302
    assert "nothing was changed" in client.get(PAGE).text.lower() and SettingsVersion.objects.count() == 1


@pytest.fixture
def judged(client: Client) -> Project:
    made = project_of(phrases("people: a man"))
    sign_in(client, made, Role.REQUESTER, "ada")
    return made


def patched(client: Client, *model_annotators: int) -> tuple[int, str]:
    sent = {"values": {"model_annotators": model_annotators}, "reason": "they judge", "based_on": 1}
    answer = client.patch(API, sent, content_type="application/json")
    return answer.status_code, answer.text


def test_the_api_takes_programs_and_names_the_number_of_anybody_else(judged: Project, client: Client) -> None:
    person, program = worker(judged, "petra").pk, worker(judged, "qwen", kind=Worker.Kind.PROGRAM).pk
    status, text = patched(client, program, person)
    assert status == 400 and f"model_annotators: {person} is not the number of a program" in text
    assert patched(client, 10**18 - 1)[0] == 400 and current_settings(judged.pk)[1].model_annotators == ()
    assert patched(client, program)[0] == 200 and current_settings(judged.pk)[1].model_annotators == (program,)


def test_the_page_saves_no_earlier_version_that_names_anybody_else(judged: Project, client: Client) -> None:
    person, settings = worker(judged, "petra").pk, Settings()
    change_settings(project_id=judged.pk, settings=replace(settings, model_annotators=(person,)))
    change_settings(project_id=judged.pk, settings=settings)
    html = client.post(PAGE, {"action": "again", "number": "2"}).text
    number = next(n for n, text in enumerate(html.split("<form")[1:]) if 'name="packed"' in text)
    said = client.post(PAGE, {**fields_of(html, number), "action": "save", "reason": "as before"})
    assert f"model_annotators: {person} is not the number of a program" in unescape(said.text)
    assert current_settings(judged.pk) == (3, settings)


def test_the_page_warns_before_programs_finish_chains_alone(judged: Project, client: Client) -> None:
    first = client.get(PAGE).text
    assert "Warning: if on, nobody may ever have looked at a finished chain" in unescape(first)
    number = next(n for n, text in enumerate(first.split("<form")[1:]) if 'name="based_on"' in text)
    sent = {**fields_of(first, number), "action": "check", "programs_alone": "on"}
    looked = unescape(client.post(PAGE, sent).text)
    assert "Programs finish chains whose boxes nobody has looked at, once 200 chains show" in looked
    settings = replace(current_settings(judged.pk)[1], programs_alone=True)
    change_settings(project_id=judged.pk, settings=settings)
    sent = {name: value for name, value in sent.items() if name != "programs_alone"}
    looked = unescape(client.post(PAGE, {**sent, "based_on": "2"}).text)
    assert "No chain is finished any more without a person's answer" in looked


def learn() -> None:
    """Two refits, and between them a change by a person."""
    project = men(4)
    answer_all(project, most=9)
    refit_links(project.id, only_if_due=False)
    _, settings = current_settings(project.id)
    change_settings(project_id=project.id, settings=replace(settings, tests=9), reason="more tries", made_by="ada")
    answer_all(project)
    refit_links(project.id, only_if_due=False)


kept = kept_rows(learn)


@pytest.fixture
def learner(kept: Kept, db: None, client: Client) -> Project:
    kept.write()
    project = Project.objects.get()
    sign_in(client, project, Role.REQUESTER, "ada")
    return project


def by_refits(project: Project) -> list[int]:
    return [one.row.version for one in learned(project)]


@pytest.mark.slow
def test_each_refit_is_a_row_with_its_values_its_answers_and_its_version(learner: Project, client: Client) -> None:
    page = unescape(client.get(LEARNED_PAGE).text)
    assert by_refits(learner) == [4, 2] and page.count('class="version"') == 2
    newest = page.split("Version 2")[0]
    assert ">in use<" in newest and ">in use<" not in page.split("Version 2")[1]
    assert f"from {votes(learner)} answers" in newest and "groups of own answers" in newest
    assert "fitted to own answers, 4 images" in newest and "Errors of the crowd in links" in newest
    assert "more tries" not in page


def test_the_settings_and_their_history_show_only_what_people_chose(learner: Project, client: Client) -> None:
    page = unescape(client.get(SETTINGS).text)
    assert "more tries" in page and "refitted" not in page and "fitted to own answers" not in page
    past, versions = history(learner)
    assert ([one.row.version for one in past], versions) == ([3, 1], 2)
    assert [[each.setting.name for each in one.changes] for one in past] == [["tests"], []]
    assert chosen_versions(learner.id) == {1: ADAPTIVE, 3: replace(ADAPTIVE, tests=9)}


def test_a_choice_keeps_what_was_learned_and_a_refit_meanwhile_is_no_change(learner: Project, client: Client) -> None:
    form = form_of(client)
    refit_links(learner.id, only_if_due=False)
    _, before = current_settings(learner.id)
    looked = look(client, form, no_box_votes="4")
    assert "in the meantime" not in looked.text and "Prior of the adaptive" not in looked.text
    save(client, looked)
    assert current_settings(learner.id)[1] == replace(before, no_box_votes=4)
    save(client, client.post(SETTINGS, {"action": "again", "number": "1"}))
    assert current_settings(learner.id)[1] == replace(before, tests=ADAPTIVE.tests)


def test_a_prior_that_somebody_gives_is_a_setting_and_replaces_what_was_learned(learner: Project, client: Client):
    given = replace(DEFAULT, fitted_on=200).to_json()
    _, settings = current_settings(learner.id)
    change_settings(project_id=learner.id, settings=settings_with(settings, link_prior=given), made_by="ada")
    assert history(learner)[0][0].changes[0].after == "fitted to finished projects"
    assert given_to(learner.id).links.fitted_on == 200
    save(client, look(client, form_of(client), link_prior="default"))
    assert current_settings(learner.id)[1] == settings_with(settings, link_prior={})


def test_what_was_learned_is_forgotten_after_a_look_at_what_that_does(learner: Project, client: Client) -> None:
    looked = client.post(SETTINGS, {"action": "forget"})
    assert "Forget learned values?" in looked.text and "fitted to own answers" in looked.text
    assert current_settings(learner.id)[0] == 4
    save(client, looked)
    assert current_settings(learner.id) == (5, replace(ADAPTIVE, tests=9))
    page = client.get(LEARNED_PAGE).text
    assert ">in use<" not in page and "Forget" not in page and by_refits(learner) == [4, 2]
    assert client.post(SETTINGS, {"action": "forget"}).status_code == 302 and list(replay(learner)) == []
