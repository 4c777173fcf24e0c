"""Exports, read by the field's own readers from PyPI: every span, box and chain, counted one by one."""

import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import transaction
from django.test.utils import override_settings
from pytest_django.plugin import DjangoDbBlocker

from annotation.models import Project
from exchange.dataset import DatasetImage
from exchange.export_dataset import export_dataset
from exchange.export_options import ExportOptions
from exchange.flickr30k.read import read_flickr30k
from exchange.import_dataset import import_dataset
from studies.interop.compare import compare
from studies.interop.found import Found
from studies.interop.inside import coco_tools, hub_loader
from studies.interop.sources import made_images, truth_of, write_source

REAL_IMAGES = 150
READERS = {"hub": hub_loader, "parquet": hub_loader, "coco": coco_tools}
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


@pytest.fixture(scope="module")
def exported(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[dict[str, tuple[Path, Found]]]:
    """The folder of exports and the truth, of the made images and, where they are, of real ones."""
    work = tmp_path_factory.mktemp("field_readers")
    real = Path(os.environ.get("CHAINBOX_TEST_DATA", "../shared/data")) / "flickr30k-entities"
    sources = {"made": made_images()}
    if real.is_dir():
        found = (one for one in read_flickr30k(real) if isinstance(one, DatasetImage))
        sources["real"] = [one for one, _ in zip(found, range(REAL_IMAGES), strict=False)]
    with django_db_blocker.unblock(), override_settings(MEDIA_ROOT=work / "media"), transaction.atomic():
        yielded = {name: (work / name, _export(name, images, work / name)) for name, images in sources.items()}
        transaction.set_rollback(True)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (OFFLINE | {"HF_HOME": str(work / "cache")}).items():
            patch.setenv(name, value)
        yield yielded


def _export(name: str, images: list[DatasetImage], work: Path) -> Found:
    work.mkdir()
    pictures = write_source(images, work / "source")
    import_dataset(project_name=name, path=work / "source")
    project = Project.objects.get(name=name)
    for one in READERS:
        export_dataset(project=project, target=work / one, export_format=one, include_unmerged=True)
    parts = {image.name: ("train", "val")[place % 2] for place, image in enumerate(project.images.order_by("position"))}
    options = ExportOptions(splits=parts)
    export_dataset(
        project=project, target=work / "parts", export_format="parquet", include_unmerged=True, options=options
    )
    return truth_of(images, pictures)


@pytest.mark.slow
@pytest.mark.parametrize("images", ["made", "real"])
@pytest.mark.parametrize("export_format", READERS)
def test_nothing_differs_between_what_was_exported_and_what_is_read(
    exported: dict[str, tuple[Path, Found]], tmp_path: Path, images: str, export_format: str
) -> None:
    if images not in exported:
        pytest.skip("there is no folder flickr30k-entities in ../shared/data")
    folder, truth = exported[images]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the readers, about themselves
        found = READERS[export_format].read(export_format, folder / export_format, tmp_path)

    compared = {one.kind: one for one in compare(truth, found, export_format)}

    assert [one for one in compared.values() if one.differences] == []
    assert compared["equal phrases"].number >= 2 * (images == "made")
    assert all(compared[kind].number > 3 for kind in ("spans", "boxes", "chains"))


def test_parts_of_parquet_files_are_the_splits_that_the_hubs_reader_shows(
    exported: dict[str, tuple[Path, Found]], tmp_path: Path
) -> None:
    folder, _ = exported["made"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import datasets

        loaded = datasets.load_dataset(str(folder / "parts"), cache_dir=str(tmp_path))

    found = {part: [*rows["file_name"]] for part, rows in loaded.items()}
    assert found == {"train": ["B.PNG", "cam 1/pair.jpg"], "val": ["cam 1/none.jpg"]}
