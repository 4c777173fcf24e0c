"""The documentation agrees with the tree: files, rooms, commands, settings, links."""

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from django.core.management import get_commands

from config.environment import Environment
from pipeline.rules.settings.protocol import ProtocolSettings

ROOT = Path(__file__).parents[2]
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


def test_some_pages_are_there():
    assert len(PAGES) > 15


@each_page
def test_every_file_that_a_page_names_exists(page: Path):
    text = page.read_text()
    named = {*FILE.findall(LINK.sub("](", text)), *FOLDER.findall(text)}
    missing = [name for name in named if EXAMPLE not in name and not is_there(name, page)]
    assert not sorted(missing)


@each_page
def test_every_command_that_a_page_names_exists(page: Path):
    text = page.read_text()
    studies = {path.stem for path in (ROOT / "studies/management/commands").glob("*.py")}
    assert set(COMMAND.findall(text)) - (set(get_commands()) - studies) == set()
    assert set(STUDY.findall(text)) - studies == set()
    assert set(MAKE.findall(text)) - set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)) == set()


@each_page
def test_every_link_leads_somewhere(page: Path):
    targets = [target for target in LINK.findall(page.read_text()) if not target.startswith(("http://", "https://"))]
    assert not [target for target in targets if not (page.parent / target).exists()]


def test_every_page_that_the_code_names_exists():
    named = {
        (match, str(path.relative_to(ROOT)))
        for path in code()
        for match in re.findall(r"(?<![\w/.-])docs/[\w/-]+\.md", path.read_text(errors="ignore"))
    }
    assert named
    assert not sorted(one for one in named if not (ROOT / one[0]).exists())


def test_the_index_lists_every_page():
    listed = {(DOCS / target).resolve() for target in LINK.findall((DOCS / "index.md").read_text())}
    assert set(DOCS.rglob("*.md")) - {DOCS / "index.md"} - listed == set()


def test_the_list_of_commands_is_complete():
    ours = {path.stem for path in ROOT.glob("*/management/commands/[a-z]*.py")}
    page = (DOCS / "reference/commands.md").read_text()
    assert not sorted(name for name in ours if not re.search(rf"`{name}\b", page))


def test_the_page_of_settings_holds_every_setting_of_a_project_and_no_other():
    assert documented_settings("Of a project") == {each.name for each in fields(ProtocolSettings)}


def test_the_page_of_settings_holds_every_variable_that_the_service_reads_and_no_other():
    scripts = "".join((ROOT / name).read_text() for name in ("scripts/process.sh", "docker-compose.yml"))
    of_scripts = set(re.findall(r"\$\{([A-Z][A-Z0-9_]+):", scripts)) - {"TMPDIR"}
    assert documented_settings("Of the service") == {*Environment.model_fields, *of_scripts}


def documented_settings(section: str) -> set[str]:
    """Return the names in the first column of this section's table."""
    _, _, after = (DOCS / "reference/settings.md").read_text().partition(f"## {section}\n")
    rows = [line.split("|")[1] for line in after.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


@pytest.mark.parametrize("app", ["pipeline", "platforms"])
def test_the_architecture_names_every_room(app: str):
    _, _, after = (DOCS / "architecture.md").read_text().partition(f"## Rooms of `{app}`")
    section, _, _ = after.partition("\n## ")
    assert set(re.findall(r"`([\w/]+)`", " ".join(room_lines(section)))) == set(rooms(ROOT / app))


def test_the_architecture_lists_the_apps_in_the_order_of_their_imports():
    contract = re.search(
        r'name = "apps import one way".*?layers = \[(.*?)\n\]', (ROOT / "pyproject.toml").read_text(), re.S
    )
    assert contract is not None
    line = next(line for line in (DOCS / "architecture.md").read_text().splitlines() if " → `backoffice` → " in line)
    assert re.findall(r"\w+", line) == re.findall(r"\w+", contract[1])


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


def rooms(app: Path) -> Iterator[str]:
    """The folders with code, without what Django wants by name; rooms of rules count one by one."""
    for path in sorted(app.iterdir()):
        if not (path / "__init__.py").exists() or path.name in {"migrations", "management", "templatetags"}:
            continue
        below = [inner.name for inner in path.iterdir() if path.name == "rules" and (inner / "__init__.py").exists()]
        yield from (f"rules/{name}" for name in below) if below else (path.name,)


def room_lines(section: str) -> list[str]:
    return [line.partition(":")[0] for line in section.splitlines() if line.startswith("- ")]
