"""Every table that hangs on a project has its place in archives, and every id has room."""

from django.apps import apps
from django.db.models import ForeignKey, Model

from annotation.models import Project
from campaign.archive.tables import LEFT_OUT, OF_IMAGES, OF_PROJECT

LEAVE = [table.label for table in OF_IMAGES]


def parents(model: type[Model]) -> list[type[Model]]:
    return [one.related_model for one in model._meta.concrete_fields if isinstance(one, ForeignKey)]  # type: ignore[misc]


def hangs_on_a_project(model: type[Model]) -> bool:
    return any(one is Project or hangs_on_a_project(one) for one in parents(model) if one is not model)


def test_each_table_of_a_project_leaves_or_stays_or_is_left_out_for_a_reason() -> None:
    placed = [*LEAVE, *(table.label for table in OF_PROJECT), *LEFT_OUT]
    assert sorted(placed) == sorted({model._meta.label for model in apps.get_models() if hangs_on_a_project(model)})


def test_no_row_that_stays_points_to_one_that_leaves_and_rows_come_back_after_what_they_point_to() -> None:
    for model in apps.get_models():
        pointed = [one._meta.label for one in parents(model) if one._meta.label in LEAVE]
        assert not pointed or model._meta.label in LEAVE, model
        assert all(LEAVE.index(one) < LEAVE.index(model._meta.label) for one in pointed), model


def test_ids_that_grow_with_the_work_have_64_bits() -> None:
    """An AutoField ends at 2,147,483,647: less than the judgments of a million images times the rows of each."""
    narrow = [
        model._meta.label
        for model in apps.get_models()
        if model._meta.pk.get_internal_type() in ("AutoField", "SmallAutoField")
        and not model.__module__.startswith("django.")
    ]
    assert narrow == []
