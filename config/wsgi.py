"""The web process: `gunicorn config.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
# Django imports pages at the first request. Imported before gunicorn forks, they are in memory once for all processes.
_ = get_resolver().url_patterns
