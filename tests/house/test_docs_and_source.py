"""The documentation, the translations, and names in strings agree with the tree; its commands run."""

import ast
import gettext
import io
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import get_commands
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model
from django.utils.translation.template import templatize

from config.celery import app
from config.environment import Environment
from pipeline.settings.settings import Settings
from tests.support import architecture, asvs, command_list, service_settings
from tests.support.doc_commands import EVALUATION, NOT_RUN, SERVICE, Place, Story, as_run, commands_of
from tests.support.places import ROOT
from tests.support.table import row

DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))])
APPS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
FILE = re.compile(r"(?<![\w/.:-])[A-Za-z0-9][\w-]*(?:/[\w-]+)*\.(?:py|sh|tsx?|md|toml)\b(?!\()")
FOLDER = re.compile(rf"`((?:{'|'.join(APPS)}|frontend|scripts|docs)(?:/[\w-]+)+)/?`")
COMMAND = re.compile(r"manage\.py ([a-z_]+)")
STUDY = re.compile(r"-m studies ([a-z_]+)")
MAKE = re.compile(r"(?:^    |`)make ([a-z-]+)", re.M)
LINK = re.compile(r"\]\(([^)#\s]+)")
EXAMPLE = "box_order"
"""The seventh task of CONTRIBUTING, which nobody has added."""

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@each_page
def test_every_file_that_a_page_names_exists(page: Path):
    text = page.read_text()
    named = {*FILE.findall(LINK.sub("](", text)), *FOLDER.findall(text)}
    assert not sorted([name for name in named if EXAMPLE not in name and not is_there(name, page)])


@each_page
def test_every_command_that_a_page_names_exists(page: Path):
    text = page.read_text()
    studies = {path.stem for path in (ROOT / "studies/management/commands").glob("*.py")}
    assert set(COMMAND.findall(text)) - (set(get_commands()) - studies) == set()
    assert set(STUDY.findall(text)) - studies == set()
    assert set(MAKE.findall(text)) - set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)) == set()


@each_page
def test_every_link_leads_somewhere(page: Path):
    assert len(PAGES) > 15
    targets = [target for target in LINK.findall(page.read_text()) if not target.startswith(("http://", "https://"))]
    assert not [target for target in targets if not (page.parent / target).exists()]


def test_every_command_of_a_page_is_run_or_listed_with_the_reason_and_nothing_else_is_listed():
    shown = [each for page in [ROOT / "README.md", *DOCS.rglob("*.md")] for each in commands_of(page)]
    assert len(shown) > 70
    assert [each for each in shown if not each.not_run and each.page not in {**SERVICE, **EVALUATION}] == []
    assert set(NOT_RUN) - {each.not_run for each in shown} == set()
    assert {*SERVICE, *EVALUATION} - {each.page for each in shown if not each.not_run} == set()


@pytest.mark.slow
@pytest.mark.parametrize("story", [SERVICE, EVALUATION], ids=["service", "evaluation"])
def test_the_commands_of_every_page_do_their_work_and_print_what_the_page_shows(story: Story, tmp_path: Path):
    place = Place(tmp_path)
    for page, (prepare, values) in story.items():
        if prepare:
            prepare(place)
        for each in commands_of(ROOT / page):
            if each.not_run:
                continue
            printed = [line.strip() for line in place.run(as_run(each.command, values)).splitlines()]
            patterns = [re.compile(re.escape(line).replace("…", ".*")) for line in each.printed]
            lacking = [one.pattern for one in patterns if not any(map(one.fullmatch, printed))]
            assert lacking == [], (each.command, printed)


def test_every_page_that_the_code_names_exists():
    named = {
        (match, str(path.relative_to(ROOT)))
        for path in code()
        for match in re.findall(r"(?<![\w/.-])docs/[\w/-]+\.md", path.read_text(errors="ignore"))
    }
    assert named and not sorted(one for one in named if not (ROOT / one[0]).exists())


def test_the_index_lists_every_page_and_the_list_of_commands_is_complete():
    listed = {(DOCS / target).resolve() for target in LINK.findall((DOCS / "index.md").read_text())}
    assert set(DOCS.rglob("*.md")) - {DOCS / "index.md"} - listed == set()
    ours = {path.stem for path in ROOT.glob("*/management/commands/[a-z]*.py")}
    page = (DOCS / "reference/commands.md").read_text()
    assert not sorted(name for name in ours if not re.search(rf"`{name}\b", page))
    assert page == command_list.page(), "run python -m tests.support.command_list"


def test_the_page_of_settings_holds_every_setting_of_a_project_every_variable_of_the_service_and_no_other():
    assert documented_settings("Of a project") == Settings().to_json().keys()
    scripts = "".join((ROOT / name).read_text() for name in ("scripts/process.sh", "docker-compose.yml"))
    of_scripts = set(re.findall(r"\$\{([A-Z][A-Z0-9_]+):", scripts)) - {"TMPDIR"}
    of_boto3 = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
    assert documented_settings("Of the service") == {*Environment.model_fields, *of_scripts, *of_boto3}
    page = service_settings.SECTION.page.read_text()
    assert page == service_settings.page(), "run python -m tests.support.service_settings"


def documented_settings(section: str) -> set[str]:
    """Return the names in the first column of this section's table."""
    _, _, after = (DOCS / "reference/settings.md").read_text().partition(f"## {section}\n")
    rows = [line.split("|")[1] for line in after.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_the_architecture_holds_every_app_and_every_room() -> None:
    page = architecture.SECTION.page.read_text()
    assert page == architecture.SECTION.filled(architecture.text()), "run python -m tests.support.architecture"


def is_there(name: str, page: Path) -> bool:
    """A path from the root or beside the page; a bare file name may be anywhere in the tree."""
    if (ROOT / name).exists() or (page.parent / name).exists():
        return True
    return "/" not in name and any(True for app in [*APPS, "frontend/src", "docs"] for _ in (ROOT / app).rglob(name))


def code() -> Iterator[Path]:
    for folder in [*APPS, "scripts"]:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".html", ".sh"} and path != Path(__file__):
                yield path
    yield from (ROOT / name for name in ("docker-compose.yml", "Dockerfile", "Makefile"))


def test_the_page_of_the_verification_standard_says_what_its_file_says():
    assert asvs.PAGE.read_text() == asvs.page(), "run python -m tests.support.asvs"
    rows = asvs.requirements()
    places = [row.place for row in rows]
    assert places == sorted(set(places)) and {row.chapter for row in rows} == {*range(1, 18)}
    assert {row.state for row in rows} == set(asvs.STATES) and all(row.asks for row in rows)
    assert [row.number for row in rows if not (row.evidence if row.state == "met" else row.why)] == []
    unmet = [row.number for row in rows if row.state == "not"]
    assert len(unmet) <= 11


def test_the_evidence_of_the_verification_standard_exists():
    named = [name.partition("::") for row in asvs.requirements() for name in row.files]
    assert [path for path, _, _ in named if not (ROOT / path).exists()] == []
    tests = {test: (ROOT / path).read_text() for path, _, test in named if test}
    assert len(tests) > 40
    assert [test for test, text in tests.items() if not re.search(rf"^ *def {test}\(", text, re.M)] == []


@pytest.mark.parametrize("row", [row for row in asvs.requirements() if row.command], ids=lambda row: row.number)
def test_a_command_of_the_verification_standard_finds_nothing(row: asvs.Requirement):
    tool, *rest = row.command
    found = shutil.which(tool) or shutil.which(Path(sys.executable).with_name(tool))
    if found is None:
        pytest.skip("needs the extra dev")
    done = subprocess.run([found, *rest], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == ((1, "") if tool == "git" else (0, "All checks passed!\n")), done.stderr


OPENERS = re.compile(r"(What|Who|Whose|How|Where|When|Which|Why)\b")
OPENING_STRING = re.compile(rf"[\"']{OPENERS.pattern}")
"""A string that begins so; only files with such a string are parsed."""
DEFINITION = re.compile(r"( *)(?:async def|def|class|@)(?:\b|(?<=@))")
VALUES = re.compile(r"^([A-Z][A-Z0-9_]*(?:, [A-Z][A-Z0-9_]*)*)(?:: [^=\n]+)? = ", re.M)
LONGEST_FILE, LONGEST_FUNCTION = 600, 60
NOT_OURS = ("var", "frontend")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def sources() -> dict[str, str]:
    """Return the text of the project's files by their paths, without migrations."""
    rooms = [room for room in ROOT.iterdir() if room.is_dir() and room.name not in NOT_OURS and room.name[0] != "."]
    paths = [path for room in rooms for path in room.rglob("*.py") if path.parent.name != "migrations"]
    assert len(paths) > 1000
    return {str(path.relative_to(ROOT)): path.read_text() for path in paths}


def may_hold_a_long_function(text: str) -> bool:
    """Tell whether a function may be too long: parsing each file would take seconds.

    A function ends before the next definition that is not inside it, or at the end of the file.
    """
    lines = text.splitlines()
    open_ones: list[tuple[int, int]] = []
    """Functions that have not ended: each with its indentation and its line."""
    for number, line in enumerate([*lines, "def"]):
        if not (found := DEFINITION.match(line)):
            continue
        indent = len(found[1])
        while open_ones and open_ones[-1][0] >= indent:
            if number - open_ones.pop()[1] > LONGEST_FUNCTION:
                return True
        open_ones.append((indent, number))
    return False


def test_no_docstring_begins_with_a_question_word() -> None:
    found = [
        f"{path}:{node.lineno}: {node.value.value[:60]}"
        for path, text in sources().items()
        if OPENING_STRING.search(text)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node.value.value, str) and OPENERS.match(node.value.value)
    ]
    assert found == []


JSON_OUTSIDE_THE_API = {
    "config/health.py": "monitors read it",
    "config/error_pages.py": "it refuses what reached no call",
    "config/middleware.py": "it refuses what reached no call",
    "platforms/pages/prolific.py": "the platform calls it back",
}


def test_only_calls_of_the_api_read_and_write_json() -> None:
    """The schema holds every other request that a script of a page sends."""
    product = {path: text for path, text in sources().items() if path.partition("/")[0] not in ("tests", "studies")}
    found = {path for path, text in product.items() if re.search(r"\bJsonResponse\(|\brequest\.body\b", text)}
    assert found == JSON_OUTSIDE_THE_API.keys()


def test_no_module_gives_a_value_twice() -> None:
    """Of two values with one name the later would count for both, as where two files become one."""
    assert [(path, name) for path, text in sources().items() for name in named_twice(text)] == []
    assert named_twice("ROUNDS, STILL = 12, 0.1\n\nMOST: int = 4\n\nSTILL = 0.2") == ["STILL"]


def named_twice(text: str) -> list[str]:
    """Return the names in capitals that a module gives a value more than once."""
    named = [name for names in VALUES.findall(text) for name in names.split(", ")]
    return sorted({name for name in named if named.count(name) > 1})


def test_no_file_is_longer_than_600_lines() -> None:
    assert [path for path, text in sources().items() if len(text.splitlines()) > LONGEST_FILE] == []


def test_no_function_is_longer_than_60_lines() -> None:
    found = [
        f"{path}:{node.lineno} {node.name}: {node.end_lineno - node.lineno + 1}"
        for path, text in sources().items()
        if may_hold_a_long_function(text)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, FUNCTIONS) and node.end_lineno and node.end_lineno - node.lineno >= LONGEST_FUNCTION
    ]
    assert found == []


LANGUAGES = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
PARTS = ("config", "labelling", "platforms", "workers", "pipeline", "annotation", "runtime")
VALUE = re.compile(r"%\(\w+\)s|\{\w+\}")
KEYWORDS = ("gettext_noop", "gettext_lazy", "ngettext:1,2", "npgettext:1c,2,3", "pgettext:1c,2")
Words = dict[str | tuple[str, int], str]


def words(compiled: bytes) -> Words:
    catalogue: Words = gettext.GNUTranslations(io.BytesIO(compiled))._catalog  # type: ignore[attr-defined]
    return {key: text for key, text in catalogue.items() if key}


def run(*command: str, given: bytes = b"") -> bytes:
    done = subprocess.run(command, input=given, capture_output=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def folder(language: str) -> Path:
    return ROOT / "config" / "locale" / language / "LC_MESSAGES"


def in_source(tmp_path: Path) -> Words:
    """Return the words of the source, found as `manage.py makemessages` finds them."""
    for part in PARTS:
        for path in (ROOT / part).rglob("*"):
            if path.suffix not in (".py", ".html", ".txt") or not path.is_file():
                continue
            text = path.read_text()
            copy = tmp_path / f"{path.relative_to(ROOT)}.py"
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text if path.suffix == ".py" else templatize(text))
    files = "\n".join(map(str, sorted(tmp_path.rglob("*.py"))))
    options = [f"--keyword={one}" for one in KEYWORDS]
    found = run("xgettext", "-L", "Python", "--from-code=UTF-8", *options, "-f", "-", "-o", "-", given=files.encode())
    # Each word is its own translation, or it would not be compiled.
    for blank, filled in ((b"CHARSET", b"UTF-8"), (b"INTEGER", b"2"), (b"EXPRESSION", b"(n != 1)")):
        found = found.replace(blank, filled)
    return words(run("msgfmt", "-o", "-", "-", given=run("msgen", "-", given=found)))


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    """Each language of the service but that of the source."""
    assert shutil.which("xgettext"), "These tests need Debian's gettext: scripts/system_packages.sh"
    return str(request.param)


def test_every_word_of_the_source_is_translated_and_no_other(language: str, tmp_path: Path) -> None:
    translated, ours = words((folder(language) / "django.mo").read_bytes()), in_source(tmp_path)
    singular = [{one if isinstance(one, str) else one[0] for one in each} for each in (translated, ours)]
    assert singular[0] == singular[1]


def test_a_translation_has_the_values_of_the_original(language: str) -> None:
    run("msgfmt", "--check-format", "-o", "/dev/null", str(folder(language) / "django.po"))
    for key, text in words((folder(language) / "django.mo").read_bytes()).items():
        original = key if isinstance(key, str) else key[0]
        assert text.strip()
        assert sorted(set(VALUE.findall(text))) == sorted(set(VALUE.findall(original))), original


def test_what_the_service_reads_was_made_from_the_translation(language: str) -> None:
    fresh = run("msgfmt", "-o", "-", str(folder(language) / "django.po"))
    assert words(fresh) == words((folder(language) / "django.mo").read_bytes()), "run scripts/words.sh"


def test_the_labelling_page_has_words_too(language: str) -> None:
    assert f'"src/words/{language}.ts"' in (ROOT / "frontend" / "vite.config.ts").read_text()
    assert (ROOT / "frontend" / "src" / "words" / f"{language}.json").exists()


def test_the_clock_sends_jobs_that_are_there() -> None:
    app.loader.import_default_modules()
    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} <= app.tasks.keys()


NOT_THE_PRODUCT = ("tests/", "scripts/", "studies/")
SQL = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|JOIN|WHERE)\b")
NO_NAMES = re.compile(r"'[^']*'|%\(\w+\)s|%s|\{\w*\}\w*(?!\.)|\bAS (text|bigint)\b")
"""Values, places for values and for other text, and types."""
WORD = re.compile(r"(?:([a-z_]+)\.)?([a-z_][a-z0-9_]*)\b(?!\.|\()")
"""A name in SQL, perhaps of a table's column. Keywords are in capitals, and functions have a bracket."""
OUTSIDE = {
    "sqlite_master", "clock_timestamp", "epoch", "each", "place", "value", "pg_sequences", "sequencename", "pid",
    "last_value", "pg_stat_activity", "application_name", "usename", "datname", "backend_type",
}  # fmt: skip
"""Names that the database itself gives."""
ROWS = {"v": re.compile(r"column\d+")}
"""The rows of values that pipeline/record/bulk_rows.py inserts."""
UPWARD = {
    "annotation.Box.drawn_by": "workers.Worker",
    "pipeline.Assignment.session": "platforms.Session",
    "workers.Access.project": "annotation.Project",
    "workers.Invitation.project": "annotation.Project",
    "workers.Message.project": "annotation.Project",
    "workers.SkillEstimate.project": "annotation.Project",
    "workers.TrustChange.project": "annotation.Project",
    "workers.TrustStatus.project": "annotation.Project",
    "workers.WorkerSignal.project": "annotation.Project",
}
"""Foreign keys to an app that the model's own app may not import."""
Tables = Mapping[str, set[str]]


def tables() -> dict[str, set[str]]:
    """Return the columns of each table."""
    models: list[type[Model]] = [*apps.get_models(include_auto_created=True), MigrationRecorder.Migration]
    return {model._meta.db_table: {str(field.column) for field in model._meta.concrete_fields} for model in models}


def texts_with_sql() -> Iterator[tuple[str, str]]:
    """Yield each text of the product that holds SQL, after its place. {} stands for what is put into it."""
    for path, source in sources().items():
        if path.startswith(NOT_THE_PRODUCT) or not SQL.search(source):
            continue
        nodes = list(ast.walk(ast.parse(source)))
        skipped = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # docstrings
        skipped |= {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in nodes:
            if id(node) in skipped or not isinstance(node, ast.Constant | ast.JoinedStr):
                continue
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            written = [part.value if isinstance(part, ast.Constant) else "{}" for part in parts]
            text = "".join(part for part in written if isinstance(part, str))
            if SQL.search(text):
                yield f"{path}:{node.lineno}", text


def unknown_names(text: str, known: Tables) -> list[str]:
    """Return the names in a text of SQL that are neither a table, nor a column of its tables, nor made in the text."""
    bare = NO_NAMES.sub(" ", text.replace("{table}.", "any.")).replace('"', "")
    named = {word for word in re.findall(r"\w+", bare) if word in known}
    alias = {
        name: known[table] for table in named for name in (table, *re.findall(rf"{table}(?: AS)? ([a-z_]+)", bare))
    }
    alias["any"] = set().union(*known.values())
    made = {*alias, *OUTSIDE, *re.findall(r"(?:\)|\} AS| AS) ([a-z_]+)", bare)}
    columns = set().union(*(known[table] for table in named or known))
    return [
        f"{of}.{name}" if of else name
        for of, name in WORD.findall(bare)
        if not (
            name in alias[of] if of in alias else ROWS[of].fullmatch(name) if of in ROWS else name in made | columns
        )
    ]


def wrong_names(known: Tables) -> list[str]:
    return [f"{place} {name}" for place, text in texts_with_sql() for name in unknown_names(text, known)]


def test_every_name_in_sql_is_a_table_or_a_column_of_a_model() -> None:
    assert len(list(texts_with_sql())) >= 20
    assert wrong_names(tables()) == []


@row("pipeline_assignment", "draft", {"pipeline/asking/keep_lease.py"})
@row("pipeline_assignment", "ahead", {"pipeline/asking/admission.py"})
@row("workers_truststatus", "resumes", {"pipeline/asking/admission.py"})
@row("workers_access", "task", {"pipeline/asking/admission.py"})
@row("pipeline_judgment", "known_id", {"pipeline/asking/submit_assignment.py"})
@row("labelling_signin", "password_end", {"labelling/sign_ins.py"})
def test_a_column_that_was_renamed_is_found_in_the_sql(table: str, column: str, files: set[str]) -> None:
    renamed = tables()
    renamed[table] = renamed[table] - {column} | {f"new_{column}"}
    assert {name.partition(":")[0] for name in wrong_names(renamed)} == files


def test_only_these_foreign_keys_lead_to_an_app_that_may_not_be_imported() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [layer.split(" | ") for layer in contracts[0]["layers"]]
    level = {app: place for place, layer in enumerate(layers) for app in layer}
    found = {
        f"{model._meta.label}.{field.name}": field.related_model._meta.label
        for model in apps.get_models()
        for field in model._meta.fields
        if field.related_model and {model._meta.app_label, field.related_model._meta.app_label} <= set(level)
        if model._meta.app_label != field.related_model._meta.app_label
        if level[model._meta.app_label] >= level[field.related_model._meta.app_label]
    }
    assert found == UPWARD
