"""The demo's history."""

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db.models import DateTimeField

from annotation.project_terms import terms_of
from pipeline.models import Assignment, Entry
from simulation import build_demo as demo
from upkeep import clock

pytestmark = pytest.mark.django_db
AHEAD = {("Assignment", "expires_at")}
"""Times that may lie after those of all others: a lease would have run until then."""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: object, settings: object) -> None:
    settings.MEDIA_ROOT = str(tmp_path)  # type: ignore[attr-defined]
    for name, value in {"FINISHED": 1, "IN_WORK": 1, "NEW": 1, "BEGUN": 10}.items():
        monkeypatch.setattr(demo, name, value)


@pytest.fixture
def new_alone(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the crowd answer nothing: the words of a project do not depend on it."""
    monkeypatch.setattr(demo, "simulate", lambda **given: None)


def later_than_now() -> Iterator[str]:
    for model in apps.get_models():
        for field in (one for one in model._meta.fields if isinstance(one, DateTimeField)):
            if (model.__name__, field.name) not in AHEAD:
                for row in model._default_manager.filter(**{f"{field.name}__gt": clock.now()}):
                    yield f"{model.__name__} {row.pk}: {field.name} is {getattr(row, field.name)}"


@pytest.mark.slow
def test_everything_in_a_new_demo_has_happened_before_one_looks_at_it_and_in_its_order(small: None) -> None:
    project = demo.build_demo()
    assert project.images.filter(state="merged").count() == 1
    assert list(later_than_now()) == []
    for image in project.images.all():
        times = list(Entry.objects.filter(image=image).order_by("sequence").values_list("created_at", flat=True))
        assert times == sorted(times)
    first = Entry.objects.order_by("created_at").first()
    assert first is not None and project.created_at <= first.created_at
    assert not Assignment.objects.filter(created_at__lt=first.created_at).exists()


@pytest.mark.slow
def test_an_interrupted_demo_goes_on_after_its_last_entry(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(demo, "HISTORY", 2 * demo.HISTORY)
        patch.setattr(demo, "NEW", 0)
        demo.build_demo()
    last = Entry.objects.order_by("-created_at").values_list("created_at", flat=True)[0]
    demo.build_demo()
    assert list(later_than_now()) == []
    newest = Entry.objects.filter(kind="import").order_by("-created_at").values_list("created_at", flat=True)[0]
    assert newest > last


@pytest.mark.both_engines
def test_whoever_tries_the_demo_reads_that_it_is_a_demonstration(new_alone: None) -> None:
    terms = terms_of(demo.build_demo())
    assert terms.missing == ()
    assert "demonstration" in terms.requester and "show how Chainbox works" in terms.purpose
