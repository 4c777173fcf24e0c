"""The service's settings with the commands of the studies added; for `python -m studies` alone."""

from config.settings import *  # noqa: F403  # settings are inherited whole
from config.settings import INSTALLED_APPS as SERVICE_APPS

INSTALLED_APPS = ["studies", *SERVICE_APPS]
