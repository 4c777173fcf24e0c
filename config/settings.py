"""The settings: a service on SQLite in var/ unless the environment says otherwise (docs/operations.md)."""

import os
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config import environment as read
from config.bucket_origins import bucket_origins
from platforms.mturk import modes as mturk

BASE_DIR = Path(__file__).resolve().parent.parent
ENV = os.environ

DATA = read.data_folder(ENV, "CHAINBOX_DATA", BASE_DIR / "var")
DATABASE_URL = read.text(ENV, "DATABASE_URL")
REDIS_URL = read.redis(ENV, "REDIS_URL")
# Embedded: one process on one machine, nothing to configure. A database of one's own means a server for others.
EMBEDDED = not DATABASE_URL

DEBUG = read.flag(ENV, "DEBUG", default=False)
HTTPS = read.flag(ENV, "HTTPS", default=not EMBEDDED and not DEBUG)
SECRET_KEY = read.text(ENV, "SECRET_KEY")
if not SECRET_KEY:
    if not EMBEDDED and not DEBUG:
        raise ImproperlyConfigured("SECRET_KEY is not set: with DATABASE_URL the service needs a long random one.")
    SECRET_KEY = read.kept_secret(DATA / "secret_key")
elif not DEBUG and len(SECRET_KEY) < 32:
    raise ImproperlyConfigured(f"SECRET_KEY has {len(SECRET_KEY)} characters: give it at least 32 random ones.")

ALLOWED_HOSTS = read.words(ENV, "ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = read.words(ENV, "CSRF_TRUSTED_ORIGINS", default=[])

# --- Parts ---
INSTALLED_APPS = [
    "config",
    "backoffice",
    "labelling",
    "platforms",
    "gallery",
    "simulation",
    "exchange",
    "reports",
    "pipeline",
    "workers",
    "annotation",
    "unfold",  # before the admin: it replaces the admin's templates
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "csp",
]
MIDDLEWARE = [
    "config.health.HealthMiddleware",  # first: a health check has no host name that we know
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.csp.ContentPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
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
            ]
        },
    }
]

# --- Database ---
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASE: dict[str, Any] = (
    {"ENGINE": "django.db.backends.sqlite3", "NAME": str(DATA / "chainbox.sqlite3")}
    if EMBEDDED
    else read.database(ENV, "DATABASE_URL")
)
if DATABASE["ENGINE"].endswith("sqlite3"):
    # IMMEDIATE: writers wait for one another from BEGIN on, so a claim that reads and then writes cannot be torn.
    DATABASE["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA busy_timeout=20000;",
    }
    # A file also in tests: threads of a test server then have connections of their own.
    DATABASE["TEST"] = {"NAME": str(DATA / "test.sqlite3")}
else:
    # No health checks: a restarted database fails one request per thread, which pages and jobs repeat by themselves.
    DATABASE |= {"CONN_MAX_AGE": 60}
DATABASES = {"default": DATABASE}

# --- Cache and jobs ---
CACHES: dict[str, dict[str, Any]] = {
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL, "KEY_PREFIX": "chainbox"}
        if REDIS_URL
        else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    )
}
TICK_SECONDS = 30
LOOK_SECONDS = 3600
# Platforms are read so often, and asked for news so often.
SYNC_SECONDS = 300
HEAR_SECONDS = 15
CELERY_BROKER_URL = REDIS_URL or "memory://"
CELERY_TASK_ALWAYS_EAGER = not REDIS_URL
CELERY_TASK_EAGER_PROPAGATES = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_SERIALIZER = "json"
CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE = {
    # expires: ticks that piled up while no worker ran are dropped; one is as good as ten.
    "tick": {"task": "pipeline.tick", "schedule": TICK_SECONDS, "options": {"expires": TICK_SECONDS}},
    "look at workers": {
        "task": "reports.look_at_workers",
        "schedule": LOOK_SECONDS,
        "options": {"expires": LOOK_SECONDS},
    },
    "sync platforms": {"task": "platforms.sync", "schedule": SYNC_SECONDS, "options": {"expires": SYNC_SECONDS}},
    "hear platforms": {"task": "platforms.hear", "schedule": HEAR_SECONDS, "options": {"expires": HEAR_SECONDS}},
    "forget exports": {
        "task": "exchange.forget_exports",
        "schedule": LOOK_SECONDS,
        "options": {"expires": LOOK_SECONDS},
    },
}

# --- Files ---
STATIC_URL = "/static/"
# Embedded: served straight from the packages, no collecting step.
STATIC_ROOT = None if EMBEDDED else DATA / "static"
WHITENOISE_USE_FINDERS = EMBEDDED
# What `npm run build` made of frontend/; a page says so where it is missing.
FRONTEND = BASE_DIR / "frontend" / "dist"
STATICFILES_DIRS = [("app", str(FRONTEND))] if FRONTEND.is_dir() else []
# On: whoever reaches the service may look at its projects. The demo sets it.
GALLERY_PUBLIC = read.flag(ENV, "GALLERY_PUBLIC", default=False)
# On: whoever may look at a project can try it as a guest worker. The demo sets it.
TRY_AS_WORKER = read.flag(ENV, "TRY_AS_WORKER", default=False)
# Where people reach the service: the beginning of the links that commands print.
ADDRESS = read.text(ENV, "ADDRESS", "http://127.0.0.1:8000").rstrip("/")
MEDIA_URL = "/media/"
MEDIA_ROOT = DATA / "media"
# Any bucket at this address can also be imported from.
S3_ENDPOINT_URL = read.text(ENV, "S3_ENDPOINT_URL").rstrip("/")
S3_PUBLIC_URL = read.text(ENV, "S3_PUBLIC_URL", S3_ENDPOINT_URL).rstrip("/")
# Named in any case: the addresses that browsers are sent to depend on it.
S3_REGION = read.text(ENV, "S3_REGION", ENV.get("AWS_DEFAULT_REGION", "us-east-1"))
S3_BUCKET = read.text(ENV, "S3_BUCKET")
STORAGES: dict[str, dict[str, Any]] = {
    "default": (
        {
            "BACKEND": "annotation.storage.BucketStorage",
            "OPTIONS": {
                "bucket_name": S3_BUCKET,
                "location": read.text(ENV, "S3_PREFIX").strip("/"),
                "endpoint_url": S3_ENDPOINT_URL or None,
                "public_url": S3_PUBLIC_URL or None,
                "region_name": S3_REGION,
            },
        }
        if S3_BUCKET
        else {"BACKEND": "annotation.storage.FolderStorage"}
    ),
    "staticfiles": {
        "BACKEND": (
            "django.contrib.staticfiles.storage.StaticFilesStorage"
            if EMBEDDED or DEBUG
            else "whitenoise.storage.CompressedManifestStaticFilesStorage"
        )
    },
}

# --- People and safety ---
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "gallery:start"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
# The proxy that ends TLS in front of the service must set or remove this header (docs/operations.md).
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
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# --- Mechanical Turk ---
# Off, the sandbox, or real money (docs/mturk.md). Keys as boto3 finds them.
MTURK = read.choice(ENV, "MTURK", ("OFF", "SANDBOX", "LIVE")).lower()
# Empty: the service's own. Anything else is for tests, and refused with "live".
MTURK_ENDPOINT_URL = mturk.endpoint(MTURK, read.text(ENV, "MTURK_ENDPOINT_URL"))
# Who may frame the pages for workers and get their forms; empty: the mode's own site.
MTURK_SITES = mturk.sites(MTURK, read.words(ENV, "MTURK_SITES", default=[]))
# Empty: it is asked every few minutes only.
MTURK_QUEUE_URL = read.text(ENV, "MTURK_QUEUE_URL")
# Two documents of the service name two versions.
MTURK_NOTIFICATION_VERSION = read.text(ENV, "MTURK_NOTIFICATION_VERSION", "2014-08-15")

# --- Prolific ---
# Empty: off (docs/prolific.md). There is no place to practise: with a token, real money moves.
PROLIFIC_TOKEN = read.text(ENV, "PROLIFIC_TOKEN")
PROLIFIC_WORKSPACE = read.text(ENV, "PROLIFIC_WORKSPACE")
# Empty: the project that Prolific puts studies into by itself.
PROLIFIC_PROJECT = read.text(ENV, "PROLIFIC_PROJECT")
PROLIFIC_API_URL = read.text(ENV, "PROLIFIC_API_URL", "https://api.prolific.com/api/v1").rstrip("/")
PROLIFIC_SITE = read.text(ENV, "PROLIFIC_SITE", "https://app.prolific.com").rstrip("/")
# Empty: the one that Prolific gave when we subscribed to its events.
PROLIFIC_HOOK_SECRET = read.text(ENV, "PROLIFIC_HOOK_SECRET")

# --- API ---
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["labelling.api.authentication.WorkerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    "EXCEPTION_HANDLER": "labelling.api.errors.refuse",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Chainbox",
    "DESCRIPTION": "Ask for questions, answer them. For pages and for programs that are workers.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    # Anybody may read what the API looks like.
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
}
UNFOLD = {"SITE_TITLE": "Chainbox", "SITE_HEADER": "Chainbox"}

# --- Language, time, log ---
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": read.choice(ENV, "LOG_LEVEL", ("WARNING", "INFO", "DEBUG", "ERROR"))},
    # Django's own console handler stays silent outside DEBUG; the root handler writes its warnings once.
    "loggers": {
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        # A refusal (400 to 404) is an answer like any other; what fails on our side is logged.
        "django.request": {"level": "ERROR"},
        # Anyone can send a wrong host name: answered with 400, not worth a traceback each.
        "django.security.DisallowedHost": {"level": "CRITICAL"},
    },
}
