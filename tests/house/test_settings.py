"""Settings from the environment, and files that other users of the machine cannot read."""

import grp
import os
import runpy
import stat
import subprocess
import sys
import traceback
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.backends.postgresql import psycopg_any

from config.apps import keep_private
from config.environment import read_environment
from config.settings import GONE_SECONDS
from runtime.runs import HELD
from tests.support.places import ROOT
from tests.support.table import case, row

SERVER = {"DATABASE_URL": "postgres://me:pw@db.example:5433/boxes", "SECRET_KEY": "k" * 40, "HTTPS": "on"}
STORAGE = "annotation.bucket_storage.BucketStorage"


def variables_of(folder: Path, **variables: str) -> dict[str, str]:
    own = {"PATH": os.environ["PATH"], "DJANGO_SETTINGS_MODULE": "config.settings", "CHAINBOX_DATA": str(folder)}
    return own | variables


def start(expression: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Evaluate the expression in a fresh process whose environment has these variables alone."""
    code = f"from django.conf import settings as s; print(({expression}))"
    env = variables_of(folder, **variables)
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def shown_by_a_process(expression: str, folder: Path, **variables: str) -> str:
    done = start(expression, folder, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def shown(expression: str, folder: Path, **variables: str) -> str:
    """Evaluate the expression with the settings `s` that these variables alone give: a process takes a second."""
    with mock.patch.dict(os.environ, variables_of(folder, **variables), clear=True):
        settings = SimpleNamespace(**runpy.run_path(str(ROOT / "config" / "settings.py")))
    return str(eval(expression, {"s": settings}))


@pytest.mark.slow
def test_it_needs_no_variable_at_all_and_crunches_numbers_in_one_thread(tmp_path: Path) -> None:
    expression = "s.DATABASES['default']['ENGINE'], s.DATABASES['default']['NAME'], s.CELERY_TASK_ALWAYS_EAGER, s.DEBUG"
    threads = "__import__('os').environ['OMP_NUM_THREADS'], 'numpy' in __import__('sys').modules"
    expected = ("django.db.backends.sqlite3", str(tmp_path / "chainbox.sqlite3"), True, False)
    # NumPy reads the number of threads when it is imported.
    assert shown_by_a_process(f"{expression}, {threads}", tmp_path) == str((*expected, "1", False))
    with mock.patch.dict(os.environ, OMP_NUM_THREADS="4"):
        runpy.run_path(str(ROOT / "config" / "__init__.py"))
        assert os.environ["OMP_NUM_THREADS"] == "4"


@pytest.mark.slow
def test_reading_the_settings_writes_and_prints_nothing_and_a_bad_value_ends_the_process_with_a_sentence(
    tmp_path: Path,
) -> None:
    done = start("[name for name in dir(s) if name != 'SECRET_KEY' and getattr(s, name) is s]", tmp_path / "var")
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")
    assert list(tmp_path.iterdir()) == []
    done = start("s.DEBUG", tmp_path, PORT="http")
    assert done.returncode != 0
    assert "PORT is 'http': write a whole number from 1 to 65535." in done.stderr.strip().splitlines()[-1]


def test_it_takes_postgresql_and_redis_from_the_environment(tmp_path: Path) -> None:
    database = "[s.DATABASES['default'][key] for key in ('ENGINE', 'HOST', 'PORT', 'NAME', 'CONN_MAX_AGE')]"
    expression = f"{database}, s.CELERY_BROKER_URL, s.CELERY_TASK_ALWAYS_EAGER"
    output = shown(expression, tmp_path, **SERVER, REDIS_URL="redis://cache.example:6380/1")
    values = ["django.db.backends.postgresql", "db.example", 5433, "boxes", 60]
    assert output == str((values, "redis://cache.example:6380/1", False))


def test_a_connection_ends_soon_after_the_machine_at_its_other_end_is_gone(tmp_path: Path) -> None:
    url = SERVER["DATABASE_URL"] + "?connect_timeout=20&options=-c%20work_mem%3D8MB"
    expression = "[s.DATABASES['default']['OPTIONS'][k] for k in ('connect_timeout', 'tcp_user_timeout', 'options')]"
    found = shown(expression, tmp_path, **{**SERVER, "DATABASE_URL": url})
    ours = ("keepalives_idle=4", "keepalives_interval=2", "keepalives_count=3", "user_timeout=10000")
    of_server = " ".join(f"-c tcp_{one}" for one in ours)
    assert found == str([20, 10_000, f"{of_server} -c work_mem=8MB"])
    assert timedelta(seconds=GONE_SECONDS) < HELD, "what was cut off has failed before another process begins its work"


@pytest.mark.services
@pytest.mark.django_db
def test_the_database_asks_whether_our_machine_is_there(real_services: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('tcp_user_timeout'), current_setting('tcp_keepalives_idle')")
        assert cursor.fetchone() == ("10000", "4")


COOKIES = "s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME, s.LANGUAGE_COOKIE_NAME"
COOKIE_NAMES = ("sessionid", "csrftoken", "language")
OLD_KEYS = ["a" * 32, "b" * 32]
HTTPS = "s.SECURE_SSL_REDIRECT, s.SESSION_COOKIE_SECURE, s.SECURE_HSTS_SECONDS > 0"
WITHOUT_WORD = {name: value for name, value in SERVER.items() if name != "HTTPS"}
MAIL = "s.EMAIL_BACKEND.split('.')[-2], s.EMAIL_PORT, s.EMAIL_USE_TLS, s.EMAIL_USE_SSL"
MAIL_SERVER = {"EMAIL_HOST": "mail.example", "EMAIL_PORT": "465", "EMAIL_SECURITY": "TLS"}
BUCKET = "s.STORAGES['default']['BACKEND'], s.STORAGES['default']['OPTIONS']['bucket_name']"
IMAGES = "s.CONTENT_SECURITY_POLICY['DIRECTIVES']['img-src'][3:]"
AMAZON = {"S3_BUCKET": "pictures", "S3_REGION": "eu-central-1"}
INSIDE = {"S3_BUCKET": "pictures", "S3_ENDPOINT_URL": "http://minio:9000/"}
GIVEN = {"PORT": "9", "ADDRESS": "https://a.example/"}
OUTSIDE = {**INSIDE, "S3_PUBLIC_URL": "https://files.example.org"}


@case("a server insists on https", HTTPS, WITHOUT_WORD, "(True, True, True)")
@case("strict transport holds for the hosts below", "s.SECURE_HSTS_INCLUDE_SUBDOMAINS", SERVER, "True")
@case(
    "strict transport leaves hosts below alone where it is told so",
    "s.SECURE_HSTS_INCLUDE_SUBDOMAINS",
    {**SERVER, "HSTS_SUBDOMAINS": "off"},
    "False",
)
@case("a server does without https where it is told so", HTTPS, {**SERVER, "HTTPS": "off"}, "(False, False, False)")
@case("cookies are bound to the host with https", COOKIES, SERVER, str(tuple(f"__Host-{one}" for one in COOKIE_NAMES)))
@case("cookies have plain names without https", COOKIES, {}, str(COOKIE_NAMES))
@case(
    "keys of before still count",
    "s.SECRET_KEY_FALLBACKS",
    {"SECRET_KEY_FALLBACKS": f"{'a' * 32}, {'b' * 32}"},
    str(OLD_KEYS),
)
@case("pictures go to s3 when a bucket is named", BUCKET, INSIDE, f"('{STORAGE}', 'pictures')")
@case("browsers may load pictures from no other place", IMAGES, {}, "[]")
@case("browsers may load pictures of a bucket", IMAGES, AMAZON, "['https://pictures.s3.eu-central-1.amazonaws.com']")
@case("browsers may load pictures from a bucket in this network", IMAGES, INSIDE, "['http://minio:9000']")
@case("browsers may load pictures by the public address of a bucket", IMAGES, OUTSIDE, "['https://files.example.org']")
@case("no mail leaves the service unless a mail server is named", MAIL, {}, "('dummy', 587, True, False)")
@case("mail is printed in development", MAIL, {"DEBUG": "on"}, "('console', 587, True, False)")
@case("mail leaves by the mail server that is named", MAIL, MAIL_SERVER, "('smtp', 465, False, True)")
@case("links lead to this machine", "s.ADDRESS", {}, "http://127.0.0.1:8000")
@case("links lead to the port", "s.ADDRESS", {"PORT": "9000"}, "http://127.0.0.1:9000")
@case("links lead to the address that is given", "s.ADDRESS", GIVEN, "https://a.example")
def test_settings_follow_from_variables(expression: str, given: dict[str, str], found: str, tmp_path: Path) -> None:
    assert shown(expression, tmp_path, **given) == found


@pytest.mark.slow
def test_a_server_passes_the_checks_for_deployment(tmp_path: Path) -> None:
    variables = {"SECRET_KEY": "".join(chr(48 + i % 70) for i in range(70)), "ALLOWED_HOSTS": "chainbox.example"}
    server = {**SERVER, **variables, "REDIS_URL": "redis://cache.example/0", "CHAINBOX_DATA": str(tmp_path)}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    env = {"PATH": os.environ["PATH"], **server}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("System check identified no issues")


def test_a_service_with_https_does_not_let_its_clock_be_moved(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="a service with HTTPS does not move its clock"):
        shown("s", tmp_path, **SERVER, CLOCK_MAY_MOVE="on")
    assert shown("s.CLOCK_MAY_MOVE", tmp_path, **{**SERVER, "HTTPS": "off"}, CLOCK_MAY_MOVE="on") == "True"


def test_the_random_key_is_kept_and_private(tmp_path: Path) -> None:
    first, second = shown("s.SECRET_KEY", tmp_path), shown("s.SECRET_KEY", tmp_path)
    file = tmp_path / "secret_key"
    assert first == second == file.read_text() and len(first) >= 50
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


@pytest.mark.filterwarnings("ignore:Engine not recognized")  # said by django-environ before the value is refused
@row({"DEBUG": "maybe"}, "DEBUG is 'maybe': write 'on' or 'off'.")
@row({"DATABASE_URL": "mysql://a@b/c", "SECRET_KEY": "k" * 40}, "DATABASE_URL must look like postgres://")
@row({"DATABASE_URL": "postgres://a@b:port/c", "SECRET_KEY": "k" * 40}, "DATABASE_URL must look like postgres://")
@row({"DATABASE_URL": "postgres://a@b:5432", "SECRET_KEY": "k" * 40}, "the database's name is missing")
@row({"DATABASE_URL": "nonsense", "SECRET_KEY": "k" * 40}, "DATABASE_URL must look like postgres://")
@row({"DATABASE_URL": "postgres://a@b/c"}, "SECRET_KEY is not set")
@row({"SECRET_KEY": "short"}, "SECRET_KEY has 5 characters")
@row({"SECRET_KEY_FALLBACKS": f"{'k' * 32},short"}, "SECRET_KEY_FALLBACKS has a key of 5 characters")
@row({"REDIS_URL": "cache:6379"}, "REDIS_URL must look like redis://")
@row({"LOG_LEVEL": "loud"}, "LOG_LEVEL is 'loud'")
@row({"PORT": "http"}, "PORT is 'http': write a whole number from 1 to 65535.")
@row({"PORT": "70000"}, "PORT is '70000': write a whole number from 1 to 65535.")
@row({"EMAIL_PORT": "0"}, "EMAIL_PORT is '0': write a whole number from 1 to 65535.")
@row({"EMAIL_SECURITY": "yes"}, "EMAIL_SECURITY is 'yes'")
@row({"LOG_FORMAT": "xml"}, "LOG_FORMAT is 'xml': write 'plain' or 'json'.")
@row({"SLOW_STATEMENT_SECONDS": "soon"}, "SLOW_STATEMENT_SECONDS is 'soon': write a number of seconds from 0 to 3600.")
@row({"METRICS_TOKEN": "short"}, "METRICS_TOKEN has 5 characters: give it at least 20 random ones.")
def test_a_bad_value_stops_the_start_and_names_the_variable(
    variables: dict[str, str], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(ImproperlyConfigured) as raised:
        shown("s.DEBUG", tmp_path, **variables)
    assert sentence in str(raised.value).splitlines()[-1]


@row("mysql://me:hush@db/boxes")
@row("postgres://me:hush@db:port/boxes")
@row("postgres://me:hush@db")
def test_all_bad_values_are_named_at_once_without_the_password_of_the_database(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"DEBUG is 'maybe'.*LOG_LEVEL is 'loud': write 'WARNING'") as raised:
        read_environment({"DATABASE_URL": url, "DEBUG": "maybe", "LOG_LEVEL": "loud"})
    assert "hush" not in "".join(traceback.format_exception(raised.value))


def test_the_environment_does_not_show_its_secrets() -> None:
    names = ("SECRET_KEY", "PROLIFIC_TOKEN", "PROLIFIC_HOOK_SECRET", "EMAIL_HOST_PASSWORD")
    secret = {
        **dict.fromkeys(names, "hush"),
        "SECRET_KEY_FALLBACKS": 8 * "hush",
        "DATABASE_URL": "postgres://me:hush@db/boxes",
    }
    assert "hush" not in repr(read_environment(secret))


def test_a_value_is_taken_as_it_is_but_for_surrounding_blanks() -> None:
    given = {"SECRET_KEY": " $PATH ", "DEBUG": "ON", "ALLOWED_HOSTS": "a.example, b.example", "HTTPS": ""}
    found = read_environment(given)
    assert (found.SECRET_KEY, found.DEBUG, found.HTTPS) == ("$PATH", True, None)
    assert found.ALLOWED_HOSTS == ["a.example", "b.example"]


def test_django_speaks_to_postgresql_through_psycopg2() -> None:
    assert not psycopg_any.is_psycopg3


def test_vectors_of_phrases_without_their_package_are_refused_in_one_sentence(tmp_path: Path) -> None:
    sentence = "a package that is not installed (run scripts/setup.sh vectors). Or remove PHRASE_VECTORS."
    with mock.patch("config.environment.find_spec", {}.get):
        assert shown("s.PHRASE_VECTORS", tmp_path) == "False"
        with pytest.raises(ImproperlyConfigured) as raised:
            shown("s", tmp_path, PHRASE_VECTORS="on")
    assert str(raised.value).splitlines()[-1].endswith(f"PHRASE_VECTORS needs {sentence}")


@pytest.fixture(autouse=True)
def own_umask() -> Iterator[None]:
    """The test's process gets its umask back."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


def readable_by_others(folder: Path) -> list[str]:
    return [str(one) for one in (folder, *folder.rglob("*")) if one.stat().st_mode & 0o077]


def open_to_others(folder: Path, *names: str) -> Path:
    (folder / "media/full").mkdir(parents=True)
    for name in names:
        (folder / name).touch(0o644)
    return folder


def test_a_service_leaves_nothing_readable_to_other_users_and_closes_what_was(tmp_path: Path) -> None:
    folder = open_to_others(tmp_path / "var", "chainbox.sqlite3", "served_address", "media/full/a.jpg")
    code = (
        "__import__('django').setup(), s.SECRET_KEY,"
        "__import__('django.db').db.connection.ensure_connection(),"
        "__import__('django.core.files.storage').core.files.storage.default_storage.save('a/b.jpg',"
        "__import__('django.core.files.base').core.files.base.ContentFile(b'pixels'))"
    )
    done = start(code, folder)
    assert done.returncode == 0, done.stderr
    assert {"chainbox.sqlite3", "secret_key", "a.jpg", "b.jpg"} <= {path.name for path in folder.rglob("*")}
    assert readable_by_others(folder) == []
    assert (mode(folder), mode(folder / "chainbox.sqlite3"), mode(folder / "media/a")) == ("0o700", "0o600", "0o700")


def test_a_new_folder_a_journal_that_was_left_open_and_a_file_in_a_closed_folder_are_closed(tmp_path: Path) -> None:
    assert keep_private(tmp_path / "new") == "" and mode(tmp_path / "new") == "0o700"
    folder = open_to_others(tmp_path / "var", "chainbox.sqlite3-wal")
    assert keep_private(folder) == "" and readable_by_others(folder) == []
    (tmp_path / "new" / "chainbox.sqlite3").touch(0o644)
    assert keep_private(tmp_path / "new") == "" and mode(tmp_path / "new" / "chainbox.sqlite3") == "0o600"


def test_a_folder_that_cannot_be_made_stops_the_start_and_is_named() -> None:
    with pytest.raises(ImproperlyConfigured, match="CHAINBOX_DATA: the folder /dev/null/x cannot be made"):
        keep_private(Path("/dev/null/x"))


def test_links_lead_nowhere_that_is_changed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.touch(0o644)
    folder = tmp_path / "var"
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    assert keep_private(folder) == ""
    assert mode(outside) == "0o644"


def test_a_folder_that_everybody_writes_to_is_left_as_it_is_and_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    (tmp_path / "of_others").touch(0o644)
    assert "a folder of its own" in keep_private(tmp_path)
    assert (mode(tmp_path), mode(tmp_path / "of_others")) == ("0o1777", "0o644")


def test_one_line_tells_that_permissions_cannot_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.setattr(Path, "chmod", mock.Mock(side_effect=PermissionError(1, "Operation not permitted")))
    told = keep_private(tmp_path)
    assert told.count("\n") == 0
    assert "Other users of this machine may read files in" in told and "Operation not permitted" in told


def test_a_group_that_does_not_exist_and_a_file_system_without_permissions_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = keep_private(tmp_path, "no-such-group")
    assert "no-such-group" in told and told.count("\n") == 0
    tmp_path.chmod(0o755)
    monkeypatch.setattr(Path, "chmod", lambda *_, **__: None)
    assert "its file system keeps no permissions" in keep_private(tmp_path)


@pytest.mark.slow
def test_the_group_of_a_proxy_reads_pictures_and_page_files_and_nothing_else(tmp_path: Path) -> None:
    folder = open_to_others(tmp_path / "var", "chainbox.sqlite3", "media/full/a.jpg")
    group = grp.getgrgid(os.getgid()).gr_name
    expression = "oct(s.FILE_UPLOAD_PERMISSIONS), oct(s.FILE_UPLOAD_DIRECTORY_PERMISSIONS), s.FILES_GROUP"
    assert shown(expression, folder, FILES_GROUP=group) == str(("0o640", "0o2750", group))
    assert [keep_private(folder, group) for _ in range(2)] == ["", ""]
    found = [mode(folder / name) for name in ("", "chainbox.sqlite3", "media", "media/full", "media/full/a.jpg")]
    assert found == ["0o710", "0o600", "0o2750", "0o2750", "0o640"]
