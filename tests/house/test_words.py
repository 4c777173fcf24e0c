"""The words of the workers' pages in other languages: all are there, with their values, and what is read is current."""

import gettext
import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.translation.template import templatize

ROOT = Path(__file__).parents[2]
LANGUAGES = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
PARTS = ("config", "labelling", "messaging", "platforms", "workers", "gallery", "pipeline", "annotation", "upkeep")
VALUE = re.compile(r"%\(\w+\)s|\{\w+\}")
KEYWORDS = ("gettext_noop", "gettext_lazy", "ngettext:1,2", "npgettext:1c,2,3", "pgettext:1c,2")
each_language = pytest.mark.parametrize("language", LANGUAGES)
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
            if path.suffix not in (".py", ".html") or not path.is_file():
                continue
            text = path.read_text()
            copy = tmp_path / f"{path.relative_to(ROOT)}.py"
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(templatize(text) if path.suffix == ".html" else text)
    files = "\n".join(map(str, sorted(tmp_path.rglob("*.py"))))
    options = [f"--keyword={one}" for one in KEYWORDS]
    found = run("xgettext", "-L", "Python", "--from-code=UTF-8", *options, "-f", "-", "-o", "-", given=files.encode())
    # Each word is its own translation, or it would not be compiled.
    for blank, filled in ((b"CHARSET", b"UTF-8"), (b"INTEGER", b"2"), (b"EXPRESSION", b"(n != 1)")):
        found = found.replace(blank, filled)
    english = run("msgen", "-", given=found)
    return words(run("msgfmt", "-o", "-", "-", given=english))


@pytest.fixture(autouse=True)
def has_gettext() -> None:
    assert shutil.which("xgettext"), "These tests need Debian's gettext: scripts/system_packages.sh"


@each_language
def test_every_word_of_the_source_is_translated_and_no_other(language: str, tmp_path: Path) -> None:
    translated = words((folder(language) / "django.mo").read_bytes())
    assert {one if isinstance(one, str) else one[0] for one in translated} == {
        one if isinstance(one, str) else one[0] for one in in_source(tmp_path)
    }


@each_language
def test_a_translation_has_the_values_of_the_original(language: str) -> None:
    run("msgfmt", "--check-format", "-o", "/dev/null", str(folder(language) / "django.po"))
    for key, text in words((folder(language) / "django.mo").read_bytes()).items():
        original = key if isinstance(key, str) else key[0]
        assert text.strip()
        assert sorted(set(VALUE.findall(text))) == sorted(set(VALUE.findall(original))), original


@each_language
def test_what_the_service_reads_was_made_from_the_translation(language: str) -> None:
    fresh = run("msgfmt", "-o", "-", str(folder(language) / "django.po"))
    assert words(fresh) == words((folder(language) / "django.mo").read_bytes()), "run scripts/words.sh"


@each_language
def test_the_labelling_page_has_words_too(language: str) -> None:
    assert f'"src/words/{language}.ts"' in (ROOT / "frontend" / "vite.config.ts").read_text()
    assert (ROOT / "frontend" / "src" / "words" / f"{language}.json").exists()
