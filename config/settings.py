"""Django's settings: a service on SQLite in var/, unless environment variables change that (config/environment.py)."""

import os
from typing import Any

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config.bucket_origins import bucket_origins
from config.environment import BASE_DIR, data_folder, kept_secret, read_environment, served_address
from platforms.mturk import modes as mturk

env = read_environment(os.environ)  # a small name: it is no setting of Django, and its secrets are on no error page

DATA = data_folder(env.CHAINBOX_DATA)
REDIS_URL = env.REDIS_URL
# Embedded: one process on one machine, nothing to configure. With a database of its own the service is a server.
EMBEDDED = env.DATABASE_URL is None

DEBUG = env.DEBUG
HTTPS = not EMBEDDED and not DEBUG if env.HTTPS is None else env.HTTPS
SECRET_KEY = env.SECRET_KEY
if not SECRET_KEY:
    if not EMBEDDED and not DEBUG:
        raise ImproperlyConfigured("SECRET_KEY is not set: with DATABASE_URL the service needs a long random one.")
    SECRET_KEY = kept_secret(DATA / "secret_key")
elif not DEBUG and len(SECRET_KEY) < 32:
    raise ImproperlyConfigured(f"SECRET_KEY has {len(SECRET_KEY)} characters: give it at least 32 random ones.")

ALLOWED_HOSTS = env.ALLOWED_HOSTS
CSRF_TRUSTED_ORIGINS = env.CSRF_TRUSTED_ORIGINS

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
    "config.health.HealthMiddleware",  # first: a health check may use any host name
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
# The time between two reads of the platforms, and between two requests for their events.
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
    # expires: ticks that piled up while no Celery worker ran are dropped, because one does the work of all.
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
# Embedded: files are served from the packages, without collectstatic.
STATIC_ROOT = None if EMBEDDED else DATA / "static"
WHITENOISE_USE_FINDERS = EMBEDDED
# The output of `npm run build` in frontend/. Pages say so if it is missing.
FRONTEND = BASE_DIR / "frontend" / "dist"
STATICFILES_DIRS = [("app", str(FRONTEND))] if FRONTEND.is_dir() else []
GALLERY_PUBLIC = env.GALLERY_PUBLIC
TRY_AS_WORKER = env.TRY_AS_WORKER
PORT = env.PORT
# Without ADDRESS the links follow the port that is served, also those of a command in another process.
ADDRESS_IS_GIVEN = bool(env.ADDRESS)
ADDRESS = env.ADDRESS or served_address(DATA) or f"http://127.0.0.1:{PORT}"
MEDIA_URL = "/media/"
MEDIA_ROOT = DATA / "media"
S3_ENDPOINT_URL = env.S3_ENDPOINT_URL
S3_PUBLIC_URL = env.S3_PUBLIC_URL or S3_ENDPOINT_URL
# Always set: the addresses to which browsers are sent depend on it.
S3_REGION = env.S3_REGION or env.AWS_DEFAULT_REGION
S3_BUCKET = env.S3_BUCKET
STORAGES: dict[str, dict[str, Any]] = {
    "default": (
        {
            "BACKEND": "annotation.storage.BucketStorage",
            "OPTIONS": {
                "bucket_name": S3_BUCKET,
                "location": env.S3_PREFIX.strip("/"),
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
        "form-action": [SELF],
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
PROLIFIC_API_URL = env.PROLIFIC_API_URL
PROLIFIC_SITE = env.PROLIFIC_SITE
PROLIFIC_HOOK_SECRET = env.PROLIFIC_HOOK_SECRET

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
    "root": {"handlers": ["console"], "level": env.LOG_LEVEL},
    # Django's own console handler is silent outside DEBUG; the root handler writes each warning once.
    "loggers": {
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        # Refusals (400 to 404) are ordinary responses; only errors of the service are logged.
        "django.request": {"level": "ERROR"},
        # Anyone can send a wrong host name. The response is 400, without a traceback in the log.
        "django.security.DisallowedHost": {"level": "CRITICAL"},
    },
}
