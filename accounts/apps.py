from django.apps import AppConfig


class MembersConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import events  # noqa: F401  # its receivers connect themselves
