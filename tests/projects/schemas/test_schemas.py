"""Values with one field broken each: a required one left out, and every one of another type.
Schemas: they are those of the declarations, explain every field, and none declares what nobody writes.
Every example of a file in the documentation is one that is read.
manage.py validate: a sentence for each file that it cannot look at, and a place for each fault.
A file with any field broken is refused with its place; and what a schema requires, the reader needs, too.
Exports of projects in which everything happened fit their schemas to the last field.
"""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import pytest
from django.core.management import CommandError, call_command
from jsonschema import Draft202012Validator

from annotation.models import Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox
from exchange.export_dataset import export_dataset
from exchange.formats.schema import kind as values
from exchange.formats.schema.check_file import FaultWords, guess_kind, place_of
from exchange.formats.schema.kind import FileKind
from exchange.formats.schema.make_schema import REFERENCE, is_quickly_valid, schema_of
from exchange.import_image import import_image
from exchange.registry import export_formats
from pipeline.models import Entry, Judgment
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.tasks.task import JUDGING, Task
from pipeline.record.intervene import act_as_expert, propose_boxes, report_problem, undo_entry, void_judgments
from pipeline.record.starve_questions import starve_questions
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.schemas import kinds, validate_file
from runtime import clock
from tests.projects.schemas.examples import PREDICTIONS, RESULTS, WRITTEN, example, read, written
from tests.support.projects import answer, lease, phrases, project_of, submit, worker
from tests.support.schema_fields import Place, Schema, check_ours, declared, fields_met, places
from tests.support.surveys import CHECK, export, foil, survey
from tests.support.table import row
from workers.models import SkillEstimate, Worker

WRONG: tuple[Any, ...] = (True, None, -7, "no such word", [["x"]], {"no": "such field"})
NAMES = [name for name in kinds() if name != "jsonl"]
FROM_ELSEWHERE = {"hub": {".caption", ".text"}}
"""Fields of formats of others that no export of ours has."""
Edit = Callable[[Any], object]
BY_SCHEMA = FileKind._field_defaults["faults"]
READ = [
    name for name, kind in kinds().items() if kind.faults is not BY_SCHEMA and name not in ("jsonl", "coco-instances")
]
"""Kinds that a reader checks, too."""
BY_THE_READER = {("predictions", "reply")}
"""Fields without which a line may be meant otherwise, so that the reader alone refuses it."""
LINK = Task.COREFERENCE_LINK
ADAPTIVE = Settings(
    strategy=LinkStrategy.ADAPTIVE, box_policy=BoxPolicyName.BELIEF, pre_annotations=True, link_stop=0.02
)
Line = dict[str, Any]


class Broken(NamedTuple):
    """A value with a fault."""

    value: Any
    at: Place
    """The place of the object."""
    field: str
    is_missing: bool


def broken(value: Any, schema: Schema) -> Iterator[Broken]:
    """Yield the value with each of its fields broken in turn; of lists of objects in the first entry alone."""
    for at, _, there, field, own in list(places(value, schema)):
        if any(place not in (0, 1) for place in at if isinstance(place, int)):
            continue
        if field in there.get("required", ()):
            yield Broken(_changed(value, at, field), at, field, True)
        check = Draft202012Validator({**own, "$defs": schema.get("$defs", {})})
        wrong = [one for one in WRONG if not check.is_valid(one)]
        if wrong:
            yield Broken(_changed(value, at, field, wrong[0]), at, field, False)


def _changed(value: Any, at: Place, field: str, *new: Any) -> Any:
    """Return the value with a field that has another value; without a new one the field is left out."""
    made = found = deepcopy(value)
    for part in at:
        found = found[part]
    if new:
        found[field] = new[0]
    else:
        del found[field]
    return made


@pytest.mark.slow
def test_the_schemas_and_the_page_of_fields_are_those_of_the_declarations() -> None:
    call_command("schemas", check=True)


@pytest.mark.parametrize("name", kinds())
def test_a_schema_is_one_and_names_no_host_and_explains_every_field(name: str) -> None:
    schema = schema_of(kinds()[name])
    Draft202012Validator.check_schema(schema)
    assert (schema["$id"], schema["title"]) == (f"urn:chainbox:{name}", name) and schema["description"]
    objects = {"": schema, **schema.get("$defs", {})}

    def explained(field: dict[str, Any]) -> bool:
        """Tell whether a field has a description, or is an object, or are objects, that have one."""
        if "description" in field or "const" in field:
            return True
        inner = field.get("items") or field.get("additionalProperties") or {}
        named = [one.get("$ref", "") for one in (field, inner, *inner.get("anyOf", ()), *field.get("anyOf", ()))]
        objects_there = [objects[one.removeprefix(REFERENCE)] for one in named if one]
        return bool(objects_there) and all("description" in one for one in objects_there)

    bare = [
        f"{place}.{own}"
        for place, one in objects.items()
        for own, field in one.get("properties", {}).items()
        if not explained(field)
    ]
    assert bare == []


@pytest.mark.parametrize("name", NAMES)
def test_every_field_of_a_schema_is_in_the_example_of_its_kind(name: str) -> None:
    schema, value = schema_of(kinds()[name]), example(name)
    met = {field for one in (value if kinds()[name].is_lines else [value]) for field in fields_met(one, schema)}
    assert declared(schema) - met == FROM_ELSEWHERE.get(name, set())


@pytest.mark.parametrize("name", WRITTEN)
def test_an_export_has_no_field_that_its_schema_does_not_declare(name: str) -> None:
    value = example(name)
    check_ours(name, value if kinds()[name].is_lines else [value])


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_told_by_its_fields_whatever_its_name_is(name: str, tmp_path: Any) -> None:
    lines = kinds()[name].is_lines
    for ending in [".jsonl", ".txt"] if lines else [".json", ".txt"]:
        assert guess_kind(written(tmp_path / f"file{ending}", name, example(name)), kinds()).name == name


DOCS = Path(__file__).resolve().parents[3] / "docs"
DOCUMENTED_KINDS = {
    "evaluate.md": ["proposals", "scenes", "atom-votes"],
    "models.md": ["predictions", "predictions", "predictions", "coco-results"],
    "verification_questions.md": ["gold"],
    "watch.md": [],
}
"""The kinds of the examples of each page. Those of watch.md are messages of the service, no files."""


def examples(page: Path) -> Iterator[Any]:
    """Yield the JSON values that begin an indented line, and may go on in the next ones."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line.startswith(("    {", "    [{", "       {")) and not line.strip().startswith('{"phrases"'):
            yield json.JSONDecoder().raw_decode(dedent("\n".join(lines[number:])).lstrip())[0]


def test_every_example_of_a_file_is_valid(tmp_path: Path) -> None:
    found: dict[str, list[str]] = {}
    for page in sorted(DOCS.rglob("*.md")):
        for value in examples(page):
            kinds = found.setdefault(page.name, [])
            if page.name != "watch.md":
                path = tmp_path / "example"
                path.write_text(json.dumps(value), encoding="utf-8")
                checked = validate_file(path, most=9)
                assert checked.faults == [], page.name
                kinds.append(checked.kind.name)
    assert found == DOCUMENTED_KINDS


def validate(path: Path, **options: Any) -> tuple[str, str]:
    """Run the command, and return what it says and what it complains of, without the path."""
    out, err = StringIO(), StringIO()
    try:
        call_command("validate", str(path), stdout=out, stderr=err, **options)
    except CommandError as error:
        err.write(str(error))
    return out.getvalue().strip(), err.getvalue().replace(str(path), "FILE")


def test_a_valid_file_is_counted_and_needs_no_database(tmp_path: Path) -> None:
    assert validate(written(tmp_path / "a.jsonl", "predictions", PREDICTIONS)) == ("valid: 3 lines of predictions", "")
    assert validate(written(tmp_path / "b.json", "coco-results", RESULTS)) == ("valid: a file of coco-results", "")
    assert validate(written(tmp_path / "c.txt", "split", example("split"))) == ("valid: a file of split", "")


def test_each_fault_is_told_with_its_line_and_place_and_what_is_expected(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(
        '{"image": "a.jpg", "caption": 0, "phrase": "a man", "boxes": [[12, 30, 210, 400]]}\n'
        '{"image": "a.jpg", "caption": -1, "words": [0, 3], "boxes": [[14, 31, 208]]}\n\n'
        '{"image": "a.jpg", "caption": 0, "phrase": "a man", "boxes": [[0, 1, 2, NaN]]}\n'
        '{"image": "a.jpg", "caption": 0, "repl": "a man"}\n'
        '{"image": "a.jpg", "caption": 0, "boxes": [], "boxes": []}\n'
        '{"image": "a.jpg", \n'
    )
    _, err = validate(path)
    told = [line.split(" (")[0] for line in err.splitlines()]
    assert told == [
        "FILE:2: caption is a number, -1, below 0",
        "FILE:2: boxes[0] has 3 entries, not 4",
        "FILE:4: holds NaN, which is no number in JSON: write a number or null",
        "FILE:5: the line has the unknown field 'repl'; its fields are image, caption, phrase, words, boxes, scores, "
        "chain",
        "FILE:6: has the field 'boxes' twice in one object",
        "FILE:7: is not JSON: expecting property name enclosed in double quotes",
        "6 problems in 6 lines of predictions.",
    ]
    assert "left, top, right, bottom" in err


def test_problems_beyond_the_most_are_counted(tmp_path: Path) -> None:
    _, err = validate(written(tmp_path / "p.jsonl", "predictions", [{**PREDICTIONS[0], "caption": "0"}] * 30), most=2)
    assert err.splitlines()[2:] == ["30 problems in 30 lines of predictions, of which 2 are shown."]


def long_line(path: Path) -> None:
    path.write_text('{"image": "a.jpg", "caption": 0, "reply": ""}\n{"image": "' + "x" * 200 + '"}\n{}\n')


@row(lambda path: None, "There is no file FILE.")
@row(Path.mkdir, "FILE is a folder: name one of its files.")
@row(lambda path: path.write_bytes(b""), "FILE is empty.")
@row(lambda path: path.write_bytes(b" \n\n"), "FILE holds nothing but white space.")
@row(lambda path: path.write_bytes(gzip.compress(b"{}")), "FILE is compressed: unpack it first.")
@row(lambda path: path.write_text("{}", encoding="utf-16"), "FILE is UTF-16: save it as UTF-8.")
@row(lambda path: path.write_bytes(b'{"image": "\xff"}'), "FILE:1: is not UTF-8")
@row(lambda path: path.write_text("image,caption\na.jpg,A man\n"), "FILE:1: is not JSON: expecting value (column 1)")
@row(lambda path: path.write_text('{\n"images": [1,]\n}'), "FILE:2: is not JSON")
@row(lambda path: path.write_text('{"colour": "blue"}'), "looks like no kind of file that is known")
@row(lambda path: path.write_text("[]"), "looks like no kind of file that is known")
@row(lambda path: path.write_text("7"), "looks like no kind of file that is known")
@row(long_line, "FILE:2: has more than 100 bytes: one object a line is expected")
def test_a_file_that_cannot_be_looked_at_is_named_with_the_reason(
    make: Edit, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "LINE_BYTES", 100)
    make(path := tmp_path / "file.txt")
    out, err = validate(path)
    assert told in err and out == ""
    assert "like no kind" not in told or "coco-captions, coco-instances" in err


def coco(edit: Edit) -> Any:
    value = example("coco")
    edit(value)
    return value


@row(lambda data: data["captions"][0].update(image_id=9), "captions[0]: image_id 9 is in no list of images")
@row(lambda data: data["captions"][0]["phrases"][0].update(tokens_positive=[[0, 99]]), "captions[0].phrases")
@row(lambda data: data["annotations"][1].update(bbox=[90, 0, 60, 20]), "annotations[1].bbox")
@row(lambda data: data["annotations"][0].update(category_id=77), "annotations[0].category_id 77 is in no list")
@row(lambda data: data["annotations"][0].update(chains=["7"]), "no phrase of the image is in chain '7'")
@row(lambda data: data["captions"].extend([{"image_id": 1, "caption": "again"}] * 200), "at most 200 are allowed")
@row(lambda data: data["categories"][8].update(name="k" * 200), "a category's name is longer than 100 characters")
def test_what_no_schema_can_tell_is_told_by_the_reader_of_imports(edit: Edit, told: str, tmp_path: Path) -> None:
    _, err = validate(written(tmp_path / "x.json", "coco", coco(edit)))
    assert told in err and err.startswith("FILE: ") and err.count("FILE") >= 1


def test_boxes_of_a_folder_are_read_beside_their_captions(tmp_path: Path) -> None:
    boxes, captions = tmp_path / "instances_val.json", tmp_path / "captions_val.json"
    value = example("coco-instances")
    value["annotations"][0]["chains"] = ["7"]
    assert validate(written(boxes, "coco-instances", value))[0] == "valid: a file of coco-instances"
    written(captions, "coco-captions", example("coco-captions"))
    assert "no phrase of the image is in chain '7'" in validate(boxes)[1]


def test_a_file_is_checked_as_the_kind_that_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "v.jsonl", "foil-votes", example("foil-votes"))
    assert validate(path)[0] == "valid: 2 lines of foil-votes"
    assert "FILE:1: worker is a number, 7, not a text" in validate(path, name="votes")[1]


def test_fields_that_nobody_reads_are_passed_over_in_files_from_elsewhere(tmp_path: Path) -> None:
    value = {"images": [{"id": 1, "file_name": "a.jpg", "width": 9, "height": 9, "coco_url": "", "license": 3}]}
    path = tmp_path / "captions_train2017.json"
    path.write_text(json.dumps({**value, "annotations": [{"image_id": 1, "id": 5, "caption": "A cat ."}], "info": {}}))
    assert validate(path)[0] == "valid: a file of coco-captions"


@pytest.mark.parametrize("name", NAMES)
def test_a_valid_file_with_one_broken_field_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    kind, schema = kinds()[name], schema_of(kinds()[name])
    words, quick = FaultWords(schema, "the whole"), is_quickly_valid(kind)
    tried = 0
    for value in example(name) if kind.is_lines else [example(name)]:
        assert list(words.of(value)) == [] and quick(value) is not (name == "foil-items")
        for one in broken(value, schema):
            tried += 1
            found = list(words.of(one.value))
            assert not (found and quick(one.value)), one
            if one.is_missing and (name, one.field) in BY_THE_READER:
                assert validate_file(written(tmp_path / "file", name, [one.value]), name, most=1).faults
                continue
            place = place_of(one.at if one.is_missing else (*one.at, one.field), "the whole")
            assert any(fault.startswith((f"{place} ", f"{place}[", f"{place}.")) for fault in found), (one, found)
            if one.is_missing:
                assert any(repr(one.field) in fault for fault in found), (one, found)
    assert tried > 1


@pytest.mark.parametrize("name", READ)
def test_a_reader_needs_all_that_the_schema_of_its_file_requires(name: str, tmp_path: Path) -> None:
    kind, schema = kinds()[name], schema_of(kinds()[name])
    value = example(name)
    assert not validate_file(written(tmp_path / "whole.json", name, value), name, most=9).faults
    for line in value[:1] if kind.is_lines else [value]:
        for one in broken(line, schema):
            if one.is_missing:
                own = [one.value, *value[1:]] if kind.is_lines else one.value
                path = written(tmp_path / "broken.json", name, own)
                assert any(True for _ in kinds()[name].faults(path)), (one.at, one.field)


def lines(project: Project, folder: Path) -> list[Line]:
    target = folder / f"{project.name}.jsonl"
    export_dataset(project=project, target=target, export_format="jsonl", include_unmerged=True)
    checked = validate_file(target, most=5)
    assert (checked.kind.name, checked.faults) == ("jsonl", [])
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def judged() -> Project:
    """Links and boxes of programs that propose and judge, one of them inactive, and of people."""
    project = project_of(settings=ADAPTIVE, name="judged")
    qwen, llava = (worker(project, name, *JUDGING, kind=Worker.Kind.PROGRAM) for name in ("qwen", "llava"))
    model_annotators = replace(ADAPTIVE, model_annotators=(qwen.pk, llava.pk), audit_rate=0.2)
    version = change_settings(project_id=project.pk, settings=model_annotators)
    image = phrases("people: a man", "people: a player")
    row = import_image(project, 0, image, picture="1.jpg", gold=False, settings_version=version)
    tick(project_id=project.pk)
    propose_boxes(image_id=row.pk, worker_id=qwen.pk, boxes=[[0, 1, 2, 50, 60]], chains=[[0, 1]], flags={"0": "scene"})
    people = [worker(project, f"person {number}") for number in range(9)]
    skill = {"accuracy": 0.8, "low": 0.0, "high": 1.0, "answers": 60, "known_answers": 60, "computed_at": clock.now()}
    for who in people:
        SkillEstimate.objects.create(worker=who, project=project, task=LINK.value, **skill)
    for who in (qwen, *people):
        for task, said in ((LINK, "same"), (Task.BOX_QUALITY, "good"), (Task.BOX_COVERAGE, "all there")):
            if project.questions.filter(task=task, state="open").exists():
                answer(project, who, task, said)
    assert project.images.get().state == "merged"
    return project


def acts(project: Project, *actions: Line) -> None:
    for action in actions:
        act_as_expert(image_id=project.images.get().pk, actor="eve", action=action, reason="looked at")
    tick(project_id=project.pk)


def linked() -> Project:
    """New rules of links while one is on loan, a link that an expert sets, an undo, and a report."""
    project = project_of(phrases("people: a man", "people: the man", "people: a guest"), name="linked")
    number = project.images.get().pk
    on_loan = lease(project, worker(project, "ada"), LINK, size=1)
    settings = replace(current_settings(project.pk)[1], strategy=LinkStrategy.GREEDY)
    change_settings(project_id=project.pk, settings=settings, reason="cheaper")
    tick(project_id=project.pk)
    submit(on_loan, "same")
    acts(project, {"action": "link", "first": 0, "second": 2, "same": False})
    undo_entry(image_id=number, entry=Entry.objects.filter(image=number).latest("sequence").sequence, actor="eve")
    report_problem(image_id=number, what="mention", number=0, worker_id=worker(project, "bob").pk, reason="two men")
    return project


def annotated() -> Project:
    """An annotated import, with a doubt and a box of a category alone, to which an expert does all that can be done."""
    drawn = (DatasetBox(Box(0, 0, 10, 20), ("1",)), DatasetBox(Box(50, 0, 60, 20), category="kite"))
    image = phrases("people: a man", "people: the man", "scene: a park", chains=("1", "1", "2"), boxes=drawn)
    image = replace(image, chains=(replace(image.chains[0], doubted="one man or two"), *image.chains[1:]))
    project = project_of(image, name="annotated")
    acts(
        project,
        {"action": "draw", "chain": 0, "box": [5, 6, 30, 40]},
        {"action": "move box", "box": 1, "to": [5, 6, 31, 41]},
        {"action": "delete box", "box": 2},
        {"action": "accept box", "box": 2},
        {"action": "ask others", "chain": 2, "to": "requirement"},
        {"action": "review", "chain": 2},
        {"action": "send", "chain": 2, "to": "non-visual", "kind": "scene"},
        {"action": "split", "chain": 0, "parts": [[0], [1]]},
        {"action": "join", "chains": [0, 1]},
        {"action": "retype", "mention": 0, "types": ["people", "other"]},
        {"action": "confirm", "labels": [[[2], [], "scene"]]},
        {"action": "take back", "labels": [[[2], [], "no box"]], "was": [[[2], [], "scene"]]},
        {"action": "rechunk", "remove": [1], "add": [[3, 1, 0, 1, ["people"], "the"]]},
    )
    return project


def given_up() -> Project:
    """A voided vote, and a question that nobody may answer."""
    project = project_of(phrases("animals: a dog"), name="given_up")
    answer(project, worker(project, "cyd"), Task.BOX_REQUIREMENT, 3)
    newest = Judgment.objects.filter(question__project=project).latest("pk").pk
    void_judgments(image_id=project.images.get().pk, judgment_ids=[newest], actor="eve", reason="no trust")
    starve_questions(project_id=project.pk, now=clock.now() + timedelta(days=99))
    return project


def without_phrases() -> Project:
    """An image that waits for its phrases, and gets them from an expert."""
    image = phrases("people: a man")
    bare = replace(image, captions=tuple(replace(one, chunked=False) for one in image.captions), mentions=())
    project = project_of(bare, name="without_phrases")
    acts(project, {"action": "chunk", "add": [[0, 0, 0, 2, ["people"], "a man"]]})
    return project


def parted() -> Project:
    """Links of two images whose workers call one phrase part of the other, in either direction."""
    images = [phrases("people: three men", "people: one of them", name=name) for name in "12"]
    project = project_of(*images, name="parted", settings=Settings(part_answers=True))
    answer(project, worker(project, "dan"), LINK, "a is part of b", "b is part of a")
    return project


MADE = (judged, linked, annotated, given_up, without_phrases, parted)


@pytest.mark.django_db
@pytest.mark.slow
def test_the_record_of_every_project_fits_its_schema_which_declares_nothing_else(tmp_path: Path) -> None:
    schema, items = schema_of(kinds()["jsonl"]), [foil(0), foil(1)]
    found = [lines(made(), tmp_path) for made in MADE] + [lines(survey(tmp_path, items), tmp_path)]
    met: set[str] = set()
    for one in found:
        check_ours("jsonl", one)
        met.update(field for line in one for field in fields_met(line, schema))
    of_any_entry = {field for field in declared(schema) if field.endswith((".inactive", ".on_loan"))}
    assert declared(schema) - met - of_any_entry == set()
    assert {field.partition(".")[2] for field in met & of_any_entry} == {"inactive", "on_loan"}


def kinds_on_the_way(value: Any, at: Iterable[str | int]) -> list[Any]:
    """Return the names that lead to a place, and the kinds of the objects there."""
    found = []
    for part in at:
        value = value[part]
        found.append(part if isinstance(part, str) else None)
        found.append(value.get("kind") if isinstance(value, dict) else None)
    return found


@pytest.mark.django_db
@pytest.mark.slow
def test_a_record_with_one_broken_field_is_refused_with_its_place(tmp_path: Path) -> None:
    schema = schema_of(kinds()["jsonl"])
    words = FaultWords(schema, "the line")
    tried: set[Any] = set()
    for made in (judged, annotated):
        for number, line in enumerate(lines(made(), tmp_path)):
            for one in broken(line, schema):
                # Of several objects of one kind at one place, as two entries of a list are, the first is enough.
                fault = (number > 0, *kinds_on_the_way(line, one.at), one.field, one.is_missing)
                if fault not in tried:
                    tried.add(fault)
                    assert any(one.field in said for said in words.of(one.value)), (one.at, one.field)
    assert len(tried) > 200


@pytest.mark.django_db
@pytest.mark.parametrize(
    "export_format", [name for name in export_formats() if name not in ("flickr30k-entities", "hub", "parquet")]
)
def test_a_finished_project_is_valid_in_every_format(export_format: str, tmp_path: Path) -> None:
    project, target = judged(), tmp_path / ("out.json" if export_format == "coco" else "out")
    export_dataset(project=project, target=target, export_format=export_format)
    files = sorted(target.rglob("*.json*")) if target.is_dir() else [target]
    assert files
    for file in files:
        checked = validate_file(file, most=5)
        assert (checked.kind.name, checked.faults, checked.count) == (export_format, [], 0)
        check_ours(checked.kind.name, read(file, checked.kind.name) if checked.kind.is_lines else [read(file, "coco")])


@pytest.mark.django_db
def test_votes_fit_their_schema(tmp_path: Path) -> None:
    project = survey(tmp_path, [foil(0), foil(1)])
    said: Iterable[Any] = ({"verdict": "correct"}, {"verdict": "wrong", "word": 1, "right": "boy"})
    for name, one in zip(("ada", "bob"), said, strict=True):
        answer(project, worker(project, name, CHECK), CHECK, one)
    check_ours("votes", votes := export(project, tmp_path))
    assert len(votes) == 2 and not validate_file(tmp_path / "votes.jsonl", most=5).faults
