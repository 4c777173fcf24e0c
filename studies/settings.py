"""The service's settings, with the commands of the studies. Only `python -m studies` uses them."""

from config.settings import *  # noqa: F403  # settings are inherited whole
from config.settings import INSTALLED_APPS as SERVICE_APPS

INSTALLED_APPS = ["studies", *SERVICE_APPS]
