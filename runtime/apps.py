from django.apps import AppConfig


class UpkeepConfig(AppConfig):
    name = "runtime"
    verbose_name = "runtime"
