"""Django's settings: a service on SQLite in var/, unless environment variables change that (config/environment.py)."""

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.functional import SimpleLazyObject
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.admin_design import UNFOLD  # noqa: F401
from config.celery import CELERY_TASK_QUEUES, CELERY_TASK_ROUTES, QUEUES  # noqa: F401
from config.environment import KEY_LENGTH, read_environment, served_address, stored_secret
from config.logs import log_settings
from config.sign_in import *  # noqa: F403  # settings in a file of their own
from config.sign_in import origins, providers
from platforms import mturk
from runtime.installed import ROOT

BASE_DIR = ROOT
env = read_environment(os.environ)  # a small name: it is not a setting of Django, and its secrets are on no error page

DATA = env.CHAINBOX_DATA.expanduser().resolve()  # made when a process starts (config/apps.py)
FILES_GROUP = env.FILES_GROUP
REDIS_URL = env.REDIS_URL
WORKER_PROCESSES = env.WORKER_PROCESSES
# Embedded: one process on one machine, nothing to configure. With a database of its own the service is a server.
EMBEDDED = env.DATABASE_URL is None

DEBUG = env.DEBUG
HTTPS = not EMBEDDED and not DEBUG if env.HTTPS is None else env.HTTPS
CLOCK_MAY_MOVE = env.CLOCK_MAY_MOVE
if CLOCK_MAY_MOVE and HTTPS:
    raise ImproperlyConfigured("CLOCK_MAY_MOVE is for tests: a service with HTTPS does not move its clock.")
SECRET_KEY: Any = env.SECRET_KEY
if not SECRET_KEY:
    if not EMBEDDED and not DEBUG:
        raise ImproperlyConfigured("SECRET_KEY is not set: with DATABASE_URL the service needs a long random one.")
    SECRET_KEY = SimpleLazyObject(lambda: stored_secret(DATA / "secret_key"))
elif not DEBUG and len(SECRET_KEY) < KEY_LENGTH:
    raise ImproperlyConfigured(
        f"SECRET_KEY has {len(SECRET_KEY)} characters: give it at least {KEY_LENGTH} random ones."
    )
SECRET_KEY_FALLBACKS = env.SECRET_KEY_FALLBACKS

ALLOWED_HOSTS = env.ALLOWED_HOSTS
CSRF_TRUSTED_ORIGINS = env.CSRF_TRUSTED_ORIGINS

# --- Parts ---
INSTALLED_APPS = [
    "config",
    "backoffice",
    "projects",
    "labelling",
    "platforms",
    "simulation",
    "surveys",
    "exchange",
    "pipeline",
    "accounts",
    "workers",
    "annotation",
    "runtime",
    "unfold",  # before the admin: it replaces the admin's templates
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",  # its filters are in allauth's templates
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "rest_framework",
    "drf_spectacular",
    "csp",
]
MIDDLEWARE = [
    "config.logs.RequestIdMiddleware",  # first: whatever is logged carries the id
    "accounts.events.EventMiddleware",
    "config.middleware.EveryResponseMiddleware",
    "config.health.HealthMiddleware",  # before the rest: a health check may use any host name
    "config.middleware.HttpsOnlyMiddleware",  # before Django redirects
    "config.middleware.CompressPagesMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.ContentPolicyMiddleware",
    "config.middleware.NoStoreMiddleware",
    "config.middleware.PlainTextMiddleware",
    "config.middleware.ReaderLanguageMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "labelling.joining.account_adapter.SecondFactorMiddleware",
    "config.error_pages.FaultMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["runtime.templatetags.words"],
        },
    }
]

# --- Database ---
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Both ends of a connection to PostgreSQL notice within seconds that the other machine is gone. A machine that dies, or
# is cut off, says no word: its partner would wait for a quarter of an hour, and the database keep its locks for two.
CONNECT_SECONDS = 5
GONE_SECONDS = 10
"""The time after which a machine that answers nothing is gone. Work of a dead process is given to another one later
than that (`runtime.runs.HELD`): what was cut off has failed by then."""
IDLE_SECONDS, PROBE_SECONDS, PROBE_COUNT = 4, 2, 3
"""Seconds of silence before the first question whether the other machine is there, between two, and how many."""


def connection_options(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of psycopg2 with which a connection ends soon; what DATABASE_URL gives counts more."""
    ours = {
        "keepalives_idle": IDLE_SECONDS,
        "keepalives_interval": PROBE_SECONDS,
        "keepalives_count": PROBE_COUNT,
        "tcp_user_timeout": GONE_SECONDS * 1000,
    }
    of_server = " ".join(f"-c tcp_{name.removeprefix('tcp_')}={value}" for name, value in ours.items())
    options = f"{of_server} {values.get('options', '')}".rstrip()
    return {"connect_timeout": CONNECT_SECONDS, **ours, **values, "options": options}


DATABASE: dict[str, Any] = env.DATABASE_URL or {
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": str(DATA / "chainbox.sqlite3"),
}
if DATABASE["ENGINE"].endswith("sqlite3"):
    # IMMEDIATE: writers wait for one another from BEGIN on, so that nothing comes between a claim's read and its write.
    DATABASE["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA busy_timeout=20000;",
    }
    # Tests use a file too, so that threads of a test server have connections of their own.
    DATABASE["TEST"] = {"NAME": str(DATA / "test.sqlite3")}
else:
    # No health checks: after a restart of the database one request per thread fails, and pages and jobs repeat it.
    DATABASE |= {"CONN_MAX_AGE": 60, "OPTIONS": connection_options(DATABASE.get("OPTIONS", {}))}
DATABASES = {"default": DATABASE}
MIGRATE, RETENTION = env.MIGRATE, env.RETENTION

# --- Cache and jobs ---
# A Redis that is down or hangs costs a request three seconds at most (runtime/redis_faults.py).
REDIS_PATIENCE: dict[str, Any] = {"socket_connect_timeout": 1, "socket_timeout": 1, "retry": Retry(NoBackoff(), 0)}
CACHES: dict[str, dict[str, Any]] = {
    "default": (
        {
            "BACKEND": "runtime.redis_faults.OpenCache",
            "LOCATION": REDIS_URL,
            "KEY_PREFIX": "chainbox",
            "OPTIONS": REDIS_PATIENCE,
        }
        if REDIS_URL
        else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    )
}
TICK_SECONDS = env.TICK_SECONDS
FAULTS = env.CHAINBOX_FAULTS
LOOK_SECONDS = 3600
# The time between two reads of the platforms, and between two requests for their events.
SYNC_SECONDS = 300
HEAR_SECONDS = 15
# The time between two looks for mail that is due.
MAIL_SECONDS = 60
CELERY_BROKER_URL = REDIS_URL or "memory://localhost/"
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_TRANSPORT_OPTIONS = dict(socket_connect_timeout=1, socket_timeout=3, max_retries=0) if REDIS_URL else {}
CELERY_TASK_PUBLISH_RETRY = False  # work that waits is a row, which the tick sends again
CELERY_TASK_ALWAYS_EAGER = not REDIS_URL
CELERY_TASK_EAGER_PROPAGATES = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULER = "config.beat.MonotonicScheduler"
# Without `expires`, which compares the clocks of two machines: of jobs that piled up all but the first do nothing.
CELERY_BEAT_SCHEDULE = {
    "tick": {"task": "pipeline.tick", "schedule": TICK_SECONDS},
    "send waiting": {"task": "pipeline.send_waiting", "schedule": TICK_SECONDS},
    "look at workers": {"task": "projects.look_at_workers", "schedule": LOOK_SECONDS},
    "sync platforms": {"task": "platforms.sync", "schedule": SYNC_SECONDS},
    "hear platforms": {"task": "platforms.hear", "schedule": HEAR_SECONDS},
    "forget idle workers": {"task": "labelling.forget_idle_workers", "schedule": LOOK_SECONDS},
    "refresh figures": {"task": "projects.refresh_figures", "schedule": MAIL_SECONDS},
    "tell alerts": {"task": "projects.tell_alerts", "schedule": MAIL_SECONDS},
    "send mail": {"task": "labelling.send_due_mail", "schedule": MAIL_SECONDS},
    "forget exports": {"task": "exchange.forget_exports", "schedule": LOOK_SECONDS},
    "prune": {"task": "config.prune", "schedule": LOOK_SECONDS},
}

# --- Files ---
STATIC_URL = "/static/"
# Embedded: files are served from the packages, without collectstatic.
STATIC_ROOT = None if EMBEDDED else DATA / "static"
WHITENOISE_USE_FINDERS = EMBEDDED
# Browsers keep files whose names hold a hash: those of the build of the pages, and Django's.
WHITENOISE_IMMUTABLE_FILE_TEST = rf"^{STATIC_URL}(app/assets/|.+\.[0-9a-f]{{12}}\.\w+$)"
# The output of `npm run build` in frontend/. Pages say so if it is missing.
FRONTEND = ROOT / "frontend" / "dist"
# Alpine's build without eval lies under the name of the admin theme's own, and so takes its place.
STATICFILES_DIRS = [("app", str(FRONTEND)), str(FRONTEND / "theme")] if FRONTEND.is_dir() else []
GALLERY_PUBLIC = env.GALLERY_PUBLIC
SECOND_FACTOR = env.SECOND_FACTOR
SOCIALACCOUNT_PROVIDERS = providers(env)
OIDC_ALLOW, OIDC_ADMINISTRATORS = env.OIDC_ALLOW, env.OIDC_ADMINISTRATORS
TRY_AS_WORKER = env.TRY_AS_WORKER
DEMO = False  # `manage.py demo` alone sets it
PORT, PROXIES = env.PORT, env.PROXIES
# Without ADDRESS the links follow the port that is served, also those of a command in another process.
ADDRESS_IS_GIVEN = bool(env.ADDRESS)
ADDRESS = env.ADDRESS or served_address(DATA) or f"http://127.0.0.1:{PORT}"
MEDIA_URL = "/media/"
MEDIA_ROOT = DATA / "media"
FILE_UPLOAD_PERMISSIONS = 0o640 if FILES_GROUP else 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o2750 if FILES_GROUP else 0o700
ACCEL_REDIRECT = env.ACCEL_REDIRECT
S3_ENDPOINT_URL = env.S3_ENDPOINT_URL
S3_PUBLIC_URL = env.S3_PUBLIC_URL or S3_ENDPOINT_URL
# Always set: the addresses to which browsers are sent depend on it.
S3_REGION = env.S3_REGION or env.AWS_DEFAULT_REGION
S3_BUCKET = env.S3_BUCKET
IMPORT_SOURCES = env.IMPORT_SOURCES


def picture_storage(bucket: str, prefix: str, endpoint: str, public: str, region: str) -> dict[str, Any]:
    """Return the storage of pictures: the bucket, or the folder MEDIA_ROOT if there is none.

    `public`: the address of the bucket for browsers, where it is not the one that the service uses.
    """
    if not bucket:
        return {"BACKEND": "annotation.storage.FolderStorage"}
    return {
        "BACKEND": "annotation.bucket_storage.BucketStorage",
        "OPTIONS": {
            "bucket_name": bucket,
            "location": prefix.strip("/"),
            "endpoint_url": endpoint or None,
            "public_url": public or None,
            "region_name": region,
        },
    }


def bucket_origins(bucket: str, public_url: str, region: str) -> list[str]:
    """Return the origin of the addresses that are signed for this bucket; an empty list without a bucket.

    At Amazon (no `public_url`) the bucket is part of the host name, unless its name has dots: no certificate covers
    those.
    """
    if not bucket:
        return []
    if public_url:
        address = urlsplit(public_url)
        return [f"{address.scheme}://{address.netloc}"]
    host = "s3.amazonaws.com" if region == "us-east-1" else f"s3.{region}.amazonaws.com"
    return [f"https://{host}" if "." in bucket else f"https://{bucket}.{host}"]


STORAGES = {
    "default": picture_storage(S3_BUCKET, env.S3_PREFIX, S3_ENDPOINT_URL, S3_PUBLIC_URL, S3_REGION),
    # Of a server, collected under names that change with their content.
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if EMBEDDED or DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

# --- Language and time ---
LANGUAGE_CODE = "en"
USE_I18N = True
# The languages in their own words: the choice shows them so to everybody (docs/how-to/translate.md).
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [ROOT / "config" / "locale"]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"

TIME_ZONE = "UTC"
USE_TZ = True

# --- People and safety ---
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
] + [{"NAME": "labelling.joining.account_adapter.NameInPasswordValidator"}]
# Browsers take a cookie of such a name from this host alone, and with encryption alone.
HOST_ALONE = "__Host-" if HTTPS else ""
SESSION_COOKIE_NAME = f"{HOST_ALONE}sessionid"
CSRF_COOKIE_NAME = f"{HOST_ALONE}csrftoken"
LANGUAGE_COOKIE_NAME = f"{HOST_ALONE}language"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"  # in no cookie: some hold a key or a link
# Without TLS browsers let a security key be used at localhost alone.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True  # forms carry the token, so that no script reads the cookie
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS and env.HSTS_SUBDOMAINS
# Whether browsers know the whole domain as encrypted from the start is not ours to decide.
SILENCED_SYSTEM_CHECKS = ["security.W021"]
# The proxy that ends TLS in front of the service must set or remove this header (docs/how-to/operations.md).
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:", "blob:", *bucket_origins(S3_BUCKET, S3_PUBLIC_URL, S3_REGION)],
        "style-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF, *origins(env)],
        "frame-ancestors": [NONE],
    }
}

# --- Mechanical Turk ---
MTURK = env.MTURK
MTURK_ENDPOINT_URL = mturk.endpoint(MTURK, env.MTURK_ENDPOINT_URL)
MTURK_SITES = mturk.sites(MTURK, env.MTURK_SITES)
MTURK_QUEUE_URL = env.MTURK_QUEUE_URL
MTURK_NOTIFICATION_VERSION = env.MTURK_NOTIFICATION_VERSION

# --- Prolific ---
PROLIFIC_TOKEN = env.PROLIFIC_TOKEN
PROLIFIC_WORKSPACE = env.PROLIFIC_WORKSPACE
PROLIFIC_PROJECT = env.PROLIFIC_PROJECT
PROLIFIC_SIGNS_ADDRESSES = env.PROLIFIC_SIGNS_ADDRESSES
PROLIFIC_PAYS_PARTS = env.PROLIFIC_PAYS_PARTS
PROLIFIC_API_URL = env.PROLIFIC_API_URL
PROLIFIC_SITE = env.PROLIFIC_SITE
PROLIFIC_HOOK_SECRET = env.PROLIFIC_HOOK_SECRET

# --- API ---
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["labelling.api.authentication.WorkerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["labelling.api.errors.PlainJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    "EXCEPTION_HANDLER": "labelling.api.errors.refuse",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Chainbox",
    "DESCRIPTION": "Ask for questions, answer them. For pages and for programs that are workers.",
    "VERSION": "1",
    # For those that would get a number.
    "ENUM_NAME_OVERRIDES": {
        "MentionTypeEnum": "projects.review.workbench.TYPE_NAMES",
        "SourceFormatEnum": "projects.data.operations.SOURCE_FORMATS",
        "ExportFormatEnum": "exchange.registry.export_formats",
        "BoxFormEnum": "evaluation.reading.predictions.rows.FORMS",
        "FlagEnum": ["scene", "no box"],
        "TaskEnum": "projects.people.operations.TASK_NAMES",
        "CorrectEnum": ["correct"],
        "WrongEnum": ["wrong"],
    },
    "SERVE_INCLUDE_SCHEMA": False,  # and anybody may read what the API looks like:
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
}

# --- Mail ---
EMAIL_BACKEND = (
    f"django.core.mail.backends.{'smtp' if env.EMAIL_HOST else 'console' if DEBUG else 'dummy'}.EmailBackend"
)
EMAIL_HOST, EMAIL_PORT = env.EMAIL_HOST, env.EMAIL_PORT
EMAIL_USE_TLS = env.EMAIL_SECURITY == "starttls"
EMAIL_USE_SSL = env.EMAIL_SECURITY == "tls"
EMAIL_HOST_USER = env.EMAIL_HOST_USER
EMAIL_HOST_PASSWORD = env.EMAIL_HOST_PASSWORD
EMAIL_TIMEOUT = 10
HOOKS_TO_PRIVATE = env.HOOKS_TO_PRIVATE
DEFAULT_FROM_EMAIL = env.EMAIL_FROM
# --- Log, monitors ---
# Whoever serves from a terminal reads the events on their page.
LOGGING = log_settings(env.LOG_FORMAT, env.LOG_LEVEL, event_lines=not EMBEDDED)
SLOW_STATEMENT_SECONDS, PHRASE_VECTORS = env.SLOW_STATEMENT_SECONDS, env.PHRASE_VECTORS
METRICS_TOKEN, SENTRY_DSN = env.METRICS_TOKEN, env.SENTRY_DSN
