from django.apps import AppConfig


class MembersConfig(AppConfig):
    name = "members"

    def ready(self) -> None:
        from members import watch_accounts  # noqa: F401  # its receivers connect themselves
