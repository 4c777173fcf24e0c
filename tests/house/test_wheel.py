"""The wheel: built, installed into an empty environment, and used there; the list of commands."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from django.apps import apps
from django.core.management import get_commands

from chainbox import __version__
from config.start import COMMANDS, commands_of, overview
from tests.support.places import ROOT
from tests.support.served import environment
from tests.support.skips import EXTRAS

MOST_BYTES, MOST_INSTALLED = 6 << 20, 330 << 20
OF_CHECKOUT = {"settings_reference", "operations_reference", "schemas"}
"""Commands that write pages of docs/."""
ADDRESS = re.compile(r"Chainbox is at (http://\S+)/ ")
IMPORTED = """import chainbox_client, sys
assert "config" not in sys.modules
print(chainbox_client.Chainbox.__name__)
"""

WITHOUT_EXTRAS = """
import sys
sys.modules |= dict.fromkeys({absent})
import django
django.setup()
from evaluation.errors import MissingExtra
for module in {modules}:
    try:
        __import__(module.removesuffix(".__init__"))
    except MissingExtra:  # names the extra, and is raised where a step runs
        assert module.startswith("evaluation.")
"""


def test_the_list_of_commands_has_each_in_one_group() -> None:
    grouped = [name for group in COMMANDS for name in commands_of(group)]
    own = {config.name for config in apps.get_app_configs() if Path(config.path).parent == ROOT} - {"studies"}
    ours = {name for name, app in get_commands().items() if app in own}
    assert sorted(grouped) == sorted({*grouped}) and ours - OF_CHECKOUT <= {*grouped} <= {*get_commands()}
    listed = overview("chainbox")
    assert re.findall(r"^\w+$", listed, re.M) == ["start", "data", "people", "money", "upkeep"]
    assert re.search(r"^  annotator +Let a model", listed, re.M) and "  evaluation " in listed


def test_an_error_of_a_command_names_the_page_about_it() -> None:
    pages = {page for group in COMMANDS.values() for page in group}
    assert [page for page in pages if not (ROOT / f"docs/{page}.md").exists()] == []
    wrong = [sys.executable, "manage.py", "export_dataset", "--format", "none", "project"]
    done = subprocess.run(wrong, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode and done.stderr.splitlines()[-1].startswith("Help: docs/reference/formats.md")


def test_a_checkout_has_the_version_of_the_package() -> None:
    done = subprocess.run([sys.executable, "manage.py", "--version"], cwd=ROOT, capture_output=True, check=True)
    assert done.stdout.decode() == f"chainbox {__version__}\n"
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()


@pytest.mark.slow
def test_every_module_of_the_wheel_is_imported_without_the_packages_of_the_extras(tmp_path: Path) -> None:
    names = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    modules = [
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for name in names["only-include"]
        for file in sorted((ROOT / name).rglob("*.py"))
        if "migrations" not in file.parts and file.stem not in {"__main__", "chainbox_client", "example"}
    ]
    assert len(modules) > 500
    code = WITHOUT_EXTRAS.format(absent=sorted(EXTRAS), modules=modules)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def source_of_the_wheel(folder: Path) -> Path:
    """Copy what a source distribution holds: the files of Git and the built front end. Tests beside use that one."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in (name for name in listed.splitlines() if not name.startswith("tests/")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "frontend" / "dist", folder / "frontend" / "dist")
    return folder


def run(*command: str | Path, data: Path | None = None, home: Path | None = None) -> str:
    """Run a command far from the checkout. Returns its output."""
    done = subprocess.run(
        [str(part) for part in command], cwd="/", env=variables(data, home), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def variables(data: Path | None, home: Path | None = None) -> dict[str, str]:
    """Return the variables of this process without those of the tests, which name modules of the checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DJANGO", "PYTHON", "PYTEST"))}
    return {**kept, "CHAINBOX_DATA": str(data or ""), "XDG_DATA_HOME": str(home or "/nowhere")}


def files_in(folder: Path) -> set[str]:
    """Return the files below, without what Python compiles."""
    return {str(path) for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


@contextmanager
def served(command: Path, data: Path) -> Iterator[str]:
    """Run the demo, and return the address at which it serves."""
    process = subprocess.Popen(
        [str(command), "demo", "--port", "18100"], cwd="/", env=variables(data), stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        found = next(filter(None, map(ADDRESS.search, process.stdout)))
        yield found[1]
    finally:
        process.terminate()
        process.wait(30)
        if process.stdout:
            process.stdout.close()


@pytest.mark.slow
def test_a_wheel_is_installed_into_an_empty_environment_and_serves_imports_and_exports(tmp_path: Path) -> None:
    uv = ROOT / ".cache/tools/bin/uv"
    if not uv.exists():
        pytest.skip("this environment was not made by scripts/setup.sh")
    source = source_of_the_wheel(tmp_path / "source")
    installed, data = tmp_path / "installed", tmp_path / "data"

    def install() -> Path:
        shutil.rmtree(tmp_path / "wheels", ignore_errors=True)
        run(uv, "build", "--wheel", "--out-dir", tmp_path / "wheels", source)
        (wheel,) = (tmp_path / "wheels").glob("*.whl")
        into = ("--python", installed / "bin/python", "--reinstall-package", "chainbox")
        run(uv, "pip", "install", *into, "-c", ROOT / "requirements.txt", wheel)
        return wheel

    run(uv, "venv", "--python", sys.executable, installed)
    wheel = install()
    assert wheel.name == f"chainbox-{__version__}-py3-none-any.whl" and wheel.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(wheel) as packed:
        tops = {name.split("/")[0] for name in packed.namelist()}
    assert tops == {"chainbox", "chainbox_client.py", f"chainbox-{__version__}.dist-info"}
    packages = next((installed / "lib").glob("python*/site-packages"))
    assert sum(Path(name).stat().st_size for name in files_in(packages)) < MOST_INSTALLED
    before = files_in(packages)

    chainbox = installed / "bin/chainbox"
    assert run(chainbox, "--version") == f"chainbox {__version__}\n"
    assert run(installed / "bin/python", "-c", IMPORTED) == "Chainbox\n"
    assert "\nupkeep\n" in run(chainbox, "help", data=data)
    assert "localization" in run(chainbox, "evaluation") and "chainbox annotator" in run(
        chainbox, "annotator", "--help"
    )

    with served(chainbox, data) as address, urlopen(f"{address}/") as page:
        text = page.read().decode()
        assert page.status == 200 and "Drawn scenes" in text
        (script, *_) = re.findall(r'src="(/static/app/assets/[^"]+\.js)"', text)
        with urlopen(f"{address}{script}") as built:
            assert built.status == 200
    exported = tmp_path / "exported"
    run(chainbox, "export_dataset", "demo", exported, "--format", "flickr30k-entities", data=data)
    run(chainbox, "import_dataset", "again", exported, data=data)

    assert install().name == wheel.name  # a second build over the same data
    assert "14 images" in run(chainbox, "export_dataset", "demo", tmp_path / "twice", "--format", "coco", data=data)
    with served(chainbox, data) as address, urlopen(f"{address}/") as page:
        assert "Drawn scenes" in page.read().decode()
    run(chainbox, "migrate", home=tmp_path / "home")
    assert (tmp_path / "home/chainbox/chainbox.sqlite3").is_file()  # the platform's place
    assert files_in(packages) == before
    assert (data / "chainbox.sqlite3").is_file()
