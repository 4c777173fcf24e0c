import pytest

from annotation.models import Image
from pipeline.record.bulk_rows import ROWS_PER_STATEMENT, insert_many, update_many
from tests.support.projects import phrases, project_of

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def test_each_row_gets_its_own_values() -> None:
    project_of(*(phrases("animals: a dog", name=str(number)) for number in range(3)))
    first, second, third = Image.objects.order_by("id")
    changed = update_many(Image, ["id"], ["width", "name"], [(first.id, 7, "a"), (third.id, 9, "it's")])
    rows = list(Image.objects.order_by("id").values_list("width", "name"))
    assert (changed, rows) == (2, [(7, "a"), (second.width, "1"), (9, "it's")])


def test_rows_that_the_condition_leaves_out_are_not_counted() -> None:
    project_of(phrases("animals: a dog"))
    image = Image.objects.get()
    assert update_many(Image, ["id"], ["width"], [(image.id, 7)], only="t.width > 1000") == 0
    assert Image.objects.get().width == image.width


def test_rows_that_the_condition_leaves_out_are_not_inserted() -> None:
    project = project_of()
    fields = [field for field in Image._meta.fields if not field.primary_key]
    kept = Image(project=project, name="kept", position=1, width=1, height=1)
    left = Image(project=project, name="left", position=2, width=1, height=1)
    rows = [[getattr(one, field.attname) for field in fields] for one in (kept, left)]
    names = [field.name for field in fields]
    insert_many(Image, names, rows, only=f"v.column1 IS NOT NULL AND v.column{names.index('position') + 1} < 2")
    assert list(Image.objects.values_list("name", flat=True)) == ["kept"]


def test_no_rows_need_no_statement(django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    with django_assert_num_queries(0):
        assert update_many(Image, ["id"], ["width"], []) == 0


def test_more_rows_than_one_statement_takes() -> None:
    project = project_of()
    count = ROWS_PER_STATEMENT + 3
    Image.objects.bulk_create(Image(project=project, name=str(n), position=n, width=1, height=1) for n in range(count))
    rows = [
        (image, number + 5)
        for number, image in enumerate(Image.objects.order_by("position").values_list("id", flat=True))
    ]
    assert update_many(Image, ["id"], ["width"], rows) == count
    assert list(Image.objects.order_by("position").values_list("width", flat=True)) == [n + 5 for n in range(count)]
