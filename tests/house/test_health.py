"""Health checks, as a monitor sees them."""

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, override_settings


def test_it_is_up_without_asking_the_database(client: Client) -> None:
    answer = client.get("/healthz", headers={"host": "some.other.name"})
    assert (answer.status_code, answer.content) == (200, b"ok\n")


@pytest.mark.django_db
def test_it_is_ready_when_every_migration_is_applied(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["database"] == "ok"


@pytest.mark.django_db
def test_it_is_not_ready_while_a_migration_is_missing(client: Client) -> None:
    last = MigrationRecorder.Migration.objects.filter(app="sessions").latest("id")
    last.delete()
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["database"] == "1 migrations are not applied: run 'manage.py migrate'"


@pytest.mark.django_db
@override_settings(
    REDIS_URL="redis://127.0.0.1:1/0",
    CACHES={"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"}},
)
def test_it_is_not_ready_without_its_redis(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["redis"].startswith("no answer")
