"""The page of data: what is said of uploaded files, of imports that failed by one of them, and of what was left out.
The section *Data card* of the page Data: what a requester tells, kept and shown again.
The page of the corrected set: made of uploaded files, told what changed, and downloaded.
The preview: words get other types, the sample follows at once, and all images of a draft when that is wanted.
"""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from accounts.members import add_member
from accounts.models import Role
from annotation.models import Caption, Chain, Mention, Project
from annotation.rules.states import ChainState, ProjectState
from pipeline.models import Entry, Progress, Question, SettingsVersion
from pipeline.project.settings_versions import current_settings, open_project
from pipeline.tick import tick
from projects.data.pages import PastedError, as_caption_file, reasons_left_out
from projects.lifecycle.change_state import change_state
from projects.models import ImportProblem, Run, Upload
from projects.uploads.files import files_folder, keep_text, why_refused
from simulation.scenes.scene import write_source
from tests.projects.conftest import work_on
from tests.projects.data.conftest import make_source
from tests.support.pictures import plain_jpeg
from tests.support.runs import counts, import_begun, some_run
from tests.support.table import row

pytestmark = pytest.mark.django_db

PAGE, API = "/projects/ours/data/", "/api/v1/requester/projects/ours/"
CARD = "/projects/ours/data/card/"
CORRECTED_PAGE = "/projects/parks/data/corrected/"
PREVIEW = "/projects/ours/data/preview/"


def give(project: Project, name: str, data: bytes) -> None:
    path = files_folder(project.pk) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def test_pictures_in_a_zip_are_counted_as_pictures(requester: Client, draft: Project, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for file in make_source(tmp_path / "six", 6).iterdir():
            archive.write(file, f"six/{file.name}")
        archive.writestr("__MACOSX/six/._1.jpg", b"x")
    give(draft, "six.zip", packed.getvalue())
    assert (
        requester.get(f"{API}files/")
        .json()["summary"]
        .startswith("6 pictures and 1 other file are here, in a .zip file (")
    )


def test_the_columns_of_a_table_are_said_before_it_is_imported(requester: Client, draft: Project) -> None:
    give(draft, "images/a.jpg", plain_jpeg())
    give(draft, "captions.csv", b"image;caption\r\na.jpg;A man\r\n")
    said = requester.get(f"{API}files/").json()["summary"]
    assert said.endswith("Format: folder. captions.csv has the columns image, caption, with semicolons between.")
    assert said in requester.get(PAGE).text


def test_a_table_without_its_columns_is_named_and_not_imported(requester: Client, draft: Project) -> None:
    give(draft, "captions.csv", b"picture;words\na.jpg;A man\n")
    found = requester.get(f"{API}files/").json()
    assert found["format"] == ""
    assert "captions.csv:1: begins with 'picture;words': the first line must be the header" in found["summary"]
    give(draft, "captions.csv", b"image;caption\n")
    give(draft, "captions.jsonl", b"{}\n")
    (files_folder(draft.pk) / "captions.csv").rename(files_folder(draft.pk) / "words.csv")
    (files_folder(draft.pk) / "captions.jsonl").rename(files_folder(draft.pk) / "words.jsonl")
    assert "If words.csv has the captions, call it captions.csv." in requester.get(f"{API}files/").json()["summary"]


@pytest.mark.usefixtures("at_once")
def test_an_import_that_failed_by_its_file_offers_to_replace_the_file(requester: Client, draft: Project, rita: User):
    give(draft, "images/a.jpg", plain_jpeg())
    give(draft, "captions.csv", b"picture,words\na.jpg,A man\n")
    run = some_run(draft, user=rita)
    work_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.problem[:15]) == ("failed", "captions.csv:1:")
    assert 'data-replace="captions.csv"' in requester.get(PAGE).text
    give(draft, "captions.csv", b"image,caption\na.jpg,A man\n")
    requester.post(f"/projects/ours/runs/{run.pk}/", {"command": "resume"})
    run.refresh_from_db()
    assert (run.state, counts(run).images) == ("done", 1) and "data-replace" not in requester.get(PAGE).text


def test_images_left_out_for_one_reason_are_one_line_with_a_list(requester: Client, draft: Project) -> None:
    run = some_run(draft, state="done", result={"left_out": 56})
    rows: list[dict[str, Any]] = [
        {"image": f"{n}.jpg", "file": "captions.json", "message": f"images[{n}]: the picture images/{n}.jpg is missing"}
        for n in range(54)
    ]
    rows += [{"image": "odd.jpg", "file": "captions.json", "message": "odd.jpg has no captions"}]
    no_area = "annotations[{0}].bbox [{0}.0, 5.0, 0.0, 9.0] has no area: the box is left out ({0}.jpg)"
    rows += [{"image": "", "file": "captions.json", "message": no_area.format(n)} for n in range(2)]
    ImportProblem.objects.bulk_create(ImportProblem(run=run, **row) for row in rows)
    found = reasons_left_out(run)
    assert [(one.count, one.message) for one in found] == [
        (54, "the picture … is missing"),
        (2, "annotations[…].bbox […] has no area: the box is left out (…)"),
        (1, "odd.jpg has no captions"),
    ]
    page = requester.get(PAGE).text
    assert "<b>54 images</b>: the picture … is missing" in page and page.count("<li title=") == 56


@pytest.mark.parametrize("name", ["Screenshot 9.41\u202fAM.png", "می\u200cخواهم.jpg", "a\u00adb.jpg", "cafe\u0301.jpg"])
def test_names_with_the_spaces_and_joiners_of_people_are_taken(name: str) -> None:
    assert why_refused(name, 5) == ""


@pytest.mark.parametrize("name", ["a\u202egpj.jpg", "a\nb.jpg", "a\x00.jpg", "a\u2028b.jpg"])
def test_names_that_could_be_shown_as_others_are_refused(name: str) -> None:
    assert "cannot be shown" in why_refused(name, 5)


def test_what_is_told_is_kept_shown_again_and_taken_back(requester: Client, draft: Project) -> None:
    assert "Describe the data set" in requester.get(PAGE).text
    told = {"card-license": "CC-BY-4.0", "card-creators": "Ada <ada@example.org>\r\nBob", "card-unknown": "x"}
    page = requester.post(CARD, told, follow=True).text
    draft.refresh_from_db()
    assert draft.data_card == {"license": "CC-BY-4.0", "creators": "Ada <ada@example.org>\r\nBob"}
    assert "2 of 12 fields given" in page and "Ada &lt;ada@example.org&gt;" in page
    requester.post(CARD, {"card-license": " "})
    draft.refresh_from_db()
    assert draft.data_card == {}


def test_a_text_that_is_too_long_is_shown_again_with_the_reason(requester: Client, draft: Project) -> None:
    page = requester.post(CARD, {"card-license": "x" * 301, "card-uses": "Research."}).text
    assert "should have at most 300 characters" in page and "Research." in page
    draft.refresh_from_db()
    assert draft.data_card == {}


@row("url", "javascript:alert(1)")
@row("url", "our page")
@row("license", " java\tscript:alert(1)")
@row("contact", "DATA:,x")
def test_an_address_that_runs_a_program_is_taken_on_no_card(
    field: str, text: str, requester: Client, draft: Project
) -> None:
    page = requester.post(CARD, {f"card-{field}": text, "card-source": "data: our own"}).text
    assert "begins with http:// or https://" in page or "an address that runs a program cannot be taken" in page
    draft.refresh_from_db()
    assert draft.data_card == {}
    requester.post(CARD, {"card-url": "https://example.org/streets"})
    draft.refresh_from_db()
    assert draft.data_card == {"url": "https://example.org/streets"}


def pasted(text: str) -> list[str]:
    return as_caption_file(text)[0].splitlines()[1:]


def test_what_people_paste_becomes_rows_of_which_no_word_is_lost() -> None:
    expected = {
        'my photo.jpg,"Big" dogs run': 'my photo.jpg,"""Big"" dogs run"',
        'a.jpg,"A man, a dog"': 'a.jpg,"A man, a dog"',
        'a.jpg, "A man, a dog"': 'a.jpg,"A man, a dog"',
        '"a.jpg";"A ""red"" car"': 'a.jpg,"A ""red"" car"',
        "a.jpg;A man, a dog": 'a.jpg,"A man, a dog"',
        "a.jpg,A man; a dog": "a.jpg,A man; a dog",
        "one, two.jpg\tA man": '"one, two.jpg",A man',
        "one; two.jpg,A man": "one; two.jpg,A man",
        'a.jpg,"A man': 'a.jpg,"""A man"',
        "a,A man": "a,A man",
    }
    assert {text: pasted(text)[0] for text in expected} == expected


def test_lines_end_in_each_way_and_a_header_is_no_row() -> None:
    assert pasted("Image\tCaption\r\na.jpg\tA man\rb.jpg\tA dog\n\n") == ["a.jpg,A man", "b.jpg,A dog"]


def test_a_cell_of_several_lines_is_one_caption() -> None:
    assert pasted('a.jpg\t"A man\r\nand a dog"\r\nb.jpg\tA cat') == ['a.jpg,"A man', 'and a dog"', "b.jpg,A cat"]


def test_every_line_that_is_no_caption_is_named() -> None:
    with pytest.raises(PastedError, match=r"^Lines 2 \('b.jpg'\) and 4 \(',x'\) are not captions: write"):
        as_caption_file("a.jpg,A\nb.jpg\nc.jpg,C\n,x")
    with pytest.raises(PastedError, match=r"^Lines 1 \('a'\), .*4 \('d'\) and 4 more are not captions"):
        as_caption_file("\n".join("abcdefgh"))


@pytest.fixture
def source(tmp_path: Path, settings: Any) -> Path:
    settings.MEDIA_ROOT, settings.DATA = tmp_path / "media", tmp_path
    write_source(tmp_path / "parks", 0, 2)
    return tmp_path / "parks"


@pytest.fixture
def browser(source: Path, client: Client, django_user_model: Any) -> Client:
    call_command("import_dataset", "parks", str(source), use="check")
    user = django_user_model.objects.create_user("ada", password="x")
    add_member(user, Project.objects.get(), Role.REQUESTER)
    client.force_login(user)
    return client


@pytest.mark.usefixtures("at_once")
def test_a_set_that_was_uploaded_again_comes_out_corrected(browser: Client, source: Path) -> None:
    assert "Upload the data set once more" in browser.get(CORRECTED_PAGE).text
    texts = {one.relative_to(source).as_posix(): one for one in source.rglob("*") if one.suffix in (".txt", ".xml")}
    for name, file in texts.items():
        keep_text(Project.objects.get(), name, file.read_text())
    assert "It is made of the uploaded files" in browser.get(CORRECTED_PAGE).text
    page = browser.post(CORRECTED_PAGE, follow=True).text
    assert "It is ready" in page and "0 of" in page
    (address,) = [part.split('"')[0] for part in page.split('href="') if ".zip" in part.split('"')[0]]
    got = b"".join(browser.get(address))  # type: ignore[arg-type]
    with zipfile.ZipFile(io.BytesIO(got)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            name: file.read_bytes() for name, file in texts.items()
        }
    assert Client().get(address).status_code == 302
    User.objects.create_user("eve", password="x")
    stranger = Client()
    stranger.login(username="eve", password="x")
    assert stranger.get(address).status_code == 404 and "corrected set" in browser.get("/projects/parks/").text


@pytest.mark.usefixtures("at_once")
@pytest.mark.both_engines
def test_other_files_are_refused_on_the_page_without_paths_of_the_server(browser: Client, source: Path) -> None:
    keep_text(Project.objects.get(), "captions.csv", "image,caption\na.jpg,A man\n")
    page = browser.post(CORRECTED_PAGE, follow=True).text
    assert "in the format folder, into which corrections are not written" in page and str(source.parent) not in page


def test_a_project_that_checks_nothing_says_so(browser: Client) -> None:
    plain = open_project(name="plain")
    add_member(User.objects.get(), plain, Role.REQUESTER)
    assert "This project checks no data set" in browser.get(CORRECTED_PAGE.replace("parks", "plain")).text


@pytest.fixture
def filled(draft: Project, rita: User) -> Project:
    """Three images: a type from the lists, one that the source gave, and a phrase that is none."""
    folder = make_source(
        Upload.folder_of(draft.pk) / "files", 3, caption="[a zorble] near [/animals a zorble] in [the background]"
    )
    assert (folder / "captions.csv").exists()
    import_begun(draft, rita)
    assert draft.images.count() == 3
    return draft


def mend(client: Client, words: str, choice: str) -> Any:
    asked = {"words": words.split(), "type": choice}
    return client.post(f"{API}phrase-types/words/", asked, content_type="application/json")


def phrases_of(sample: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the phrases of the first caption of a sample."""
    return [part["phrase"] for part in sample["images"][0]["captions"][0]["parts"] if part["phrase"]]


def apply(client: Client) -> Run:
    client.post(f"{PREVIEW}types/")
    return Run.objects.filter(operation="apply_types").latest("id")


def types_of_all() -> list[tuple[str, list[str]]]:
    return list(Mention.objects.order_by("image__position", "start").values_list("text", "types"))


@pytest.mark.usefixtures("at_once")
def test_the_sample_shows_phrases_with_types_and_what_is_no_phrase(requester: Client, filled: Project) -> None:
    sample = requester.get(f"{API}phrase-types/sample/").json()
    first, given, none = phrases_of(sample)
    assert (first["words"], first["types"], first["head"]) == (["a", "zorble"], ["other"], [2, 8])
    assert (given["types"], given["head"]) == (["animals"], [0, 0])
    assert (none["words"], none["types"]) == (["the", "background"], []) and sample["differing"] == 0


@pytest.mark.usefixtures("at_once")
def test_a_word_that_gets_a_type_is_on_the_projects_lists_and_changes_the_sample(requester: Client, filled: Project):
    assert mend(requester, "a zorble", "vehicles").json() == {"sentence": "“zorble” is of type vehicles."}
    sample = requester.get(f"{API}phrase-types/sample/").json()
    first, given, _ = phrases_of(sample)
    assert (first["types"], sample["differing"]) == (["vehicles"], 3)
    assert given["types"] == ["animals"], "the source gave this type"
    assert current_settings(filled.pk)[1].dictionaries == {"add": {"vehicles": ["zorble"]}, "remove": {}}
    assert "rita" in SettingsVersion.objects.filter(project=filled).latest("version").reason
    assert {tuple(types) for _, types in types_of_all()} == {("other",), ("animals",)}, "images wait for the requester"


@pytest.mark.usefixtures("at_once")
def test_a_shipped_word_moves_to_another_list_and_back_without_a_trace(requester: Client, filled: Project) -> None:
    mend(requester, "two dogs", "vehicles")
    assert current_settings(filled.pk)[1].dictionaries == {"add": {"vehicles": ["dog"]}, "remove": {"animals": ["dog"]}}
    mend(requester, "a dog", "animals")
    assert current_settings(filled.pk)[1].dictionaries == {"add": {}, "remove": {}}


@pytest.mark.usefixtures("at_once")
def test_applying_the_lists_changes_every_image_in_its_record(requester: Client, filled: Project) -> None:
    mend(requester, "a zorble", "vehicles")
    run = apply(requester)
    assert (run.state, run.done, counts(run).images) == ("done", 3, 3)
    assert types_of_all() == [("a zorble", ["vehicles"]), ("a zorble", ["animals"])] * 3
    assert {(act.actor, act.data["action"]) for act in Entry.objects.filter(kind="expert")} == {("rita", "retype")}
    call_command("replay", "ours")
    assert counts(apply(requester)).images == 0, "nothing is changed twice"


@pytest.mark.usefixtures("at_once")
def test_a_phrase_that_is_none_is_taken_out_and_comes_back(requester: Client, filled: Project) -> None:
    mend(requester, "a zorble", "non visual")
    apply(requester)
    assert types_of_all() == [("a zorble", ["animals"])] * 3
    assert Caption.objects.filter(non_visual=[[0, 2], [6, 8]]).count() == 3
    mend(requester, "the background", "scene")
    mend(requester, "a zorble", "vehicles")
    apply(requester)
    assert types_of_all()[:3] == [("a zorble", ["vehicles"]), ("a zorble", ["animals"]), ("the background", ["scene"])]
    call_command("replay", "ours")


@pytest.mark.usefixtures("at_once")
@pytest.mark.both_engines
def test_new_phrases_of_a_draft_are_linked_like_all_others_once_it_starts(requester: Client, filled: Project) -> None:
    mend(requester, "the background", "animals")
    apply(requester)
    assert not Question.objects.exists()
    change_state(filled.pk, ProjectState.RUNNING, None)
    tick(project_id=filled.pk)
    assert not Chain.objects.filter(state=ChainState.REVIEW.value).exists()
    chains = Mention.objects.filter(text="the background").values_list("chain", flat=True)
    assert len(chains) == 3 and None not in chains
    call_command("replay", "ours")


@pytest.mark.usefixtures("at_once")
def test_images_of_a_draft_are_not_begun_before_it_is_started(filled: Project) -> None:
    tick(project_id=filled.pk)
    assert set(Progress.objects.values_list("due", flat=True)) == {"links"}


@pytest.mark.usefixtures("at_once")
def test_another_dozen_shows_other_images(requester: Client, draft: Project, rita: User) -> None:
    make_source(Upload.folder_of(draft.pk) / "files", 30)
    import_begun(draft, rita)
    names = [
        {one["name"] for one in requester.get(f"{API}phrase-types/sample/?page={n}").json()["images"]} for n in (0, 1)
    ]
    assert [len(some) for some in names] == [12, 12] and not names[0] & names[1]
