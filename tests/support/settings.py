"""Settings for tests: the service's own, with files in a temporary folder, cheap passwords, and the studies."""

import atexit
import os
import shutil
import tempfile

_folder = tempfile.mkdtemp(prefix="chainbox-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["CHAINBOX_DATA"] = _folder
# The test client uses plain HTTP; tests of the HTTPS settings start processes of their own.
os.environ.setdefault("HTTPS", "off")
os.environ.setdefault("SECRET_KEY", "only-for-tests-" + "x" * 32)
# The processes of -n fill the cores already; more threads of a numeric library would only wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
if os.environ.get("REDIS_URL") and (number := os.environ.get("PYTEST_XDIST_WORKER", "")[2:]):
    # Each process of -n has four of the sixteen databases in Redis, as pytest-django gives it one in PostgreSQL:
    # jobs of one must not reach runners of another.
    os.environ["REDIS_URL"] = os.environ["REDIS_URL"].rpartition("/")[0] + f"/{4 * int(number)}"

from config.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}  # noqa: F405
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
# Files are looked for when they are asked for: every test client would make its own list of them all.
WHITENOISE_AUTOREFRESH = True
CLOCK_MAY_MOVE = True
# Jobs run in place on both engines; only tests marked `services` use a Celery worker process.
CELERY_TASK_ALWAYS_EAGER = True
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    # One process runs all tests of a service: with the usual 128 statements most would be prepared again and again.
    DATABASES["default"]["OPTIONS"]["cached_statements"] = 1_000  # noqa: F405
INSTALLED_APPS = ["studies", "tests.support.flushing", *INSTALLED_APPS]  # noqa: F405
